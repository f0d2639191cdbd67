#!/bin/sh
# check_consumer.sh CMAKE BUILD SOURCE CC LIBDIR BINDIR VERSION: installs BUILD, moves the tree, and builds and runs SOURCE/consumer
# against it: CMake with the shared and the static library, and pkg-config.
cmake=$1 build=$2 source=$3 cc=$4 libdir=$5 bindir=$6 version=$7

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

"$cmake" --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log"; fail "install"; }
mv "$work/first" "$work/moved tree" || exit 1
prefix="$work/moved tree"

for file in include/clsolve/clsolve.h "$libdir/libclsolve.so" "$libdir/libclsolve.a" "$libdir/pkgconfig/clsolve.pc" \
    "$libdir/cmake/clsolve/clsolveConfig.cmake" share/doc/clsolve/LICENSE; do
    [ -e "$prefix/$file" ] || fail "not installed: $file"
done
if grep -rqF "$work/first" "$prefix/$libdir/pkgconfig" "$prefix/$libdir/cmake"; then
    fail "an installed package file holds an absolute path"
fi

run() { # what, command...: its output must hold the solution
    what=$1
    shift
    "$@" >"$work/out" 2>&1
    result=$?
    cat "$work/out"
    [ "$result" -eq 77 ] && exit 77
    [ "$result" -eq 0 ] || fail "$what: exit $result"
    grep -q "^consumer: solved with $version" "$work/out" || fail "$what: no solution"
}

echo "== CMake =="
"$cmake" -S "$source/consumer" -B "$work/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
    "$cmake" --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; fail "the consumer does not build"; }
run "CMake, shared" "$work/build/consumer_shared"
run "CMake, static" "$work/build/consumer_static"
if command -v ldd >/dev/null && ldd "$work/build/consumer_static" | grep -q libclsolve; then
    fail "the static consumer needs libclsolve.so"
fi

echo "== pkg-config =="
if command -v pkg-config >/dev/null; then
    mv "$prefix" "$work/plain" && prefix=$work/plain # pkg-config escapes spaces in a way that a shell's $(...) does not read
    PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export PKG_CONFIG_PATH
    [ "$(pkg-config --modversion clsolve)" = "$version" ] || fail "pkg-config gives another version"
    # shellcheck disable=SC2046
    "$cc" -std=c11 "$source/consumer/consumer.c" -o "$work/consumer" $(pkg-config --cflags --libs clsolve) ||
        fail "does not build with pkg-config"
    run "pkg-config" env LD_LIBRARY_PATH="$prefix/$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$work/consumer"
fi

if [ -x "$prefix/$bindir/clsolve" ]; then
    echo "== command =="
    for file in man/man1/clsolve.1 man/man1/clsolve-solve.1 bash-completion/completions/clsolve zsh/site-functions/_clsolve \
        fish/vendor_completions.d/clsolve.fish; do
        [ ! -d "$build/src/tool/manuals" ] || [ -s "$prefix/share/$file" ] || fail "not installed: share/$file"
    done
    "$prefix/$bindir/clsolve" devices || fail "the installed command does not run"
fi

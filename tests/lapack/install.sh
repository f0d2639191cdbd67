#!/bin/sh
# install.sh SHIM CMAKE BUILD COMPILER LIBDIR SOURCES: installed and moved, the library is found by pkg-config, finds
# libclsolve beside itself, and is a liblapack.so.3 through a symbolic link too, as alternatives are.
. "$(dirname "$0")/common.sh"
cmake=$2
build=$3
compiler=$4
libdir=$5
sources=$6
command -v pkg-config >/dev/null || skip "no pkg-config here"
"$cmake" --install "$build" --prefix "$work/first" >/dev/null || fail "cannot be installed"
mv "$work/first" "$work/moved"
lib=$work/moved/$libdir
cd "$work" || exit 1

CLSOLVE_LAPACK=on
CLSOLVE_LAPACK_MIN=50
CLSOLVE_LAPACK_STATS=$work/counts
export CLSOLVE_LAPACK CLSOLVE_LAPACK_MIN CLSOLVE_LAPACK_STATS
works() { # what command...
    what=$1
    shift
    rm -f counts
    "$@" || fail "$what: ended with $?"
    [ "$(count dgesv_ device)" -eq 1 ] || fail "$what: the device was not used: $(cat counts)"
}
build_program() { # name flags...
    name=$1
    shift
    "$compiler" -D_XOPEN_SOURCE=700 "-I$sources" "$sources/lapack/test_process.c" -o "$name" "$@" -ldl -lm -pthread ||
        fail "$name does not link"
}

flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --libs clsolve-lapack) || fail "no clsolve-lapack.pc"
# shellcheck disable=SC2086 # flags are words
build_program front $flags -lopenblas
works "linked first" env "LD_LIBRARY_PATH=$lib" ./front leave 60

build_program plain -llapack
mkdir alternatives
ln -s "$lib/clsolve/liblapack.so.3" alternatives/liblapack.so.3
works "an alternative" env "LD_LIBRARY_PATH=$work/alternatives" ./plain leave 60
unset CLSOLVE_LAPACK_STATS
"$work/moved/bin/clsolve" run -- ./plain leave 60 2>err || fail "clsolve run ended with $?"
grep -Eq '^  dgesv_ +1 +0$' err || fail "clsolve run: $(cat err)"
finish

#!/bin/sh
# check_install.sh CMAKE BUILD EXAMPLE GFORTRAN LIBDIR: installs BUILD, moves the tree, and builds and runs a program of ten lines
# against it, by pkg-config and by CMake.
cmake=$1 build=$2 example=$3 gfortran=$4 libdir=$5

command -v pkg-config >/dev/null || { echo "skipped: no pkg-config here"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

"$cmake" --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log"; fail "install"; }
mv "$work/first" "$work/moved" && cd "$work" || exit 1
prefix=$work/moved
[ -e "$prefix/include/clsolve/clsolve.f90" ] || fail "the source of the module is not installed"
[ "$(wc -l <"$example")" -le 10 ] || fail "$example has more than ten lines"
cp "$example" solve.f90

PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
"$gfortran" solve.f90 $(pkg-config --cflags --libs clsolve) -o by_pkg_config || fail "does not build with pkg-config"

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(consumer Fortran)
find_package(clsolve REQUIRED COMPONENTS fortran)
add_executable(by_cmake solve.f90)
target_link_libraries(by_cmake PRIVATE clsolve::clsolve_fortran)
END
"$cmake" -S . -B by -DCMAKE_Fortran_COMPILER="$gfortran" -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 && "$cmake" --build by >>log 2>&1 ||
    { cat log; fail "does not build with CMake"; }

for program in ./by_pkg_config by/by_cmake; do
    LD_LIBRARY_PATH="$prefix/$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$program" >out 2>&1
    result=$?
    cat out
    grep -q "no device fits" out && exit 77
    [ "$result" -eq 0 ] && grep -q "x = 1.000 2.000 3.000" out || fail "$program: no solution"
done

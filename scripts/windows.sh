#!/bin/sh
# windows.sh: the library and the command for 64-bit Windows, made on Debian by mingw-w64 and tried by Wine.
#
#   scripts/windows.sh            the zip, dist/clsolve-VERSION-windows-x86_64.zip, and the wheel for win_amd64
#   scripts/windows.sh install    what it is built with: mingw-w64 and Wine by apt, OpenBLAS by pip (a DLL for win_amd64), and
#                                 jansson, popt, METIS, SuiteSparse, cmocka from Debian's sources
#   scripts/windows.sh test [-- arguments of ctest]
#                                 builds the zip and the tests, and runs them by Wine with PoCL: examples, the command's
#                                 tests and the numeric rooms, and a few of each on Intel's runtime
#   scripts/windows.sh smoke      the short part, which the default tests have; 77 where mingw-w64, Wine or the dependencies
#                                 are missing
#   scripts/windows.sh run PROGRAM [ARGUMENT...]
#                                 a program of the build by Wine, with OpenBLAS's DLL
#
# All is made in build-windows/. CLSOLVE_WINDOWS_DEPENDENCIES names another folder for the dependencies, to share them among
# builds; build-windows/dependencies links to it then. docs/windows.md says what was tried where.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$root/build-windows
deps=$build/dependencies
triple=x86_64-w64-mingw32
cc=$triple-gcc-posix
targets="clsolve clsolve_static clsolve_tool clsolve_fortran_source" # what is installed
work=$build/sources
say() { echo "windows: $*" >&2; }
usage() { say "$*; see the head of scripts/windows.sh"; exit 2; }
if [ -n "${CLSOLVE_WINDOWS_DEPENDENCIES-}" ]; then
    [ -L "$deps" ] || [ ! -e "$deps" ] || { say "$deps is there: remove it, or unset CLSOLVE_WINDOWS_DEPENDENCIES"; exit 2; }
    mkdir -p "$build" "$CLSOLVE_WINDOWS_DEPENDENCIES"
    ln -sfn "$(CDPATH='' cd -- "$CLSOLVE_WINDOWS_DEPENDENCIES" && pwd)" "$deps"
fi

# ---- Wine ----

# A prefix of its own, so that nothing of the user's is touched. Debian has two names for it.
WINEPREFIX=$build/wine
WINEDEBUG=${WINEDEBUG:--all}
export WINEPREFIX WINEDEBUG
unset CLSOLVE_WINDOWS_DEPENDENCIES # a test refuses variables that it does not know
if [ "${1-}" != run ]; then # started as a test, this is in the environment of that one
    for variable in $(env | sed -n 's/^\(CLSOLVE_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
fi
wine=$(command -v wine64 || command -v /usr/lib/wine/wine64 || command -v wine || true)
path_of() { echo "Z:$1" | tr / '\\'; } # a file of this machine, as Wine sees it

run_by_wine() { # program arguments...
    [ -n "$wine" ] || { say "no Wine here: scripts/windows.sh install"; exit 77; }
    mkdir -p "$WINEPREFIX"
    WINEPATH="$(path_of "$deps/bin");$(path_of "$build")"
    export WINEPATH
    exec "$wine" "$@"
}

# Wine's server and services, which keep the streams of the process that starts them: who waits for the end of a stream,
# as ctest does, would wait for them.
wine_begin() {
    [ -n "$wine" ] || { say "no Wine here: scripts/windows.sh install"; exit 77; }
    server=$(command -v wineserver || command -v /usr/lib/wine/wineserver64 || command -v /usr/lib/wine/wineserver)
    mkdir -p "$WINEPREFIX"
    "$server" -p >/dev/null 2>&1 </dev/null || true
    "$wine" cmd /c exit >/dev/null 2>&1 </dev/null || true
    trap '"$server" -k >/dev/null 2>&1 </dev/null || true' EXIT
    trap 'exit 1' HUP INT TERM
}

# ---- what it is built with ----

install_packages() {
    . "$root/scripts/packages.sh"
    packages_install windows
}

# Sources by apt with lists of its own: the system's need not name any sources.
get_sources() {
    [ ! -e "$work/complete" ] || return 0
    key=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -r "$key" ] || { say "no $key: the sources of Debian are wanted"; return 1; }
    rm -rf "$work"
    mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/apt/state"
    : >"$work/apt/status"
    echo "deb-src [signed-by=$key] http://deb.debian.org/debian bookworm main" >"$work/apt/sources.list"
    cat >"$work/apt/apt.conf" <<EOF
Dir::Etc::SourceList "$work/apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::State "$work/apt/state";
Dir::State::Lists "$work/apt/lists";
Dir::State::Status "$work/apt/status";
Dir::Cache "$work/apt/cache";
APT::Sandbox::User "root";
EOF
    (
        cd "$work"
        APT_CONFIG=$work/apt/apt.conf apt-get -qq update >&2
        APT_CONFIG=$work/apt/apt.conf apt-get -qq source --download-only jansson popt cmocka metis suitesparse >&2
        for name in jansson popt cmocka metis suitesparse; do
            dpkg-source --no-check -x "$name"_*.dsc "$name" >/dev/null 2>&1
        done
        rm -rf apt
        : >complete
    )
}

# folder, name of the library, sources...; options of the compiler in $options. Objects are named by a number.
library() {
    folder=$1 name=$2
    shift 2
    rm -rf "$work/objects"
    mkdir -p "$work/objects"
    number=0
    for source in "$@"; do
        number=$((number + 1))
        (cd "$work/$folder" && $cc -O2 -w $options -c "$source" -o "$work/objects/$number.o") || return 1
    done
    pack "$name"
}
pack() { # name: the objects become a library
    rm -f "$deps/lib/lib$1.a"
    $triple-ar rcs "$deps/lib/lib$1.a" "$work"/objects/*.o
}

build_popt() {
    mkdir -p "$work/stubs/sys"
    : >"$work/stubs/sys/ioctl.h"
    : >"$work/stubs/sys/resource.h"
    options="-I$work/stubs -DPACKAGE=\"popt\" -DPOPT_SYSCONFDIR=\"/\" -DHAVE_STRERROR -DHAVE_STDALIGN_H -Dgetuid()=0 -Dgeteuid()=0 -Dgetgid()=0 -Dgetegid()=0 -D__USE_MINGW_ANSI_STDIO=1 -D_GNU_SOURCE"
    library popt/src popt popt.c poptconfig.c popthelp.c poptint.c poptparse.c
    cp "$work/popt/src/popt.h" "$deps/include/"
}

# With random numbers of its own: those of the C library cannot be put back afterwards.
build_metis() {
    options="-I$work/stubs -IGKlib -Iinclude -Ilibmetis -DUSE_GKREGEX -DUSE_GKRAND -DNDEBUG -D__USE_MINGW_ANSI_STDIO=1"
    # shellcheck disable=SC2046 # names without spaces
    library metis metis $(cd "$work/metis" && ls GKlib/*.c libmetis/*.c | grep -v getopt.c)
    cp "$work/metis/include/metis.h" "$deps/include/"
}

# AMD, BTF, COLAMD and KLU: each source for 32-bit and 64-bit integers, KLU for real and complex numbers.
build_suitesparse() {
    rm -rf "$work/objects"
    mkdir -p "$work/objects" "$deps/include/suitesparse"
    compile() { # kind source options...
        kind=$1 source=$2
        shift 2
        (cd "$work/suitesparse" && $cc -O2 -w -DNPRINT -ISuiteSparse_config -IAMD/Include -IBTF/Include -ICOLAMD/Include -IKLU/Include \
            "$@" -c "$source" -o "$work/objects/$kind-$(basename "$source" .c).o")
    }
    compile i SuiteSparse_config/SuiteSparse_config.c
    for source in "$work"/suitesparse/AMD/Source/amd_*.c "$work"/suitesparse/BTF/Source/btf_*.c; do
        compile i "$source" -DDINT
        compile l "$source" -DDLONG
    done
    compile i COLAMD/Source/colamd.c
    for source in "$work"/suitesparse/KLU/Source/klu*.c; do
        compile d "$source"
        compile z "$source" -DCOMPLEX
    done
    pack klu
    cp "$deps/lib/libklu.a" "$deps/lib/libamd.a"
    cp "$work"/suitesparse/SuiteSparse_config/*.h "$work"/suitesparse/AMD/Include/amd.h "$work"/suitesparse/BTF/Include/btf.h \
        "$work"/suitesparse/COLAMD/Include/colamd.h "$work"/suitesparse/KLU/Include/klu.h "$deps/include/suitesparse/"
}

build_by_cmake() { # folder options...
    folder=$1
    shift
    cmake -S "$work/$folder" -B "$work/$folder/windows" -G Ninja -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$cc \
        -DCMAKE_RC_COMPILER=$triple-windres -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$deps" -DCMAKE_SHARED_LINKER_FLAGS=-static "$@" >/dev/null 2>&1
    cmake --build "$work/$folder/windows" --target install >/dev/null
}

# Its names begin with scipy_, in the DLL and in the headers. The headers lose that, and the import library leads from
# the usual names to those of the DLL.
build_openblas() {
    mkdir -p "$work/wheels"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --platform win_amd64 \
        --dest "$work/wheels" "scipy-openblas32==0.3.34.*"
    rm -rf "$work/openblas"
    unzip -q -o "$work"/wheels/scipy_openblas32-*-win_amd64.whl -d "$work/openblas"
    for header in "$work"/openblas/scipy_openblas32/include/*.h; do
        sed 's/scipy_//g' "$header" >"$deps/include/$(basename "$header")"
    done
    cp "$work/openblas/scipy_openblas32/lib/libscipy_openblas.dll" "$deps/bin/"
    {
        echo "LIBRARY libscipy_openblas.dll"
        echo EXPORTS
        $triple-objdump -p "$deps/bin/libscipy_openblas.dll" | sed -n 's/^.*\] scipy_\([A-Za-z0-9_]*\)$/    \1 == scipy_\1/p' | sort -u
    } >"$work/openblas.def"
    $triple-dlltool -d "$work/openblas.def" -l "$deps/lib/libopenblas.dll.a"
    cp "$deps/lib/libopenblas.dll.a" "$deps/lib/liblapacke.dll.a"
}

copy_headers() {
    mkdir -p "$deps/include/CL"
    cp /usr/include/CL/*.h "$deps/include/CL/"
    cp /usr/include/xxhash.h /usr/include/xxh3.h "$deps/include/"
    $triple-ar rcs "$deps/lib/libxxhash.a" # its header alone is used
}

# The terms of all that the zip and the wheel carry.
copy_licences() {
    mkdir -p "$deps/licences"
    for name in jansson popt metis suitesparse; do cp "$work/$name/debian/copyright" "$deps/licences/$name.txt"; done
    cp "$work"/openblas/*.dist-info/licenses/LICENSE.txt "$deps/licences/openblas.txt"
    cp /usr/share/doc/mingw-w64-common/copyright "$deps/licences/mingw-w64.txt"
    cp /usr/share/doc/gcc-mingw-w64-base/copyright "$deps/licences/gcc.txt" 2>/dev/null || true
}

install_all() {
    [ ! -e "$deps/complete" ] || return 0
    install_packages
    mkdir -p "$deps/bin" "$deps/lib" "$deps/include"
    say "the sources"
    get_sources
    say "building the dependencies into $deps"
    build_popt
    build_metis
    build_suitesparse
    build_by_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
    build_by_cmake cmocka -DBUILD_SHARED_LIBS=OFF -DWITH_EXAMPLES=OFF -DUNIT_TESTING=OFF
    build_openblas
    copy_headers
    copy_licences
    : >"$deps/complete"
}

# ---- the build ----

# With the CUDA backend where the headers of a toolkit are, of any system; its libraries are loaded at run time.
configure() { # options of cmake...
    for folder in "${CUDA_PATH:-/usr/local/cuda}" /opt/cuda; do
        [ -e "$folder/include/nvrtc.h" ] || continue
        set -- -DCLSOLVE_CUDA=ON -DCLSOLVE_CUDA_INCLUDE="$folder/include" "$@"
        break
    done
    (cd "$root" && cmake --preset windows -G Ninja -DCLSOLVE_WERROR=ON "$@" >/dev/null)
}

make_zip() {
    install_all
    configure "$@"
    # shellcheck disable=SC2086 # targets are words
    cmake --build "$build" --target $targets
    version=$(sed -n 's/^#define CLSOLVE_VERSION_[MP][AI][A-Z]* *\([0-9]*\).*/\1/p' "$root/include/clsolve/version.h" | paste -sd.)
    name=clsolve-$version-windows-x86_64
    tree=$build/zip/$name
    rm -rf "$build/zip"
    DESTDIR=$build/zip/raw cmake --install "$build" --prefix /tree >/dev/null
    mv "$build/zip/raw/tree" "$tree"
    # The DLL alone, so nothing that the static library would need; the module for Fortran was not tried.
    rm -rf "$build/zip/raw" "$tree"/lib/libclsolve.a "$tree"/lib/cmake/clsolve/clsolveStatic* "$tree/share" "$tree"/include/clsolve/*.f90
    sed -i '/^[A-Z][a-z]*\.private/d' "$tree/lib/pkgconfig/clsolve.pc"
    cp "$build/clsolve.def" "$tree/lib/"
    cp "$deps/bin/libscipy_openblas.dll" "$tree/bin/"
    mkdir -p "$tree/licences"
    cp "$root/LICENSE" "$tree/licences/clsolve.txt"
    cp "$deps"/licences/*.txt "$tree/licences/"
    cp /usr/share/doc/libxxhash-dev/copyright "$tree/licences/xxhash.txt"
    sed 's/$/\r/' "$root/scripts/windows_readme.txt" >"$tree/README.txt"
    mkdir -p "$root/dist"
    rm -f "$root/dist/$name.zip"
    (cd "$build/zip" && zip -q -r -X "$root/dist/$name.zip" "$name")
    python3 "$root/scripts/windows_wheel.py" "$root/python" "$tree" "$root/dist" >/dev/null
    ls -l "$root/dist/$name.zip" "$root"/dist/*win_amd64.whl >&2
}

# ---- tests ----

# These examine the build of this machine's compiler, run programs without Wine, or want NVIDIA's libraries.
left_out="oclgrind|cuda|_gpu$|^device_api$|^registration$|^configuration$|^faults_complete$|^no_matrices$|^ran_table$"

# Programs that were built, by Wine with PoCL. The tests' caches are those of the build.
test_pocl() { # arguments of ctest...
    . "$root/scripts/packages.sh"
    wine_begin
    (cd "$build" && ctest --output-on-failure -j "$(packages_cores)" -E "$left_out" "$@")
}

# A program of another project against the unpacked zip, found by CMake and by pkg-config, with the DLLs next to it.
try_zip() {
    fresh=$build/fresh
    rm -rf "$fresh"
    mkdir -p "$fresh/program"
    unzip -q "$root"/dist/clsolve-*-windows-x86_64.zip -d "$fresh"
    tree=$(echo "$fresh"/clsolve-*)
    cp "$root/examples/solve_small.c" "$fresh/program/"
    cat >"$fresh/program/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.22)
project(program LANGUAGES C)
find_package(clsolve REQUIRED)
add_executable(program solve_small.c)
target_link_libraries(program PRIVATE clsolve::clsolve)
EOF
    cmake -S "$fresh/program" -B "$fresh/build" -G Ninja -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$cc -DCMAKE_RC_COMPILER=$triple-windres \
        -DCMAKE_PREFIX_PATH="$tree" >/dev/null
    cmake --build "$fresh/build" >/dev/null
    flags=$(PKG_CONFIG_LIBDIR=$tree/lib/pkgconfig pkg-config --cflags --libs clsolve)
    # shellcheck disable=SC2086 # flags are words
    $cc "$root/examples/solve_small.c" $flags -o "$fresh/small.exe"
    (
        wine_begin
        WINEPATH=$(path_of "$tree/bin")
        export WINEPATH
        for program in "$fresh/build/program.exe" "$fresh/small.exe"; do
            "$wine" "$program" >"$fresh/out" 2>&1 </dev/null || true
            grep -q 'x = 1.000 2.000 3.000' "$fresh/out" || { say "$program:"; cat "$fresh/out" >&2; exit 1; }
        done
    ) || return 1
    say "the zip: a program by CMake, one by pkg-config"
}

# Intel's runtime for CPUs, of the Python index: a second OpenCL, by its own loader.
intel=$build/intel
install_intel() {
    [ ! -e "$intel/complete" ] || return 0
    rm -rf "$intel"
    mkdir -p "$intel/wheels"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --platform win_amd64 --dest "$intel/wheels" \
        intel-opencl-rt tbb==2023.2.0 tcmlib
    for wheel in "$intel"/wheels/*.whl; do unzip -q -o "$wheel" -d "$intel/tree"; done
    mkdir -p "$intel/bin" # one folder for the files of all three, as pip makes it
    cp -r "$intel"/tree/*.data/data/Library/bin/. "$intel/bin/"
    rm -rf "$intel/tree" "$intel/wheels"
    : >"$intel/complete"
}

# The examples, a listing and a solve by the command: the smoke test.
test_intel() {
    install_intel
    bin=$intel/bin
    [ -e "$bin/intelocl64.dll" ] && [ -e "$bin/OpenCL.dll" ] || { say "the wheels have no intelocl64.dll or no OpenCL.dll"; return 1; }
    cp "$build/clsolve.exe" "$build/clsolve.dll" "$deps/bin/libscipy_openblas.dll" "$build"/examples/*.exe "$bin/"
    WINEPREFIX=$intel/wine
    WINEDLLOVERRIDES=opencl=n
    WINEPATH=$(path_of "$bin")
    export WINEPREFIX WINEDLLOVERRIDES WINEPATH
    wine_begin
    "$wine" reg add 'HKLM\Software\Khronos\OpenCL\Vendors' /v "$(path_of "$bin/intelocl64.dll")" /t REG_DWORD /d 0 /f >/dev/null 2>&1 </dev/null
    "$wine" "$bin/clsolve.exe" devices >"$intel/out" 2>&1 </dev/null || true
    grep -q Intel "$intel/out" || { say "no device of Intel's:"; cat "$intel/out" >&2; return 1; }
    "$wine" "$bin/solve_small.exe" >"$intel/out" 2>&1 </dev/null
    grep -q 'x = 1.000 2.000 3.000' "$intel/out" || { cat "$intel/out" >&2; return 1; }
    "$wine" "$bin/clsolve.exe" generate random --n 300 -o "$intel/a.mtx" >/dev/null 2>&1 </dev/null
    CLSOLVE_HOST=never # its kernels are to be compiled
    export CLSOLVE_HOST
    for method in lu gauss-jordan sparse-lu; do
        "$wine" "$bin/clsolve.exe" solve "$intel/a.mtx" --method $method >"$intel/out" 2>&1 </dev/null || true
        grep -q '^status *success' "$intel/out" || { cat "$intel/out" >&2; return 1; }
    done
    say "Intel's runtime: a device, an example, a system of order 300 by three methods"
}

# What the default tests have of this: all that is installed and the layer below it, built and run once each.
smoke() {
    configure -DCLSOLVE_BUILD_TESTS=ON
    # shellcheck disable=SC2086 # targets are words
    {
        cmake --build "$build" --target $targets test_system test_environment solve_small solve_sparse &&
            DESTDIR=$build/smoke cmake --install "$build" --prefix /tree
    } >"$build/smoke.log" 2>&1 || { tail -n 30 "$build/smoke.log" >&2; exit 1; }
    rm -rf "$build/smoke"
    (test_pocl -R '^(test_system|test_environment|example_solve_small|example_solve_sparse)$')
}

case ${1-} in
'') make_zip ;;
install) install_all ;;
test)
    shift
    [ "${1-}" != -- ] || shift
    make_zip -DCLSOLVE_BUILD_TESTS=ON
    try_zip
    cmake --build "$build"
    (test_pocl "$@")
    (test_intel)
    ;;
smoke)
    [ -n "$wine" ] && command -v $cc >/dev/null && [ -e "$deps/complete" ] || { say "no mingw-w64, Wine or dependencies here"; exit 77; }
    smoke
    ;;
run)
    shift
    [ $# -gt 0 ] || usage "run wants a program"
    run_by_wine "$@"
    ;;
*) usage "$1 is unknown" ;;
esac

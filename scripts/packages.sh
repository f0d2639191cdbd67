# shellcheck shell=sh disable=SC2086 # lists of package names are split on purpose
# packages.sh: what libclsolve is built and tested with, as Debian and Ubuntu name it, and how it gets installed.
# Sourced by the scripts beside it; works in any POSIX shell.
#
#   packages_install quickstart|test|site|wheel|windows   installs what is missing. Where it cannot (another system, no right to), it
#                                           names what is wanted and goes on: the tools may be there under other names.
#   packages_generator FOLDER               prints the option that chooses cmake's generator there

# To build and run the library and its command. PoCL is the OpenCL device that needs no hardware.
packages_build="gcc libc6-dev make ninja-build cmake pkg-config
    ocl-icd-opencl-dev opencl-headers libclblast-dev libopenblas-dev liblapacke-dev libxxhash-dev libjansson-dev libpopt-dev
    libsuitesparse-dev libmetis-dev liblzma-dev
    pocl-opencl-icd"

# To test it too. bsdutils has `script`, which gives a command a terminal; oclgrind and Mesa are OpenCL implementations
# beside PoCL. The packages of the second line are for LAPACK's names (tests/lapack) and the Python package.
packages_test="git g++ binutils abigail-tools libcmocka-dev clang clang-format bsdutils oclgrind mesa-opencl-icd
    liblapack-test python3 python3-numpy python3-scipy python3-pytest python3-hypothesis"

# To build wheels of the Python package (scripts/wheel.sh), and to install it in an environment.
packages_wheel="git python3 python3-venv"

# To build for Windows and to try that (scripts/windows.sh): 300 MB to download. The tests build what is for Windows where
# these are there already.
packages_windows="gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix wine64 wine dpkg-dev cmake ninja-build opencl-c-headers
    libxxhash-dev pocl-opencl-icd pkg-config python3 python3-pip zip unzip xz-utils"

# To build the documentation site (scripts/site.sh), 17 MB to download; the tests build it too where it is there.
packages_site="python3 python3-numpy doxygen python3-sphinx python3-breathe python3-myst-parser furo"

# Good to have for the tests, never a reason to stop: AMD's and Intel's compilers, for kernels of GPUs that are not here
# (tests/vendors). libclc, which clang needs there, comes with Mesa's driver: of its versions only one can be installed,
# and libclc-19 would put Mesa's driver out.
packages_compilers="clang-19 llvm-19 intel-opencl-icd intel-ocloc"

# Good to have too: PETSc with Open MPI, hypre and MUMPS, its examples and its Python package, for the plug-in (petsc/).
# Beside the packages above they fetch 74 MB and take 340 MB.
packages_petsc="petsc-dev python3-petsc4py libpetsc3.18-dev-examples"

packages_say() { echo "packages: $*" >&2; }

# folder: the option of cmake for a folder that has no build yet. Ninja spends less time between the compilers' runs than make.
packages_generator() {
    [ -e "$1/CMakeCache.txt" ] || ! command -v ninja >/dev/null || echo "-G Ninja"
}

packages_missing() { # names...: those that are not installed
    for package in "$@"; do
        dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$' || printf '%s ' "$package"
    done
}

# clang's runtime (its sanitizers) carries clang's major version in its name, and older releases have none of its own.
packages_clang_runtime() {
    major=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9][0-9]*\)$/\1/p' | head -n 1)
    [ -n "$major" ] && packages_known "libclang-rt-$major-dev" && echo "libclang-rt-$major-dev"
}

packages_known() { # name: apt has a version of it to install
    apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

# Ubuntu keeps most of this in universe, which some images leave out.
packages_enable_universe() {
    grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null || return 0
    packages_known libclblast-dev && return 0
    packages_say "enabling Ubuntu's universe"
    $packages_root apt-get install -y --no-install-recommends software-properties-common &&
        $packages_root add-apt-repository -y universe && $packages_root apt-get update
}

# The compilers and the parts of PETSc that are missing and that apt has.
packages_compilers_missing() {
    for package in $(packages_missing $packages_compilers $packages_petsc); do
        if packages_known "$package"; then printf '%s ' "$package"; fi
    done
}

packages_install() {
    wanted=$packages_build
    compilers=
    [ "$1" = test ] && wanted="$wanted $packages_test"
    [ "$1" = site ] && wanted="$wanted $packages_site"
    [ "$1" = windows ] && wanted=$packages_windows
    [ "$1" = wheel ] && wanted="$wanted $packages_wheel"

    if ! command -v dpkg >/dev/null || ! command -v apt-get >/dev/null; then
        packages_say "no apt-get here; wanted, under Debian's names:" $wanted
        return 0
    fi
    missing=$(packages_missing $wanted)
    [ "$1" = test ] && compilers=$(packages_compilers_missing)
    [ -n "$missing$compilers" ] || return 0

    packages_root=
    if [ "$(id -u)" -ne 0 ]; then
        packages_root="sudo -n"
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
            if command -v sudo >/dev/null && [ -t 0 ]; then
                packages_root=sudo # it may ask for a password
            else
                packages_say "not root and no sudo; as root: apt-get install $missing$compilers"
                return 0
            fi
        fi
    fi

    packages_say "installing $missing$compilers"
    packages_root="$packages_root env DEBIAN_FRONTEND=noninteractive"
    $packages_root apt-get update >&2 || packages_say "apt-get update failed, trying with the lists that are there"
    packages_enable_universe >&2
    if [ -n "$missing" ] && ! $packages_root apt-get install -y --no-install-recommends $missing >&2 </dev/null; then
        packages_say "could not install all of: $missing"
        return 0
    fi

    # Good to have, never a reason to stop: a sanitizer's runtime, what draws the bench's tables, arrays on devices for the
    # tests of the Python package, gfortran for the module for Fortran, the shells and formatters that read the command's completions and man pages, what builds
    # the documentation site, and the compilers.
    if [ "$1" = test ]; then
        for package in $(packages_clang_runtime) gnuplot-nox python3-pyopencl groff-base mandoc zsh fish $packages_site \
            gfortran $(packages_compilers_missing); do
            [ -n "$(packages_missing "$package")" ] || continue
            $packages_root apt-get install -y --no-install-recommends "$package" >&2 </dev/null ||
                packages_say "without $package"
        done
    fi
    return 0
}

packages_cores() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1; }

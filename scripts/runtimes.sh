#!/bin/sh
# runtimes.sh: the tests on OpenCL implementations that the system's packages do not bring, without installing any of them.
#
#   scripts/runtimes.sh install [NAME...]      gets them into build/runtimes (1.9 GB for all)
#   scripts/runtimes.sh test [--quick] [NAME...] [-- arguments of ctest]
#                                              runs the tests of build/ on each; --quick: a few of each room
#   scripts/runtimes.sh run NAME COMMAND...    runs a command on one
#
#   intel    Intel's runtime for CPUs, by pip from the Python index (intel-opencl-rt)
#   pocl     PoCL of Debian 13          both in a tree of Debian 13 that apt fetches and dpkg unpacks; a command
#   rusticl  Mesa's rusticl of Debian 13, on llvmpipe with double precision      runs in it by chroot, so as root
#
# Without NAME all three. CLSOLVE_RUNTIMES names another folder than build/runtimes. The records of the tests are in
# FOLDER/NAME/ran, for scripts/portability.sh. Tests with _gpu in their names treat the
# device as a GPU.
#
# Exit: 0 all passed or installed, 1 some failed, 2 wrong usage, 77 none of those named is here.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$root/build
folder=${CLSOLVE_RUNTIMES:-$build/runtimes}
unset CLSOLVE_RUNTIMES # a test refuses variables that it does not know
tree=$folder/debian13
venv=$folder/intel/venv
say() { echo "runtimes: $*" >&2; }
usage() { say "$*; see --help"; exit 2; }

# ---- install ----

# libOpenCL.so of the package stays unused: the system's loader reads the .icd file.
install_intel() {
    [ -e "$venv/lib/libintelocl.so" ] || {
        rm -rf "$venv"
        python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check intel-opencl-rt intel-cmplr-lib-rt
    } || return 1
    echo "$venv/lib/libintelocl.so" >"$folder/intel/intel.icd"
}

# apt with lists and a state of its own, in which nothing is installed: so it fetches all that the tree needs.
install_debian13() {
    [ ! -e "$tree/complete" ] || return 0
    key=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -r "$key" ] || { say "no $key: Debian 13 can be fetched on a Debian alone"; return 1; }
    apt=$folder/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/state" "$tree"
    : >"$apt/status"
    echo "deb [signed-by=$key] http://deb.debian.org/debian trixie main" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<EOF
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::State "$apt/state";
Dir::State::Lists "$apt/lists";
Dir::State::Status "$apt/status";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
EOF
    APT_CONFIG=$apt/apt.conf apt-get -qq update >&2 || return 1
    APT_CONFIG=$apt/apt.conf apt-get -qq install -y --download-only --no-install-recommends \
        pocl-opencl-icd mesa-opencl-icd ocl-icd-libopencl1 libclblast1 libopenblas0-pthread liblapacke libjansson4 libpopt0 libklu1 libamd2 libmetis5 \
        libxxhash0 libcmocka0 libtmglib3 cmake bash dash coreutils findutils sed gawk grep diffutils procps >&2 || return 1
    for package in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$package" "$tree" || return 1; done
    ln -sf gawk "$tree/usr/bin/awk"
    rm -rf "$apt"
    : >"$tree/complete"
}

install_one() {
    mkdir -p "$folder/$1"
    case $1 in
    intel) install_intel ;;
    *) install_debian13 ;;
    esac
}

# ---- run ----

is_here() { # NAME; says why not
    case $1 in
    intel) [ -e "$folder/intel/intel.icd" ] || { say "$1 is not here: scripts/runtimes.sh install $1"; return 1; } ;;
    *)
        [ -e "$tree/complete" ] || { say "$1 is not here: scripts/runtimes.sh install $1"; return 1; }
        if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
            say "$1 wants root, for a chroot"
            return 1
        fi
        ;;
    esac
}

# What is mounted is seen by the command alone.
in_tree() {
    for place in "$root" "$build" "$folder"; do mkdir -p "$tree$place"; done
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare -m sh -c 'tree=$1 root=$2
        for place in /proc /sys /dev /tmp "$root"; do mount --rbind "$place" "$tree$place" || exit 1; done
        shared=$(dirname "$root")/shared
        [ ! -d "$shared" ] || { mkdir -p "$tree$shared" && mount --bind "$shared" "$tree$shared"; }
        shift 2
        exec chroot "$tree" /usr/bin/env PATH=/usr/bin:/bin LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/openblas-pthread "$@"' _ "$tree" "$root" "$@"
}

run_on() { # NAME COMMAND...
    name=$1
    shift
    export XDG_CACHE_HOME="$folder/$name/cache" POCL_CACHE_DIR="$folder/$name/pocl-cache"
    mkdir -p "$XDG_CACHE_HOME" "$POCL_CACHE_DIR"
    case $name in
    intel) OCL_ICD_VENDORS=$folder/intel/intel.icd CLSOLVE_TEST_DEVICE=Intel "$@" ;;
    pocl) OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd CLSOLVE_TEST_DEVICE=Portable in_tree "$@" ;;
    rusticl)
        OCL_ICD_VENDORS=/etc/OpenCL/vendors/rusticl.icd RUSTICL_ENABLE=llvmpipe RUSTICL_FEATURES=fp64 \
            CLSOLVE_TEST_DEVICE=rusticl in_tree "$@"
        ;;
    esac
}

# ---- test ----

# One or two programs a room, each with all its functions; single kernels in all their shapes.
quick='^(device_(buffers|transfers|rects|launch|program_cache|sub_groups|sub_groups_gpu)|blas_products_clblast|kernels_small|test_lu_(equilibrate_native_no_fp64|selftest_gpu|tiny_native)|test_band_(small|contract_native_no_fp64|narrow)|test_gj_contract|test_block_gs_(small|contract)|test_tridiagonal_contract)$'
without='^(pinned|io|order|schedule|style|install|abi|base|cuda|bench|soak|large)$'

# What ends the process within an implementation's compiler (docs/quirks.md).
crashes() {
    case $1 in
    pocl) echo '^test_block_gs$' ;;
    rusticl) echo '^(test_lu_selftest.*|test_block_gs_small|kernels_small)$' ;;
    *) echo '^$' ;;
    esac
}

# ctest keeps its log in the folder it runs in, so each implementation has one of its own.
test_on() { # NAME, arguments of ctest...
    name=$1
    shift
    work=$folder/$name/ctest
    mkdir -p "$work"
    (cd "$build" && find . -name CTestTestfile.cmake ! -path './gpu/*' ! -path './runtimes/*' -exec cp --parents {} "$work" \;)
    CLSOLVE_TEST_RECORDS=$folder/$name/ran CLSOLVE_TEST_FAULT_CALLS=12 OPENBLAS_NUM_THREADS=1 \
        run_on "$name" ctest --test-dir "$work" -LE "$without" -E "$(crashes "$name")" --output-on-failure "$@"
}

[ $# -gt 0 ] || usage "what is to be done?"
what=$1
shift
case $what in
--help) sed -n '2,/^set -u/{s/^# \{0,1\}//;/^set -u/!p;}' "$0"; exit 0 ;;
run)
    [ $# -gt 1 ] || usage "run wants a name and a command"
    is_here "$1" || exit 77
    run_on "$@"
    exit
    ;;
install | test) ;;
*) usage "there is no $what" ;;
esac

names=
is_quick=
while [ $# -gt 0 ]; do
    case $1 in
    intel | pocl | rusticl) names="$names $1" ;;
    --quick) is_quick=1 ;;
    --) shift; break ;;
    *) usage "there is no implementation $1" ;;
    esac
    shift
done
status=77
for name in ${names:-intel pocl rusticl}; do
    if [ "$what" = install ]; then
        if install_one "$name"; then [ $status = 1 ] || status=0; else say "$name could not be installed"; status=1; fi
        continue
    fi
    is_here "$name" || continue
    echo "== $name =="
    [ -z "$is_quick" ] || set -- -R "$quick" "$@"
    is_quick=
    if test_on "$name" "$@"; then [ $status = 1 ] || status=0; else status=1; fi
done
exit $status

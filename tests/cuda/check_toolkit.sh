#!/bin/sh
# check_toolkit.sh CMAKE SOURCE: which toolkit -DCLSOLVE_CUDA and -DCLSOLVE_CUDA_ROOT take, on toolkits that are made up.
set -eu
cmake=$1
source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset CUDA_PATH CUDA_HOME

for toolkit in one two; do
    mkdir -p "$folder/$toolkit/include"
    echo '#define CUDA_VERSION 12040' >"$folder/$toolkit/include/cuda.h"
    : >"$folder/$toolkit/include/nvrtc.h"
    : >"$folder/$toolkit/include/cublas_v2.h"
done

# configure BUILD OPTION...: what it says goes to $folder/said
configure() {
    build=$1
    shift
    "$cmake" -S "$source" -B "$folder/$build" "$@" >"$folder/said" 2>&1
}

fail() {
    echo "$1" >&2
    cat "$folder/said" >&2
    exit 1
}

says() {
    tr -s ' \n' ' ' <"$folder/said" | grep -qF "$1" || fail "expected: $1"
}

! configure none -DCLSOLVE_CUDA=ON -DCLSOLVE_CUDA_ROOT=/nonexistent || fail "a root without a toolkit was taken"
says "not found below CLSOLVE_CUDA_ROOT=/nonexistent"
says "name its folder in -DCLSOLVE_CUDA_ROOT"
configure auto -DCLSOLVE_CUDA=AUTO -DCLSOLVE_CUDA_ROOT=/nonexistent || fail "AUTO does without"
says "toolkit: OFF"

configure build -DCLSOLVE_CUDA=ON "-DCLSOLVE_CUDA_ROOT=$folder/one" || fail "the root was not found"
says "toolkit: ON $folder/one/include"
configure build "-DCLSOLVE_CUDA_ROOT=$folder/two" || fail "the other root was not found"
says "toolkit: ON $folder/two/include"
configure build || fail "the same root once more"
says "toolkit: ON $folder/two/include"
! configure build -DCLSOLVE_CUDA_ROOT=/nonexistent || fail "the toolkit of the root before was taken"
configure build "-DCLSOLVE_CUDA_ROOT=$folder/one" || fail "back again"
says "toolkit: ON $folder/one/include"

CUDA_PATH=$folder/two configure environment -DCLSOLVE_CUDA=ON || fail "CUDA_PATH was not looked in"
says "toolkit: ON $folder/two/include"

! configure banana -DCLSOLVE_CUDA=banana || fail "banana was taken"
says "give ON, OFF or AUTO"
configure off -DCLSOLVE_CUDA=off || fail "off is OFF"
says "toolkit: OFF"

#!/bin/sh
# exports.sh SHIM: LAPACK's names alone are exported, and a process that makes no large call loads nothing of OpenCL.
. "$(dirname "$0")/common.sh"
command -v nm >/dev/null && command -v objdump >/dev/null || skip "no nm here (on Debian: apt-get install binutils)"

names=$(nm -D --defined-only "$shim" | awk '{print $NF}' | sed 's/@.*//')
for name in $names; do
    case $name in
    ilaver_ | ilaver_64_ | sdot_ | sdot_64_ | [cz]dotc_ | [cz]dotc_64_) ;;
    *) echo "$name" | grep -Eq '^(scipy_)?(zcgesv|dsgesv|[sdcz](getrf2?|getrs|getri|gesvx?|gecon|gerfs|potrf|potrs|potri|posv|pocon|sy(trf|trs|tri|sv|con)(_rook)?)|[cz]he(trf|trs|tri|sv|con)(_rook)?|[sd](gbtrf|gbtrs|gbcon|gbsv))(_64|64)?_$' ||
        fail "exports $name" ;;
    esac
done
for name in sgetrf_ dgetrf_64_ dgesv64_ scipy_dgesv_ scipy_sgesv_64_ dsgesv_ dgbsv_ dpotrf_ dpotrf_64_ spocon_ zgetrf_ scipy_cgesv_64_ zgesvx_64_ zcgesv_ cpotrf_ scipy_zposv_64_ dsytrf_ dsytrf_rook_ zhesv_ zhesv_rook_ scipy_ssycon_rook_64_; do
    echo "$names" | grep -qx "$name" || fail "does not export $name"
done

needed=$(objdump -p "$shim" | awk '/NEEDED/ { print $2 }' | grep -Ev '^lib(c|m|asan|ubsan|tsan|gcc_s)\.so|^ld-linux')
[ -z "$needed" ] || fail "needs $needed before any call"
finish

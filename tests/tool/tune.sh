# tune.sh: the search for the matrix product's parameters: what is refused, and one short run.
. "$(dirname "$0")/common.sh"

error 2 "--precision 'half' is unknown; use double or single$" tune --precision half
error 2 "--budget '0' is not a whole number" tune --budget 0
error 2 "--budget '1.5' is not a whole number" tune --budget 1.5
error 2 "--budget '3601' is more than an hour" tune --budget 3601
error 2 "unexpected operand 'A.mtx'" tune A.mtx
error 3 '' tune --json /nonexistent/report.json
run 2 tune --precision half --json bad.json
json bad.json status=ERROR_USAGE exit_code=2 message:string device:null precision:null tried:null best:array updates:array updates_skipped:null file:null

need_device
error 6 "clsolve devices' lists" tune --device no-such-device-anywhere
case ${CLSOLVE_TEST_DEVICE-} in
cuda*)
    error 6 'cuBLAS multiplies there, and there is nothing to tune$' tune --device "$CLSOLVE_TEST_DEVICE"
    finish
    exit
    ;;
esac
# PoCL's own cache stays where it is for all tests: what CLBlast compiles takes long.
POCL_CACHE_DIR=${POCL_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/pocl/kcache}
export POCL_CACHE_DIR
# A folder that cannot be written in is told before anything is measured.
mkdir "$work/blocked"
echo 'no folder' >"$work/blocked/clsolve"
XDG_CACHE_HOME=$work/blocked
export XDG_CACHE_HOME
error 3 'the tuning record cannot be stored: cannot write in .*/blocked/clsolve: ' tune --device "${CLSOLVE_TEST_DEVICE:-opencl}"
run 3 tune --device "${CLSOLVE_TEST_DEVICE:-opencl}" --precision single --json file.json
json file.json status=ERROR_FILE exit_code=3 device:string precision=single tried:null file:null

# A short run, in a cache of its own; CLBlast's first use takes most of it. On a busy machine one
# second is not enough for the first kinds of update, and matrices and ranks are smaller.
XDG_CACHE_HOME=$work/cache
for budget in 1 10 60; do
    run 0 tune --device "${CLSOLVE_TEST_DEVICE:-opencl}" --precision single --budget $budget --json r.json
    [ ! -s err ] || fail "tune writes to stderr"
    skipped=$(sed -n 's/.*"updates_skipped": *\([0-9]*\).*/\1/p' r.json)
    [ "${skipped:-16}" -gt 12 ] || break
done
has out '^search +[0-9]+ candidates in '
has out '^  A B +[0-9]+ x +[0-9]+ +(128|256|512) '
stored=$(sed -n 's/^stored *//p' out)
[ -f "$stored" ] || fail "no file '$stored'"
[ "$(find "$work/cache" -name 'product-*.json')" = "$stored" ] || fail "not one tuning record in the cache"
json r.json status=OK exit_code=0 device:string driver:string precision=single tried:integer timed:integer wrong=0 \
    refused:integer search_seconds:number clblast_seconds:number seconds:number best.0.parameters:string \
    best.0.gflops:number updates.0.product:string updates.3.k:integer updates.3.own:number updates.3.clblast:number \
    updates.3.used:boolean updates_skipped:integer "file=$stored"
# The budget may have had no time for all of them: then it is said how many.
if [ "$skipped" -gt 0 ]; then
    has out "^$skipped of 16 kinds not compared, for the budget was over"
else
    has out "A' B' +[0-9]+ x +[0-9]+ +(128|256|512) "
fi
run 0 devices --verbose
has out '^  product +single: '
# A damaged tuning record is told.
echo nonsense >"$stored"
run 0 devices --verbose
has out 'the stored tuning record is damaged and not used'
finish

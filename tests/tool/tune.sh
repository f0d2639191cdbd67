# tune.sh: what is fitted to a device: what is refused, a short run, going on after an interruption, and the shared text.
# With CLSOLVE_TEST_REDUCED=1 in single precision alone, and without the run that has time for all kinds of updates.
. "$(dirname "$0")/common.sh"

error 2 "--precision 'half' is unknown; use double or single$" tune --precision half
error 2 "--budget '0' is not a whole number" tune --budget 0
error 2 "--budget '1.5' is not a whole number" tune --budget 1.5
error 2 "--budget '3601' is more than an hour" tune --budget 3601
error 2 "unexpected operand 'A.mtx'" tune A.mtx
error 2 '--share prints what is stored, and --dry-run stores nothing$' tune --share --dry-run
run 2 tune --share --json -
has err 'tune: --share and --json - are both standard output$'
error 3 '' tune --json /nonexistent/report.json
run 2 tune --precision half --json bad.json
json bad.json status=ERROR_USAGE exit_code=2 message:string device:null selector:null tuned:array

need_device
error 6 "clsolve devices' lists" tune --device no-such-device-anywhere
case ${CLSOLVE_TEST_DEVICE-} in
cuda*) # products are cuBLAS's, which is said and is no failure; there is nothing to share
    XDG_CACHE_HOME=$work/cache
    export XDG_CACHE_HOME
    run 0 tune --device "$CLSOLVE_TEST_DEVICE" --precision single --budget 2 --json r.json
    has out '^product .*cuBLAS multiplies there, and there is nothing to tune$'
    json r.json status=OK tuned.0.product:null tuned.0.product_message:string
    error 6 'cuBLAS multiplies there, and there is nothing to tune$' tune --device "$CLSOLVE_TEST_DEVICE" --share
    finish
    exit
    ;;
esac
error 6 'the host alone: OpenBLAS multiplies there, and there is nothing to tune$' tune --device host
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
json file.json status=ERROR_FILE exit_code=3 device:string tuned.0.precision=single tuned.0.product:null

# A short run, in a cache of its own; CLBlast's first use takes most of it. On a busy machine there is time for the
# products without transposition alone, and matrices and ranks are smaller.
XDG_CACHE_HOME=$work/cache
device=${CLSOLVE_TEST_DEVICE:-opencl}
run 0 tune --device "$device" --precision single --budget 1 --json r.json
[ ! -s err ] || fail "tune writes to stderr"
skipped=$(sed -n 's/.*"updates_skipped": *\([0-9]*\).*/\1/p' r.json)
has out '^search +[0-9]+ candidates in '
has out '^  A B +[0-9]+ x +[0-9]+ +(128|256|512) '
product=$(sed -n 's/^stored *//p' out)
[ -f "$product" ] || fail "no file '$product'"
[ "$(find "$work/cache" -name 'product-*.json')" = "$product" ] || fail "not one tuning record of the product in the cache"
json r.json status=OK exit_code=0 device:string driver:string tuned.0.precision=single tuned.0.product.tried:integer \
    tuned.0.product.timed:integer tuned.0.product.wrong=0 tuned.0.product.refused:integer \
    tuned.0.product.search_seconds:number tuned.0.product.clblast_seconds:number tuned.0.product.seconds:number \
    tuned.0.product.best.0.parameters:string tuned.0.product.best.0.gflops:number \
    tuned.0.product.updates.0.product:string tuned.0.product.updates.3.k:integer \
    tuned.0.product.updates.3.own:number tuned.0.product.updates.3.clblast:number \
    tuned.0.product.updates.3.used:boolean tuned.0.product.updates_skipped:integer \
    tuned.0.product.resumed=false "tuned.0.product.file=$product" tuned.0.product_message:null
# The budget may have had no time for all of them: then it is said how many.
if [ "$skipped" -gt 0 ]; then
    has out "^$skipped of 16 kinds not compared, for the budget was over"
else
    has out "A' B' +[0-9]+ x +[0-9]+ +(128|256|512) "
fi
run 0 devices --verbose
has out '^  product +single: '
# The next run goes on, or finds nothing left; --dry-run and --again begin anew.
run 0 tune --device "$device" --precision single --budget 1 --json r.json
json r.json tuned.0.product.resumed=true tuned.0.product.tried=0
run 0 tune --device "$device" --precision single --budget 1 --dry-run --json r.json
json r.json tuned.0.product.resumed=false tuned.0.product.file:null
# One text for the table of known devices: no file, no folder; of one precision where one is asked for, and a warning
# where not all of it was measured.
double=
if [ "${CLSOLVE_TEST_REDUCED-0}" -eq 0 ] && call tune --device "$device" --precision double --budget 1 >out 2>err; then double=yes; fi
run 0 tune --device "$device" --precision single --budget 1 --share --json r.json
if grep -Eq '"updates_skipped": [1-9]' r.json; then
    has err '^clsolve: warning: not all was measured in the time'
else
    lacks err warning
fi
lacks out ', F64, |^ [*] double:'
has out ', F32, '
has out '^/[*] clsolve [0-9.]+ on '
has out '^ [*] Driver: '
has out '^CLS_KNOWN_PRODUCT'
lacks out "$work"
lacks out '^(device|stored|search) '
if [ -n "$double" ]; then
    run 0 tune --device "$device" --precision double --budget 1 --share
    has out ', F64, '
    lacks out ', F32, |^ [*] single:'
fi
# A run that is ended keeps what it has measured.
rm -rf "$work/cache"
"$clsolve" tune --device "$device" --precision single --budget 20 >ended 2>&1 &
running=$!
for _ in $(seq 1200); do
    [ -z "$(find "$work/cache" -name 'product-*.json' 2>/dev/null)" ] || break
    sleep 0.1
done
kill -s TERM "$running" 2>/dev/null
wait "$running"
budget=8
[ "${CLSOLVE_TEST_REDUCED-0}" -eq 0 ] || budget=1
run 0 tune --device "$device" --precision single --budget $budget --json r.json
json r.json tuned.0.product.resumed=true
# Kinds of updates are left out for want of time alone: there is less left than one more transposition takes.
[ $budget -eq 1 ] || awk '/"(search|clblast)_seconds"/ { other += $2 }
     /^        "seconds"/ { total += $2; if (!whole) whole = $2 }
     /"clblast":/ { kinds++ }
     /"updates_skipped"/ { skipped = $2 + 0 }
     END { pace = kinds > 0 ? 4 * (whole - other) / kinds : 0; exit skipped > 0 && total + pace < 7.5 }' r.json ||
    fail "time is left, and kinds of updates were not compared"
# A damaged tuning record is told.
echo nonsense >"$product"
run 0 devices --verbose
has out '^  product +single: .*the stored tuning record is damaged and not used'
finish

# warm.sh: what is refused, and that a later process finds every program in the cache.
. "$(dirname "$0")/common.sh"

error 2 "unexpected operand 'A.mtx'" warm A.mtx
error 6 "nothing to compile" warm --device host
error 2 "give K/COUNT" warm --part 3/2
error 2 "give K/COUNT" warm --part 1/2x
need_device
error 6 "clsolve devices' lists" warm --device no-such-device-anywhere

# PoCL keeps programs itself, here in a folder where no other test adds some.
POCL_CACHE_DIR=$work/pocl
export POCL_CACHE_DIR
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
device=${CLSOLVE_TEST_DEVICE:-opencl}

# Nothing is compiled that cannot be kept.
printf x >file
XDG_CACHE_HOME=$work/file
error 3 "cannot be stored" warm --device "$device"
XDG_CACHE_HOME=$work/open
mkdir -p open/clsolve && chmod 777 open/clsolve
error 3 "cannot be stored" warm --device "$device"
[ -z "$(ls open/clsolve)" ] || fail "warm leaves files in a folder that others may write to"
XDG_CACHE_HOME=$work/cache
# Numbers that the library keeps there too are small files.
programs() { { find "$work/cache/clsolve" -size +2k; find "$POCL_CACHE_DIR" -name program.bc; } | wc -l; }

# Grids in single are for --all, and so is what handles on the host's own cores leave to LAPACK.
run 0 warm --device "$device"
has out '(grid|lines)(, sparse)?; (single|double)$'
fewer=$(programs)

# The parts that several processes do are the whole, and print nothing; here one after the other, because PoCL's cache
# is not for processes that fill it at once.
run 0 warm --device "$device" --all --part 1/2
run 0 warm --device "$device" --all --part 2/2
[ ! -s out ] || fail "a part of warm prints"
parts=$(programs)
run 0 warm --device "$device" --all --processes 1
has out 'kernels ready by 1 processes, '
run 0 warm --device "$device" --all
has out 'kernels ready( by [0-9]+ processes)?, [0-9.]+ s$' # a step that takes long on a busy machine starts processes
has out '^  lu, mixed, cholesky, ldl, symmetric, inverse, band, band-cholesky, grid, lines(, sparse)?; '
[ "$(wc -l <out)" -eq 2 ] || fail "warm prints more than two lines"
[ ! -s err ] || fail "warm writes to stderr where that is no terminal"
before=$(programs)
[ "$before" -eq "$parts" ] || fail "$parts programs after the parts of warm, $before after all of it"
[ "$before" -gt "$fewer" ] || fail "$before programs after warm --all, $fewer after warm"
[ "$before" -gt 5 ] || fail "warm leaves $before programs in the cache"

run 0 generate hemodynamics-1 --lines 127 --line-length 127 -o grid.mtx
run 0 solve --device "$device" grid.mtx --method block-gs
run 0 generate random --n 1000 -o dense.mtx
run 0 solve --device "$device" dense.mtx --method lu
run 0 generate poisson --n 961 -o spd.mtx
run 0 solve --device "$device" spd.mtx --method cholesky
run 0 invert --device "$device" dense.mtx
[ "$(programs)" -eq "$before" ] || fail "$(programs) programs after warm and other commands, $before after warm alone"

# Another grid wants what is not there: so the check above can fail.
run 0 generate hemodynamics-1 --lines 3 --line-length 5 -o small.mtx
run 0 solve --device "$device" small.mtx --method block-gs
[ "$(programs)" -gt "$before" ] || fail "no program was compiled for a grid of 3 lines"
finish

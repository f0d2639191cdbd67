# devices.sh: the list of devices, and its absence.
. "$(dirname "$0")/common.sh"

# No driver at all: the loader is pointed at a folder without any. (Other loaders ignore the variable.)
mkdir empty
OCL_ICD_VENDORS=$work/empty "$clsolve" devices --json none.json >out 2>err
code=$?
if [ "$code" -ne 0 ]; then
    [ "$code" -eq 6 ] || fail "no driver: exit code $code, not 6"
    has err '^clsolve: devices: no OpenCL device found: no driver is installed, or none could be loaded.*; install .*pocl-opencl-icd'
    [ "$(wc -l <err)" -eq 1 ] || fail "no driver: more than one line"
    [ ! -s out ] || fail "no driver: something on stdout"
    json none.json version:string devices:array
    small_system
    OCL_ICD_VENDORS=$work/empty "$clsolve" solve A.mtx -o x.mtx --json r.json >out 2>err
    [ $? -eq 6 ] || fail "no driver: solve does not end with 6"
    # It cannot know which: a driver without the memory that it wants is not loaded either.
    has err 'no driver is installed, or none could be loaded'
    json r.json status=ERROR_NO_DEVICE exit_code=6 device:null backend:null n=3
    absent x.mtx
fi

need_device
run 0 devices
has out '^  # selector +type +name +platform +fp64 +memory +units$'
has out '^ +1 (opencl|cuda):[0-9]+ +(GPU|CPU|other) '
run 0 devices --verbose
has out '^  work-group '
mkdir d
run 0 devices --json d/devices.json
only devices.json
has out '^  # selector'
json d/devices.json version:string devices.0.selector:string devices.0.backend:string devices.0.type:string \
    devices.0.name:string devices.0.vendor:string devices.0.platform:string devices.0.version:string \
    devices.0.driver:string devices.0.compute_units:integer devices.0.clock_mhz:integer \
    devices.0.max_work_group:integer devices.0.local_memory:integer devices.0.global_memory:integer \
    devices.0.max_allocation:integer devices.0.fp64:boolean devices.0.host_memory:boolean
run 0 devices --json -
json out devices:array
[ ! -s err ] || fail "devices --json - writes to stderr"

# What keeps a device from being opened is told in the place of what it would say.
export CLSOLVE_BLAS=bogus
run 0 devices --verbose
unset CLSOLVE_BLAS
has out '^  kernels +not tried: CLSOLVE_BLAS is "bogus": give clblast, own'

# Every selector that is listed selects.
small_system
# A variable with a value that means nothing is refused before anything is solved.
export CLSOLVE_HOST=bogus
error 2 'CLSOLVE_HOST is "bogus": give never or always$' solve A.mtx
unset CLSOLVE_HOST
for selector in $(sed -n 's/^ *"selector": "\(.*\)",$/\1/p' d/devices.json); do
    run 0 solve A.mtx --device "$selector" --precision single --json r.json
    json r.json "selector=$selector" status=OK
done

# Several devices: LU takes all where they are asked for, and the report says who worked.
first=$(sed -n 's/^ *"selector": "\(.*\)",$/\1/p' d/devices.json | head -1)
run 0 generate random --n 150 -o R.mtx
for list in "$first, host" "host,$first"; do
    CLSOLVE_SHARES=1,1 run 0 solve R.mtx --method lu --device "$list" --where device --precision single --json r.json
    json r.json status=OK devices.0.share=0.5 devices.1.share=0.5 devices_used=2
done
run 0 solve A.mtx --method lu --device "$first,host" --where host --json r.json
json r.json where=host devices_used=1 devices.0.share=0 devices.1.share=1
run 0 solve A.mtx --method lu --device "$first" --where host --json r.json
json r.json where=host devices_used=0 devices.0.share=0
run 0 invert A.mtx --device "$first" --where device --precision single --json r.json
json r.json where=device devices_used=1 devices.0.share=1
run 0 invert A.mtx --device host --json r.json
json r.json where=host devices_used=1 devices.0.share=1

# Sparse factors on the device: another process has the same bits.
run 0 generate poisson-3d --n 343 -o cube.mtx
if call solve cube.mtx --device "$first" --method sparse-lu --where device -o x.mtx --json r.json >out 2>err; then
    json r.json where=device status=OK
    run 0 solve cube.mtx --device "$first" --method sparse-lu --where device -o again.mtx
    cmp x.mtx again.mtx || fail "two processes have two solutions"
else
    has err 'no kernels of sparse systems'
fi

error 2 "where 'gpu' is unknown; use auto, device or host" solve A.mtx --where gpu
error 2 'not for --method block-gs' solve A.mtx --method block-gs --where host
error 6 'before ":all" comes gpu, cpu, opencl, cuda' solve A.mtx --device nothing:all

error 6 "clsolve devices' lists" solve A.mtx --device no-such-device-anywhere
error 6 "clsolve devices' lists" solve A.mtx --device opencl:99
finish

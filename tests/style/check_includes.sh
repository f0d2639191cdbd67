#!/bin/sh
# check_includes.sh ROOT: the data goes one way, api -> method -> device, so includes point right only; and methods
# know no backend. See docs/architecture.md.
cd "$1" || exit 1
status=0
none() { # what is wrong, pattern, folders...
    what=$1
    pattern=$2
    shift 2
    if grep -rnE --include='*.c' --include='*.h' "$pattern" "$@" 2>/dev/null; then
        echo "FAILED: $what"
        status=1
    fi
}
none "the base room knows no other" '#include "(api|method|device|io|tool)/' src/base
none "the device layer knows no method and no handle" '#include "(api|method|io|tool)/' src/device
none "a method knows no handle" '#include "(api|io|tool)/' src/method
none "a method names a backend" '#include ("device/(opencl|cuda)/|[<"](CL|cuda|clblast|cublas))|(^|[^a-zA-Z_])(cl_[a-z]|CU[a-z])' src/method
none "the api names a backend" '#include ("device/(opencl|cuda)/|[<"](CL|cuda|clblast|cublas))' src/api
none "files are read and matrices reordered only for the tool" '#include "(io|order|tool)/' src/api src/method src/device src/base
none "a public header needs an internal one" '#include "' include
none "the library prints" '[^a-z_n](printf|puts|putchar|perror|abort|exit) *\(' src/api src/method src/device src/base
exit $status

#!/bin/sh
# check_includes.sh ROOT: the data goes one way, solve -> api -> method -> blas -> device, so includes point right only;
# methods know no backend, and the device layer no method. See docs/architecture.md.
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
none "what differs between systems knows nothing else" '#include "(base/[^s]|base/s[^y]|[^b]|b[^a])' src/base/system
none "the base room knows no other" '#include "(solve|order|api|method|blas|device|io|tool)/' src/base
none "the device layer knows no method and no handle" '#include "(solve|order|api|method|blas|io|tool)/' src/device
none "the device layer knows a family of solvers" '(^|[^a-zA-Z])(LU|(cls_)?(lu|band|gj|bt|gauss_jordan|block_gs))([^a-zA-Z]|$)' src/device
none "the device layer looks into its BLAS" '(->|[.])(blas->|gemm|trsm)' src/device
none "the model of the time knows no other room but base" '#include "(solve|order|api|method|blas|device|io|tool)/' src/cost
none "tuning records know no product, no method and no handle" '#include "(solve|order|api|method|blas|io|tool)/' src/tuning
none "devices and methods know no records" '#include "tuning/' src/device src/base src/cost src/order src/method
none "products know no method and no handle" '#include "(solve|order|api|method|io|tool)/' src/blas
none "a method knows no handle" '#include "(solve|order|api|io|tool)/' src/method
none "a method knows the inside of src/blas" '#include "blas/(builtin|provider|record|tune)' src/method
none "a method names a backend" '#include ("device/(opencl|cuda)/|[<"](CL|cuda|clblast|cublas))|(^|[^a-zA-Z_])(cl_[a-z]|CU[a-z])' src/method
none "a panel knows no method that has panels" '#include "method/(lu|band|gauss_jordan|block_gs)/' src/method/panel
none "bands know no dense LU but its loop" '#include "method/lu/([^f]|fa[^c]|factor_)' src/method/band
none "Gauss-Jordan knows no dense LU" '#include "method/lu/' src/method/gauss_jordan
none "columns know no method" '#include "method/(lu|band|several|cholesky)/' src/method/columns
none "the analysis of a sparse matrix and its fronts on the host know no device" \
    '#include "(device|blas|method/([^af]|f[^r]|fronts_d))' src/method/analysis src/method/fronts_host
none "the analysis of a sparse matrix knows no fronts" '#include "method/[^a]' src/method/analysis
none "fronts on the device know no sparse matrix as a whole, and none on the host" \
    '#include "method/(sparse|fronts_h)' src/method/fronts_device
none "the api names a backend" '#include ("device/(opencl|cuda)/|[<"](CL|cuda|clblast|cublas))' src/api
none "a kernel is launched with arguments counted by hand: cls_launch counts them" 'ops->launch' src/api src/method src/blas
# A direct method has a table of operations too.
none "the api speaks to the device itself" '(^|[^t])(->|\.)ops(->|\.)' src/api
none "what factorizations share knows no family" '#include "method/(lu|band|gauss_jordan|block_gs|panel)/' src/method/direct
none "orders know base alone" '#include "(solve|api|method|blas|device|io|tool)/' src/order
none "the api knows no solver above it" '#include "(solve|order)/' src/api
none "the solver stands on the public handles" '#include "(method|blas|device|io|tool)/|#include "api/([^dv]|d[^o]|v[^a])' src/solve
none "files are read only for the tool" '#include "(io|tool)/' src/api src/method src/blas src/tuning src/device src/base src/order src/solve
none "LAPACK's names stand on the public headers" '#include "([^l]|l[^a]|la[^p])' src/lapack
none "the library knows nobody above it" '#include "lapack/' src/api src/method src/blas src/tuning src/device src/base src/order src/solve src/cost src/tool
none "a public header needs an internal one" '#include "' include
none "the library prints" '[^a-z_n](printf|puts|putchar|perror|abort|exit) *\(' src/api src/method src/blas src/device src/base src/order src/solve
# The loader of Linux is what src/lapack and `clsolve run` are about.
if grep -rnE --include='*.c' --include='*.h' \
    '_WIN32|__MINGW|_MSC_VER|#include <(windows|winsock2|io|process|unistd|dlfcn|dirent|fcntl|signal|spawn|strings|sys/[a-z]+)\.h>' src include |
    grep -vE '^(src/base/system/(posix|windows)/|src/lapack/|src/tool/command_run\.c|include/clsolve/export\.h)'; then
    echo "FAILED: what differs between systems stands in src/base/system"
    status=1
fi
exit $status

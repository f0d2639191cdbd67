#!/bin/sh
# check_header_examples.sh COMPILER INCLUDE: the example at the head of a public header compiles as C11 with that header
# alone. "Example:" or "Example, given DECLARATIONS:" begins it, and its lines, indented by five columns, follow.
cc=$1
include=$2
status=0

# The examples of a header as functions with the declarations as parameters; fails where there is none.
examples() {
    awk -v header="$(basename "$1")" '
        BEGIN { printf "#include <stdio.h>\n#include <clsolve/%s>\n", header }
        /^ \* Example:/ { printf "void example%d(void) {\n", ++found; state = "code"; next }
        /^ \* Example, given / { printf "void example%d(", ++found; state = "given"; sub(/Example, given /, "") }
        state == "given" { end = sub(/:$/, ") {"); print substr($0, 4); if (end) state = "code"; next }
        state == "code" && /^ \*     / { print substr($0, 4); lines++; next }
        state == "code" && lines > 0 { print "}"; state = ""; lines = 0 }
        END { exit found == 0 }' "$1"
}

for header in "$include"/clsolve/*.h; do
    if code=$(examples "$header"); then
        echo "compiling the example of $(basename "$header")"
        printf '%s\n' "$code" | "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -Wno-unused-but-set-variable \
            -I"$include" -fsyntax-only -x c - || { echo "FAILED: the example of $header does not compile"; status=1; }
    fi
done

for name in solve sparse sparse_batch lu cholesky_batch ldl_batch band_cholesky gauss_jordan gauss_jordan_batch band band_batch block_gs tridiagonal_batch context opencl cuda tune; do
    examples "$include/clsolve/$name.h" >/dev/null || { echo "FAILED: clsolve/$name.h has no example"; status=1; }
done
exit $status

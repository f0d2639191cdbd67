#!/bin/sh
# check_msvc_headers.sh CLANG INCLUDE: the public headers are C and C++ as MSVC has them: each compiles alone for its target,
# and no call has a complex number of C among its arguments. Skipped without clang.
clang=$1
include=$2
[ -n "$clang" ] && [ -x "$clang" ] || { echo "skipped: no clang here"; exit 77; }
status=0

if grep -rnE '_Complex|<complex' "$include" | grep -vE ':[0-9]+:(/\*| \*)|, as C.s (float|double) _Complex \*/'; then
    echo "FAILED: a public header has complex numbers of C, which MSVC has not"
    status=1
fi

# MSVC's own headers are not here: clang's freestanding ones have the integers and sizes. OpenCL's is played by its types.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/CL"
for name in context command_queue mem event device_id; do echo "typedef struct _cl_$name *cl_$name;"; done >"$work/CL/cl.h"
for header in "$include"/clsolve/*.h; do
    for language in c:c11 c++:c++14; do
        printf '#include <clsolve/%s>\nint used;\n' "$(basename "$header")" |
            "$clang" --target=x86_64-pc-windows-msvc -ffreestanding -nostdlibinc -fms-compatibility -x "${language%%:*}" \
                -std="${language##*:}" -Wall -Wextra -Werror -I"$include" -isystem "$work" -fsyntax-only - ||
            { echo "FAILED: $header as ${language%%:*}"; status=1; }
    done
done
exit $status

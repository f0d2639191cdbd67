#!/bin/sh
# check_headers.sh COMPILER INCLUDE: each public header stands alone, as C11 and, where there is a compiler, as C++11.
cc=$1
include=$2
status=0
for header in "$include"/clsolve/*.h; do
    name=clsolve/$(basename "$header")
    printf "#include <%s>\ntypedef int not_empty;\n" "$name" | "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$include" -fsyntax-only -x c - ||
        { echo "FAILED: $name as C11"; status=1; }
    if command -v c++ >/dev/null; then
        printf "#include <%s>\ntypedef int not_empty;\n" "$name" | c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$include" -fsyntax-only -x c++ - ||
            { echo "FAILED: $name as C++11"; status=1; }
    fi
done
exit $status

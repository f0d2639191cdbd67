#!/bin/sh
# check_growth.sh COMPILER: a name in the place of a reserved word breaks no program that was compiled before. A field
# that moves does. A program of a small header runs with libraries of the same header and of later ones. Where abidiff
# is there, its report must say the same of sizes and offsets.
set -eu
cc=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
status=0
fail() { echo "FAILED: $*"; status=1; }

# header NAME FIELDS
header() {
    printf '#include <stdint.h>\ntypedef struct thing_options { %s } thing_options;\n' "$2" >"$1.h"
    echo 'int thing(const thing_options *options);' >>"$1.h"
}
header before 'int64_t block; double tolerance; int64_t reserved[8];'
header named 'int64_t block; double tolerance; int64_t rounds; int64_t reserved[7];'
header moved 'double tolerance; int64_t block; int64_t reserved[8];'

# The call answers 1 when it reads what the program wrote.
for name in before named moved; do
    mkdir "$name"
    {
        echo "#include \"$name.h\""
        echo 'int thing(const thing_options *o) { return o->block == 4 && o->tolerance > 0; }'
    } >"$name.c"
    "$cc" -g -gdwarf-4 -shared -fPIC -o "$name/libthing.so" "$name.c"
done
cat >program.c <<'END'
#include "before.h"
int main(void) {
    thing_options options = {.block = 4, .tolerance = 0.5};
    return thing(&options) == 1 ? 0 : 1;
}
END
"$cc" -o program program.c -Lbefore -lthing

runs() { LD_LIBRARY_PATH=$1 ./program; }
runs before || fail "the program does not run with its own library"
runs named || fail "a name for a reserved word breaks the program"
! runs moved || fail "a field that moved does not break the program"

if command -v abidiff >/dev/null; then
    for name in before named moved; do abidiff before/libthing.so "$name/libthing.so" >"$name.txt" 2>&1 || true; done
    breaks() { grep -Eq "^ *type size changed|member deletion|^ *'[^']*' offset changed" "$1.txt"; }
    ! grep -q 'sub-type change:' before.txt || fail "abidiff finds a difference where there is none"
    grep -q 'type size hasn.t changed' named.txt || fail "abidiff: another size with a name for a reserved word"
    ! breaks named || fail "abidiff: a field moved with a name for a reserved word"
    breaks moved || fail "abidiff does not see the field that moved"
else
    echo "abi: no abidiff here: the programs alone"
fi
[ "$status" -eq 0 ] || cat ./*.txt 2>/dev/null
exit $status

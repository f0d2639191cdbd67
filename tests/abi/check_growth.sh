#!/bin/sh
# check_growth.sh COMPILER INTERFACE.PY: a name in the place of a reserved word breaks no program that was compiled before.
# A field that moves does. A program of a small header runs with libraries of the same header and of later ones. Where
# abidw is there, the comparison of interfaces must name just these fields.
set -eu
cc=$1 interface=$2
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

if command -v abidw >/dev/null; then
    for name in before named moved; do
        abidw --out-file "$name.abi" "$name/libthing.so"
        python3 "$interface" --write "$name.abi" >"$name.lines"
    done
    report() { python3 "$interface" --compare before.lines "$1.lines" >"$1.txt" && echo equal || LC_ALL=C sort "$1.txt" | tr '\n' ';'; }
    expect() { [ "$(report "$1")" = "$2" ] || fail "the report of $1.h is: $(report "$1")"; }
    thing='struct thing_options'
    expect before equal
    expect named "+ $thing 128 rounds int64_t;+ $thing 192 reserved int64_t[7];- $thing 128 reserved int64_t[8];"
    expect moved "+ $thing 0 tolerance double;+ $thing 64 block int64_t;- $thing 0 block int64_t;- $thing 64 tolerance double;"
    # A call that is new, with a structure of its own, is no difference; one that is gone, or answers another type, is.
    { cat before.lines; echo 'call other(int) int'; echo 'struct other 64'; echo 'struct other 0 x int64_t'; } >more.lines
    expect more equal
    sed '/^call/d' before.lines >fewer.lines
    expect fewer "- call thing(thing_options const *) int;"
    sed '/^call/s/ int$/ int64_t/' before.lines >other.lines
    expect other "+ call thing(thing_options const *) int64_t;- call thing(thing_options const *) int;"
else
    echo "abi: no abidw here: the programs alone"
fi
[ "$status" -eq 0 ] || cat ./*.txt 2>/dev/null
exit $status

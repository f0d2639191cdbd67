#!/bin/sh
# portability_compilers.sh [FIGURES]: writes the figures that the makers' compilers give of the kernels into a table of
# tests/vendors/README.md. FIGURES is the folder that the tests vendors_* leave (default: build/tests/vendors/figures).
#
#   cmake --preset release -DCLSOLVE_TEST_ALL=ON && ctest --preset release -R '^vendors_' && scripts/portability_compilers.sh
#
# A GPU's row stands until new figures of the same GPU and compiler replace it. Exit: 0 done, 2 there are no figures.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
page=$root/tests/vendors/README.md
figures=${1-$root/build/tests/vendors/figures}
[ "$figures" != --help ] || { sed -n '2,/^set -eu/{s/^# \{0,1\}//;/^set -eu/!p;}' "$0"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat "$figures"/*.tsv >"$work/figures" 2>/dev/null || :
[ -s "$work/figures" ] || {
    echo "portability_compilers: no figures in $figures: run ctest -R '^vendors_' first" >&2
    exit 2
}

# A cell is that kernel of the group with the fewest waves, and of such the one with the most registers.
awk -F '\t' -v OFS='\t' '
    function group(    type) {
        if ($5 ~ /CLS_(CANDIDATE|NOT_ASKED)/) return ""
        type = $5 ~ /REAL=double/ ? "double" : "single"
        if ($3 ~ /^gemm_/) return "product, " type
        if ($3 == "gj_batch") return $5 ~ /N=32 / ? "batch, " type : ""
        if ($3 ~ /^(lu_panel|lu_leaf.*|lu_small|lu_resident|lu_together)$/) return "leaf, " type
        if ($3 ~ /^trsm/) return "trsm, " type
        if ($3 == "bt_sweep") return "sweep, " type
        return ""
    }
    {
        gpu = "| " $1 " | " $2
        if (!(gpu in kernels)) gpus[++count] = gpu
        kernels[gpu]++
        g = group()
        if (g == "") next
        key = gpu SUBSEP g
        if ($9 > spilled[key]) spilled[key] = $9
        if (!(key in waves) || $12 < waves[key] || ($12 == waves[key] && $6 > registers[key])) {
            waves[key] = $12; registers[key] = $6; room[key] = $8
        }
    }
    END {
        n = split("product trsm leaf sweep batch", names, " ")
        for (c = 1; c <= count; c++) {
            row = gpus[c] " | " kernels[gpus[c]] " |"
            for (k = 1; k <= n; k++) {
                cell = ""
                for (t = 1; t <= 2; t++) {
                    key = gpus[c] SUBSEP names[k] ", " (t == 1 ? "double" : "single")
                    if (!(key in waves)) text = "-"
                    else text = registers[key] " " sprintf("%.0f", room[key] / 1024) " **" waves[key] "**" \
                        (spilled[key] ? " (" spilled[key] ")" : "")
                    cell = cell (t == 1 ? "" : "; ") text
                }
                row = row " " cell " |"
            }
            print gpus[c], row
        }
    }' "$work/figures" >"$work/rows"
awk -v rows="$work/rows" '
    function gpu_of(line,    parts) {
        split(line, parts, / *\| */)
        return "| " parts[2] " | " parts[3]
    }
    BEGIN {
        while ((getline line <rows) > 0) {
            split(line, part, "\t")
            fresh[part[1]] = 1
            texts[++n] = part[2]
        }
    }
    /^\| GPU \| compiler \|/ { here = "figures" }
    here != "" && /^\|---/ {
        print
        for (i = 1; i <= n; i++) print texts[i]
        next
    }
    here == "figures" && /^\| / && !/^\| GPU/ { if (!(gpu_of($0) in fresh)) print; next }
    !/^\|/ { here = "" }
    { print }' "$page" >"$work/page"
cp "$work/page" "$page"

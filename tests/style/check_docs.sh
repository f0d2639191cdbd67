#!/bin/sh
# check_docs.sh ROOT: the program in README.md is examples/solve_small.c, and every relative link leads to a file.
cd "$1" || exit 1
status=0

sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d' | diff - examples/solve_small.c ||
    { echo "FAILED: the program in README.md is not examples/solve_small.c"; status=1; }

lines=$(wc -l <examples/solve_small.c)
[ "$lines" -le 25 ] || { echo "FAILED: examples/solve_small.c has $lines lines, more than 25"; status=1; }

for file in *.md docs/*.md examples/*.md; do
    for link in $(grep -oE '\]\([^)#]+' "$file" | sed 's/^](//' | grep -v '^[a-z]*:'); do
        [ -e "$(dirname "$file")/$link" ] || { echo "FAILED: $file: no $link"; status=1; }
    done
done
exit $status

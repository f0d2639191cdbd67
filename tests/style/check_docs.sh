#!/bin/sh
# check_docs.sh ROOT: the shortest example is short, every relative link leads to a file and to a heading of it, and lines end
# before column 121. Tables, the targets of links and fenced code may be longer. tests/docs compiles and runs the code.
cd "$1" || exit 1
status=0
fail() { echo "FAILED: $*"; status=1; }

lines=$(wc -l <examples/solve_small.c)
[ "$lines" -le 25 ] || fail "examples/solve_small.c has $lines lines, more than 25"

# Readers have an evening.
words() { cat "$@" | wc -w; }
[ "$(words docs/*.md docs/*/*.md README.md CHANGELOG.md)" -le 55000 ] || fail "docs, README and CHANGELOG have more than 55,000 words"
[ "$(words docs/performance.md)" -le 3000 ] || fail "docs/performance.md has more than 3,000 words"

# The site's reference names the modules that the Python package shows, or it would not be built.
for module in $(sed -n 's/^from \.\(_[a-z_]*\) import [A-Za-z(].*/\1/p' python/clsolve/__init__.py | grep -vx _library); do
    grep -q "\"$module\"" docs/site/stage.py || fail "docs/site/stage.py has no page for python/clsolve/$module.py"
done

# The anchors of a page's headings, one a line, as the forges make them.
anchors() { sed -n 's/^##* //p' "$1" | LC_ALL=C tr 'A-Z ' 'a-z-' | LC_ALL=C sed 's/[^a-z0-9_-]//g'; }

for file in *.md docs/*.md docs/*/*.md examples/*.md petsc/*.md tests/*/*.md; do
    for link in $(grep -oE '\]\([^)]+' "$file" | sed 's/^](//' | grep -v '^[a-z]*:'); do
        page=${link%%#*}
        target=$file
        [ -z "$page" ] || target=$(dirname "$file")/$page
        [ -e "$target" ] || fail "$file: no $page"
        case $link in
        *#*) anchors "$target" | grep -qx -e "${link#*#}" || fail "$file: no heading for $link" ;;
        esac
    done
    # The bytes that continue a character of UTF-8 go first, so that awk counts characters.
    long=$(LC_ALL=C tr -d '\200-\277' <"$file" | LC_ALL=C awk '
        /^```/ { fenced = !fenced }
        fenced || /^\|/ { next }
        { gsub(/\]\([^)]*\)/, "]") }
        length > 120 { printf " %d", NR }')
    [ -z "$long" ] || fail "$file: beyond column 120, lines$long"
done
exit $status

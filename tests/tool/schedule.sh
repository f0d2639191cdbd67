# schedule.sh: the classes of Gauss-Jordan's operations as text and as a graph. Needs no device.
. "$(dirname "$0")/common.sh"

for n in 1 2 3 4 5 6 7 8; do
    run 0 schedule gauss-jordan -n $n
    wanted=$((n == 1 ? 2 : 3 * n + 2))
    checks=$((checks + 1))
    [ "$(wc -l <out)" -eq $wanted ] || fail "$(wc -l <out) classes for N = $n, not $wanted"
    [ ! -s err ] || fail "something on stderr"
done
run 0 schedule gauss-jordan -n 3
has out '^A\(1,2\) A\(1,3\)$'
has out '^A\(2,1\) A\(2,3\)$'
has out '^A\(3,1\) A\(3,2\) D\(3\)$'
has out '^D\(1\) D\(2\) E\(3,3\) E\(3,4\)$'
has out '^E\(1,1\) E\(1,2\) E\(1,3\) E\(1,4\) E\(2,2\) E\(2,3\) E\(2,4\)$'
run 0 schedule gauss-jordan -n 3 --format foata
run 0 schedule gauss-jordan -n 2 --format dot
has out '^digraph '
has out '"A\(1,2\)" -> "B\(1,2,1\)";'
if command -v dot >/dev/null; then
    checks=$((checks + 1))
    dot -Tsvg out >graph.svg 2>err || fail "Graphviz does not take the graph"
fi

error 2 'the method is missing' schedule
error 2 "there is none for 'lu'; use gauss-jordan$" schedule lu -n 3
error 2 'the size is missing: give -n N$' schedule gauss-jordan
error 2 "-n '0' is not a whole number above 0" schedule gauss-jordan -n 0
error 2 "-n '-2' is not a whole number above 0" schedule gauss-jordan -n -2
error 2 'too large for this format; it goes to 128$' schedule gauss-jordan -n 129
error 2 'too large for this format; it goes to 16$' schedule gauss-jordan -n 17 --format dot
error 2 "--format 'svg' is unknown; use foata or dot$" schedule gauss-jordan -n 3 --format svg
error 2 "unexpected operand 'more'" schedule gauss-jordan more -n 3
finish

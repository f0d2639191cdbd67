#!/bin/sh
# check_calls.sh ROOT: calls between the files of src go one way, so that each file can be read after those it stands on. A file
# calls another when it names a function or a table that the other defines. Cycles that still stand are in calls_cycles.txt, a line
# each; a line there that is no cycle any more fails too.
cd "$1" || exit 1
known=tests/style/calls_cycles.txt
found=$(mktemp) || exit 1
wanted=$(mktemp) || exit 1
trap 'rm -f "$found" "$wanted"' EXIT

# shellcheck disable=SC2046  # no file's name has a blank
awk '
    # The line without comments, strings and characters.
    function code(line,    out, at, rest) {
        out = ""
        while (line != "") {
            if (comment) {
                at = index(line, "*/")
                if (at == 0) return out
                comment = 0
                line = substr(line, at + 2)
            }
            if (!match(line, /\/\*|\/\/|"|\047/)) return out line
            out = out substr(line, 1, RSTART - 1) " "
            rest = substr(line, RSTART)
            if (substr(rest, 1, 2) == "//") return out
            if (substr(rest, 1, 2) == "/*") {
                comment = 1
                line = substr(rest, 3)
            } else if (match(rest, /^("([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047)/)) {
                line = substr(rest, RLENGTH + 1)
            } else {
                line = substr(rest, 2)
            }
        }
        return out
    }
    # What a line in the first column defines: the name before the first bracket or the equals sign. "" for a prototype.
    function defined(line,    name) {
        if (line !~ /^[a-z]/ || line ~ /^(typedef|extern|return|struct [a-z_0-9]+ {|enum)/) return ""
        if (line ~ /;[ \t]*$/ && line !~ /=/) return ""
        if (!match(line, /[A-Za-z_][A-Za-z_0-9]*(\(|\[[^\]]*\] *=| *=)/)) return ""
        name = substr(line, RSTART, RLENGTH)
        sub(/[^A-Za-z_0-9].*/, "", name)
        return name
    }
    FNR == 1 { comment = 0; files[++count] = FILENAME }
    {
        line = code($0)
        name = defined(line)
        if (name != "") {
            if (line ~ /^static /) own[FILENAME, name] = 1
            else home[name] = FILENAME
        }
        while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
            use[FILENAME, substr(line, RSTART, RLENGTH)] = 1
            line = substr(line, RSTART + RLENGTH)
        }
    }
    # All that `file` reaches, into reach[file, ...].
    function walk(file,    depth, stack, at, k, n, next_files, to) {
        depth = 1
        stack[1] = file
        while (depth > 0) {
            at = stack[depth--]
            n = split(calls[at], next_files, " ")
            for (k = 1; k <= n; k++) {
                to = next_files[k]
                if ((file, to) in reach) continue
                reach[file, to] = 1
                stack[++depth] = to
            }
        }
    }
    END {
        for (pair in use) {
            split(pair, part, SUBSEP)
            from = part[1]
            name = part[2]
            if (!(name in home) || home[name] == from || (from, name) in own || (from, home[name]) in edge) continue
            edge[from, home[name]] = 1
            calls[from] = calls[from] " " home[name]
        }
        for (f = 1; f <= count; f++) walk(files[f])
        for (f = 1; f <= count; f++) {
            if (files[f] in told) continue
            cycle = files[f]
            for (g = 1; g <= count; g++)
                if (g != f && (files[f], files[g]) in reach && (files[g], files[f]) in reach) {
                    cycle = cycle " " files[g]
                    told[files[g]] = 1
                }
            if (cycle != files[f]) print cycle
        }
    }
' $(find src -name '*.c' | LC_ALL=C sort) | LC_ALL=C sort >"$found"
grep -v '^#' "$known" | grep . | LC_ALL=C sort >"$wanted"

status=0
new=$(LC_ALL=C comm -23 "$found" "$wanted")
old=$(LC_ALL=C comm -13 "$found" "$wanted")
if [ -n "$new" ]; then
    echo "$new"
    echo "FAILED: the files of a line above call each other in a cycle"
    status=1
fi
if [ -n "$old" ]; then
    echo "$old"
    echo "FAILED: a line above is no cycle any more: take it out of $known"
    status=1
fi
exit $status

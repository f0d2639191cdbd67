# environment.awk: the table under "## Environment" of docs/command.md as lines "variable COMMAND NAMES text", tabs
# between.
BEGIN { OFS = "\t" }
/^## / { here = $0 == "## Environment"; next }
here && /^\| `/ {
    line = $0
    gsub(/\]\([^)]*\)/, "", line) # a link is its text
    gsub(/\[/, "", line)
    gsub(/`/, "", line)
    count = split(line, cell, / *\| */)
    if (count >= 3) print "variable", command, cell[2], cell[3]
}

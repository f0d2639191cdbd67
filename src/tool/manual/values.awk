# values.awk: what the three programs for completions share: the records in arrays, and the values that an option takes.
BEGIN { FS = "\t" }

# The names that an option's text lists: of "Of cholesky: auto (default), native or hybrid" the three.
function listed(text,    part, count, i, list) {
    gsub(/ \([^)]*\)/, "", text)
    count = split(text, part, /[:;] */)
    for (i = 1; i <= count; i++)
        if (match(part[i], /^[a-z][-a-z]*(, [a-z][-a-z]*)*,? or [a-z][-a-z]*/)) {
            list = substr(part[i], RSTART, RLENGTH)
            gsub(/,? or /, " ", list)
            gsub(/, /, " ", list)
            return list
        }
    return ""
}

# "words LIST", "matrix" (a Matrix Market file), "file" or "none", by the name of the argument in the help.
function values_of(argument, text) {
    if (argument == "SEL") return "words gpu cpu host opencl cuda"
    if (argument == "NAME") return "words " listed(text)
    if (argument ~ /\.mtx/) return "matrix"
    if (argument ~ /^FILE/ || argument == "LIBRARY") return "file"
    return "none"
}

# The operands of a command: as values_of, and "command" for what stands behind "--".
function operands_of(usage, rows) {
    if (usage ~ /-- COMMAND/) return "command"
    if (usage ~ /KIND/) return "words " rows
    if (usage ~ /^[a-z][-a-z]* /) { sub(/ .*/, "", usage); return "words " usage }
    return usage ~ /^[^-]*\.mtx/ ? "matrix" : "none"
}

$1 == "command" { names[++commands] = $3; summary[$3] = $4 }
$1 == "usage" { usage[$2] = $3 }
$1 == "row" { rows[$2] = rows[$2] == "" ? $3 : rows[$2] " " $3 }
$1 == "option" {
    k = ++options[$2]
    letter[$2, k] = $3
    long[$2, k] = $4
    argument[$2, k] = $5
    about[$2, k] = $6
}

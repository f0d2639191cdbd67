# fish.awk: the completion for fish.
function quoted(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/'/, "\\'", text)
    return "'" text "'"
}

function action(values,    list) {
    list = values
    if (list ~ /^words /) { sub(/^words /, "", list); return " -x -a " quoted(list) }
    if (values == "matrix") return " -x -a '(__fish_complete_suffix .mtx)'"
    if (values == "file") return " -r -F"
    return " -x"
}

END {
    print "# fish completion for clsolve. Made from the help of the command by src/tool/manual/make.sh.\n"
    print "complete -c clsolve -f"
    print "complete -c clsolve -n __fish_use_subcommand -s h -l help -d 'Show the commands'"
    print "complete -c clsolve -n __fish_use_subcommand -s V -l version -d 'Show the version'"
    for (c = 1; c <= commands; c++) {
        name = names[c]
        seen = "-n '__fish_seen_subcommand_from " name "'"
        print "\ncomplete -c clsolve -n __fish_use_subcommand -a " name " -d " quoted(summary[name])
        for (i = 1; i <= options[name]; i++) {
            line = "complete -c clsolve " seen
            if (letter[name, i] != "") line = line " -s " letter[name, i]
            line = line " -l " substr(long[name, i], 3)
            if (argument[name, i] != "") line = line action(values_of(argument[name, i], about[name, i]))
            print line " -d " quoted(about[name, i])
        }
        operands = operands_of(usage[name], rows[name])
        if (operands == "command") print "complete -c clsolve " seen " -x -a '(__fish_complete_subcommand)'"
        else if (operands == "matrix") print "complete -c clsolve " seen " -k -x -a '(__fish_complete_suffix .mtx)'"
        else if (operands != "none") print "complete -c clsolve " seen action(operands)
    }
}

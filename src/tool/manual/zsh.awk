# zsh.awk: the completion for zsh.
function quoted(text) { # inside '...' and inside the brackets of _arguments
    gsub(/'/, "'\\''", text)
    gsub(/[][]/, "\\\\&", text)
    gsub(/:/, "\\:", text)
    return text
}

function action(values,    list) {
    list = values
    if (list ~ /^words /) { sub(/^words /, "", list); return "(" list ")" }
    if (values == "matrix") return "_files -g \"*.mtx\""
    if (values == "file") return "_files"
    return " "
}

function option_line(name, i,    text, value) {
    text = "[" quoted(about[name, i]) "]"
    value = ""
    if (argument[name, i] != "")
        value = ":" quoted(argument[name, i]) ":" action(values_of(argument[name, i], about[name, i]))
    if (letter[name, i] == "") return "'" long[name, i] (value == "" ? "" : "=") text value "'"
    return "'(-" letter[name, i] " " long[name, i] ")'{-" letter[name, i] (value == "" ? "" : "+") "," long[name, i] \
        (value == "" ? "" : "=") "}'" text value "'"
}

END {
    print "#compdef clsolve"
    print "# zsh completion for clsolve. Made from the help of the command by src/tool/manual/make.sh.\n"
    print "_clsolve() {"
    print "    local context state state_descr line"
    print "    typeset -A opt_args"
    print "    local -a commands"
    print "    commands=("
    for (i = 1; i <= commands; i++) print "        '" names[i] ":" quoted(summary[names[i]]) "'"
    print "    )"
    print "    _arguments -C '(- *)'{-h,--help}'[Show the commands]' '(- *)'{-V,--version}'[Show the version]' \\"
    print "        '1:command:->command' '*::argument:->argument' && return 0"
    print "    case $state in"
    print "    command) _describe -t commands command commands ;;"
    print "    argument)"
    print "        case $words[1] in"
    for (c = 1; c <= commands; c++) {
        name = names[c]
        operands = operands_of(usage[name], rows[name])
        print "        " name ")"
        line = "            _arguments -s"
        for (i = 1; i <= options[name]; i++) line = line " \\\n                " option_line(name, i)
        if (operands == "command") line = line " \\\n                '*:::command:_normal'"
        else if (operands != "none") line = line " \\\n                '*:operand:" action(operands) "'"
        print line
        print "            ;;"
    }
    print "        esac"
    print "        ;;"
    print "    esac"
    print "}\n"
    print "_clsolve \"$@\""
}

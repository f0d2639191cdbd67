# bash.awk: the completion for bash, without the package bash-completion's functions.
function values_line(values,    list) {
    list = values
    if (list ~ /^words /) { sub(/^words /, "", list); return "_clsolve_words \"" list "\"" }
    if (values == "matrix") return "_clsolve_files '!*.mtx'"
    if (values == "file") return "_clsolve_files ''"
    return "return 0"
}

function case_of_options(name,    i) {
    print "        case $previous in"
    for (i = 1; i <= options[name]; i++)
        if (argument[name, i] != "")
            printf "        %s%s) %s; return 0 ;;\n", letter[name, i] == "" ? "" : "-" letter[name, i] " | ",
                long[name, i], values_line(values_of(argument[name, i], about[name, i]))
    print "        esac"
}

function words_of_options(name,    i, list) {
    for (i = 1; i <= options[name]; i++) {
        list = list (list == "" ? "" : " ") long[name, i]
        if (letter[name, i] != "") list = list " -" letter[name, i]
    }
    return list
}

END {
    print "# bash completion for clsolve. Made from the help of the command by src/tool/manual/make.sh.\n"
    print "_clsolve_words() {"
    print "    local word"
    print "    while read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -W \"$1\" -- \"$current\")"
    print "}\n"
    print "# Folders, and the files that the pattern leaves."
    print "_clsolve_files() {"
    print "    local file"
    print "    compopt -o filenames 2>/dev/null"
    print "    while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <("
    print "        compgen -f -X \"$1\" -- \"$current\""
    print "        [[ -z $1 ]] || compgen -d -- \"$current\" | grep -v '\\.mtx$')"
    print "}\n"
    print "_clsolve() {"
    print "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} i"
    print "    COMPREPLY=()"
    print "    # bash takes \"--option=value\" for three words."
    print "    if [[ $current == '=' ]]; then"
    print "        current="
    print "    elif [[ $previous == '=' && $COMP_CWORD -ge 2 ]]; then"
    print "        previous=${COMP_WORDS[COMP_CWORD - 2]}"
    print "    fi"
    list = "--help --version"
    for (i = 1; i <= commands; i++) list = list " " names[i]
    print "    if [[ $COMP_CWORD -eq 1 ]]; then"
    print "        _clsolve_words \"" list "\""
    print "        return 0"
    print "    fi"
    print "    case ${COMP_WORDS[1]} in"
    for (c = 1; c <= commands; c++) {
        name = names[c]
        operands = operands_of(usage[name], rows[name])
        print "    " name ")"
        if (operands == "command") {
            print "        for ((i = 2; i < COMP_CWORD; i++)); do"
            print "            if [[ ${COMP_WORDS[i]} == -- ]]; then"
            print "                if declare -F _command_offset >/dev/null; then"
            print "                    _command_offset $((i + 1))"
            print "                elif [[ $((i + 1)) -eq $COMP_CWORD ]]; then"
            print "                    while read -r i; do COMPREPLY+=(\"$i\"); done < <(compgen -c -- \"$current\")"
            print "                else"
            print "                    _clsolve_files ''"
            print "                fi"
            print "                return 0"
            print "            fi"
            print "        done"
            operands = "words --"
        }
        case_of_options(name)
        print "        if [[ $current == -* ]]; then"
        print "            _clsolve_words \"" words_of_options(name) "\""
        print "        else"
        print "            " values_line(operands)
        print "        fi"
        print "        ;;"
    }
    print "    esac"
    print "    return 0"
    print "}\n"
    print "complete -F _clsolve clsolve"
}

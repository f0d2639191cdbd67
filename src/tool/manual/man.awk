# man.awk: the man page of `command`, or of clsolve itself where it is empty, from the lines of records.awk.
BEGIN { FS = "\t" }

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    gsub(/`/, "\\(ga", text)
    sub(/^[.']/, "\\\\\\&&", text)
    return text
}

# Prose keeps its hyphens; what looks like an option, or a sign before a number, does not.
function prose(text,    word, count, i, line) {
    count = split(text, word, / /)
    for (i = 1; i <= count; i++) {
        if (word[i] ~ /^[("]?-/) word[i] = escaped(word[i])
        else {
            gsub(/\\/, "\\e", word[i])
            gsub(/\^/, "\\(ha", word[i])
            gsub(/~/, "\\(ti", word[i])
            gsub(/`/, "\\(ga", word[i])
        }
        line = i == 1 ? word[i] : line " " word[i]
    }
    sub(/^[.']/, "\\\\\\&&", line)
    return line
}

function option_head(letter, long, argument,    head) {
    head = letter == "" ? "" : "\\fB\\-" letter "\\fR" (argument == "" ? "" : " \\fI" escaped(argument) "\\fR") ", "
    return head "\\fB" escaped(long) "\\fR" (argument == "" ? "" : "=\\fI" escaped(argument) "\\fR")
}

$1 == "command" { summary[$3] = $4; names[++commands] = $3 }
$1 == "variable" { variable[++variables] = $3; meaning_of[variables] = $4 }
$2 != command { next }
$1 == "usage" { usage = $3 }
$1 == "option" { option[++options] = option_head($3, $4, $5); about[options] = $6 }
$1 == "note" { note[++notes] = $3; kind[notes] = $3 == "" ? "end" : "line" }
$1 == "row" { note[++notes] = $3; kind[notes] = "row"; row_text[notes] = $4 }
$1 == "exit" { code[++codes] = $3; meaning[codes] = $4 }

END {
    title = "clsolve" (command == "" ? "" : "-" command)
    print ".\\\" Made from the help of the command by src/tool/manual/make.sh."
    printf ".TH %s 1 \"%s\" \"%s\" \"User Commands\"\n", toupper(title), date, version
    print ".SH NAME"
    short = command == "" ? note[1] : summary[command]
    sub(/\.$/, "", short)
    short = tolower(substr(short, 1, 1)) substr(short, 2)
    print escaped(title) " \\- " prose(short)
    print ".SH SYNOPSIS"
    if (command == "") {
        print ".B clsolve\n.I COMMAND\n[\\fIOPTION\\fR...]"
        print ".br\n.B clsolve\n.RB [ \\-\\-help ]\n.RB [ \\-\\-version ]"
    } else {
        print ".B clsolve " command
        print escaped(usage)
    }

    print ".SH DESCRIPTION"
    between = 1 # no paragraph has begun
    for (i = 1; i <= notes; i++) {
        if (kind[i] == "end") {
            if (!between && i < notes) print ".PP"
            between = 1
        } else if (kind[i] == "row") {
            printf ".TP\n.B %s\n%s\n", escaped(note[i]), prose(row_text[i])
            between = 0
        } else {
            print prose(note[i])
            between = 0
        }
    }
    if (command == "") {
        print ".SH COMMANDS"
        for (i = 1; i <= commands; i++)
            printf ".TP\n.BR clsolve\\-%s (1)\n%s\n", names[i], prose(summary[names[i]])
        print ".SH OPTIONS"
        print ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nShow the commands and the exit codes"
        print ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nShow the version"
    } else if (options > 0) {
        print ".SH OPTIONS"
        for (i = 1; i <= options; i++) printf ".TP\n%s\n%s\n", option[i], prose(about[i])
    }
    if (codes > 0) print ".SH EXIT STATUS"
    for (i = 1; i <= codes; i++) printf ".TP\n.B %s\n%s\n", code[i], prose(meaning[i])
    if (command == "" && variables > 0) {
        print ".SH ENVIRONMENT"
        for (i = 1; i <= variables; i++) printf ".TP\n.B %s\n%s\n", escaped(variable[i]), prose(meaning_of[i])
    }
    print ".SH SEE ALSO"
    if (command != "") print ".BR clsolve (1)"
    else for (i = 1; i <= commands; i++)
        printf ".BR clsolve\\-%s (1)%s\n", names[i], i < commands ? "," : ""
}

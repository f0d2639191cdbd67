# records.awk: the text of --help as lines of fields between tabs. The variable `command` is empty for `clsolve --help`.
#
#   usage    COMMAND  operands and options as the usage line has them
#   command           NAME  summary                    a row under "Commands:"
#   option   COMMAND  LETTER  LONG  ARGUMENT  text     letter and argument may be empty
#   row      COMMAND  NAME  text                       a row of a list in the notes
#   note     COMMAND  line                             any other line of the notes; empty between paragraphs
#   exit     COMMAND  CODE  meaning
BEGIN { OFS = "\t"; part = "usage" }

function end_option() {
    if (long != "") print "option", command, letter, long, argument, text
    long = ""
}

/^Exit codes:/ { part = "exit" }
part == "exit" {
    sub(/^ +/, "")
    codes = codes == "" ? $0 : codes " " $0
    next
}

part == "usage" {
    line = $0
    sub(/^Usage: clsolve */, "", line)
    if (command != "") sub(/^[a-z]+ */, "", line)
    print "usage", command, line
    part = command == "" ? "notes" : "options"
    next
}

part == "options" && /^$/ { end_option(); part = "notes"; next }
part == "options" {
    if ($0 ~ /^  (-[A-Za-z], |    )--[a-z]/) {
        end_option()
        letter = substr($0, 3, 1) == "-" ? substr($0, 4, 1) : ""
        line = substr($0, 7)
        name = line
        sub(/ .*/, "", name)
        text = substr(line, length(name) + 1)
        sub(/^ +/, "", text)
        argument = ""
        if (name ~ /=/) {
            argument = name
            sub(/^[^=]*=/, "", argument)
            sub(/=.*/, "", name)
        }
        long = name
    } else { # popt broke the line
        line = $0
        sub(/^ +/, "", line)
        text = text == "" ? line : text " " line
    }
    next
}

/^Commands:$/ { rows_are_commands = 1; next }
/^  [a-z][-a-z0-9]*  +[^ ]/ {
    line = $0
    sub(/^ +/, "", line)
    name = line
    sub(/ .*/, "", name)
    text = substr(line, length(name) + 1)
    sub(/^ +/, "", text)
    if (rows_are_commands) print "command", command, name, text
    else print "row", command, name, text
    next
}
{ print "note", command, $0 }

END {
    end_option()
    sub(/^Exit codes: */, "", codes)
    sub(/\.$/, "", codes)
    count = split(codes, code, /; */)
    for (i = 1; i <= count; i++) {
        number = code[i]
        sub(/ .*/, "", number)
        meaning = substr(code[i], length(number) + 2)
        print "exit", command, number, meaning
    }
}

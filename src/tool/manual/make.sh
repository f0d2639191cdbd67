#!/bin/sh
# make.sh CLSOLVE FOLDER DATE [COMMAND.md]: writes the man pages and the completions of the command into FOLDER.
#
# All text comes from `CLSOLVE --help` and `CLSOLVE COMMAND --help`: a page or a completion has what the help has, and
# no more. Of COMMAND.md, docs/command.md, the table of environment variables goes into clsolve.1. records.awk reads the
# help into lines with tabs, and each of the other awk programs writes one form.
set -eu
clsolve=$1 folder=$2 date=$3 page=${4-}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

mkdir -p "$folder/man1" "$folder/bash" "$folder/zsh" "$folder/fish"
version=$("$clsolve" --version)
"$clsolve" --help >"$folder/help"
awk -v command= -f "$here/records.awk" "$folder/help" >"$folder/records"
commands=$(awk -F '\t' '$1 == "command" { print $3 }' "$folder/records")
[ -n "$commands" ] || { echo "make.sh: $clsolve --help lists no commands" >&2; exit 1; }
for command in $commands; do
    "$clsolve" "$command" --help >"$folder/help"
    awk -v command="$command" -f "$here/records.awk" "$folder/help" >>"$folder/records"
done
if [ -n "$page" ]; then awk -v command= -f "$here/environment.awk" "$page" >>"$folder/records"; fi
rm -f "$folder/help"

for command in '' $commands; do
    awk -v command="$command" -v version="$version" -v date="$date" -f "$here/man.awk" "$folder/records" \
        >"$folder/man1/clsolve${command:+-}$command.1"
done
awk -f "$here/values.awk" -f "$here/bash.awk" "$folder/records" >"$folder/bash/clsolve"
awk -f "$here/values.awk" -f "$here/zsh.awk" "$folder/records" >"$folder/zsh/_clsolve"
awk -f "$here/values.awk" -f "$here/fish.awk" "$folder/records" >"$folder/fish/clsolve.fish"

# manuals.sh: man pages and completions have every command and option of --help, and the shells take them.
# Its arguments are those of common.sh and the folder of the pages.
. "$(dirname "$0")/common.sh"
manuals=$4

# All options and commands as --help lists them, read in another way than the pages' own.
run 0 --help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out)
[ "$(echo "$commands" | wc -l)" -ge 8 ] || fail "--help lists few commands: $commands"
for command in $commands; do
    run 0 "$command" --help
    grep -oE '^  (-[a-zA-Z],)? +--[a-z-]+' out | grep -oE '(-[a-zA-Z]|--[a-z-]+)' | tr -d ',' | sort -u >"options.$command"
    grep -q -x -e --help "options.$command" || fail "$command --help lists no --help"
done
grep -q -x -e --max-iterations options.solve || fail "the options of solve are not read"

# ---- man pages ----

has "$manuals/man1/clsolve.1" '^\.TH CLSOLVE 1 '
has "$manuals/man1/clsolve.1" '^\.B CLSOLVE_BLAS$'
for command in $commands; do
    page=$manuals/man1/clsolve-$command.1
    has "$manuals/man1/clsolve.1" "clsolve\\\\-$command "
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' 'SEE ALSO'; do has "$page" "^\.SH $section\$"; done
    sed 's/\\-/-/g; s/\\f[A-Z]//g' "$page" >page.text
    while read -r option; do
        checks=$((checks + 1))
        grep -E -A 1 -e '^\.TP' page.text | grep -Eq -e "(^|, )$option(\$|[ =,])" || fail "clsolve-$command.1 has no $option"
    done <"options.$command"
done
has "$manuals/man1/clsolve-generate.1" '^\.B hilbert$'
for page in "$manuals"/man1/*.1; do
    if command -v groff >/dev/null; then
        checks=$((checks + 1))
        groff -man -ww -z "$page" >lint 2>&1
        [ ! -s lint ] || fail "$(basename "$page"): groff: $(head -1 lint)"
    fi
    if command -v mandoc >/dev/null; then
        checks=$((checks + 1))
        mandoc -T lint -W warning "$page" >lint 2>&1 || fail "$(basename "$page"): mandoc: $(head -1 lint)"
    fi
done

# ---- completions: what a shell answers to the words before the cursor, one a line ----

# bash_answers WORD...: as the shell calls the function, with "=" a word of its own.
cat >ask.bash <<'END'
source "$1" || exit 1
shift
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_clsolve && printf '%s\n' "${COMPREPLY[@]}"
END
bash_answers() { bash ask.bash "$manuals/bash/clsolve" "$@" >answers 2>err; }
fish_answers() { fish --no-config -c "source '$manuals/fish/clsolve.fish'; complete -C '$*'" 2>err | cut -f 1 >answers; }

touch system.mtx other.txt 'with space.mtx'
mkdir folder
answers_are() { # what, words...
    checks=$((checks + 1))
    what=$1
    shift
    printf '%s\n' "$@" | sort >wanted
    sort answers | cmp -s - wanted || fail "$what answers $(sort answers | tr '\n' ' '), not $*"
}
methods='auto band-lu block-gs cholesky gauss-jordan ldl lu sparse-cholesky sparse-ldl sparse-lu'

if command -v bash >/dev/null; then
    bash -n "$manuals/bash/clsolve" || fail "bash does not read the completion"
    # shellcheck disable=SC2086
    { bash_answers clsolve ''; answers_are 'bash, clsolve' --help --version $commands; }
    for command in $commands; do
        bash_answers clsolve "$command" -
        # shellcheck disable=SC2046
        answers_are "bash, $command -" $(cat "options.$command")
    done
    # shellcheck disable=SC2086
    {
        bash_answers clsolve solve --method '' && answers_are 'bash, --method' $methods
        bash_answers clsolve solve --method = && answers_are 'bash, --method=' $methods
        bash_answers clsolve solve --method = b && answers_are 'bash, --method=b' band-lu block-gs
        bash_answers clsolve solve --pivoting '' && answers_are 'bash, --pivoting' partial rbt
        bash_answers clsolve solve '' && answers_are 'bash, solve' system.mtx 'with space.mtx' folder
        bash_answers clsolve solve -o s && answers_are 'bash, -o s' system.mtx
        bash_answers clsolve generate kah && answers_are 'bash, generate kah' kahan
        bash_answers clsolve schedule '' && answers_are 'bash, schedule' gauss-jordan
        bash_answers clsolve run -- base && grep -q -x basename answers || fail 'bash completes no command behind run --'
    }
    # The list that the completion has is the one that the command knows.
    "$clsolve" solve system.mtx --method nosuch 2>err
    for method in $methods; do has err "[ ,]$method"; done
fi

if command -v zsh >/dev/null; then
    checks=$((checks + 1))
    zsh -f -n "$manuals/zsh/_clsolve" || fail "zsh does not read the completion"
    # A shell in a terminal of its own. What its completion offers goes into a file, and then the shell ends.
    cat >ask.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
say() { zpty -w shell "$1"; }
say "fpath=('$1' \$fpath); autoload -Uz compinit; compinit -u -D"
say 'compadd() {
    if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
        local -a offered
        builtin compadd -A offered "$@"
        print -rl -- $offered >>answers
    fi
    builtin compadd "$@"
}'
say 'leave() { exit; }; comppostfuncs=(leave)'
zpty -w -n shell "$2"$'\t'
while zpty -r shell line; do :; done
END
    zsh_answers() {
        : >answers
        timeout 60 zsh -f ask.zsh "$manuals/zsh" "$*" >/dev/null 2>err
        sort -u answers | sed '/^$/d' >answers.sorted && mv answers.sorted answers
    }
    # shellcheck disable=SC2086
    {
        zsh_answers 'clsolve ' && answers_are 'zsh, clsolve' $commands
        zsh_answers 'clsolve solve --method=' && answers_are 'zsh, --method=' $methods
        zsh_answers 'clsolve generate kah' && answers_are 'zsh, generate kah' kahan
    }
    # Each option is in the part of its command.
    for command in $commands; do
        while read -r option; do
            checks=$((checks + 1))
            sed -n "/^        $command)\$/,/^            ;;/p" "$manuals/zsh/_clsolve" |
                grep -Eq -e "(['{,])$option(['+=},[])" || fail "zsh: $command has no $option"
        done <"options.$command"
    done
fi

if command -v fish >/dev/null; then
    checks=$((checks + 1))
    fish --no-config --no-execute "$manuals/fish/clsolve.fish" || fail "fish does not read the completion"
    # shellcheck disable=SC2086
    { fish_answers 'clsolve '; answers_are 'fish, clsolve' $commands; }
    for command in $commands; do
        fish_answers "clsolve $command --"
        # shellcheck disable=SC2046
        answers_are "fish, $command --" $(grep -e '^--' "options.$command")
    done
    # shellcheck disable=SC2086
    { fish_answers 'clsolve solve --method '; answers_are 'fish, --method' $methods; }
    fish_answers 'clsolve generate kah' && answers_are 'fish, generate kah' kahan
    fish_answers 'clsolve solve s' && answers_are 'fish, solve s' system.mtx
fi
finish

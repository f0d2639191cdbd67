#!/bin/sh
# mutants.sh [options]: breaks the library on purpose, one line at a time, and expects that a test turns red each time.
# tests/mutants.txt lists the mutants: what is broken, and which tests must notice.
#
#   --check             changes nothing: each mutant still applies (its old text occurs once), and its tests are registered
#   --only ID           only this mutant; may be repeated
#   --jobs N            builds and first runs with so many at once (default: the cores)
#   --build FOLDER      a build of the project (default: build/). --check reads the names of tests there; else the copy
#                       that is broken lies in FOLDER/mutants, with a build of its own, and is used again the next time
#
# The sources here are never touched. First all the tests named run once unbroken, and must pass. Then for each mutant: the
# copy is changed, the programs of its tests are built, each of its tests runs, the change is undone. A line each:
#
#   killed ID TEST SECONDS s LINE    the test is red; LINE is the first that says why
#   SURVIVED ID TEST                 the test is green all the same: nobody would notice this mistake
#   DID NOT BUILD ID                 the compiler noticed: no mutant at all
#   LEFT OUT ID TEST                 the test is not registered here, is skipped, or is red unbroken
#
# Exit: 0 all were killed, 1 some were not, 2 wrong usage.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
list=$root/tests/mutants.txt
build=$root/build
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
only=
check=

usage() { echo "mutants: $*; see --help" >&2; exit 2; }

while [ $# -gt 0 ]; do
    case $1 in
    --help) sed -n '2,/^set -u/{s/^# \{0,1\}//;/^set -u/!p;}' "$0"; exit 0 ;;
    --check) check=1; shift ;;
    --only | --jobs | --build)
        [ $# -ge 2 ] || usage "$1 wants a value"
        case $1 in
        --only) only="$only $2" ;;
        --jobs) jobs=$2 ;;
        --build) build=$2 ;;
        esac
        shift 2 ;;
    *) usage "there is no option $1" ;;
    esac
done
case $jobs in
*[!0-9]* | 0* | '') usage "no number: $jobs" ;;
esac
for id in $only; do
    awk -v id="$id" '$1 == id { found = 1 } END { exit !found }' "$list" || usage "there is no mutant $id"
done
mkdir -p "$build" && build=$(CDPATH='' cd -- "$build" && pwd) || exit 1

# The list, by awk. JOB list: a line "id file tests targets" for each mutant, of tabs, with commas inside. JOB check: says what
# does not apply. JOB apply: changes the file of mutant ID below ROOT.
on_list() { # job root [id]
    JOB=$1 ROOT=$2 ID=${3-} awk '
        function bad(what) { print "mutants: " id ": " what; wrong = 1 }
        function finish(   text, line, path, at, count, rest) {
            if (id == "") return
            if (ENVIRON["JOB"] == "list") {
                print id "\t" file "\t" tests "\t" (targets == "" ? "-" : targets)
            } else if (ENVIRON["JOB"] == "check" || ENVIRON["ID"] == id) {
                path = ENVIRON["ROOT"] "/" file
                text = ""
                while ((getline line < path) > 0) text = text line "\n"
                close(path)
                count = 0
                for (rest = text; old != "" && (at = index(rest, old)) > 0; rest = substr(rest, at + length(old))) ++count
                if (count != 1) bad("its old text occurs " count " times in " file)
                if (old == new) bad("it changes nothing")
                if (tests == "") bad("it names no test")
                if (seen[id]++) bad("another one has the same name")
                if (ENVIRON["JOB"] == "apply" && !wrong) {
                    at = index(text, old)
                    printf "%s", substr(text, 1, at - 1) new substr(text, at + length(old)) >path
                    close(path)
                    done = 1
                }
            }
            id = ""
        }
        /^#/ || /^$/ { finish(); next }
        /^-( |$)/ { old = old (olds++ ? "\n" : "") substr($0, 3); next }
        /^[+]( |$)/ { new = new (news++ ? "\n" : "") substr($0, 3); next }
        /^build / { for (i = 2; i <= NF; ++i) targets = targets (i > 2 ? "," : "") $i; next }
        {
            finish()
            id = $1; file = $2; tests = targets = old = new = ""; olds = news = 0
            for (i = 3; i <= NF; ++i) tests = tests (i > 3 ? "," : "") $i
        }
        END {
            finish()
            if (ENVIRON["JOB"] == "apply" && !done) wrong = 1
            exit wrong
        }' "$list"
}

# The tests of a build, a line "name rest-of-add_test" each. A name is in brackets, plain or quoted, as CMake's version has it.
registered_in() { # build
    (cd "$1" && find . -name mutants -prune -o -name CTestTestfile.cmake -exec cat {} +) |
        sed -n 's/^add_test(\[=*\[\([^]]*\)\]=*\] /\1 /p;s/^add_test("*\([^" ]*\)"* /\1 /p'
}

if [ -n "$check" ]; then
    on_list check "$root" || exit 1
    names=$(registered_in "$build" | cut -d' ' -f1 | sort -u)
    [ -n "$names" ] || { echo "mutants: there are no tests in $build"; exit 1; }
    on_list list "$root" | awk -F'\t' -v names="$names" -v root="$root" '
        BEGIN { count = split(names, name, "\n"); for (i = 1; i <= count; ++i) { here[name[i]] = 1; room[first(name[i])] = 1 } }
        function elsewhere(test) { return system("grep -rqwF --include=CMakeLists.txt -e " test " \"" root "/tests\"") == 0 }
        function first(test) { return test ~ /^cuda_stand_in/ ? "cuda_stand_in" : substr(test, 1, index(test "_", "_") - 1) }
        {
            ++mutants
            count = split($3, test, ",")
            for (i = 1; i <= count; ++i) # a room that is not built here is no fault; its test ROOM_none says so
                if (!(test[i] in here) && first(test[i]) in room && !(first(test[i]) "_none" in here)) {
                    found = elsewhere(test[i]) # by another configuration, for example with CLBlast
                    print "mutants: " $1 ": " (found ? "skipped, because this build does not have the test " : "there is no test ") test[i]
                    if (!found) wrong = 1
                }
        }
        END { print mutants " mutants" (wrong ? "" : " apply"); exit wrong }'
    exit
fi

# ---- the copy ----

folder=$build/mutants
tree=$folder/tree
copy=$tree/build
mkdir -p "$tree" || exit 1
(cd "$root" && git ls-files --cached --others --exclude-standard) | sort >"$folder/files" || exit 1
[ -s "$folder/files" ] || usage "git lists no files in $root"
# Only what differs is copied, so that little is built again; a file that was put back is newer than what was built of it.
sums() { (cd "$1" && tr '\n' '\0' <"$folder/files" | xargs -0 cksum 2>/dev/null) | sort; }
(cd "$tree" && find . -path ./build -prune -o -type f -print | sed 's/^..//' | sort | comm -23 - "$folder/files" |
    tr '\n' '\0' | xargs -0 rm -f) || exit 1
sums "$root" >"$folder/sums"
sums "$tree" | comm -23 "$folder/sums" - | cut -d' ' -f3- | tr '\n' '\0' |
    (cd "$root" && xargs -0 -r cp --parents -t "$tree") || exit 1
if [ ! -e "$folder/configured" ]; then
    launcher=
    ! command -v ccache >/dev/null 2>&1 || launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
    (cd "$tree" && cmake --preset release -DCLSOLVE_BUILD_TESTS=ON -DCLSOLVE_WERROR=OFF -DCLSOLVE_CUDA=AUTO \
        "-DCLSOLVE_TEST_MATRICES=$root/../shared/matrices" $launcher) >"$folder/configure.log" 2>&1 ||
        { cat "$folder/configure.log"; exit 1; }
    : >"$folder/configured"
fi

# ---- what is to be done ----

on_list list "$root" >"$folder/all" || exit 1
if [ -n "$only" ]; then
    for id in $only; do awk -F'\t' -v id="$id" '$1 == id' "$folder/all"; done >"$folder/chosen"
else
    cp "$folder/all" "$folder/chosen"
fi
registered_in "$copy" >"$folder/registered"

# What a test runs: programs of tests and the library's own; and the libraries that play CUDA's.
targets_of() { # test targets-of-the-list
    [ "$2" = - ] || echo "$2" | tr ',' '\n'
    case $1 in cuda_stand_in_*) printf 'stand_in_%s\n' cuda nvrtc cublas ;; esac
    sed -n "s/^$1 //p" "$folder/registered" | tr ' ")=' '\n\n\n\n' | sed -n "s|^$copy/||p" |
        sed -n 's|^tests/bin/\([A-Za-z0-9_]*\)$|\1|p;s|^petsc/\([a-z0-9_]*\)$|\1|p
            s|^clsolve$|clsolve_tool|p;s|^lib\(p*e*t*s*c*clsolve[_a-z]*\)\.so.*|\1|p'
}

build_targets() { # names in a file
    [ -s "$1" ] || return 0
    # shellcheck disable=SC2046 # a list of names
    cmake --build "$copy" --parallel "$jobs" --target $(sort -u "$1") >"$folder/build.log" 2>&1
}

run_tests() { # regular expression of names
    ctest --test-dir "$copy" -FA ran -R "^($1)\$" --output-on-failure --parallel "$2" >"$folder/test.log" 2>&1
}

: >"$folder/targets"
: >"$folder/tests"
while IFS='	' read -r id file tests targets; do
    for test in $(echo "$tests" | tr ',' ' '); do
        echo "$test" >>"$folder/tests"
        targets_of "$test" "$targets" >>"$folder/targets"
    done
done <"$folder/chosen"
build_targets "$folder/targets" || { tail -n 30 "$folder/build.log"; echo "mutants: the unbroken copy does not build"; exit 1; }
run_tests "$(sort -u "$folder/tests" | paste -s -d '|' -)" "$jobs"
cp "$folder/test.log" "$folder/unbroken.log"
sed -n 's|^ *[0-9]*/[0-9]* Test *#[0-9]*: \([^ ]*\) \.* *Passed.*|\1|p' "$folder/unbroken.log" | sort >"$folder/green"

# ---- one by one ----

# The first line of a failed run that says why: one of a source, else one that tells of a failure.
reason() {
    for pattern in '\.(c|h|py|sh|cl):[0-9]+: ' '^E  +|FAILED|FAIL:|wrong' '[Ee]rror|SEGFAULT|Timeout|Exception'; do
        grep -m1 -E "$pattern" "$folder/test.log" && break
    done | sed "s|$tree/||g;s|\.\./||g;s/^\[ *[A-Z]* *\] *-* *//" | cut -c1-150
}

broken=
undo() {
    [ -z "$broken" ] || cat "$root/$broken" >"$tree/$broken"
    rm -rf "$copy/cache" # what self-tests found out of a broken kernel would kill the next mutants
    broken=
}
trap 'undo; exit 1' HUP INT TERM

# A program of cmocka ends at the first failure, which is all that is asked here.
CMOCKA_TEST_ABORT=1
export CMOCKA_TEST_ABORT
ulimit -c 0 2>/dev/null # where the shell has it: a test that is aborted leaves no file behind
killed=0 survived=0 unbuilt=0 left_out=0
while IFS='	' read -r id file tests targets; do
    out=
    : >"$folder/targets"
    for test in $(echo "$tests" | tr ',' ' '); do
        grep -qx "$test" "$folder/green" || { out=$test; break; }
        targets_of "$test" "$targets" >>"$folder/targets"
    done
    if [ -n "$out" ]; then
        echo "LEFT OUT $id $out"
        left_out=$((left_out + 1))
        continue
    fi
    broken=$file
    on_list apply "$tree" "$id" || { undo; exit 1; }
    begun=$(date +%s)
    if ! build_targets "$folder/targets"; then
        echo "DID NOT BUILD $id: $(grep -m1 'error:' "$folder/build.log")"
        unbuilt=$((unbuilt + 1))
        undo
        continue
    fi
    dead=1
    for test in $(echo "$tests" | tr ',' ' '); do
        if run_tests "$test" 1; then
            echo "SURVIVED $id $test"
            dead=0
        else
            echo "killed $id $test $(($(date +%s) - begun)) s $(reason)"
        fi
    done
    undo
    if [ $dead = 1 ]; then killed=$((killed + 1)); else survived=$((survived + 1)); fi
done <"$folder/chosen"

summary="$killed killed, $survived survived"
[ $unbuilt = 0 ] || summary="$summary, $unbuilt did not build"
[ $left_out = 0 ] || summary="$summary, $left_out left out"
echo "$summary"
[ $((survived + unbuilt + left_out)) = 0 ]

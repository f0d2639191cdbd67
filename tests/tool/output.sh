# output.sh: files are whole or not there, and what cannot be written is told.
. "$(dirname "$0")/common.sh"
need_device
small_system
mkdir d

# A folder that is not there, a folder in the file's place, a folder without permission.
error 3 "nosuch/x.mtx: cannot write: folder 'nosuch': " solve A.mtx -o nosuch/x.mtx
error 3 "nosuch/r.json: cannot write: folder 'nosuch': " solve A.mtx --json nosuch/r.json
error 3 "nosuch/d.json: cannot write" devices --json nosuch/d.json
error 3 '^clsolve: d: cannot write: it is a folder; name a file in it$' solve A.mtx -o d
error 3 '^clsolve: d: cannot write: it is a folder; name a file in it$' solve A.mtx --json d
below="cannot write: 'A.mtx' is a file, not a folder; name a path through folders$"
error 3 "^clsolve: A.mtx/x.mtx: $below" solve A.mtx -o A.mtx/x.mtx
error 3 "^clsolve: A.mtx/d/x.mtx: $below" solve A.mtx -o A.mtx/d/x.mtx
error 3 "^clsolve: A.mtx/r.json: $below" solve A.mtx --json A.mtx/r.json
error 3 "^clsolve: A.mtx/g.mtx: $below" generate hilbert --n 3 -o A.mtx/g.mtx
run 0 generate --help
kind=$(sed -n '/^Kinds:/,/^$/p' out | awk 'NR == 2 { print $1 }')
error 3 'nosuch/g.mtx: cannot write' generate "$kind" --n 3 -o nosuch/g.mtx
error 3 'nosuch/g.mtx: cannot write' generate "$kind" --n 3 -o d/g.mtx --rhs nosuch/g.mtx
only
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked
    chmod 500 locked
    error 3 "locked/x.mtx: cannot write: folder 'locked': " solve A.mtx -o locked/x.mtx
    chmod 700 locked
fi

# What was there stays when the run fails, and is replaced when it succeeds; no temporary file stays.
printf '%s\n' '%%MatrixMarket matrix array real general' '1 1' 0 >singular.mtx
echo before >d/x.mtx
echo before >d/r.json
run 4 solve singular.mtx -o d/x.mtx --json d/r.json
has d/x.mtx '^before$'
json d/r.json status=SINGULAR
run 0 solve A.mtx b.mtx -o d/x.mtx --json d/r.json
values d/x.mtx 1e-14 1 2 3
json d/r.json status=OK
only r.json x.mtx

# Two outputs that are one file would destroy each other: refused before any work, however the name is spelled.
mkdir two
ln -s . two/here
ln -s two twice
for other in two/q ./two/q two/../two/q twice/q two/here/q "$work/two/q"; do
    error 2 'are the same file' generate "$kind" --n 4 -o two/q --rhs "$other"
    error 2 'are the same file' solve A.mtx -o two/q --json "$other"
    absent two/q
done
echo before >two/old
ln -s old two/link
ln two/old two/hard
for other in two/old two/link two/hard; do
    error 2 'are the same file' generate "$kind" --n 4 -o two/old --rhs "$other"
    error 2 'are the same file' solve A.mtx -o two/old --json "$other"
    has two/old '^before$'
done
error 2 'share standard output' solve A.mtx -o - --json /dev/stdout
error 2 'share standard output' generate "$kind" --n 4 -o /dev/stdout --rhs -
# Nor does a report or a picture take the place of a file that is read. A solution may: tool_solve writes x over b.
cp A.mtx two/A.mtx
cp b.mtx two/b.mtx
ln -s A.mtx two/A-link
for other in two/A.mtx two/A-link two/here/A.mtx; do
    error 2 'are the same file' solve two/A.mtx two/b.mtx --json "$other"
    error 2 'are the same file' solve two/A.mtx two/b.mtx --plot "$other"
    error 2 'are the same file' invert two/A.mtx -o two/X --json "$other"
done
error 2 'are the same file' solve two/A.mtx two/b.mtx --json two/b.mtx
cmp -s A.mtx two/A.mtx && cmp -s b.mtx two/b.mtx || fail "a file that was read is another one now"
ln -s nowhere two/lost
error 3 'two/lost: cannot write: a symbolic link that leads nowhere' solve A.mtx -o two/lost
error 3 'two/lost: cannot write: a symbolic link that leads nowhere' solve A.mtx --json two/lost

# Permissions follow the umask, as for any new file.
rm -f d/r.json
(umask 027 && call solve A.mtx --json d/r.json >out 2>err) || fail "solve under umask 027"
case $(ls -l d/r.json) in -rw-r-----*) ;; *) fail "d/r.json: $(ls -l d/r.json)" ;; esac

# Devices and pipes are written in place, never replaced.
run 0 solve A.mtx -o /dev/null --json /dev/null
[ -c /dev/null ] || fail "/dev/null is no device any more"
mkfifo pipe
cat pipe >piped &
run 0 solve A.mtx b.mtx -o pipe
wait
values piped 1e-14 1 2 3
if [ -e /dev/full ]; then
    error 3 '^clsolve: /dev/full: cannot write: ' solve A.mtx -o /dev/full
    run 3 solve A.mtx --json /dev/full
    has err '^clsolve: /dev/full: cannot write: '
    error 3 '^clsolve: /dev/full: cannot write: ' generate "$kind" --n 3 -o /dev/full
    [ -c /dev/full ] || fail "/dev/full is no device any more"
    for arguments in 'solve A.mtx' 'solve A.mtx --json -' 'solve A.mtx -o -' devices "generate $kind --n 3 -o -"; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086
        call $arguments >/dev/full 2>err
        [ $? -eq 3 ] || fail "clsolve $arguments >/dev/full does not end with 3"
        has err '^clsolve: .*cannot write: '
    done
    # The report of a solution that could not be written says so.
    run 3 solve A.mtx -o /dev/full --json d/r.json
    json d/r.json status=ERROR_FILE exit_code=3 solution:null
    # So does that of a run whose other report was lost.
    call solve A.mtx --json d/r.json >/dev/full 2>err
    json d/r.json status=ERROR_FILE exit_code=3 message:string n=3
fi

# A folder below /dev is a folder like any other: what a failed write finds there stays, as it was.
if [ -d /dev/shm ] && shared=$(mktemp -d /dev/shm/clsolve-test-XXXXXX); then
    trap 'rm -rf "$work" "$shared"' EXIT
    echo before >"$shared/file"
    for arguments in "generate $kind --n 30 -o" "devices --json"; do
        # No file may grow: each write fails, whether the signal that says so is ignored or not.
        for signal in ignored kept; do
            checks=$((checks + 1))
            # shellcheck disable=SC2086
            (
                [ $signal = kept ] || trap '' XFSZ
                ulimit -f 0
                "$clsolve" $arguments "$shared/file"
                echo "code $?"
            ) 2>&1 | cat >out
            has out '^code 3$'
            has "$shared/file" '^before$'
            [ "$(ls -A "$shared")" = file ] || fail "$arguments leaves $(ls -A "$shared")"
        done
    done
    run 0 generate "$kind" --n 30 -o "$shared/file"
    has "$shared/file" '^%%MatrixMarket'
fi

# A reader that has gone away.
checks=$((checks + 1))
{ call solve A.mtx 2>err; echo $? >code; } | :
case $(cat code) in 0 | 3) ;; *) fail "a closed pipe: exit code $(cat code)" ;; esac
finish

# output.sh: files are whole or not there, and what cannot be written is told.
. "$(dirname "$0")/common.sh"
need_device
small_system
mkdir d

# A folder that is not there, a folder in the file's place, a folder without permission.
error 3 "nosuch/x.mtx: cannot write: folder 'nosuch': " solve A.mtx -o nosuch/x.mtx
error 3 "nosuch/r.json: cannot write: folder 'nosuch': " solve A.mtx --json nosuch/r.json
error 3 "nosuch/d.json: cannot write" devices --json nosuch/d.json
error 3 'd: cannot write: ' solve A.mtx -o d
error 3 'A.mtx/x.mtx: cannot write' solve A.mtx -o A.mtx/x.mtx
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
    error 3 '^clsolve: /dev/full: cannot write: ' solve A.mtx --json /dev/full
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
fi

# A reader that has gone away.
checks=$((checks + 1))
{ call solve A.mtx 2>err; echo $? >code; } | :
case $(cat code) in 0 | 3) ;; *) fail "a closed pipe: exit code $(cat code)" ;; esac
finish

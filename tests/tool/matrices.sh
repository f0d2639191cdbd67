# matrices.sh: real matrices from $CLSOLVE_TEST_MATRICES, or the folder that the build was told of.
. "$(dirname "$0")/common.sh"
folder=${CLSOLVE_TEST_MATRICES:-$matrices}
[ -d "$folder" ] || skip "no folder $folder: set CLSOLVE_TEST_MATRICES to one with Matrix Market files"
need_device

solved=0
for matrix in "$folder"/*.mtx; do
    [ -e "$matrix" ] || continue
    for precision in double single; do
        # Badly scaled ones may be singular in float, or beyond its range: that is told, and no wrong answer given.
        call solve "$matrix" --precision $precision --json r.json >out 2>err
        code=$?
        checks=$((checks + 1))
        if [ $precision = single ] && [ $code -ne 0 ]; then
            case $code in 3 | 4 | 5) echo "$(basename "$matrix") in single: $(cat err)" ;;
            *) fail "$matrix in single: exit code $code" ;; esac
            continue
        fi
        [ $code -eq 0 ] || { fail "$matrix: exit code $code"; continue; }
        json r.json status=OK info=0 'scaled_residual<30'
        solved=$((solved + 1))
        echo "$(basename "$matrix") $precision: $(grep -E 'scaled_residual|relative' r.json | tr -d '\n')"
    done
done
[ $solved -gt 0 ] || skip "no matrix in $folder"
finish

# judge.awk: the figures of kernels (build.sh) against expected.txt, whose rules come first. Fields are parted by tabs.
# Exit 1 where a kernel is worse than the rules allow, or, with every=1, where an exception is needed no more. This goes for the compilers
# with which expected.txt was written; of others it only tells.
function allowed(    k) {
    for (k = 1; k <= exceptions; k++)
        if ($1 ~ "^(" on[k] ")$" && ($3 "/" $4) ~ "^(" of[k] ")$" && $5 ~ with[k]) return k
    return 0
}
/^#/ || NF == 0 { next }
$1 == "rule" { rule_on[++rules] = $2; rule_spilled[rules] = $3; rule_waves[rules] = $4; next }
$1 == "known" {
    on[++exceptions] = $2; of[exceptions] = $3; with[exceptions] = $4 == "-" ? "" : $4
    most_spilled[exceptions] = $5; least_waves[exceptions] = $6
    next
}
$5 ~ /CLS_(CANDIDATE|NOT_ASKED)/ { next }
$1 == "breaks" { next }
{
    compiler = $2
    spilled = 0; waves = 1
    for (r = rules; r >= 1; r--) if ($1 ~ "^(" rule_on[r] ")$") { spilled = rule_spilled[r]; waves = rule_waves[r] }
    bad = $9 > spilled || $12 < waves
    k = allowed()
    if (k) {
        met[k] = 1
        if (bad) needed[k] = 1
        if (bad && $9 <= most_spilled[k] && $12 >= least_waves[k]) next
        if (!bad) next
    }
    if (bad) {
        printf "WORSE: %s.cl %s on %s: %d registers, %d bytes of local memory, %d spilled, %d waves\n       with %s\n", \
            $3, $4, $1, $6, $8, $9, $12, $5
        worse++
    }
}
END {
    for (k = 1; k <= exceptions; k++)
        if (every && met[k] && !needed[k]) {
            printf "NOT NEEDED: the exception of %s for %s in expected.txt: none of its kernels is worse than the rule\n", of[k], on[k]
            worse++
        }
    if (worse) print worse " kernels or exceptions are not as expected"
    exit worse > 0 && (compiler == "clang-19" || compiler == "ocloc")
}

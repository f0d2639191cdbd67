# turns.awk: of programs.tsv (TARGET, FILE, OPTIONS) what is built for `target`: all with every=1; else whatever counts for
# speed, and of the rest each program for one of the maker's targets that ask for it; where no other one asks, a third of
# those that come in many shapes. Then of the shapes of one file in one type two are built, with few=1 one, other ones for
# each target.
# A file that is not named here is built for each target. With age=oldest nothing goes by turns.
function maker(name) { return name ~ /^gfx/ ? "amd" : "intel" }
# Of many sizes of one shape not all need be built each time.
function left_out(file, options) {
    if (file == "gj_batch") return options !~ /-DN=(1|8|24|32|48|64) /
    if (file ~ /^bt_/) return options ~ /-DW=(2|16) |-DP=(8|16) /
    return 0
}
# What is done element by element, and what is much like another kernel of its method, is not built with few=1.
function is_plain(file) {
    return file ~ /^(scale|scatter|measure|transpose|verdict|rate|symmetric|equilibrate|double_bits|lu_small_solve)$/ ||
        file ~ /^front_(values|move|residual|inverse|border|small)$|^bt_(convert|lift|members)$/
}
function by_turns(file, options) {
    if (options ~ /CLS_(CANDIDATE|NOT_ASKED)/) return 1
    if (file == "gj_batch") return options !~ /N=(32|64) -DRHS=4/
    if (file ~ /^bt_(sweep|cycle|factor)$/) return options !~ /REAL=double.*-DW=8 -DP=32 -DS=16/
    if (file == "lu_rows") return options !~ /-DWIDTH=32( |$)/
    if (file == "gemm_tiled") return options ~ /TRANS_[AB]=1/
    return file ~ /^(band_|bt_|gj_|equilibrate|measure|scale|transpose|verdict)/
}
maker($1) == maker(target) {
    key = $2 OFS $3
    sub(/ -DCLS_SUB_GROUP=.*/, "", key)
    askers[key] = askers[key] " " $1
    if ($1 == target) {
        list[++count] = $2 OFS $3
        keys[count] = key
    }
}
# REAL=double -DCLS_DOUBLE=1 and the like, with the file.
function kind(line,    part) {
    split(line, part, OFS)
    return part[1] OFS (part[2] ~ /REAL=double/) (part[2] ~ /CLS_COMPLEX=1/) (part[2] ~ /CLS_BY_SUB_GROUPS/)
}
END {
    for (t = 1; t <= length(target); t++) shift += index("abcdefghijklmnopqrstuvwxyz0123456789", substr(target, t, 1))
    for (k = 1; k <= count; k++) {
        split(list[k], part, OFS)
        if (!every && left_out(part[1], part[2])) continue
        if (!every && few && age != "oldest" && is_plain(part[1])) continue
        if (!every && by_turns(part[1], part[2])) {
            n = split(askers[keys[k]], asker, " ")
            if (age == "oldest" || asker[k % n + 1] != target) continue
            if (n == 1 && part[1] ~ /^(bt|gj|band|lu|gemm)_/ && k % 3) continue
        }
        chosen[++choices] = list[k]
        shapes[kind(list[k])]++
    }
    for (c = 1; c <= choices; c++) {
        of = kind(chosen[c])
        number = (seen[of]++ + shift) % shapes[of]
        if (every || age == "oldest" || !few && shapes[of] <= 2 || number == 0 ||
            !few && number == int(shapes[of] / 2)) print chosen[c]
    }
}

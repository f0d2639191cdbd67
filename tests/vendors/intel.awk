# intel.awk: the .ze_info that ocloc writes beside the machine code (zebin, YAML), as rows of figures.tsv (build.sh).
#
# WAVES: threads of a vector engine, 7 on Gen12LP and 8 later with 128 registers each, half of them with 256, as far as the
# local memory suffices: 64 KB for 16 engines on Gen12LP, 128 KB for 16 on DG2 and for 8 on PVC (Intel's oneAPI optimization
# guide). Scratch is for registers that spill and for arrays that are indexed; either costs.
function least(a, b) { return a < b ? a : b }
function waves_of(    most, engines, unit, groups) {
    most = target ~ /^(adl|tgl|rkl|dg1)/ ? 7 : 8
    engines = target ~ /^pvc/ ? 8 : 16
    unit = target ~ /^(adl|tgl|rkl|dg1)/ ? 65536 : 131072
    if (registers > 128) most = most / 2
    if (!local) return most
    groups = int(unit / local)
    return least(most, int((groups * int((group + wave - 1) / wave) + engines - 1) / engines))
}
function row() {
    if (name != "" && name !~ /^Intel_Symbol_Table/)
        print target, compiler, file_name, name, options, registers, 0, local + 0, spilled + 0, wave, group, waves_of()
    name = ""; local = spilled = group = 0
}
BEGIN { OFS = "\t" }
/^kernels_misc_info:/ { exit }
/^  - name:/ { row(); name = $3 }
$1 == "grf_count:" { registers = $2 }
$1 == "simd_size:" { wave = $2 }
$1 == "slm_size:" { local = $2 }
$1 == "required_work_group_size:" { split($0, size, /[][,]/); group = size[2] * size[3] * size[4] }
/^      - type:/ { scratch = $3 == "scratch" }
$1 == "size:" && scratch { spilled += $2; scratch = 0 }
END { row() }

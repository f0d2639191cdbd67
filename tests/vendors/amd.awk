# amd.awk: what AMD's compilers note of each kernel in an object (llvm-readelf --notes), as a row of figures.txt:
# TARGET COMPILER FILE KERNEL OPTIONS REGISTERS SCALARS LOCAL SPILLED WAVE GROUP WAVES, with tabs.
#
# WAVES: as many of a SIMD as its registers and the unit's local memory have room for. LLVM's AMDGPU usage guide and
# AMD's architecture manuals have the sizes:
#
#                        registers of a lane   in steps of   most waves   local memory
#   gfx906               256 (64 lanes)        4             10           64 KB for 4 SIMD
#   gfx90a, gfx942       512 (64 lanes)        8             8            64 KB for 4 SIMD
#   gfx1030              1024 (32 lanes)       16 (8 here)   16           128 KB for 4 SIMD
#   gfx1100, gfx1201     1536 (32 lanes)       24            16           128 KB for 4 SIMD
function least(a, b) { return a < b ? a : b }
function waves_of(    file, step, most, unit, used, by_registers, a_group, groups) {
    file = 256; step = 4; most = 10; unit = 65536
    if (target ~ /^gfx9(0a|4)/) { file = 512; step = 8; most = 8 }
    if (target ~ /^gfx1/) { file = wave == 32 ? 1024 : 512; step = wave == 32 ? 8 : 4; most = 16; unit = 131072 }
    if (target ~ /^gfx1(10[01]|151|20)/) { file = file * 3 / 2; step = step * 3 }
    used = int((registers + step - 1) / step) * step
    by_registers = used ? least(most, int(file / used)) : most
    a_group = int((group + wave - 1) / wave)
    if (local == 0) return by_registers
    groups = int(unit / local)
    return least(by_registers, int((groups * a_group + 3) / 4))
}
function row() {
    if (name != "")
        print target, compiler, file_name, name, options, registers, scalars, local, spilled, wave, group, waves_of()
    name = ""; group = 0
}
BEGIN { OFS = "\t" }
/^  - / { row(); spilled = 0 }
$1 == ".name:" && /^    \./ { name = $2 }
$1 == ".vgpr_count:" { registers = $2 }
$1 == ".sgpr_count:" { scalars = $2 }
$1 == ".group_segment_fixed_size:" { local = $2 }
# Scratch without spills is an array that the compiler could not keep in registers: it costs as much.
$1 == ".private_segment_fixed_size:" || $1 == ".vgpr_spill_count:" { if ($2 > spilled) spilled = $2 }
$1 == ".wavefront_size:" { wave = $2 }
$1 == ".max_flat_workgroup_size:" { group = $2 }
END { row() }

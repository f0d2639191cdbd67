/*
 * amd_sub_groups.cl: the functions of cl_khr_subgroups that the kernels call, which libclc does not have for AMD's GPUs.
 * AMD's own library makes them of the same exchanges; here they stand in for it, so that registers can be read out.
 */
#define OVERLOADABLE __attribute__((overloadable))
#ifdef __AMDGCN_WAVEFRONT_SIZE__
#define LANES ((uint)__AMDGCN_WAVEFRONT_SIZE__)
#else
#define LANES ((uint)__AMDGCN_WAVEFRONT_SIZE)
#endif

static uint lane(void) {
    uint below = __builtin_amdgcn_mbcnt_lo(~0u, 0);
    return LANES == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, below) : below;
}

static uint item(void) {
    return __builtin_amdgcn_workitem_id_x(); /* groups of one dimension */
}

uint OVERLOADABLE get_sub_group_local_id(void) {
    return lane();
}
uint OVERLOADABLE get_sub_group_id(void) {
    return item() / LANES;
}
uint OVERLOADABLE get_sub_group_size(void) {
    return LANES;
}
uint OVERLOADABLE get_num_sub_groups(void) {
    return (uint)(__builtin_amdgcn_workgroup_size_x() + LANES - 1) / LANES;
}

static uint across(uint x, uint mask) {
    return (uint)__builtin_amdgcn_ds_bpermute((int)((lane() ^ mask) * 4), (int)x);
}
static ulong across_both(ulong x, uint mask) {
    return (ulong)across((uint)(x >> 32), mask) << 32 | across((uint)x, mask);
}

#define REDUCTION(name, type, exchange, better)                                                                        \
    type OVERLOADABLE name(type x) {                                                                                   \
        for (uint mask = LANES / 2; mask > 0; mask /= 2) {                                                             \
            const type other = (type)exchange(x, mask);                                                                \
            x = other better x ? other : x;                                                                            \
        }                                                                                                              \
        return x;                                                                                                      \
    }
REDUCTION(sub_group_reduce_max, uint, across, >)
REDUCTION(sub_group_reduce_min, uint, across, <)
REDUCTION(sub_group_reduce_max, int, across, >)
REDUCTION(sub_group_reduce_min, int, across, <)
REDUCTION(sub_group_reduce_max, ulong, across_both, >)
REDUCTION(sub_group_reduce_min, ulong, across_both, <)
REDUCTION(sub_group_reduce_max, long, across_both, >)
REDUCTION(sub_group_reduce_min, long, across_both, <)

/*
 * bt_convert.cl: double to float and back, for a preconditioner in float inside an iteration in double. Built in double.
 * Work-groups: LS work-items, neighbours on neighbouring words.
 */
#ifndef LS
#define LS 64
#endif

KERNEL WORK_GROUP(LS, 1, 1) void bt_narrow(GLOBAL const REAL *from, GLOBAL float *to, idx_t length) {
    for (idx_t i = GROUP_ID(0) * LS + LOCAL_ID(0); i < length; i += GROUPS(0) * LS) to[i] = (float)from[i];
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_widen(GLOBAL const float *from, GLOBAL REAL *to, idx_t length) {
    for (idx_t i = GROUP_ID(0) * LS + LOCAL_ID(0); i < length; i += GROUPS(0) * LS) to[i] = (REAL)from[i];
}

/*
 * bt_grid.cl: all kernels of a grid in one program, for work-groups of one work-item. PoCL compiles a kernel when it is
 * launched; but each program costs it a start of clang, 7 ms, though the program is in its cache.
 */
#define P       1
#define S       1
#define LS      1
#define KERNELS 255 /* all */
#include "bt_sweep.cl"
#include "bt_cycle.cl"
#include "bt_factor.cl"
#include "bt_setup.cl"
#include "bt_vector.cl"

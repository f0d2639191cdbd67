/*
 * The texts of cl/lu_batch_small.cl, cl/front_panel.cl or cl/direct_batch_whole.cl, and of cl/direct_batch_solve.cl, behind the
 * words of cl/dialect.clh as the emulator has them; compiled once for each form, with CLS_COMPLEX, CLS_DOUBLE, N, HELD, SIDES,
 * and WHOLE: 1 for the last one of the three, 2 for its Cholesky, 3 for that by panels of 32 columns.
 */
#include "kernels/lu_batch_form.h"

#define LX             (N / HELD)
#define LY             (LX < 32 ? 32 / LX : 1)
#define ITEMS_OF_GROUP (LX * LY)
#include "kernels/emulator_dialect.h"
#undef LANES
#define LANES 32 /* a number: the kernels compare it before C does */
#undef LOCAL_ID
#define LOCAL_ID(d) ((d) == 0 ? emulator_item() % LX : emulator_item() / LX)
#define UNROLL_SOME

#pragma GCC diagnostic ignored "-Wunused-parameter"

static int turn; /* a group of panels, or of columns, at a time */

/* What the matrix unit does with a tile, by exchanges of lanes. */
static inline void multiply_by_lanes(REAL c[4], const REAL a[4], const REAL b[2]) {
    const unsigned lane = (unsigned)(emulator_item() % LANES);
    for (unsigned k = 0; k < 8; ++k)
        for (unsigned half = 0; half < 2; ++half)
            for (unsigned e = 0; e < 2; ++e) {
                const REAL left = LANES_GET_REAL(a[half + k / 4 * 2], lane / 4 * 4 + k % 4);
                const REAL right = LANES_GET_REAL(b[k / 4], (lane % 4 * 2 + e) * 4 + k % 4);
                c[2 * half + e] += left * right;
            }
}

#if WHOLE
#if CLS_DOUBLE
#define rsqrt(x) (1 / sqrt(x))
#else
#define rsqrt(x) (1 / sqrtf(x))
#endif
#define CHOLESKY          (WHOLE >= 2)
#define CLS_UNIT          80
#define MULTIPLY(c, a, b) multiply_by_lanes(c, a, b)
#define LS                LX
#define PER               HELD
#define W                 (WHOLE == 3 ? 32 : 16)
#define CHUNK             (2 * W) /* so that the orders have several */
#include "../../cl/direct_batch_whole.cl"
#undef R
#elif HELD == 1
#include "../../cl/lu_batch_small.cl"
#undef SYNC
#else
#define EXACT
#define CHOLESKY 0
#define LS       LX
#define PER      HELD
#define W        16
#undef GROUP_ID
#define GROUP_ID(d) ((d) == 0 ? emulator_group() : 0)
#include "../../cl/front_panel.cl"
#undef R
#endif
#undef GROUP_ID
#define GROUP_ID(d) ((d) == 0 ? emulator_group() : turn)
#include "../../cl/direct_batch_solve.cl"

_Static_assert(LANES == EMULATOR_LANES, "a wave of the emulator");

static void factor(void *arguments) {
    const lu_batch_launch *l = arguments;
#if WHOLE
    direct_batch_whole(NULL, NULL, 0, l->count, l->n, l->A, 0, 1, l->n, l->n * l->n, NULL, l->F, l->rows, l->scales,
                       l->info, 0);
#elif HELD == 1
    lu_batch_small(NULL, NULL, 0, l->count, l->n, l->A, 0, 1, l->n, l->n * l->n, NULL, l->F, l->rows, l->scales,
                   l->info, 0);
#else
    front_panel((const idx_t *)l->fronts, l->list, 0, l->column, 0, (int)l->n, l->F, l->exchanges, 0, 0, l->info);
#endif
}

static void solve(void *arguments) {
    const lu_batch_launch *l = arguments;
    turn = l->column;
    direct_batch_solve(NULL, NULL, 0, l->count, l->n, l->F, l->rows, l->scales, l->info, l->B, 0, 1, l->n,
                       l->n * l->rhs, NULL, l->rhs, l->transposes, 0, l->outcome);
}

EMULATOR_FORM(lu_batch_form, CLS_COMPLEX, CLS_DOUBLE, N, LX *LY, LY, WHOLE || HELD == 1 ? 0 : 16, SIDES, WHOLE >= 2,
              WHOLE || HELD == 1, factor, solve)

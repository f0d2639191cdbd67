/* options.h (private): fields that the options of direct methods have in common with the solver's. */
#ifndef CLS_SOLVE_OPTIONS_H
#define CLS_SOLVE_OPTIONS_H

#define CLS_OPTIONS_OF_BANDS(o)                                                                                        \
    .block = (o)->block, .slab_bytes = (o)->slab_bytes, .progress = (o)->progress,                                     \
    .progress_user = (o)->progress_user, .precision = (o)->precision, .rcond = (o)->rcond,                             \
    .equilibrate = (o)->equilibrate, .refine = (o)->refine, .memory_limit = (o)->memory_limit, .where = (o)->where
/* With panels, which Cholesky of a band has not. */
#define CLS_OPTIONS_OF(o) .panel = (o)->panel, CLS_OPTIONS_OF_BANDS(o)

#endif

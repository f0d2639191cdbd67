#include "method/lu/arrival.h"

int cls_lu_can_arrive(const cls_lu *lu, const clsolve_matrix *view) {
    return lu->ahead && !lu->rbt.on && lu->arrival_columns > 0 && cls_arrival_suits(view, &lu->A);
}

static clsolve_status measure(void *owner, cls_queue queue, int64_t begin, int64_t cols) {
    cls_lu *lu = owner;
    return cls_check_accumulate(lu->device, &lu->check, queue, &lu->A, begin, cols, CLS_CHECK_WHOLE, begin > 0);
}

clsolve_status cls_lu_arrival_begin(cls_lu *lu, const clsolve_matrix *view) {
    const cls_arrival_plan plan = {.device = lu->device,
                                   .from = view,
                                   .to = &lu->A,
                                   .columns = lu->arrival_columns,
                                   .receive = measure,
                                   .owner = lu};

    CLS_TRY(cls_arrival_begin(&plan, &lu->arrival));
    lu->device->counters.transfers_up -= lu->arrival->groups - 1; /* it is one matrix */
    return CLSOLVE_OK;
}

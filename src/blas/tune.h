/* tune.h: the search for the parameters of the portable product. See <clsolve/tune.h> and record.h. */
#ifndef CLS_TUNE_H
#define CLS_TUNE_H

#include <clsolve/tune.h>

#include "blas/tune_measure.h"

/* Who stores the record as it is by then: after a better candidate, after the search, after each op of the
 * comparison. */
typedef struct cls_tune_keeper {
    void (*keep)(void *user, const cls_record *record); /* NULL: nobody */
    void *user;
} cls_tune_keeper;

/* Fills all of the report but stored and file; record is the best candidate's, with what the comparison gave. With
 * options->resume what the stored record has is not measured again. Nothing is stored but by the keeper. */
clsolve_status cls_tune_search(cls_device *device, clsolve_type type, const clsolve_tune_options *options,
                               const cls_tune_keeper *keeper, clsolve_tune_report *report, cls_record *record);

/* The parameters with one changed, `move` from 0 on; 0 beyond the last. The result may not fit. */
int cls_tune_move(const cls_tile *from, int move, cls_tile *to);

#endif

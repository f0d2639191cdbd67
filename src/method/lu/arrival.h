/*
 * arrival.h: A comes up while its first columns are factored (method/arrival.h): each group is measured as it arrives,
 * and the look-ahead (factor.c) waits for the groups alone that it comes to next.
 */
#ifndef CLS_LU_ARRIVAL_H
#define CLS_LU_ARRIVAL_H

#include "method/arrival.h"
#include "method/lu/lu.h"

/* Can this view come so? */
int cls_lu_can_arrive(const cls_lu *lu, const clsolve_matrix *view);
/* Begins; lu->arrival is there until cls_arrival_end. Between them the view is not touched. */
clsolve_status cls_lu_arrival_begin(cls_lu *lu, const clsolve_matrix *view);

#endif

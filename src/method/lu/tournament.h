/*
 * tournament.h: leaves whose pivots a tournament finds (L. Grigori, J. Demmel, H. Xiang, CALU: a communication optimal LU
 * factorization algorithm, SIAM J. Matrix Anal. Appl. 32 (2011), section 2), a launch a round and one for L: see
 * cl/lu_tournament.cl. The pivots come as LAPACK's, with the moves of rows as any other leaf leaves them, so that whatever uses
 * factors does not know the difference.
 *
 *     rounds of an m x w leaf by groups of c rows:   ceil(m / c) groups, each with w winners; ceil(w groups / c) ...; 1
 */
#ifndef CLS_LU_TOURNAMENT_H
#define CLS_LU_TOURNAMENT_H

#include "method/lu/lu.h"

/* After lu's sizes are known; takes the kernels and the lists of winners. */
clsolve_status cls_lu_tournament_setup(cls_lu *lu);
void cls_lu_tournament_release(cls_lu *lu);

/* Instead of panel.c's leaf: L\U of rows j.. of the columns j .. j + width - 1, rows moved within them. Enqueues. */
clsolve_status cls_lu_tournament_leaf(cls_lu *lu, int64_t j, int64_t width);

#endif

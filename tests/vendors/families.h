/* families.h: every family that the library has, asked for in the sizes between which its kernels' shapes change. */
#ifndef VENDORS_FAMILIES_H
#define VENDORS_FAMILIES_H

#include <clsolve/clsolve.h>

/* Makes handles of all families, with each option that has kernels of its own, and lets them factor and solve. What a
 * call returns is no matter: a played GPU (played.h) computes nothing. */
void families_ask(clsolve_context *context, clsolve_type type);

#endif

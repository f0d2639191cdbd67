/* band.h (private): what a clsolve_band is, and what the files of its calls share. */
#ifndef CLS_API_BAND_H
#define CLS_API_BAND_H

#include <clsolve/band.h>

#include "api/handle.h"
#include "method/band/direct.h"

struct clsolve_band {
    cls_handle it;
    clsolve_band_options options;
    cls_band band;
};

/* The shape and the form of a create call, and of `call`. */
clsolve_status cls_band_check_shape(cls_error *error, const char *call, const cls_handle_shape *shape,
                                    clsolve_type type);
clsolve_status cls_band_check_form(cls_error *error, const char *call, clsolve_band_form form);

#endif

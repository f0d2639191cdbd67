/* builtin_tiled.c: the portable product (cl/gemm_tiled.cl), with the parameters of the device's record (record.h). */
#include "blas/builtin.h"

#include <stdio.h>
#include <string.h>

/* ---- the record ---- */

clsolve_status cls_builtin_record(cls_device *device, clsolve_type type, int anew, const cls_record **record,
                                  cls_record_outcome *outcome) {
    const int t = type == CLSOLVE_F64;
    cls_tile guesses[CLS_TILE_GUESSES];
    cls_builtin *builtin;
    CLS_TRY(cls_builtin_get(device, &builtin));
    if (anew && builtin->record_known[t]) {
        /* Kernels built with the old parameters go; a launch under way keeps what it needs. */
        cls_kernel **tiled = &builtin->tiled[t][0][0][0][0];
        for (size_t k = 0; k < sizeof builtin->tiled[t] / sizeof *tiled; k++) {
            device->ops->kernel_destroy(device, tiled[k]);
            tiled[k] = NULL;
        }
        builtin->record_known[t] = builtin->tiled_fails[t] = 0;
    }
    if (!builtin->record_known[t]) {
        builtin->outcome[t] = cls_record_load(device->cache_folder, &device->info, type, &builtin->record[t]);
        if (builtin->outcome[t] != CLS_RECORD_FOUND) {
            memset(&builtin->record[t], 0, sizeof builtin->record[t]);
            if (!cls_record_known(&device->info, type, &builtin->record[t])) {
                (void)cls_tile_guesses(&device->info, type, guesses);
                builtin->record[t].tile = guesses[0];
            }
        }
        builtin->record_known[t] = 1;
    }
    *record = &builtin->record[t];
    *outcome = builtin->outcome[t];
    return CLSOLVE_OK;
}

int cls_builtin_tiled_suits(cls_device *device, const cls_product *p) {
    const cls_record *record;
    cls_record_outcome outcome;
    if (cls_is_complex(p->type)) return 0; /* its kernel multiplies real numbers */
    if (device->blas->tiled == CLS_TILED_NEVER || (p->type == CLSOLVE_F64 && !device->info.fp64)) return 0;
    if (cls_builtin_record(device, p->type, 0, &record, &outcome) != CLSOLVE_OK) return 0;
    if (device->blas->builtin->tiled_fails[p->type == CLSOLVE_F64]) return 0;
    return device->blas->tiled == CLS_TILED_ALWAYS || cls_record_takes(record, p->op_a, p->op_b, p->m, p->n, p->k);
}

/* ---- the kernel ---- */

int cls_builtin_tiled_aligned(const cls_tile *tile, const cls_product *p) {
    const int64_t all = p->A.offset | p->A.ld | p->B.offset | p->B.ld | p->C.offset | p->C.ld;
    return tile->vector > 1 && all % tile->vector == 0;
}

cls_builtin_form cls_builtin_tiled_form(const cls_tile *tile, clsolve_type type, clsolve_op op_a, clsolve_op op_b,
                                        int aligned, char text[CLS_TILED_TEXT]) {
    char sizes[CLS_TILE_TEXT];
    cls_tile_options(tile, sizes);
    (void)snprintf(text, CLS_TILED_TEXT, "%s -DTRANS_A=%d -DTRANS_B=%d -DALIGNED=%d", sizes, op_a != CLSOLVE_NO_TRANS,
                   op_b != CLSOLVE_NO_TRANS, aligned);
    return (cls_builtin_form){"gemm_tiled", type, text, op_a, op_b, !aligned, 0, cls_builtin_tiled_launch, tile};
}

clsolve_status cls_builtin_tiled_launch(cls_device *device, cls_kernel *kernel, const void *how, const cls_product *p) {
    const cls_tile *tile = how;
    const size_t items = (size_t)cls_tile_items(tile);
    const int64_t groups = (p->m + tile->tile_m - 1) / tile->tile_m * ((p->n + tile->tile_n - 1) / tile->tile_n);
    const float alpha32 = (float)p->alpha, beta32 = (float)p->beta;
    const cls_arg alpha64 = CLS_VALUE(p->alpha), beta64 = CLS_VALUE(p->beta);
    const cls_arg alpha_single = CLS_VALUE(alpha32), beta_single = CLS_VALUE(beta32);
    const int single = p->type == CLSOLVE_F32;
    cls_grid grid = {{(size_t)groups * items, 1, 1}, {items, 1, 1}};
    cls_arg args[] = {CLS_VALUE(p->m),
                      CLS_VALUE(p->n),
                      CLS_VALUE(p->k),
                      single ? alpha_single : alpha64,
                      CLS_REF(p->A),
                      CLS_REF(p->B),
                      single ? beta_single : beta64,
                      CLS_REF(p->C)};
    return cls_launch(device, p->options.queue, kernel, &grid, CLS_ARGS(args));
}

/* Whether the tile's groups are too few for the device: then half of it each way has four times as many, whose items
 * are as many as before. */
static int wants_half(const cls_device *device, const cls_tile *tile, const cls_product *p) {
    const int64_t groups = (p->m + tile->tile_m - 1) / tile->tile_m * ((p->n + tile->tile_n - 1) / tile->tile_n);
    return device->info.type == CLSOLVE_DEVICE_GPU && groups < device->info.compute_units;
}

/* The kernel of that form, built and tested at its first use; NULL in *kernel where it fails. */
static clsolve_status get_kernel(cls_device *device, const cls_tile *tile, int half, const cls_product *p, int aligned,
                                 cls_kernel **kernel) {
    const int t = p->type == CLSOLVE_F64;
    cls_builtin *builtin = device->blas->builtin;
    cls_kernel **slot = &builtin->tiled[t][half][p->op_a != CLSOLVE_NO_TRANS][p->op_b != CLSOLVE_NO_TRANS][aligned];
    char text[CLS_TILED_TEXT];
    if (!*slot) {
        const cls_builtin_form form = cls_builtin_tiled_form(tile, p->type, p->op_a, p->op_b, aligned, text);
        CLS_TRY(cls_builtin_tested(device, &form, slot, &builtin->tiled_fails[t]));
    }
    *kernel = *slot;
    return CLSOLVE_OK;
}

clsolve_status cls_builtin_tiled(cls_device *device, const cls_product *p, int *right) {
    cls_tile tile = device->blas->builtin->record[p->type == CLSOLVE_F64].tile;
    cls_kernel *kernel;
    const int half = wants_half(device, &tile, p) && cls_tile_halve(&tile, &device->info, p->type);
    CLS_TRY(get_kernel(device, &tile, half, p, cls_builtin_tiled_aligned(&tile, p), &kernel));
    *right = kernel || device->announcing;
    return kernel ? cls_builtin_tiled_launch(device, kernel, &tile, p) : CLSOLVE_OK;
}

clsolve_status cls_builtin_tiled_try(cls_device *device, clsolve_type type) {
    static const int64_t ranks[] = {32, 128, 512};
    int used = 0;
    for (int r = 0; r < 3; r++) {
        cls_product p = {.type = type, .op_a = CLSOLVE_NO_TRANS, .op_b = CLSOLVE_NO_TRANS, .m = 1024, .n = 1024};
        p.k = ranks[r];
        used |= cls_builtin_tiled_suits(device, &p);
    }
    if (!used) return CLSOLVE_OK;
    const cls_product plain = {.type = type, .op_a = CLSOLVE_NO_TRANS, .op_b = CLSOLVE_NO_TRANS};
    const cls_tile *tile = &device->blas->builtin->record[type == CLSOLVE_F64].tile;
    cls_kernel *kernel = NULL;
    CLS_TRY(get_kernel(device, tile, 0, &plain, 0, &kernel));
    return kernel && tile->vector > 1 ? get_kernel(device, tile, 0, &plain, 1, &kernel) : CLSOLVE_OK;
}

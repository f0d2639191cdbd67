/* record_tile.h: the parameters of the portable product (cl/gemm_tiled.cl). */
#ifndef CLS_RECORD_TILE_H
#define CLS_RECORD_TILE_H

#include <clsolve/context.h>

/* As cl/gemm_tiled.cl has them. */
typedef struct cls_tile {
    int32_t tile_m, tile_n, slice, item_m, item_n, vector, local_a, local_b, ahead;
} cls_tile;
enum { CLS_TILE_FIELDS = 9, CLS_TILE_TEXT = 192 };

/* Items of a work-group, and bytes of its local memory. */
int64_t cls_tile_items(const cls_tile *tile);

/* 1: the kernel can be built with these and the device's limits allow it. */
int cls_tile_fits(const cls_tile *tile, const clsolve_device_info *info, clsolve_type type);

/* Half of the tile and of an item's part of it, each way; 0: there is none, and the tile is as it was. */
int cls_tile_halve(cls_tile *tile, const clsolve_device_info *info, clsolve_type type);

/* "-DTILE_M=64 ...", and "tile 64 x 64 x 16, item 4 x 4, vector 2, local A B, ahead" for people. */
void cls_tile_options(const cls_tile *tile, char text[CLS_TILE_TEXT]);
void cls_tile_words(const cls_tile *tile, char text[CLS_TILE_TEXT]);

/* Parameters to begin with, the best first, by kind of device and by maker: from the figures of the makers' compilers,
 * or tried, but not compared with CLBlast's. Candidates that do not fit are left out; there is always one. Returns
 * their number. */
enum { CLS_TILE_GUESSES = 12 };
int cls_tile_guesses(const clsolve_device_info *info, clsolve_type type, cls_tile guesses[CLS_TILE_GUESSES]);

#endif

/*
 * known.h: the table of known devices, known_devices.inc: what comes with the library for devices on which it was
 * measured, whatever their driver. A file that takes the rows defines their macro:
 *
 *      CLS_KNOWN_PRODUCT(platform, name, kind, type, gflops, tile, ratios)         of the built-in product
 *
 *      platform, name   parts of what the driver gives
 *      kind, type       GPU, CPU or OTHER; F32 or F64
 *      gflops           of A B, as in cls_record; 0: not kept
 *      tile, ratios     cls_record.tile and cls_record.against, in braces
 *
 * `clsolve tune --share` prints such rows. docs/tuning.md says how a row gets in. CLS_KNOWN_DEVICES names another
 * table, for a test of rows that are not in it yet.
 */
#ifndef CLS_TUNING_KNOWN_H
#define CLS_TUNING_KNOWN_H

#ifndef CLS_KNOWN_DEVICES
#define CLS_KNOWN_DEVICES "tuning/known_devices.inc"
#endif

#endif

/*
 * png.h: writes grey values as a PNG file (ISO/IEC 15948), without a library and without compression.
 *
 *      unsigned char grey[H * W];                      line by line from the top, 0 is black
 *      if (!png_write("picture.png", W, H, grey)) ...  it could not be written
 *
 * The lines, each behind a filter byte of 0, are one zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4).
 */
#ifndef EXAMPLES_PNG_H
#define EXAMPLES_PNG_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline unsigned char *png_put_number(unsigned char *to, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) *to++ = (unsigned char)(value >> shift);
    return to;
}

/* The remainder of the bytes by the polynomial of ISO 3309, its lowest power in the highest bit. */
static inline uint32_t png_crc(const unsigned char *bytes, size_t count) {
    uint32_t crc = 0xffffffffu;
    for (size_t k = 0; k < count; k++) {
        crc ^= bytes[k];
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

/* A chunk: the length of its data, its type, the data, and the sum of type and data. `chunk` has room for all of it,
 * with the data from its byte 8 on. */
static inline int png_write_chunk(FILE *file, unsigned char *chunk, const char *type, size_t bytes) {
    (void)png_put_number(chunk, (uint32_t)bytes);
    memcpy(chunk + 4, type, 4);
    (void)png_put_number(chunk + 8 + bytes, png_crc(chunk + 4, 4 + bytes));
    return fwrite(chunk, 12 + bytes, 1, file) == 1;
}

/* The zlib stream of the lines; its length. */
static inline size_t png_stream(unsigned char *to, size_t width, size_t height, const unsigned char *grey) {
    enum { LONGEST = 65535 }; /* bytes of a stored block */
    const size_t bytes = (width + 1) * height;
    unsigned char *at = to;
    uint32_t a = 1, b = 0; /* Adler's two sums */
    *at++ = 0x78;          /* deflate, a window of 32 KiB */
    *at++ = 0x01;
    for (size_t k = 0; k < bytes; k++) {
        if (k % LONGEST == 0) {
            const size_t length = bytes - k < LONGEST ? bytes - k : LONGEST;
            *at++ = k + length == bytes; /* the last one? */
            *at++ = (unsigned char)length;
            *at++ = (unsigned char)(length >> 8);
            *at++ = (unsigned char)~length;
            *at++ = (unsigned char)(~length >> 8);
        }
        *at = k % (width + 1) == 0 ? 0 : grey[k / (width + 1) * width + k % (width + 1) - 1];
        a = (a + *at++) % 65521;
        b = (b + a) % 65521;
    }
    return (size_t)(png_put_number(at, b << 16 | a) - to);
}

/* 1: it is written. */
static inline int png_write(const char *path, int width, int height, const unsigned char *grey) {
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const unsigned char form[] = {8, 0, 0, 0, 0}; /* bits of a value; grey; deflate, filters, not interlaced */
    const size_t bytes = ((size_t)width + 1) * (size_t)height;
    unsigned char *chunk = malloc(12 + 2 + bytes + 5 * (bytes / 65535 + 1) + 4);
    FILE *file = chunk ? fopen(path, "wb") : NULL;
    int written = file && fwrite(signature, sizeof signature, 1, file) == 1;
    if (written) {
        memcpy(png_put_number(png_put_number(chunk + 8, (uint32_t)width), (uint32_t)height), form, sizeof form);
        written = png_write_chunk(file, chunk, "IHDR", 8 + sizeof form);
        const size_t length = png_stream(chunk + 8, (size_t)width, (size_t)height, grey);
        written = written && png_write_chunk(file, chunk, "IDAT", length) && png_write_chunk(file, chunk, "IEND", 0);
    }
    if (file) written = fclose(file) == 0 && written;
    free(chunk);
    return written;
}

#endif

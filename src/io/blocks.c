/*
 * blocks.c: the entries of a large file by all cores. A block of the text is cut at ends of lines into parts; each part
 * is read by the same code as a whole file, into arrays of its own, and the arrays are joined in order.
 *
 * Only a part that is right in every line is taken. The first that is not, one that holds more than the size line
 * announces, and the end of the file, are left to the reading line by line, which then says what is wrong and where.
 */
#include "io/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"
#include "io/message.h"
#include "io/number.h"
#include "io/parts.h"

enum { PART = 1 << 20, LEAST = 1 << 18 }; /* bytes of a part, at most; of a block, at least */

typedef struct block {
    mm_entries part[MM_MOST_PARTS];
    mm_result result[MM_MOST_PARTS];
    const char *begin[MM_MOST_PARTS + 1]; /* of each part, and the end of the last */
} block;

static void read_part(void *what, int p) {
    block *b = what;
    mm_entries *part = &b->part[p];
    mm_span line;
    int more = 1;
    mm_result result = MM_OK;
    while (result == MM_OK && more) {
        result = mm_lines_next(&part->lines, &line, &more);
        if (result == MM_OK && more && !mm_at_end(&line)) result = mm_entries_take(part, line);
    }
    b->result[p] = result;
}

/* Cuts the text, which ends with a line. */
static void cut(block *b, const mm_entries *all, const char *begin, const char *end, int parts) {
    b->begin[0] = begin;
    for (int p = 0; p < parts; p++) {
        const char *at = p == parts - 1 ? end : begin + (end - begin) / parts * (p + 1);
        if (at < b->begin[p]) at = b->begin[p];
        if (at < end) at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        b->begin[p + 1] = at;
        b->part[p] = (mm_entries){.header = all->header};
        mm_lines_of_memory(&b->part[p].lines, b->begin[p], (size_t)(at - b->begin[p]), "", NULL);
    }
}

/* Puts the part's entries behind those that are there. */
static mm_result join(mm_entries *all, const mm_entries *part) {
    const size_t words = (size_t)part->count * sizeof(int64_t);
    while (all->capacity - all->count < part->count) {
        const mm_result result = mm_entries_grow(all);
        if (result != MM_OK) return result;
    }
    if (words > 0 && all->header.sparse) {
        memcpy(all->row + all->count, part->row, words);
        memcpy(all->column + all->count, part->column, words);
    }
    const size_t parts = (size_t)mm_entries_parts(all);
    if (words > 0) memcpy(all->value + (size_t)all->count * parts, part->value, words * parts);
    if (all->underflows == 0 && part->underflows > 0) all->underflow_line = all->lines.number + part->underflow_line;
    all->underflows += part->underflows;
    all->count += part->count;
    all->taken += part->taken;
    all->lines.number += part->lines.number;
    return MM_OK;
}

/* The parts up to the first that is not right; the lines begin behind them. *whole: all of them. */
static mm_result take_block(mm_entries *all, const char *end, int parts, int *whole) {
    block *b = calloc(1, sizeof *b);
    mm_result result = MM_OK;
    *whole = 0;
    if (!b) return MM_OK; /* line by line wants less memory */
    cut(b, all, all->lines.next, end, parts);
    mm_run_parts(parts, read_part, b);
    for (int p = 0; p < parts && result == MM_OK; p++) {
        if (b->result[p] != MM_OK || b->part[p].taken > all->header.entries - all->taken) break;
        result = join(all, &b->part[p]);
        if (result == MM_OK) all->lines.next = b->begin[p + 1];
    }
    *whole = result == MM_OK && all->lines.next == end;
    for (int p = 0; p < parts; p++) mm_entries_free(&b->part[p]);
    free(b);
    return result;
}

/* Reads until the buffer is full or the file ends; at its end the descriptor is forgotten. */
static mm_result fill(mm_lines *lines) {
    const size_t kept = (size_t)(lines->end - lines->next);
    memmove(lines->buffer, lines->next, kept);
    lines->next = lines->buffer;
    lines->end = lines->buffer + kept;
    while (lines->descriptor >= 0 && lines->end < lines->buffer + lines->size) {
        char *to = lines->buffer + (lines->end - lines->buffer);
        const int64_t got = cls_file_take(lines->descriptor, to, (size_t)(lines->buffer + lines->size - lines->end));
        if (got < 0) return MM_UNREADABLE; /* reading on line by line says why, behind the lines that are there */
        if (got == 0) lines->descriptor = -1;
        lines->end += got;
    }
    return MM_OK;
}

/* Only a regular file has a known size. */
static int is_small(const mm_lines *lines) {
    const int64_t bytes = cls_file_bytes(lines->descriptor);
    return bytes >= 0 && bytes < LEAST;
}

/* A buffer of several parts in the place of the small one. 0: there is no memory for it. */
static int widen(mm_lines *lines, size_t size) {
    const size_t kept = (size_t)(lines->end - lines->next);
    char *wide = malloc(size);
    if (!wide) return 0;
    memcpy(wide, lines->next, kept);
    free(lines->buffer);
    lines->buffer = wide;
    lines->size = size;
    lines->next = wide;
    lines->end = wide + kept;
    return 1;
}

/* Behind the last end of a line of what is there, at most `most` bytes; NULL: there is none. */
static const char *last_line(const mm_lines *lines, size_t most) {
    size_t length = (size_t)(lines->end - lines->next);
    if (length > most) length = most;
    while (length > 0 && lines->next[length - 1] != '\n') length--;
    return length > 0 ? lines->next + length : NULL;
}

mm_result mm_entries_read_blocks(mm_entries *all) {
    mm_lines *lines = &all->lines;
    const int parts = mm_parts(), from_file = lines->descriptor >= 0;
    const size_t size = (size_t)parts * PART;
    int whole = 1;
    if (from_file && (parts == 1 || is_small(lines) || !widen(lines, size))) return MM_OK;
    while (whole) {
        mm_result result = from_file ? fill(lines) : MM_OK;
        if (result != MM_OK) return MM_OK;
        const char *end = last_line(lines, size);
        if (!end || end - lines->next < LEAST) return MM_OK;
        result = take_block(all, end, parts, &whole);
        if (result != MM_OK) return result;
    }
    return MM_OK;
}

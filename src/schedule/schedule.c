/* schedule.c: levels and edges, found while operations are added. */
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

/* The last write of a cell and who has read it since; operations are numbered from 1 here, 0 is none. */
typedef struct schedule_cell {
    int64_t writer;
    int64_t readers; /* head of a list in schedule.reader, from 1 */
} schedule_cell;

typedef struct schedule_reader {
    int64_t operation, next;
} schedule_reader;

/* Makes room for `count` things of `size` bytes, the new ones zeroed. */
static bool reserve(void **memory, int64_t *room, int64_t count, size_t size) {
    if (count <= *room) return true;
    int64_t wanted = *room > 0 ? *room : 64;
    while (wanted < count) wanted *= 2;
    char *grown = realloc(*memory, (size_t)wanted * size);
    if (grown == NULL) return false;
    memset(grown + (size_t)*room * size, 0, (size_t)(wanted - *room) * size);
    *memory = grown;
    *room = wanted;
    return true;
}

/* The new operation, the last one, comes after number `before`, from 1; 0 is nobody. */
static bool depend(schedule *s, int64_t before) {
    schedule_operation *last = &s->operation[s->operations - 1];
    if (before == 0 || before == s->operations) return true;
    for (int64_t e = last->first_edge; e < s->edges; e++)
        if (s->edge[e] == before - 1) return true;
    if (!reserve((void **)&s->edge, &s->edge_room, s->edges + 1, sizeof *s->edge)) return false;
    s->edge[s->edges++] = before - 1;
    last->edges++;
    if (last->level <= s->operation[before - 1].level) last->level = s->operation[before - 1].level + 1;
    return true;
}

static bool touch(schedule *s, int64_t number, bool write) {
    if (!reserve((void **)&s->cell, &s->cells, number + 1, sizeof *s->cell)) return false;
    schedule_cell *cell = &s->cell[number];
    if (!write) {
        if (!reserve((void **)&s->reader, &s->reader_room, s->readers + 1, sizeof *s->reader)) return false;
        s->reader[s->readers++] = (schedule_reader){s->operations, cell->readers};
        cell->readers = s->readers;
        return depend(s, cell->writer);
    }
    /* Readers came after the writer themselves, so the writer matters only where there is none. */
    bool fine = cell->readers != 0 || depend(s, cell->writer);
    for (int64_t r = cell->readers; fine && r != 0; r = s->reader[r - 1].next)
        fine = depend(s, s->reader[r - 1].operation);
    cell->writer = s->operations;
    cell->readers = 0;
    return fine;
}

bool schedule_add(schedule *s, const schedule_operation *operation) {
    if (!reserve((void **)&s->operation, &s->operation_room, s->operations + 1, sizeof *s->operation)) return false;
    s->operation[s->operations] = *operation;
    schedule_operation *last = &s->operation[s->operations++];
    last->level = 1;
    last->first_edge = s->edges;
    last->edges = 0;
    for (int32_t c = 0; c < operation->cells; c++)
        if (!touch(s, operation->cell[c], operation->written[c])) return false;
    if (last->level > s->levels) s->levels = last->level;
    return true;
}

void schedule_free(schedule *s) {
    free(s->operation);
    free(s->edge);
    free(s->cell);
    free(s->reader);
    *s = (schedule){0};
}

bool schedule_dependent(const schedule_operation *a, const schedule_operation *b) {
    for (int32_t x = 0; x < a->cells; x++)
        for (int32_t y = 0; y < b->cells; y++)
            if (a->cell[x] == b->cell[y] && (a->written[x] || b->written[y])) return true;
    return false;
}

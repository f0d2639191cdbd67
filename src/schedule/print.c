/* print.c: a schedule as text and for Graphviz. */
#include "schedule/schedule.h"

#include <inttypes.h>
#include <stdlib.h>

const char *schedule_name(const schedule_operation *o, char room[48]) {
    int used = snprintf(room, 48, "%c(", o->letter);
    for (int32_t x = 0; x < o->indices; x++)
        used += snprintf(room + used, (size_t)(48 - used), x > 0 ? ",%" PRId32 : "%" PRId32, o->index[x]);
    snprintf(room + used, (size_t)(48 - used), ")");
    return room;
}

/*
 * The operations by class: those of class c (from 1) are order[start[c-1]] .. order[start[c]-1]. One block of memory,
 * for free(); NULL without it.
 */
static int64_t *by_level(const schedule *s, int64_t **order) {
    int64_t *start = calloc((size_t)(s->levels + 2 + s->operations), sizeof *start);
    if (start == NULL) return NULL;
    *order = start + s->levels + 2;
    for (int64_t o = 0; o < s->operations; o++) start[s->operation[o].level + 1]++;
    for (int64_t c = 1; c <= s->levels + 1; c++) start[c] += start[c - 1];
    /* start[c] now holds where class c begins; filling moves it to where it ends, that is, where class c+1 begins. */
    for (int64_t o = 0; o < s->operations; o++) (*order)[start[s->operation[o].level]++] = o;
    return start;
}

bool schedule_print_foata(const schedule *s, FILE *file) {
    int64_t *order, *start = by_level(s, &order);
    char name[48];
    if (start == NULL) return false;
    for (int64_t c = 1; c <= s->levels; c++)
        for (int64_t x = start[c - 1]; x < start[c]; x++)
            fprintf(file, "%s%c", schedule_name(&s->operation[order[x]], name), x + 1 < start[c] ? ' ' : '\n');
    free(start);
    return true;
}

/* Does a path lead back from `from` to `to`? Levels fall along it, so that a search ends early. */
static bool reaches(const schedule *s, int64_t from, int64_t to, int64_t stamp, int64_t *seen) {
    const schedule_operation *o = &s->operation[from];
    if (from == to) return true;
    if (o->level <= s->operation[to].level || seen[from] == stamp) return false;
    seen[from] = stamp;
    for (int64_t e = 0; e < o->edges; e++)
        if (reaches(s, s->edge[o->first_edge + e], to, stamp, seen)) return true;
    return false;
}

/* Is the dependence of `after` on `before` implied by another one of its own? */
static bool implied(const schedule *s, int64_t after, int64_t before, int64_t *stamp, int64_t *seen) {
    const schedule_operation *o = &s->operation[after];
    ++*stamp;
    for (int64_t e = 0; e < o->edges; e++) {
        int64_t other = s->edge[o->first_edge + e];
        if (other != before && reaches(s, other, before, *stamp, seen)) return true;
    }
    return false;
}

static void print_edges(const schedule *s, int64_t *seen, FILE *file) {
    int64_t stamp = 0;
    for (int64_t o = 0; o < s->operations; o++)
        for (int64_t e = 0; e < s->operation[o].edges; e++) {
            int64_t before = s->edge[s->operation[o].first_edge + e];
            char from[48], to[48];
            if (implied(s, o, before, &stamp, seen)) continue;
            fprintf(file, "  \"%s\" -> \"%s\";\n", schedule_name(&s->operation[before], from),
                    schedule_name(&s->operation[o], to));
        }
}

bool schedule_print_dot(const schedule *s, const char *title, FILE *file) {
    static const char *const colours[] = {"#cfe2f3", "#d9ead3", "#fff2cc", "#f4cccc", "#d9d2e9"};
    int64_t *order, *start = by_level(s, &order);
    int64_t *seen = calloc((size_t)(s->operations + 1), sizeof *seen);
    char name[48];
    if (start == NULL || seen == NULL) {
        free(start);
        free(seen);
        return false;
    }
    fprintf(file, "digraph schedule {\n  label=\"%s\";\n  rankdir=TB;\n  node [shape=box, style=filled, height=0.3];\n",
            title);
    for (int64_t c = 1; c <= s->levels; c++) {
        fprintf(file, "  { rank=same;\n");
        for (int64_t x = start[c - 1]; x < start[c]; x++) {
            const schedule_operation *o = &s->operation[order[x]];
            fprintf(file, "    \"%s\" [fillcolor=\"%s\"];\n", schedule_name(o, name),
                    colours[(unsigned)(o->letter - 'A') % 5]);
        }
        fprintf(file, "  }\n");
    }
    print_edges(s, seen, file);
    fprintf(file, "}\n");
    free(start);
    free(seen);
    return true;
}

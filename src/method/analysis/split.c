/*
 * split.c: fronts with many pivots as chains of fronts with fewer. The pieces of a front have its rows one after the
 * other:
 *
 *      f         b              piece 0: pivots p0, border p1 p2 b; the front's children are its own
 *   +----+----+----+-----+      piece 1: pivots p1, border p2 b; its only child is piece 0
 *   | p0 | p1 | p2 |  b  |      piece 2: pivots p2, border b; it has the front's parent
 *   +----+----+----+-----+
 */
#include <string.h>

#include "base/memory.h"
#include "method/analysis/analysis.h"

typedef struct splitting {
    const cls_symbolic *from;
    cls_symbolic *to;
    int64_t most;
    int64_t *piece; /* fronts + 1: the first piece of each front */
} splitting;

static int64_t pivots_of(const cls_symbolic *s, int64_t front) {
    return s->tree.first[front + 1] - s->tree.first[front];
}

static int64_t pieces_of(const splitting *w, int64_t front) {
    const int64_t f = pivots_of(w->from, front);
    return f == 0 ? 1 : (f + w->most - 1) / w->most;
}

/* The first pivot of piece p, in a front of f pivots: the pieces are of about the same size. */
static int64_t begin_of(int64_t p, int64_t pieces, int64_t f) {
    enum { ALIGNED = 32 };
    const int64_t size = ((f + pieces - 1) / pieces + ALIGNED - 1) / ALIGNED * ALIGNED;
    return p * size < f ? p * size : f;
}

static void count_pieces(splitting *w, int64_t *borders) {
    const cls_symbolic *from = w->from;
    *borders = 0;
    w->piece[0] = 0;
    for (int64_t s = 0; s < from->tree.fronts; s++) {
        const int64_t pieces = pieces_of(w, s), f = pivots_of(from, s), b = from->tree.rows[s] - f;
        w->piece[s + 1] = w->piece[s] + pieces;
        for (int64_t p = 0; p < pieces; p++) *borders += f - begin_of(p + 1, pieces, f) + b;
    }
}

static int make_room(splitting *w, int64_t borders) {
    cls_symbolic *to = w->to;
    const size_t fronts = (size_t)w->piece[w->from->tree.fronts] + 2;
    to->tree.first = cls_alloc(fronts, sizeof *to->tree.first);
    to->tree.rows = cls_alloc(fronts, sizeof *to->tree.rows);
    to->tree.parent = cls_alloc(fronts, sizeof *to->tree.parent);
    return to->tree.first && to->tree.rows && to->tree.parent &&
           cls_symbolic_reserve(to, w->piece[w->from->tree.fronts], borders,
                                w->from->placed_start[w->from->tree.fronts]);
}

/* Entries of columns begin .. end - 1 of front s, counted from there on. */
static void place_piece(const splitting *w, int64_t s, int64_t at, int64_t begin, int64_t end) {
    const cls_symbolic *from = w->from;
    cls_symbolic *to = w->to;
    int64_t count = to->placed_start[at];
    for (int64_t k = from->placed_start[s]; k < from->placed_start[s + 1]; k++) {
        cls_placed placed = from->placed[k];
        const int64_t least = placed.row < placed.column ? placed.row : placed.column;
        if (least < begin || least >= end) continue;
        placed.row -= (int32_t)begin;
        placed.column -= (int32_t)begin;
        to->placed[count++] = placed;
    }
    to->placed_start[at + 1] = count;
}

static void make_border(const splitting *w, int64_t s, int64_t at, int64_t end, int is_last) {
    const cls_symbolic *from = w->from;
    cls_symbolic *to = w->to;
    const int64_t begin = to->border_start[at], own = pivots_of(from, s) - end;
    const int64_t b = from->border_start[s + 1] - from->border_start[s];
    for (int64_t k = 0; k < own; k++) to->border[begin + k] = from->tree.first[s] + end + k;
    for (int64_t k = 0; k < b; k++) to->border[begin + own + k] = from->border[from->border_start[s] + k];
    for (int64_t k = 0; k < own + b; k++)
        to->relative[begin + k] = is_last ? from->relative[from->border_start[s] + k] : (int32_t)k;
    to->border_start[at + 1] = begin + own + b;
}

static void make_children(const splitting *w, int64_t s, int64_t p) {
    const cls_symbolic *from = w->from;
    cls_symbolic *to = w->to;
    const int64_t at = w->piece[s] + p;
    int64_t count = to->child_start[at];
    if (p > 0) to->child[count++] = at - 1;
    for (int64_t c = from->child_start[s]; c < from->child_start[s + 1] && p == 0; c++)
        to->child[count++] = w->piece[from->child[c] + 1] - 1;
    to->child_start[at + 1] = count;
}

static void split_front(const splitting *w, int64_t s) {
    const cls_symbolic *from = w->from;
    cls_tree *tree = &w->to->tree;
    const int64_t pieces = pieces_of(w, s), f = pivots_of(from, s), above = from->tree.parent[s];
    for (int64_t p = 0; p < pieces; p++) {
        const int64_t at = w->piece[s] + p, begin = begin_of(p, pieces, f), end = begin_of(p + 1, pieces, f);
        tree->first[at] = from->tree.first[s] + begin;
        tree->rows[at] = from->tree.rows[s] - begin;
        tree->parent[at] = p + 1 < pieces ? at + 1 : above < 0 ? -1 : w->piece[above];
        place_piece(w, s, at, begin, end);
        make_border(w, s, at, end, p + 1 == pieces);
        make_children(w, s, p);
    }
}

int cls_symbolic_split(const cls_symbolic *symbolic, int64_t most, cls_symbolic *made) {
    splitting w = {symbolic, made, most, cls_alloc((size_t)symbolic->tree.fronts + 2, sizeof *w.piece)};
    int64_t borders;
    *made = (cls_symbolic){0};
    if (!w.piece) return 0;
    count_pieces(&w, &borders);
    const int room = make_room(&w, borders);
    if (room) {
        made->border_start[0] = made->placed_start[0] = made->child_start[0] = 0;
        for (int64_t s = 0; s < symbolic->tree.fronts; s++) split_front(&w, s);
        made->tree.n = symbolic->tree.n;
        made->tree.fronts = w.piece[symbolic->tree.fronts];
        made->tree.first[made->tree.fronts] = symbolic->tree.n;
        made->largest = symbolic->largest;
    } else {
        cls_symbolic_free(made);
    }
    cls_free(w.piece);
    return room;
}

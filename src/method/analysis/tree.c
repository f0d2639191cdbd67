/*
 * tree.c: from an order to supernodes.
 *
 *      elimination tree     parent(j): the first row below the diagonal in column j of L (J. W. H. Liu, The role of
 *                           elimination trees in sparse factorization, SIMAX 11, 1990, section 4.1, with path
 *                           compression)
 *      column counts        from the leaves of the row subtrees (J. R. Gilbert, E. G. Ng, B. W. Peyton, SIMAX 15, 1994)
 *      supernodes           neighbouring columns with the same rows below them
 *      amalgamation         a supernode joins its parent where that stores few zeros (C. Ashcraft, R. Grimes, ACM TOMS
 *                           15, 1989)
 *      order of children    the one whose subtree needs the most memory beyond what it leaves comes first (J. W. H.
 *                           Liu, ACM TOMS 12, 1986)
 */
#include <stdlib.h>

#include "base/arrays.h"
#include "method/analysis/analysis.h"

void cls_columns_free(cls_factor_columns *c) {
    cls_free(c->vertex); /* and all others */
    *c = (cls_factor_columns){0};
}

static int open_columns(int64_t n, cls_factor_columns *c) {
    *c = (cls_factor_columns){.n = n};
    return CLS_ALLOC_ALL(CLS_ARRAY(c->vertex, n + 1), CLS_ARRAY(c->parent, n + 1), CLS_ARRAY(c->count, n + 1),
                         CLS_ARRAY(c->work[0], n + 1), CLS_ARRAY(c->work[1], n + 1), CLS_ARRAY(c->work[2], n + 1),
                         CLS_ARRAY(c->work[3], n + 1));
}

static void find_parents(const cls_graph *graph, const int64_t *place, cls_factor_columns *c) {
    int64_t *ancestor = c->work[0];
    for (int64_t v = 0; v < c->n; v++) c->vertex[place[v]] = v;
    for (int64_t k = 0; k < c->n; k++) {
        const int64_t v = c->vertex[k];
        c->parent[k] = ancestor[k] = -1;
        for (int64_t e = graph->start[v]; e < graph->start[v + 1]; e++)
            for (int64_t i = place[graph->next[e]], above; i >= 0 && i < k; i = above) {
                above = ancestor[i];
                ancestor[i] = k;
                if (above < 0) c->parent[i] = k;
            }
    }
}

/* Children before their parents, subtrees together. first and next: lists of children, from the last to the first. */
static void postorder(int64_t n, const int64_t *parent, int64_t *first, int64_t *next, int64_t *stack,
                      int64_t *number) {
    int64_t depth = 0, count = 0;
    for (int64_t k = 0; k < n; k++) first[k] = -1;
    for (int64_t k = n - 1; k >= 0; k--) {
        if (parent[k] < 0) continue;
        next[k] = first[parent[k]];
        first[parent[k]] = k;
    }
    for (int64_t root = 0; root < n; root++) {
        if (parent[root] >= 0) continue;
        stack[depth++] = root;
        while (depth > 0) {
            const int64_t k = stack[depth - 1], child = first[k];
            if (child < 0) {
                number[k] = count++;
                depth--;
            } else {
                first[k] = next[child];
                stack[depth++] = child;
            }
        }
    }
}

/* Renumbers the columns of `place` in postorder. */
static void renumber(int64_t *place, cls_factor_columns *c) {
    int64_t *number = c->work[3], *parent = c->count;
    postorder(c->n, c->parent, c->work[0], c->work[1], c->work[2], number);
    for (int64_t v = 0; v < c->n; v++) {
        place[v] = number[place[v]];
        c->vertex[place[v]] = v;
    }
    for (int64_t k = 0; k < c->n; k++) parent[number[k]] = c->parent[k] < 0 ? -1 : number[c->parent[k]];
    for (int64_t k = 0; k < c->n; k++) c->parent[k] = parent[k];
}

/* The representative of the leaf: with path compression. */
static int64_t find(int64_t *ancestor, int64_t leaf) {
    int64_t root = leaf;
    while (root != ancestor[root]) root = ancestor[root];
    for (int64_t above; leaf != root; leaf = above) {
        above = ancestor[leaf];
        ancestor[leaf] = root;
    }
    return root;
}

/* Entries in each column of L, with the diagonal; columns are in postorder. */
static void count_columns(const cls_graph *graph, const int64_t *place, cls_factor_columns *c) {
    int64_t *first = c->work[0], *ancestor = c->work[1], *most_first = c->work[2], *leaf_before = c->work[3];
    for (int64_t k = 0; k < c->n; k++) {
        first[k] = most_first[k] = leaf_before[k] = -1;
        ancestor[k] = k;
    }
    for (int64_t k = 0; k < c->n; k++) {
        c->count[k] = first[k] < 0;
        for (int64_t j = k; j >= 0 && first[j] < 0; j = c->parent[j]) first[j] = k;
    }
    for (int64_t k = 0; k < c->n; k++) {
        const int64_t v = c->vertex[k];
        if (c->parent[k] >= 0) c->count[c->parent[k]]--;
        for (int64_t e = graph->start[v]; e < graph->start[v + 1]; e++) {
            const int64_t i = place[graph->next[e]];
            if (i <= k || first[k] <= most_first[i]) continue; /* no leaf of row i's subtree */
            most_first[i] = first[k];
            c->count[k]++;
            if (leaf_before[i] >= 0) c->count[find(ancestor, leaf_before[i])]--;
            leaf_before[i] = k;
        }
        if (c->parent[k] >= 0) ancestor[k] = c->parent[k];
    }
    for (int64_t k = 0; k < c->n; k++)
        if (c->parent[k] >= 0) c->count[c->parent[k]] += c->count[k];
}

int cls_columns_make(const cls_graph *graph, int64_t *place, cls_factor_columns *c) {
    if (!open_columns(graph->n, c)) {
        cls_columns_free(c);
        return 0;
    }
    find_parents(graph, place, c);
    renumber(place, c);
    count_columns(graph, place, c);
    for (int64_t k = 0; k < graph->n; k++) {
        c->entries += (double)c->count[k];
        c->operations += (double)c->count[k] * (double)c->count[k];
    }
    return 1;
}

/* ---- supernodes and amalgamation ---- */

typedef struct node {
    int64_t begin, end;          /* positions of the supernode as it was found */
    int64_t columns, border;     /* now */
    double zeros;                /* stored in the columns */
    int64_t last;                /* the last position with which a column has to be eliminated together */
    int64_t parent, child, next; /* tree of those that are left: first child, next sibling; -1: none */
    int64_t joined, joined_last; /* supernodes that have joined it, in order; -1: none */
    int64_t joined_next;
    double leaves, needs; /* elements of its contribution; of memory at once in its subtree */
} node;

static int64_t find_supernodes(const cls_factor_columns *c, const int64_t *with, node *nodes, int64_t *of) {
    int64_t count = 0;
    for (int64_t k = 0; k < c->n; k++) {
        const int starts = k == 0 || c->parent[k - 1] != k || c->count[k - 1] != c->count[k] + 1;
        if (starts)
            nodes[count++] = (node){.begin = k, .parent = -1, .child = -1, .next = -1, .joined = -1, .joined_next = -1};
        of[k] = count - 1;
        node *at = &nodes[count - 1];
        at->end = k + 1;
        if (with && with[k] > at->last) at->last = with[k];
        at->columns = at->end - at->begin;
        at->border = c->count[k] - 1;
    }
    for (int64_t s = count - 1; s >= 0; s--) {
        const int64_t above = c->parent[nodes[s].end - 1];
        if (above < 0) continue;
        nodes[s].parent = of[above];
        nodes[s].next = nodes[of[above]].child;
        nodes[of[above]].child = s;
    }
    return count;
}

/*
 * Whether so many of the elements that a joined supernode stores in L may be zeros. Small ones may have many: their
 * cost is that of calls, not of operations.
 */
static int may_join(double columns, double zeros, double stored) {
    static const double most_columns[] = {8, 24, 64}, most_zeros[] = {0.8, 0.25, 0.1};
    for (int k = 0; k < 3; k++)
        if (columns <= most_columns[k]) return zeros <= most_zeros[k] * stored;
    return zeros <= 0.05 * stored;
}

static double stored(double columns, double border) {
    return columns * (columns + 1) / 2 + columns * border;
}

/* A supernode of so many columns joins its parent rather than hand on some of them. */
enum { FEW_WAIT = 8 };

/* Lets the child join where it may, or where its pivots would be delayed and are few. 0: it stays a child. */
static int join(node *parent, int64_t c, node *nodes) {
    node *child = &nodes[c];
    const double columns = (double)(parent->columns + child->columns);
    const double after = stored(columns, (double)parent->border);
    const double before =
        stored((double)parent->columns, (double)parent->border) + stored((double)child->columns, (double)child->border);
    const double zeros = parent->zeros + child->zeros + after - before;
    const int waits = child->last >= child->end && child->columns <= FEW_WAIT;
    if (!waits && !may_join(columns, zeros, after)) return 0;
    if (child->last > parent->last) parent->last = child->last;
    parent->columns += child->columns;
    parent->zeros = zeros;
    /* In front of the others: they are its descendants' or its siblings' at most. */
    if (child->joined < 0) {
        child->joined_next = parent->joined;
        parent->joined = c;
    } else {
        nodes[child->joined_last].joined_next = c;
        child->joined_next = parent->joined;
        parent->joined = child->joined;
    }
    if (child->joined_next < 0) parent->joined_last = c;
    child->joined = -1;
    return 1;
}

typedef struct ranked {
    int64_t node;
    double rank;
} ranked;

static int by_rank(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Children whose border is nearly all of the parent's front come first. Children of those that join become its own. */
static void amalgamate(node *nodes, int64_t count, ranked *list) {
    for (int64_t s = 0; s < count; s++) {
        int64_t length = 0;
        for (int64_t c = nodes[s].child; c >= 0; c = nodes[c].next)
            list[length++] = (ranked){c, (double)nodes[c].border};
        qsort(list, (size_t)length, sizeof *list, by_rank);
        nodes[s].child = -1;
        nodes[s].joined_last = -1;
        for (int64_t k = 0; k < length; k++) {
            const int64_t c = list[k].node;
            if (join(&nodes[s], c, nodes)) {
                for (int64_t below = nodes[c].child, after; below >= 0; below = after) {
                    after = nodes[below].next;
                    nodes[below].parent = s;
                    nodes[below].next = nodes[s].child;
                    nodes[s].child = below;
                }
            } else {
                nodes[c].next = nodes[s].child;
                nodes[s].child = c;
            }
        }
    }
}

/* Sorts the children of each node by Liu's rule. Nodes come after their children. */
static void sort_children(node *nodes, int64_t count, const char *joined, ranked *list) {
    for (int64_t s = 0; s < count; s++) {
        int64_t length = 0;
        double below = 0, most = 0;
        if (joined[s]) continue;
        for (int64_t c = nodes[s].child; c >= 0; c = nodes[c].next)
            list[length++] = (ranked){c, nodes[c].needs - nodes[c].leaves};
        qsort(list, (size_t)length, sizeof *list, by_rank);
        nodes[s].child = -1;
        for (int64_t k = length - 1; k >= 0; k--) {
            nodes[list[k].node].next = nodes[s].child;
            nodes[s].child = list[k].node;
        }
        for (int64_t c = nodes[s].child; c >= 0; c = nodes[c].next) {
            most = below + nodes[c].needs > most ? below + nodes[c].needs : most;
            below += nodes[c].leaves;
        }
        nodes[s].leaves = (double)nodes[s].border * (double)nodes[s].border;
        nodes[s].needs = below + nodes[s].leaves > most ? below + nodes[s].leaves : most;
    }
}

static int64_t emit(const node *nodes, int64_t s, int64_t position, int64_t *number) {
    for (int64_t k = nodes[s].begin; k < nodes[s].end; k++) number[k] = position++;
    return position;
}

/* Writes the tree in postorder: children first, then what has joined, then the supernode itself. */
static void lay_out(node *nodes, int64_t count, const char *joined, int64_t *stack, int64_t *number, int64_t *index,
                    cls_tree *tree) {
    int64_t position = 0, depth = 0;
    tree->fronts = 0;
    for (int64_t root = 0; root < count; root++) {
        if (nodes[root].parent >= 0 || joined[root]) continue;
        stack[depth++] = root;
        while (depth > 0) {
            const int64_t s = stack[depth - 1], child = nodes[s].child;
            if (child >= 0) {
                nodes[s].child = nodes[child].next;
                stack[depth++] = child;
                continue;
            }
            tree->first[tree->fronts] = position;
            for (int64_t j = nodes[s].joined; j >= 0; j = nodes[j].joined_next)
                position = emit(nodes, j, position, number);
            position = emit(nodes, s, position, number);
            tree->rows[tree->fronts] = nodes[s].columns + nodes[s].border;
            index[s] = tree->fronts++;
            depth--;
        }
    }
    tree->first[tree->fronts] = position;
    for (int64_t s = 0; s < count; s++)
        if (!joined[s]) tree->parent[index[s]] = nodes[s].parent < 0 ? -1 : index[nodes[s].parent];
}

/* The columns become supernodes, and `place` their order. */
static int make_supernodes(cls_factor_columns *c, int relax, const int64_t *with, cls_tree *tree) {
    node *nodes = cls_alloc((size_t)c->n + 1, sizeof *nodes);
    ranked *list = cls_alloc((size_t)c->n + 1, sizeof *list);
    char *joined = cls_alloc((size_t)c->n + 1, 1);
    const int room = nodes && list && joined;
    if (room) {
        int64_t *number = c->work[1];
        const int64_t count = find_supernodes(c, with, nodes, c->work[0]);
        if (relax) amalgamate(nodes, count, list);
        for (int64_t s = 0; s < count; s++)
            for (int64_t j = nodes[s].joined; j >= 0; j = nodes[j].joined_next) joined[j] = 1;
        sort_children(nodes, count, joined, list);
        lay_out(nodes, count, joined, c->work[2], number, c->work[3], tree);
        for (int64_t v = 0; v < c->n; v++) tree->place[v] = number[tree->place[v]];
    }
    cls_free(nodes);
    cls_free(list);
    cls_free(joined);
    return room;
}

int cls_tree_make(cls_factor_columns *c, int64_t *place, int relax, const int64_t *with, cls_tree *tree) {
    const size_t n = (size_t)c->n + 1;
    *tree = (cls_tree){.n = c->n, .place = place, .entries = c->entries, .operations = c->operations};
    tree->first = cls_alloc(n + 1, sizeof *tree->first);
    tree->rows = cls_alloc(n, sizeof *tree->rows);
    tree->parent = cls_alloc(n, sizeof *tree->parent);
    const int room = tree->first && tree->rows && tree->parent && make_supernodes(c, relax, with, tree);
    if (!room) cls_tree_free(tree);
    return room;
}

void cls_tree_free(cls_tree *tree) {
    cls_free(tree->place);
    cls_free(tree->first);
    cls_free(tree->rows);
    cls_free(tree->parent);
    *tree = (cls_tree){0};
}

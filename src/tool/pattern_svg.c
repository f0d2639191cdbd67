/*
 * pattern_svg.c: --svg: where a matrix has entries, before and after its order, as two pictures of 300 x 300. A cell of
 * a picture is one entry, or a square of rows and columns with its density as a shade. Equal cells of a row that touch
 * are one rectangle. A grid with too many rectangles is made coarser.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/analyze_job.h"
#include "tool/output.h"

enum { SIDE = 300, TOP = 40, LEFT = 20, GAP = 40, MOST_CELLS = 200, MOST_RECTANGLES = 4000, SHADES = 4 };

/* Entries of each cell, and the shades that they become. */
typedef struct cells {
    int64_t across; /* cells along a side */
    int64_t *count;
    unsigned char *shade; /* 0: no entry */
} cells;

/* `place` of row i and column j; NULL: as they stand. */
static void count_entries(const mm_matrix *A, const int64_t *row_place, const int64_t *column_place, cells *c) {
    const int64_t n = A->cols, across = c->across;
    memset(c->count, 0, (size_t)(across * across) * sizeof *c->count);
    for (int64_t j = 0; j < n; j++) {
        const int64_t first = A->sparse ? A->start[j] : j * n, last = A->sparse ? A->start[j + 1] : first + n;
        const int64_t x = (column_place != NULL ? column_place[j] : j) * across / n;
        for (int64_t e = first; e < last; e++) {
            const int64_t i = A->sparse ? A->row[e] : e - first;
            const double *value = &A->value[e * mm_numbers(A)];
            if (value[0] == 0 && value[mm_numbers(A) - 1] == 0) continue;
            c->count[(row_place != NULL ? row_place[i] : i) * across / n * across + x]++;
        }
    }
}

/* Shades by the root of the density, so that a single entry of a large cell is seen. Returns the rectangles. */
static int64_t shade_cells(int64_t n, cells *c) {
    const int64_t across = c->across, count = across * across;
    const double area = (double)n / (double)across * ((double)n / (double)across);
    int64_t rectangles = 0;
    for (int64_t k = 0; k < count; k++) {
        const double density = fmin(1, (double)c->count[k] / area);
        c->shade[k] = (unsigned char)ceil(SHADES * sqrt(density));
        const int begins = k % across == 0 || c->shade[k] != c->shade[k - 1];
        rectangles += c->shade[k] > 0 && begins;
    }
    return rectangles;
}

static void fill(const analyze_job *job, const int64_t *row_place, const int64_t *column_place, cells *c) {
    const int64_t n = job->read.A.cols;
    c->across = n < MOST_CELLS ? n : MOST_CELLS;
    for (;;) {
        count_entries(&job->read.A, row_place, column_place, c);
        if (shade_cells(n, c) <= MOST_RECTANGLES || c->across < 4) return;
        c->across = c->across * 3 / 4;
    }
}

/* ---- the text ---- */

typedef struct picture {
    const analyze_job *job;
    cells before, after;
    int has_after;
} picture;

static int print_cells(FILE *stream, const cells *c, const char *title, int left) {
    static const char *const colours[SHADES + 1] = {"", "#9bd", "#58b", "#269", "#013"};
    const double size = c->across > 0 ? (double)SIDE / (double)c->across : 0;
    int bad = fprintf(stream,
                      "<text x=\"%d\" y=\"%d\">%s</text>\n<g transform=\"translate(%d %d)\">\n<rect width=\"%d\" "
                      "height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
                      left, TOP - 8, title, left, TOP, SIDE, SIDE) < 0;
    for (int64_t y = 0; y < c->across; y++)
        for (int64_t x = 0, width; x < c->across; x += width) {
            const unsigned char *shade = &c->shade[y * c->across + x];
            for (width = 1; x + width < c->across && shade[width] == *shade; width++) continue;
            if (*shade == 0) continue;
            bad |= fprintf(stream, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
                           (double)x * size, (double)y * size, (double)width * size, size, colours[*shade]) < 0;
        }
    bad |= fputs("</g>\n", stream) < 0;
    return bad;
}

static int print_picture(FILE *stream, const void *what) {
    const picture *p = what;
    const clsolve_sparse_analysis *a = p->job->has_asked ? &p->job->asked : &p->job->automatic;
    const int width = 2 * LEFT + SIDE + (p->has_after ? GAP + SIDE : 0), height = TOP + SIDE + LEFT;
    char before[96], after[128];
    snprintf(before, sizeof before, "as read: n = %" PRId64 ", %" PRId64 " entries", a->n, a->entries);
    snprintf(after, sizeof after, "order %s: factors of %.4g entries", a->order, a->factor_entries);
    int bad = fprintf(stream,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
                      "font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
                      width, height, width, height) < 0;
    bad |= print_cells(stream, &p->before, before, LEFT);
    if (p->has_after) bad |= print_cells(stream, &p->after, after, LEFT + SIDE + GAP);
    bad |= fputs("</svg>\n", stream) < 0;
    return bad ? -1 : 0;
}

static int cells_open(cells *c) {
    c->count = calloc(MOST_CELLS * MOST_CELLS, sizeof *c->count);
    c->shade = calloc(MOST_CELLS * MOST_CELLS, 1);
    return c->count != NULL && c->shade != NULL;
}

static void cells_close(cells *c) {
    free(c->count);
    free(c->shade);
}

/* place[order[k]] = k */
static int64_t *inverse_of(int64_t n, const int64_t *order) {
    int64_t *place = malloc(((size_t)n + 1) * sizeof *place);
    for (int64_t k = 0; k < n && place != NULL; k++) place[order[k]] = k;
    return place;
}

exit_code plot_pattern(const char *path, const analyze_job *job, outcome *out) {
    const int64_t n = job->read.A.cols;
    picture p = {.job = job, .has_after = job->rows != NULL};
    int64_t *rows = p.has_after ? inverse_of(n, job->rows) : NULL;
    int64_t *columns = p.has_after ? inverse_of(n, job->columns) : NULL;
    const int room =
        cells_open(&p.before) & cells_open(&p.after) && (!p.has_after || (rows != NULL && columns != NULL));
    exit_code code;
    if (room) {
        fill(job, NULL, NULL, &p.before);
        if (p.has_after) fill(job, rows, columns, &p.after);
        code = output_print(path, print_picture, &p, out);
    } else {
        code = outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory", path);
    }
    cells_close(&p.before);
    cells_close(&p.after);
    free(rows);
    free(columns);
    return code;
}

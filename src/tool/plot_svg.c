/* plot_svg.c: --plot: relative residuals over iterations, logarithmic, as a picture of 640 x 400. */
#include "tool/output.h"
#include "tool/solve_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 640, HEIGHT = 400, LEFT = 60, RIGHT = 620, TOP = 30, BOTTOM = 350, MOST = 2000 };

typedef struct text {
    char *at;
    size_t used, room;
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(t->at + t->used, t->room - t->used, format, list);
    va_end(list);
    if (length > 0 && (size_t)length < t->room - t->used) t->used += (size_t)length;
}

static double exponent(double residual) {
    return residual > 1e-300 && isfinite(residual) ? log10(residual) : -17;
}

static double y_of(double e, double low, double high) {
    return TOP + (high - e) / (high - low) * (BOTTOM - TOP);
}

static void add_axes(text *t, double low, double high, const solve_job *job) {
    int64_t lines = job->lines > 0 ? job->lines : job->tried_lines;
    add(t,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    add(t, "<text x=\"%d\" y=\"18\">relative residual, %" PRId64 " line%s of %" PRId64 ", %s</text>\n", LEFT, lines,
        lines == 1 ? "" : "s", job->line_length, job->solver_text);
    double step = ceil((high - low) / 10);
    for (double e = high; e >= low - 1e-9; e -= step)
        add(t,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\"/><text x=\"8\" "
            "y=\"%.1f\">1e%.0f</text>\n",
            LEFT, RIGHT, y_of(e, low, high), y_of(e, low, high), y_of(e, low, high) + 4, e);
    add(t, "<text x=\"%d\" y=\"%d\">0</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">stop test %" PRId64 "</text>\n",
        LEFT, BOTTOM + 20, RIGHT, BOTTOM + 20, job->history_count - 1);
}

static void add_point(text *t, const solve_job *job, int64_t i, double low, double high) {
    int64_t last = job->history_count - 1;
    add(t, "%.1f,%.1f ", LEFT + (last > 0 ? (double)i / (double)last : 0) * (RIGHT - LEFT),
        y_of(exponent(job->history[i]), low, high));
}

exit_code plot_history(const char *path, const solve_job *job, outcome *out) {
    int64_t count = job->history_count, stride = (count + MOST - 1) / MOST;
    double low = -1, high = 0;
    text t = {.room = 16384 + 24 * (size_t)MOST};
    t.at = malloc(t.room);
    if (t.at == NULL) return outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory", path);
    for (int64_t i = 0; i < count; i++) {
        low = fmin(low, floor(exponent(job->history[i])));
        high = fmax(high, ceil(exponent(job->history[i])));
    }
    add_axes(&t, low, high, job);
    add(&t, "<polyline fill=\"none\" stroke=\"#06c\" stroke-width=\"2\" points=\"");
    for (int64_t i = 0; i < count; i += stride) add_point(&t, job, i, low, high);
    if (count > 0 && (count - 1) % stride != 0) add_point(&t, job, count - 1, low, high);
    add(&t, "\"/>\n</svg>\n");
    exit_code code = output_text(path, t.at, out);
    free(t.at);
    return code;
}

/* report_tune.c: what `clsolve tune` tells. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tool/json_put.h"
#include "tool/report.h"

static const char *precision_name(clsolve_type type) {
    return type == CLSOLVE_F64 ? "double" : "single";
}

static const char *product_text(const clsolve_tune_update *u) {
    static const char *const texts[] = {"A B", "A' B", "A B'", "A' B'"};
    return texts[(u->op_a != CLSOLVE_NO_TRANS) + 2 * (u->op_b != CLSOLVE_NO_TRANS)];
}

static void print_updates(FILE *file, const clsolve_tune_report *r) {
    int used = 0;
    fprintf(file,
            "\nupdates C -= product, GFLOP/s\n  product     rows x columns  rank        own    CLBlast   ratio\n");
    for (int i = 0; i < r->update_count; i++) {
        const clsolve_tune_update *u = &r->updates[i];
        fprintf(file, "  %-7s %9" PRId64 " x %7" PRId64 "  %4" PRId64 " ", product_text(u), u->m, u->n, u->k);
        if (u->own > 0)
            fprintf(file, "%10.1f ", u->own);
        else
            fprintf(file, "%10s ", "wrong");
        fprintf(file, "%10.1f  %6.2f%s\n", u->clblast, u->clblast > 0 ? u->own / u->clblast : 0.0,
                u->used ? "  used" : "");
        used += u->used;
    }
    if (r->updates_skipped > 0)
        fprintf(
            file,
            "%d of %d kinds not compared, for the budget was over: CLBlast's product there, or as known of the same\n"
            "parameters before; 'clsolve tune' again compares them\n",
            (int)r->updates_skipped, (int)(r->update_count + r->updates_skipped));
    else if (used == 0)
        fprintf(file, "The built-in product is faster nowhere here: CLBlast's is used.\n");
}

static void print_product(FILE *file, const tune_result *result) {
    const clsolve_tune_report *r = &result->product;
    if (!result->has_product) {
        fprintf(file, "product     %s\n", result->product_said);
        return;
    }
    if (r->resumed && r->tried == 0 && r->update_count == 0) {
        fprintf(file, "product     measured before; --again measures it anew\n");
        return;
    }
    fprintf(file,
            "search      %" PRId64 " candidates in %.1f s: %" PRId64 " timed, %" PRId64 " wrong, %" PRId64
            " refused%s\n",
            r->tried, r->search_seconds, r->timed, r->wrong, r->refused,
            r->resumed ? "; it went on with an earlier one" : "");
    fprintf(file, "CLBlast     %.1f s for its first use\n", r->clblast_seconds);
    if (r->best_count > 0) fprintf(file, "\nbest, GFLOP/s (geometric mean of ranks 32, 128, 512)\n");
    for (int i = 0; i < r->best_count; i++) fprintf(file, "  %8.1f  %s\n", r->best[i].gflops, r->best[i].text);
    print_updates(file, r);
    if (r->stored)
        fprintf(file, "\nstored      %s\n", r->file);
    else
        fprintf(file, "\nstored      nothing, as was asked for\n");
}

void report_text_tune(FILE *file, const tune_job *job) {
    fprintf(file, "device      %s  %s (%s)\n", job->device.selector, job->device.name, job->device.platform);
    for (int i = 0; i < job->count; i++) {
        const tune_result *result = &job->results[i];
        fprintf(file, "%sprecision   %s\n", i > 0 ? "\n" : "", precision_name(result->type));
        print_product(file, result);
    }
}

static json_t *best_of(const clsolve_tune_report *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->best_count; i++) {
        json_t *one = json_object();
        put_text(one, "parameters", r->best[i].text);
        put_number(one, "gflops", r->best[i].gflops);
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *updates_of(const clsolve_tune_report *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->update_count; i++) {
        const clsolve_tune_update *u = &r->updates[i];
        json_t *one = json_object();
        put_text(one, "product", product_text(u));
        put_count(one, "m", u->m);
        put_count(one, "n", u->n);
        put_count(one, "k", u->k);
        put_number(one, "own", u->own > 0 ? u->own : (double)NAN);
        put_number(one, "clblast", u->clblast);
        json_object_set_new(one, "used", json_boolean(u->used));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *product_of(const tune_result *result) {
    const clsolve_tune_report *r = &result->product;
    json_t *object = json_object();
    put_count(object, "tried", r->tried);
    put_count(object, "timed", r->timed);
    put_count(object, "wrong", r->wrong);
    put_count(object, "refused", r->refused);
    put_number(object, "search_seconds", r->search_seconds);
    put_number(object, "clblast_seconds", r->clblast_seconds);
    put_number(object, "seconds", r->seconds);
    json_object_set_new(object, "resumed", json_boolean(r->resumed));
    json_object_set_new(object, "best", best_of(r));
    json_object_set_new(object, "updates", updates_of(r));
    put_count(object, "updates_skipped", r->updates_skipped);
    put_text(object, "file", r->stored ? r->file : NULL);
    return object;
}

exit_code report_json_tune(const char *path, const tune_job *job, const outcome *result, outcome *out) {
    const int opened = job->device.selector[0] != '\0';
    json_t *object = json_object(), *tuned = json_array();
    put_text(object, "version", clsolve_version());
    put_outcome(object, result);
    put_text(object, "device", opened ? job->device.name : NULL);
    put_text(object, "driver", opened ? job->device.driver : NULL);
    put_text(object, "selector", opened ? job->device.selector : job->selector);
    for (int i = 0; i < job->count; i++) {
        const tune_result *r = &job->results[i];
        json_t *one = json_object();
        put_text(one, "precision", precision_name(r->type));
        json_object_set_new(one, "product", r->has_product ? product_of(r) : json_null());
        put_text(one, "product_message", r->product_said[0] != '\0' ? r->product_said : NULL);
        json_array_append_new(tuned, one);
    }
    json_object_set_new(object, "tuned", tuned);
    return write_json(path, object, out);
}

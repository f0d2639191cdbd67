/*
 * list_programs FOLDER TARGET...: the programs that the library asks for on each of these GPUs of played.h, in both types:
 *
 *      FOLDER/programs.tsv      TARGET <tab> KERNEL FILE <tab> OPTIONS, each once
 *      FOLDER/source/NAME.cl    the text of each file, as compilers get it: behind cl/dialect.clh
 *
 * Nothing of it is typed by hand: the methods themselves ask. Options that begin with one of these are of programs that
 * are built, and of which nothing more is expected:
 *
 *      -DCLS_CANDIDATE     what the search of `clsolve tune` begins with, beside the first
 *      -DCLS_NOT_ASKED     a file that nobody asked for there, in its own defaults
 */
#define _POSIX_C_SOURCE 200809L

#include <clsolve/clsolve.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "blas/builtin.h"
#include "device/kernels.h"
#include "vendors/families.h"
#include "pack/played.h"

enum { MOST = 4096, LONGEST = 600 };
static char (*asked)[LONGEST]; /* of the GPU that is played */
static int count;

static void note(const char *name, const char *options) {
    char line[LONGEST];
    (void)snprintf(line, sizeof line, "%s\t%s", name, options);
    for (int k = 0; k < count; k++)
        if (strcmp(asked[k], line) == 0) return;
    if (count == MOST) {
        fprintf(stderr, "list_programs: more than %d programs\n", MOST);
        exit(1);
    }
    memcpy(asked[count++], line, sizeof line);
}

/* The parameters that the search for a product begins with. */
static void candidates(const clsolve_device_info *info, clsolve_type type) {
    cls_tile tiles[CLS_TILE_GUESSES];
    const int guesses = cls_tile_guesses(info, type, tiles);
    for (int g = 1; g < guesses; g++) { /* the first one is what products use */
        char text[CLS_TILED_TEXT], options[LONGEST];
        (void)cls_builtin_tiled_form(&tiles[g], type, g & 1 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS,
                                     g & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, tiles[g].vector > 1, text);
        (void)snprintf(options, sizeof options, "-DCLS_CANDIDATE %s %s", cls_type_option(type), text);
        note("gemm_tiled", options);
    }
}

static void rest(clsolve_type type) {
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++) {
        char options[LONGEST];
        size_t length = strlen(s->name);
        int k = 0;
        while (k < count && (strncmp(asked[k], s->name, length) != 0 || asked[k][length] != '\t')) k++;
        if (k < count || !strstr(s->text, "\nKERNEL ") || strcmp(s->name, "bt_grid") == 0) continue; /* for a CPU */
        (void)snprintf(options, sizeof options, "-DCLS_NOT_ASKED %s", cls_type_option(type));
        note(s->name, options);
    }
}

static int play(const played_gpu *gpu, FILE *list) {
    count = 0;
    static const played_kind kinds[] = {PLAYED_WORKS, PLAYED_ERRS, PLAYED_WITHOUT_SUB_GROUPS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const clsolve_context_options options = {.selector = gpu->target, .cache_folder = ""};
        clsolve_context *context = NULL;
        played_begin(note, kinds[k]);
        if (clsolve_context_create_with(&options, &context) != CLSOLVE_OK) return 0;
        const clsolve_device_info info = clsolve_context_device(context);
        families_ask(context, CLSOLVE_F32);
        families_ask(context, CLSOLVE_F64); /* in mixed precision where the device has no double */
        candidates(&info, CLSOLVE_F32);
        if (info.fp64) candidates(&info, CLSOLVE_F64);
        if (kinds[k] == PLAYED_ERRS) rest(info.fp64 ? CLSOLVE_F64 : CLSOLVE_F32);
        clsolve_context_destroy(context);
    }
    for (int k = 0; k < count; k++) fprintf(list, "%s\t%s\n", gpu->target, asked[k]);
    fprintf(stderr, "%s: %d programs\n", gpu->target, count);
    return 1;
}

static FILE *create(const char *folder, const char *name) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) fprintf(stderr, "list_programs: %s: %s\n", path, strerror(errno));
    return file;
}

static int write_sources(const char *folder) {
    const cls_kernel_source *dialect = cls_kernel_sources;
    char name[256];
    (void)snprintf(name, sizeof name, "%s/source", folder);
    if (mkdir(name, 0777) != 0 && errno != EEXIST) return 0;
    while (dialect->name && strcmp(dialect->name, "dialect") != 0) dialect++;
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++) {
        (void)snprintf(name, sizeof name, "source/%s.cl", s->name);
        FILE *file = create(folder, name);
        if (!file) return 0;
        fprintf(file, "%s\n#line 1 \"%s.cl\"\n%s", dialect->text, s->name, s->text);
        if (fclose(file) != 0) return 0;
    }
    return 1;
}

static const played_gpu *gpu_of(const char *target) {
    for (const played_gpu *gpu = played_gpus; gpu->target; gpu++)
        if (strcmp(gpu->target, target) == 0) return gpu;
    fprintf(stderr, "list_programs: played.c has no GPU %s\n", target);
    return NULL;
}

int main(int argc, char **argv) {
    int done = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: list_programs FOLDER TARGET...\n");
        return 2;
    }
    asked = calloc(MOST, sizeof *asked);
    FILE *list = create(argv[1], "programs.tsv");
    if (asked && list && setenv("CLSOLVE_BLAS", "own", 1) == 0 && setenv("CLSOLVE_HOST", "never", 1) == 0) {
        done = write_sources(argv[1]);
        for (int k = 2; done && k < argc; k++) {
            const played_gpu *gpu = gpu_of(argv[k]);
            done = gpu && play(gpu, list);
        }
    }
    if (list && fclose(list) != 0) done = 0;
    free(asked);
    return done ? 0 : 1;
}

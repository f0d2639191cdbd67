/*
 * pack_kernels FOLDER CAPABILITY: compiles the default forms of the kernels for NVIDIA's GPUs of that capability (90
 * for 9.0) by NVRTC, and writes them into FOLDER as an archive that the library loads (device/shipped.h).
 *
 * The default forms are what the steps of `clsolve warm` ask for on the played GPUs of that capability (played.h), with
 * all self-tests known and with none. So the list is the library's own. For the newest capability that this NVRTC has
 * among the played GPUs there is PTX too, in the forms of these GPUs and of those of the generations before.
 *
 * Exit: 0 also where this NVRTC does not know the capability, which is said; then no archive is written.
 */
#define _POSIX_C_SOURCE 200809L

#include <clsolve/clsolve.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/cuda/cuda_device.h"
#include "device/kernels.h"
#include "device/shipped.h"
#include "pack/played.h"
#include "pack/pointers.h"
#include "tool/warm.h"

enum { MOST = 2048, LONGEST = 400 };

/* A program and the key that it has in the archive. */
typedef struct form {
    char name[64], options[LONGEST];
    cls_cache_key key;
} form;

static form *forms;
static int form_count;
static int archive_capability, played_capability; /* of what is written; of the GPU that asks */

static const char *text_of(const char *name) {
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++)
        if (strcmp(s->name, name) == 0) return s->text;
    return "";
}

static cls_source source_of(const char *name, const char *options) {
    return (cls_source){name, options, {text_of("dialect"), "\n", text_of(name)}};
}

/* Each once, under the options that it has on a GPU of the archive's capability. */
static void note(const char *name, const char *options) {
    char word[32], own[LONGEST];
    const char *at;
    if (form_count == MOST || strlen(options) + 8 > LONGEST || strlen(name) >= sizeof forms->name) {
        fprintf(stderr, "pack_kernels: too many programs, or options too long\n");
        exit(1);
    }
    (void)snprintf(word, sizeof word, "-DCLS_UNIT=%d", played_capability);
    at = strstr(options, word);
    if (at)
        (void)snprintf(own, sizeof own, "%.*s-DCLS_UNIT=%d%s", (int)(at - options), options, archive_capability,
                       at + strlen(word));
    else
        (void)snprintf(own, sizeof own, "%s", options);
    const cls_source source = source_of(name, own);
    const cls_cache_key key = cls_cuda_shipped_key(archive_capability, archive_capability, &source);
    for (int k = 0; k < form_count; k++)
        if (memcmp(forms[k].key.bytes, key.bytes, sizeof key.bytes) == 0) return;
    form *made = &forms[form_count++];
    (void)snprintf(made->name, sizeof made->name, "%s", name);
    memcpy(made->options, own, sizeof own);
    made->key = key;
}

/* A step that fails has asked for its programs before. */
static int play(const played_gpu *gpu) {
    static const played_kind kinds[] = {PLAYED_WORKS, PLAYED_ERRS};
    played_capability = gpu->capability;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const clsolve_context_options options = {.selector = gpu->target, .cache_folder = ""};
        clsolve_context *context = NULL;
        played_begin(note, kinds[k]);
        if (clsolve_context_create_with(&options, &context) != CLSOLVE_OK) return 0;
        for (int s = 0; s < warm_step_count; s++) {
            (void)warm_steps[s].run(context, CLSOLVE_F32, warm_steps[s].size);
            (void)warm_steps[s].run(context, CLSOLVE_F64, warm_steps[s].size);
        }
        clsolve_context_destroy(context);
    }
    return 1;
}

/* The archive of 8.6 is also that of 8.9 where there is none of its own: both have double precision at the same part of
 * single precision, and 8.0, with other forms, has not. */
static int serves(int capability, const played_gpu *gpu) {
    int ratio = 0;
    for (const played_gpu *g = played_gpus; g->target; g++)
        if (g->capability == capability) ratio = g->double_ratio;
    return gpu->capability / 10 == capability / 10 && gpu->capability >= capability && gpu->double_ratio == ratio;
}

static int collect(int capability, int is_ptx) {
    form_count = 0;
    archive_capability = capability;
    for (const played_gpu *gpu = played_gpus; gpu->target; gpu++) {
        const int wanted = serves(capability, gpu) || (is_ptx && gpu->capability >= capability - 30);
        if (wanted && !play(gpu)) return 0;
    }
    return form_count > 0;
}

/* PTX of the source, from cls_alloc, with the names of C++; NULL: it did not compile. */
static char *with_cpp_names(const cls_cuda_nvrtc *nvrtc, const form *f) {
    const cls_source source = source_of(f->name, f->options);
    char target[48], words[LONGEST];
    const char *options[32] = {target, "-DCLS_CPP_NAMES"};
    int count = 2;
    nvrtcProgram program = NULL;
    size_t bytes = 0, size = strlen(source.texts[0]) + strlen(source.texts[2]) + 2;
    char *all = cls_alloc(size, 1), *ptx = NULL;
    if (!all) return NULL;
    (void)snprintf(all, size, "%s\n%s", source.texts[0], source.texts[2]);
    (void)snprintf(target, sizeof target, "--gpu-architecture=compute_%d", archive_capability);
    (void)snprintf(words, sizeof words, "%s", f->options);
    for (char *word = strtok(words, " "); word && count < 32; word = strtok(NULL, " ")) options[count++] = word;
    if (nvrtc->create(&program, all, f->name, 0, NULL, NULL) == NVRTC_SUCCESS) {
        if (nvrtc->compile(program, count, options) == NVRTC_SUCCESS &&
            nvrtc->ptx_size(program, &bytes) == NVRTC_SUCCESS)
            ptx = cls_alloc(bytes + 1, 1);
        if (ptx && nvrtc->ptx(program, ptx) != NVRTC_SUCCESS) ptx[0] = '\0';
        (void)nvrtc->destroy(&program);
    }
    cls_free(all);
    return ptx;
}

/* For OpenCL, which needs the marks. */
static int mark(const cls_cuda_nvrtc *nvrtc, const form *f, void *binary, size_t bytes) {
    char *names = with_cpp_names(nvrtc, f);
    const int done = names && pack_mark_pointers(binary, bytes, names);
    cls_free(names);
    if (!done) fprintf(stderr, "pack_kernels: the parameters of %s.cl with %s are not known\n", f->name, f->options);
    return done;
}

static int compile(const cls_cuda_nvrtc *nvrtc, int is_ptx, const form *f, cls_shipped_member *member) {
    const cls_source source = source_of(f->name, f->options);
    cls_error error = {{0}};
    void *binary = NULL;
    char *ptx = NULL;
    size_t bytes = 0;
    if (cls_cuda_compile(nvrtc, archive_capability, &source, &error, &binary, &bytes, is_ptx ? &ptx : NULL) !=
        CLSOLVE_OK) {
        fprintf(stderr, "pack_kernels: %s\n", error.text);
        return 0;
    }
    if (is_ptx)
        cls_free(binary);
    else if (!mark(nvrtc, f, binary, bytes)) {
        cls_free(binary);
        return 0;
    }
    *member = (cls_shipped_member){f->key, f->name, is_ptx ? ptx : binary, is_ptx ? strlen(ptx) + 1 : bytes};
    return 1;
}

static int pack(const cls_cuda_nvrtc *nvrtc, const char *folder, int capability, int is_ptx) {
    char target[16] = "ptx";
    int made = 0;
    if (!is_ptx) (void)snprintf(target, sizeof target, "sm_%d", capability);
    if (!collect(capability, is_ptx)) {
        fprintf(stderr, "pack_kernels: no programs for %s\n", target);
        return 0;
    }
    cls_shipped_member *members = cls_alloc((size_t)form_count, sizeof *members);
    while (members && made < form_count && compile(nvrtc, is_ptx, &forms[made], &members[made])) made++;
    int done = members && made == form_count;
    if (done && !cls_shipped_write(folder, target, capability, members, (size_t)made)) {
        fprintf(stderr, "pack_kernels: cannot write %s in %s\n", target, folder);
        done = 0;
    }
    while (made > 0) cls_free(members[--made].payload);
    cls_free(members);
    if (done) printf("%s: %d programs\n", target, form_count);
    return done;
}

/* ---- what this NVRTC knows ---- */

static int knows(const cls_cuda_nvrtc *nvrtc, int capability) {
    int archs[128], count = 0;
    if (!nvrtc->cubin || !nvrtc->archs || nvrtc->arch_count(&count) != NVRTC_SUCCESS || count > 128 ||
        nvrtc->archs(archs) != NVRTC_SUCCESS)
        return 0;
    for (int i = 0; i < count; i++)
        if (archs[i] == capability) return 1;
    return 0;
}

static int is_newest(const cls_cuda_nvrtc *nvrtc, int capability) {
    for (const played_gpu *gpu = played_gpus; gpu->target; gpu++)
        if (gpu->capability > capability && knows(nvrtc, gpu->capability)) return 0;
    return 1;
}

int main(int argc, char **argv) {
    cls_cuda_nvrtc nvrtc;
    cls_error error = {{0}};
    const int capability = argc == 3 ? atoi(argv[2]) : 0;
    if (capability < 10) {
        fprintf(stderr, "usage: pack_kernels FOLDER CAPABILITY\n");
        return 2;
    }
    if (setenv("CLSOLVE_HOST", "never", 1) != 0 || cls_cuda_nvrtc_load(&nvrtc, 0, &error) != CLSOLVE_OK) {
        fprintf(stderr, "pack_kernels: %s\n", error.text);
        return 1;
    }
    if (!knows(&nvrtc, capability)) {
        printf("sm_%d: this NVRTC does not compile for it; left out\n", capability);
        return 0;
    }
    forms = cls_alloc(MOST, sizeof *forms);
    int done = forms && pack(&nvrtc, argv[1], capability, 0);
    if (done && is_newest(&nvrtc, capability)) done = pack(&nvrtc, argv[1], capability, 1);
    cls_free(forms);
    return done ? 0 : 1;
}

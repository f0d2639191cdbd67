/*
 * Every kernel of cl/ compiled by NVRTC, without a GPU: in float or in double, in the defaults of its file and in the
 * shapes in which methods ask for it on a GPU; for three generations of GPUs where it has code of its own for them. An
 * empty result is a success to NVRTC, so the kernels that come out are compared by name with those in the source.
 * Reduced: once each file that depends on the generation, and half of the others, a third of them to machine code; few
 * products, and few of the methods' shapes.
 */
#define _POSIX_C_SOURCE 200809L

#include <clsolve/clsolve.h>

#include <stdbool.h>

#include "api/context.h"
#include "base/memory.h"
#include "device/cuda/cuda_device.h"
#include "device/kernels.h"
#include "blas/builtin.h"
#include "support/test_support.h"

static cls_cuda_nvrtc nvrtc;
static int compiled;
static int reduced;
enum { TOMORROW = 9999 }; /* a generation that no NVRTC knows: PTX for the newest that it knows, and no machine code */

static const cls_kernel_source *source_of(const char *name) {
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

/* The name behind "KERNEL WORK_GROUP(...) void ", from *at on; false behind the last. */
static bool next_kernel(const char **at, char *name, size_t size) {
    static const char begin[] = "\nKERNEL WORK_GROUP(";
    const char *kernel = strstr(*at, begin);
    if (!kernel) return false;
    const char *type = strstr(kernel, ") void ");
    assert_non_null(type);
    size_t length = strcspn(type + 7, "(");
    assert_true(length > 0 && length < size);
    memcpy(name, type + 7, length);
    name[length] = '\0';
    *at = type;
    return true;
}

/* Whether a kernel of that name stands before `end` too: one that is written twice, each under its condition, is one. */
static bool stands_before(const char *text, const char *end, const char *name) {
    char other[128];
    for (const char *at = text; next_kernel(&at, other, sizeof other) && at < end;)
        if (strcmp(other, name) == 0) return true;
    return false;
}

static int occurrences(const char *text, const char *part) {
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) count++;
    return count;
}

static bool holds(const char *binary, size_t bytes, const char *text) {
    size_t length = strlen(text) + 1; /* with its end */
    for (size_t i = 0; i + length <= bytes; i++)
        if (memcmp(binary + i, text, length) == 0) return true;
    return false;
}

/* The files that are for GPUs with a matrix unit, and have nothing for others; one of them is for AMD's alone. */
static bool is_empty(const char *file, const char *options) {
    int unit = 0;
    const char *said = strstr(options, "-DCLS_UNIT=");
    if (said) (void)sscanf(said, "-DCLS_UNIT=%d", &unit);
    return strcmp(file, "gemm_mfma") == 0 || (strcmp(file, "gemm_mma") == 0 && unit < 80);
}

/* A program goes with its log, in which no warning may be. */
static nvrtcResult (*destroy_program)(nvrtcProgram *program);
static int warned;

static nvrtcResult destroy_read(nvrtcProgram *program) {
    static char log[1 << 16];
    size_t bytes = 0;
    if (nvrtc.log_size(*program, &bytes) == NVRTC_SUCCESS && bytes < sizeof log &&
        nvrtc.log(*program, log) == NVRTC_SUCCESS && strstr(log, "warning"))
        warned++, print_error("%s", log);
    return destroy_program(program);
}

/* Compiles one file; each of its kernels is in the PTX and in the machine code, and nothing else is. With KERNELS, which
 * leaves some out, those that are in the PTX. Returns how many. */
static int compile(const char *file, const char *options, int capability) {
    const cls_kernel_source *dialect = source_of("dialect"), *text = source_of(file);
    char line[128], name[128], wanted[192];
    cls_error error = {{0}};
    void *binary = NULL;
    size_t bytes = 0;
    char *ptx = NULL;
    assert_non_null(dialect);
    assert_non_null(text);
    (void)snprintf(line, sizeof line, "\n#line 1 \"%s.cl\"\n", file);
    cls_source source = {file, options, {dialect->text, line, text->text}};
    if (cls_cuda_compile(&nvrtc, capability, &source, &error, &binary, &bytes, &ptx) != CLSOLVE_OK)
        fail_msg("%s", error.text);
    const char *const said = capability == TOMORROW ? binary : ptx;
    if (capability != TOMORROW) {
        assert_true(bytes > 4 && memcmp(binary, "\177ELF", 4) == 0);
        (void)snprintf(wanted, sizeof wanted, ".target sm_%d", capability);
        assert_non_null(strstr(said, wanted));
    }
    int kernels = 0;
    const bool empty = is_empty(file, options);
    for (const char *at = text->text; !empty && next_kernel(&at, name, sizeof name);) {
        if (stands_before(text->text, at, name)) continue;
        (void)snprintf(wanted, sizeof wanted, ".entry %s(", name);
        if (strstr(options, "-DKERNELS=") && occurrences(said, wanted) == 0) continue;
        kernels++;
        if (occurrences(said, wanted) != 1) fail_msg("%s.cl with %s: no %s in the PTX", file, options, name);
        (void)snprintf(wanted, sizeof wanted, ".text.%s", name);
        if (capability != TOMORROW && !holds(binary, bytes, wanted))
            fail_msg("%s.cl with %s: no %s in the cubin", file, options, name);
    }
    assert_true(kernels > 0 || empty);
    assert_int_equal(occurrences(said, ".entry "), kernels);
    /* A constant without its f would have the slow arithmetic where the fast was asked for. */
    if (strstr(options, "-DREAL=float") && strstr(said, ".f64"))
        fail_msg("%s.cl with %s computes in double", file, options);
    compiled++;
    cls_free(binary);
    cls_free(ptx);
    return kernels;
}

/* NVRTC of old knows no new GPUs, and a new one forgets old ones. */
static bool knows(int capability) {
    int archs[128], count = 0;
    if (!nvrtc.cubin) return false;
    if (!nvrtc.archs || nvrtc.arch_count(&count) != NVRTC_SUCCESS || count > 128 || nvrtc.archs(archs) != NVRTC_SUCCESS)
        return capability <= 80;
    for (int i = 0; i < count; i++)
        if (archs[i] == capability) return true;
    return false;
}

/* The parts of a program that is cut have each of its kernels, once. */
static void parts_are_the_whole(void **state) {
    static const struct {
        const char *file;
        int parts, twice; /* kernels that are in two parts */
    } cut[] = {{"bt_sweep", 3, 0},  {"bt_cycle", 3, 0},    {"bt_setup", 4, 0},
               {"bt_vector", 2, 1}, {"front_solve", 2, 0}, {"cholesky_tiles", 3, 0}};
    if (!knows(90)) skip();
    for (size_t c = reduced ? 1 : 0; c < sizeof cut / sizeof cut[0]; c++) {
        const char *shape = "-DCLS_UNIT=90 -DW=2 -DP=64 -DS=8 -DLS=128";
        char options[160];
        int kernels = 0;
        for (int part = 0; part < cut[c].parts; part++) {
            (void)snprintf(options, sizeof options, "%s %s -DKERNELS=%d", cls_type_option(CLSOLVE_F64), shape,
                           1 << part);
            kernels += compile(cut[c].file, options, 90);
        }
        (void)snprintf(options, sizeof options, "%s %s", cls_type_option(CLSOLVE_F64), shape);
        assert_int_equal(kernels - cut[c].twice, compile(cut[c].file, options, 90));
    }
}

/* Words of dialect.clh that stand for other code on other generations. */
static bool depends_on_generation(const char *text) {
    return strstr(text, "LANES_") || strstr(text, "CLS_UNIT");
}

/*
 * In one type, by turns: each_shape has what methods ask for. A file that depends on the generation is compiled for all,
 * and in both types for sm_75. Any other file reads the same to all three: it is compiled for one of them, by turns.
 */
static void each_file(void **state) {
    const int capability = *(int *)*state, turn = capability == 75 ? 0 : capability == 80 ? 1 : 2;
    if (!knows(capability) || (reduced && capability != 90)) skip();
    int files = 0;
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++) {
        if (!strstr(s->text, "\nKERNEL ")) continue;   /* what other files include */
        if (strcmp(s->name, "bt_grid") == 0) continue; /* other files together, for a CPU */
        const bool depends = depends_on_generation(s->text);
        const int file = files++;
        if (!depends && file % 3 != turn && !reduced) continue;
        for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; type++) {
            char options[128];
            if (!(depends && capability == 75) && (file + type + capability / 80) % 2) continue;
            if (reduced && !depends && file % 4) continue; /* clang has these for NVIDIA's GPUs too: kernels_offline */
            (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d", cls_type_option((clsolve_type)type),
                           capability);
            compile(s->name, options, reduced && nvrtc.archs && file % 3 != turn ? TOMORROW : capability);
        }
    }
    assert_true(files >= 19);
}

/* ---- as methods ask for them ---- */

static clsolve_context *context;

#define WORKS(call) test_works(context, call)

/* Makes a handle of each family, on whatever device is here in the shape of a GPU: its programs are then listed. */
static void ask_for_all(clsolve_type type) {
    enum { N = 100, LINES = 70, M = 60 };
    clsolve_lu *lu = NULL;
    clsolve_cholesky *cholesky = NULL;
    clsolve_ldl *ldl = NULL;
    clsolve_gauss_jordan *gj = NULL;
    clsolve_block_gs *grid = NULL;
    clsolve_band *band = NULL;
    clsolve_lu_options trusted = {.equilibrate = 1, .rcond = 1, .pivoting = CLSOLVE_PIVOTING_RBT};
    WORKS(clsolve_lu_create(context, N, type, &trusted, &lu));
    WORKS(clsolve_cholesky_create(context, N, type, NULL, &cholesky));
    clsolve_cholesky_destroy(cholesky);
    WORKS(clsolve_ldl_create(context, N, type, NULL, &ldl));
    clsolve_ldl_destroy(ldl);
    for (int v = CLSOLVE_GAUSS_JORDAN_AUTO; v <= CLSOLVE_GAUSS_JORDAN_BLOCKED; v++) {
        clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)v};
        WORKS(clsolve_gauss_jordan_create(context, N, type, &options, &gj));
        clsolve_gauss_jordan_destroy(gj);
    }
    WORKS(clsolve_block_gs_create(context, LINES, M, type, NULL, &grid));
    clsolve_block_gs_destroy(grid);
    for (int k = 3; k <= 40; k += 37) { /* a narrow one, and one by blocks */
        WORKS(clsolve_band_create(context, 10 * N, k, k, type, NULL, &band));
        clsolve_band_destroy(band);
    }
    clsolve_lu_destroy(lu);
}

/* Of complex matrices: dense LU, narrow bands, one and many, and grids. */
static void ask_for_complex(clsolve_type type) {
    const clsolve_lu_options trusted = {.equilibrate = 1, .rcond = 1};
    clsolve_lu *lu = NULL;
    clsolve_band *band = NULL;
    clsolve_band_batch *batch = NULL;
    WORKS(clsolve_lu_create(context, 100, type, &trusted, &lu));
    clsolve_lu_destroy(lu);
    WORKS(clsolve_band_create(context, 1000, 3, 3, type, NULL, &band));
    clsolve_band_destroy(band);
    WORKS(clsolve_band_batch_create(context, 10, 1, 1, 2000, type, NULL, &batch)); /* a work-item each on a GPU */
    clsolve_band_batch_destroy(batch);
    clsolve_block_gs *grid = NULL;
    WORKS(clsolve_block_gs_create(context, 70, 60, type, NULL, &grid));
    clsolve_block_gs_destroy(grid);
}

static int same_type(const char *options, const char *others) {
    return !strstr(options, "-DCLS_DOUBLE=1") == !strstr(others, "-DCLS_DOUBLE=1") &&
           !strstr(options, "-DCLS_COMPLEX=1") == !strstr(others, "-DCLS_COMPLEX=1");
}

/* Programs of the same file in the same type that stand before p: of many shapes two are compiled. */
static int programs_before(const cls_program *first, const cls_program *p) {
    int count = 0;
    for (const cls_program *q = first; q != p; q = q->next)
        count += strcmp(q->name, p->name) == 0 && same_type(q->options, p->options);
    return count;
}

/* In the shapes of direct_batch/setup.c. */
static void compile_lu_batches(void) {
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++) {
        const int wide = type == CLSOLVE_C64;
        char options[160];
        for (int n = 4; n <= (wide ? 32 : 512 / (int)cls_type_size(type)); n *= 2) {
            (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 -DN=%d -DLX=%d -DLY=%d", cls_type_option(type), n,
                           n, n < 64 ? 64 / n : 1);
            compile("lu_batch_small", options, 90);
        }
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 -DCHOLESKY=0 -DEXACT -DALONE -DLS=128 -DW=%d -DPER=1",
                       cls_type_option(type), wide ? 16 : 32);
        compile("front_panel", options, 90);
        (void)snprintf(options, sizeof options,
                       "%s -DCLS_UNIT=90 -DCHOLESKY=0 -DEXACT -DALONE -DLS=1024 -DW=%d -DPER=1", cls_type_option(type),
                       wide ? 8 : 16);
        compile("front_panel", options, 90);
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 -DLX=8 -DLY=8 -DHELD=1 -DSIDES=16",
                       cls_type_option(type));
        compile("direct_batch_solve", options, 90);
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 -DLX=256 -DLY=1 -DHELD=4 -DSIDES=4",
                       cls_type_option(type));
        compile("direct_batch_solve", options, 90);
        for (int cholesky = 0; cholesky < 2; cholesky++) {
            for (int items = 64; type == CLSOLVE_F64 && items <= (cholesky ? 512 : 256); items *= 2) {
                (void)snprintf(options, sizeof options,
                               "%s -DCLS_UNIT=90 -DCHOLESKY=%d -DLS=%d -DW=%d -DPER=1 -DCLS_REGISTERS=%d",
                               cls_type_option(type), cholesky, items, items > 256 ? 32 : 16,
                               items > 128 ? 128
                               : cholesky  ? 80
                                           : 96);
                compile("direct_batch_whole", options, 90);
            }
            (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 -DCHOLESKY=%d -DLS=128", cls_type_option(type),
                           cholesky);
            compile("direct_batch_move", options, 90);
            (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 -DCHOLESKY=%d -DBLOCK=%d -DLS=512",
                           cls_type_option(type), cholesky, wide ? 16 : 32);
            compile("direct_batch_block", options, 90);
        }
        (void)snprintf(options, sizeof options,
                       "%s -DCLS_UNIT=90 -DCHOLESKY=1 -DRAGGED -DLX=64 -DLY=1 -DHELD=1 -DSIDES=4",
                       cls_type_option(type));
        compile("direct_batch_solve", options, 90);
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 -DCHOLESKY=1 -DEXACT -DALONE -DLS=128 -DW=%d -DPER=1",
                       cls_type_option(type), wide ? 16 : 32);
        compile("front_panel", options, 90);
    }
}

static void each_shape(void **state) {
    int64_t devices = 0;
    if (!knows(90) || clsolve_devices(NULL, 0, &devices) != CLSOLVE_OK || devices == 0) skip();
    test_pretend("gpu");
    context = test_context(1);
    if (!reduced) ask_for_all(CLSOLVE_F32);
    if (!reduced && clsolve_context_device(context).fp64) ask_for_all(CLSOLVE_F64);
    ask_for_complex(CLSOLVE_C32);
    if (!reduced && clsolve_context_device(context).fp64) ask_for_complex(CLSOLVE_C64);
    int programs = 0;
    for (const cls_program *p = context->device->programs; p; p = p->next, programs++)
        if (programs_before(context->device->programs, p) < 2 && (!reduced || programs % 12 == 0))
            compile(p->name, p->options, 90);
    assert_true(programs >= 10);
    clsolve_context_destroy(context);
    if (reduced) return;
    /* Where groups run together. */
    for (int form = 0; form < 8; form++) { /* rows of a work-item, type: every other combination */
        char options[160];
        if ((form % 2 + form / 2) % 2) continue;
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 -DROWS=%d -DCOLUMNS=%d -DBATCHES=%d",
                       cls_type_option(form % 2 ? CLSOLVE_F64 : CLSOLVE_F32), 1 << form / 2, form / 2 == 3 ? 8 : 16,
                       1 << form / 3);
        compile("lu_resident", options, 90);
    }
    static const char *const complex_leaves[] = {"-DROWS=2 -DCOLUMNS=16 -DBATCHES=2",
                                                 "-DROWS=4 -DCOLUMNS=8 -DBATCHES=4"};
    for (int form = 0; form < 4; form += 3) {
        char options[160];
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 %s",
                       cls_type_option(form % 2 ? CLSOLVE_C64 : CLSOLVE_C32), complex_leaves[form / 2]);
        compile("lu_resident", options, 90);
    }
    compile("lu_rbt", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_COMPLEX=1 -DLS=128", 90);
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++) {
        char options[160];
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 -DLEAF=%d", cls_type_option(type),
                       type == CLSOLVE_C64 ? 64 : 128);
        compile("cholesky_tiles", options, 90);
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 -DHERMITIAN=%d", cls_type_option(type), type % 2);
        compile("ldl_panel", options, 90);
        (void)snprintf(options, sizeof options, "%s -DTILE=32 -DLY=8", cls_type_option(type));
        compile("symmetric_check", options, 90);
    }
    compile("gemm_complex", cls_type_option(CLSOLVE_C64), 90);
    compile("gj_batch", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_COMPLEX=1 -DCLS_UNIT=90 -DN=32 -DRHS=0 -DLX=32 -DLY=1", 90);
    compile("cholesky_batch", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_COMPLEX=1 -DN=32 -DLX=32 -DPER=2 -DLY=1", 90);
    compile("ldl_batch", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_COMPLEX=1 -DCLS_UNIT=90 -DN=64 -DLX=32 -DPER=8 -DLY=1",
            90);
    compile("ldl_batch", "-DREAL=float -DCLS_UNIT=90 -DN=8 -DLX=8 -DPER=1 -DLY=8 -DRAGGED", 90);
    compile("direct_batch_solve", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_UNIT=90 -DLDL_BATCH -DLX=64 -DLY=1 -DSIDES=16",
            90);
    compile("ldl_batch_values", "-DREAL=float -DCLS_COMPLEX=1", 90);
    compile("direct_batch_move", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_COMPLEX=1 -DLDL_BATCH -DHERMITIAN=1", 90);
    compile("sparse_batch", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_COMPLEX=1 -DITEMS=128", 90);
    compile("sparse_batch_solve", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_COMPLEX=1 -DITEMS=128", 90);
    compile("sparse_batch_solve", "-DREAL=float -DITEMS=8", 90);
    compile_lu_batches();
    /* Few rows, in the shapes of lu/small_setup.c. */
    static const char *const shapes[] = {"-DSPAN=64 -DPARTS=4 -DROWS=1", "-DSPAN=128 -DPARTS=1 -DROWS=1",
                                         "-DSPAN=256 -DPARTS=1 -DROWS=1", "-DSPAN=256 -DPARTS=1 -DROWS=2"};
    for (int shape = 0; shape < 12; shape += 2) {
        static const clsolve_type types[] = {CLSOLVE_F32, CLSOLVE_F64, CLSOLVE_C64};
        char options[160];
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=90 %s", cls_type_option(types[shape % 3]),
                       shapes[shape / 3]);
        compile("lu_small", options, 90);
    }
    compile("lu_small_solve", "-DREAL=double -DCLS_DOUBLE=1", 90);
    compile("lu_sweep", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_COMPLEX=1 -DCLS_UNIT=90", 90);
    /* For many columns, as blas/builtin_trsm.c has it. */
    compile("trsm_portable", "-DREAL=double -DCLS_DOUBLE=1 -DEACH=2 -DMOST_ROWS=128", 90);
    compile("trsm_portable", "-DREAL=float -DCLS_DOUBLE=0 -DCLS_COMPLEX=1 -DEACH=2 -DMOST_ROWS=128", 90);
    compile("trsm_portable", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_COMPLEX=1 -DEACH=1 -DMOST_ROWS=32", 90);
    compile("trsm", "-DREAL=float -DCLS_DOUBLE=0 -DCLS_UNIT=90 -DEACH=2 -DSETS=2", 90);
    compile("trsm", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_UNIT=90 -DEACH=2 -DSETS=2", 90);
}

/* The product by the matrix unit in the forms of blas/builtin_mma.c. */
static void each_product(void **state) {
    const int capability = *(int *)*state;
    static const char *const tiles[] = {"-DBM=64 -DBN=64 -DWM=32 -DWN=32 -DSTAGES=4",
                                        "-DBM=128 -DBN=64 -DWM=64 -DWN=32 -DSTAGES=4"};
    if (!knows(capability) || (reduced && capability != 90)) skip();
    /* Vectors of one element and of the most by turns, on sm_90 in the other half of the combinations; so are the tiles. */
    for (int form = 0; form < 16; form++) {
        const int trans_a = form & 1, trans_b = form >> 1 & 1, wide = form >> 2 & 1;
        const clsolve_type type = form >> 3 ? CLSOLVE_F64 : CLSOLVE_F32;
        const int word = type == CLSOLVE_F64 ? 2 : 4;
        char options[256];
        if ((trans_a + trans_b + wide + capability / 90) % 2 || (reduced && form % 5)) continue;
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d %s -DTRANS_A=%d -DTRANS_B=%d -DVECTOR=%d",
                       cls_type_option(type), capability, tiles[(trans_a + trans_b + form / 8) % 2], trans_a, trans_b,
                       wide ? word : 1);
        compile("gemm_mma", options, capability);
    }
}

/* The portable product with the first guesses of parameters for a GPU, a different op each. */
static void each_tile(void **state) {
    const clsolve_device_info info = {.type = CLSOLVE_DEVICE_GPU, .max_work_group = 1024, .local_memory = 49152};
    if (!knows(90)) skip();
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; type++) {
        cls_tile tiles[CLS_TILE_GUESSES];
        const int count = cls_tile_guesses(&info, (clsolve_type)type, tiles), most = count < 4 ? count
                                                                                     : reduced ? 1
                                                                                               : 4;
        for (int g = 0; g < most; g++) {
            char text[CLS_TILED_TEXT], options[384];
            (void)cls_builtin_tiled_form(&tiles[g], (clsolve_type)type, g & 1 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS,
                                         g & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, g & 1, text);
            (void)snprintf(options, sizeof options, "%s %s", cls_type_option((clsolve_type)type), text);
            compile("gemm_tiled", options, 90);
        }
    }
}

/* ---- what no kernel shows ---- */

static void local_arguments(void **state) {
    static const char text[] =
        "KERNEL WORK_GROUP(32, 1, 1) void reversed(GLOBAL REAL *a, LOCAL_ARG(REAL, x), LOCAL_ARG(int, "
        "y)) {\n    LOCAL_FROM_ARG(REAL, x);\n    LOCAL_FROM_ARG(int, y);\n    x[LOCAL_ID(0)] = "
        "a[LOCAL_ID(0)];\n    y[LOCAL_ID(0)] = 1;\n    BARRIER();\n    a[LOCAL_ID(0)] = x[31 - "
        "LOCAL_ID(0)] + (REAL)y[0];\n}\n";
    cls_source source = {"reversed", cls_type_option(CLSOLVE_F64), {source_of("dialect")->text, "\n", text}};
    cls_error error = {{0}};
    void *binary = NULL;
    size_t bytes = 0;
    char *ptx = NULL;
    if (!knows(80)) skip();
    if (cls_cuda_compile(&nvrtc, 80, &source, &error, &binary, &bytes, &ptx) != CLSOLVE_OK) fail_msg("%s", error.text);
    assert_non_null(strstr(ptx, ".entry reversed("));
    assert_non_null(strstr(ptx, ".extern .shared"));
    cls_free(binary);
    cls_free(ptx);
}

static void a_fault_is_told(void **state) {
    cls_source source = {"wrong", "", {source_of("dialect")->text, "\n#line 1 \"wrong.cl\"\n", "this is no kernel\n"}};
    cls_error error = {{0}};
    void *binary = NULL;
    size_t bytes = 0;
    assert_int_equal(cls_cuda_compile(&nvrtc, 80, &source, &error, &binary, &bytes, NULL), CLSOLVE_ERROR_BUILD);
    assert_null(binary);
    assert_non_null(strstr(error.text, "wrong.cl"));
    assert_non_null(strstr(error.text, "NVRTC_ERROR_COMPILATION"));
}

/* A GPU newer than NVRTC: PTX for the newest that it knows. */
static void a_gpu_of_tomorrow(void **state) {
    const cls_kernel_source *scale = source_of("scale");
    cls_source source = {"scale", cls_type_option(CLSOLVE_F32), {source_of("dialect")->text, "\n", scale->text}};
    cls_error error = {{0}};
    void *binary = NULL;
    size_t bytes = 0;
    if (!nvrtc.archs) skip();
    if (cls_cuda_compile(&nvrtc, TOMORROW, &source, &error, &binary, &bytes, NULL) != CLSOLVE_OK)
        fail_msg("%s", error.text);
    assert_non_null(strstr(binary, ".entry scale("));
    assert_int_equal(((char *)binary)[bytes - 1], '\0'); /* the driver reads it as a text */
    cls_free(binary);
}

static void nothing_was_warned_of(void **state) {
    assert_int_equal(warned, 0);
}

int main(void) {
    static int generations[] = {75, 80, 90};
    cls_error error = {{0}};
    reduced = test_reduced();
    if (cls_cuda_nvrtc_load(&nvrtc, 0, &error) != CLSOLVE_OK) {
        fprintf(stderr, "skipped: %s\n", error.text);
        return TEST_SKIPPED;
    }
    destroy_program = nvrtc.destroy;
    nvrtc.destroy = destroy_read;
    const struct CMUnitTest tests[] = {
        {"sm_75", each_file, NULL, NULL, &generations[0]},
        {"sm_80", each_file, NULL, NULL, &generations[1]},
        {"sm_90", each_file, NULL, NULL, &generations[2]},
        cmocka_unit_test(each_shape),
        cmocka_unit_test(parts_are_the_whole),
        {"products, sm_80", each_product, NULL, NULL, &generations[1]},
        {"products, sm_90", each_product, NULL, NULL, &generations[2]},
        cmocka_unit_test(each_tile),
        cmocka_unit_test(local_arguments),
        cmocka_unit_test(a_fault_is_told),
        cmocka_unit_test(a_gpu_of_tomorrow),
        cmocka_unit_test(nothing_was_warned_of),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fprintf(stderr, "%d compilations\n", compiled);
    cls_cuda_library_close(nvrtc.library);
    if (failed == 0 && compiled == 0) {
        fprintf(stderr, "skipped: this NVRTC makes machine code for none of these GPUs\n");
        return TEST_SKIPPED;
    }
    return failed;
}

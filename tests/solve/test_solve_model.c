/* The model of the time, as a function: systems that are far apart go where they should on a CPU and on GPUs, with
 * kernels that are built and that are not. No device is needed. */
#include "cost/methods.h"
#include "cost/sparse.h"
#include "solve/analysis.h"
#include "solve/sparse_support.h"

typedef struct costs {
    double lu, band, grid;
} costs;

static clsolve_device_info large_gpu(void) {
    clsolve_device_info info;
    memset(&info, 0, sizeof info);
    info.type = CLSOLVE_DEVICE_GPU;
    info.compute_units = 132;
    info.clock_mhz = 1980;
    info.fp64 = 1;
    return info;
}

static clsolve_device_info small_cpu(void) {
    clsolve_device_info info;
    memset(&info, 0, sizeof info);
    info.type = CLSOLVE_DEVICE_CPU;
    info.compute_units = 2;
    info.clock_mhz = 2600;
    info.fp64 = info.host_memory = 1;
    return info;
}

static costs costs_of(clsolve_device_info info, cls_analysis a, int64_t nrhs, cls_build_state built) {
    cls_cost_system system = {.n = a.n,
                              .kl = a.after.kl,
                              .ku = a.after.ku,
                              .lines = a.lines,
                              .dominant = a.dominant,
                              .nrhs = nrhs,
                              .type = CLSOLVE_F64};
    cls_rates machine = cls_rates_of(&info, CLSOLVE_F64);
    return (costs){cls_cost_lu(&machine, &system, built), cls_cost_band(&machine, &system, built),
                   cls_cost_grid(&machine, &system, built)};
}

static cls_analysis grid_of(int64_t N, int64_t M) {
    int64_t width = N < M ? N : M;
    return (cls_analysis){
        .n = N * M, .before = {M, M}, .after = {width, width}, .lines = N, .line_length = M, .dominant = 1};
}

static cls_analysis band_of(int64_t n, int64_t kl, int64_t ku) {
    return (cls_analysis){.n = n, .before = {kl, ku}, .after = {kl, ku}};
}

TEST(test_grids) {
    const clsolve_device_info devices[] = {large_gpu(), small_cpu()};
    for (int d = 0; d < 2; d++)
        for (int built = CLS_BUILD_UNKNOWN; built <= CLS_BUILD_HERE; built++) {
            costs small = costs_of(devices[d], grid_of(30, 30), 1, (cls_build_state)built);
            costs large = costs_of(devices[d], grid_of(2000, 2000), 1, (cls_build_state)built);
            assert_true(small.band < small.grid && small.band < small.lu);
            assert_true(large.grid < large.band && large.band < large.lu);
        }
    /* Many right-hand sides pay for a factorization. */
    assert_true(costs_of(large_gpu(), grid_of(300, 300), 1, CLS_BUILD_HERE).grid <
                costs_of(large_gpu(), grid_of(300, 300), 1, CLS_BUILD_HERE).band);
}

TEST(test_bands) {
    const clsolve_device_info devices[] = {large_gpu(), small_cpu()};
    for (int d = 0; d < 2; d++)
        for (int built = CLS_BUILD_UNKNOWN; built <= CLS_BUILD_HERE; built++) {
            costs narrow = costs_of(devices[d], band_of(5000, 3, 3), 1, (cls_build_state)built);
            costs wide = costs_of(devices[d], band_of(1000, 900, 900), 1, (cls_build_state)built);
            costs many = costs_of(devices[d], band_of(5000, 3, 3), 1000, (cls_build_state)built);
            assert_true(narrow.band < narrow.lu);
            assert_true(wide.lu < wide.band);
            assert_true(many.band > narrow.band && many.lu > narrow.lu);
        }
}

/* Kernels that must be compiled count, and kernels that an earlier process compiled count less. */
TEST(test_build) {
    const clsolve_device_info devices[] = {large_gpu(), small_cpu()};
    for (int d = 0; d < 2; d++) {
        costs unknown = costs_of(devices[d], grid_of(100, 100), 1, CLS_BUILD_UNKNOWN);
        costs cached = costs_of(devices[d], grid_of(100, 100), 1, CLS_BUILD_CACHED);
        costs here = costs_of(devices[d], grid_of(100, 100), 1, CLS_BUILD_HERE);
        assert_true(unknown.grid > cached.grid && cached.grid > here.grid);
        assert_true(unknown.lu >= cached.lu && cached.lu >= here.lu);
    }
}

/* On a host alone: a band of k diagonals on either side, and the least time of a sparse method. */
static void check_host(int64_t n, int64_t k, int64_t entries, cls_sparse_kind kind, int band_is_sooner) {
    double seconds[2];
    for (int many = 0; many < 2; many++) { /* LAPACK has one core for a band, however many there are */
        clsolve_device_info info = {.type = CLSOLVE_DEVICE_CPU, .compute_units = many ? 16 : 1, .host_memory = 1};
        seconds[many] = costs_of(info, band_of(n, k, k), 1, CLS_BUILD_HERE).band;
    }
    assert_true(seconds[0] == seconds[1]);
    assert_int_equal(seconds[0] < cls_sparse_least_seconds((double)entries, kind), band_is_sooner);
}

/* Grids of m x m points, and cubes, whose band has about 3/4 m x m diagonals in a good order. Measured, the two methods
 * take the same time at about m = 70, and 12. */
TEST(test_host_bands) {
    check_host(3600, 60, 17760, CLS_SPARSE_BY_KLU, 1);
    check_host(6400, 80, 31680, CLS_SPARSE_BY_KLU, 0);
    check_host(22500, 150, 111900, CLS_SPARSE_BY_KLU, 0);
    check_host(512, 48, 3200, CLS_SPARSE_LU, 1);
    check_host(1000, 75, 6400, CLS_SPARSE_LU, 1);
    check_host(2197, 127, 14365, CLS_SPARSE_LU, 0);
    check_host(13824, 430, 93312, CLS_SPARSE_LU, 0);
    check_host(1374, 100, 8606, CLS_SPARSE_MATCHED_LU, 1);
}

TEST(test_extremes) {
    for (int64_t n = 0; n < 4; n++) {
        costs c = costs_of(small_cpu(), band_of(n, 0, 0), 0, CLS_BUILD_UNKNOWN);
        assert_true(c.lu >= 0 && c.band > 0 && c.grid > 0 && c.lu < c.band);
    }
    clsolve_device_info unknown = large_gpu();
    unknown.compute_units = unknown.clock_mhz = 0;
    costs c = costs_of(unknown, grid_of(1000000, 1000000), 1, CLS_BUILD_UNKNOWN);
    assert_true(c.grid < c.band && c.band < c.lu && c.lu < 1e300);
}

TEST_PROGRAM_ALONE(NULL, NULL)

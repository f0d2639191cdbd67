/* The model that chooses mode and block (cost/band_blocks.h), as the function that it is; and that handles take what it says. */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "blas/blas.h"
#include "cost/band_blocks.h"
#include "support/test_support.h"

enum { ALL = CLS_BAND_MODE_NATIVE | CLS_BAND_MODE_HYBRID, BLOCKS = 600 };

static const cls_band_mode modes[] = {CLS_BAND_MODE_NATIVE, CLS_BAND_MODE_HYBRID};

static cls_band_machine host(void) {
    return cls_band_machine_of(1, 1, 2);
}

static cls_band_machine gpu(int64_t compute_units) {
    return cls_band_machine_of(0, 0, compute_units);
}

static cls_band_choice choose(const cls_band_machine *machine, unsigned some, int64_t n, int64_t k) {
    return cls_band_choose(machine, some, n, k, 2 * k < n ? 2 * k : n - 1, 8, 0);
}

/* No other block of those that it may take is faster by the model's own formula, in any mode; and it takes no others. */
static void check_least(const cls_band_machine *machine, int64_t n, int64_t kl, int64_t kv) {
    cls_band_choice choice = cls_band_choose(machine, ALL, n, kl, kv, 8, 0);
    int64_t reach = kl + kv > machine->leaf ? kl + kv : machine->leaf;

    assert_in_range(choice.block, 1, n);
    assert_true(choice.block <= machine->widest && choice.block <= reach);
    assert_true(choice.block % machine->leaf == 0 || choice.block == n);
    assert_true(choice.seconds == cls_band_seconds(machine, choice.mode, n, kl, kv, 8, choice.block));
    for (int m = 0; m < 2; ++m)
        for (int64_t nb = machine->leaf; nb <= reach && nb <= machine->widest && nb <= n; nb += machine->leaf)
            if (cls_band_seconds(machine, modes[m], n, kl, kv, 8, nb) < choice.seconds)
                fail_msg("n %d kl %d kv %d: mode %d with blocks of %d is faster", (int)n, (int)kl, (int)kv,
                         (int)modes[m], (int)nb);
}

TEST(test_least) {
    test_random random = test_random_start(1);
    cls_band_machine machines[] = {host(), cls_band_machine_of(1, 0, 16), gpu(8), gpu(132), gpu(0)};
    for (int round = 0; round < 400; ++round) {
        int64_t n = test_random_between(&random, 1, 3000), kl = test_random_between(&random, 0, n - 1);
        int64_t kv = test_random_between(&random, kl, n - 1);
        if (round % 2) kl = kl * kl / n, kv = kl + kv * kv / n < n ? kl + kv * kv / n : n - 1; /* narrower ones too */
        for (size_t m = 0; m < sizeof machines / sizeof *machines; ++m) check_least(&machines[m], n, kl, kv);
    }
}

/* What it says of machines that were measured, and that it hangs on each of n, k and the device. */
TEST(test_known) {
    cls_band_machine cpu = host(), small = gpu(8), large = gpu(132);

    /* A CPU works in place whatever the band; blocks of 48 at k = 500. */
    for (int64_t k = 1; k <= 4096; k *= 2) assert_int_equal(choose(&cpu, ALL, 100000, k).mode, CLS_BAND_MODE_HYBRID);
    assert_int_equal(choose(&cpu, ALL, 10000, 500).block, 48);
    /* Few diagonals by kernels of their own, but where blocks are worth more. */
    assert_int_equal(choose(&cpu, ALL | CLS_BAND_MODE_NARROW, 100000, 1).mode, CLS_BAND_MODE_NARROW);
    assert_int_equal(choose(&cpu, ALL | CLS_BAND_MODE_NARROW, 100000, 8).mode, CLS_BAND_MODE_NARROW);
    assert_int_equal(choose(&cpu, ALL | CLS_BAND_MODE_NARROW, 100000, 32).mode, CLS_BAND_MODE_HYBRID);
    assert_int_equal(choose(&large, ALL | CLS_BAND_MODE_NARROW, 100000, 16).mode, CLS_BAND_MODE_NARROW);
    /* A large GPU factors its panels itself; a small one is outrun by the host where they are tall. */
    assert_int_equal(choose(&large, ALL, 50000, 1000).mode, CLS_BAND_MODE_NATIVE);
    assert_int_equal(choose(&large, ALL, 50000, 2000).mode, CLS_BAND_MODE_NATIVE);
    assert_int_equal(choose(&small, ALL, 50000, 4000).mode, CLS_BAND_MODE_HYBRID);
    assert_int_equal(choose(&small, ALL, 50000, 8).mode, CLS_BAND_MODE_NATIVE);
    /* What was fastest there. */
    assert_int_equal(choose(&large, ALL, 100000, 128).block, 32);
    assert_in_range(choose(&large, ALL, 50000, 1000).block, 64, 128);
    assert_int_equal(choose(&large, ALL, 50000, 2000).block, 192);
}

/* The microseconds a column that it was made from: they come out as measured, within what the fit left. */
TEST(test_measured) {
    static const struct {
        cls_band_mode mode;
        int64_t k, block;
        double micro, within;
    } measured[] = {{CLS_BAND_MODE_NATIVE, 16, 32, 2.05, 0.05},    {CLS_BAND_MODE_NATIVE, 16, 128, 2.44, 0.05},
                    {CLS_BAND_MODE_NATIVE, 128, 64, 2.32, 0.05},   {CLS_BAND_MODE_NATIVE, 128, 128, 2.53, 0.05},
                    {CLS_BAND_MODE_NATIVE, 1000, 64, 2.83, 0.05},  {CLS_BAND_MODE_NATIVE, 1000, 96, 2.81, 0.05},
                    {CLS_BAND_MODE_NATIVE, 1000, 288, 2.91, 0.05}, {CLS_BAND_MODE_NATIVE, 2000, 96, 3.95, 0.05},
                    {CLS_BAND_MODE_NATIVE, 2000, 192, 3.74, 0.05}, {CLS_BAND_MODE_NARROW, 16, 1, 0.89, 0.05},
                    {CLS_BAND_MODE_NARROW, 24, 1, 1.17, 0.05},     {CLS_BAND_MODE_HYBRID, 1000, 96, 7.87, 0.3},
                    {CLS_BAND_MODE_HYBRID, 1000, 288, 10.3, 0.3},  {CLS_BAND_MODE_HYBRID, 2000, 32, 9.99, 0.3}};
    cls_band_machine large = gpu(132);

    for (size_t m = 0; m < sizeof measured / sizeof *measured; ++m) {
        int64_t n = measured[m].block * 1000, k = measured[m].k;
        double micro = cls_band_seconds(&large, measured[m].mode, n, k, 2 * k, 8, measured[m].block) * 1e6 / (double)n;
        if (!(fabs(micro / measured[m].micro - 1) < measured[m].within))
            fail_msg("mode %d, k %d, blocks of %d: %g us a column, not %g", (int)measured[m].mode, (int)k,
                     (int)measured[m].block, micro, measured[m].micro);
    }
}

/* A band of a few diagonals takes one leaf, never more than the matrix; wider ones more. */
TEST(test_blocks) {
    cls_band_machine machines[] = {host(), gpu(8), gpu(132)};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; ++m)
        for (int q = 0; q < 2; ++q) {
            assert_int_equal(choose(&machines[m], modes[q], 100000, 1).block, machines[m].leaf);
            assert_true(choose(&machines[m], modes[q], 100000, 16).block <= 64);
            for (int64_t n = 1; n < 16; n = 2 * n + 1) assert_int_equal(choose(&machines[m], modes[q], n, 16).block, n);
        }
    for (int64_t k = 8; k < 2000; k *= 16)
        assert_true(choose(&machines[0], CLS_BAND_MODE_HYBRID, 100000, k).block <
                    choose(&machines[0], CLS_BAND_MODE_HYBRID, 100000, 16 * k).block);
    assert_true(choose(&machines[2], CLS_BAND_MODE_NATIVE, 100000, 1000).block > machines[2].leaf);
}

TEST(test_given) {
    cls_band_machine machine = gpu(132);
    for (int64_t nb = 1; nb < BLOCKS; nb = 2 * nb + 5) {
        cls_band_choice c = cls_band_choose(&machine, ALL | CLS_BAND_MODE_NARROW, 400, 5, 9, 8, nb);
        assert_int_equal(c.block, nb < 400 ? nb : 400);
        assert_int_not_equal(c.mode, CLS_BAND_MODE_NARROW);
        assert_int_equal(cls_band_choose(&machine, CLS_BAND_MODE_HYBRID, 400, 5, 9, 8, nb).mode, CLS_BAND_MODE_HYBRID);
    }
}

/* A handle made without options does as the model says. */
TEST(test_handles) {
    static const int64_t shapes[][3] = {{1, 0, 0}, {100, 30, 50}, {700, 20, 60}, {3000, 200, 100}, {300, 299, 299}};
    OWNED(context) *context = test_context(1);
    const cls_device *device = context->device;
    cls_band_machine machine =
        cls_band_machine_of(device->info.host_memory, cls_in_place(device), device->info.compute_units);

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s)
        for (int panel = CLSOLVE_PANEL_AUTO; panel <= CLSOLVE_PANEL_HYBRID; ++panel) {
            int64_t n = shapes[s][0], kl = shapes[s][1], ku = shapes[s][2], kv = kl + ku < n ? kl + ku : n - 1;
            clsolve_band_options options = {.panel = (clsolve_panel)panel};
            OWNED(band) *band = NULL;
            clsolve_report report;
            if (n == 1 && panel == CLSOLVE_PANEL_AUTO) continue; /* narrow, which the device may have no room for */
            assert_int_equal(clsolve_band_create(context, n, kl, ku, CLSOLVE_F32, &options, &band), CLSOLVE_OK);
            assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
            cls_band_choice c =
                cls_band_choose(&machine, panel == CLSOLVE_PANEL_AUTO ? ALL : modes[panel - 1], n, kl, kv, 4, 0);
            assert_string_equal(report.band.panel, c.mode == CLS_BAND_MODE_HYBRID ? "hybrid" : "native");
            assert_int_equal(report.band.block, c.block);
        }
}

TEST_PROGRAM(NULL, NULL)

/* Environment variables of the library: what each may be, and that a context is not made where one is something else. */
#define _POSIX_C_SOURCE 200809L

#include "base/environment.h"
#include "base/system/folder.h"
#include "clsolve/context.h"
#include "support/test_support.h"

/* Words that are allowed, and some that are not. Of a number `right` begins with the bounds. */
static const struct {
    const char *name, *allowed, *right[4], *wrong[10];
} rows[] = {
    {"CLSOLVE_BLAS",
     "clblast, own, openblas or cublas",
     {"clblast", "own", "openblas", "cublas"},
     {"bogus", "CLBlast"}},
    {"CLSOLVE_HOST", "never or always", {"never", "always"}, {"bogus", "Never", "alway", "1"}},
    {"CLSOLVE_KERNELS",
     "the path of a folder, from the root on, or none",
     {"none", "/usr/lib"},
     {"here", "None", "./kernels"}},
    {"CLSOLVE_PRETEND",
     "gpu, no-fp64, no-matrix-unit, no-ptx, no-subgroups, double-ratio=1 to 1000 or groups-together=1 to 65535, with "
     "commas between them",
     {"gpu", "no-fp64,no-ptx", "double-ratio=1000,no-subgroups", "groups-together=65535,no-matrix-unit"},
     {"GPU", "1", "gpu,", "gpu,,no-ptx", "gpu no-ptx", "gpu=1", "double-ratio", "double-ratio=1001", "double-ratio=-1",
      "groups-together=0"}},
    {"CLSOLVE_SHARES",
     "whole numbers from 1 to 1000 with commas between them",
     {"1", "3,1", "1000,1,20"},
     {"0", "1,", ",1", "1,,2", "1001", "1 2", "-1", "1;2", "1.5,2", "99999999999,1"}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void set(const char *name, const char *value) {
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

/* The value, of a path one that begins at a root of this system. */
static const char *rooted(const char *value, char room[64]) {
    if (value[0] != '/' || cls_folder_is_absolute(value)) return value;
    (void)snprintf(room, 64, "C:%s", value);
    return room;
}

TEST(right_values) {
    cls_error error = {""};
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < 4 && rows[r].right[i]; i++) {
            char room[64];
            const char *right = rooted(rows[r].right[i], room);
            set(rows[r].name, right);
            assert_int_equal(cls_environment_check(&error), CLSOLVE_OK);
            assert_string_equal(cls_environment_word(rows[r].name), right);
        }
        set(rows[r].name, "");
        assert_int_equal(cls_environment_check(&error), CLSOLVE_OK);
        assert_null(cls_environment_word(rows[r].name));
        set(rows[r].name, NULL);
        assert_null(cls_environment_word(rows[r].name));
    }
    assert_string_equal(error.text, "");
}

TEST(meanings) {
    int shares[CLS_ENVIRONMENT_LIST];
    set("CLSOLVE_PRETEND", "no-ptx,double-ratio=032,gpu,double-ratio=7");
    assert_int_equal(cls_environment_pretends("no-ptx"), 1);
    assert_int_equal(cls_environment_pretends("gpu"), 1);
    assert_int_equal(cls_environment_pretends("double-ratio"), 32); /* the first counts */
    assert_int_equal(cls_environment_pretends("no-fp64"), 0);
    assert_int_equal(cls_environment_pretends("groups-together"), 0);
    set("CLSOLVE_PRETEND", "double-ratio=1"); /* a number, and no word alone */
    assert_int_equal(cls_environment_pretends("double-ratio"), 1);
    set("CLSOLVE_PRETEND", "no-ptx,double-ratio=99999999999999"); /* not allowed: as if not set */
    assert_int_equal(cls_environment_pretends("no-ptx"), 0);
    set("CLSOLVE_PRETEND", NULL);
    assert_int_equal(cls_environment_pretends("no-ptx"), 0);
    set("CLSOLVE_SHARES", "3,1,20");
    assert_int_equal(cls_environment_shares(shares), 3);
    assert_int_equal(shares[0], 3);
    assert_int_equal(shares[2], 20);
    set("CLSOLVE_SHARES", NULL);
    assert_int_equal(cls_environment_shares(shares), 0);
}

TEST(wrong_values) {
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < 10 && rows[r].wrong[i]; i++) {
            clsolve_context *context = NULL;
            char message[512] = "", wanted[256];
            clsolve_context_options options = {
                .selector = "host", .cache_folder = "", .message = message, .message_size = sizeof message};
            (void)snprintf(wanted, sizeof wanted, "%s is \"%s\": give %s", rows[r].name, rows[r].wrong[i],
                           rows[r].allowed);
            set(rows[r].name, rows[r].wrong[i]);
            const clsolve_status status = clsolve_context_create_with(&options, &context);
            const char *word = cls_environment_word(rows[r].name);
            set(rows[r].name, NULL);
            assert_int_equal(status, CLSOLVE_ERROR_INVALID_ARGUMENT);
            assert_null(context);
            assert_string_equal(message, wanted);
            assert_null(word);
        }
}

int main(void) {
    for (int r = 0; r < ROWS; r++) (void)unsetenv(rows[r].name); /* each is set by itself here */
    return test_run(NULL, NULL);
}

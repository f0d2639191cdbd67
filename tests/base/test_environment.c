/* Environment variables of the library: what each may be, and that a context is not made where one is something else. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/environment.h"
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
    {"CLSOLVE_DOUBLE_RATIO",
     "a whole number from 1 to 1000",
     {"1", "1000", "032"},
     {"0", "1001", "-1", "+2", "2.5", " 2", "2x", "abc", "99999999999999", "18446744073709551617"}},
    {"CLSOLVE_GROUPS_TOGETHER",
     "a whole number from 1 to 65535",
     {"1", "65535", "2"},
     {"0", "65536", "-1", "0x2", "abc", "4294967297", "99999999999"}},
    {"CLSOLVE_HOST", "never or always", {"never", "always"}, {"bogus", "Never", "alway", "1"}},
    {"CLSOLVE_NO_FP64", "0 or 1", {"1", "0"}, {"2", "yes", "01", "1 "}},
    {"CLSOLVE_NO_MATRIX_UNIT", "0 or 1", {"1", "0"}, {"2", "yes"}},
    {"CLSOLVE_NO_PTX", "0 or 1", {"1", "0"}, {"2", "yes"}},
    {"CLSOLVE_NO_SUBGROUPS", "0 or 1", {"1", "0"}, {"2", "yes"}},
    {"CLSOLVE_SHARES",
     "whole numbers from 1 to 1000 with commas between them",
     {"1", "3,1", "1000,1,20"},
     {"0", "1,", ",1", "1,,2", "1001", "1 2", "-1", "1;2", "1.5,2", "99999999999,1"}},
    {"CLSOLVE_TREAT_AS_GPU", "0 or 1", {"1", "0"}, {"2", "yes"}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void set(const char *name, const char *value) {
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void right_values(void **state) {
    cls_error error = {""};
    (void)state;
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < 4 && rows[r].right[i]; i++) {
            set(rows[r].name, rows[r].right[i]);
            assert_int_equal(cls_environment_check(&error), CLSOLVE_OK);
            assert_string_equal(cls_environment_word(rows[r].name), rows[r].right[i]);
        }
        set(rows[r].name, "");
        assert_int_equal(cls_environment_check(&error), CLSOLVE_OK);
        assert_null(cls_environment_word(rows[r].name));
        set(rows[r].name, NULL);
        assert_null(cls_environment_word(rows[r].name));
    }
    assert_string_equal(error.text, "");
}

static void meanings(void **state) {
    (void)state;
    set("CLSOLVE_DOUBLE_RATIO", "032");
    assert_int_equal(cls_environment_number("CLSOLVE_DOUBLE_RATIO"), 32);
    set("CLSOLVE_DOUBLE_RATIO", "1000");
    assert_int_equal(cls_environment_number("CLSOLVE_DOUBLE_RATIO"), 1000);
    set("CLSOLVE_DOUBLE_RATIO", "99999999999999");
    assert_int_equal(cls_environment_number("CLSOLVE_DOUBLE_RATIO"), 0);
    set("CLSOLVE_DOUBLE_RATIO", NULL);
    assert_int_equal(cls_environment_number("CLSOLVE_DOUBLE_RATIO"), 0);
    set("CLSOLVE_NO_PTX", "1");
    assert_int_equal(cls_environment_switch("CLSOLVE_NO_PTX"), 1);
    set("CLSOLVE_NO_PTX", "0");
    assert_int_equal(cls_environment_switch("CLSOLVE_NO_PTX"), 0);
    set("CLSOLVE_NO_PTX", "yes");
    assert_int_equal(cls_environment_switch("CLSOLVE_NO_PTX"), 0);
    set("CLSOLVE_NO_PTX", NULL);
    assert_int_equal(cls_environment_switch("CLSOLVE_NO_PTX"), 0);
}

static void wrong_values(void **state) {
    (void)state;
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_values), cmocka_unit_test(meanings),
                                       cmocka_unit_test(wrong_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which provider a device gets, by itself and by CLSOLVE_BLAS. */
#define _POSIX_C_SOURCE 200809L

#include "blas/blas_support.h"

/* What the device under test refuses under this CLSOLVE_BLAS; its message names the word. */
static void assert_refused(const char *word, clsolve_status status) {
    cls_error error = {{0}};
    cls_device *device = test_device("", &error);
    assert_int_equal(setenv("CLSOLVE_BLAS", word, 1), 0);
    assert_int_equal(cls_blas_create(device), status);
    assert_non_null(strstr(error.text, word));
    device->ops->destroy(device);
    assert_int_equal(unsetenv("CLSOLVE_BLAS"), 0);
}

static void assert_gets(const char *word, const char *name) {
    cls_error error = {{0}};
    assert_int_equal(word ? setenv("CLSOLVE_BLAS", word, 1) : unsetenv("CLSOLVE_BLAS"), 0);
    cls_device *device = test_blas_device("", &error);
    assert_string_equal(device->blas->name, name);
    device->ops->destroy(device);
    assert_int_equal(unsetenv("CLSOLVE_BLAS"), 0);
}

TEST(provider_is_chosen) {
    cls_error error = {{0}};
    cls_device *device = test_device("", &error);
    const int host_memory = device->info.host_memory, cuda = strcmp(device->info.backend, "cuda") == 0;
    assert_null(device->blas);
    device->ops->destroy(device);

    assert_gets(NULL, cuda ? "cuBLAS" : host_memory ? "OpenBLAS" : test_portable_provider());
    if (cuda)
        assert_refused("clblast", CLSOLVE_ERROR_UNSUPPORTED);
    else
        test_has_clblast() ? assert_gets("clblast", "CLBlast") : assert_refused("clblast", CLSOLVE_ERROR_UNSUPPORTED);
    if (cuda) assert_gets("cublas", "cuBLAS");
    if (!cuda && !host_memory) assert_refused("openblas", CLSOLVE_ERROR_UNSUPPORTED);
    if (!cuda) assert_refused("cublas", CLSOLVE_ERROR_INVALID_ARGUMENT);
}

/* A context has one, and what is wrong with the choice is in the message of the context that is not made. */
TEST(context_says_why) {
    clsolve_context *context = NULL;
    char message[256] = "";
    clsolve_context_options options = {
        .selector = test_selector(), .cache_folder = "", .message = message, .message_size = sizeof message};
    assert_int_equal(setenv("CLSOLVE_BLAS", "other", 1), 0);
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(context);
    assert_non_null(strstr(message, "CLSOLVE_BLAS is \"other\""));
    assert_int_equal(unsetenv("CLSOLVE_BLAS"), 0);
}

TEST_PROGRAM(NULL, NULL)

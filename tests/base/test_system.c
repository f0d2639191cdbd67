/* test_system.c: what differs between systems, in base/system, is the same for those that use it: on Windows too. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>

#include "base/system/file.h"
#include "base/system/folder.h"
#include "base/system/host.h"
#include "base/system/library.h"
#include "base/system/life.h"
#include "base/system/path.h"
#include "base/system/program.h"
#include "base/system/text.h"
#include "base/system/thread.h"
#include "support/test_support.h"

enum { PATH = 4096 };

/* A folder with a name that is not ASCII, in the current folder. */
static char home[PATH];

static const char *in_home(const char *name, char path[PATH]) {
    assert_true(snprintf(path, PATH, "%s/%s", home, name) < PATH);
    return path;
}

static cls_folder open_home(void) {
    cls_folder folder;
    const char *reason;
    if (!cls_folder_open(home, &folder, &reason)) fail_msg("%s: %s", home, reason ? reason : strerror(errno));
    return folder;
}

static void put(const cls_folder *folder, const char *name, const char *text) {
    const int file = cls_folder_create(folder, name);
    assert_true(file >= 0);
    assert_true(cls_file_write(file, text, strlen(text)));
    assert_int_equal(cls_file_close(file), 0);
}

static void expect(const cls_folder *folder, const char *name, const char *text) {
    char got[64];
    const int file = cls_folder_read(folder, name);
    assert_true(file >= 0);
    assert_int_equal(cls_file_bytes(file), strlen(text));
    assert_true(cls_file_read(file, got, strlen(text)));
    assert_memory_equal(got, text, strlen(text));
    assert_int_equal(cls_file_take(file, got, 1), 0);
    assert_int_equal(cls_file_close(file), 0);
}

/* What an aborted run has left. */
static int clear(void **state) {
    cls_folder folder = open_home();
    cls_folder_remove_old(&folder, "", -1);
    cls_folder_close(&folder);
    return 0;
}

TEST(host_is_known) {
    assert_true(cls_host_cores() >= 1);
    assert_true(cls_host_memory() >= INT64_C(64) << 20);
    SCRATCH char *memory = malloc(1 << 16);
    assert_non_null(memory);
    memset(memory, 1, 1 << 16);
    assert_false(cls_host_untouched(memory, 1 << 16));
    cls_large_pages(memory, 1 << 16);
    assert_int_equal(memory[999], 1);
    assert_true(cls_life_process() > 0);
}

static void *look_around(void *what) {
    size_t *left = what;
    *left = cls_thread_is_first() ? 0 : cls_stack_left();
    cls_thread_give_way();
    return NULL;
}

TEST(threads_know_their_stack) {
    enum { BYTES = 8 << 20 };
    pthread_attr_t attributes;
    pthread_t thread;
    size_t left = 0;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, BYTES), 0);
    assert_true(cls_thread_start(&thread, &attributes, look_around, &left));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(left > BYTES / 2 && (left <= BYTES + (1 << 20) || left == SIZE_MAX));
    assert_true(cls_thread_start(&thread, NULL, look_around, &left));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(left > 0);
    (void)pthread_attr_destroy(&attributes);
}

TEST(libraries_are_loaded) {
    char why[256] = "", path[PATH];
    cls_path_about about;
    void (*function)(void) = NULL;
    void *library = cls_library_open(cls_library_name("libm.so.6", "kernel32.dll"), why, sizeof why);
    if (!library) fail_msg("%s", why);
    assert_true(cls_library_find(library, cls_library_name("cos", "GetTickCount"), &function));
    assert_true(function != NULL);
    assert_false(cls_library_find(library, "no_such_function", &function));
    assert_true(function == NULL);
    cls_library_close(library);
    cls_library_close(NULL);
    assert_null(cls_library_open("no_such_library", why, sizeof why));
    assert_non_null(strstr(why, "no_such_library"));
    assert_true(cls_library_folder(path, sizeof path));
    assert_int_equal(cls_path_look(path, &about), 0);
    assert_int_equal(about.kind, CLS_PATH_FOLDER);
    assert_false(cls_library_folder(path, 2));
}

TEST(paths_are_absolute_or_not) {
    char path[PATH];
    assert_false(cls_folder_is_absolute(""));
    assert_false(cls_folder_is_absolute("a/b"));
    assert_true(cls_folder_absolute("a", path, sizeof path));
    assert_true(cls_folder_is_absolute(path));
    assert_false(cls_folder_absolute("a", path, 3));
    assert_true(cls_folder_is_absolute(cls_library_name("/a", "C:\\a")));
    if (cls_folder_of_caches(path, sizeof path)) assert_true(cls_folder_is_absolute(path));
    assert_string_equal(cls_path_slash("a/b/c"), "/c");
    assert_null(cls_path_slash("c"));
    assert_true(cls_path_same_name("a.mtx", "a.mtx"));
    assert_false(cls_path_same_name("a.mtx", "b.mtx"));
    assert_int_equal(cls_path_same_name("A.mtx", "a.mtx"), !test_is_posix());
}

TEST(folders_have_files) {
    cls_folder folder = open_home();
    put(&folder, "one", "first");
    assert_int_equal(cls_folder_create(&folder, "one"), -1);
    assert_int_equal(errno, EEXIST);
    put(&folder, "two", "");
    expect(&folder, "two", "");
    assert_true(cls_folder_rename(&folder, "one", "two")); /* over what is there */
    expect(&folder, "two", "first");
    assert_int_equal(cls_folder_read(&folder, "one"), -1);
    assert_false(cls_folder_rename(&folder, "one", "two"));
    assert_int_equal(errno, ENOENT);
    put(&folder, "new-1", "a");
    put(&folder, "new-2", "b\r\n\032c");
    expect(&folder, "new-2", "b\r\n\032c");
    cls_folder_remove_old(&folder, "new-", 1000);
    expect(&folder, "new-1", "a");
    cls_folder_remove_old(&folder, "new-", -1);
    assert_int_equal(cls_folder_read(&folder, "new-1"), -1);
    assert_int_equal(cls_folder_read(&folder, "new-2"), -1);
    expect(&folder, "two", "first");
    cls_folder_remove(&folder, "two");
    cls_folder_remove(&folder, "two");
    assert_int_equal(cls_folder_read(&folder, "two"), -1);
    cls_folder_close(&folder);
}

/* A reader that has a file open keeps nobody from putting another in its place. */
TEST(a_file_is_replaced_under_its_reader) {
    cls_folder folder = open_home();
    char got[8] = "";
    put(&folder, "old", "old");
    put(&folder, "new", "new");
    const int file = cls_folder_read(&folder, "old");
    assert_true(file >= 0);
    if (cls_folder_rename(&folder, "new", "old")) {
        expect(&folder, "old", "new");
        assert_true(cls_file_read(file, got, 3));
        assert_string_equal(got, "old");
    } else {
        assert_int_equal(errno, EACCES); /* a system may refuse; the file stays whole */
        assert_true(cls_file_read(file, got, 3));
        assert_string_equal(got, "old");
        cls_folder_remove(&folder, "new");
    }
    (void)cls_file_close(file);
    cls_folder_remove(&folder, "old");
    cls_folder_close(&folder);
}

TEST(a_lock_has_one_owner) {
    cls_folder folder = open_home();
    int busy = 2;
    const int first = cls_folder_lock(&folder, "lock", &busy);
    assert_true(first >= 0);
    assert_int_equal(busy, 0);
    assert_int_equal(cls_folder_lock(&folder, "lock", &busy), -1);
    assert_int_equal(busy, 1);
    assert_int_equal(cls_file_close(first), 0);
    const int second = cls_folder_lock(&folder, "lock", &busy);
    assert_true(second >= 0);
    assert_int_equal(cls_file_close(second), 0);
    cls_folder_remove(&folder, "lock");
    cls_folder_close(&folder);
}

TEST(a_folder_that_is_none) {
    char path[PATH];
    cls_folder folder = open_home(), none;
    const char *reason = "";
    put(&folder, "file", "x");
    assert_false(cls_folder_open(in_home("file", path), &none, &reason));
    assert_null(reason);
    assert_false(cls_folder_open(in_home("no such", path), &none, &reason));
    assert_int_equal(errno, ENOENT);
    cls_folder_remove(&folder, "file");
    cls_folder_close(&folder);
}

/* By mode bits, or by an access list of Windows. */
TEST(a_folder_of_others) {
    cls_folder folder;
    const char *reason = "";
    assert_true(test_let_others_write(home, 1));
    assert_false(cls_folder_open(home, &folder, &reason));
    assert_string_equal(reason, "others may write to it");
    assert_true(test_let_others_write(home, 0));
    folder = open_home();
    cls_folder_close(&folder);
}

TEST(places_of_a_file) {
    char path[PATH], got[4] = "";
    cls_folder folder = open_home();
    put(&folder, "places", "0123456789");
    const int file = cls_file_open(in_home("places", path), 1);
    assert_true(file >= 0);
    assert_true(cls_file_read_at(file, got, 3, 7));
    assert_string_equal(got, "789");
    assert_true(cls_file_read_at(file, got, 3, 0));
    assert_string_equal(got, "012");
    assert_false(cls_file_read_at(file, got, 3, 8));
    (void)cls_file_close(file);
    assert_int_equal(cls_file_open(home, 1), -1);
    assert_int_equal(cls_file_open(in_home("no such", path), 0), -1);
    assert_int_equal(errno, ENOENT);
    cls_folder_remove(&folder, "places");
    cls_folder_close(&folder);
}

/* Longer than the 260 characters of Windows' own limit: folders, and files of both kinds. */
TEST(long_paths) {
    char deep[PATH / 2], path[PATH], other[PATH];
    cls_folder folder;
    cls_path_about about;
    const char *reason = "";
    int length = snprintf(deep, sizeof deep, "%s", home);
    for (int k = 0; k < 6; k++) length += snprintf(deep + length, sizeof deep - (size_t)length, "/%d-%060d", k, 0);
    assert_true(length > 350 && length < PATH / 2);
    cls_folder_make(deep);
    if (!cls_folder_open(deep, &folder, &reason)) fail_msg("%s: %s", deep, reason ? reason : strerror(errno));
    cls_folder_remove_old(&folder, "", -1); /* of an aborted run */
    put(&folder, "one", "first");
    assert_true(cls_folder_rename(&folder, "one", "two"));
    expect(&folder, "two", "first");
    (void)snprintf(path, sizeof path, "%s/two", deep);
    (void)snprintf(other, sizeof other, "%s/ü", deep);
    assert_int_equal(cls_path_look(path, &about), 0);
    assert_int_equal(about.kind, CLS_PATH_FILE);
    assert_int_equal(cls_path_replace(path, other), 0);
    assert_int_equal(cls_path_look(path, &about), ENOENT);
    FILE *stream = cls_path_open(other, "r");
    assert_non_null(stream);
    assert_int_equal(fclose(stream), 0);
    const int made = cls_path_create(path);
    assert_true(made >= 0);
    (void)cls_file_close(made);
    cls_path_remove(other);
    cls_folder_remove_old(&folder, "", -1);
    assert_int_equal(cls_path_look(path, &about), ENOENT);
    cls_folder_close(&folder);
}

TEST(variables_name_folders) {
    static const char name[] = "CLSOLVE_TEST_FOLDER";
    char path[PATH];
    assert_int_equal(setenv(name, home, 1), 0); /* not ASCII */
    assert_true(cls_folder_of_variable(name, path, sizeof path));
    assert_string_equal(path, home);
    assert_false(cls_folder_of_variable(name, path, 3));
    assert_int_equal(setenv(name, "a/b", 1), 0);
    assert_false(cls_folder_of_variable(name, path, sizeof path));
    assert_int_equal(setenv(name, "", 1), 0);
    assert_false(cls_folder_of_variable(name, path, sizeof path));
    assert_int_equal(unsetenv(name), 0);
}

TEST(names_of_files) {
    char path[PATH], other[PATH];
    cls_path_about about, again;
    assert_int_equal(cls_path_look(home, &about), 0);
    assert_int_equal(about.kind, CLS_PATH_FOLDER);
    assert_int_equal(cls_path_may_write(home, 1), 0);
    assert_int_equal(cls_path_look(in_home("ä.mtx", path), &about), ENOENT);
    assert_false(cls_path_is_link(path));

    const int file = cls_path_create(path);
    assert_true(file >= 0);
    assert_int_equal(cls_path_create(path), -1);
    assert_int_equal(errno, EEXIST);
    FILE *stream = cls_path_stream(file, "w");
    assert_non_null(stream);
    assert_int_equal(fputs("1\n", stream) >= 0, 1);
    assert_int_equal(fflush(stream), 0);
    assert_int_equal(cls_path_sync(stream), 0);
    assert_int_equal(cls_path_look_at(stream, &again), 0);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(cls_path_look(path, &about), 0);
    assert_int_equal(about.kind, CLS_PATH_FILE);
    assert_true(about.device == again.device && about.number == again.number);
    assert_int_equal(cls_path_may_write(path, 0), 0);

    stream = cls_path_open(in_home("b.mtx", other), "w");
    assert_non_null(stream);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(cls_path_look(other, &again), 0);
    assert_false(about.device == again.device && about.number == again.number);
    assert_int_equal(cls_path_replace(path, other), 0); /* over what is there */
    assert_int_equal(cls_path_look(path, &about), ENOENT);
    const int bytes = cls_file_open(other, 0);
    assert_int_equal(cls_file_bytes(bytes), 2); /* no line end has changed */
    (void)cls_file_close(bytes);
    SCRATCH char *real = cls_path_real(other);
    assert_non_null(real);
    assert_true(cls_folder_is_absolute(real));
    cls_path_remove(other);
    assert_int_equal(cls_path_look(other, &about), ENOENT);
    assert_null(cls_path_open(other, "r"));
}

TEST(texts) {
    char path[PATH], *line = NULL, *part = cls_text_part("abc", 2);
    size_t room = 0;
    assert_non_null(part);
    assert_string_equal(part, "ab");
    free(part);
    FILE *stream = cls_path_open(in_home("lines", path), "w");
    assert_non_null(stream);
    for (int k = 0; k < 300; k++) assert_int_equal(fputc('x', stream), 'x');
    assert_int_equal(fwrite("\n\na\0b", 1, 5, stream), 5);
    assert_int_equal(fclose(stream), 0);
    stream = cls_path_open(path, "r");
    assert_non_null(stream);
    assert_int_equal(cls_text_line(stream, &line, &room), 301);
    assert_string_equal(line + 298, "xx\n");
    assert_int_equal(cls_text_line(stream, &line, &room), 1);
    assert_string_equal(line, "\n");
    assert_int_equal(cls_text_line(stream, &line, &room), 3); /* without an end, and with a zero */
    assert_memory_equal(line, "a\0b", 4);
    assert_int_equal(cls_text_line(stream, &line, &room), -1);
    assert_int_equal(fclose(stream), 0);
    free(line);
    cls_path_remove(path);
}

/* What the program is asked to write when it is started as a child. */
static const char said[] = "two words, \"quotes\\\" and ü at its end\\\\";

TEST(a_program_starts_itself) {
    char path[PATH], got[sizeof said] = "";
    char *arguments[] = {"test_system",           "--child", (char *)(uintptr_t)in_home("said", path),
                         (char *)(uintptr_t)said, "",        NULL};
    int64_t process = 0;
    assert_true(cls_program_start(arguments, &process));
    cls_program_wait(process);
    const int file = cls_file_open(path, 1);
    assert_true(file >= 0);
    assert_int_equal(cls_file_bytes(file), sizeof said - 1);
    assert_true(cls_file_read(file, got, sizeof said - 1));
    assert_string_equal(got, said);
    (void)cls_file_close(file);
    cls_path_remove(path);
}

static int child(int argc, char **argv) {
    FILE *file = argc == 5 && argv[4][0] == '\0' ? cls_path_open(argv[2], "w") : NULL;
    return file && fputs(argv[3], file) >= 0 && fclose(file) == 0 ? 0 : 1;
}

static void nothing(void) {}

int main(int argc, char **argv) {
    if (!cls_program_begin(&argc, &argv)) return 2;
    if (argc > 1 && strcmp(argv[1], "--child") == 0) return child(argc, argv);
    cls_program_on_interrupt(nothing);
    cls_life_at_end(nothing);
    (void)cls_program_is_terminal(stderr);
    if (!cls_folder_absolute("test_system.d/ö", home, sizeof home)) return 2;
    cls_folder_make(home);
    return test_run(clear, clear);
}

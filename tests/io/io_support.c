#define _POSIX_C_SOURCE 200809L

#include "io/io_support.h"

#include <dirent.h>
#include <unistd.h>

#include "support/test_support.h"

static char folder[200];

int io_folder_create(void **state) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/clsolve-test-io-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

/* Calls remove() on each file when asked to; returns how many there are. */
static int visit(int remove_them) {
    DIR *stream = opendir(folder);
    int count = 0;
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count++;
        if (remove_them) remove(path);
    }
    if (stream) closedir(stream);
    return count;
}

int io_folder_remove(void **state) {
    visit(1);
    return rmdir(folder);
}

int io_folder_count(void) {
    return visit(0);
}

const char *io_path(const char *name) {
    static char paths[5][600];
    static int next;
    next = (next + 1) % 5;
    snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
    return paths[next];
}

void io_write_text(const char *path, const char *bytes, size_t length) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

char *io_read_text(const char *path, size_t *length) {
    FILE *stream = fopen(path, "rb");
    if (!stream) return NULL;
    size_t used = 0, room = 1 << 12;
    char *bytes = malloc(room);
    for (size_t got; bytes && (got = fread(bytes + used, 1, room - used - 1, stream)) > 0;) {
        used += got;
        if (used + 1 == room) bytes = realloc(bytes, room *= 2);
    }
    fclose(stream);
    assert_non_null(bytes);
    bytes[used] = '\0';
    *length = used;
    return bytes;
}

mm_matrix io_parse(const char *text) {
    mm_matrix matrix;
    mm_message message;
    if (mm_read_memory(text, strlen(text), "t.mtx", &matrix, &message) != MM_OK) fail_msg("%s", message.error);
    assert_string_equal(message.warning, "");
    return matrix;
}

void io_assert_same(const mm_matrix *left, const mm_matrix *right) {
    assert_int_equal(left->rows, right->rows);
    assert_int_equal(left->cols, right->cols);
    assert_int_equal(left->sparse, right->sparse);
    assert_int_equal(left->entries, right->entries);
    if (left->sparse) {
        assert_memory_equal(left->start, right->start, ((size_t)left->cols + 1) * sizeof *left->start);
        assert_memory_equal(left->row, right->row, (size_t)left->entries * sizeof *left->row);
    } else {
        assert_null(left->start);
        assert_null(right->start);
    }
    assert_memory_equal(left->value, right->value, (size_t)left->entries * sizeof *left->value);
}

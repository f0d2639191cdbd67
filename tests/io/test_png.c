/* test_png.c: pictures of the examples (examples/png.h) are PNG, by a reader that refuses what is not exactly so. */
#include "../../examples/png.h"

#include "support/test_support.h"

typedef struct reader {
    unsigned char *bytes;
    size_t size, at;
} reader;

static uint32_t number(reader *r) {
    uint32_t value = 0;
    assert_true(r->at + 4 <= r->size);
    for (int k = 0; k < 4; k++) value = value << 8 | r->bytes[r->at++];
    return value;
}

/* By a table, as the standard's appendix computes it. */
static uint32_t sum_of(const unsigned char *bytes, size_t count) {
    uint32_t table[256], crc = 0xffffffffu;
    for (uint32_t n = 0; n < 256; n++) {
        table[n] = n;
        for (int k = 0; k < 8; k++) table[n] = table[n] & 1 ? 0xedb88320u ^ (table[n] >> 1) : table[n] >> 1;
    }
    for (size_t k = 0; k < count; k++) crc = table[(crc ^ bytes[k]) & 0xff] ^ (crc >> 8);
    return crc ^ 0xffffffffu;
}

/* Where the data of the next chunk begins, which must be of that type. */
static const unsigned char *chunk(reader *r, const char *type, uint32_t *length) {
    *length = number(r);
    assert_true(r->at + 4 + *length + 4 <= r->size);
    assert_memory_equal(r->bytes + r->at, type, 4);
    const uint32_t sum = sum_of(r->bytes + r->at, 4 + *length);
    const unsigned char *data = r->bytes + r->at + 4;
    r->at += 4 + *length;
    assert_int_equal(number(r), sum);
    return data;
}

static unsigned grey_at(int width, int x, int y) {
    return (unsigned)(x * 7 + y * 31 + width) % 256;
}

/* The stored blocks one behind the other, and Adler's sum of all. */
static void check_stream(const unsigned char *data, uint32_t length, int width, int height) {
    const size_t bytes = ((size_t)width + 1) * (size_t)height;
    uint32_t at = 2, a = 1, b = 0;
    int last = 0;
    assert_int_equal((data[0] << 8 | data[1]) % 31, 0);
    assert_int_equal(data[0] & 15, 8);
    for (size_t k = 0; k < bytes;) {
        assert_false(last);
        assert_true(at + 5 <= length);
        last = data[at];
        assert_in_range(last, 0, 1);
        const unsigned block = data[at + 1] | (unsigned)data[at + 2] << 8;
        assert_int_equal(data[at + 3] | (unsigned)data[at + 4] << 8, ~block & 0xffff);
        assert_true(block > 0 && block <= bytes - k);
        at += 5;
        for (unsigned j = 0; j < block; j++, k++, at++) {
            const int column = (int)(k % ((size_t)width + 1)), row = (int)(k / ((size_t)width + 1));
            assert_int_equal(data[at], column == 0 ? 0 : grey_at(width, column - 1, row));
            a = (a + data[at]) % 65521;
            b = (b + a) % 65521;
        }
    }
    assert_true(last);
    assert_int_equal(length, at + 4);
    assert_int_equal((uint32_t)data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3], b << 16 | a);
}

static void check_picture(int width, int height) {
    static const unsigned char signature[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a};
    const char *path = "test_png.png";
    SCRATCH unsigned char *grey = malloc((size_t)(width * height));
    uint32_t length;
    reader r = {malloc(1 << 20), 0, 0};
    assert_non_null(grey);
    assert_non_null(r.bytes);
    for (int k = 0; k < width * height; k++) grey[k] = (unsigned char)grey_at(width, k % width, k / width);
    assert_true(png_write(path, width, height, grey));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    r.size = fread(r.bytes, 1, 1 << 20, file);
    assert_int_equal(fclose(file), 0);
    assert_memory_equal(r.bytes, signature, 8);
    r.at = 8;
    const unsigned char *header = chunk(&r, "IHDR", &length);
    assert_int_equal(length, 13);
    assert_int_equal(header[2] << 8 | header[3], width);
    assert_int_equal(header[6] << 8 | header[7], height);
    assert_memory_equal(header + 8, "\010\0\0\0\0", 5);
    const unsigned char *data = chunk(&r, "IDAT", &length);
    check_stream(data, length, width, height);
    (void)chunk(&r, "IEND", &length);
    assert_int_equal(length, 0);
    assert_int_equal(r.at, r.size);
    assert_int_equal(remove(path), 0);
    free(r.bytes);
}

TEST(pictures_are_png) {
    static const int sizes[][2] = {{1, 1}, {3, 2}, {1, 300}, {200, 64}, {254, 257}, {254, 258}, {400, 500}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) check_picture(sizes[k][0], sizes[k][1]);
}

TEST(what_cannot_be_written) {
    const unsigned char grey = 0;
    assert_false(png_write("no/such/folder/p.png", 1, 1, &grey));
}

TEST_PROGRAM_ALONE(NULL, NULL)

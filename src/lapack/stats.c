#include "lapack/stats.h"

#include <stdio.h>
#include <string.h>

#include "lapack/state.h"

#define SYMBOL(id, symbol, ...) [LAPACK_##id] = #symbol,
static const char *const symbols[] = {LAPACK_ENTRIES(SYMBOL)};
static const char *const ways[LAPACK_WAYS] = {"device", "small", "argument", "closed", "busy", "failed"};

/* The line, or an empty one: nothing was counted. */
static void write_line(int entry, char *line, size_t size) {
    long long sum = 0;
    int length = snprintf(line, size, "clsolve: %s", symbols[entry]);
    for (int way = 0; way < LAPACK_WAYS; way++) {
        long long count = atomic_load(&cls_lapack.counts[entry][way]);
        sum += count;
        if (length > 0 && (size_t)length < size)
            length += snprintf(line + length, size - (size_t)length, " %s %lld", ways[way], count);
    }
    if (sum == 0) line[0] = 0;
}

void cls_lapack_print_stats(void) {
    const char *where = cls_lapack.options.stats;
    if (!where) return;
    FILE *file = NULL;
    for (int entry = 0; entry < LAPACK_ENTRY_COUNT; entry++) {
        char line[256];
        write_line(entry, line, sizeof line);
        if (!line[0]) continue;
        if (!file) file = strcmp(where, "1") == 0 ? stderr : fopen(where, "a");
        if (!file) return;
        (void)fprintf(file, "%s\n", line);
    }
    if (file && file != stderr) (void)fclose(file);
}

#include "tool/counts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SYMBOLS = 128, MOST_WAYS = 8 };

typedef struct counted {
    char symbol[32];
    long long device, host;    /* calls */
    long long ways[MOST_WAYS]; /* of the host's, by reason */
} counted;

typedef struct table {
    counted rows[MOST_SYMBOLS];
    char ways[MOST_WAYS][16];
    int row_count, way_count;
} table;

static counted *row_of(table *t, const char *symbol) {
    for (int k = 0; k < t->row_count; k++)
        if (strcmp(t->rows[k].symbol, symbol) == 0) return &t->rows[k];
    if (t->row_count == MOST_SYMBOLS || strlen(symbol) >= sizeof t->rows[0].symbol) return NULL;
    counted *row = &t->rows[t->row_count++];
    strcpy(row->symbol, symbol);
    return row;
}

static int way_of(table *t, const char *way) {
    for (int k = 0; k < t->way_count; k++)
        if (strcmp(t->ways[k], way) == 0) return k;
    if (t->way_count == MOST_WAYS || strlen(way) >= sizeof t->ways[0]) return -1;
    strcpy(t->ways[t->way_count], way);
    return t->way_count++;
}

static void add_line(table *t, char *line) {
    char *rest = NULL, *word = strtok_r(line, " \n", &rest);
    if (word == NULL || strcmp(word, "clsolve:") != 0 || (word = strtok_r(NULL, " \n", &rest)) == NULL) return;
    counted *row = row_of(t, word);
    for (char *way; row != NULL && (way = strtok_r(NULL, " \n", &rest)) != NULL;) {
        char *number = strtok_r(NULL, " \n", &rest);
        long long count = number != NULL ? strtoll(number, NULL, 10) : 0;
        if (strcmp(way, "device") == 0) {
            row->device += count;
            continue;
        }
        int k = way_of(t, way);
        row->host += count;
        if (k >= 0) row->ways[k] += count;
    }
}

int counts_print(FILE *from, FILE *to) {
    static const table empty;
    table t = empty;
    char line[512];
    while (fgets(line, sizeof line, from) != NULL) add_line(&t, line);
    if (t.row_count > 0) fprintf(to, "clsolve: calls of LAPACK   device     host\n");
    for (int k = 0; k < t.row_count; k++) {
        const counted *row = &t.rows[k];
        const char *before = "   (";
        fprintf(to, "  %-20s %10lld %8lld", row->symbol, row->device, row->host);
        for (int w = 0; w < t.way_count; w++)
            if (row->ways[w] > 0) {
                fprintf(to, "%s%s %lld", before, t.ways[w], row->ways[w]);
                before = ", ";
            }
        fprintf(to, "%s\n", row->host > 0 ? ")" : "");
    }
    return t.row_count;
}

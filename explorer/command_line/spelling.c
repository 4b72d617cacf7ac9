#include "explorer/command_line/spelling.h"

#include <string.h>

enum { LETTERS_MOST = 40, FAR_AWAY = 1000 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Optimal string alignment: table[i][j] is the distance of the first i letters of `a` from the first j of `b`. */
size_t spelling_distance(const char *a, const char *b) {
    size_t table[LETTERS_MOST + 1][LETTERS_MOST + 1];
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > LETTERS_MOST || columns > LETTERS_MOST)
        return FAR_AWAY;
    for (size_t i = 0; i <= rows; i++)
        for (size_t j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            size_t same = a[i - 1] == b[j - 1];
            size_t best = smaller(table[i - 1][j - 1] + !same, 1 + smaller(table[i - 1][j], table[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = smaller(best, table[i - 2][j - 2] + 1);
            table[i][j] = best;
        }
    return table[rows][columns];
}

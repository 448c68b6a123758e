/* Computes the optimal string alignment distance: the Wagner-Fischer table for the edit distance,
 * extended by swaps of neighbours (Damerau). The cost per name is quadratic in the length, which is
 * at most 64. Names whose length differs by more than the limit are skipped. */
#include "similar.h"

#include "ascii.h"

#include <stdbool.h>
#include <string.h>

static bool equals_ignoring_case(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bake_lower(a[i]) != bake_lower(b[i]))
            return false;
    return true;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t bake_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length,
                          size_t limit)
{
    size_t longer = a_length > b_length ? a_length : b_length;
    if (longer - smaller(a_length, b_length) > limit)
        return limit + 1;
    if (a_length == b_length && equals_ignoring_case(a, b, a_length))
        return memcmp(a, b, a_length) != 0;
    /* Three rows of the table are enough, because a swap looks back two rows. */
    unsigned char rows[3][BAKE_SIMILAR_LENGTH_MAX + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = (unsigned char)j;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned char *row = rows[i % 3];
        const unsigned char *above = rows[(i + 2) % 3];
        const unsigned char *two_above = rows[(i + 1) % 3];
        row[0] = (unsigned char)i;
        size_t best = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t cost = smaller(above[j], row[j - 1]) + 1u;
            cost = smaller(cost, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost = smaller(cost, two_above[j - 2] + 1u);
            row[j] = (unsigned char)cost;
            best = smaller(best, cost);
        }
        /* The next row may add a swap to the row above this one. So continue even if the minimum of
         * this row is one above the limit. */
        if (best > limit + 1)
            return limit + 1;
    }
    return smaller(rows[a_length % 3][b_length], limit + 1);
}

const char *bake_most_similar(const char *word, size_t length, const char *const *names,
                              size_t count)
{
    if (length == 0 || length > BAKE_SIMILAR_LENGTH_MAX)
        return NULL;
    /* About a third of the letters: with a higher limit, short words would resemble nearly every
     * name. */
    size_t limit = length < 6 ? 1 : length / 3;
    const char *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && equals_ignoring_case(word, names[i], length))
            return names[i];
    for (size_t i = 0; i < count && limit > 0; i++) {
        size_t name_length = strlen(names[i]);
        if (name_length == 0 || name_length > BAKE_SIMILAR_LENGTH_MAX)
            continue;
        size_t distance = bake_edit_distance(word, length, names[i], name_length, limit);
        /* Names without a common letter are never similar, however short they are. */
        if (distance > limit || (distance >= length && distance >= name_length))
            continue;
        found = names[i];
        limit = distance ? distance - 1 : 0;
    }
    return found;
}

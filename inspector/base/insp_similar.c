/* Computes optimal string alignment distances, in O(name x wanted) steps per name. A hostile file
 * can have millions of long names, so a search stops after STEPS_MAX steps. */
#include "insp_similar.h"

#include <stdbool.h>
#include <string.h>

/* A third of a longer word may differ. In a shorter word, more than one difference would make it
 * similar to nearly every name. */
enum { STEPS_MAX = 1 << 26, SHORT = 6 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equals_ignoring_case(const char *a, const char *b, size_t length)
{
    size_t i;
    for (i = 0; i < length; i++)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

/* Three rows of the table are enough, because a cell depends only on its left, upper and upper-left
 * neighbours and, for a swap, on the row two above. */
void insp_similar_distances(const char *name, size_t name_length, const char *wanted, size_t length,
                            uint32_t ret_row[INSP_SIMILAR_MAX + 1])
{
    uint32_t rows[3][INSP_SIMILAR_MAX + 1];
    size_t i, k;
    for (k = 0; k <= length; k++)
        rows[0][k] = (uint32_t)k;
    for (i = 1; i <= name_length; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (k = 1; k <= length; k++) {
            uint32_t replaced = above[k - 1] + (wanted[k - 1] != name[i - 1]);
            uint32_t shorter = (above[k] < row[k - 1] ? above[k] : row[k - 1]) + 1;
            bool is_swap =
                i > 1 && k > 1 && wanted[k - 1] == name[i - 2] && wanted[k - 2] == name[i - 1];
            row[k] = replaced < shorter ? replaced : shorter;
            if (is_swap && two_above[k - 2] + 1 < row[k])
                row[k] = two_above[k - 2] + 1;
        }
    }
    memcpy(ret_row, rows[name_length % 3], (length + 1) * sizeof *ret_row);
}

void insp_similar_init(insp_similar *similar, const char *wanted, size_t length)
{
    *similar = (insp_similar){.wanted = wanted, .length = length, .left = STEPS_MAX};
    similar->least = (length < SHORT ? 1 : (uint32_t)(length / 3)) + 1;
    if (length == 0 || length > INSP_SIMILAR_MAX)
        similar->left = 0;
}

void insp_similar_offer(insp_similar *similar, const char *name, size_t length)
{
    uint32_t row[INSP_SIMILAR_MAX + 1], distance;
    size_t longer = length > similar->length ? length : similar->length;
    uint64_t steps = (uint64_t)(length + 1) * (similar->length + 1);
    if (length == 0 || length > INSP_SIMILAR_MAX || steps > similar->left)
        return;
    similar->left -= steps;
    if (length == similar->length && equals_ignoring_case(name, similar->wanted, length)) {
        distance = 0;
    } else {
        insp_similar_distances(name, length, similar->wanted, similar->length, row);
        distance = row[similar->length];
    }
    /* Names without a common letter are never similar, however short they are. */
    if (distance >= similar->least || distance >= longer)
        return;
    similar->least = distance;
    similar->best = name;
    similar->best_length = length;
}

/* Computes the Levenshtein distance to each name, in O(name x wanted) steps per name. A hostile
 * file can have millions of long names, so the search stops after STEPS_MAX steps. In that case,
 * only the first names of the index have been compared. */
#include "insp_nearest.h"

#include <string.h>

enum { STEPS_MAX = 1 << 27 }; /* a few tenths of a second */

bool insp_name_ends(char c, bool is_path)
{
    return !c || (is_path && (c == '.' || c == '['));
}

/* The number of insertions, deletions and replacements that turn the best prefix of `wanted` into
 * `name`; `*ret_length` is the length of that prefix. One row of the table is enough, because a
 * cell depends only on its left, upper and upper-left neighbours; `before` is the upper-left
 * one. */
static uint32_t distance_to(insp_text name, const char *wanted, size_t length, bool is_path,
                            size_t *ret_length)
{
    uint32_t row[INSP_NEAREST_MAX + 1], i, best = UINT32_MAX;
    size_t k;
    for (k = 0; k <= length; k++)
        row[k] = (uint32_t)k;
    for (i = 0; i < name.length; i++) {
        uint32_t before = row[0];
        row[0] = i + 1;
        for (k = 1; k <= length; k++) {
            uint32_t replaced = before + (wanted[k - 1] != name.data[i]);
            uint32_t shorter = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            before = row[k];
            row[k] = replaced < shorter ? replaced : shorter;
        }
    }
    for (k = 1; k <= length; k++)
        if (insp_name_ends(wanted[k], is_path) && row[k] < best) {
            best = row[k];
            *ret_length = k;
        }
    return best;
}

const insp_asset *insp_nearest_asset(const insp_file *file, const char *wanted, bool is_path,
                                     size_t *ret_length)
{
    const insp_asset *nearest = NULL;
    size_t length = strlen(wanted), part = 0;
    uint64_t left = STEPS_MAX;
    uint32_t i, least = UINT32_MAX;
    if (length > INSP_NEAREST_MAX)
        return NULL;
    for (i = 0; i < file->asset_count; i++) {
        const insp_asset *asset = insp_numbered_asset(file, i);
        insp_text name = asset->name;
        uint32_t distance;
        if (name.length > INSP_NEAREST_MAX)
            continue;
        if ((name.length + 1) * (length + 1) > left)
            break;
        left -= (name.length + 1) * (length + 1);
        distance = distance_to(name, wanted, length, is_path, &part);
        if (distance <= name.length / 3 &&
            (distance < least ||
             (distance == least && insp_text_compare(name, nearest->name) < 0))) {
            least = distance;
            nearest = asset;
            *ret_length = part;
        }
    }
    return nearest;
}

/* A hostile file can have millions of long names, so the search stops after STEPS_MAX steps. In
 * that case, only the first names of the index have been compared. */
#include "insp_nearest.h"

#include <string.h>

enum { STEPS_MAX = 1 << 27 }; /* a few tenths of a second */

bool insp_name_ends(char c, bool is_path)
{
    return !c || (is_path && (c == '.' || c == '['));
}

/* The distance of the best prefix of `wanted` from `name`; `*ret_length` is the length of that
 * prefix. */
static uint32_t distance_to(insp_text name, const char *wanted, size_t length, bool is_path,
                            size_t *ret_length)
{
    uint32_t row[INSP_NEAREST_MAX + 1], best = UINT32_MAX;
    size_t k;
    insp_similar_distances(name.data, name.length, wanted, length, row);
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

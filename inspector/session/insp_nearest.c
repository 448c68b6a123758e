/* The asset that was meant where none has the name asked for. */
#include "insp_run.h"

#include <string.h>

enum { LENGTH_MAX = 255, STEPS_MAX = 1 << 27 };

static bool ends_name(char c, bool is_path)
{
    return !c || (is_path && (c == '.' || c == '['));
}

/* How many bytes are to be put in, taken out or replaced to make `name` of the beginning of
 * `wanted` that needs the fewest; `*ret_length` is how long that is. */
static uint32_t distance_to(insp_text name, const char *wanted, size_t length, bool is_path,
                            size_t *ret_length)
{
    uint32_t row[LENGTH_MAX + 1], i, best = UINT32_MAX;
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
        if (ends_name(wanted[k], is_path) && row[k] < best) {
            best = row[k];
            *ret_length = k;
        }
    return best;
}

/* The asset with the name nearest to `wanted`, if a third of the name or less differs. A file's
 * names may be many and long, so the search ends after a number of steps. */
static const insp_asset *find_nearest(const insp_file *file, const char *wanted, bool is_path,
                                      size_t *ret_length)
{
    const insp_asset *nearest = NULL;
    size_t length = strlen(wanted), part = 0;
    uint64_t left = STEPS_MAX;
    uint32_t i, least = UINT32_MAX;
    if (length > LENGTH_MAX)
        return NULL;
    for (i = 0; i < file->asset_count; i++) {
        insp_text name = file->assets[i].name;
        uint32_t distance;
        if (name.length > LENGTH_MAX)
            continue;
        if ((name.length + 1) * (length + 1) > left)
            break;
        left -= (name.length + 1) * (length + 1);
        distance = distance_to(name, wanted, length, is_path, &part);
        if (distance <= name.length / 3 && distance < least) {
            least = distance;
            nearest = &file->assets[i];
            *ret_length = part;
        }
    }
    return nearest;
}

int insp_no_such_asset(insp_run *run, const insp_file *file, const char *wanted, bool is_path)
{
    const char *slash = strchr(wanted, '/');
    size_t length = slash ? (size_t)(slash - wanted) : 0;
    const insp_asset *nearest;
    insp_text told;
    while (!ends_name(wanted[length], is_path))
        length++;
    nearest = find_nearest(file, wanted, is_path, &length);
    if (length > LENGTH_MAX)
        length = LENGTH_MAX;
    told = insp_name_to_tell((insp_text){wanted, (uint32_t)length});
    if (nearest)
        insp_complain(run, file->path, "no such asset: %.*s; did you mean %.*s?", (int)told.length,
                      told.data, (int)nearest->name.length, nearest->name.data);
    else
        insp_complain(run, file->path, "no such asset: %.*s", (int)told.length, told.data);
    return INSP_BAD;
}

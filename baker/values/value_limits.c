/* The limits of a blob, and the scratch stack.
 *
 * Limits are checked while values are read, so that a report has the place of the value. The
 * builder and the verifier check the same again, but know no places.
 *
 * The scratch stack holds arrays whose size is known only at run time. Its memory moves when
 * it grows, so users keep offsets, and restore `used` when they are done. */
#include "value_limits.h"

#include "bake_memory.h"

#include <string.h>

/* Objects smaller than this are never the reason why a blob is too large. */
enum { LARGE_OBJECT = 1 << 20 };

/* Growth is geometric (bake_grow), so pushes cost amortized constant time. */
size_t bake_value_push(bake_values *b, size_t size)
{
    size_t at = b->scratch.used;
    if (!b->scratch.bytes || size > b->scratch.capacity - at) {
        unsigned char *scratch = bake_grow(b->scratch.bytes, &b->scratch.capacity, at + size, 1);
        if (!scratch) {
            value_no_memory(b);
            return SIZE_MAX;
        }
        b->scratch.bytes = scratch;
    }
    b->scratch.used = at + size;
    return at;
}

bool bake_value_too_deep(bake_values *b, bake_node_id node, const value_step *step)
{
    return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "depth", step,
                             "values are nested more than %d deep", KILN_DEPTH_MAX);
}

bool bake_value_size_fits(bake_values *b, bake_node_id node, const value_step *step, uint64_t size)
{
    if (size >= KILN_PAYLOAD_MAX)
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "size", step,
                                 "has %llu bytes, more than the maximum of %u for an asset",
                                 (unsigned long long)size, KILN_PAYLOAD_MAX);
    /* The path is written out only for an object that is larger by half, so at most 20
     * times in a blob. The path named in a report is therefore of a large object, if not always of
     * the largest. */
    if (size >= LARGE_OBJECT && size > b->limits.largest_size + b->limits.largest_size / 2) {
        b->limits.largest_size = size;
        bake_value_path_text(b, step, b->limits.largest_path);
    }
    return true;
}

void bake_value_check_length(bake_values *b, bake_node_id node, const kiln_member *field,
                             uint64_t size, const char *unit, const value_step *step)
{
    if (!field)
        return;
    bool below = (field->flags & KILN_MEMBER_HAS_MIN) && size < field->min;
    bool above = (field->flags & KILN_MEMBER_HAS_MAX) && size > field->max;
    if (!below && !above)
        return;
    bool entry = strcmp(unit, "entry") == 0;
    const char *plural = entry ? "entries" : strcmp(unit, "byte") == 0 ? "bytes" : "elements";
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "range", step,
                      below ? "has %llu %s, fewer than the minimum of %llu"
                            : "has %llu %s, more than the maximum of %llu",
                      (unsigned long long)size, size == 1 ? unit : plural,
                      (unsigned long long)(below ? field->min : field->max));
}

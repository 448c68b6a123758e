/* The limits of a blob, and the scratch stack.
 *
 * Limits are checked while values are read, so that reports have source positions. The builder and
 * the verifier repeat these checks, but without positions.
 *
 * The scratch stack holds arrays of variable size. Its memory moves when it grows, so callers keep
 * offsets, and restore `used` when done. */
#include "value_limits.h"

#include "bake_memory.h"

#include <string.h>

/* Smaller objects are never reported as the reason for an oversized blob. */
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
                             "values are nested more than %d levels deep", KILN_DEPTH_MAX);
}

bool bake_value_size_fits(bake_values *b, bake_node_id node, const value_step *step, uint64_t size)
{
    if (size > KILN_PAYLOAD_MAX)
        return bake_value_report(
            b, BAKE_ERROR, value_mark(b, node), "size", step,
            "the value has %llu bytes, more than the maximum of %u for an asset",
            (unsigned long long)size, KILN_PAYLOAD_MAX);
    /* Format the path only if the object is more than 1.5 times as large as the last one whose path
     * was formatted. This happens at most 20 times per blob. So a report may name an object that is
     * not quite the largest. */
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
                      below ? "the value has %llu %s, fewer than the minimum of %llu"
                            : "the value has %llu %s, more than the maximum of %llu",
                      (unsigned long long)size, size == 1 ? unit : plural,
                      (unsigned long long)(below ? field->min : field->max));
}

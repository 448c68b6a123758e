/* The engine for `bounds_only` of kiln_verify_def; bounds.h describes what it guarantees.
 *
 * It is fast for two reasons. The values of an array are processed in blocks of BLOCK, one link for
 * the whole block, so the processor works on 16 independent loads at once. Violations are
 * accumulated with | and tested once per block, because branches on hostile or random data are
 * mispredicted. As a consequence, this engine detects that something is wrong, but not what;
 * verify_judge.c then finds the reason. */
#include "bounds.h"

#include "prefetch.h"
#include "value_program.h"

/* BLOCK values of an array are checked together: few enough that the processor can load all of them
 * at once. Memory is prefetched AHEAD bytes in advance. String fields are collected in a list of
 * WAITING_MAX and checked together. */
enum { BLOCK = 16, AHEAD = 2048, CACHE_LINE = 64, WAITING_MAX = 512 };

typedef struct bounds {
    const kiln_types *types;
    const unsigned char *payload;
    uint32_t size, align;
    int64_t budget;         /* bytes that may still be read */
    uint32_t waiting_count; /* offsets of string fields that are still to be checked */
    uint32_t waiting[WAITING_MAX];
} bounds;

static bool check_values(bounds *b, const program_target *target, uint32_t at, uint32_t count,
                         uint32_t depth);

static inline uint32_t read_u32(const bounds *b, uint32_t at)
{
    uint32_t number;
    memcpy(&number, b->payload + at, sizeof number);
    return number;
}

/* For numbers up to KILN_PAYLOAD_MAX: the highest bit of the result is set unless the number is 0.
 */
static inline uint32_t top_bit_unless_zero(uint32_t number)
{
    return number + KILN_PAYLOAD_MAX;
}

/* Violations in strings or links so far, accumulated without branches. */
typedef struct violations {
    uint32_t empty_mismatch; /* highest bit: one of an offset and its count is 0 and the other is
                                not (V4) */
    uint32_t misalignment;   /* low bits: an object is not aligned (V3) */
    unsigned char ends;      /* not 0: a string does not end with a NUL (V5) */
} violations;

/* V2, V4 and V5 of the string that the field points to. An empty string needs no branch: its end is
 * the first byte of its own offset, which is 0 as well. */
static inline bool check_string(const bounds *b, uint32_t field, violations *f)
{
    uint32_t offset = read_u32(b, field), length = read_u32(b, field + 4);
    uint64_t end = (uint64_t)field + offset + length;
    if (end >= b->size)
        return false;
    f->empty_mismatch |= top_bit_unless_zero(offset) ^ top_bit_unless_zero(length);
    f->ends |= b->payload[end];
    return true;
}

/* Checks the strings of `count` fields that are `stride` bytes apart. */
static bool check_strings(const bounds *b, uint32_t field, uint32_t stride, uint32_t count)
{
    violations f = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++, field += stride)
        if (!check_string(b, field, &f))
            return false;
    return (f.empty_mismatch >> 31 | f.ends) == 0;
}

static bool check_numbers(const bounds *b, const value_program *program, uint32_t at)
{
    for (uint32_t i = 0; i < program->check_count; i++)
        if (program->checks[i].code != CHECK_ZERO &&
            !program_check_holds(&program->checks[i], b->payload + at + program->checks[i].at))
            return false;
    return true;
}

static bool check_object(bounds *b, const program_target *target, uint32_t field, uint32_t offset,
                         uint32_t count, uint32_t depth)
{
    uint64_t at = (uint64_t)field + offset, bytes = (uint64_t)target->size * count;
    if (at > b->size || bytes > b->size - at || (at & (target->align - 1)) ||
        target->align > b->align || depth >= KILN_DEPTH_MAX)
        return false;
    return check_values(b, target, (uint32_t)at, count, depth + 1);
}

static bool check_union(bounds *b, uint32_t number, uint32_t at, uint32_t depth)
{
    uint32_t tag = read_u32(b, at), offset = read_u32(b, at + 4);
    const kiln_member *member = tag ? kiln_type_value(type_at(b->types, number), tag) : NULL;
    if ((tag && !member) || (member && member->type != KILN_TYPE_NONE) != (offset != 0))
        return false;
    return offset == 0 || check_object(b, &program_plan_of(b->types, member->type)->values, at + 4,
                                       offset, 1, depth);
}

static bool check_link(bounds *b, const program_link *link, uint32_t at, uint32_t depth)
{
    if (link->code == LINK_UNION)
        return check_union(b, link->type, at, depth);
    if (link->code == LINK_VALUES)
        return check_values(b, &program_plan_of(b->types, link->type)->values, at, link->count,
                            depth);
    uint32_t offset = read_u32(b, at), count = link->code == LINK_ARRAY ? read_u32(b, at + 4) : 1;
    if (offset == 0 || count == 0)
        return offset == 0 && (count == 0 || link->code == LINK_POINTER);
    return check_object(b, link->target, at, offset, count, depth);
}

/* Checks the strings of all fields in the list, and empties it. */
static bool check_waiting(bounds *b)
{
    violations f = {0, 0, 0};
    const uint32_t *end = b->waiting + b->waiting_count;
    b->budget -= 8 * (int64_t)b->waiting_count;
    b->waiting_count = 0;
    for (const uint32_t *field = b->waiting; field < end; field++)
        if (!check_string(b, *field, &f))
            return false;
    return (f.empty_mismatch >> 31 | f.ends) == 0 && b->budget >= 0;
}

/* Follows the same link in `count` values, at most BLOCK. Such links usually point to small arrays
 * of leaves. The number of leaves is unpredictable, so empty arrays take the same path as others:
 * PROGRAM_QUICK_STRINGS offsets are always stored, and `waiting` advances by the actual number. */
static bool follow_quick(bounds *b, const program_link *link, uint32_t at, uint32_t stride,
                         uint32_t count, uint32_t depth)
{
    const uint32_t size = link->size, quick_max = link->quick_max, string_mask = link->string_mask;
    uint32_t places[PROGRAM_QUICK_STRINGS];
    violations f = {0, 0, 0};
    for (uint32_t i = 0; i < PROGRAM_QUICK_STRINGS; i++)
        places[i] = link->string + i * size;
    if (b->waiting_count + count * PROGRAM_QUICK_STRINGS > WAITING_MAX && !check_waiting(b))
        return false;
    uint32_t *waiting = b->waiting + b->waiting_count;
    for (uint32_t i = 0; i < count; i++, at += stride) {
        uint32_t offset = read_u32(b, at), length = read_u32(b, at + 4);
        uint64_t start = (uint64_t)at + offset, end = start + (uint64_t)size * length;
        if ((end > b->size) | (length > quick_max)) {
            b->waiting_count = (uint32_t)(waiting - b->waiting);
            if (!check_waiting(b) || !check_link(b, link, at, depth))
                return false;
            waiting = b->waiting + b->waiting_count;
            continue;
        }
        f.empty_mismatch |= top_bit_unless_zero(offset) ^ top_bit_unless_zero(length);
        f.misalignment |= (uint32_t)start & (0 - (uint32_t)(offset != 0));
        prefetch(b->payload, start);
        for (int k = 0; k < PROGRAM_QUICK_STRINGS; k++)
            waiting[k] = (uint32_t)start + places[k];
        waiting += length & string_mask;
    }
    b->waiting_count = (uint32_t)(waiting - b->waiting);
    return (f.empty_mismatch >> 31 | (f.misalignment & (link->align - 1))) == 0;
}

/* Prefetches the bytes that are AHEAD bytes after a block, at most AHEAD of them. */
static void prefetch_ahead(const bounds *b, uint32_t at, uint64_t size)
{
    for (uint32_t i = 0; i < size && i < AHEAD; i += CACHE_LINE)
        prefetch(b->payload, (size_t)at + AHEAD + i);
}

/* The fast path of check_values, for values with only quick links. Checks one part of all values in
 * a block, then the next part. */
static bool check_quick_values(bounds *b, const program_target *of, uint32_t at, uint32_t count,
                               uint32_t depth)
{
    const value_program *program = &of->program;
    while (count > 0) {
        uint32_t some = count < BLOCK ? count : BLOCK;
        prefetch_ahead(b, at, (uint64_t)some * of->size);
        for (uint32_t k = 0; k < program->string_count; k++)
            if (!check_strings(b, at + program->strings[k], of->size, some))
                return false;
        for (uint32_t i = 0; program->check_count && i < some; i++)
            if (!check_numbers(b, program, at + i * of->size))
                return false;
        for (uint32_t k = 0; k < program->link_count; k++)
            if (!follow_quick(b, &program->links[k], at + program->links[k].at, of->size, some,
                              depth))
                return false;
        at += some * of->size;
        count -= some;
    }
    return check_waiting(b);
}

/* Whether all links are quick, and this depth and the payload's alignment allow their objects and
 * strings. */
static bool are_values_quick(const bounds *b, const value_program *program, uint32_t depth)
{
    bool good = program->is_quick && depth + 1 < KILN_DEPTH_MAX;
    for (uint32_t i = 0; i < program->link_count && good; i++)
        good = program->links[i].align <= b->align;
    return good;
}

/* Checks `count` values at `at`, all of them in bounds. `depth` is the number of objects on the
 * path to them. The budget bounds the work for shared objects, which are checked again for each
 * field. */
static bool check_values(bounds *b, const program_target *target, uint32_t at, uint32_t count,
                         uint32_t depth)
{
    const value_program *program = &target->program;
    b->budget -= (int64_t)((uint64_t)target->size * count);
    if (b->budget < 0)
        return false;
    if (value_program_is_empty(program))
        return true;
    if (program->string_count && depth >= KILN_DEPTH_MAX)
        return false;
    if (are_values_quick(b, program, depth))
        return check_quick_values(b, target, at, count, depth);
    for (uint32_t i = 0; i < count; i++, at += target->size) {
        for (uint32_t k = 0; k < program->string_count; k++)
            if (!check_strings(b, at + program->strings[k], 0, 1))
                return false;
        if (!check_numbers(b, program, at))
            return false;
        for (uint32_t k = 0; k < program->link_count; k++)
            if (!check_link(b, &program->links[k], at + program->links[k].at, depth))
                return false;
    }
    return true;
}

bool kiln_bounds_hold(const payload_def *def)
{
    bounds b;
    if (!def->types->plans)
        return false;
    const program_target *root = &program_plan_of(def->types, def->type)->values;
    b.types = def->types;
    b.payload = def->payload;
    b.size = def->size;
    b.align = def->align;
    b.budget = (int64_t)def->size * BOUNDS_VISITS;
    b.waiting_count = 0;
    return root->size <= b.size && root->align <= b.align && check_values(&b, root, 0, 1, 1);
}

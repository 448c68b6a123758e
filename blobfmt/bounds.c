#include "bounds.h"

#include "prefetch.h"
#include "sweep_program.h"

/* Strings of arrays wait in a row until there are so many. */
enum { WAITING_MAX = 512, AHEAD = 1024 };

typedef struct bounds {
    const kiln_types *types;
    const unsigned char *payload;
    uint32_t size, align;
    int64_t budget; /* bytes that may still be looked at */
    uint32_t waiting[WAITING_MAX + SWEEP_QUICK_PER_VALUE];
} bounds;

static bool check_values(bounds *b, const sweep_target *target, uint32_t at, uint32_t count,
                         uint32_t depth);

/* Offset in the low half, count or length in the high one: hosts are little-endian. */
static inline uint64_t read_both(const bounds *b, uint32_t at)
{
    uint64_t both;
    memcpy(&both, b->payload + at, 8);
    return both;
}

/* V2, V4 and V5 of the string that the field names. An empty one ends at its own offset's first
 * byte, which is 0 as well. */
static inline bool check_string(const bounds *b, uint32_t field)
{
    uint64_t both = read_both(b, field);
    uint64_t end = (uint64_t)field + (uint32_t)both + (both >> 32);
    if (end >= b->size)
        return false;
    bool is_odd = ((uint32_t)both == 0) != (both >> 32 == 0);
    return (is_odd | (b->payload[end] != 0)) == 0;
}

static bool check_numbers(const bounds *b, const sweep_program *program, uint32_t at)
{
    for (uint32_t i = 0; i < program->check_count; i++)
        if (program->checks[i].code != CHECK_ZERO &&
            !sweep_check_holds(&program->checks[i], b->payload + at + program->checks[i].at))
            return false;
    return true;
}

static bool check_object(bounds *b, const sweep_target *target, uint32_t field, uint32_t offset,
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
    uint64_t both = read_both(b, at);
    uint32_t tag = (uint32_t)both, offset = (uint32_t)(both >> 32);
    const kiln_member *member = tag ? kiln_type_value(type_at(b->types, number), tag) : NULL;
    if ((tag && !member) || (member && member->type != KILN_TYPE_NONE) != (offset != 0))
        return false;
    return offset == 0 ||
           check_object(b, &b->types->plans[member->type].values, at + 4, offset, 1, depth);
}

static bool check_link(bounds *b, const sweep_link *link, uint32_t at, uint32_t depth)
{
    if (link->code == LINK_UNION)
        return check_union(b, link->type, at, depth);
    if (link->code == LINK_VALUES)
        return check_values(b, &b->types->plans[link->type].values, at, link->count, depth);
    uint32_t offset, count = 1;
    memcpy(&offset, b->payload + at, sizeof offset);
    if (link->code == LINK_ARRAY)
        memcpy(&count, b->payload + at + 4, sizeof count);
    if (offset == 0 || count == 0)
        return offset == 0 && (count == 0 || link->code == LINK_POINTER);
    return check_object(b, link->target, at, offset, count, depth);
}

static bool check_waiting(bounds *b, const uint32_t *end)
{
    bool good = true;
    b->budget -= 8 * (end - b->waiting);
    for (const uint32_t *field = b->waiting; field < end && good; field++)
        good = check_string(b, *field);
    return good && b->budget >= 0;
}

/* An array of leaves, few of them where they hold strings. How many there are no one can foresee,
 * so none and some go the same way. False: not such a case; nothing is done. */
static inline bool follow_quick(bounds *b, uint32_t **waiting, const sweep_link *link, uint32_t at)
{
    uint64_t both = read_both(b, at);
    uint32_t offset = (uint32_t)both, count = (uint32_t)(both >> 32);
    uint64_t start = (uint64_t)at + offset, end = start + (uint64_t)link->size * count;
    uint32_t skew = (uint32_t)start & (link->align - 1) & (0 - (uint32_t)(offset != 0));
    if ((end > b->size) | (count > link->quick_max) | ((offset == 0) != (count == 0)) | (skew != 0))
        return false;
    uint32_t field = (uint32_t)start + link->string;
    prefetch(b->payload, field);
    for (int i = 0; i < SWEEP_QUICK_STRINGS; i++, field += link->size)
        (*waiting)[i] = field;
    *waiting += count & link->string_mask;
    return true;
}

/* As check_values, where all links are quick and what they name may lie here. */
static bool check_quick_values(bounds *b, const sweep_target *of, uint32_t at, uint32_t count,
                               uint32_t depth)
{
    const sweep_program *program = &of->program;
    const uint32_t *full = b->waiting + WAITING_MAX;
    uint32_t *waiting = b->waiting;
    for (uint32_t i = 0; i < count; i++, at += of->size) {
        if (b->size - at > AHEAD)
            prefetch(b->payload, (size_t)at + AHEAD);
        for (uint32_t k = 0; k < program->string_count; k++)
            if (!check_string(b, at + program->strings[k]))
                return false;
        if (program->check_count && !check_numbers(b, program, at))
            return false;
        for (uint32_t k = 0; k < program->link_count; k++) {
            const sweep_link *link = &program->links[k];
            if (follow_quick(b, &waiting, link, at + link->at))
                continue;
            if (!check_waiting(b, waiting) || !check_link(b, link, at + link->at, depth))
                return false;
            waiting = b->waiting;
        }
        if (waiting >= full) {
            if (!check_waiting(b, waiting))
                return false;
            waiting = b->waiting;
        }
    }
    return check_waiting(b, waiting);
}

/* Whether all links are quick, and the objects and their strings may lie below `depth` others and
 * are aligned. */
static bool are_values_quick(const bounds *b, const sweep_program *program, uint32_t depth)
{
    bool good = program->is_quick && depth + 1 < KILN_DEPTH_MAX;
    for (uint32_t i = 0; i < program->link_count && good; i++)
        good = program->links[i].align <= b->align;
    return good;
}

/* `count` values at `at`, all of them in bounds; `depth` objects are around what they name. */
static bool check_values(bounds *b, const sweep_target *target, uint32_t at, uint32_t count,
                         uint32_t depth)
{
    const sweep_program *program = &target->program;
    b->budget -= (int64_t)((uint64_t)target->size * count);
    if (b->budget < 0)
        return false;
    if (sweep_program_is_empty(program))
        return true;
    if (program->string_count && depth >= KILN_DEPTH_MAX)
        return false;
    if (are_values_quick(b, program, depth))
        return check_quick_values(b, target, at, count, depth);
    for (uint32_t i = 0; i < count; i++, at += target->size) {
        for (uint32_t k = 0; k < program->string_count; k++)
            if (!check_string(b, at + program->strings[k]))
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
    const sweep_target *root = &def->types->plans[def->type].values;
    b.types = def->types;
    b.payload = def->payload;
    b.size = def->size;
    b.align = def->align;
    b.budget = (int64_t)def->size * BOUNDS_VISITS;
    return root->size <= b.size && root->align <= b.align && check_values(&b, root, 0, 1, 1);
}

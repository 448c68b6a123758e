/* Looks for differences below a value. Whatever cannot be followed counts as different, so that the
 * caller compares it.
 *
 * Offsets are positive, so an object refers only to objects after it. Nothing below an object that
 * follows the last difference can differ. */
#include "insp_congruent.h"

#include "lower_bound.h"

#include <string.h>

enum { CHUNK = 4096 };

static bool add_range(insp_congruent *congruent, uint64_t from, uint64_t to)
{
    insp_range *last = congruent->count ? &congruent->ranges[congruent->count - 1] : NULL;
    if (last && last->to == from) {
        last->to = to;
        return true;
    }
    if (congruent->count == INSP_RANGES_MAX)
        return false;
    congruent->ranges[congruent->count++] = (insp_range){from, to};
    return true;
}

/* Adds the differences of a chunk, as one range for each byte or run of bytes. */
static bool add_chunk(insp_congruent *congruent, uint64_t from, uint64_t to)
{
    uint64_t i;
    for (i = from; i < to; i++)
        if (congruent->begin[0][i] != congruent->begin[1][i] && !add_range(congruent, i, i + 1))
            return false;
    return true;
}

void insp_congruent_init(insp_congruent *congruent, const kiln_value *before,
                         const kiln_value *after)
{
    uint64_t size = (uint64_t)(before->end - before->begin), from;
    congruent->begin[0] = congruent->begin[1] = NULL;
    congruent->count = 0;
    if (size != (uint64_t)(after->end - after->begin) || before->of->layout != after->of->layout ||
        !before->of->layout)
        return;
    congruent->begin[0] = before->begin;
    congruent->begin[1] = after->begin;
    for (from = 0; from < size; from += CHUNK) {
        uint64_t to = size - from < CHUNK ? size : from + CHUNK;
        if (memcmp(before->begin + from, after->begin + from, (size_t)(to - from)) != 0 &&
            !add_chunk(congruent, from, to)) {
            congruent->begin[0] = NULL;
            return;
        }
    }
}

typedef struct search {
    const insp_congruent *congruent;
    const kiln_value *root; /* for the types and the payload */
    uint64_t left;
} search;

static bool is_before(const void *ranges, size_t at, const void *offset)
{
    return ((const insp_range *)ranges)[at].to <= *(const uint64_t *)offset;
}

/* Whether `size` bytes at `data` are in the payload and contain no difference. */
static bool is_equal(const search *s, const unsigned char *data, uint64_t size)
{
    const insp_congruent *congruent = s->congruent;
    uint64_t offset = (uint64_t)(data - s->root->begin);
    size_t at;
    /* Fast path: most objects come before or after all differences. */
    if (!congruent->count || offset + size <= congruent->ranges[0].from ||
        offset >= congruent->ranges[congruent->count - 1].to)
        return true;
    at = lower_bound(congruent->ranges, 0, congruent->count, is_before, &offset);
    return at == congruent->count || congruent->ranges[at].from >= offset + size;
}

static bool is_same(search *s, const kiln_value *value, uint32_t depth);
static bool is_same_at(search *s, uint32_t type, const unsigned char *data, uint32_t depth);

static uint32_t read_word(const unsigned char *data)
{
    uint32_t word;
    memcpy(&word, data, sizeof word);
    return word;
}

/* Whether the target of a field is in the payload and contains no difference. */
static bool is_equal_target(const search *s, const unsigned char *data, uint32_t offset,
                            uint64_t size)
{
    uint64_t left = (uint64_t)(s->root->end - data);
    return offset <= left && size <= left - offset && is_equal(s, data + offset, size);
}

/* Whether all that the object at `data` refers to, and its own bytes, follow the last difference.
 */
static bool is_past_all(const search *s, const unsigned char *data)
{
    const insp_congruent *congruent = s->congruent;
    return !congruent->count ||
           (uint64_t)(data - s->root->begin) >= congruent->ranges[congruent->count - 1].to;
}

static bool is_same_array(search *s, const kiln_type *of, const unsigned char *data, uint32_t depth)
{
    const kiln_type *element = kiln_types_get(s->root->types, of->element);
    uint32_t offset = read_word(data), count = read_word(data + 4), i;
    if (offset == 0)
        return true;
    if (depth >= KILN_DEPTH_MAX ||
        !is_equal_target(s, data, offset, (uint64_t)element->size * count))
        return false;
    if (!element->has_pointers || count == 0)
        return true;
    data += offset;
    if (is_past_all(s, data))
        return true;
    if ((uint64_t)(data - s->root->begin) & (element->align - 1))
        return false;
    for (i = 0; i < count; i++)
        if (!is_same_at(s, of->element, data + (size_t)element->size * i, depth + 1))
            return false;
    return true;
}

/* Fast path of is_same: without a kiln_value for each part. */
static bool is_same_at(search *s, uint32_t type, const unsigned char *data, uint32_t depth)
{
    const kiln_type *of = kiln_types_get(s->root->types, type);
    kiln_value value;
    uint32_t i;
    if (!of->has_pointers)
        return true;
    if (s->left == 0)
        return false;
    switch (of->kind) {
    case KILN_KIND_STRUCT:
        s->left--;
        /* All that the fields refer to comes after them. */
        if (is_past_all(s, data))
            return true;
        for (i = 0; i < of->member_count; i++)
            if (!is_same_at(s, of->members[i].type, data + of->members[i].offset, depth))
                return false;
        return true;
    case KILN_KIND_STRING:
        s->left--;
        return !read_word(data) ||
               (depth < KILN_DEPTH_MAX &&
                is_equal_target(s, data, read_word(data), (uint64_t)read_word(data + 4) + 1));
    case KILN_KIND_ARRAY:
        s->left--;
        return is_same_array(s, of, data, depth);
    default:
        value = *s->root;
        value.of = of;
        value.type = type;
        value.data = data;
        return is_same(s, &value, depth);
    }
}

/* The parts of a value that contain relative fields. */
static bool has_same_parts(search *s, const kiln_value *value, uint32_t depth)
{
    uint32_t count = kiln_value_count(value), i;
    for (i = 0; i < count; i++) {
        kiln_value part;
        if (kiln_value_at(value, i, &part) != KILN_OK ||
            !is_same_at(s, part.type, part.data, depth))
            return false;
        if (value->of->kind == KILN_KIND_MAP && (kiln_value_key(value, i, &part) != KILN_OK ||
                                                 !is_same_at(s, part.type, part.data, depth)))
            return false;
    }
    return true;
}

/* Whether the parts of an object have relative fields. */
static bool has_pointers(const kiln_value *value)
{
    const kiln_type *of = value->of;
    const kiln_member *member = of->kind == KILN_KIND_UNION ? kiln_value_member(value) : NULL;
    uint32_t type = member ? member->type : of->element;
    if (of->kind == KILN_KIND_STRING || of->kind == KILN_KIND_BYTES || type == KILN_TYPE_NONE)
        return false;
    return kiln_types_get(value->types, type)->has_pointers ||
           (of->kind == KILN_KIND_MAP && kiln_types_get(value->types, of->key)->has_pointers);
}

/* Without its own bytes, which have been compared. */
static bool is_same(search *s, const kiln_value *value, uint32_t depth)
{
    const unsigned char *target;
    uint64_t size;
    if (s->left == 0)
        return false;
    s->left--;
    if (value->of->kind == KILN_KIND_STRUCT || value->of->kind == KILN_KIND_FIXED)
        return !value->of->has_pointers || has_same_parts(s, value, depth);
    if (!value->of->has_pointers)
        return true;
    if (value->of->kind == KILN_KIND_UNION && kiln_value_count(value) == 0)
        return true;
    if (depth >= KILN_DEPTH_MAX || kiln_value_target(value, &target, &size) != KILN_OK)
        return false;
    if (!target)
        return true;
    return is_equal(s, target, size) &&
           (is_past_all(s, target) || !has_pointers(value) || has_same_parts(s, value, depth + 1));
}

bool insp_congruent_is_same(const insp_congruent *congruent, const kiln_value *before,
                            const kiln_value *after, uint64_t *left)
{
    search s = {congruent, before, *left};
    bool same;
    if (!congruent->begin[0] || before->begin != congruent->begin[0] ||
        after->begin != congruent->begin[1] ||
        kiln_value_offset(before) != kiln_value_offset(after))
        return false;
    same = is_equal(&s, before->data, before->of->size) &&
           is_same_at(&s, before->type, before->data, 1);
    *left = s.left;
    return same;
}

#include "field_mutator.h"

#include <kiln/value.h>
#include <stdbool.h>
#include <string.h>

enum { SITES_MAX = 400, DEPTH_MAX = 40 };

/* A value found in the payload. */
typedef struct site {
    uint32_t at;
    const kiln_type *of;
} site;

typedef struct mutator {
    const kiln_types *types;
    unsigned char *payload;
    uint32_t size, room;
    uint64_t state;
    site sites[SITES_MAX];
    uint32_t count;
    uint32_t relative[SITES_MAX]; /* offsets of relative fields */
    uint32_t relative_count;
} mutator;

static uint32_t below(mutator *m, uint32_t limit)
{
    m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return limit ? (uint32_t)((m->state >> 33) % limit) : 0;
}

static uint32_t read_u32(const mutator *m, uint32_t at)
{
    uint32_t number = 0;
    if (at + 4 <= m->size)
        memcpy(&number, m->payload + at, 4);
    return number;
}

static void write_number(mutator *m, uint32_t at, uint64_t number, uint32_t size)
{
    for (uint32_t i = 0; i < size && at + i < m->size; i++)
        m->payload[at + i] = (unsigned char)(number >> (8 * i));
}

static bool is_relative(kiln_kind kind)
{
    return kind == KILN_KIND_STRING || kind == KILN_KIND_BYTES || kind == KILN_KIND_UNION ||
           kind == KILN_KIND_ARRAY || kind == KILN_KIND_MAP || kind == KILN_KIND_OPTIONAL;
}

static void collect(mutator *m, const kiln_value *value, unsigned depth)
{
    if (m->count == SITES_MAX || depth == DEPTH_MAX)
        return;
    site found = {(uint32_t)kiln_value_offset(value), value->of};
    m->sites[m->count++] = found;
    if (is_relative(found.of->kind) && m->relative_count < SITES_MAX)
        m->relative[m->relative_count++] = found.at + (found.of->kind == KILN_KIND_UNION ? 4 : 0);
    uint32_t count = kiln_value_count(value);
    for (uint32_t i = 0; i < count && m->count < SITES_MAX; i++) {
        kiln_value child;
        if (found.of->kind == KILN_KIND_MAP && kiln_value_key(value, i, &child) == KILN_OK)
            collect(m, &child, depth + 1);
        if (kiln_value_at(value, i, &child))
            break;
        collect(m, &child, depth + 1);
    }
}

/* The target of a random relative field of the payload. */
static uint32_t some_target(mutator *m)
{
    uint32_t field = m->relative_count ? m->relative[below(m, m->relative_count)] : 0;
    return field + read_u32(m, field);
}

static void mutate_offset(mutator *m, uint32_t at)
{
    uint32_t offset = read_u32(m, at), delta = 1u << below(m, 7);
    switch (below(m, 9)) {
    case 0:
        offset = 0;
        break;
    case 1:
        offset += delta;
        break;
    case 2:
        offset -= delta;
        break;
    case 3: /* shares the object, if type and count agree */
        offset = some_target(m) - at;
        break;
    case 4: /* overlaps another object */
        offset = some_target(m) - at + delta;
        break;
    case 5: /* refers back to the object that contains the field, or to the root */
        offset = below(m, at + 1) - at;
        break;
    case 6: /* the last bytes, or the first after the end */
        offset = m->size - at - below(m, 9);
        break;
    case 7:
        offset = UINT32_MAX - below(m, 16);
        break;
    default:
        offset = below(m, m->size);
    }
    write_number(m, at, offset, 4);
}

static void mutate_count(mutator *m, uint32_t at)
{
    static const uint32_t numbers[] = {0,          1,          2,          0x7fffffff,
                                       0x80000000, 0xffffffff, 0x40000000, 0x10000001};
    uint32_t count = read_u32(m, at);
    switch (below(m, 4)) {
    case 0:
        count++;
        break;
    case 1:
        count--;
        break;
    case 2:
        count = numbers[below(m, sizeof numbers / sizeof *numbers)];
        break;
    default:
        count = count * 2 + below(m, 3);
    }
    write_number(m, at, count, 4);
}

/* Moves an entry's bytes. Adjusts the offset of a string key, so that the key keeps its target. */
static void copy_entry(mutator *m, const kiln_type *map, const unsigned char *entry, uint32_t from,
                       uint32_t to)
{
    const kiln_type *key = kiln_types_get(m->types, map->key);
    memcpy(m->payload + to, entry, map->entry_size);
    if (key->kind == KILN_KIND_STRING)
        write_number(m, to, read_u32(m, to) + from - to, 4);
}

static void mutate_entries(mutator *m, const site *s)
{
    unsigned char first[4096], second[4096];
    uint32_t size = s->of->entry_size, count = read_u32(m, s->at + 4);
    uint64_t begin = (uint64_t)s->at + read_u32(m, s->at);
    if (count < 2 || size > sizeof first || begin > m->size || (m->size - begin) / size < count)
        return;
    uint32_t a = (uint32_t)begin + below(m, count - 1) * size, b = a + size;
    memcpy(first, m->payload + a, size);
    memcpy(second, m->payload + b, size);
    copy_entry(m, s->of, first, a, b);
    if (below(m, 2))
        copy_entry(m, s->of, second, b, a);
}

static void mutate_text(mutator *m, const site *s)
{
    static const unsigned char bytes[] = {0, 0x80, 0xc0, 0xed, 0xf5, 0xff, 'a'};
    uint64_t begin = (uint64_t)s->at + read_u32(m, s->at);
    uint64_t at = begin + below(m, read_u32(m, s->at + 4) + 1);
    if (at < m->size)
        m->payload[at] = bytes[below(m, sizeof bytes)];
}

/* Appends a copy of the field's target, so that the copy alone can be damaged. */
static void split_off(mutator *m, const site *s)
{
    uint32_t at = s->at + (s->of->kind == KILN_KIND_UNION ? 4 : 0);
    uint64_t begin = (uint64_t)at + read_u32(m, at);
    uint32_t length = below(m, 2) ? 64 : 16, place = (m->size + 15) / 16 * 16;
    if (begin >= m->size || (uint64_t)place + length > m->room)
        return;
    uint32_t have = m->size - (uint32_t)begin < length ? m->size - (uint32_t)begin : length;
    memset(m->payload + m->size, 0, place + length - m->size);
    memcpy(m->payload + place, m->payload + begin, have);
    m->size = place + length;
    write_number(m, at, place - at, 4);
}

static void mutate_relative(mutator *m, const site *s)
{
    uint32_t at = s->at + (s->of->kind == KILN_KIND_UNION ? 4 : 0);
    uint32_t choice = below(m, 8);
    if (choice == 0)
        split_off(m, s);
    else if (choice == 1 && s->of->kind == KILN_KIND_MAP)
        mutate_entries(m, s);
    else if (choice <= 2 && s->of->kind == KILN_KIND_STRING)
        mutate_text(m, s);
    else if (choice <= 3 && s->of->kind == KILN_KIND_UNION)
        write_number(m, s->at, below(m, 2) ? below(m, 12) : below(m, UINT32_MAX), 4);
    else if (choice <= 5 && s->of->kind != KILN_KIND_UNION && s->of->kind != KILN_KIND_OPTIONAL)
        mutate_count(m, at + 4);
    else
        mutate_offset(m, at);
}

static void mutate_number(mutator *m, const site *s)
{
    static const uint64_t floats[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0x8000000000000000),
                                      UINT64_C(0x7fc000007f800001), UINT64_C(0x8000000080000000),
                                      UINT64_C(0x7ff0000000000000)};
    uint64_t number = ((uint64_t)below(m, UINT32_MAX) << 32) | below(m, UINT32_MAX);
    if (s->of->kind == KILN_KIND_STRUCT || s->of->kind == KILN_KIND_FIXED) {
        /* A byte of a number, or of padding. */
        write_number(m, s->at + below(m, s->of->size), number & 0xff, 1);
        return;
    }
    if (s->of->kind == KILN_KIND_BOOL)
        number %= 4;
    else if (kiln_kind_is_float(s->of->kind) && below(m, 2))
        number = floats[below(m, sizeof floats / sizeof *floats)];
    else if (kiln_kind_is_named(s->of->kind) && s->of->member_count && below(m, 3))
        number = s->of->members[below(m, s->of->member_count)].value;
    else if (below(m, 2))
        number %= 4;
    write_number(m, s->at, number, s->of->size);
}

static void mutate_any_byte(mutator *m)
{
    if (m->size)
        m->payload[below(m, m->size)] = (unsigned char)(1 + below(m, 255));
}

size_t mutate_field(const kiln_types *types, uint32_t type, unsigned char *payload, size_t size,
                    size_t room, uint64_t seed)
{
    static mutator m;
    kiln_value root;
    m.types = types;
    m.payload = payload;
    m.size = (uint32_t)size;
    m.room = (uint32_t)room;
    m.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    m.count = m.relative_count = 0;
    if (kiln_value_root(types, type, payload, size, &root) == KILN_OK)
        collect(&m, &root, 0);
    uint32_t choice = below(&m, 12);
    if (choice == 0 || m.count == 0) {
        mutate_any_byte(&m);
    } else if (choice == 1) {
        m.size = below(&m, 2) && m.size > 4 ? m.size - below(&m, 5) : m.size;
    } else {
        const site *s = &m.sites[below(&m, m.count)];
        if (choice < 8 && m.relative_count)
            while (!is_relative(s->of->kind))
                s = &m.sites[below(&m, m.count)];
        if (is_relative(s->of->kind))
            mutate_relative(&m, s);
        else
            mutate_number(&m, s);
    }
    return m.size;
}

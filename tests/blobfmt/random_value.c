#include "random_value.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 5, SEEDS_BELOW = 12, SHARED_MAX = SEEDS_BELOW };

typedef struct maker {
    kiln_builder *builder;
    const kiln_types *types;
    unsigned order;
    const kiln_string *shared[SHARED_MAX]; /* by seed: a field with the seed's string */
} maker;

static void fill(maker *m, uint32_t number, unsigned char *at, uint64_t seed, unsigned depth);

static uint64_t mix(uint64_t seed, uint64_t n)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + n + 1;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Uses few seeds below the root, so that equal parts are common. */
static uint64_t child_seed(uint64_t seed, uint64_t n, unsigned depth)
{
    return depth < 2 ? mix(seed, n) : mix(seed, n) % SEEDS_BELOW;
}

static uint32_t some(uint64_t seed, unsigned depth)
{
    return depth >= DEPTH_MAX ? 0 : (uint32_t)(mix(seed, 77) % (depth < 2 ? 5 : 3));
}

static void fill_text(maker *m, kiln_string *field, uint64_t seed)
{
    static const char *const texts[] = {
        "", "a", "sword", "\xc3\xa4ther", "a longer text with words", "z"};
    const char *text = texts[seed % (sizeof texts / sizeof *texts)];
    if ((m->order & RANDOM_SHARED) && seed < SHARED_MAX && m->shared[seed]) {
        kiln_builder_share(m->builder, field, m->shared[seed]);
        return;
    }
    if (m->order & RANDOM_SET_TWICE)
        kiln_builder_string(m->builder, field, "replaced", 8);
    kiln_builder_string(m->builder, field, text, strlen(text));
    if (seed < SHARED_MAX)
        m->shared[seed] = field;
}

static void fill_key(maker *m, const kiln_type *key, unsigned char *at, uint32_t i, uint64_t seed)
{
    char text[32];
    float single = (float)i - 1.5f;
    double number = (double)i * 0.25 - 1;
    uint64_t bits = (i + 1) * UINT64_C(0x0101010101010101);
    int length;
    switch (key->kind) {
    case KILN_KIND_STRING:
        length = snprintf(text, sizeof text, "%s%u", seed % 2 ? "key" : "", (unsigned)i);
        kiln_builder_string(m->builder, (kiln_string *)(void *)at, text, (size_t)length);
        break;
    case KILN_KIND_ENUM:
        memcpy(at, &key->members[i % key->member_count].value, key->size);
        break;
    case KILN_KIND_FIXED:
        memset(at, 0, key->size);
        fill_key(m, kiln_types_get(m->types, key->element), at, i, seed);
        break;
    case KILN_KIND_F32:
        memcpy(at, &single, sizeof single);
        break;
    case KILN_KIND_F64:
        memcpy(at, &number, sizeof number);
        break;
    case KILN_KIND_BOOL:
        *at = i & 1;
        break;
    default:
        memcpy(at, &bits, key->size);
    }
}

static void fill_map(maker *m, const kiln_type *type, unsigned char *at, uint64_t seed,
                     unsigned depth)
{
    const kiln_type *key = kiln_types_get(m->types, type->key);
    uint32_t count = some(seed, depth);
    uint32_t most = key->kind == KILN_KIND_BOOL   ? 2
                    : key->kind == KILN_KIND_ENUM ? key->member_count
                                                  : count;
    count = count < most ? count : most;
    unsigned char *entries =
        kiln_builder_array(m->builder, at, count, type->entry_size, type->entry_align);
    for (uint32_t i = 0; entries && i < count; i++) {
        uint32_t number = m->order & RANDOM_ENTRIES_BACKWARDS ? count - 1 - i : i;
        unsigned char *entry = entries + (size_t)i * type->entry_size;
        fill_key(m, key, entry, number, seed);
        fill(m, type->element, entry + type->value_offset, child_seed(seed, number, depth),
             depth + 1);
    }
}

static void fill_row(maker *m, uint32_t element, unsigned char *at, uint32_t count, uint64_t seed,
                     unsigned depth)
{
    const kiln_type *type = kiln_types_get(m->types, element);
    for (uint32_t i = 0; at && i < count; i++) {
        uint32_t number = m->order & RANDOM_ELEMENTS_BACKWARDS ? count - 1 - i : i;
        fill(m, element, at + (size_t)number * type->size, child_seed(seed, number, depth),
             depth + 1);
    }
}

static void fill_float(const kiln_type *type, unsigned char *at, uint64_t seed)
{
    static const uint32_t singles[] = {0x7fc00000, 0x7f800001, 0xffc12345, 0x80000000,
                                       0,          0x3f800000, 0xff800000};
    static const uint64_t doubles[] = {UINT64_C(0x7ff8000000000000),
                                       UINT64_C(0xfff8000000000001),
                                       UINT64_C(0x7ff0000000000001),
                                       UINT64_C(0x8000000000000000),
                                       0,
                                       UINT64_C(0x3ff0000000000000),
                                       UINT64_C(0x7ff0000000000000)};
    if (type->kind == KILN_KIND_F32)
        memcpy(at, &singles[seed % 7], 4);
    else
        memcpy(at, &doubles[seed % 7], 8);
}

static void fill_union(maker *m, const kiln_type *type, unsigned char *at, uint64_t seed,
                       unsigned depth)
{
    uint64_t choice = mix(seed, 5) % (type->member_count + 1);
    if (choice == 0 || depth >= DEPTH_MAX)
        return;
    const kiln_member *member = &type->members[choice - 1];
    const kiln_type *of = kiln_types_get(m->types, member->type);
    unsigned char *to = kiln_builder_choose(m->builder, at, (uint32_t)member->value,
                                            of ? of->size : 0, of ? of->align : 1);
    fill_row(m, member->type, to, of ? 1 : 0, seed, depth);
}

static void fill(maker *m, uint32_t number, unsigned char *at, uint64_t seed, unsigned depth)
{
    const kiln_type *type = kiln_types_get(m->types, number);
    uint32_t count = some(seed, depth);
    uint64_t bits = mix(seed, 3), mask = 0;
    switch (type->kind) {
    case KILN_KIND_BOOL:
        *at = bits & 1;
        break;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        fill_float(type, at, seed);
        break;
    case KILN_KIND_REF:
        bits |= 1;
        memcpy(at, &bits, 8);
        break;
    case KILN_KIND_ENUM:
        memcpy(at, &type->members[bits % type->member_count].value, type->size);
        break;
    case KILN_KIND_FLAGS:
        for (uint32_t i = 0; i < type->member_count; i++)
            mask |= type->members[i].value;
        bits &= mask;
        memcpy(at, &bits, type->size);
        break;
    case KILN_KIND_STRING:
        fill_text(m, (kiln_string *)(void *)at, seed);
        break;
    case KILN_KIND_BYTES:
        if (m->order & RANDOM_SET_TWICE)
            kiln_builder_bytes(m->builder, at, "replaced", 8, 1);
        kiln_builder_bytes(m->builder, at, &bits, count, type->target_align);
        break;
    case KILN_KIND_STRUCT:
        for (uint32_t i = 0; i < type->member_count; i++) {
            uint32_t field = m->order & RANDOM_FIELDS_BACKWARDS ? type->member_count - 1 - i : i;
            fill(m, type->members[field].type, at + type->members[field].offset,
                 child_seed(seed, field, depth), depth);
        }
        break;
    case KILN_KIND_FIXED:
        fill_row(m, type->element, at, type->count, seed, depth);
        break;
    case KILN_KIND_UNION:
        fill_union(m, type, at, seed, depth);
        break;
    case KILN_KIND_MAP:
        fill_map(m, type, at, seed, depth);
        break;
    case KILN_KIND_ARRAY: {
        const kiln_type *of = kiln_types_get(m->types, type->element);
        fill_row(m, type->element,
                 kiln_builder_array(m->builder, at, count, of->size, type->target_align), count,
                 seed, depth);
        break;
    }
    case KILN_KIND_OPTIONAL: {
        const kiln_type *of = kiln_types_get(m->types, type->element);
        if (count)
            fill_row(m, type->element, kiln_builder_pointer(m->builder, at, of->size, of->align), 1,
                     seed, depth);
        break;
    }
    default:
        memcpy(at, &bits, type->size);
    }
}

void random_value_build(kiln_builder *builder, const kiln_types *types, uint32_t type,
                        uint64_t seed, unsigned order)
{
    maker m = {builder, types, order, {NULL}};
    const kiln_type *root = kiln_types_get(types, type);
    unsigned char *at = kiln_builder_root(builder, root->size, root->align);
    if (at)
        fill(&m, type, at, seed, 0);
}

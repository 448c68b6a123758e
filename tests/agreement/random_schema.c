#include "random_schema.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct random_block {
    struct random_block *next;
    uint64_t data[];
} random_block;

void *random_alloc(random_schema *schema, size_t size)
{
    random_block *block = calloc(1, sizeof *block + size);
    if (!block)
        abort();
    block->next = schema->blocks;
    schema->blocks = block;
    return block->data;
}

void random_schema_destroy(random_schema *schema)
{
    for (random_block *block = schema ? schema->blocks : NULL, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(schema);
}

uint64_t random_bits(random_schema *schema)
{
    uint64_t x = schema->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint32_t random_below(random_schema *schema, uint32_t limit)
{
    return (uint32_t)((random_bits(schema) >> 32) * limit >> 32);
}

bool random_chance(random_schema *schema, uint32_t percent)
{
    return random_below(schema, 100) < percent;
}

static random_type *new_type(random_schema *schema, kiln_kind kind)
{
    random_type *type = random_alloc(schema, sizeof *type);
    type->kind = kind;
    type->size_bound = kiln_kind_size(kind) ? kiln_kind_size(kind) : 8;
    type->depth = 1;
    return type;
}

static const random_type *find_named(random_schema *schema, uint32_t limit, kiln_kind kind)
{
    for (unsigned tries = 0; tries < 8; tries++) {
        const random_type *type = schema->named[random_below(schema, limit)];
        if (type->kind == kind)
            return type;
    }
    return NULL;
}

static const random_type *find_asset(random_schema *schema)
{
    for (;;) {
        const random_type *type = schema->named[random_below(schema, schema->named_count)];
        if (type->is_asset)
            return type;
    }
}

static const random_type *make_number(random_schema *schema)
{
    schema->number_turn += 1 + random_below(schema, 3);
    return new_type(schema, KILN_KIND_BOOL + schema->number_turn % 11);
}

static const random_type *make_fixed(random_schema *schema, const random_type *element)
{
    random_type *type = new_type(schema, KILN_KIND_FIXED);
    type->element = element;
    type->count = 1 + random_below(schema, 4);
    type->size_bound = element->size_bound * type->count;
    type->depth = element->depth + 1;
    return type;
}

/* Cycles through the kinds of keys, so that a schema has many of them. */
static const random_type *make_key(random_schema *schema)
{
    random_type *type;
    const random_type *found = NULL;
    switch (schema->key_turn++ % 6) {
    case 0:
        return new_type(schema, KILN_KIND_STRING);
    case 1:
        return make_fixed(schema, make_number(schema));
    case 2:
        found = find_named(schema, schema->named_count, KILN_KIND_ENUM);
        break;
    case 3:
        type = new_type(schema, KILN_KIND_REF);
        type->element = schema->key_turn % 12 < 6 ? find_asset(schema) : NULL;
        return type;
    default:
        break;
    }
    return found ? found : make_number(schema);
}

static const random_type *make_type(random_schema *schema, uint32_t limit, unsigned depth);

/* A type behind an offset may be any type, including the containing struct. */
static const random_type *make_target(random_schema *schema, unsigned depth)
{
    return make_type(schema, schema->named_count, depth + 1);
}

/* A type that can already be absent cannot be optional. A newtype whose field has not been made yet
 * counts as unsuitable, because that field decides whether the newtype can be absent. */
static bool may_be_optional(const random_type *type)
{
    if (type->is_wrap)
        return type->is_filled && may_be_optional(type->members[0].type);
    return type->kind != KILN_KIND_OPTIONAL && type->kind != KILN_KIND_UNION;
}

static const random_type *make_relative(random_schema *schema, unsigned depth)
{
    random_type *type;
    switch (schema->relative_turn++ % 3) {
    case 0:
        type = new_type(schema, KILN_KIND_ARRAY);
        type->element = make_target(schema, depth);
        type->align_at = random_chance(schema, 15) ? 64u << random_below(schema, 3) : 0;
        break;
    case 1:
        type = new_type(schema, KILN_KIND_MAP);
        type->key = make_key(schema);
        type->element = make_target(schema, depth);
        break;
    default:
        type = new_type(schema, KILN_KIND_OPTIONAL);
        do
            type->element = make_target(schema, depth);
        while (!may_be_optional(type->element));
        type->size_bound = 4;
    }
    type->has_empty = true;
    return type;
}

/* Named types with numbers below `limit` may be nested by value. */
static const random_type *make_type(random_schema *schema, uint32_t limit, unsigned depth)
{
    const random_type *found = NULL;
    random_type *type;
    uint32_t pick = random_below(schema, depth >= 3 ? 60 : depth ? 100 : 110);
    if (pick < 25)
        return make_number(schema);
    if (pick < 35)
        return new_type(schema, KILN_KIND_STRING);
    if (pick < 40) {
        type = new_type(schema, KILN_KIND_BYTES);
        type->align_at = random_chance(schema, 30) ? 2u << random_below(schema, 7) : 0;
        return type;
    }
    if (pick < 46) {
        type = new_type(schema, KILN_KIND_REF);
        type->element = random_chance(schema, 70) ? find_asset(schema) : NULL;
        return type;
    }
    if (pick < 50)
        found = find_named(schema, schema->named_count, KILN_KIND_UNION);
    else if (pick < 60)
        found = find_named(schema, schema->named_count,
                           random_chance(schema, 60) ? KILN_KIND_ENUM : KILN_KIND_FLAGS);
    else if (pick < 72)
        found = limit ? find_named(schema, limit, KILN_KIND_STRUCT) : NULL;
    else if (pick < 80)
        found = make_fixed(schema, make_type(schema, limit, depth + 1));
    else
        found = make_relative(schema, depth);
    bool fits = found && found->size_bound <= 600 && found->depth <= 8;
    return fits ? found : make_number(schema);
}

/* Whether values of the type contain no struct or union, so that a default cannot contain itself.
 */
static bool is_simple(const random_type *type)
{
    switch (type->kind) {
    case KILN_KIND_STRUCT:
    case KILN_KIND_UNION:
        return false;
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_FIXED:
        return is_simple(type->element);
    default:
        return true;
    }
}

static bool may_be_single(const random_type *type)
{
    kiln_kind kind = type->kind == KILN_KIND_ARRAY ? type->element->kind : KILN_KIND_NONE;
    return (kind >= KILN_KIND_BOOL && kind <= KILN_KIND_STRING) || kind == KILN_KIND_ENUM;
}

static void make_fields(random_schema *schema, random_type *type, uint32_t number)
{
    random_members_make(schema, type,
                        type->is_wrap              ? 1
                        : random_chance(schema, 5) ? 0
                                                   : 1 + random_below(schema, 9));
    type->size_bound = 0;
    for (uint32_t i = 0; i < type->member_count; i++) {
        random_member *member = &type->members[i];
        member->type = make_type(schema, number, 0);
        if (type->is_wrap)
            snprintf(member->name, sizeof member->name, "value");
        type->size_bound += member->type->size_bound + 8;
        if (member->type->depth >= type->depth)
            type->depth = member->type->depth + 1;
        member->is_single = may_be_single(member->type) && random_chance(schema, 30);
        member->is_rest = member->type->kind == KILN_KIND_MAP && !type->is_wrap &&
                          member->type->key->kind == KILN_KIND_STRING && random_chance(schema, 70);
        for (uint32_t j = 0; j < i; j++)
            member->is_rest = member->is_rest && !type->members[j].is_rest;
        if (!member->is_rest)
            member->is_required = random_chance(schema, 10);
    }
    type->has_empty = type->is_wrap && type->members[0].type->has_empty;
    type->is_filled = true;
    if (random_chance(schema, 15)) {
        type->align_at = 16u << random_below(schema, 2);
        type->size_bound += type->align_at;
    }
}

static void make_alternatives(random_schema *schema, random_type *type)
{
    random_members_make(schema, type, 1 + random_below(schema, 6));
    for (uint32_t i = 0; i < type->member_count; i++) {
        type->members[i].value = i + 1;
        if (random_chance(schema, 80))
            type->members[i].type = make_target(schema, 0);
    }
}

static void make_defaults(random_schema *schema, random_type *type)
{
    for (uint32_t i = 0; i < type->member_count; i++) {
        random_member *member = &type->members[i];
        if (is_simple(member->type) && !member->is_rest && !member->is_required && !type->is_wrap &&
            random_chance(schema, 25))
            member->default_value = random_datum_make(schema, member->type, 3);
    }
}

static const char *const odd_types[] = {"class", "int", "Union", "register", "value", "main",
                                        "NULL",  "new", "T_x3",  "errno",    "Item"};

/* Chooses the kinds and names of all types first, because types refer to each other before their
 * members exist. */
static void plan_named(random_schema *schema, uint32_t count, uint32_t assets_a_type)
{
    static const kiln_kind kinds[] = {
        KILN_KIND_STRUCT, KILN_KIND_ENUM,   KILN_KIND_UNION,  KILN_KIND_STRUCT, KILN_KIND_FLAGS,
        KILN_KIND_STRUCT, KILN_KIND_STRUCT, KILN_KIND_STRUCT, KILN_KIND_STRUCT, KILN_KIND_UNION};
    for (uint32_t i = 0; i < count; i++) {
        random_type *type = new_type(schema, kinds[i % (sizeof kinds / sizeof *kinds)]);
        schema->named[schema->named_count++] = type;
        if (i < sizeof odd_types / sizeof *odd_types && random_chance(schema, 20))
            snprintf(type->name, sizeof type->name, "%s", odd_types[i]);
        else
            snprintf(type->name, sizeof type->name, "Type%u", (unsigned)i);
        type->has_empty = type->kind == KILN_KIND_UNION;
        type->is_asset = type->kind == KILN_KIND_STRUCT && (i == 0 || random_chance(schema, 70));
        type->is_wrap = type->kind == KILN_KIND_STRUCT && random_chance(schema, 20);
        type->asset_count = type->is_asset ? assets_a_type : 0;
    }
}

random_schema *random_schema_create(uint64_t seed, uint32_t named_count, uint32_t assets_a_type)
{
    random_schema *schema = calloc(1, sizeof *schema);
    if (!schema)
        abort();
    schema->state = seed * UINT64_C(0xd1342543de82ef95) + 1;
    snprintf(schema->space, sizeof schema->space, "s%" PRIu64, seed);
    plan_named(schema, named_count, assets_a_type);
    for (uint32_t i = 0; i < named_count; i++) {
        if (schema->named[i]->kind == KILN_KIND_ENUM)
            random_enum_make(schema, schema->named[i]);
        else if (schema->named[i]->kind == KILN_KIND_FLAGS)
            random_flags_make(schema, schema->named[i]);
    }
    for (uint32_t i = 0; i < named_count; i++)
        if (schema->named[i]->kind == KILN_KIND_STRUCT)
            make_fields(schema, schema->named[i], i);
    for (uint32_t i = 0; i < named_count; i++)
        if (schema->named[i]->kind == KILN_KIND_UNION)
            make_alternatives(schema, schema->named[i]);
    for (uint32_t i = 0; i < named_count; i++)
        if (schema->named[i]->kind == KILN_KIND_STRUCT)
            make_defaults(schema, schema->named[i]);
    return schema;
}

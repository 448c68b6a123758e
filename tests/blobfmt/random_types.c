#include "random_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN_TYPES = 14, TYPES_MAX = 40, MEMBERS_MAX = 8, ROOT_SIZE_MAX = 4096 };

typedef struct inventor {
    uint64_t state;
    uint32_t count;
    kiln_type types[TYPES_MAX];
    kiln_member members[TYPES_MAX][MEMBERS_MAX];
    char names[TYPES_MAX][16];
} inventor;

static uint32_t below(inventor *v, uint32_t limit)
{
    v->state = v->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((v->state >> 33) % limit);
}

static const char *member_name(uint32_t number)
{
    static const char *const names[MEMBERS_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    return names[number];
}

/* A type before `number`, or sometimes a later one if a relative field is in between. */
static uint32_t any_type(inventor *v, uint32_t number, bool may_come_later)
{
    return below(v, may_come_later && below(v, 4) == 0 ? v->count : number);
}

static uint32_t key_type(inventor *v, uint32_t number)
{
    for (int tries = 0; tries < 20; tries++) {
        uint32_t type = below(v, number);
        kiln_kind kind = v->types[type].kind;
        if (kind <= KILN_KIND_STRING || kind == KILN_KIND_REF || kind == KILN_KIND_ENUM ||
            (kind == KILN_KIND_FIXED && v->types[v->types[type].element].kind <= KILN_KIND_F64))
            return type;
    }
    return KILN_KIND_STRING - 1;
}

/* Values 0, 1, ... and sometimes a large one; for flags, bits. */
static void invent_values(inventor *v, kiln_type *type, kiln_member *members)
{
    type->member_count = 1 + below(v, MEMBERS_MAX - 1);
    for (uint32_t i = 0; i < type->member_count; i++) {
        members[i].name = member_name(i);
        members[i].value =
            type->kind == KILN_KIND_FLAGS ? UINT64_C(1) << i : (uint64_t)i + 100 * (i / 5);
    }
    type->base = type->kind == KILN_KIND_FLAGS ? KILN_KIND_U8 + below(v, 4)
                                               : (below(v, 2) ? KILN_KIND_I16 : KILN_KIND_U16);
}

static void invent(inventor *v, uint32_t number, kiln_kind kind)
{
    kiln_type *type = &v->types[number];
    kiln_member *members = v->members[number];
    type->kind = kind;
    type->element = KILN_TYPE_NONE;
    if (kiln_kind_is_named(kind)) {
        snprintf(v->names[number], sizeof v->names[number], "r.T%u", (unsigned)number);
        type->name = v->names[number];
        type->members = members;
    }
    if (kind == KILN_KIND_ENUM || kind == KILN_KIND_FLAGS) {
        invent_values(v, type, members);
    } else if (kind == KILN_KIND_STRUCT || kind == KILN_KIND_UNION) {
        type->member_count = 1 + below(v, MEMBERS_MAX - 1);
        for (uint32_t i = 0; i < type->member_count; i++) {
            members[i].name = member_name(i);
            members[i].type = any_type(v, number, kind == KILN_KIND_UNION);
            if (kind == KILN_KIND_UNION) {
                members[i].value = i + 1 + 10 * (i / 3);
                if (below(v, 5) == 0)
                    members[i].type = KILN_TYPE_NONE;
            }
        }
        if (kind == KILN_KIND_STRUCT && below(v, 6) == 0)
            type->align_at = 1u << below(v, 6);
    } else if (kind == KILN_KIND_MAP) {
        type->key = key_type(v, number);
        type->element = any_type(v, number, true);
    } else if (kind >= KILN_KIND_ARRAY) {
        type->element = any_type(v, number, kind != KILN_KIND_FIXED);
        type->count = kind == KILN_KIND_FIXED ? 1 + below(v, 4) : 0;
        type->align_at = kind == KILN_KIND_ARRAY && below(v, 8) == 0 ? 16u << below(v, 3) : 0;
    }
}

/* Makes one attempt, which the rules of types may refuse. */
static kiln_types *invent_list(uint64_t seed)
{
    static inventor v;
    memset(&v, 0, sizeof v);
    v.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    v.count = PLAIN_TYPES + 3 + below(&v, TYPES_MAX - PLAIN_TYPES - 3);
    for (uint32_t i = 0; i < PLAIN_TYPES; i++)
        invent(&v, i, (kiln_kind)(i + 1));
    for (uint32_t i = PLAIN_TYPES; i + 1 < v.count; i++)
        invent(&v, i,
               (kiln_kind)(KILN_KIND_ENUM + below(&v, KILN_KIND_FIXED - KILN_KIND_ENUM + 1)));
    invent(&v, v.count - 1, KILN_KIND_STRUCT);
    kiln_types *types = NULL;
    if (kiln_types_create(NULL, v.types, v.count, &types, NULL))
        return NULL;
    if (kiln_types_get(types, v.count - 1)->size <= ROOT_SIZE_MAX)
        return types;
    kiln_types_destroy(types);
    return NULL;
}

kiln_types *random_types_create(uint64_t seed)
{
    for (uint64_t attempt = 0; attempt < 10000; attempt++) {
        kiln_types *types = invent_list(seed + (attempt << 40));
        if (types)
            return types;
    }
    fprintf(stderr, "cannot make random types\n");
    abort();
}

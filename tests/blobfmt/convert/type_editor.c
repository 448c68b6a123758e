#include "type_editor.h"

#include "random_value.h"

#include <kiln/builder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES_MAX = 96, MEMBERS_MAX = 16, WAS_MAX = 4, NAME_SIZE = 24 };

typedef struct edited_member {
    char name[NAME_SIZE];
    char was[WAS_MAX][NAME_SIZE];
    const char *was_list[WAS_MAX];
    bool wants_default;
} edited_member;

typedef struct edited_type {
    kiln_type type;
    kiln_member members[MEMBERS_MAX];
    edited_member own[MEMBERS_MAX];
    char name[NAME_SIZE];
    char was[WAS_MAX][NAME_SIZE];
    const char *was_list[WAS_MAX];
} edited_type;

typedef struct editor {
    uint64_t state;
    uint32_t count, fresh;
    bool removals;
    edited_type types[TYPES_MAX];
} editor;

static uint32_t below(editor *e, uint32_t limit)
{
    e->state = e->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((e->state >> 33) % limit);
}

static void fresh_name(editor *e, char *name, const char *prefix)
{
    snprintf(name, NAME_SIZE, "%s%u", prefix, (unsigned)e->fresh++);
}

static void load(editor *e, const kiln_types *types)
{
    e->count = kiln_types_count(types);
    for (uint32_t i = 0; i < e->count; i++) {
        edited_type *to = &e->types[i];
        to->type = *kiln_types_get(types, i);
        snprintf(to->name, NAME_SIZE, "%s", to->type.name);
        for (uint32_t m = 0; m < to->type.member_count; m++) {
            to->members[m] = to->type.members[m];
            snprintf(to->own[m].name, NAME_SIZE, "%s", to->members[m].name);
            to->members[m].was_count = 0;
        }
        to->type.was_count = 0;
    }
}

static kiln_types *create(editor *e)
{
    static kiln_type list[TYPES_MAX];
    kiln_types *types = NULL;
    for (uint32_t i = 0; i < e->count; i++) {
        edited_type *t = &e->types[i];
        t->type.name = t->name;
        t->type.members = t->members;
        t->type.was = t->was_list;
        for (uint32_t w = 0; w < WAS_MAX; w++)
            t->was_list[w] = t->was[w];
        for (uint32_t m = 0; m < t->type.member_count; m++) {
            t->members[m].name = t->own[m].name;
            t->members[m].was = t->own[m].was_list;
            for (uint32_t w = 0; w < WAS_MAX; w++)
                t->own[m].was_list[w] = t->own[m].was[w];
        }
        list[i] = t->type;
    }
    return kiln_types_create(NULL, list, e->count, &types, NULL) ? NULL : types;
}

/* The number of the unnamed type `wanted`, which is added if the list lacks it. */
static uint32_t unnamed(editor *e, kiln_type wanted)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const kiln_type *t = &e->types[i].type;
        if (t->kind == wanted.kind && t->element == wanted.element && t->count == wanted.count &&
            t->align_at == wanted.align_at && (t->key == wanted.key || t->kind != KILN_KIND_MAP))
            return i;
    }
    if (e->count == TYPES_MAX)
        return KILN_TYPE_NONE;
    memset(&e->types[e->count], 0, sizeof e->types[e->count]);
    e->types[e->count].type = wanted;
    return e->count++;
}

static uint32_t wider(editor *e, uint32_t type)
{
    static const kiln_kind from[] = {KILN_KIND_BOOL, KILN_KIND_I8,  KILN_KIND_I16,  KILN_KIND_I32,
                                     KILN_KIND_U8,   KILN_KIND_U8,  KILN_KIND_U16,  KILN_KIND_U16,
                                     KILN_KIND_U32,  KILN_KIND_U32, KILN_KIND_F32,  KILN_KIND_I16,
                                     KILN_KIND_U16,  KILN_KIND_I32, KILN_KIND_BOOL, KILN_KIND_I8};
    static const kiln_kind to[] = {KILN_KIND_U8,  KILN_KIND_I16, KILN_KIND_I64, KILN_KIND_I64,
                                   KILN_KIND_U16, KILN_KIND_I64, KILN_KIND_I32, KILN_KIND_U64,
                                   KILN_KIND_U64, KILN_KIND_F64, KILN_KIND_F64, KILN_KIND_F32,
                                   KILN_KIND_F64, KILN_KIND_F64, KILN_KIND_I32, KILN_KIND_F32};
    uint32_t start = below(e, 16);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t pair = (start + i) % 16;
        if (e->types[type].type.kind == from[pair]) {
            kiln_type wanted = {.kind = to[pair], .element = KILN_TYPE_NONE};
            for (uint32_t k = 0; k < e->count; k++)
                if (e->types[k].type.kind == wanted.kind)
                    return k;
        }
    }
    return KILN_TYPE_NONE;
}

/* A type to which values of `type` can be converted; KILN_TYPE_NONE if this function finds none. */
static uint32_t changed(editor *e, uint32_t number, bool *wants_default)
{
    kiln_type t = e->types[number].type;
    kiln_type made = {.kind = t.kind,
                      .element = t.element,
                      .key = t.key,
                      .count = t.count,
                      .align_at = t.align_at};
    switch (t.kind) {
    case KILN_KIND_ARRAY:
        if (below(e, 3) == 0)
            made.align_at = made.align_at ? 0 : 64;
        else
            made.element = changed(e, t.element, NULL);
        break;
    case KILN_KIND_OPTIONAL:
        made.element = changed(e, t.element, NULL);
        break;
    case KILN_KIND_MAP:
        if (below(e, 3) == 0)
            made.key = wider(e, t.key);
        else
            made.element = changed(e, t.element, NULL);
        if (made.key == KILN_TYPE_NONE)
            return KILN_TYPE_NONE;
        break;
    case KILN_KIND_FIXED:
        if (wants_default && below(e, 2)) {
            made.count++;
            *wants_default = true;
        } else {
            made.element = changed(e, t.element, NULL);
        }
        break;
    case KILN_KIND_BYTES:
        made.align_at = made.align_at ? 0 : 32;
        break;
    default: {
        uint32_t found = wider(e, number);
        if (found != KILN_TYPE_NONE && below(e, 4))
            return found;
        kiln_type optional = {.kind = KILN_KIND_OPTIONAL, .element = number};
        return unnamed(e, optional);
    }
    }
    /* Only a field can have a default, so a fixed array inside another type must not grow. */
    return made.element == KILN_TYPE_NONE && t.kind != KILN_KIND_BYTES ? KILN_TYPE_NONE
                                                                       : unnamed(e, made);
}

static void rename_one(editor *e, char *name, char (*was)[NAME_SIZE], uint32_t *was_count,
                       const char *prefix)
{
    if (*was_count == WAS_MAX)
        return;
    memcpy(was[(*was_count)++], name, NAME_SIZE);
    fresh_name(e, name, prefix);
}

static void swap_members(edited_type *t, uint32_t a, uint32_t b)
{
    kiln_member member = t->members[a];
    edited_member own = t->own[a];
    t->members[a] = t->members[b];
    t->own[a] = t->own[b];
    t->members[b] = member;
    t->own[b] = own;
}

static void remove_member(edited_type *t, uint32_t number)
{
    if (t->type.member_count < 2)
        return;
    for (uint32_t i = number; i + 1 < t->type.member_count; i++)
        swap_members(t, i, i + 1);
    t->type.member_count--;
}

static uint64_t fresh_value(editor *e, const edited_type *t)
{
    return t->type.kind == KILN_KIND_FLAGS ? UINT64_C(1) << below(e, 8)
                                           : (uint64_t)below(e, 90) + 1;
}

static void add_member(editor *e, edited_type *t)
{
    uint32_t at = t->type.member_count;
    if (at == MEMBERS_MAX)
        return;
    memset(&t->members[at], 0, sizeof t->members[at]);
    memset(&t->own[at], 0, sizeof t->own[at]);
    fresh_name(e, t->own[at].name, "n");
    t->members[at].type = KILN_TYPE_NONE;
    if (t->type.kind == KILN_KIND_STRUCT || t->type.kind == KILN_KIND_UNION)
        t->members[at].type = below(e, e->count);
    if (t->type.kind != KILN_KIND_STRUCT)
        t->members[at].value = fresh_value(e, t);
    t->own[at].wants_default = t->type.kind == KILN_KIND_STRUCT;
    t->type.member_count++;
    swap_members(t, at, below(e, at + 1));
}

/* A newtype of `type`. */
static uint32_t wrap(editor *e, uint32_t type)
{
    if (e->count == TYPES_MAX)
        return KILN_TYPE_NONE;
    edited_type *t = &e->types[e->count];
    memset(t, 0, sizeof *t);
    t->type.kind = KILN_KIND_STRUCT;
    t->type.flags = KILN_TYPE_TRANSPARENT;
    t->type.element = KILN_TYPE_NONE;
    t->type.align_at = below(e, 2) ? 16 : 0;
    t->type.member_count = 1;
    fresh_name(e, t->name, "r.W");
    snprintf(t->own[0].name, NAME_SIZE, "value");
    t->members[0].type = type;
    return e->count++;
}

static void edit_members(editor *e, edited_type *t)
{
    uint32_t number = below(e, t->type.member_count), other = below(e, t->type.member_count);
    bool is_struct = t->type.kind == KILN_KIND_STRUCT;
    bool has_type = is_struct || t->type.kind == KILN_KIND_UNION;
    kiln_member *m = &t->members[number];
    uint32_t to;
    switch (below(e, 8)) {
    case 0:
        swap_members(t, number, other);
        if (!is_struct && below(e, 2)) {
            uint64_t value = t->members[number].value;
            t->members[number].value = t->members[other].value;
            t->members[other].value = value;
        }
        break;
    case 1:
        if (is_struct || e->removals)
            remove_member(t, number);
        break;
    case 2:
        rename_one(e, t->own[number].name, t->own[number].was, &m->was_count, "n");
        break;
    case 3:
        add_member(e, t);
        break;
    case 4:
        if (!has_type)
            m->value = fresh_value(e, t);
        else if (m->type != KILN_TYPE_NONE && !t->own[number].wants_default) {
            /* A newtype's field has no default, which new elements of a fixed array would need. */
            to = wrap(e, m->type);
            m->type = to == KILN_TYPE_NONE ? m->type : to;
        }
        break;
    default:
        if (has_type && m->type != KILN_TYPE_NONE) {
            bool wants_default = t->own[number].wants_default;
            to = changed(e, m->type, is_struct ? &wants_default : NULL);
            if (to != KILN_TYPE_NONE) {
                m->type = to;
                t->own[number].wants_default = wants_default;
            }
        }
    }
}

static void edit(editor *e)
{
    uint32_t number = below(e, e->count);
    edited_type *t = &e->types[number];
    for (int tries = 0; !kiln_kind_is_named(t->type.kind) && tries < 50; tries++) {
        number = below(e, e->count);
        t = &e->types[number];
    }
    if (!kiln_kind_is_named(t->type.kind) || (t->type.flags & KILN_TYPE_TRANSPARENT))
        return;
    if (below(e, 8) == 0)
        rename_one(e, t->name, t->was, &t->type.was_count, "r.N");
    else if (t->type.kind == KILN_KIND_STRUCT && below(e, 8) == 0)
        t->type.align_at = t->type.align_at ? 0 : 32;
    else if (t->type.kind == KILN_KIND_ENUM && below(e, 4) == 0)
        t->type.base = t->type.base == KILN_KIND_I16 ? KILN_KIND_I32 : KILN_KIND_I16;
    else
        edit_members(e, t);
}

static bool set_defaults(editor *e, kiln_types *types)
{
    for (uint32_t i = 0; i < e->count; i++)
        for (uint32_t m = 0; m < e->types[i].type.member_count; m++) {
            kiln_builder_def def = kiln_builder_def_default();
            kiln_builder *builder = NULL;
            kiln_buffer image = {0};
            uint32_t type = e->types[i].members[m].type;
            if (e->types[i].type.kind != KILN_KIND_STRUCT || !e->types[i].own[m].wants_default)
                continue;
            def.types = types;
            if (kiln_builder_create(&def, &builder))
                abort();
            random_value_build(builder, types, type, e->state + m, RANDOM_SHARED);
            kiln_status status = kiln_builder_finish_image(builder, type, &image, NULL);
            if (!status)
                status =
                    kiln_types_set_default(types, i, m, (kiln_span){image.data, image.size}, NULL);
            kiln_buffer_fini(&image);
            kiln_builder_destroy(builder);
            if (status)
                return false;
        }
    return true;
}

kiln_types *type_editor_edit(const kiln_types *types, uint64_t seed, unsigned count, bool removals)
{
    static editor e, before;
    memset(&e, 0, sizeof e);
    e.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 7;
    e.removals = removals;
    load(&e, types);
    kiln_types *made = create(&e);
    for (unsigned i = 0; i < count; i++) {
        before = e;
        edit(&e);
        kiln_types *next = create(&e);
        if (next && kiln_types_get(next, kiln_types_count(types) - 1)->size < 65536 &&
            set_defaults(&e, next)) {
            kiln_types_destroy(made);
            made = next;
        } else {
            kiln_types_destroy(next);
            uint64_t state = e.state;
            e = before;
            e.state = state;
        }
    }
    if (!made) {
        fprintf(stderr, "cannot make edited types\n");
        abort();
    }
    return made;
}

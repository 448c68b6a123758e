/* Creates lists of types: copies the descriptions and checks them, then computes the layout, the
 * layout hashes, and the programs of value_program.h. Each step depends on the previous ones.
 *
 * All memory of a list is in one arena. After creation, only kiln_types_set_default
 * (type_default.c) modifies a list. */
#include <kiln/types.h>

#include <kiln/blob_header.h>

#include "number_sort.h"
#include "value_program.h"

#include <string.h>

enum { TYPES_BLOCK = 16384 };

/* Copies a list of earlier names. */
static const char *const *copy_names(arena *memory, const char *const *names, uint32_t count)
{
    const char **copy = kiln_arena_alloc(memory, sizeof *copy * count + 1, _Alignof(char *));
    for (uint32_t i = 0; copy && i < count; i++) {
        const char *text = names[i] ? names[i] : "";
        copy[i] = kiln_arena_copy_text(memory, text, strlen(text));
        if (!copy[i])
            return NULL;
    }
    return copy;
}

static const char *copy_text(arena *memory, const char *text)
{
    return text && *text ? kiln_arena_copy_text(memory, text, strlen(text)) : "";
}

static int compare_member_names(const void *ctx, uint32_t a, uint32_t b)
{
    const kiln_member *members = ctx;
    return strcmp(members[a].name, members[b].name);
}

static int compare_member_values(const void *ctx, uint32_t a, uint32_t b)
{
    const kiln_member *members = ctx;
    uint64_t left = members[a].value, right = members[b].value;
    return (left > right) - (left < right);
}

/* Copies the members, and appends their numbers sorted by name and by value (type_list.h). */
static bool copy_members(arena *memory, kiln_type *type)
{
    uint32_t count = type->member_count;
    kiln_member *members =
        kiln_arena_alloc(memory, (size_t)count * (sizeof *members + 2 * sizeof(uint32_t)) + 1,
                         _Alignof(kiln_member));
    if (!members)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        kiln_member *m = &members[i];
        *m = type->members[i];
        m->name = copy_text(memory, m->name);
        m->doc = copy_text(memory, m->doc);
        m->was = copy_names(memory, m->was, m->was_count);
        m->offset = 0;
        m->default_image = NULL;
        m->default_size = 0;
        if (!m->name || !m->doc || !m->was)
            return false;
    }
    uint32_t *by_name = (uint32_t *)(void *)(members + count), *by_value = by_name + count;
    for (uint32_t i = 0; i < count; i++)
        by_name[i] = by_value[i] = i;
    kiln_number_sort(by_name, count, compare_member_names, members);
    kiln_number_sort(by_value, count, compare_member_values, members);
    type->members = members;
    return true;
}

/* Copies a description and clears fields that do not apply to its kind. The later steps and the
 * writer of type tables can therefore read every field of every type. */
static bool copy_type(arena *memory, kiln_type *type, const kiln_type *from)
{
    kiln_kind kind = from->kind;
    bool is_named = kiln_kind_is_named(kind);
    memset(type, 0, sizeof *type);
    type->kind = kind;
    type->flags = from->flags;
    type->name = is_named ? copy_text(memory, from->name) : "";
    type->doc = is_named ? copy_text(memory, from->doc) : "";
    type->was_count = is_named ? from->was_count : 0;
    type->was = copy_names(memory, from->was, type->was_count);
    bool has_base = kind == KILN_KIND_ENUM || kind == KILN_KIND_FLAGS;
    type->base = has_base ? from->base : KILN_KIND_NONE;
    type->element = kind_has_element(kind) ? from->element : KILN_TYPE_NONE;
    type->key = kind == KILN_KIND_MAP ? from->key : KILN_TYPE_NONE;
    type->count = kind == KILN_KIND_FIXED ? from->count : 0;
    bool has_align = kind == KILN_KIND_STRUCT || kind == KILN_KIND_ARRAY || kind == KILN_KIND_BYTES;
    type->align_at = has_align ? from->align_at : 0;
    type->members = from->members;
    type->member_count = is_named ? from->member_count : 0;
    return type->name && type->doc && type->was && copy_members(memory, type);
}

/* `known` skips the checks, for lists that are compiled into the library. */
static kiln_status fill(kiln_types *types, const kiln_type *from, bool known, kiln_error *reterr)
{
    types->types = kiln_arena_alloc(&types->memory, sizeof *types->types * types->count + 1,
                                    _Alignof(kiln_type));
    if (!types->types)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    for (uint32_t i = 0; i < types->count; i++)
        if (!copy_type(&types->memory, &types->types[i], &from[i]))
            return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    if (!kiln_types_index_names(types))
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    kiln_status status = known ? KILN_OK : kiln_types_check(types, reterr);
    if (!status)
        status = kiln_types_lay_out(types, reterr);
    if (!status && !known)
        status = kiln_types_check_components(types, reterr);
    if (!status && !known)
        status = kiln_types_hash(types, reterr);
    for (uint32_t i = 0; i < types->count && known; i++)
        types->types[i].layout = from[i].layout;
    if (!status && !kiln_types_plan(types))
        status = kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    return status;
}

static kiln_status create(const kiln_allocator *allocator, const kiln_type *types, uint32_t count,
                          bool known, kiln_types **ret_types, kiln_error *reterr)
{
    kiln_status status = kiln_host_check();
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    /* Other files compute small multiples of the count in 32 bits, such as two plans per type in
     * object_plan.c. */
    if (count > INT32_MAX / 4)
        return kiln_fail(reterr, KILN_TOO_LARGE, 0, NULL);
    kiln_allocator a = allocator_or_default(allocator);
    kiln_types *made = a.alloc(a.ctx, sizeof *made, _Alignof(kiln_types));
    if (!made)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(made, 0, sizeof *made);
    made->allocator = a;
    made->count = count;
    kiln_arena_init(&made->memory, &a, TYPES_BLOCK);
    status = fill(made, types, known, reterr);
    if (status) {
        kiln_types_destroy(made);
        return status;
    }
    *ret_types = made;
    return KILN_OK;
}

kiln_status kiln_types_create(const kiln_allocator *allocator, const kiln_type *types,
                              uint32_t count, kiln_types **ret_types, kiln_error *reterr)
{
    return create(allocator, types, count, false, ret_types, reterr);
}

kiln_status kiln_types_create_known(const kiln_allocator *allocator, const kiln_type *types,
                                    uint32_t count, kiln_types **ret_types, kiln_error *reterr)
{
    return create(allocator, types, count, true, ret_types, reterr);
}

void kiln_types_destroy(kiln_types *types)
{
    if (!types)
        return;
    kiln_allocator a = types->allocator;
    kiln_hash_table_fini(&types->names, &a);
    kiln_arena_fini(&types->memory);
    a.free(a.ctx, types, sizeof *types);
}

/* Appends types to a list. This file is not in types/ because kiln_types_set_default needs the
 * verifier. */
#include "type_join.h"

#include "type_list.h"

#include <string.h>

/* A list of types to which others are being added. */
typedef struct type_joiner {
    kiln_type *types;
    uint32_t count;
    uint32_t *numbers;    /* of the added types, in the extended list */
    kiln_member *members; /* room for those that are still to be added */
} type_joiner;

static uint32_t number_in(const type_joiner *j, uint32_t number)
{
    return number == KILN_TYPE_NONE ? KILN_TYPE_NONE : j->numbers[number];
}

/* T4: a list must not contain an unnamed type twice, so existing ones are reused. Returns
 * `j->count` if the list does not contain the type. */
static uint32_t find_unnamed(const type_joiner *j, const kiln_type *type)
{
    for (uint32_t i = 0; i < j->count; i++) {
        const kiln_type *other = &j->types[i];
        if (other->kind != type->kind)
            continue;
        if ((!kind_has_element(type->kind) || other->element == type->element) &&
            (type->kind != KILN_KIND_MAP || other->key == type->key) &&
            other->align_at == type->align_at)
            return i;
    }
    return j->count;
}

static void add(type_joiner *j, const type_addition *addition, uint32_t number)
{
    kiln_type type = addition->types[number];
    bool is_named = kiln_kind_is_named(type.kind);
    type.element = number_in(j, type.element);
    type.key = number_in(j, type.key);
    for (uint32_t i = 0; i < type.member_count; i++) {
        j->members[i] = type.members[i];
        j->members[i].type = number_in(j, type.members[i].type);
    }
    type.members = j->members;
    j->members += type.member_count;
    uint32_t place = is_named ? j->count : find_unnamed(j, &type);
    if (place == j->count)
        j->types[j->count++] = type;
    j->numbers[number] = place;
}

/* kiln_types_create ignores defaults, so they are set again afterwards. */
static kiln_status copy_defaults(const kiln_types *from, kiln_types *to, kiln_error *reterr)
{
    for (uint32_t i = 0; from && i < from->count; i++) {
        const kiln_type *type = type_at(from, i);
        for (uint32_t m = 0; m < type->member_count; m++) {
            const kiln_member *member = &type->members[m];
            kiln_status status = KILN_OK;
            if (member->default_image)
                status = kiln_types_set_default(
                    to, i, m, (kiln_span){member->default_image, member->default_size}, reterr);
            if (status)
                return status;
        }
    }
    return KILN_OK;
}

/* Whether the list already has the added types. The layout hash of the root covers all of them. */
static bool has_addition(const kiln_types *types, const type_addition *addition)
{
    uint32_t root =
        types ? kiln_types_find(types, addition->types[addition->root].name) : KILN_TYPE_NONE;
    return root != KILN_TYPE_NONE && type_at(types, root)->layout == addition->layout;
}

static kiln_status join(const kiln_types *types, const type_addition *addition,
                        const kiln_allocator *allocator, type_joiner *j, kiln_types **ret_types,
                        kiln_error *reterr)
{
    kiln_types *made = NULL;
    j->count = types ? types->count : 0;
    if (j->count)
        memcpy(j->types, types->types, j->count * sizeof *j->types);
    for (uint32_t i = 0; i < addition->count && !has_addition(types, addition); i++) {
        const char *name = addition->types[i].name;
        if (types && name && kiln_types_find(types, name) != KILN_TYPE_NONE)
            return kiln_fail(reterr, KILN_DUPLICATE, 0, name);
        add(j, addition, i);
    }
    kiln_status status = kiln_types_create(allocator, j->types, j->count, &made, reterr);
    if (!status)
        status = copy_defaults(types, made, reterr);
    if (status)
        kiln_types_destroy(made);
    else
        *ret_types = made;
    return status;
}

static size_t member_count(const type_addition *addition)
{
    size_t count = 0;
    for (uint32_t i = 0; i < addition->count; i++)
        count += addition->types[i].member_count;
    return count;
}

kiln_status kiln_types_join(const kiln_types *types, const type_addition *addition,
                            const kiln_allocator *allocator, kiln_types **ret_types,
                            kiln_error *reterr)
{
    enum { JOIN_BLOCK = 4096 };
    kiln_allocator a = allocator_or_default(allocator);
    size_t count = (size_t)(types ? types->count : 0) + addition->count;
    arena memory;
    kiln_arena_init(&memory, &a, JOIN_BLOCK);
    type_joiner j = {0};
    j.types = kiln_arena_alloc(&memory, count * sizeof *j.types, _Alignof(kiln_type));
    j.members = kiln_arena_alloc(&memory, member_count(addition) * sizeof *j.members,
                                 _Alignof(kiln_member));
    j.numbers = kiln_arena_alloc(&memory, addition->count * sizeof *j.numbers, _Alignof(uint32_t));
    kiln_status status = j.types && j.members && j.numbers
                             ? join(types, addition, &a, &j, ret_types, reterr)
                             : kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    kiln_arena_fini(&memory);
    return status;
}

/* Checks rules T1 to T4, T7 and T8, which must hold before sizes can be computed.
 *
 * The input may be hostile, so the order of checks matters: kinds and names come first, then parts.
 * After that, every step may use type_at without a range check, and may rely on the unnamed parts
 * of an unnamed type having lower numbers. type_layout.c then checks T5 and T6. Work is linear,
 * except for sorting names in types.c. */
#include "hash.h"
#include "type_list.h"
#include "utf8.h"

#include <string.h>

/* Whether the name consists of identifiers joined by dots. */
static bool type_name_is_valid(const char *name)
{
    bool begins = true;
    for (; *name; name++) {
        char c = *name;
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        if (letter) {
            begins = false;
        } else if (c >= '0' && c <= '9' && !begins) {
            continue;
        } else if (c == '.' && !begins) {
            begins = true;
        } else {
            return false;
        }
    }
    return !begins;
}

static bool member_name_is_valid(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length > KILN_NAME_MAX || kiln_utf8_valid_prefix(name, length) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return false;
    return true;
}

static bool value_fits(kiln_kind base, uint64_t value)
{
    unsigned bits = kiln_kind_size(base) * 8;
    if (bits == 64)
        return true;
    if (kiln_kind_is_unsigned(base))
        return value >> bits == 0;
    /* A signed value is stored sign-extended to 64 bits. */
    int64_t number = (int64_t)value, limit = INT64_C(1) << (bits - 1);
    return number >= -limit && number < limit;
}

/* Checks T1: kind, base and flags. */
static bool kind_is_valid(const kiln_type *type)
{
    if (type->kind < KILN_KIND_BOOL || type->kind > KILN_KIND_DATA)
        return false;
    if (type->kind == KILN_KIND_ENUM && !kiln_kind_is_integer(type->base))
        return false;
    if (type->kind == KILN_KIND_FLAGS && !kiln_kind_is_unsigned(type->base))
        return false;
    uint32_t allowed = type->kind == KILN_KIND_STRUCT
                           ? KILN_TYPE_ASSET | KILN_TYPE_TRANSPARENT | KILN_TYPE_COMPONENT
                           : 0;
    if (type->flags & ~allowed)
        return false;
    if (type->flags & KILN_TYPE_ASSET && type->flags & KILN_TYPE_COMPONENT)
        return false;
    return !(type->flags & KILN_TYPE_TRANSPARENT) || type->member_count == 1;
}

/* Checks T7: values and tags. Members are checked in the order of their values, so equal values are
 * adjacent. */
static kiln_status check_values(const kiln_types *types, uint32_t number, kiln_error *reterr)
{
    const kiln_type *type = type_at(types, number);
    if (type->kind == KILN_KIND_STRUCT)
        return KILN_OK;
    if (type->member_count == 0)
        return kiln_type_fail(reterr, KILN_T_VALUE, types, number, NULL);
    const uint32_t *order = members_by_value(type);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[order[i]];
        bool ok = i == 0 || type->members[order[i - 1]].value != member->value;
        if (type->kind == KILN_KIND_UNION)
            ok = ok && member->value >= 1 && member->value <= UINT32_MAX;
        else
            ok = ok && value_fits(type->base, member->value);
        if (type->kind == KILN_KIND_FLAGS)
            ok = ok && member->value != 0;
        if (!ok)
            return kiln_type_fail(reterr, KILN_T_VALUE, types, number, member);
    }
    return KILN_OK;
}

static kiln_status check_members(const kiln_types *types, uint32_t number, kiln_error *reterr)
{
    const kiln_type *type = type_at(types, number);
    const uint32_t *order = members_by_name(type);
    const uint32_t known = KILN_MEMBER_HAS_MIN | KILN_MEMBER_HAS_MAX | KILN_MEMBER_REQUIRED |
                           KILN_MEMBER_DEPRECATED | KILN_MEMBER_SINGLE | KILN_MEMBER_REST;
    bool is_struct = type->kind == KILN_KIND_STRUCT,
         has_type = is_struct || type->kind == KILN_KIND_UNION;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[order[i]];
        if (!member_name_is_valid(member->name) ||
            (i > 0 && strcmp(type->members[order[i - 1]].name, member->name) == 0))
            return kiln_type_fail(reterr, KILN_T_NAME, types, number, member);
        if (member->flags & (is_struct ? ~known : ~(uint32_t)KILN_MEMBER_DEPRECATED))
            return kiln_type_fail(reterr, KILN_T_KIND, types, number, member);
        bool may_be_none = !is_struct; /* an alternative of a union need not have a type */
        if (has_type && member->type >= types->count &&
            !(may_be_none && member->type == KILN_TYPE_NONE))
            return kiln_type_fail(reterr, KILN_T_INDEX, types, number, member);
        /* The list owns its members; they are const only for readers. */
        if (!has_type)
            ((kiln_member *)(uintptr_t)member)->type = KILN_TYPE_NONE;
    }
    return check_values(types, number, reterr);
}

/* Checks T8: keys are bool, numbers, string, enum, ref, or fixed arrays of bool or numbers. The
 * element of a fixed array has already been checked, because an unnamed key comes before its map in
 * the list. */
static bool key_is_valid(const kiln_types *types, uint32_t key)
{
    const kiln_type *type = type_at(types, key);
    if (type->kind == KILN_KIND_FIXED)
        return type_at(types, type->element)->kind <= KILN_KIND_F64;
    return type->kind <= KILN_KIND_STRING || type->kind == KILN_KIND_ENUM ||
           type->kind == KILN_KIND_REF;
}

/* T4: an unnamed part must come earlier in the list, so unnamed types cannot form a cycle. */
static bool part_is_valid(const kiln_types *types, uint32_t part, uint32_t whole)
{
    return *type_at(types, part)->name || part < whole;
}

/* Checks T3, T4 and T8 of a type's key and element. `depths` contains, for each type, how many
 * unnamed types nest in it. Unnamed parts come earlier in the list, so their depths are known. */
static kiln_status check_parts(const kiln_types *types, uint32_t number, uint8_t *depths,
                               kiln_error *reterr)
{
    const kiln_type *type = type_at(types, number);
    uint32_t parts[2] = {type->key, type->element};
    bool optional_part = type->kind == KILN_KIND_REF;
    for (int i = 0; i < 2; i++) {
        if (parts[i] == KILN_TYPE_NONE &&
            (i == 0 ? type->kind != KILN_KIND_MAP : optional_part || !kind_has_element(type->kind)))
            continue;
        if (parts[i] >= types->count)
            return kiln_type_fail(reterr, KILN_T_INDEX, types, number, NULL);
        if (optional_part) {
            if (type_at(types, parts[i])->kind != KILN_KIND_STRUCT)
                return kiln_type_fail(reterr, KILN_T_INDEX, types, number, NULL);
            continue;
        }
        if (!part_is_valid(types, parts[i], number))
            return kiln_type_fail(reterr, KILN_T_ANONYMOUS, types, number, NULL);
        /* A named type ends the nesting of unnamed types, so its depth is 0. */
        if (depths[parts[i]] >= depths[number])
            depths[number] = (uint8_t)(depths[parts[i]] + 1);
    }
    if (depths[number] > KILN_ANONYMOUS_DEPTH_MAX)
        return kiln_type_fail(reterr, KILN_T_ANONYMOUS, types, number, NULL);
    if (type->kind == KILN_KIND_MAP && !key_is_valid(types, type->key))
        return kiln_type_fail(reterr, KILN_T_KEY, types, number, NULL);
    if (type->kind == KILN_KIND_FIXED && type->count == 0)
        return kiln_type_fail(reterr, KILN_T_INDEX, types, number, NULL);
    return KILN_OK;
}

/* T3: entities and data, and structs that contain them, are allowed in components but not in blobs.
 * This check runs after the layout pass, which computes what each type contains by value. */
kiln_status kiln_types_check_components(const kiln_types *types, kiln_error *reterr)
{
    for (uint32_t i = 0; i < types->count; i++) {
        const kiln_type *type = type_at(types, i);
        bool may_hold = type->kind == KILN_KIND_STRUCT || type->kind == KILN_KIND_FIXED;
        const kiln_type *element =
            type->kind == KILN_KIND_REF ? NULL : kiln_types_get(types, type->element);
        if ((!may_hold && element && element->is_component_only) ||
            (type->is_component_only && type->flags & KILN_TYPE_ASSET) ||
            (type->has_pointers && type->flags & KILN_TYPE_COMPONENT))
            return kiln_type_fail(reterr, KILN_T_INDEX, types, i, NULL);
        for (uint32_t m = 0; m < type->member_count && !may_hold; m++) {
            const kiln_type *part = kiln_types_get(types, type->members[m].type);
            if (part && part->is_component_only)
                return kiln_type_fail(reterr, KILN_T_INDEX, types, i, &type->members[m]);
        }
    }
    return KILN_OK;
}

static bool same_unnamed(const kiln_type *a, const kiln_type *b)
{
    return a->kind == b->kind && a->element == b->element && a->key == b->key &&
           a->count == b->count && a->align_at == b->align_at;
}

static uint32_t hash_of_parts(const hash_table *table, const kiln_type *type)
{
    uint32_t parts[5] = {(uint32_t)type->kind, type->element, type->key, type->count,
                         type->align_at};
    return (uint32_t)kiln_hash64(parts, sizeof parts, table->seed);
}

static bool has_parts(const kiln_types *types, uint32_t number, const kiln_type *type)
{
    return same_unnamed(type_at(types, number), type);
}

HASH_TABLE(types_by_parts, const kiln_types *, const kiln_type *, hash_of_parts, has_parts)

/* T4: each unnamed type occurs only once. A hash table keeps this linear even for hostile lists. */
static kiln_status check_unnamed_once(const kiln_types *types, kiln_error *reterr)
{
    hash_table seen = {0};
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < types->count && !status; i++) {
        const kiln_type *type = type_at(types, i);
        if (*type->name)
            continue;
        if (!hash_table_reserve(&seen, &types->allocator)) {
            status = kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
            break;
        }
        hash_slot *slot = types_by_parts_slot(&seen, types, type);
        if (hash_slot_is_empty(slot))
            hash_table_put(&seen, slot, i);
        else
            status = kiln_type_fail(reterr, KILN_T_ANONYMOUS, types, i, NULL);
    }
    kiln_hash_table_fini(&seen, &types->allocator);
    return status;
}

static kiln_status check_all(const kiln_types *types, uint8_t *depths, kiln_error *reterr)
{
    /* All kinds are checked before any parts, because check_parts reads the kinds of other types.
     * If two types have the same name, kiln_types_find returns the number of the first one, which
     * differs from the number of the second one. */
    for (uint32_t i = 0; i < types->count; i++) {
        const kiln_type *type = type_at(types, i);
        if (!kind_is_valid(type))
            return kiln_type_fail(reterr, KILN_T_KIND, types, i, NULL);
        if (kiln_kind_is_named(type->kind)) {
            size_t length = strlen(type->name);
            if (!type_name_is_valid(type->name) || length > KILN_NAME_MAX ||
                kiln_types_find(types, type->name) != i)
                return kiln_type_fail(reterr, KILN_T_NAME, types, i, NULL);
        }
    }
    for (uint32_t i = 0; i < types->count; i++) {
        kiln_status status = check_parts(types, i, depths, reterr);
        if (!status && kiln_kind_is_named(type_at(types, i)->kind))
            status = check_members(types, i, reterr);
        if (status)
            return status;
    }
    return KILN_OK;
}

kiln_status kiln_types_check(const kiln_types *types, kiln_error *reterr)
{
    const kiln_allocator *a = &types->allocator;
    size_t depths_size = (size_t)types->count + 1;
    uint8_t *depths = a->alloc(a->ctx, depths_size, 1);
    if (!depths)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(depths, 0, depths_size);
    kiln_status status = check_all(types, depths, reterr);
    a->free(a->ctx, depths, depths_size);
    return status ? status : check_unnamed_once(types, reterr);
}

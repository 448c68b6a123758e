/* Lookups in a list of types: types by number or name, and members by name or value.
 *
 * Verifiers look up the tag of every union here, and readers every field and enum value. Types are
 * found by name in O(1), and members in O(log n), using the two sorted orders that types.c stores
 * after the members. */
#include "type_list.h"

#include <string.h>

static uint32_t hash_of_name(const hash_table *table, const char *name)
{
    return hash_of_text(table, (text_key){name, strlen(name)});
}

static bool has_name(const kiln_types *types, uint32_t number, const char *name)
{
    return strcmp(types->types[number].name, name) == 0;
}

HASH_TABLE(types_by_name, const kiln_types *, const char *, hash_of_name, has_name)

bool kiln_types_index_names(kiln_types *types)
{
    for (uint32_t i = 0; i < types->count; i++) {
        const char *name = types->types[i].name;
        if (!*name)
            continue;
        if (!hash_table_reserve(&types->names, &types->allocator))
            return false;
        hash_slot *slot = types_by_name_slot(&types->names, types, name);
        if (hash_slot_is_empty(slot))
            hash_table_put(&types->names, slot, i);
    }
    return true;
}

uint32_t kiln_types_count(const kiln_types *types)
{
    return types->count;
}

const kiln_type *kiln_types_get(const kiln_types *types, uint32_t type)
{
    return type < types->count ? &types->types[type] : NULL;
}

uint32_t kiln_types_find(const kiln_types *types, const char *name)
{
    return name ? types_by_name_find(&types->names, types, name) : KILN_TYPE_NONE;
}

const kiln_member *kiln_type_member(const kiln_type *type, const char *name, size_t length)
{
    const uint32_t *order = members_by_name(type);
    uint32_t low = 0, high = type->member_count;
    /* Member names contain no NUL. A NUL inside `name` would end strncmp early. */
    if (length == 0 || memchr(name, '\0', length))
        return NULL;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const kiln_member *member = &type->members[order[middle]];
        int difference = strncmp(member->name, name, length);
        if (difference == 0)
            difference = member->name[length] ? 1 : 0;
        if (difference == 0)
            return member;
        if (difference < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const kiln_member *kiln_type_value(const kiln_type *type, uint64_t value)
{
    const uint32_t *order = members_by_value(type);
    uint32_t low = 0, high = type->member_count;
    /* Most enums number their values from 0, and most unions their tags from 1, so two guesses
     * avoid most binary searches. */
    for (uint64_t below = 0; below <= 1 && below <= value; below++) {
        uint64_t guess = value - below;
        if (guess < high && type->members[order[guess]].value == value)
            return &type->members[order[guess]];
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const kiln_member *member = &type->members[order[middle]];
        if (member->value == value)
            return member;
        if (member->value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

uint32_t kiln_types_default_type(const kiln_types *types, uint32_t type)
{
    const kiln_type *of = kiln_types_get(types, type);
    return of && of->kind == KILN_KIND_DATA ? of->element : type;
}

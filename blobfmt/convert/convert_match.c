/* Finds the corresponding members of an older and a newer type, by name and earlier name: FORMAT.md
 * section 17, "Which members correspond". */
#include "convert_compile.h"

#include <string.h>

static bool has_name_of(const kiln_type *from, const kiln_type *to)
{
    if (strcmp(from->name, to->name) == 0)
        return true;
    for (uint32_t i = 0; i < to->was_count; i++)
        if (strcmp(from->name, to->was[i]) == 0)
            return true;
    return false;
}

bool kiln_convert_is_same_type(const kiln_conversion *c, uint32_t from_type, uint32_t to_type)
{
    return (from_type == c->from_type && to_type == c->to_type) ||
           has_name_of(type_at(c->from, from_type), type_at(c->to, to_type));
}

bool kiln_convert_is_same_struct(const kiln_conversion *c, uint32_t from_type, uint32_t to_type)
{
    const kiln_type *older = type_at(c->from, from_type), *newer = type_at(c->to, to_type);
    return older->kind == KILN_KIND_STRUCT && newer->kind == KILN_KIND_STRUCT &&
           kiln_convert_is_same_type(c, from_type, to_type);
}

static uint32_t number_of(const kiln_type *type, const char *name)
{
    const kiln_member *member = kiln_type_member(type, name, strlen(name));
    return member ? (uint32_t)(member - type->members) : KILN_TYPE_NONE;
}

/* For each member of `from`, the number of the member of `to` that claims its name, or
 * KILN_TYPE_NONE. A current name takes precedence over earlier names. It is an error if two members
 * of `to` have the name as an earlier name and none has it as its current name. */
static kiln_status match(convert_compiler *k, const kiln_type *from, uint32_t to,
                         uint32_t **ret_numbers)
{
    const kiln_type *newer = type_at(k->c->to, to);
    uint32_t *numbers =
        kiln_arena_alloc(&k->c->memory, sizeof *numbers * from->member_count + 1, sizeof *numbers);
    if (!numbers)
        return kiln_convert_no_memory(k);
    for (uint32_t i = 0; i < from->member_count; i++)
        numbers[i] = number_of(newer, from->members[i].name);
    for (uint32_t i = 0; i < newer->member_count; i++) {
        const kiln_member *member = &newer->members[i];
        convert_place place = {to, member, 0};
        for (uint32_t w = 0; w < member->was_count; w++) {
            uint32_t older = number_of(from, member->was[w]);
            if (older == KILN_TYPE_NONE || numbers[older] == i)
                continue;
            if (numbers[older] == KILN_TYPE_NONE)
                numbers[older] = i;
            else if (strcmp(from->members[older].name, newer->members[numbers[older]].name) != 0)
                return kiln_convert_fail(k, KILN_UNREADABLE_TWICE, &place);
        }
    }
    *ret_numbers = numbers;
    return KILN_OK;
}

/* A field may claim several older fields. It corresponds to the one with its own name, otherwise to
 * the one with its first matching earlier name. */
kiln_status kiln_convert_match_fields(convert_compiler *k, const kiln_type *from, uint32_t to,
                                      uint32_t **ret_numbers)
{
    const kiln_type *newer = type_at(k->c->to, to);
    uint32_t *claims;
    kiln_status status = match(k, from, to, &claims);
    if (status)
        return status;
    uint32_t *numbers =
        kiln_arena_alloc(&k->c->memory, sizeof *numbers * newer->member_count + 1, sizeof *numbers);
    if (!numbers)
        return kiln_convert_no_memory(k);
    for (uint32_t i = 0; i < newer->member_count; i++) {
        const kiln_member *member = &newer->members[i];
        numbers[i] = number_of(from, member->name);
        for (uint32_t w = 0; w < member->was_count && numbers[i] == KILN_TYPE_NONE; w++) {
            uint32_t older = number_of(from, member->was[w]);
            if (older != KILN_TYPE_NONE && claims[older] == i)
                numbers[i] = older;
        }
    }
    *ret_numbers = numbers;
    return KILN_OK;
}

kiln_status kiln_convert_match_choices(convert_compiler *k, const kiln_type *from, uint32_t to,
                                       convert_choice **ret_choices)
{
    const kiln_type *newer = type_at(k->c->to, to);
    uint32_t *numbers;
    kiln_status status = match(k, from, to, &numbers);
    if (status)
        return status;
    convert_choice *choices = kiln_arena_alloc_zeroed(
        &k->c->memory, sizeof *choices * from->member_count + 1, _Alignof(convert_choice));
    if (!choices)
        return kiln_convert_no_memory(k);
    for (uint32_t i = 0; i < from->member_count; i++) {
        choices[i].target = KILN_TYPE_NONE;
        choices[i].is_known = numbers[i] != KILN_TYPE_NONE;
        if (choices[i].is_known)
            choices[i].value = newer->members[numbers[i]].value;
        else
            k->c->may_refuse = true;
    }
    *ret_choices = choices;
    return KILN_OK;
}

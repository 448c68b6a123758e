/* Compares two values, part by part.
 *
 * Parts are only compared if their bytes can differ. The recursion ends at KILN_DEPTH_MAX nested
 * objects, because offsets are not trusted. */
#include "insp_comparing.h"

#include "insp_scene_word.h"

static void break_rule(insp_seen *seen, kiln_status status)
{
    seen->shape = INSP_SHAPE_BROKEN;
    seen->status = status;
}

/* Finds the target of a word in a row. Returns whether it is a value in the scene's data. */
static bool see_word(insp_seen *seen)
{
    const kiln_value *value = &seen->value;
    insp_word word = INSP_WORD_SHOWN;
    kiln_value target;
    kiln_status status;
    if (value->of->kind == KILN_KIND_ENTITY) {
        status = insp_word_entity(seen->words, value->data, &seen->entity);
        seen->shape = INSP_SHAPE_ENTITY;
        if (!status && seen->entity.is_null)
            seen->shape = INSP_SHAPE_NULL;
    } else if (value->of->kind == KILN_KIND_REF) {
        status = insp_word_asset(seen->words, value->data, &target, &word);
    } else {
        status = insp_word_data(seen->words, (uint32_t)kiln_value_offset(value), value->data,
                                &target, &word);
    }
    if (status) {
        break_rule(seen, status);
    } else if (value->of->kind != KILN_KIND_ENTITY && word == INSP_WORD_SHOWN) {
        bool is_data = value->of->kind == KILN_KIND_DATA;
        seen->value = target;
        seen->depth += is_data;
        /* References in the scene's list, and its data, are not in rows. */
        seen->words = NULL;
        return is_data;
    } else if (word == INSP_WORD_NULL) {
        seen->shape = INSP_SHAPE_NULL;
    }
    return false;
}

/* As print_union in insp_print.c. */
static void see_union(insp_seen *seen)
{
    const kiln_member *member = kiln_value_member(&seen->value);
    kiln_value inner;
    uint32_t tag, offset;
    memcpy(&tag, seen->value.data, sizeof tag);
    memcpy(&offset, seen->value.data + 4, sizeof offset);
    seen->count = 1;
    if (tag && !member)
        break_rule(seen, KILN_V_UNION_TAG);
    else if ((offset != 0) != (member && member->type != KILN_TYPE_NONE))
        break_rule(seen, KILN_V_UNION_VALUE);
    else if (!tag)
        seen->shape = INSP_SHAPE_NULL;
    else if (!offset)
        seen->shape = INSP_SHAPE_CHOICE;
    else if (kiln_value_at(&seen->value, 0, &inner) != KILN_OK)
        break_rule(seen, KILN_V_BOUNDS);
    else
        seen->shape = INSP_SHAPE_UNION;
}

static void see_list(insp_seen *seen)
{
    const unsigned char *target;
    uint64_t size;
    kiln_status status = KILN_OK;
    if (seen->value.of->kind != KILN_KIND_FIXED)
        status = kiln_value_target(&seen->value, &target, &size);
    seen->count = kiln_value_count(&seen->value);
    seen->shape = seen->value.of->kind == KILN_KIND_MAP ? INSP_SHAPE_MAP : INSP_SHAPE_LIST;
    if (status)
        break_rule(seen, status);
}

static void see_kind(insp_seen *seen)
{
    const char *text;
    uint32_t length;
    kiln_status status;
    seen->shape = INSP_SHAPE_SCALAR;
    switch (seen->value.of->kind) {
    case KILN_KIND_STRUCT:
        seen->count = seen->value.of->member_count;
        seen->shape = (seen->value.of->flags & KILN_TYPE_TRANSPARENT) && seen->count == 1
                          ? INSP_SHAPE_NEWTYPE
                          : INSP_SHAPE_STRUCT;
        break;
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_FIXED:
        see_list(seen);
        break;
    case KILN_KIND_UNION:
        see_union(seen);
        break;
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
        status = kiln_value_text(&seen->value, &text, &length);
        if (status)
            break_rule(seen, status);
        break;
    case KILN_KIND_ENUM:
        if (!kiln_value_member(&seen->value))
            break_rule(seen, KILN_V_ENUM);
        break;
    case KILN_KIND_BOOL:
        if (kiln_value_uint(&seen->value) > 1)
            break_rule(seen, KILN_V_BOOL);
        break;
    case KILN_KIND_ENTITY:
    case KILN_KIND_DATA:
        if (!seen->words && kiln_value_uint(&seen->value) == 0)
            seen->shape = INSP_SHAPE_NULL;
        break;
    default:
        break;
    }
}

static bool is_word(const insp_seen *seen)
{
    kiln_kind kind = seen->value.of->kind;
    return seen->words &&
           (kind == KILN_KIND_REF || kind == KILN_KIND_ENTITY || kind == KILN_KIND_DATA);
}

static insp_seen see(insp_comparing *c, const kiln_value *value, const insp_words *words,
                     uint32_t depth)
{
    insp_seen seen = {.value = *value, .words = words, .depth = depth, .shape = INSP_SHAPE_SCALAR};
    kiln_value inner;
    while (is_word(&seen))
        if (!see_word(&seen))
            break;
    if (seen.shape == INSP_SHAPE_SCALAR && seen.value.of->kind == KILN_KIND_REF)
        return seen;
    while (seen.shape == INSP_SHAPE_SCALAR && seen.value.of->kind == KILN_KIND_OPTIONAL) {
        if (kiln_value_count(&seen.value) == 0)
            seen.shape = INSP_SHAPE_NULL;
        else if (seen.depth >= KILN_DEPTH_MAX)
            break_rule(&seen, KILN_V_DEPTH);
        else if (kiln_value_at(&seen.value, 0, &inner) != KILN_OK)
            break_rule(&seen, KILN_V_BOUNDS);
        else
            seen.value = inner;
        seen.depth++;
    }
    if (seen.shape == INSP_SHAPE_SCALAR)
        see_kind(&seen);
    c->result->broken += !c->quiet && seen.shape == INSP_SHAPE_BROKEN;
    return seen;
}

insp_seen insp_compare_see(insp_comparing *c, const kiln_value *value, const insp_words *words)
{
    return see(c, value, words, 1);
}

bool insp_compare_child(insp_comparing *c, const insp_seen *from, uint32_t i, insp_seen *ret)
{
    bool is_inline =
        from->value.of->kind == KILN_KIND_STRUCT || from->value.of->kind == KILN_KIND_FIXED;
    kiln_value value;
    if (!is_inline && from->depth >= KILN_DEPTH_MAX)
        return false;
    if (kiln_value_at(&from->value, i, &value) != KILN_OK)
        return false;
    *ret = see(c, &value, from->words, from->depth + !is_inline);
    return true;
}

bool insp_compare_is_same(insp_comparing *c, const insp_seen *before, const insp_seen *after)
{
    bool was_quiet = c->quiet, differed = c->differs, differs;
    c->quiet = true;
    c->differs = false;
    insp_compare_seen(c, before, after);
    differs = c->differs || !insp_compare_goes_on(c);
    c->quiet = was_quiet;
    c->differs = differed;
    return !differs;
}

/* ---- structs ---- */

/* The number of the field with this name; UINT32_MAX if there is none. `i` is a guess. */
static uint32_t find_field(const kiln_type *type, const char *name, uint32_t i)
{
    const kiln_member *member;
    if (i < type->member_count && strcmp(type->members[i].name, name) == 0)
        return i;
    member = kiln_type_member(type, name, strlen(name));
    return member ? (uint32_t)(member - type->members) : UINT32_MAX;
}

static void compare_field(insp_comparing *c, const insp_seen *before, uint32_t i,
                          const insp_seen *after, uint32_t k)
{
    insp_seen old_field, new_field;
    insp_change_step *step;
    bool has_old = i != UINT32_MAX && insp_compare_child(c, before, i, &old_field);
    bool has_new = k != UINT32_MAX && insp_compare_child(c, after, k, &new_field);
    step = insp_compare_push(c, INSP_STEP_FIELD);
    if (!step)
        return;
    step->name = has_old ? before->value.of->members[i].name : after->value.of->members[k].name;
    if (has_old && has_new)
        insp_compare_seen(c, &old_field, &new_field);
    else if (has_old)
        insp_compare_one(c, INSP_OLD, &old_field);
    else if (has_new)
        insp_compare_one(c, INSP_NEW, &new_field);
    insp_compare_pop(c);
}

static void compare_structs(insp_comparing *c, const insp_seen *before, const insp_seen *after)
{
    const kiln_type *from = before->value.of, *to = after->value.of;
    uint32_t i;
    for (i = 0; i < from->member_count && insp_compare_goes_on(c); i++)
        compare_field(c, before, i, after, find_field(to, from->members[i].name, i));
    for (i = 0; i < to->member_count && insp_compare_goes_on(c); i++)
        if (find_field(from, to->members[i].name, i) == UINT32_MAX)
            compare_field(c, before, UINT32_MAX, after, i);
}

/* ---- the others ---- */

static void compare_newtypes(insp_comparing *c, const insp_seen *before, const insp_seen *after)
{
    insp_seen inner[INSP_SIDES] = {*before, *after};
    bool both = before->shape == after->shape;
    insp_change_step *step;
    if (before->shape == INSP_SHAPE_NEWTYPE)
        insp_compare_child(c, before, 0, &inner[INSP_OLD]);
    if (after->shape == INSP_SHAPE_NEWTYPE)
        insp_compare_child(c, after, 0, &inner[INSP_NEW]);
    if (!both) {
        if (!insp_compare_is_same(c, &inner[INSP_OLD], &inner[INSP_NEW]))
            insp_compare_set(c, before, after);
        return;
    }
    step = insp_compare_push(c, INSP_STEP_NEWTYPE);
    if (!step)
        return;
    step->name = before->value.of->members[0].name;
    insp_compare_seen(c, &inner[INSP_OLD], &inner[INSP_NEW]);
    insp_compare_pop(c);
}

static void compare_unions(insp_comparing *c, const insp_seen *before, const insp_seen *after)
{
    const char *name = kiln_value_member(&before->value)->name;
    insp_seen inner[INSP_SIDES];
    insp_change_step *step;
    bool has_value[INSP_SIDES] = {
        before->shape == INSP_SHAPE_UNION && insp_compare_child(c, before, 0, &inner[INSP_OLD]),
        after->shape == INSP_SHAPE_UNION && insp_compare_child(c, after, 0, &inner[INSP_NEW])};
    if (strcmp(name, kiln_value_member(&after->value)->name) != 0) {
        insp_compare_set(c, before, after);
    } else if (has_value[INSP_OLD] && has_value[INSP_NEW]) {
        step = insp_compare_push(c, INSP_STEP_FIELD);
        if (!step)
            return;
        step->name = name;
        insp_compare_seen(c, &inner[INSP_OLD], &inner[INSP_NEW]);
        insp_compare_pop(c);
    } else if ((has_value[INSP_OLD] && inner[INSP_OLD].shape != INSP_SHAPE_NULL) ||
               (has_value[INSP_NEW] && inner[INSP_NEW].shape != INSP_SHAPE_NULL)) {
        /* An alternative without a value is shown like one whose value is null. */
        insp_compare_set(c, before, after);
    }
}

static bool is_union(const insp_seen *seen)
{
    return seen->shape == INSP_SHAPE_UNION || seen->shape == INSP_SHAPE_CHOICE;
}

/* Whether a value is shown as `{}`. */
static bool is_empty_object(const insp_seen *seen)
{
    return (seen->shape == INSP_SHAPE_STRUCT || seen->shape == INSP_SHAPE_MAP) && !seen->count;
}

void insp_compare_seen(insp_comparing *c, const insp_seen *before, const insp_seen *after)
{
    if (!insp_compare_spend(c, 1))
        return;
    if (before->shape == INSP_SHAPE_NEWTYPE || after->shape == INSP_SHAPE_NEWTYPE)
        compare_newtypes(c, before, after);
    else if (is_union(before) && is_union(after))
        compare_unions(c, before, after);
    else if (before->shape != after->shape && is_empty_object(before) && is_empty_object(after))
        return;
    else if (before->shape != after->shape)
        insp_compare_set(c, before, after);
    else if (before->shape == INSP_SHAPE_STRUCT)
        compare_structs(c, before, after);
    else if (before->shape == INSP_SHAPE_LIST)
        insp_compare_lists(c, before, after);
    else if (before->shape == INSP_SHAPE_MAP)
        insp_compare_maps(c, before, after);
    else if (!insp_compare_leaf_is_same(c, before, after))
        insp_compare_set(c, before, after);
}

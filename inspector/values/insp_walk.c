/* Each visit takes a step, and so do a few members of a struct and a few bytes of a string, because
 * callbacks compare them. A step is charged before the visit, so a hostile file cannot cause more
 * work than `left` allows. */
#include "insp_walk.h"

enum { MEMBER_UNIT = 4, TEXT_UNIT = 64 };

static void walk_parts(insp_walk *walk, const insp_step *step, const kiln_value *value);

static bool spend(insp_walk *walk, uint64_t amount)
{
    if (amount > walk->left)
        walk->stopped = true;
    if (walk->stopped)
        return false;
    walk->left -= amount;
    return true;
}

static uint64_t cost_of(const kiln_value *value)
{
    const char *text;
    uint32_t length;
    if (value->of->kind == KILN_KIND_STRUCT)
        return 1 + value->of->member_count / MEMBER_UNIT;
    if (value->of->kind == KILN_KIND_STRING && kiln_value_text(value, &text, &length) == KILN_OK)
        return 1 + length / TEXT_UNIT;
    return 1;
}

static void visit(insp_walk *walk, const insp_step *step, const kiln_value *value)
{
    if (walk->inside && !walk->inside[value->type])
        return;
    if (spend(walk, cost_of(value)) && walk->visit(walk, step, value, false) && !walk->stopped)
        walk_parts(walk, step, value);
}

/* Enters the target of a relative field. Returns false if it is empty or must not be followed. */
static bool enter(insp_walk *walk, const kiln_value *value)
{
    const unsigned char *target;
    uint64_t size;
    kiln_status status = kiln_value_target(value, &target, &size);
    if (!status && !target)
        return false;
    if (status || walk->depth >= KILN_DEPTH_MAX) {
        walk->broken++;
        return false;
    }
    walk->depth++;
    return true;
}

static void walk_fields(insp_walk *walk, const insp_step *step, const kiln_value *value)
{
    uint32_t i;
    for (i = 0; i < value->of->member_count && !walk->stopped; i++) {
        insp_step next = {.up = step, .member = &value->of->members[i]};
        bool is_newtype = value->of->flags & KILN_TYPE_TRANSPARENT;
        kiln_value field = *value;
        field.type = next.member->type;
        field.of = kiln_types_get(value->types, field.type);
        field.data += next.member->offset;
        visit(walk, is_newtype ? step : &next, &field);
    }
}

static void walk_entries(insp_walk *walk, const insp_step *step, const kiln_value *map)
{
    uint32_t count = kiln_value_count(map), i;
    for (i = 0; i < count && !walk->stopped; i++) {
        kiln_value key, value;
        insp_step next = {.up = step, .key = &key, .number = i};
        if (kiln_value_key(map, i, &key) != KILN_OK || kiln_value_at(map, i, &value) != KILN_OK) {
            walk->broken++;
            return;
        }
        if (!spend(walk, cost_of(&key)))
            return;
        if (!walk->inside || walk->inside[key.type])
            walk->visit(walk, &next, &key, true);
        if (!walk->stopped)
            visit(walk, &next, &value);
    }
}

/* Visits the children that need no key and no name: elements, or the value of an optional. */
static void walk_children(insp_walk *walk, const insp_step *step, const kiln_value *value)
{
    uint32_t count = kiln_value_count(value), i;
    bool is_list = value->of->kind != KILN_KIND_OPTIONAL;
    for (i = 0; i < count && !walk->stopped; i++) {
        insp_step next = {.up = step, .number = i};
        kiln_value child;
        if (kiln_value_at(value, i, &child) != KILN_OK) {
            walk->broken++;
            return;
        }
        visit(walk, is_list ? &next : step, &child);
    }
}

static void walk_choice(insp_walk *walk, const insp_step *step, const kiln_value *value)
{
    insp_step next = {.up = step, .member = kiln_value_member(value)};
    kiln_value inner;
    if (next.member && kiln_value_at(value, 0, &inner) == KILN_OK)
        visit(walk, &next, &inner);
}

static void walk_parts(insp_walk *walk, const insp_step *step, const kiln_value *value)
{
    switch (value->of->kind) {
    case KILN_KIND_STRUCT:
        walk_fields(walk, step, value);
        return;
    case KILN_KIND_FIXED:
        walk_children(walk, step, value);
        return;
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_UNION:
        break;
    default:
        return;
    }
    if (!enter(walk, value))
        return;
    if (value->of->kind == KILN_KIND_MAP)
        walk_entries(walk, step, value);
    else if (value->of->kind == KILN_KIND_UNION)
        walk_choice(walk, step, value);
    else
        walk_children(walk, step, value);
    walk->depth--;
}

void insp_walk_value(insp_walk *walk, const kiln_value *root)
{
    walk->depth = 1;
    if (!walk->stopped)
        visit(walk, NULL, root);
}

/* The recursion is as deep as the walk itself. */
void insp_walk_add_path(insp_path *path, const insp_file *file, const insp_step *step)
{
    if (!step)
        return;
    insp_walk_add_path(path, file, step->up);
    if (step->member)
        insp_path_add_name(path, step->member->name, strlen(step->member->name));
    else if (step->key)
        insp_path_add_key(path, file, step->key);
    else
        insp_path_add_number(path, step->number);
}

bool insp_walk_unwrap(kiln_value *value)
{
    while ((value->of->kind == KILN_KIND_OPTIONAL && kiln_value_count(value)) ||
           (value->of->kind == KILN_KIND_STRUCT && value->of->flags & KILN_TYPE_TRANSPARENT)) {
        kiln_value inner;
        if (kiln_value_at(value, 0, &inner) != KILN_OK)
            return false;
        *value = inner;
    }
    return true;
}

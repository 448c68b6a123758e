/* Turns the trail of a failed collection into a path.
 *
 * A trail contains only the byte offsets of fields in their objects, which cost nothing to record.
 * Here the types are used to find the members, elements and entries at these offsets. */
#include "object_trail.h"

#include <string.h>

/* The field of `type` that contains byte `at` of the struct. */
static const kiln_member *member_around(const kiln_type *type, uint32_t at)
{
    uint32_t i = type->member_count - 1;
    while (i > 0 && type->members[i].offset > at)
        i--;
    return &type->members[i];
}

/* Adds the steps from a value of type `number` to the relative field `at` bytes into it, and
 * returns the field's type. */
static const kiln_type *add_inline_steps(const graph *g, uint32_t number, uint32_t at,
                                         kiln_path *path)
{
    for (;;) {
        const kiln_type *type = type_at(g->types, number);
        if (type->kind == KILN_KIND_STRUCT) {
            const kiln_member *member = member_around(type, at);
            if (!(type->flags & KILN_TYPE_TRANSPARENT))
                kiln_path_add_name(path, member->name, strlen(member->name));
            at -= member->offset;
            number = member->type;
        } else if (type->kind == KILN_KIND_FIXED) {
            uint32_t stride = type->size / type->count;
            kiln_path_add_number(path, at / stride);
            at %= stride;
            number = type->element;
        } else {
            return type;
        }
    }
}

void kiln_graph_trail_path(const graph *g, uint32_t type, kiln_path *path)
{
    /* The type of the field that points to the current object; NULL for the root and for values of
     * unions, whose type is `type`. */
    const kiln_type *of = NULL;
    for (uint32_t i = g->trail_count; i-- > 0;) {
        const graph_step *step = &g->trail[i];
        uint32_t at = step->from;
        if (of && of->kind == KILN_KIND_MAP) {
            kiln_path_add_number(path, at / of->entry_size);
            at %= of->entry_size;
            bool is_key = at < of->value_offset;
            type = is_key ? of->key : of->element;
            at -= is_key ? 0 : of->value_offset;
        } else if (of) {
            type = of->element;
            uint32_t stride = type_at(g->types, type)->size;
            if (of->kind == KILN_KIND_ARRAY)
                kiln_path_add_number(path, at / stride);
            at %= stride;
        }
        of = add_inline_steps(g, type, at, path);
        if (step->choice) {
            const kiln_member *choice = &of->members[step->choice - 1];
            kiln_path_add_name(path, choice->name, strlen(choice->name));
            type = choice->type;
            of = NULL;
        }
    }
}

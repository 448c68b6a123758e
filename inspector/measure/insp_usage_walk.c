/* Visits each object of a payload once, depth first.
 *
 * Whether an object is shared is known only after the whole payload has been visited. So objects
 * are first counted as not shared. If any is reached again, the payload is visited a second time in
 * the same order, and the counts of the objects that were are moved.
 *
 * Structs in objects are only counted by type. insp_usage_walk_end multiplies these counts with the
 * sizes of the fields. */
#include "insp_usage_walk.h"

#include "insp_memory.h"

#include <kiln/limits.h>
#include <kiln/value.h>
#include <string.h>

kiln_status insp_usage_walk_init(insp_usage_walk *walk, const kiln_types *types)
{
    uint32_t i, count = kiln_types_count(types);
    *walk = (insp_usage_walk){.types = types};
    walk->first = insp_alloc_array(count, sizeof *walk->first);
    walk->values[0] = insp_alloc_array(count, sizeof *walk->values[0]);
    walk->values[1] = insp_alloc_array(count, sizeof *walk->values[1]);
    if (!walk->first || !walk->values[0] || !walk->values[1])
        return KILN_NO_MEMORY;
    for (i = 0; i < count; i++) {
        walk->first[i] = walk->field_count;
        walk->field_count += kiln_types_get(types, i)->member_count;
    }
    walk->fields = insp_alloc_array(walk->field_count, sizeof *walk->fields);
    return walk->fields ? KILN_OK : KILN_NO_MEMORY;
}

void insp_usage_walk_fini(insp_usage_walk *walk)
{
    insp_free(walk->first);
    insp_free(walk->fields);
    insp_free(walk->values[0]);
    insp_free(walk->values[1]);
    insp_free(walk->seen);
    *walk = (insp_usage_walk){0};
}

/* ---- one payload ---- */

typedef struct visit {
    insp_usage_walk *walk;
    unsigned char *seen, *again; /* bits by the offset of an object */
    uint64_t size;               /* of the payload */
    uint64_t reached;            /* bytes of all objects that were visited */
    bool is_shared;              /* the whole payload */
    bool is_second;
    bool has_repeats;
} visit;

/* Values of `type`, of `size` bytes together. */
typedef struct object {
    const kiln_type *of; /* the array, map, string and so on */
    uint32_t type;       /* of the values, or of those of map entries */
    uint64_t count, size;
} object;

static bool has_bit(const unsigned char *bits, uint64_t at)
{
    return bits[at >> 3] >> (at & 7) & 1;
}

static void set_bit(unsigned char *bits, uint64_t at)
{
    bits[at >> 3] |= (unsigned char)(1u << (at & 7));
}

/* The struct that a value consists of, and how many of it; KILN_TYPE_NONE if it is none. */
static uint32_t struct_in(const kiln_types *types, uint32_t type, uint64_t *ret_count)
{
    const kiln_type *of = kiln_types_get(types, type);
    *ret_count = 1;
    for (; of && of->kind == KILN_KIND_FIXED; of = kiln_types_get(types, type)) {
        *ret_count *= of->count;
        type = of->element;
    }
    return of && of->kind == KILN_KIND_STRUCT ? type : KILN_TYPE_NONE;
}

/* Adds an object to the counts, or if `is_moved`, moves it from those of unshared objects. */
static void count_object(visit *v, const object *o, insp_field_usage *owner, bool is_shared,
                         bool is_moved)
{
    insp_usage_walk *walk = v->walk;
    insp_usage_sums *sums = &walk->sums;
    uint64_t each, rest = o->size, sign = is_moved ? UINT64_MAX : 1;
    uint32_t type = o->of && o->of->kind == KILN_KIND_STRING
                        ? KILN_TYPE_NONE
                        : struct_in(walk->types, o->type, &each);
    if (is_moved)
        count_object(v, o, owner, true, false);
    if (type != KILN_TYPE_NONE) {
        walk->values[is_shared && !is_moved][type] += sign * each * o->count;
        rest -= each * o->count * kiln_types_get(walk->types, type)->size;
    }
    if (is_shared && !is_moved) {
        owner->shared += rest;
        sums->shared += o->size;
        return;
    }
    owner->own += sign * rest;
    if (o->of && o->of->kind == KILN_KIND_STRING)
        sums->strings += sign * o->size;
    else
        sums->values += sign * o->size;
}

static uint64_t visit_value(visit *v, const kiln_value *value, insp_field_usage *owner,
                            uint32_t depth);

/* Describes the target of a relative field. Returns false if it has none. */
static bool describe_target(const kiln_value *field, object *o, kiln_value *ret_first)
{
    const kiln_member *member;
    const unsigned char *target;
    *o = (object){.of = field->of, .type = field->of->element, .count = 1};
    if (kiln_value_target(field, &target, &o->size) != KILN_OK || !target || !o->size)
        return false;
    if (field->of->kind == KILN_KIND_UNION) {
        member = kiln_value_member(field);
        if (!member || member->type == KILN_TYPE_NONE)
            return false;
        o->type = member->type;
    } else if (field->of->kind == KILN_KIND_STRING || field->of->kind == KILN_KIND_BYTES) {
        o->type = KILN_TYPE_NONE;
    } else if (field->of->kind != KILN_KIND_OPTIONAL) {
        o->count = kiln_value_count(field);
    }
    *ret_first = *field;
    ret_first->type = o->type;
    ret_first->of = o->type == KILN_TYPE_NONE ? NULL : kiln_types_get(field->types, o->type);
    ret_first->data = target;
    return true;
}

/* Visits the values of an object. Returns the bytes of the objects that they refer to. */
static uint64_t visit_values(visit *v, const object *o, kiln_value first, insp_field_usage *owner,
                             uint32_t depth)
{
    bool is_map = o->of && o->of->kind == KILN_KIND_MAP;
    const kiln_type *of = first.of;
    kiln_value key = first;
    uint64_t i, bytes = 0, stride;
    if (!of || !o->count)
        return 0;
    stride = o->size / o->count;
    if (is_map) {
        key.type = o->of->key;
        key.of = kiln_types_get(first.types, key.type);
        first.data += o->of->value_offset;
        if (!key.of->has_pointers)
            is_map = false;
    }
    if (!is_map && !of->has_pointers)
        return 0;
    for (i = 0; i < o->count; i++, first.data += stride, key.data += stride) {
        if (is_map)
            bytes += visit_value(v, &key, owner, depth);
        bytes += visit_value(v, &first, owner, depth);
    }
    return bytes;
}

/* Returns the bytes of the target and of all objects that it refers to, without those that were
 * visited before. */
static uint64_t visit_target(visit *v, const kiln_value *field, insp_field_usage *owner,
                             uint32_t depth)
{
    object o;
    kiln_value first;
    uint64_t at;
    if (depth >= KILN_DEPTH_MAX || !describe_target(field, &o, &first))
        return 0;
    at = (uint64_t)(first.data - first.begin);
    if (has_bit(v->seen, at)) {
        if (!v->is_second) {
            set_bit(v->again, at);
            v->has_repeats = true;
            v->walk->sums.saved += o.size;
            v->walk->sums.repeats++;
        }
        return 0;
    }
    /* In a valid payload, objects do not overlap. */
    if (o.size > v->size - v->reached)
        return 0;
    set_bit(v->seen, at);
    v->reached += o.size;
    if (!v->is_second)
        count_object(v, &o, owner, v->is_shared, false);
    else if (has_bit(v->again, at))
        count_object(v, &o, owner, false, true);
    return o.size + visit_values(v, &o, first, owner, depth + 1);
}

static uint64_t visit_struct(visit *v, const kiln_value *value, uint32_t depth)
{
    insp_field_usage *fields = &v->walk->fields[v->walk->first[value->type]];
    uint64_t bytes = 0, more;
    uint32_t i;
    kiln_value inner;
    for (i = 0; i < value->of->member_count; i++) {
        const kiln_type *of = kiln_types_get(value->types, value->of->members[i].type);
        bool opens = !fields[i].is_open && !v->is_second;
        if (!of->has_pointers || kiln_value_at(value, i, &inner) != KILN_OK)
            continue;
        if (opens)
            fields[i].is_open = true;
        more = visit_value(v, &inner, &fields[i], depth);
        if (opens) {
            fields[i].is_open = false;
            fields[i].total += of->size + more;
        }
        bytes += more;
    }
    return bytes;
}

/* Visits the objects that a value refers to. `owner` is the field that contains it. */
static uint64_t visit_value(visit *v, const kiln_value *value, insp_field_usage *owner,
                            uint32_t depth)
{
    uint64_t bytes = 0;
    uint32_t i;
    kiln_value inner;
    if (!value->of->has_pointers)
        return 0;
    if (value->of->kind == KILN_KIND_STRUCT)
        return visit_struct(v, value, depth);
    if (value->of->kind != KILN_KIND_FIXED)
        return visit_target(v, value, owner, depth);
    for (i = 0; i < value->of->count; i++)
        if (kiln_value_at(value, i, &inner) == KILN_OK)
            bytes += visit_value(v, &inner, owner, depth);
    return bytes;
}

static void visit_root(visit *v, const kiln_value *root)
{
    insp_field_usage none = {0}; /* the root is not in a field */
    object o = {.type = root->type, .count = 1, .size = root->of->size};
    set_bit(v->seen, 0);
    v->reached = o.size;
    if (!v->is_second)
        count_object(v, &o, &none, v->is_shared, false);
    visit_value(v, root, &none, 1);
}

kiln_status insp_usage_walk_add(insp_usage_walk *walk, uint32_t type, const unsigned char *payload,
                                uint64_t size, bool is_shared)
{
    size_t bytes = (size_t)(size / 8 + 1);
    unsigned char *grown;
    kiln_value root;
    visit v = {.walk = walk, .size = size, .is_shared = is_shared};
    if (kiln_value_root(walk->types, type, payload, (size_t)size, &root) != KILN_OK) {
        walk->sums.padding += size;
        return KILN_OK;
    }
    grown = insp_grow(walk->seen, &walk->seen_capacity, 2 * bytes, 1);
    if (!grown)
        return KILN_NO_MEMORY;
    walk->seen = grown;
    memset(walk->seen, 0, 2 * bytes);
    v.seen = walk->seen;
    v.again = walk->seen + bytes;
    visit_root(&v, &root);
    walk->sums.padding += size - v.reached;
    if (v.has_repeats && !is_shared) {
        memset(v.seen, 0, bytes);
        v.is_second = true;
        visit_root(&v, &root);
    }
    return KILN_OK;
}

/* ---- fields ---- */

/* Lists a struct after all structs that its fields contain by value. Such structs are nested to a
 * fixed depth (T6). */
static void list_struct(const insp_usage_walk *walk, uint32_t type, unsigned char *listed,
                        uint32_t *order, uint32_t *count)
{
    const kiln_type *of = kiln_types_get(walk->types, type);
    uint64_t each;
    uint32_t i;
    if (listed[type])
        return;
    listed[type] = 1;
    for (i = 0; i < of->member_count; i++) {
        uint32_t inner = struct_in(walk->types, of->members[i].type, &each);
        if (inner != KILN_TYPE_NONE)
            list_struct(walk, inner, listed, order, count);
    }
    order[(*count)++] = type;
}

/* Adds the bytes of the structs of a type to its fields, and to the types of inner structs. */
static void add_structs(insp_usage_walk *walk, uint32_t type, bool is_shared)
{
    const kiln_type *of = kiln_types_get(walk->types, type);
    insp_field_usage *fields = &walk->fields[walk->first[type]];
    uint64_t each, number = walk->values[is_shared][type], padding = of->size;
    uint32_t i;
    for (i = 0; i < of->member_count; i++) {
        const kiln_type *field = kiln_types_get(walk->types, of->members[i].type);
        uint32_t inner = struct_in(walk->types, of->members[i].type, &each);
        padding -= field->size;
        if (!field->has_pointers)
            fields[i].total += number * field->size;
        if (inner != KILN_TYPE_NONE)
            walk->values[is_shared][inner] += number * each;
        else if (is_shared)
            fields[i].shared += number * field->size;
        else
            fields[i].own += number * field->size;
    }
    *(is_shared ? &walk->sums.shared : &walk->sums.values) -= number * padding;
    walk->sums.padding += number * padding;
}

kiln_status insp_usage_walk_end(insp_usage_walk *walk)
{
    uint32_t i, listed = 0, count = kiln_types_count(walk->types);
    unsigned char *is_listed = insp_alloc_array(count, 1);
    uint32_t *order = insp_alloc_array(count, sizeof *order);
    kiln_status status = is_listed && order ? KILN_OK : KILN_NO_MEMORY;
    for (i = 0; i < count && !status; i++)
        if (kiln_types_get(walk->types, i)->kind == KILN_KIND_STRUCT)
            list_struct(walk, i, is_listed, order, &listed);
    while (listed-- > 0 && !status) {
        add_structs(walk, order[listed], false);
        add_structs(walk, order[listed], true);
    }
    insp_free(is_listed);
    insp_free(order);
    return status;
}

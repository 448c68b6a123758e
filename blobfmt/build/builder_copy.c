/* Copies a value into a builder, together with all objects that it refers to.
 *
 * Objects that several fields share are copied once: `copies` finds the copy by the address, type
 * and count of the original. Without it, a small payload with shared objects could expand to
 * exponential size. The source must be valid, because offsets are followed unchecked. Work is
 * linear in the objects copied; recursion depth is limited to KILN_DEPTH_MAX. */
#include <kiln/builder.h>

#include "builder_state.h"
#include "hash.h"
#include "type_list.h"

#include <string.h>

/* `depth` is the number of objects on the path from the root to the value. */
typedef struct copy_state {
    kiln_builder *builder;
    uint32_t depth;
} copy_state;

static void copy_value(copy_state c, uint32_t number, const unsigned char *from, unsigned char *to);

static uint32_t hash_of_copied(const hash_table *table, const copied_object *object)
{
    uint64_t key[2] = {(uint64_t)(uintptr_t)object->from,
                       (uint64_t)object->type << 32 | object->count};
    return (uint32_t)kiln_hash64(key, sizeof key, table->seed);
}

static bool is_copied(const kiln_builder *builder, uint32_t number, const copied_object *object)
{
    const copied_object *same = series_at(&builder->copied, number, sizeof *same);
    return same->from == object->from && same->type == object->type && same->count == object->count;
}

HASH_TABLE(copies, const kiln_builder *, const copied_object *, hash_of_copied, is_copied)

/* If the object has been copied, makes the field point to the copy and returns true. Otherwise
 * registers the field as one that points to the copy, and returns false: the caller must make the
 * copy. Also returns false after a failure, when the builder's functions do nothing. */
static bool share_copy(const copy_state *c, const copied_object *object)
{
    kiln_builder *b = c->builder;
    if (b->status)
        return false;
    if (c->depth >= KILN_DEPTH_MAX) {
        kiln_builder_set_error(b, KILN_V_DEPTH);
        return false;
    }
    if (!hash_table_reserve(&b->copies, &b->allocator)) {
        kiln_builder_set_error(b, KILN_NO_MEMORY);
        return false;
    }
    hash_slot *slot = copies_slot(&b->copies, b, object);
    if (!hash_slot_is_empty(slot)) {
        const copied_object *same = series_at(&b->copied, hash_slot_number(slot), sizeof *same);
        kiln_builder_share(b, object->field, same->field);
        return true;
    }
    copied_object *made = series_push(&b->copied, &b->allocator, sizeof *made);
    if (!made) {
        kiln_builder_set_error(b, KILN_NO_MEMORY);
        return false;
    }
    *made = *object;
    hash_table_put(&b->copies, slot, b->copied.count - 1);
    return false;
}

/* Copies the value of an optional or of a union's alternative. */
static void copy_pointer(copy_state c, uint32_t number, const unsigned char *from,
                         unsigned char *to)
{
    const kiln_type *type = type_at(c.builder->types, number);
    uint32_t offset = graph_read_u32(from);
    copied_object object = {from + offset, number, 1, to};
    if (offset == 0 || share_copy(&c, &object))
        return;
    unsigned char *made = kiln_builder_pointer(c.builder, to, type->size, type->align);
    c.depth++;
    if (made)
        copy_value(c, number, object.from, made);
}

static void copy_union(copy_state c, const kiln_type *type, const unsigned char *from,
                       unsigned char *to)
{
    uint32_t tag = graph_read_u32(from);
    const kiln_member *member = tag ? kiln_type_value(type, tag) : NULL;
    memcpy(to, from, sizeof tag);
    if (member && member->type != KILN_TYPE_NONE)
        copy_pointer(c, member->type, from + offsetof(kiln_union, value),
                     to + offsetof(kiln_union, value));
}

/* Plain values are copied with one memcpy: every bit pattern is valid, and no byte is padding. */
static void copy_values(copy_state c, uint32_t number, uint32_t count, const unsigned char *from,
                        unsigned char *to)
{
    const kiln_type *type = type_at(c.builder->types, number);
    if (type->plain) {
        memcpy(to, from, (size_t)type->size * count);
        return;
    }
    for (uint32_t i = 0; i < count; i++, from += type->size, to += type->size)
        copy_value(c, number, from, to);
}

static void copy_entries(copy_state c, const kiln_type *map, uint32_t count,
                         const unsigned char *from, unsigned char *to)
{
    for (uint32_t i = 0; i < count; i++, from += map->entry_size, to += map->entry_size) {
        copy_value(c, map->key, from, to);
        copy_value(c, map->element, from + map->value_offset, to + map->value_offset);
    }
}

/* Copies a string, bytes, array or map. */
static void copy_counted(copy_state c, uint32_t number, const unsigned char *from,
                         unsigned char *to)
{
    const kiln_type *type = type_at(c.builder->types, number);
    uint32_t offset = graph_read_u32(from), count = graph_read_u32(from + 4);
    copied_object object = {from + offset, number, count, to};
    if (count == 0 || share_copy(&c, &object))
        return;
    c.depth++;
    if (type->kind == KILN_KIND_STRING) {
        kiln_builder_string(c.builder, (kiln_string *)(void *)to, (const char *)object.from, count);
    } else if (type->kind == KILN_KIND_BYTES) {
        kiln_builder_bytes(c.builder, to, object.from, count, type->target_align);
    } else {
        bool is_map = type->kind == KILN_KIND_MAP;
        uint32_t size = is_map ? type->entry_size : type_at(c.builder->types, type->element)->size;
        unsigned char *made = kiln_builder_array(c.builder, to, count, size, type->target_align);
        if (made && is_map)
            copy_entries(c, type, count, object.from, made);
        else if (made)
            copy_values(c, type->element, count, object.from, made);
    }
}

static void copy_value(copy_state c, uint32_t number, const unsigned char *from, unsigned char *to)
{
    const kiln_type *type = type_at(c.builder->types, number);
    switch (type->kind) {
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
        copy_counted(c, number, from, to);
        break;
    case KILN_KIND_OPTIONAL:
        copy_pointer(c, type->element, from, to);
        break;
    case KILN_KIND_UNION:
        copy_union(c, type, from, to);
        break;
    case KILN_KIND_STRUCT:
        for (uint32_t i = 0; i < type->member_count; i++)
            copy_value(c, type->members[i].type, from + type->members[i].offset,
                       to + type->members[i].offset);
        break;
    case KILN_KIND_FIXED:
        copy_values(c, type->element, type->count, from, to);
        break;
    default:
        memcpy(to, from, type->size);
    }
}

bool kiln_builder_copy(kiln_builder *builder, uint32_t type, const void *from, void *to)
{
    copy_state c = {builder, 1};
    if (!builder->status && !kiln_types_get(builder->types, type))
        kiln_builder_set_error(builder, KILN_BAD_ARGUMENT);
    if (!builder->status)
        copy_value(c, type, from, to);
    return !builder->status;
}

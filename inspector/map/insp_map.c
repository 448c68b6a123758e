/* Builds the map of a file breadth first from the roots of all blobs.
 *
 * `objects` is both the result and the queue: the loop in insp_map_init visits the objects in
 * order, and each visit appends new targets. `by_place` finds an object by its offset, so each
 * object is added once, with the type and path of the field that reached it first. In a valid blob,
 * the objects have at most as many bytes as the payload. If they have more, objects overlap (V17),
 * and no further objects are added. */
#include "insp_map.h"

#include "insp_memory.h"
#include "insp_payload.h"

#include <kiln/index.h>
#include <stdlib.h>
#include <string.h>

static bool begins_at(const insp_map *map, uint32_t number, uint64_t at)
{
    return map->objects[number].at == at;
}
HASH_TABLE(objects_by_place, const insp_map *, uint64_t, hash_of_number, begins_at)

static kiln_status add_object(insp_map *map, const insp_object *object)
{
    insp_blob *blob = &map->blobs[object->blob];
    insp_object *grown;
    hash_slot *slot;
    if (!hash_table_reserve(&map->by_place, insp_allocator()))
        return KILN_NO_MEMORY;
    slot = objects_by_place_slot(&map->by_place, map, object->at);
    if (!hash_slot_is_empty(slot)) {
        map->objects[hash_slot_number(slot)].references++;
        return KILN_OK;
    }
    /* Without this limit, a file of n bytes could describe O(n^2) bytes of overlapping objects. */
    if (object->kind != INSP_OBJECT_HEADER && object->size > blob->payload_size - blob->gathered) {
        map->overlapping = true;
        return KILN_OK;
    }
    if (map->object_count >= INSP_MAP_NONE)
        return KILN_NO_MEMORY;
    grown =
        insp_grow(map->objects, &map->object_capacity, map->object_count + 1, sizeof *map->objects);
    if (!grown)
        return KILN_NO_MEMORY;
    map->objects = grown;
    if (object->kind != INSP_OBJECT_HEADER)
        blob->gathered += object->size;
    hash_table_put(&map->by_place, slot, (uint32_t)map->object_count);
    map->objects[map->object_count++] = *object;
    return KILN_OK;
}

/* Describes the target of a relative field: kind, type and count of the object. */
static bool describe_target(const kiln_value *field, insp_object *object)
{
    const kiln_member *member;
    object->count = 1;
    switch (field->of->kind) {
    case KILN_KIND_STRING:
        object->kind = INSP_OBJECT_TEXT;
        return true;
    case KILN_KIND_BYTES:
        object->kind = INSP_OBJECT_BYTES;
        return true;
    case KILN_KIND_MAP:
        object->kind = INSP_OBJECT_ENTRIES;
        object->type = field->type;
        object->count = kiln_value_count(field);
        return true;
    case KILN_KIND_ARRAY:
        object->is_list = true;
        object->count = kiln_value_count(field);
        object->type = field->of->element;
        break;
    case KILN_KIND_OPTIONAL:
        object->type = field->of->element;
        break;
    case KILN_KIND_UNION:
        member = kiln_value_member(field);
        if (!member || member->type == KILN_TYPE_NONE)
            return false;
        object->type = member->type;
        break;
    default:
        return false;
    }
    object->kind = INSP_OBJECT_VALUES;
    return true;
}

static kiln_status follow_field(void *ctx, uint32_t parent, const kiln_value *field)
{
    insp_map *map = ctx;
    const insp_object *from = &map->objects[parent]; /* valid until add_object */
    insp_object object = {
        .blob = from->blob, .parent = parent, .depth = from->depth + 1, .references = 1};
    const unsigned char *target;
    uint64_t size;
    if (kiln_value_target(field, &target, &size) != KILN_OK || !target || !size ||
        object.depth > KILN_DEPTH_MAX)
        return KILN_OK;
    object.at = (uint64_t)(target - map->data);
    object.size = size;
    object.field_at = (uint64_t)(field->data - map->data);
    return describe_target(field, &object) ? add_object(map, &object) : KILN_OK;
}

/* Visits every relative field that is stored inside a value. */
static kiln_status visit_fields(uint32_t parent, const kiln_value *value, insp_map_visit *visit,
                                void *ctx)
{
    bool is_row = value->of->kind == KILN_KIND_STRUCT || value->of->kind == KILN_KIND_FIXED;
    uint32_t i, count = is_row ? kiln_value_count(value) : 0;
    kiln_value inner;
    kiln_status status = KILN_OK;
    if (!value->of->has_pointers)
        return KILN_OK;
    if (!is_row)
        return visit(ctx, parent, value);
    for (i = 0; i < count && !status; i++)
        if (kiln_value_at(value, i, &inner) == KILN_OK)
            status = visit_fields(parent, &inner, visit, ctx);
    return status;
}

static kiln_value value_at(const insp_map *map, const insp_object *object, uint32_t type,
                           uint64_t at)
{
    const insp_blob *blob = &map->blobs[object->blob];
    const unsigned char *begin = map->data + blob->payload_at;
    kiln_value value = {blob->types, kiln_types_get(blob->types, type), type, map->data + at,
                        begin,       begin + blob->payload_size};
    return value;
}

uint64_t insp_map_stride(const insp_map *map, const insp_object *object)
{
    const kiln_type *of = kiln_types_get(map->blobs[object->blob].types, object->type);
    return object->kind == INSP_OBJECT_ENTRIES ? of->entry_size : of->size;
}

kiln_value insp_map_value(const insp_map *map, const insp_object *object, uint32_t i)
{
    const kiln_type *of = kiln_types_get(map->blobs[object->blob].types, object->type);
    uint64_t at = object->at + insp_map_stride(map, object) * i;
    if (object->kind == INSP_OBJECT_ENTRIES)
        return value_at(map, object, of->element, at + of->value_offset);
    return value_at(map, object, object->type, at);
}

kiln_value insp_map_key(const insp_map *map, const insp_object *object, uint32_t i)
{
    const kiln_type *of = kiln_types_get(map->blobs[object->blob].types, object->type);
    return value_at(map, object, of->key, object->at + insp_map_stride(map, object) * i);
}

kiln_status insp_map_fields(const insp_map *map, uint32_t number, insp_map_visit *visit, void *ctx)
{
    const insp_object object = map->objects[number]; /* a copy: `visit` can move the list */
    uint32_t i;
    kiln_status status = KILN_OK;
    bool entries = object.kind == INSP_OBJECT_ENTRIES;
    if ((object.kind != INSP_OBJECT_VALUES && !entries) || !insp_map_stride(map, &object))
        return KILN_OK;
    if (!entries && !kiln_types_get(map->blobs[object.blob].types, object.type)->has_pointers)
        return KILN_OK;
    for (i = 0; i < object.count && !status; i++) {
        kiln_value value = insp_map_value(map, &object, i);
        if (entries) {
            kiln_value key = insp_map_key(map, &object, i);
            status = visit_fields(number, &key, visit, ctx);
        }
        if (!status)
            status = visit_fields(number, &value, visit, ctx);
    }
    return status;
}

/* Adds the header and the root of a blob. `types` may be NULL and `type` INSP_MAP_NONE. A payload
 * too short for its root is shown as raw bytes, like one of unknown type. */
static kiln_status add_blob(insp_map *map, insp_blob *blob)
{
    insp_blob *grown =
        insp_grow(map->blobs, &map->blob_capacity, map->blob_count + 1, sizeof *map->blobs);
    insp_object header = {.at = blob->at,
                          .size = KILN_HEADER_SIZE,
                          .kind = INSP_OBJECT_HEADER,
                          .parent = INSP_MAP_NONE};
    insp_object root = {.kind = INSP_OBJECT_RAW, .parent = INSP_MAP_NONE, .count = 1, .depth = 1};
    const unsigned char *bytes = map->data + blob->at;
    bool is_blob;
    kiln_status status;
    if (!grown)
        return KILN_NO_MEMORY;
    map->blobs = grown;
    is_blob = !blob->opaque && insp_blob_payload(bytes, blob->size, &blob->header,
                                                 &blob->payload_at, &blob->payload_size);
    if (!is_blob) {
        blob->payload_at = 0;
        blob->payload_size = blob->size;
    }
    blob->payload_at += blob->at;
    header.blob = root.blob = (uint32_t)map->blob_count;
    map->blobs[map->blob_count++] = *blob;
    status = is_blob ? add_object(map, &header) : KILN_OK;
    root.at = blob->payload_at;
    root.size = blob->payload_size;
    if (is_blob && blob->types && blob->type < kiln_types_count(blob->types)) {
        uint32_t size = kiln_types_get(blob->types, blob->type)->size;
        root.type = blob->type;
        if (size <= blob->payload_size) {
            root.kind = INSP_OBJECT_VALUES;
            root.size = size;
        }
    }
    return status || !root.size ? status : add_object(map, &root);
}

static insp_blob describe_member(const insp_file *file, uint32_t number)
{
    insp_blob blob = {.part = "member", .member = number, .type = INSP_MAP_NONE};
    if (number == file->table_member) {
        blob.part = "type table";
        blob.types = file->builtin;
        blob.type = kiln_types_find(file->builtin, "kiln.TypeTable");
    } else if (insp_member_asset(file, number)) {
        blob.types = file->types;
        blob.type = insp_asset_type(file, insp_member_asset(file, number));
    }
    return blob;
}

static kiln_status add_members(insp_map *map)
{
    const insp_file *file = map->file;
    uint32_t i;
    kiln_status status = KILN_OK;
    for (i = 0; i < file->member_count && !status; i++) {
        const insp_member *member = insp_member_at(file, i);
        insp_blob blob = describe_member(file, i);
        blob.at = member->place;
        blob.size = member->stored_size;
        if (!member->in_place)
            continue;
        if (member->compression != KILN_COMPRESSION_NONE) {
            blob.part = insp_member_is_payload(member) ? "payload" : "compressed member";
            blob.opaque = true;
        }
        status = add_blob(map, &blob);
    }
    return status;
}

static int compare_places(const void *a, const void *b)
{
    const insp_place *left = a, *right = b;
    return (left->at > right->at) - (left->at < right->at);
}

/* Adds everything that the roots reach, and sorts it. */
static kiln_status add_objects(insp_map *map)
{
    kiln_status status = KILN_OK;
    size_t i;
    for (i = 0; i < map->object_count && !status; i++)
        status = insp_map_fields(map, (uint32_t)i, follow_field, map);
    if (status)
        return status;
    map->order = insp_alloc_array(map->object_count, sizeof *map->order);
    if (!map->order)
        return KILN_NO_MEMORY;
    for (i = 0; i < map->object_count; i++)
        map->order[i] = (insp_place){map->objects[i].at, (uint32_t)i};
    qsort(map->order, map->object_count, sizeof *map->order, compare_places);
    return KILN_OK;
}

kiln_status insp_map_init(insp_map *map, const insp_file *file)
{
    insp_blob first = {
        .part = "file", .member = INSP_MAP_NONE, .size = file->size, .type = INSP_MAP_NONE};
    kiln_status status;
    *map = (insp_map){.file = file, .data = file->data};
    if (file->has_header) {
        uint64_t size = kiln_header_blob_size(&file->header);
        kiln_blob_kind kind = kiln_header_kind(&file->header);
        first.part = kind == KILN_BLOB_INDEX        ? "index"
                     : kind == KILN_BLOB_TYPE_TABLE ? "type table"
                                                    : "blob";
        first.size = size < file->size ? size : file->size;
        first.types = file->builtin;
        if (kind == KILN_BLOB_INDEX)
            first.type = kiln_types_find(file->builtin, "kiln.Index");
        else if (kind == KILN_BLOB_TYPE_TABLE)
            first.type = kiln_types_find(file->builtin, "kiln.TypeTable");
    }
    status = add_blob(map, &first);
    if (!status)
        status = add_members(map);
    return status ? status : add_objects(map);
}

kiln_status insp_map_init_blob(insp_map *map, const insp_file *file, uint32_t member,
                               const unsigned char *data, uint64_t size)
{
    insp_blob blob = describe_member(file, member);
    kiln_status status;
    *map = (insp_map){.file = file, .data = data};
    blob.size = size;
    status = add_blob(map, &blob);
    return status ? status : add_objects(map);
}

void insp_map_fini(insp_map *map)
{
    insp_free(map->blobs);
    insp_free(map->objects);
    insp_free(map->order);
    kiln_hash_table_fini(&map->by_place, insp_allocator());
    *map = (insp_map){0};
}

bool insp_map_leaf(const kiln_value *value, const unsigned char *at, kiln_path *path,
                   kiln_value *ret_leaf)
{
    uint32_t i, count = kiln_value_count(value);
    kiln_value inner;
    if (at < value->data || at >= value->data + value->of->size)
        return false;
    if (value->of->kind == KILN_KIND_FIXED) {
        uint32_t size = kiln_types_get(value->types, value->of->element)->size;
        i = size ? (uint32_t)((uint64_t)(at - value->data) / size) : count;
        if (i >= count || kiln_value_at(value, i, &inner) != KILN_OK)
            return false;
        kiln_path_add_number(path, i);
        return insp_map_leaf(&inner, at, path, ret_leaf);
    }
    if (value->of->kind != KILN_KIND_STRUCT) {
        if (ret_leaf)
            *ret_leaf = *value;
        return true;
    }
    for (i = 0; i < count; i++) {
        if (kiln_value_at(value, i, &inner) != KILN_OK || at < inner.data ||
            at >= inner.data + inner.of->size)
            continue;
        if (!(value->of->flags & KILN_TYPE_TRANSPARENT))
            kiln_path_add_name(path, value->of->members[i].name,
                               strlen(value->of->members[i].name));
        return insp_map_leaf(&inner, at, path, ret_leaf);
    }
    return false;
}

void insp_map_add_step(const insp_map *map, const insp_object *object, uint64_t field_at,
                       kiln_path *path)
{
    const unsigned char *at = map->data + field_at;
    uint64_t stride = insp_map_stride(map, object);
    uint32_t unit = stride ? (uint32_t)((field_at - object->at) / stride) : 0;
    kiln_value value = insp_map_value(map, object, unit), leaf;
    if (object->kind == INSP_OBJECT_ENTRIES) {
        /* The step is the key of the entry, even if the field is in the key itself. */
        kiln_value key = insp_map_key(map, object, unit);
        kiln_path_add_key(path, &key);
    } else if (object->is_list) {
        kiln_path_add_number(path, unit);
    }
    if (insp_map_leaf(&value, at, path, &leaf) && leaf.of->kind == KILN_KIND_UNION) {
        const kiln_member *member = kiln_value_member(&leaf);
        if (member)
            kiln_path_add_name(path, member->name, strlen(member->name));
    }
}

void insp_map_path(const insp_map *map, const insp_object *object, kiln_path *path)
{
    const insp_object *chain[KILN_DEPTH_MAX + 1];
    uint32_t length = 0;
    /* Following parents yields the path in reverse, so collect the chain first. */
    for (; object->parent != INSP_MAP_NONE && length <= KILN_DEPTH_MAX;
         object = &map->objects[object->parent])
        chain[length++] = object;
    while (length-- > 0)
        insp_map_add_step(map, &map->objects[chain[length]->parent], chain[length]->field_at, path);
}

bool insp_map_in_key(const insp_map *map, const insp_object *object)
{
    const insp_object *parent =
        object->parent == INSP_MAP_NONE ? NULL : &map->objects[object->parent];
    const kiln_type *of;
    if (!parent || parent->kind != INSP_OBJECT_ENTRIES)
        return false;
    of = kiln_types_get(map->blobs[parent->blob].types, parent->type);
    return (object->field_at - parent->at) % of->entry_size < of->value_offset;
}

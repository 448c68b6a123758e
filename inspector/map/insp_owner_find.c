/* Finds the values that contain a byte.
 *
 * A shared object has several parents, but the map stores only the field that reached the object
 * first. The search therefore lists all relative fields of the blob as edges, sorted by target, and
 * follows them upwards from the object to the root, depth first. Each complete chain is one path,
 * which gives one owner for each asset of the member.
 *
 * Apart from sorting, the cost is linear in the size of the blob, plus at most STEPS_MAX steps
 * upwards. */
#include "insp_owner_find.h"

#include "insp_memory.h"
#include "insp_owner_row.h"
#include "lower_bound.h"

#include <stdlib.h>
#include <string.h>

/* With shared objects, the number of paths can be exponential. After this many steps the search
 * stops, and `more` shows that paths are missing. */
enum { STEPS_MAX = 100000 };

/* A relative field. */
typedef struct edge {
    uint64_t target, field_at;
    uint32_t parent;
} edge;

typedef struct search {
    const insp_map *map;
    insp_owners *owners;
    edge *edges; /* of one blob, sorted by target */
    size_t edge_count, edge_capacity;
    uint64_t at;
    uint32_t depth, left;
    const edge *chain[KILN_DEPTH_MAX + 1];
} search;

/* Adds the steps inside the object that contains the byte. Returns false if the byte is padding. */
static bool add_last_steps(const search *s, const insp_object *object, kiln_path *path,
                           bool *ret_key)
{
    const unsigned char *at = s->map->data + s->at;
    uint64_t stride = insp_map_stride(s->map, object);
    uint32_t unit;
    kiln_value value;
    if (object->kind != INSP_OBJECT_VALUES && object->kind != INSP_OBJECT_ENTRIES)
        return true;
    if (!stride)
        return false;
    unit = (uint32_t)((s->at - object->at) / stride);
    value = insp_map_value(s->map, object, unit);
    if (object->kind == INSP_OBJECT_ENTRIES) {
        kiln_value key = insp_map_key(s->map, object, unit);
        kiln_path ignored = {{0}, 0};
        kiln_path_add_key(path, &key);
        if (at < value.data) {
            *ret_key = true;
            return insp_map_leaf(&key, at, &ignored, NULL);
        }
    } else if (object->is_list) {
        kiln_path_add_number(path, unit);
    }
    return insp_map_leaf(&value, at, path, NULL);
}

/* Adds the owners for a complete path from a root to the object. */
static kiln_status add_owners(search *s, const insp_object *object)
{
    const insp_file *file = s->map->file;
    const insp_blob *blob = &s->map->blobs[object->blob];
    kiln_path path = {{0}, 0};
    const insp_asset *asset;
    uint32_t i;
    bool is_key = false;
    kiln_status status = KILN_OK;
    for (i = s->depth; i-- > 0;)
        insp_map_add_step(s->map, &s->map->objects[s->chain[i]->parent], s->chain[i]->field_at,
                          &path);
    if (s->depth > 0) {
        /* The map stores the field that reached the object first. It need not be in this chain. */
        insp_object named = *object;
        named.parent = s->chain[0]->parent;
        named.field_at = s->chain[0]->field_at;
        is_key = insp_map_in_key(s->map, &named);
    }
    if (!add_last_steps(s, object, &path, &is_key)) {
        s->owners->as = INSP_OWNED_PADDING;
        return KILN_OK;
    }
    s->owners->as = is_key ? INSP_OWNED_KEY : INSP_OWNED_VALUE;
    for (asset = insp_member_asset(file, blob->member); asset && !status && !s->owners->more;
         asset = insp_asset_next(file, asset))
        status = insp_owners_add(s->owners, asset->name, "", &path);
    return status;
}

static bool edge_is_below(const void *edges, size_t at, const void *target)
{
    return ((const edge *)edges)[at].target < *(const uint64_t *)target;
}

/* Finds all paths from a root to object `number`, from which `chain` leads to `object`. */
static kiln_status search_upwards(search *s, uint32_t number, const insp_object *object)
{
    uint64_t target = s->map->objects[number].at;
    kiln_status status = KILN_OK;
    size_t i;
    if (s->left == 0)
        s->owners->more = true;
    if (s->owners->more)
        return KILN_OK;
    s->left--;
    if (s->map->objects[number].parent == INSP_MAP_NONE)
        return add_owners(s, object);
    for (i = lower_bound(s->edges, 0, s->edge_count, edge_is_below, &target);
         i < s->edge_count && s->edges[i].target == target && !status && !s->owners->more; i++) {
        /* A hostile blob can be nested deeper than the size of `chain`. */
        if (s->depth > KILN_DEPTH_MAX)
            break;
        s->chain[s->depth++] = &s->edges[i];
        status = search_upwards(s, s->edges[i].parent, object);
        s->depth--;
    }
    return status;
}

static kiln_status add_edge(void *ctx, uint32_t number, const kiln_value *field)
{
    search *s = ctx;
    const unsigned char *target;
    uint64_t size;
    edge *grown;
    if (kiln_value_target(field, &target, &size) != KILN_OK || !target || !size)
        return KILN_OK;
    grown = insp_grow(s->edges, &s->edge_capacity, s->edge_count + 1, sizeof *grown);
    if (!grown)
        return KILN_NO_MEMORY;
    s->edges = grown;
    grown[s->edge_count].target = (uint64_t)(target - s->map->data);
    grown[s->edge_count].field_at = (uint64_t)(field->data - s->map->data);
    grown[s->edge_count++].parent = number;
    return KILN_OK;
}

static int compare_edges(const void *a, const void *b)
{
    const edge *left = a, *right = b;
    if (left->target != right->target)
        return left->target < right->target ? -1 : 1;
    return (left->field_at > right->field_at) - (left->field_at < right->field_at);
}

static kiln_status search_values(search *s, uint32_t number)
{
    const insp_map *map = s->map;
    const insp_object *object = &map->objects[number];
    kiln_status status = KILN_OK;
    uint32_t i;
    for (i = 0; i < map->object_count && !status; i++)
        if (map->objects[i].blob == object->blob)
            status = insp_map_fields(map, i, add_edge, s);
    if (!status && s->edge_count)
        qsort(s->edges, s->edge_count, sizeof *s->edges, compare_edges);
    return status ? status : search_upwards(s, number, object);
}

static bool begins_at_or_before(const void *places, size_t number, const void *at)
{
    return ((const insp_place *)places)[number].at <= *(const uint64_t *)at;
}

/* The object that contains the byte at `at`; INSP_MAP_NONE if there is none. */
static uint32_t object_at(const insp_map *map, uint64_t at)
{
    size_t after = lower_bound(map->order, 0, map->object_count, begins_at_or_before, &at);
    const insp_place *last;
    if (after == 0)
        return INSP_MAP_NONE;
    last = &map->order[after - 1];
    return at - last->at < map->objects[last->number].size ? last->number : INSP_MAP_NONE;
}

static const insp_blob *blob_at(const insp_map *map, uint64_t at)
{
    size_t i;
    for (i = 0; i < map->blob_count; i++)
        if (at >= map->blobs[i].at && at - map->blobs[i].at < map->blobs[i].size)
            return &map->blobs[i];
    return NULL;
}

kiln_status insp_owners_find(insp_owners *owners, const insp_map *map, uint64_t at)
{
    search s = {.map = map, .owners = owners, .at = at, .left = STEPS_MAX};
    uint32_t number = object_at(map, at);
    kiln_status status = KILN_OK;
    *owners = (insp_owners){.as = INSP_OWNED_GAP, .blob = blob_at(map, at)};
    if (!owners->blob)
        return KILN_OK;
    if (strcmp(owners->blob->part, "index") == 0)
        owners->as = INSP_OWNED_INDEX;
    else if (strcmp(owners->blob->part, "type table") == 0)
        owners->as = INSP_OWNED_TYPE_TABLE;
    else if (owners->blob->opaque)
        owners->as = INSP_OWNED_COMPRESSED;
    else if (number == INSP_MAP_NONE)
        owners->as = INSP_OWNED_PADDING;
    else if (map->objects[number].kind == INSP_OBJECT_HEADER)
        owners->as = INSP_OWNED_HEADER;
    else if (owners->blob->member == INSP_MAP_NONE)
        owners->as = INSP_OWNED_UNKNOWN;
    else {
        /* Try rows first: their chunks are also a value of type kiln.SceneChunks, but that consists
         * of bytes only. */
        owners->as = INSP_OWNED_UNKNOWN;
        status = insp_owners_of_row(owners, map->file, owners->blob->member, at);
        if (!status && owners->as == INSP_OWNED_UNKNOWN &&
            map->objects[number].kind != INSP_OBJECT_RAW)
            status = search_values(&s, number);
    }
    insp_free(s.edges);
    return status;
}

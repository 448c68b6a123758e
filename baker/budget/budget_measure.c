/* Measures in one pass over the index. Of the members, only scenes and the cluster plan are read,
 * one at a time. */
#include "budget_measure.h"

#include "bake_memory.h"

#include <kiln/blob_header.h>
#include <kiln/cluster_plan.h>
#include <kiln/compression.h>
#include <kiln/payload.h>
#include <kiln/scene.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <string.h>

/* A file that is being measured. */
typedef struct measuring {
    bake_measure_read *read;
    void *ctx;
    bake_measures *out;
    kiln_allocator allocator;
    kiln_types *builtin;
    kiln_types *types; /* of scenes; NULL: not yet needed */
    const kiln_index *index;
    uint64_t index_size;
    kiln_buffer blob;      /* the last blob that was read */
    bake_measured *assets; /* those of `out`, for writing */
    uint32_t *seen;        /* by member: the last sum that counted it, plus 1 */
    kiln_error *reterr;
} measuring;

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void add_used(bake_measured *to, const uint64_t used[BAKE_MEASURES])
{
    for (int i = 0; i < BAKE_MEASURES; i++)
        to->used[i] = add(to->used[i], used[i]);
}

/* ---- reading ---- */

static kiln_status read_part(measuring *m, uint64_t at, uint64_t size, kiln_buffer *ret)
{
    if (size > SIZE_MAX)
        return KILN_NO_MEMORY;
    kiln_buffer made = {NULL, (size_t)size, m->allocator};
    made.data = made.allocator.alloc(made.allocator.ctx, made.size, KILN_ALIGN_MAX);
    if (!made.data)
        return KILN_NO_MEMORY;
    if (!m->read(m->ctx, at, made.data, made.size)) {
        kiln_buffer_fini(&made);
        return KILN_IO;
    }
    *ret = made;
    return KILN_OK;
}

static kiln_status read_index(measuring *m, uint64_t size)
{
    unsigned char first[KILN_HEADER_SIZE];
    kiln_blob_header header;
    kiln_buffer *buffer = &m->out->index;
    if (size < sizeof first)
        return KILN_H_TRUNCATED;
    if (!m->read(m->ctx, 0, first, sizeof first))
        return KILN_IO;
    memcpy(&header, first, sizeof header);
    uint64_t at = kiln_header_payload_at(&header);
    /* So the memory for the index is limited by the size of the file. */
    if (at > size || header.payload_size > size - at)
        return KILN_H_TRUNCATED;
    m->index_size = at + header.payload_size;
    kiln_status status = read_part(m, 0, m->index_size, buffer);
    return status ? status
                  : kiln_index_check(m->builtin, &m->allocator,
                                     &(kiln_file_head){buffer->data, buffer->size, size}, &m->index,
                                     m->reterr);
}

/* Decompresses the frame in `stored` to `m->blob`. */
static kiln_status decompress(measuring *m, const kiln_index_member *member, kiln_span stored,
                              kiln_span dictionary_bytes)
{
    kiln_decompressor *context = NULL;
    kiln_dictionary *dictionary = NULL;
    kiln_buffer made = {NULL, (size_t)member->size, m->allocator};
    kiln_status status = kiln_decompressor_create(&m->allocator, &context);
    if (!status && dictionary_bytes.size)
        status = kiln_dictionary_create(&m->allocator, dictionary_bytes.data, dictionary_bytes.size,
                                        &dictionary);
    if (!status) {
        made.data = made.allocator.alloc(made.allocator.ctx, made.size, KILN_ALIGN_MAX);
        status = made.data ? kiln_decompress(context, dictionary, stored, made.data, made.size)
                           : KILN_NO_MEMORY;
    }
    kiln_dictionary_destroy(dictionary);
    kiln_decompressor_destroy(context);
    if (status && made.data)
        kiln_buffer_fini(&made);
    else if (!status)
        m->blob = made;
    return status;
}

/* Reads the dictionary of a member; leaves `ret` empty if it has none. */
static kiln_status read_dictionary(measuring *m, const kiln_index_member *member, kiln_buffer *ret,
                                   kiln_span *ret_bytes)
{
    if (!member->dictionary)
        return KILN_OK;
    const uint32_t *numbers =
        kiln_relative_get(&m->index->dictionaries, m->index->dictionaries.offset);
    uint32_t number = numbers[member->dictionary - 1];
    const kiln_index_member *from = kiln_index_member_at(m->index, number);
    kiln_status status = read_part(m, from->place, from->stored_size, ret);
    if (!status)
        status = kiln_index_check_blob(m->index, number, ret->data, true, m->reterr);
    if (status)
        return status;
    kiln_blob_header header;
    memcpy(&header, ret->data, sizeof header);
    size_t at = kiln_header_payload_at(&header);
    *ret_bytes = (kiln_span){ret->data + at, ret->size - at};
    return KILN_OK;
}

/* Reads the blob of an asset into `m->blob`, and checks everything but its values. */
static kiln_status read_blob(measuring *m, uint32_t asset)
{
    uint32_t number = kiln_index_asset_at(m->index, asset)->member;
    const kiln_index_member *member = kiln_index_member_at(m->index, number);
    kiln_buffer stored = {0}, dictionary = {0};
    kiln_span dictionary_bytes = {NULL, 0};
    kiln_buffer_fini(&m->blob);
    kiln_status status = read_part(m, member->place, member->stored_size, &stored);
    if (!status && member->compression == KILN_COMPRESSION_NONE) {
        m->blob = stored;
        stored = (kiln_buffer){0};
    } else if (!status) {
        status = read_dictionary(m, member, &dictionary, &dictionary_bytes);
        if (!status)
            status = decompress(m, member, kiln_buffer_span(&stored), dictionary_bytes);
    }
    kiln_buffer_fini(&dictionary);
    kiln_buffer_fini(&stored);
    return status ? status : kiln_index_check_blob(m->index, number, m->blob.data, true, m->reterr);
}

/* ---- assets and sums ---- */

/* Reads the content hash in the name of a payload asset. */
static bool read_content(const char *name, kiln_hash128 *ret)
{
    uint64_t numbers[2] = {0, 0};
    const char *digits = strchr(name, '/') + 1;
    if (strlen(digits) != 32)
        return false;
    for (int i = 0; i < 32; i++) {
        const char *found = strchr("0123456789abcdef", digits[i]);
        if (!found)
            return false;
        numbers[i / 16] = numbers[i / 16] << 4 | (uint64_t)(found - "0123456789abcdef");
    }
    *ret = (kiln_hash128){.high = numbers[0], .low = numbers[1]};
    return true;
}

/* Adds the data to the asset that describes them. */
static void measure_payload(measuring *m, bake_measured *item)
{
    kiln_hash128 content;
    item->is_payload = true;
    uint32_t number = read_content(item->name, &content) ? kiln_payload_find(m->index, content)
                                                         : KILN_MEMBER_NONE;
    if (number == KILN_MEMBER_NONE)
        return;
    const kiln_index_member *data = kiln_index_member_at(m->index, number);
    bool is_in_frames = data->compression == KILN_COMPRESSION_FRAMES;
    add_used(item,
             (const uint64_t[BAKE_MEASURES]){
                 [BAKE_MEASURE_DISK] = data->stored_size,
                 [BAKE_MEASURE_RESIDENT] = data->size,
                 [BAKE_MEASURE_LOAD] = add(data->stored_size, is_in_frames ? data->size : 0)});
}

static void measure_asset(measuring *m, uint32_t number)
{
    const kiln_index_asset *asset = kiln_index_asset_at(m->index, number);
    const kiln_index_member *member = kiln_index_member_at(m->index, asset->member);
    bake_measured *item = &m->assets[number];
    bool is_compressed = member->compression != KILN_COMPRESSION_NONE;
    item->kind = BAKE_BUDGET_ASSET;
    item->name = kiln_string_get(&asset->name);
    item->used[BAKE_MEASURE_DISK] = member->stored_size;
    item->used[BAKE_MEASURE_RESIDENT] = member->size;
    item->used[BAKE_MEASURE_LOAD] = add(member->stored_size, is_compressed ? member->size : 0);
    if (strcmp(kiln_string_get(&kiln_index_type_at(m->index, asset->type)->name),
               KILN_PAYLOAD_TYPE_NAME) == 0)
        measure_payload(m, item);
}

/* Adds an asset to a sum, unless the sum already has its member. */
static void add_once(measuring *m, bake_measured *item, uint32_t asset, uint32_t sum)
{
    uint32_t member = kiln_index_asset_at(m->index, asset)->member;
    if (m->seen[member] != sum + 1)
        add_used(item, m->assets[asset].used);
    m->seen[member] = sum + 1;
}

/* Adds an asset and the payloads to which it refers. */
static void add_with_payloads(measuring *m, bake_measured *item, uint32_t asset, uint32_t sum)
{
    uint32_t count;
    const uint32_t *edges = kiln_index_edges(m->index, asset, &count);
    add_once(m, item, asset, sum);
    for (uint32_t i = 0; edges && i < count; i++)
        if (edges[i] < m->index->assets.count && m->assets[edges[i]].is_payload)
            add_once(m, item, edges[i], sum);
}

/* Adds up the parts of `item`, each member once. `sum` is a number that no other sum has. */
static void add_parts(measuring *m, bake_measured *item, uint32_t sum)
{
    for (uint32_t i = 0; i < item->part_count; i++)
        add_with_payloads(m, item, item->parts[i], sum);
}

/* Begins the next item; `count` of the measures is also the number of its sum. */
static bake_measured *begin_item(measuring *m, bake_budget_kind kind, const char *name)
{
    bake_measured *item = &m->out->items[m->out->count];
    item->kind = kind;
    item->name = name;
    return item;
}

static void end_item(measuring *m, bake_measured *item, const uint32_t *parts, uint32_t count)
{
    item->parts = parts;
    item->part_count = count;
    add_parts(m, item, (uint32_t)m->out->count);
    m->out->count++;
}

/* ---- scenes ---- */

/* Returns the asset that an array of at most one reference names; KILN_ASSET_NONE if there is
 * none. */
static uint32_t find_part(const measuring *m, const kiln_array *refs)
{
    if (refs->count == 0)
        return KILN_ASSET_NONE;
    return kiln_index_find(m->index, *(const uint64_t *)kiln_relative_get(refs, refs->offset));
}

/* A world allocates its memory in large steps, but loading writes only the chunks of the scene and
 * the records of its entities. */
static void add_forecast(bake_measured *scene, const kiln_scene_forecast *forecast)
{
    uint64_t record =
        forecast->blocks ? forecast->block_bytes / forecast->blocks / KILN_BLOCK_ENTITIES : 0;
    uint64_t written =
        add((uint64_t)forecast->chunks * KILN_CHUNK_SIZE, (uint64_t)forecast->entities * record);
    add_used(scene, (const uint64_t[BAKE_MEASURES]){
                        [BAKE_MEASURE_RESIDENT] = add(forecast->block_bytes, forecast->chunk_bytes),
                        [BAKE_MEASURE_LOAD] = written});
}

/* Reads a scene, adds its forecast, and lists its parts. */
static kiln_status measure_scene(measuring *m, uint32_t number, uint32_t *parts,
                                 uint32_t *ret_count)
{
    kiln_blob_header header;
    kiln_scene_view view;
    kiln_verify_def def = kiln_verify_def_default();
    kiln_status status =
        m->types ? KILN_OK : kiln_types_with_scene(m->builtin, &m->allocator, &m->types, m->reterr);
    if (!status)
        status = read_blob(m, number);
    if (status)
        return status;
    def.types = m->types;
    def.type = kiln_types_find(m->types, KILN_SCENE_TYPE_NAME);
    def.allocator = &m->allocator;
    def.skip_hash = true;
    status = kiln_verify(&def, m->blob.data, m->blob.size, m->reterr);
    if (status)
        return status;
    memcpy(&header, m->blob.data, sizeof header);
    const kiln_scene *scene =
        (const kiln_scene *)(const void *)(m->blob.data + kiln_header_payload_at(&header));
    kiln_scene_view_args args = {.scene = scene, .allocator = &m->allocator};
    status = kiln_scene_view_init(&args, &view, m->reterr);
    if (status)
        return status;
    kiln_scene_forecast forecast = kiln_scene_get_forecast(&view);
    kiln_scene_view_fini(&view);
    add_forecast(&m->assets[number], &forecast);
    const uint32_t list[] = {number, find_part(m, &scene->chunks), find_part(m, &scene->data)};
    *ret_count = 0;
    for (int i = 0; i < 3; i++)
        if (list[i] != KILN_ASSET_NONE)
            parts[(*ret_count)++] = list[i];
    if (list[1] != KILN_ASSET_NONE)
        m->assets[list[1]].used[BAKE_MEASURE_RESIDENT] = 0;
    return KILN_OK;
}

/* ---- all items ---- */

static bool is_scene(const measuring *m, uint32_t asset)
{
    const kiln_index_type *type =
        kiln_index_type_at(m->index, kiln_index_asset_at(m->index, asset)->type);
    return strcmp(kiln_string_get(&type->name), KILN_SCENE_TYPE_NAME) == 0;
}

/* The assets of each type: `starts` has one element more than there are types. */
typedef struct type_parts {
    uint32_t *starts, *assets;
} type_parts;

static bool sort_by_type(measuring *m, type_parts *ret)
{
    uint32_t types = m->index->types.count, count = m->index->assets.count;
    ret->starts = bake_store_alloc(&m->out->store, (size_t)types + 2, sizeof *ret->starts);
    ret->assets = bake_store_alloc(&m->out->store, (size_t)count + 1, sizeof *ret->assets);
    if (!ret->starts || !ret->assets)
        return false;
    /* Counts each type two places later, so that afterwards starts[t + 1] is the next free place of
     * type t, and in the end the start of type t + 1. */
    for (uint32_t i = 0; i < count; i++)
        ret->starts[kiln_index_asset_at(m->index, i)->type + 2]++;
    for (uint32_t t = 1; t <= types; t++)
        ret->starts[t + 1] += ret->starts[t];
    for (uint32_t i = 0; i < count; i++)
        ret->assets[ret->starts[kiln_index_asset_at(m->index, i)->type + 1]++] = i;
    return true;
}

/* The parts of all scenes, which must be known before other sums are made. */
typedef struct scene_parts {
    uint32_t *scenes, *counts;
    uint32_t *parts; /* three places for each scene */
    uint32_t count;
} scene_parts;

static kiln_status measure_scenes(measuring *m, scene_parts *ret)
{
    uint32_t count = 0, assets = m->index->assets.count;
    for (uint32_t i = 0; i < assets; i++)
        count += is_scene(m, i);
    ret->scenes = bake_store_alloc(&m->out->store, (size_t)count + 1, sizeof *ret->scenes);
    ret->counts = bake_store_alloc(&m->out->store, (size_t)count + 1, sizeof *ret->counts);
    ret->parts = bake_store_alloc(&m->out->store, (size_t)count * 3 + 1, sizeof *ret->parts);
    if (!ret->scenes || !ret->counts || !ret->parts)
        return KILN_NO_MEMORY;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < assets && !status; i++) {
        if (!is_scene(m, i))
            continue;
        ret->scenes[ret->count] = i;
        status = measure_scene(m, i, ret->parts + (size_t)ret->count * 3, &ret->counts[ret->count]);
        ret->count++;
    }
    return status;
}

/* `all` lists all assets. */
static void add_bundle(measuring *m, uint64_t file_size, const uint32_t *all)
{
    bake_measured *bundle = begin_item(m, BAKE_BUDGET_BUNDLE, "");
    const uint32_t *dictionaries =
        kiln_relative_get(&m->index->dictionaries, m->index->dictionaries.offset);
    uint64_t more = m->index_size;
    for (uint32_t i = 0; i < m->index->dictionaries.count; i++)
        more = add(more, kiln_index_member_at(m->index, dictionaries[i])->stored_size);
    end_item(m, bundle, all, m->index->assets.count);
    add_used(bundle, (const uint64_t[BAKE_MEASURES]){
                         [BAKE_MEASURE_RESIDENT] = more, [BAKE_MEASURE_LOAD] = more});
    bundle->used[BAKE_MEASURE_DISK] = file_size;
}

static kiln_status add_clusters(measuring *m, const kiln_cluster_plan *plan)
{
    uint32_t count = plan ? kiln_cluster_plan_count(plan) : 0;
    for (uint32_t i = 0; i < count; i++) {
        kiln_cluster_numbers members = kiln_cluster_plan_members(plan, i);
        uint32_t *parts =
            bake_store_alloc(&m->out->store, (size_t)members.count + 1, sizeof *parts);
        if (!parts)
            return KILN_NO_MEMORY;
        parts[0] = kiln_cluster_plan_root(plan, i);
        if (members.count)
            memcpy(parts + 1, members.numbers, members.count * sizeof *parts);
        bake_measured *item = begin_item(m, BAKE_BUDGET_CLUSTER, m->assets[parts[0]].name);
        end_item(m, item, parts, members.count + 1);
    }
    return KILN_OK;
}

/* Reads the cluster plan into `m->blob`. `*ret_plan` is NULL if there is none. */
static kiln_status read_plan(measuring *m, const kiln_cluster_plan **ret_plan)
{
    uint32_t asset = kiln_cluster_plan_find(m->index);
    *ret_plan = NULL;
    if (asset == KILN_ASSET_NONE)
        return KILN_OK;
    kiln_status status = read_blob(m, asset);
    return status ? status
                  : kiln_cluster_plan_read(m->index, kiln_buffer_span(&m->blob), &m->allocator,
                                           ret_plan, m->reterr);
}

/* Makes room for all items, with the assets in the end. */
static kiln_status make_room(measuring *m, size_t scenes, const kiln_cluster_plan *plan)
{
    size_t sums = 1 + (size_t)m->index->types.count + scenes;
    sums += plan ? kiln_cluster_plan_count(plan) : 0;
    m->out->items =
        bake_store_alloc(&m->out->store, sums + m->index->assets.count, sizeof *m->out->items);
    return m->out->items ? KILN_OK : KILN_NO_MEMORY;
}

/* Adds all assets, each with its payloads. The sums before them have smaller numbers. */
static void add_assets(measuring *m)
{
    bake_measured *items = m->out->items + m->out->count;
    for (uint32_t i = 0; i < m->index->assets.count; i++) {
        items[i] = m->assets[i];
        memset(items[i].used, 0, sizeof items[i].used);
        add_with_payloads(m, &items[i], i, (uint32_t)m->out->count + i);
    }
}

static kiln_status measure_all(measuring *m, uint64_t size)
{
    scene_parts scenes = {0};
    type_parts types = {0};
    const kiln_cluster_plan *plan;
    bake_store *store = &m->out->store;
    uint32_t count = m->index->assets.count;
    m->seen = bake_store_alloc(store, (size_t)m->index->members.count + 1, sizeof *m->seen);
    m->assets = bake_store_alloc(store, (size_t)count + 1, sizeof *m->assets);
    if (!m->seen || !m->assets || !sort_by_type(m, &types))
        return KILN_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        measure_asset(m, i);
    kiln_status status = measure_scenes(m, &scenes);
    if (!status)
        status = read_plan(m, &plan);
    if (!status)
        status = make_room(m, scenes.count, plan);
    if (status)
        return status;
    add_bundle(m, size, types.assets);
    for (uint32_t t = 0; t < m->index->types.count; t++) {
        const char *name = kiln_string_get(&kiln_index_type_at(m->index, t)->name);
        uint32_t first = types.starts[t], end = types.starts[t + 1];
        end_item(m, begin_item(m, BAKE_BUDGET_TYPE, name), types.assets + first, end - first);
    }
    for (uint32_t i = 0; i < scenes.count; i++)
        end_item(m, begin_item(m, BAKE_BUDGET_SCENE, m->assets[scenes.scenes[i]].name),
                 scenes.parts + (size_t)i * 3, scenes.counts[i]);
    status = add_clusters(m, plan);
    if (status)
        return status;
    add_assets(m);
    m->out->assets = m->out->items + m->out->count;
    m->out->asset_count = count;
    m->out->count += count;
    return KILN_OK;
}

kiln_status bake_measure_file(bake_measure_read *read, void *ctx, uint64_t size,
                              bake_measures *ret_measures, kiln_error *reterr)
{
    kiln_error ignored;
    measuring m = {.read = read, .ctx = ctx, .out = ret_measures};
    m.reterr = reterr ? reterr : &ignored;
    memset(m.reterr, 0, sizeof *m.reterr);
    m.allocator = bake_memory_allocator();
    kiln_status status = kiln_types_create_builtin(&m.allocator, &m.builtin, m.reterr);
    if (!status)
        status = read_index(&m, size);
    if (!status)
        status = measure_all(&m, size);
    kiln_buffer_fini(&m.blob);
    kiln_types_destroy(m.types);
    kiln_types_destroy(m.builtin);
    m.reterr->status = status;
    return status;
}

void bake_measures_fini(bake_measures *measures)
{
    kiln_buffer_fini(&measures->index);
    bake_store_fini(&measures->store);
    memset(measures, 0, sizeof *measures);
}

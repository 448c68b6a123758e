/* A file with a scene, changed as the input says, then mounted and loaded as in a program. The
 * first byte selects the verification level and the program, and whether the file also contains
 * redirects and a cluster plan. Each group of eight bytes after it is a change. Then all hashes are
 * recomputed, so that a file is refused because of the change itself. The world must be unchanged
 * at the end, and a scene loaded at verification level deep must be readable and savable. */
#include "blob_input.h"
#include "blob_patch.h"
#include "few_pages.h"
#include "fuzz_target.h"
#include "scene_fixture.h"

#include <kiln/cluster_plan.h>
#include <kiln/clusters.h>
#include <kiln/index.h>
#include <kiln/redirects.h>
#include <kiln/scenes.h>
#include <kiln/type_table.h>
#include <stdlib.h>
#include <string.h>

enum { ENTITIES_A_SET = 3, BLOCKS_MAX = 8, MEGAS_MAX = 4, CHANGE = 8, WAY_LISTS = 16 };

static volatile size_t touched;

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ---- the file ---- */

static kiln_types *types;
static kiln_buffer table;
/* The file without and with redirects and a plan, and the one of these that the input selects. */
static kiln_buffer files[2], whole;
static const char earlier[] = "Item/earlier";

static const uint32_t sets[][3] = {{C_POSITION, C_BYTE, C_LIT},
                                   {C_LINK, C_SPRITE, C_LABEL},
                                   {C_MIXED, C_BYTE, C_POSITION},
                                   {C_WIDE, C_DARK, C_LABEL},
                                   {C_LARGE, C_LINK, C_LIT}};
enum { SETS = sizeof sets / sizeof *sets };

static void write_words(kiln_scene_writer *writer, const uint32_t *numbers, uint32_t entity,
                        bool has_lists)
{
    const kiln_entity self = {entity, KILN_SCENE_LOCAL}, door = {0, KILN_SCENE_IMPORT};
    uint64_t asset = 0, word = 1 + entity % 2;
    kiln_id item = scene_item(entity % SCENE_ITEMS);
    if (has_lists && entity % SCENE_ITEMS == 1)
        item = kiln_asset_id(earlier, sizeof earlier - 1);
    require(!kiln_scene_writer_add_asset(writer, item, &asset));
    for (uint32_t c = 0; c < C_COUNT; c++) {
        const kiln_scene_component_desc *desc = &scene_components[c];
        unsigned char *at = kiln_scene_writer_at(writer, entity, numbers[c], NULL);
        for (uint32_t i = 0; at && i < desc->component.entity_count; i++)
            memcpy(at + desc->component.entity_places[i], i ? &door : &self, sizeof self);
        for (uint32_t i = 0; at && i < desc->component.asset_count; i++)
            memcpy(at + desc->component.asset_places[i], &asset, sizeof asset);
        for (uint32_t i = 0; at && i < desc->field_count; i++)
            memcpy(at + desc->field_places[i], &word, sizeof word);
    }
}

/* Plans a cluster: its root is the scene, its members are the scene's parts, and an item is its
 * mutable. */
static void add_plan(kiln_file_writer *file, uint32_t type)
{
    static const char *const names[] = {"Scene/test", "SceneChunks/test", "SceneData/test",
                                        "Item/0"};
    uint32_t numbers[4], count = 0, low = 0;
    kiln_file_graph graph;
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = types;
    require(!kiln_file_writer_get_graph(file, &graph, NULL) &&
            !kiln_builder_create(&def, &builder));
    kiln_id plan = kiln_asset_id(KILN_CLUSTERS_ASSET_NAME, strlen(KILN_CLUSTERS_ASSET_NAME));
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < graph.asset_count; k++)
            if (graph.ids[k] == kiln_asset_id(names[i], strlen(names[i])))
                numbers[count++] = k + (graph.ids[k] > plan);
    require(count == 4);
    low = numbers[1] > numbers[2];
    kiln_cluster_plan *to = kiln_builder_root(builder, sizeof *to, _Alignof(kiln_cluster_plan));
    const struct {
        kiln_array *field;
        uint32_t count, values[2];
    } lists[] = {{&to->roots, 1, {numbers[0]}},
                 {&to->member_starts, 2, {0, 2}},
                 {&to->members, 2, {numbers[1 + low], numbers[2 - low]}},
                 {&to->mutable_starts, 2, {0, 1}},
                 {&to->mutables, 1, {numbers[3]}},
                 {&to->reference_starts, 2, {0, 0}}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        uint32_t *values = kiln_builder_array(builder, lists[i].field, lists[i].count, 4, 4);
        memcpy(values, lists[i].values, lists[i].count * sizeof *values);
    }
    require(!kiln_file_writer_build(file, KILN_CLUSTERS_ASSET_NAME, type, builder, NULL));
    kiln_builder_destroy(builder);
    kiln_file_graph_fini(&graph);
}

static void finish_with_lists(kiln_scene_writer *writer, kiln_buffer *ret_file)
{
    static const kiln_rename renames[] = {
        {earlier, "Item/1"}, {"Item/former", "Item/2"}, {"Item/gone", NULL}};
    kiln_file_writer *file = scene_file_writer(types, NULL);
    kiln_buffer data = scene_data_blob(types);
    const kiln_scene_finish_args args = {
        .name = "Scene/test", .file = file, .types = types, .data = &data, .data_type = S_DATA};
    const kiln_redirects_finish_args redirects = {renames, 3, types, file, NULL};
    require(file && !kiln_file_writer_import(file, earlier) &&
            !kiln_scene_writer_finish(writer, &args, NULL) &&
            !kiln_redirects_finish(&redirects, NULL));
    add_plan(file, kiln_types_find(types, KILN_CLUSTERS_TYPE_NAME));
    require(!kiln_file_writer_finish_buffer(file, ret_file, NULL));
    kiln_buffer_fini(&data);
    kiln_file_writer_destroy(file);
}

static void write_file(bool has_lists, kiln_buffer *ret_file)
{
    kiln_scene_writer *writer = NULL;
    uint32_t numbers[C_COUNT], archetype, first, import;
    require(!kiln_scene_writer_create(NULL, &writer));
    require(!kiln_scene_writer_add_import(writer, "Scene/other", "door", &import));
    for (uint32_t c = 0; c < C_COUNT; c++) {
        const kiln_scene_component_desc desc = scene_component(types, c);
        require(!kiln_scene_writer_add_component(writer, &desc, &numbers[c]));
    }
    for (uint32_t i = 0; i <= SETS; i++) {
        uint32_t set[3];
        for (uint32_t k = 0; k < 3 && i < SETS; k++)
            set[k] = numbers[sets[i][k]];
        require(!kiln_scene_writer_add_archetype(writer, set, i < SETS ? 3 : 0, &archetype));
        require(!kiln_scene_writer_add_rows(writer, archetype, ENTITIES_A_SET + i, &first));
        for (uint32_t k = 0; k < ENTITIES_A_SET + i; k++)
            write_words(writer, numbers, first + k, has_lists);
    }
    require(!kiln_scene_writer_name(writer, 0, "door", 4));
    require(!kiln_scene_writer_name(writer, 5, "hall/lamp", 9));
    if (has_lists)
        finish_with_lists(writer, ret_file);
    else
        require(!scene_finish(writer, types, NULL, ret_file, NULL));
    kiln_scene_writer_destroy(writer);
}

static void write_files(void)
{
    kiln_types *few = scene_types_create(NULL), *more = NULL;
    require(!kiln_types_with_redirects(few, NULL, &more, NULL) &&
            !kiln_types_with_clusters(more, NULL, &types, NULL));
    kiln_types_destroy(more);
    kiln_types_destroy(few);
    require(!kiln_type_table_write(NULL, types, &table, NULL));
    write_file(false, &files[0]);
    write_file(true, &files[1]);
}

/* ---- changes ---- */

/* A blob in the file, and its index entry. */
typedef struct part {
    uint64_t place, size;
    unsigned char *entry;
} part;

enum { PART_SCENE, PART_CHUNKS, PART_DATA, PART_REDIRECTS, PART_PLAN, PARTS };

/* Returns the number of parts. */
static uint32_t find_parts(unsigned char *file, part *parts, bool has_lists)
{
    uint32_t count = has_lists ? PARTS : PART_REDIRECTS;
    static const char *const names[PARTS] = {"Scene/test", "SceneChunks/test", "SceneData/test",
                                             KILN_REDIRECTS_NAME, KILN_CLUSTERS_ASSET_NAME};
    const kiln_index *index = (const void *)(whole.data + KILN_HEADER_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t asset = kiln_index_find(index, kiln_asset_id(names[i], strlen(names[i])));
        require(asset != KILN_ASSET_NONE);
        const kiln_index_member *member =
            kiln_index_member_at(index, kiln_index_asset_at(index, asset)->member);
        parts[i].place = member->place;
        parts[i].size = member->size;
        parts[i].entry = file + ((const unsigned char *)member - whole.data);
    }
    return count;
}

/* `how` selects the part, offset and number of bytes, the value, and whether to set or add it. */
static void change(unsigned char *file, const part *parts, bool has_lists, const uint8_t *how)
{
    static const uint8_t sizes[] = {1, 2, 4, 8};
    uint32_t value, place = how[2] | (uint32_t)how[3] << 8, size = sizes[how[1] & 3];
    uint64_t old = 0;
    memcpy(&value, how + 4, sizeof value);
    unsigned char *begin = file;
    uint64_t room = whole.size;
    if (how[0] % 8) {
        static const uint8_t which[2][8] = {{0, PART_SCENE, PART_SCENE, PART_SCENE, PART_CHUNKS,
                                             PART_CHUNKS, PART_DATA, PART_SCENE},
                                            {0, PART_SCENE, PART_REDIRECTS, PART_REDIRECTS,
                                             PART_CHUNKS, PART_PLAN, PART_DATA, PART_REDIRECTS}};
        const part *of = &parts[which[has_lists][how[0] % 8]];
        begin = file + of->place;
        room = of->size;
    }
    /* The offset may also count from the end of the blob, where the tail of a payload is. */
    uint64_t at = (how[1] & 4) && place < room ? room - place - 1 : place % room;
    if (at + size > room)
        return;
    memcpy(&old, begin + at, size);
    patch_number(begin + at, how[1] & 8 ? old + value : value, size);
}

static const unsigned char *hash_of(const unsigned char *file, const part *of)
{
    return file + of->place + offsetof(kiln_blob_header, hash);
}

static void rehash(unsigned char *file, const part *parts, uint32_t count, bool as_own)
{
    for (uint32_t i = count; i-- > 0;) {
        unsigned char *blob = file + parts[i].place;
        kiln_hash128 content;
        if (i == PART_SCENE && as_own) {
            const unsigned char *was = whole.data + parts[i].place;
            unsigned char *scene = blob + kiln_header_payload_at((const void *)was);
            memcpy(scene + offsetof(kiln_scene, chunks_hash), hash_of(file, &parts[PART_CHUNKS]),
                   8);
            memcpy(scene + offsetof(kiln_scene, data_hash), hash_of(file, &parts[PART_DATA]), 8);
        }
        blob_input_rehash(blob, (size_t)parts[i].size);
        content = kiln_content_hash(blob, (size_t)parts[i].size);
        memcpy(parts[i].entry + offsetof(kiln_index_member, content), &content, sizeof content);
    }
    blob_input_rehash(file, whole.size);
}

/* ---- a program ---- */

static void read_component(const kiln_world *world, const kiln_assets *assets, kiln_entity entity,
                           kiln_component component, bool is_deep)
{
    const kiln_component_desc *known = kiln_component_get(world, component);
    const unsigned char *at = known ? kiln_entity_read(world, entity, component) : NULL;
    for (uint32_t i = 0; at && i < known->size; i++)
        touched += at[i];
    for (uint32_t i = 0; at && i < known->asset_count; i++) {
        kiln_ref ref;
        memcpy(&ref, at + known->asset_places[i], sizeof ref);
        const unsigned char *item = kiln_ref_get(kiln_assets_get_slots(assets), ref);
        touched += item && is_deep ? *item : 0;
    }
    for (uint32_t i = 0; at && i < known->entity_count; i++) {
        kiln_entity other;
        memcpy(&other, at + known->entity_places[i], sizeof other);
        touched += kiln_entity_exists(world, other);
    }
}

static void follow(const kiln_world *world, const kiln_scene_instance *instance,
                   const kiln_assets *assets, bool is_deep)
{
    uint32_t count = kiln_scene_get_info(instance).entities;
    kiln_component components[C_COUNT];
    for (uint32_t c = 0; c < C_COUNT; c++)
        components[c] = kiln_component_find(world, scene_components[c].component.name);
    for (uint32_t n = 0; n < count && n < 1000; n++)
        for (uint32_t c = 0; c < C_COUNT; c++)
            read_component(world, assets, kiln_scene_entity(instance, n), components[c], is_deep);
    touched += kiln_scene_find(instance, "door").index;
}

static void save(const kiln_world *world, kiln_assets *assets)
{
    kiln_scene_save_args args = {.world = world, .assets = assets, .name = "Scene/saved"};
    kiln_buffer file = {0};
    kiln_error error;
    if (!kiln_scene_save(&args, &file, &error))
        kiln_buffer_fini(&file);
}

static void load(kiln_assets *assets, const kiln_scene_source *source, unsigned way,
                 bool is_checked)
{
    kiln_world_def world_def = kiln_world_def_default();
    kiln_world *world = NULL;
    kiln_scene_instance *instances[2] = {NULL, NULL};
    kiln_error error;
    world_def.max_blocks = BLOCKS_MAX;
    world_def.max_mega_chunks = MEGAS_MAX;
    world_def.pages = few_pages();
    world_def.allocator = few_blocks();
    require(!kiln_world_create(&world_def, &world));
    kiln_scene_load_args args = {.world = world,
                                 .source = (kiln_scene_source *)(uintptr_t)source,
                                 .unknown = way & 64 ? KILN_UNKNOWN_DROP : KILN_UNKNOWN_KEEP,
                                 .set_names = way & 128};
    for (int i = 0; i < 2; i++) {
        if (kiln_scene_load(&args, &instances[i], &error))
            break;
        follow(world, instances[i], assets, way & 1);
    }
    require(!is_checked || kiln_world_is_valid(world));
    if (instances[0] && (way & 1))
        save(world, assets);
    kiln_scene_unload(instances[0]);
    kiln_scene_unload(instances[1]);
    kiln_world_stats stats;
    kiln_world_get_stats(world, &stats);
    require(stats.live == 0 && stats.chunks == 0 && (!is_checked || kiln_world_is_valid(world)));
    kiln_world_destroy(world);
}

/* Forms clusters and collects, with and without the file. */
static void collect(kiln_assets *assets, kiln_mount mount)
{
    kiln_collector_def def = kiln_collector_def_default();
    kiln_collector *collector = NULL;
    const kiln_load_args args = {.name = "Scene/test", .by = KILN_HERE};
    kiln_ref ref;
    kiln_cluster cluster;
    kiln_error error;
    def.assets = assets;
    def.allocator = few_blocks();
    if (kiln_collector_create(&def, &collector, &error))
        return;
    if (!kiln_assets_load(assets, &args, &ref, &error)) {
        (void)kiln_cluster_create(collector, ref, &cluster, &error);
        (void)kiln_collector_run(collector);
        kiln_assets_clear_by(assets, &ref, args.by);
    }
    (void)kiln_assets_unmount(assets, mount, KILN_UNMOUNT_DEFER, &error);
    (void)kiln_collector_run(collector);
    require(kiln_collector_is_valid(collector, &error));
    kiln_collector_destroy(collector);
}

static void open_and_load(kiln_assets *assets, const patched *file, unsigned way, bool is_checked)
{
    kiln_mount_def mount = kiln_mount_def_default();
    kiln_mount mounted;
    kiln_scene_source *source = NULL;
    kiln_scene_source_args args = {.assets = assets, .name = "Scene/test", .by = KILN_HERE};
    kiln_error error;
    mount.file.data = file->data;
    mount.file.size = file->size;
    mount.file.level = KILN_VERIFY_NONE;
    if (way & 3)
        mount.file.level = way & 1 ? KILN_VERIFY_DEEP : KILN_VERIFY_HASH;
    args.allow_missing = way & 8;
    if (kiln_assets_mount(assets, &mount, &mounted, &error))
        return;
    if (!kiln_scene_source_open(&args, &source, &error)) {
        load(assets, source, way, is_checked);
        kiln_scene_source_close(source);
    }
    if (way & WAY_LISTS)
        collect(assets, mounted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    if (!types)
        write_files();
    unsigned way = data[0];
    bool has_lists = way & WAY_LISTS;
    part parts[PARTS];
    whole = files[has_lists];
    patched file = patched_copy(whole.data, whole.size);
    uint32_t count = find_parts(file.data, parts, has_lists);
    for (size_t at = 1; at + CHANGE <= size; at += CHANGE)
        change(file.data, parts, has_lists, data + at);
    rehash(file.data, parts, count, !(way & 32));
    kiln_assets_def def = kiln_assets_def_default();
    def.pages = few_pages();
    def.allocator = few_blocks();
    kiln_assets *assets = NULL;
    if (way & 4) {
        def.types = table.data;
        def.types_size = table.size;
    }
    require(!kiln_assets_create(&def, &assets, NULL));
    /* Checking the world reads whole blocks, which takes as long as loading, so only one input in
     * eight does so. */
    open_and_load(assets, &file, way, (size + data[size - 1]) % 8 == 0);
    kiln_assets_destroy(assets);
    patched_fini(&file);
    return 0;
}

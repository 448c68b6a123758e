#include "town.h"

#include <kiln/file_writer.h>
#include <kiln/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t town_next(uint32_t i, uint32_t count)
{
    return (uint32_t)(((uint64_t)i * 7 + 3) % count);
}

/* ---- the file ---- */

typedef struct making {
    const town_def *def;
    kiln_scene_writer *writer;
    kiln_types *types;
    uint32_t number, place, link, lit;
    uint32_t archetypes[4];
    uint32_t *entities; /* indexed by i */
    uint64_t things[TOWN_THINGS];
    uint32_t import;
} making;

static const uint32_t link_entities[] = {offsetof(town_link, next), offsetof(town_link, nobody)};
static const uint32_t link_assets[] = {offsetof(town_link, thing)};

static const kiln_component_desc number_def = {"town.Number", 11, 4, 4, NULL, NULL, 0, 0};
static const kiln_component_desc place_def = {"town.Place", 12, 12, 4, NULL, NULL, 0, 0};
static const kiln_component_desc link_def = {
    "town.Link", 13, sizeof(town_link), 8, link_entities, link_assets, 2, 1};
static const kiln_component_desc lit_def = {"town.Lit", 14, 0, 1, NULL, NULL, 0, 0};

static uint32_t add_component(making *m, const kiln_component_desc *desc)
{
    kiln_scene_component_desc component = {*desc, NULL, NULL, 0};
    uint32_t number = 0;
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_component(m->writer, &component, &number));
    return number;
}

static void add_archetypes(making *m)
{
    m->lit = add_component(m, &lit_def);
    m->place = add_component(m, &place_def);
    m->number = add_component(m, &number_def);
    m->link = add_component(m, &link_def);
    const uint32_t sets[4][3] = {{m->place, m->number, 0},
                                 {m->number, m->place, m->link},
                                 {m->link, m->number, m->lit},
                                 {m->number, 0, 0}};
    const uint32_t counts[4] = {2, 3, 3, 1};
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_archetype(m->writer, sets[i], counts[i],
                                                               &m->archetypes[i]));
}

static void add_things(making *m)
{
    for (uint32_t i = 0; i < (m->def->uses_first ? 1u : TOWN_THINGS); i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "Thing/%c", 'a' + (char)i);
        EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_asset(
                                   m->writer, kiln_asset_id(name, (size_t)length), &m->things[i]));
    }
}

static void write_row(making *m, uint32_t i)
{
    uint32_t entity = m->entities[i];
    memcpy(kiln_scene_writer_at(m->writer, entity, m->number, NULL), &i, sizeof i);
    town_place *place = kiln_scene_writer_at(m->writer, entity, m->place, NULL);
    if (place) {
        place->x = (float)i;
        place->y = 2;
        place->z = 3;
    }
    town_link link = {{m->entities[town_next(i, m->def->count)], KILN_SCENE_LOCAL}, {0, 0}, {0}};
    if (i == 1 && m->def->neighbour) {
        link.next.index = 0;
        link.next.version = KILN_SCENE_IMPORT + m->import;
    }
    if (i % 8 == 1)
        link.thing.bits = m->things[m->def->uses_first ? 0 : i / 8 % TOWN_THINGS];
    void *at = kiln_scene_writer_at(m->writer, entity, m->link, NULL);
    if (at)
        memcpy(at, &link, sizeof link);
}

static void add_entities(making *m)
{
    uint32_t bare = 0, first = 0;
    m->entities = calloc(m->def->count + 1, sizeof *m->entities);
    assert_non_null(m->entities);
    if (m->def->empty) {
        EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_archetype(m->writer, NULL, 0, &bare));
        EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_rows(m->writer, bare, m->def->empty, &first));
    }
    for (uint32_t i = 0; i < m->def->count; i++)
        EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_rows(m->writer, m->archetypes[i % 4], 1,
                                                          &m->entities[i]));
    for (uint32_t i = 0; i < m->def->count; i++)
        write_row(m, i);
    for (uint32_t i = 0; i < m->def->count && i < 100; i++) {
        char name[32];
        int length = i == 1 ? snprintf(name, sizeof name, "one")
                            : snprintf(name, sizeof name, "entity %u", (unsigned)i);
        EXPECT_STATUS(KILN_OK,
                      kiln_scene_writer_name(m->writer, m->entities[i], name, (size_t)length));
    }
}

/* An asset without references: a `town.Thing` with one number. */
static kiln_types *make_types(uint32_t *ret_thing)
{
    const kiln_member fields[] = {{.name = "value", .type = 0}};
    const kiln_type types[] = {{.kind = KILN_KIND_U32},
                               {.kind = KILN_KIND_STRUCT,
                                .name = "town.Thing",
                                .flags = KILN_TYPE_ASSET,
                                .members = fields,
                                .member_count = 1}};
    kiln_types *plain = NULL, *all = NULL;
    EXPECT_STATUS(KILN_OK, kiln_types_create(NULL, types, 2, &plain, NULL));
    EXPECT_STATUS(KILN_OK, kiln_types_with_scene(plain, NULL, &all, NULL));
    kiln_types_destroy(plain);
    *ret_thing = kiln_types_find(all, "town.Thing");
    return all;
}

static void add_thing_blobs(kiln_file_writer *file, const kiln_types *types, uint32_t thing)
{
    for (uint32_t i = 0; i < TOWN_THINGS; i++) {
        char name[32];
        snprintf(name, sizeof name, "Thing/%c", 'a' + (char)i);
        kiln_builder_def def = kiln_builder_def_default();
        kiln_builder *builder = NULL;
        def.types = types;
        EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &builder));
        *(uint32_t *)kiln_builder_root(builder, 4, 4) = 100 + i;
        EXPECT_STATUS(KILN_OK, kiln_file_writer_build(file, name, thing, builder, NULL));
        kiln_builder_destroy(builder);
    }
}

static void save(kiln_buffer *image, const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(image->size, fwrite(image->data, 1, image->size, file));
    assert_int_equal(0, fclose(file));
    kiln_buffer_fini(image);
}

kiln_buffer town_file(const town_def *def)
{
    making m = {.def = def};
    kiln_file_writer_def file_def = kiln_file_writer_def_default();
    kiln_file_writer *file = NULL;
    kiln_buffer image = {0};
    uint32_t thing = 0;
    m.types = make_types(&thing);
    file_def.types = m.types;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&file_def, &file, NULL));
    add_thing_blobs(file, m.types, thing);
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_create(NULL, &m.writer));
    add_archetypes(&m);
    add_things(&m);
    if (def->neighbour)
        EXPECT_STATUS(KILN_OK,
                      kiln_scene_writer_add_import(m.writer, def->neighbour, "one", &m.import));
    add_entities(&m);
    if (def->is_compressed)
        EXPECT_STATUS(KILN_OK, kiln_file_writer_compress(file, 3, NULL));
    kiln_scene_finish_args finish = {.name = def->name ? def->name : "Scene/town",
                                     .file = file,
                                     .types = m.types,
                                     .data_type = KILN_TYPE_NONE};
    kiln_error error = {0};
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_finish(m.writer, &finish, &error));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(file, &image, &error));
    kiln_scene_writer_destroy(m.writer);
    kiln_file_writer_destroy(file);
    kiln_types_destroy(m.types);
    free(m.entities);
    if (def->path)
        save(&image, def->path);
    return image;
}

/* ---- the world ---- */

void town_mount(town *t, const town_def *def, kiln_buffer *ret_image)
{
    kiln_mount_def mount = kiln_mount_def_default();
    *ret_image = town_file(def);
    if (def->path) {
        mount.file.path = def->path;
    } else {
        mount.file.data = ret_image->data;
        mount.file.size = ret_image->size;
    }
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(t->assets, &mount, &t->mount, &t->error));
}

void town_begin(town *t, const town_def *def)
{
    memset(t, 0, sizeof *t);
    world_memory_init(&t->memory);
    kiln_assets_def assets = kiln_assets_def_default();
    assets.allocator = &t->memory.allocator;
    assets.track_takers = false; /* recording takers may fail silently without memory */
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&assets, &t->assets, &t->error));
    town_mount(t, def, &t->image);
    kiln_world_def world = world_memory_def(&t->memory);
    if (def->path)
        world.pages = NULL;
    EXPECT_STATUS(KILN_OK, kiln_world_create(&world, &t->world));
    EXPECT_STATUS(KILN_OK, kiln_component_register(t->world, &number_def, &t->number));
    EXPECT_STATUS(KILN_OK, kiln_component_register(t->world, &place_def, &t->place));
    EXPECT_STATUS(KILN_OK, kiln_component_register(t->world, &link_def, &t->link));
    EXPECT_STATUS(KILN_OK, kiln_component_register(t->world, &lit_def, &t->lit));
    t->count = def->count;
    t->empty = def->empty;
}

void town_expect_nothing_held(kiln_assets *assets)
{
    kiln_assets_stats stats;
    kiln_assets_get_stats(assets, &stats);
    assert_int_equal(0, stats.strong);
    assert_int_equal(0, stats.weak);
    assert_int_equal(0, stats.borrowed);
}

void town_end(town *t)
{
    kiln_world_destroy(t->world);
    town_expect_nothing_held(t->assets);
    kiln_assets_destroy(t->assets);
    kiln_buffer_fini(&t->image);
    assert_int_equal(0, t->memory.heap_bytes);
    assert_int_equal(0, t->memory.page_bytes);
}

kiln_scene_source *town_open(town *t, const char *name)
{
    kiln_scene_source *source = NULL;
    kiln_scene_source_args args = {.assets = t->assets, .name = name, .by = KILN_HERE};
    EXPECT_STATUS(KILN_OK, kiln_scene_source_open(&args, &source, &t->error));
    return source;
}

kiln_scene_instance *town_load(town *t, kiln_scene_source *source)
{
    kiln_scene_instance *instance = NULL;
    kiln_scene_load_args args = {.world = t->world, .source = source};
    kiln_status status = kiln_scene_load(&args, &instance, &t->error);
    if (status)
        fail_msg("%s: %s", kiln_status_text(status), t->error.path);
    return instance;
}

/* ---- checks ---- */

static uint32_t number_of(const town *t, kiln_entity entity)
{
    const uint32_t *number = kiln_entity_read(t->world, entity, t->number);
    return number ? *number : UINT32_MAX;
}

static void check_thing(const town *t, kiln_ref ref, uint32_t i)
{
    const uint32_t *thing = kiln_ref_get(kiln_assets_get_slots(t->assets), ref);
    if (i % 8 != 1) {
        assert_null(thing);
        return;
    }
    assert_non_null(thing);
    assert_int_equal(100 + i / 8 % TOWN_THINGS, *thing);
}

static void check_entity(const town *t, kiln_entity entity, uint32_t i, uint32_t count)
{
    const town_place *place = kiln_entity_read(t->world, entity, t->place);
    const town_link *link = kiln_entity_read(t->world, entity, t->link);
    assert_int_equal(i % 4 < 2, place != NULL);
    assert_int_equal(i % 4 == 1 || i % 4 == 2, link != NULL);
    assert_int_equal(i % 4 == 2, kiln_entity_has(t->world, entity, t->lit));
    if (place && (place->x != (float)i || place->y != 2 || place->z != 3))
        fail_msg("entity %u has a wrong place", (unsigned)i);
    if (!link)
        return;
    assert_int_equal(town_next(i, count), number_of(t, link->next));
    assert_true(kiln_entity_is_null(link->nobody));
    check_thing(t, link->thing, i);
}

void town_check(town *t, const kiln_scene_instance *instance, uint32_t count, uint32_t bare)
{
    unsigned char *seen = calloc(count + 1, 1);
    uint32_t bare_seen = 0;
    assert_non_null(seen);
    for (uint32_t n = 0; n < count + bare; n++) {
        kiln_entity entity = kiln_scene_entity(instance, n);
        assert_false(kiln_entity_is_null(entity));
        uint32_t i = number_of(t, entity);
        if (i == UINT32_MAX) {
            bare_seen++;
            continue;
        }
        assert_true(i < count && !seen[i]);
        seen[i] = 1;
        check_entity(t, entity, i, count);
    }
    assert_int_equal(bare, bare_seen);
    assert_true(kiln_entity_is_null(kiln_scene_entity(instance, count + bare)));
    assert_true(kiln_world_is_valid(t->world));
    free(seen);
}

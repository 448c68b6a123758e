#include "sample_scene.h"

#include "sample_clusters.h"

#include "sample_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiln/blob_header.h>
#include <kiln/builder.h>
#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <kiln/scene.h>
#include <stdio.h>
#include <string.h>

enum {
    T_BOOL,
    T_U32,
    T_F32,
    T_STRING,
    T_STRINGS,
    T_TEXT_LISTS,
    T_ENTITY,
    T_STOPS,
    T_STATE,
    T_COIN,
    T_COIN_REF,
    T_NAME,
    T_TAGS,
    T_POSITION,
    T_DOOR,
    T_LABEL,
    T_PATH,
    T_LIT,
    T_DATA,
    T_COUNT
};

#define FIELD(field_name, field_type)                                                              \
    {                                                                                              \
        .name = (field_name), .type = (field_type)                                                 \
    }
#define OF(type_kind, part_type)                                                                   \
    {                                                                                              \
        .kind = (type_kind), .element = (part_type), .key = KILN_TYPE_NONE                         \
    }
#define STRUCT(type_name, type_flags, list)                                                        \
    {                                                                                              \
        .kind = KILN_KIND_STRUCT, .name = (type_name), .flags = (type_flags), .members = (list),   \
        .member_count = sizeof(list) / sizeof *(list), .element = KILN_TYPE_NONE,                  \
        .key = KILN_TYPE_NONE                                                                      \
    }

static const kiln_member state_values[] = {{.name = "open", .value = 1, .type = KILN_TYPE_NONE},
                                           {.name = "stuck", .value = 3, .type = KILN_TYPE_NONE}};
static const kiln_member coin_fields[] = {FIELD("value", T_U32)};
static const kiln_member position_fields[] = {FIELD("x", T_F32), FIELD("y", T_F32)};
static const kiln_member door_fields[] = {FIELD("open", T_BOOL), FIELD("state", T_STATE),
                                          FIELD("to", T_ENTITY), FIELD("key", T_COIN_REF)};
static const kiln_member label_fields[] = {FIELD("name", T_NAME), FIELD("tags", T_TAGS)};
static const kiln_member path_fields[] = {FIELD("stops", T_STOPS)};
static const kiln_member data_fields[] = {FIELD("game.Label.name", T_STRINGS),
                                          FIELD("game.Label.tags", T_TEXT_LISTS)};

static const kiln_type descriptions[T_COUNT] = {
    [T_BOOL] = OF(KILN_KIND_BOOL, KILN_TYPE_NONE),
    [T_U32] = OF(KILN_KIND_U32, KILN_TYPE_NONE),
    [T_F32] = OF(KILN_KIND_F32, KILN_TYPE_NONE),
    [T_STRING] = OF(KILN_KIND_STRING, KILN_TYPE_NONE),
    [T_STRINGS] = OF(KILN_KIND_ARRAY, T_STRING),
    [T_TEXT_LISTS] = OF(KILN_KIND_ARRAY, T_STRINGS),
    [T_ENTITY] = OF(KILN_KIND_ENTITY, KILN_TYPE_NONE),
    [T_STOPS] = {.kind = KILN_KIND_FIXED, .element = T_ENTITY, .key = KILN_TYPE_NONE, .count = 3},
    [T_STATE] = {.kind = KILN_KIND_ENUM,
                 .name = "game.State",
                 .base = KILN_KIND_U8,
                 .members = state_values,
                 .member_count = 2,
                 .element = KILN_TYPE_NONE,
                 .key = KILN_TYPE_NONE},
    [T_COIN] = STRUCT("game.Coin", KILN_TYPE_ASSET, coin_fields),
    [T_COIN_REF] = OF(KILN_KIND_REF, T_COIN),
    [T_NAME] = OF(KILN_KIND_DATA, T_STRING),
    [T_TAGS] = OF(KILN_KIND_DATA, T_STRINGS),
    [T_POSITION] = STRUCT("game.Position", 0, position_fields),
    [T_DOOR] = STRUCT("game.Door", 0, door_fields),
    [T_LABEL] = STRUCT("game.Label", 0, label_fields),
    [T_PATH] = STRUCT("game.Path", 0, path_fields),
    [T_LIT] = {.kind = KILN_KIND_STRUCT,
               .name = "game.Lit",
               .element = KILN_TYPE_NONE,
               .key = KILN_TYPE_NONE},
    [T_DATA] = STRUCT("game.SceneData", KILN_TYPE_ASSET, data_fields),
};

typedef struct entity_word {
    uint32_t number, source;
} entity_word;

/* The components as C structs. */
typedef struct position {
    float x, y;
} position;

typedef struct door {
    uint8_t open, state;
    entity_word to;
    KILN_ALIGNAS(8) uint64_t key;
} door;

typedef struct label {
    KILN_ALIGNAS(8) uint64_t name, tags;
} label;

/* No type in the file describes it. */
typedef struct glow {
    uint32_t strength;
    entity_word source;
    KILN_ALIGNAS(8) uint64_t coin, name;
    uint8_t rest[24];
} glow;

enum { C_POSITION, C_DOOR, C_LABEL, C_PATH, C_LIT, C_GLOW, C_COUNT };

typedef struct maker {
    kiln_types *types;
    kiln_builder *builder;
    kiln_file_writer *file;
    kiln_scene_writer *scene;
    uint32_t components[C_COUNT];
    uint64_t coins[2], music; /* words */
} maker;

static void must(kiln_status status)
{
    if (status)
        fail_msg("%s", kiln_status_text(status));
}

static void add_component(maker *m, uint32_t number, uint32_t type)
{
    kiln_component_type described;
    const char *names[8];
    uint32_t data = kiln_types_find(m->types, "game.SceneData"), i;
    must(kiln_component_type_init(m->types, type, data, NULL, &described));
    for (i = 0; i < described.field_count; i++)
        names[i] = data_fields[described.field_members[i]].name;
    kiln_scene_component_desc desc = {described.desc, described.field_places, names,
                                      described.field_count};
    must(kiln_scene_writer_add_component(m->scene, &desc, &m->components[number]));
    kiln_component_type_fini(&described);
}

static void add_glow(maker *m)
{
    static const uint32_t entities[] = {offsetof(glow, source)}, assets[] = {offsetof(glow, coin)},
                          fields[] = {offsetof(glow, name)};
    static const char *const names[] = {"game.Label.name"};
    static const kiln_scene_component_desc desc = {
        {"mod.Glow", 77, sizeof(glow), 8, entities, assets, 1, 1}, fields, names, 1};
    must(kiln_scene_writer_add_component(m->scene, &desc, &m->components[C_GLOW]));
}

static void add_components(maker *m)
{
    static const uint32_t types[] = {T_POSITION, T_DOOR, T_LABEL, T_PATH, T_LIT};
    uint32_t i;
    for (i = 0; i < C_GLOW; i++)
        add_component(m, i, types[i]);
    add_glow(m);
}

/* Adds `count` entities with the components whose bits are set, and returns the first. */
static uint32_t add_rows(maker *m, unsigned set, uint32_t count)
{
    uint32_t components[C_COUNT], used = 0, i, archetype, first;
    for (i = 0; i < C_COUNT; i++)
        if (set >> i & 1)
            components[used++] = m->components[i];
    must(kiln_scene_writer_add_archetype(m->scene, components, used, &archetype));
    must(kiln_scene_writer_add_rows(m->scene, archetype, count, &first));
    return first;
}

static void *at(maker *m, uint32_t entity, uint32_t component)
{
    void *row = kiln_scene_writer_at(m->scene, entity, m->components[component], NULL);
    assert_non_null(row);
    return row;
}

static void name(maker *m, uint32_t entity, const char *text)
{
    must(kiln_scene_writer_name(m->scene, entity, text, strlen(text)));
}

static void fill_door(maker *m, uint32_t entity, entity_word to, uint64_t key)
{
    door *made = at(m, entity, C_DOOR);
    made->open = 1;
    made->state = 3;
    made->to = to;
    made->key = key;
    ((position *)at(m, entity, C_POSITION))->x = 2.5f;
}

static void fill_label(maker *m, uint32_t entity, uint64_t name_word, uint64_t tags)
{
    label *made = at(m, entity, C_LABEL);
    made->name = name_word;
    made->tags = tags;
}

static void add_harbour(maker *m, bool is_small)
{
    const entity_word none = {0, KILN_SCENE_NULL};
    uint32_t bare = add_rows(m, 0, 1), lit = add_rows(m, 1u << C_LIT, 2),
             doors = add_rows(m, 1u << C_POSITION | 1u << C_DOOR, 3),
             labels = add_rows(m, 1u << C_LABEL | 1u << C_LIT | 1u << C_PATH, 2),
             glows = add_rows(m, 1u << C_GLOW, 2), import;
    entity_word to_label = {labels, KILN_SCENE_LOCAL}, to_bare = {bare, KILN_SCENE_LOCAL};
    (void)add_rows(m, 1u << C_POSITION, is_small ? 3 : 5000);
    must(kiln_scene_writer_add_import(m->scene, "Scene/other", "quay", &import));
    entity_word to_quay = {0, KILN_SCENE_IMPORT + import};
    name(m, doors, "door");
    name(m, labels, "sign \"west\"");
    name(m, lit + 1, "7");
    fill_door(m, doors, to_label, m->coins[1]);
    fill_door(m, doors + 1, to_quay, m->music);
    fill_door(m, doors + 2, none, 0);
    fill_label(m, labels, 1, 2);
    fill_label(m, labels + 1, 0, 0);
    ((entity_word *)at(m, labels, C_PATH))[0] = to_bare;
    ((entity_word *)at(m, labels, C_PATH))[1] = to_quay;
    glow *made = at(m, glows, C_GLOW);
    /* Copies field by field, so that padding stays unchanged. */
    made->strength = 9;
    made->source = to_label;
    made->coin = m->coins[0];
    made->name = 2;
    for (uint8_t i = 0; i < 3; i++)
        made->rest[i] = (uint8_t)(i + 1);
}

static void add_dot(maker *m)
{
    kiln_scene_finish_args args = {.name = "Scene/dot", .file = m->file, .types = m->types};
    (void)add_rows(m, 0, 1);
    must(kiln_scene_writer_finish(m->scene, &args, NULL));
}

static void set_text(maker *m, kiln_string *field, const char *text)
{
    assert_true(kiln_builder_string(m->builder, field, text, strlen(text)));
}

/* Data with two lists of tags, and two or three names. */
static kiln_buffer data_blob(maker *m, uint32_t name_count)
{
    typedef struct scene_data {
        kiln_array names, tags;
    } scene_data;
    kiln_buffer blob = {0};
    scene_data *root = kiln_builder_root(m->builder, sizeof *root, 4);
    kiln_string *names = kiln_builder_array(m->builder, &root->names, name_count, sizeof *names, 4);
    kiln_array *tags = kiln_builder_array(m->builder, &root->tags, 2, sizeof *tags, 4);
    set_text(m, &names[0], "West gate");
    set_text(m, &names[1], "a\tglow");
    if (name_count > 2)
        set_text(m, &names[2], "nobody's");
    kiln_string *second = kiln_builder_array(m->builder, &tags[1], 2, sizeof *second, 4);
    set_text(m, &second[0], "old");
    set_text(m, &second[1], "wooden");
    must(kiln_builder_finish(m->builder, T_DATA, KILN_FLAG_CANONICAL, &blob, NULL));
    kiln_builder_reset(m->builder);
    return blob;
}

static void finish(maker *m, const char *scene, uint32_t name_count)
{
    kiln_buffer data = data_blob(m, name_count);
    kiln_scene_finish_args args = {
        .name = scene, .file = m->file, .types = m->types, .data = &data, .data_type = T_DATA};
    must(kiln_scene_writer_finish(m->scene, &args, NULL));
    kiln_buffer_fini(&data);
}

static void add_assets(maker *m)
{
    static const char *const coins[] = {"Coin/one", "Coin/two"};
    uint32_t i;
    for (i = 0; i < 2; i++) {
        *(uint32_t *)kiln_builder_root(m->builder, 4, 4) = i + 1;
        must(kiln_file_writer_build(m->file, coins[i], T_COIN, m->builder, NULL));
        kiln_builder_reset(m->builder);
        must(kiln_scene_writer_add_asset(m->scene, kiln_asset_id(coins[i], 8), &m->coins[i]));
    }
    must(kiln_file_writer_import(m->file, "Music/theme"));
    must(kiln_scene_writer_add_asset(m->scene, kiln_asset_id("Music/theme", 11), &m->music));
}

static void make_types(maker *m)
{
    kiln_types *types = NULL;
    kiln_error error = {.status = KILN_OK};
    if (kiln_types_create(NULL, descriptions, T_COUNT, &types, &error) != KILN_OK)
        fail_msg("%s: %s", kiln_status_text(error.status), error.path);
    must(kiln_types_with_scene(types, NULL, &m->types, NULL));
    kiln_types_destroy(types);
}

static kiln_index_member *member_of(const kiln_buffer *file, const char *asset)
{
    kiln_index *index = (void *)(file->data + KILN_HEADER_SIZE);
    uint32_t number = kiln_index_find_name(index, asset, strlen(asset));
    kiln_index_member *members = (void *)((unsigned char *)&index->members + index->members.offset);
    return &members[kiln_index_asset_at(index, number)->member];
}

/* Recomputes the hash of a blob and returns it. */
static uint64_t restate_blob(unsigned char *blob)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    kiln_header_write(blob, header.flags, header.payload_size, header.layout);
    memcpy(&header, blob, sizeof header);
    return header.hash;
}

static void *root_of(unsigned char *blob)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    return blob + kiln_header_payload_at(&header);
}

/* Corrects the hashes of scene and chunks, and the fields that contain them. If `is_own` is false,
 * the scene gets a wrong hash of its chunks. */
static void restate(kiln_buffer *file, bool is_own)
{
    kiln_index_member *chunks = member_of(file, "SceneChunks/harbour");
    kiln_index_member *scene = member_of(file, "Scene/harbour");
    kiln_scene *root = root_of(file->data + scene->place);
    root->chunks_hash = restate_blob(file->data + chunks->place) + !is_own;
    (void)restate_blob(file->data + scene->place);
    chunks->content = kiln_content_hash(file->data + chunks->place, (size_t)chunks->size);
    scene->content = kiln_content_hash(file->data + scene->place, (size_t)scene->size);
    (void)restate_blob(file->data);
}

/* Makes a door's bool invalid and corrects all hashes. The bool is the first byte of the first
 * trimmed row. No writer makes such a file. */
static void spoil_door(kiln_buffer *file)
{
    kiln_scene_chunks *root = root_of(file->data + member_of(file, "SceneChunks/harbour")->place);
    ((unsigned char *)&root->tails)[root->tails.offset] = 7;
    restate(file, true);
}

/* A component with many words, and many assets and entities to which rows refer. */
static void add_long(maker *m)
{
    static const uint32_t entities[] = {0, 8, 16, 24, 32, 40};
    static const uint32_t assets[] = {48, 56, 64, 72};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    uint32_t fields[11], i, number;
    kiln_scene_component_desc desc = {
        {"mod.Long", 0, 168, 8, entities, assets, 6, 4}, fields, names, 11};
    kiln_scene_finish_args finish = {.name = "Scene/long", .file = m->file, .types = m->types};
    for (i = 0; i < 11; i++)
        fields[i] = 80 + 8 * i;
    must(kiln_scene_writer_add_component(m->scene, &desc, &m->components[C_GLOW]));
    (void)add_rows(m, 1u << C_GLOW, 1);
    for (i = 0; i < 12; i++) {
        char text[16];
        uint64_t word;
        snprintf(text, sizeof text, "Thing/%02u", (unsigned)i);
        must(kiln_file_writer_import(m->file, text));
        must(kiln_scene_writer_add_asset(m->scene, kiln_asset_id(text, 8), &word));
        must(kiln_scene_writer_add_import(m->scene, "Scene/far", text + 6, &number));
    }
    must(kiln_scene_writer_finish(m->scene, &finish, NULL));
}

/* Only the large scene's own blob. The other parts of the scene are in another file. */
static void add_apart(maker *m)
{
    static const char *const imports[] = {"SceneChunks/harbour", "SceneData/harbour", "Coin/one",
                                          "Coin/two", "Music/theme"};
    kiln_buffer full = sample_scene(SAMPLE_SCENE_FULL);
    const kiln_index_member *member = member_of(&full, "Scene/harbour");
    size_t i;
    for (i = 0; i < sizeof imports / sizeof *imports; i++)
        must(kiln_file_writer_import(m->file, imports[i]));
    must(kiln_file_writer_add(m->file, "Scene/harbour",
                              kiln_types_find(m->types, KILN_SCENE_TYPE_NAME),
                              (kiln_span){full.data + member->place, (size_t)member->size}, NULL));
    kiln_buffer_fini(&full);
}

/* Scenes that differ only in the name of an entity. */
static void add_shared(maker *m)
{
    enum { SCENES = 600 };
    uint32_t i;
    for (i = 0; i < SCENES; i++) {
        char text[24];
        kiln_scene_finish_args args = {.name = text, .file = m->file, .types = m->types};
        snprintf(text, sizeof text, "Scene/%03u", (unsigned)i);
        add_component(m, C_POSITION, T_POSITION);
        name(m, add_rows(m, 1u << C_POSITION, 5000), text);
        must(kiln_scene_writer_finish(m->scene, &args, NULL));
    }
}

/* Two scenes with two labels each, so four words. The entity with the lower number has the later
 * values. The data of the first has four elements, that of the second five. */
static void add_ordered(maker *m)
{
    static const char *const scenes[] = {"Scene/exact", "Scene/excess"};
    uint32_t i;
    for (i = 0; i < 2; i++) {
        uint32_t late, early;
        add_component(m, C_LABEL, T_LABEL);
        add_component(m, C_LIT, T_LIT);
        late = add_rows(m, 1u << C_LABEL, 1);
        early = add_rows(m, 1u << C_LABEL | 1u << C_LIT, 1);
        name(m, late, "late");
        name(m, early, "early");
        fill_label(m, late, 2, 2);
        fill_label(m, early, 1, 1);
        finish(m, scenes[i], 2 + i);
    }
}

/* Fills the file with the scenes of a sample. */
static void add_scenes(maker *m, sample_scene_kind kind)
{
    if (kind == SAMPLE_SCENE_APART) {
        add_apart(m);
        return;
    }
    if (kind == SAMPLE_SCENE_SHARED) {
        add_shared(m);
        return;
    }
    if (kind == SAMPLE_SCENE_LONG) {
        add_long(m);
        return;
    }
    if (kind == SAMPLE_SCENE_ORDERED) {
        add_ordered(m);
        return;
    }
    add_assets(m);
    add_components(m);
    add_harbour(m, kind == SAMPLE_SCENE_SMALL);
    finish(m, "Scene/harbour", 2);
    if (kind != SAMPLE_SCENE_SMALL)
        add_dot(m);
}

kiln_buffer sample_scene(sample_scene_kind kind)
{
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_buffer file = {0};
    maker m = {0};
    make_types(&m);
    builder_def.types = def.types = m.types;
    def.omit_type_table = kind == SAMPLE_SCENE_UNTYPED;
    must(kiln_builder_create(&builder_def, &m.builder));
    must(kiln_file_writer_create(&def, &m.file, NULL));
    must(kiln_scene_writer_create(NULL, &m.scene));
    if (kind == SAMPLE_SCENE_PACKED)
        must(kiln_file_writer_compress(m.file, 3, NULL));
    add_scenes(&m, kind);
    must(kiln_file_writer_finish_buffer(m.file, &file, NULL));
    if (kind == SAMPLE_SCENE_WRONG)
        spoil_door(&file);
    if (kind == SAMPLE_SCENE_FOREIGN)
        restate(&file, false);
    kiln_scene_writer_destroy(m.scene);
    kiln_file_writer_destroy(m.file);
    kiln_builder_destroy(m.builder);
    kiln_types_destroy(m.types);
    return file;
}

kiln_buffer sample_of_number(int number)
{
    if (number >= SAMPLE_CLUSTERS)
        return sample_clusters((sample_clusters_kind)(number - SAMPLE_CLUSTERS));
    return number < SAMPLE_SCENES ? sample_file((sample_kind)number)
                                  : sample_scene((sample_scene_kind)(number - SAMPLE_SCENES));
}

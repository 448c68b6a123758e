#include "hamlet.h"

#include <kiln/builder.h>
#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

enum {
    T_U8,
    T_U16,
    T_U32,
    T_F32,
    T_STRING,
    T_REF,
    T_ENTITY,
    T_PLACE,
    T_SERIAL,
    T_LEAF,
    T_LEAF_OPTIONAL,
    T_LEAVES,
    T_LOOK_UNION,
    T_COUNTS,
    T_TEXT_DATA,
    T_LEAVES_DATA,
    T_LOOK_DATA,
    T_COUNTS_DATA,
    T_TWO_TEXTS,
    T_BIG_LIST,
    T_LINK,
    T_LABEL,
    T_LOOK,
    T_ODD,
    T_BIG,
    T_LIT,
    T_DARK,
    T_TEXT_LIST,
    T_LEAVES_LIST,
    T_LOOK_LIST,
    T_COUNTS_LIST,
    T_DATA,
    T_THING,
    T_COUNT
};

#define FIELD(field_name, field_type)                                                              \
    {                                                                                              \
        .name = field_name, .type = field_type                                                     \
    }
#define STRUCT(type_name, list, type_flags)                                                        \
    {                                                                                              \
        .kind = KILN_KIND_STRUCT, .name = type_name, .members = list,                              \
        .member_count = sizeof list / sizeof *list, .flags = type_flags                            \
    }

static const kiln_member place[] = {FIELD("x", T_F32), FIELD("y", T_F32), FIELD("z", T_F32)};
static const kiln_member serial[] = {FIELD("value", T_U32)};
static const kiln_member leaf[] = {FIELD("name", T_STRING), FIELD("weight", T_U32),
                                   FIELD("next", T_LEAF_OPTIONAL)};
static const kiln_member look_union[] = {
    {.name = "text", .type = T_STRING, .value = 1},
    {.name = "leaf", .type = T_LEAF, .value = 2},
    {.name = "nothing", .type = KILN_TYPE_NONE, .value = 3},
    {.name = "thing", .type = T_REF, .value = 4},
};
static const kiln_member link_members[] = {FIELD("a", T_ENTITY), FIELD("flag", T_U8),
                                           FIELD("b", T_ENTITY), FIELD("thing", T_REF),
                                           FIELD("other", T_REF)};
static const kiln_member label[] = {FIELD("text", T_TEXT_DATA), FIELD("leaves", T_LEAVES_DATA)};
static const kiln_member look[] = {FIELD("kind", T_U8), FIELD("look", T_LOOK_DATA),
                                   FIELD("counts", T_COUNTS_DATA), FIELD("names", T_TWO_TEXTS)};
static const kiln_member odd[] = {FIELD("a", T_U8), FIELD("b", T_U32), FIELD("c", T_U16)};
static const kiln_member big[] = {FIELD("values", T_BIG_LIST)};
static const kiln_member data[] = {
    FIELD("hamlet.Label.text", T_TEXT_LIST), FIELD("hamlet.Label.leaves", T_LEAVES_LIST),
    FIELD("hamlet.Look.look", T_LOOK_LIST), FIELD("hamlet.Look.counts", T_COUNTS_LIST),
    FIELD("hamlet.Look.names", T_TEXT_LIST)};

static const kiln_type descriptions[T_COUNT] = {
    [T_U8] = {.kind = KILN_KIND_U8},
    [T_U16] = {.kind = KILN_KIND_U16},
    [T_U32] = {.kind = KILN_KIND_U32},
    [T_F32] = {.kind = KILN_KIND_F32},
    [T_STRING] = {.kind = KILN_KIND_STRING},
    [T_REF] = {.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE},
    [T_ENTITY] = {.kind = KILN_KIND_ENTITY},
    [T_PLACE] = STRUCT("hamlet.Place", place, 0),
    [T_SERIAL] = STRUCT("hamlet.Serial", serial, 0),
    [T_LEAF] = STRUCT("hamlet.Leaf", leaf, 0),
    [T_LEAF_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = T_LEAF},
    [T_LEAVES] = {.kind = KILN_KIND_ARRAY, .element = T_LEAF},
    [T_LOOK_UNION] = {.kind = KILN_KIND_UNION,
                      .name = "hamlet.Shape",
                      .members = look_union,
                      .member_count = 4},
    [T_COUNTS] = {.kind = KILN_KIND_MAP, .key = T_STRING, .element = T_U32},
    [T_TEXT_DATA] = {.kind = KILN_KIND_DATA, .element = T_STRING},
    [T_LEAVES_DATA] = {.kind = KILN_KIND_DATA, .element = T_LEAVES},
    [T_LOOK_DATA] = {.kind = KILN_KIND_DATA, .element = T_LOOK_UNION},
    [T_COUNTS_DATA] = {.kind = KILN_KIND_DATA, .element = T_COUNTS},
    [T_TWO_TEXTS] = {.kind = KILN_KIND_FIXED, .element = T_TEXT_DATA, .count = 2},
    [T_BIG_LIST] = {.kind = KILN_KIND_FIXED, .element = T_U32, .count = 200},
    [T_LINK] = STRUCT("hamlet.Link", link_members, 0),
    [T_LABEL] = STRUCT("hamlet.Label", label, 0),
    [T_LOOK] = STRUCT("hamlet.Look", look, 0),
    [T_ODD] = STRUCT("hamlet.Odd", odd, 0),
    [T_BIG] = STRUCT("hamlet.Big", big, 0),
    [T_LIT] = {.kind = KILN_KIND_STRUCT, .name = "hamlet.Lit"},
    [T_DARK] = {.kind = KILN_KIND_STRUCT, .name = "hamlet.Dark"},
    [T_TEXT_LIST] = {.kind = KILN_KIND_ARRAY, .element = T_STRING},
    [T_LEAVES_LIST] = {.kind = KILN_KIND_ARRAY, .element = T_LEAVES},
    [T_LOOK_LIST] = {.kind = KILN_KIND_ARRAY, .element = T_LOOK_UNION},
    [T_COUNTS_LIST] = {.kind = KILN_KIND_ARRAY, .element = T_COUNTS},
    [T_DATA] = STRUCT("hamlet.SceneData", data, KILN_TYPE_ASSET),
    [T_THING] = STRUCT("hamlet.Thing", serial, KILN_TYPE_ASSET),
};

static const uint32_t component_types[H_COUNT] = {
    [H_SERIAL] = T_SERIAL, [H_PLACE] = T_PLACE, [H_LINK] = T_LINK,
    [H_LABEL] = T_LABEL,   [H_LOOK] = T_LOOK,   [H_ODD] = T_ODD,
    [H_BIG] = T_BIG,       [H_LIT] = T_LIT,     [H_DARK] = T_DARK};

kiln_types *hamlet_unknowing_types(void)
{
    static const char *const names[H_COUNT] = {"other.A", "other.B", "other.C",
                                               "other.D", "other.E", "other.F",
                                               "other.G", "other.H", "other.I"};
    kiln_type renamed[T_COUNT];
    kiln_types *types = NULL;
    memcpy(renamed, descriptions, sizeof renamed);
    for (uint32_t i = 0; i < H_COUNT; i++)
        renamed[component_types[i]].name = names[i];
    EXPECT_STATUS(KILN_OK, kiln_types_create(NULL, renamed, T_COUNT, &types, NULL));
    return types;
}

/* ---- the program's assets and values ---- */

uint32_t hamlet_random(hamlet *h, uint32_t below)
{
    h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((h->random >> 33) % below);
}

static size_t thing_name(char *name, size_t size, uint32_t number)
{
    return (size_t)snprintf(name, size, "Thing/%u", (unsigned)number);
}

static kiln_builder *new_builder(const kiln_types *types)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &builder));
    return builder;
}

void hamlet_add_things(const kiln_types *types, kiln_file_writer *file)
{
    for (uint32_t i = 0; i < HAMLET_THINGS; i++) {
        char name[32];
        thing_name(name, sizeof name, i);
        kiln_builder *builder = new_builder(types);
        *(uint32_t *)kiln_builder_root(builder, 4, 4) = i;
        EXPECT_STATUS(KILN_OK, kiln_file_writer_build(file, name, T_THING, builder, NULL));
        kiln_builder_destroy(builder);
    }
}

static void make_things(hamlet *h)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *file = NULL;
    def.types = h->types;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &file, NULL));
    hamlet_add_things(h->types, file);
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(file, &h->file, NULL));
    kiln_file_writer_destroy(file);
}

typedef struct leaf_value {
    kiln_string name;
    uint32_t weight;
    kiln_ptr next;
} leaf_value;

typedef struct data_value {
    kiln_array texts, leaves, looks, counts, names;
} data_value;

typedef struct count_entry {
    kiln_string key;
    uint32_t value;
} count_entry;

static void put_text(hamlet *h, kiln_builder *b, kiln_string *field)
{
    char text[64];
    int length = snprintf(text, sizeof text, "text %u", (unsigned)hamlet_random(h, 40));
    kiln_builder_string(b, field, text, (size_t)length);
}

/* A chain of one to four leaves, which may end in the rest of the previous chain. */
static void put_leaf(hamlet *h, kiln_builder *b, leaf_value *value, kiln_ptr **shared)
{
    kiln_ptr *first = &value->next;
    put_text(h, b, &value->name);
    value->weight = hamlet_random(h, 3);
    for (uint32_t i = hamlet_random(h, 4); i > 0; i--) {
        if (*shared && hamlet_random(h, 3) == 0) {
            kiln_builder_share(b, &value->next, *shared);
            break;
        }
        value = kiln_builder_pointer(b, &value->next, sizeof *value, 4);
        put_text(h, b, &value->name);
        value->weight = 7 + i;
    }
    *shared = first;
}

static void put_look(hamlet *h, kiln_builder *b, kiln_union *field, kiln_ptr **shared)
{
    uint32_t tag = hamlet_random(h, 5);
    char name[32];
    kiln_id id;
    switch (tag) {
    case 1:
        put_text(h, b, kiln_builder_choose(b, field, tag, sizeof(kiln_string), 4));
        break;
    case 2:
        put_leaf(h, b, kiln_builder_choose(b, field, tag, sizeof(leaf_value), 4), shared);
        break;
    case 4:
        id = kiln_asset_id(name, thing_name(name, sizeof name, hamlet_random(h, HAMLET_THINGS)));
        memcpy(kiln_builder_choose(b, field, tag, sizeof id, 8), &id, sizeof id);
        break;
    default:
        kiln_builder_choose(b, field, tag, 0, 1);
    }
}

static void put_counts(hamlet *h, kiln_builder *b, kiln_array *field)
{
    uint32_t count = 1 + hamlet_random(h, 4);
    count_entry *entries = kiln_builder_array(b, field, count, sizeof *entries, 4);
    for (uint32_t i = 0; i < count; i++) {
        char key[32];
        int length = snprintf(key, sizeof key, "key %u", (unsigned)i);
        kiln_builder_string(b, &entries[i].key, key, (size_t)length);
        entries[i].value = hamlet_random(h, 100);
    }
}

static void make_values(hamlet *h)
{
    kiln_builder *b = new_builder(h->types);
    kiln_ptr *shared = NULL;
    data_value *root = kiln_builder_root(b, sizeof *root, 4);
    kiln_string *texts = kiln_builder_array(b, &root->texts, HAMLET_VALUES, sizeof *texts, 4);
    kiln_array *leaves = kiln_builder_array(b, &root->leaves, HAMLET_VALUES, sizeof *leaves, 4);
    kiln_union *looks = kiln_builder_array(b, &root->looks, HAMLET_VALUES, sizeof *looks, 4);
    kiln_array *counts = kiln_builder_array(b, &root->counts, HAMLET_VALUES, sizeof *counts, 4);
    kiln_string *names = kiln_builder_array(b, &root->names, HAMLET_VALUES, sizeof *names, 4);
    for (uint32_t i = 0; i < HAMLET_VALUES; i++) {
        put_text(h, b, &texts[i]);
        put_text(h, b, &names[i]);
        put_look(h, b, &looks[i], &shared);
        put_counts(h, b, &counts[i]);
        uint32_t count = 1 + hamlet_random(h, 3);
        leaf_value *list = kiln_builder_array(b, &leaves[i], count, sizeof *list, 4);
        for (uint32_t k = 0; k < count; k++)
            put_leaf(h, b, &list[k], &shared);
    }
    EXPECT_STATUS(KILN_OK,
                  kiln_builder_finish(b, T_DATA, hamlet_random(h, 2) == 0 ? KILN_FLAG_CANONICAL : 0,
                                      &h->values, &h->error));
    kiln_builder_destroy(b);
}

uint64_t hamlet_value(hamlet *h, const char *list)
{
    const kiln_type *type = kiln_types_get(h->types, T_DATA);
    const kiln_member *member = kiln_type_member(type, list, strlen(list));
    uint32_t number = hamlet_random(h, HAMLET_VALUES + 1);
    assert_non_null(member);
    if (number == HAMLET_VALUES)
        return 0;
    kiln_blob_header header;
    EXPECT_STATUS(KILN_OK, kiln_header_read(h->values.data, h->values.size, &header, NULL));
    const unsigned char *root = h->values.data + h->values.size - header.payload_size;
    const kiln_array *array = (const void *)(root + member->offset);
    uint32_t element = kiln_types_get(h->types, member->type)->element;
    const unsigned char *first = kiln_relative_get(array, array->offset);
    return (uintptr_t)(first + (size_t)number * kiln_types_get(h->types, element)->size);
}

static void take_things(hamlet *h)
{
    static const kiln_ref_form forms[HAMLET_FORMS] = {KILN_REF_POINTER, KILN_REF_INDIRECT,
                                                      KILN_REF_WEAK, KILN_REF_STRONG};
    kiln_mount mount;
    kiln_mount_def def = kiln_mount_def_default();
    def.file.data = h->file.data;
    def.file.size = h->file.size;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(h->assets, &def, &mount, &h->error));
    for (uint32_t i = 0; i < HAMLET_THINGS; i++) {
        char name[32];
        thing_name(name, sizeof name, i);
        kiln_load_args load = {.name = name, .by = KILN_HERE};
        EXPECT_STATUS(KILN_OK, kiln_assets_load(h->assets, &load, &h->things[i], &h->error));
        for (uint32_t k = 0; k < HAMLET_FORMS; k++)
            EXPECT_STATUS(KILN_OK, kiln_assets_take(h->assets, h->things[i], forms[k], KILN_HERE,
                                                    &h->forms[i][k]));
    }
}

void hamlet_begin(hamlet *h, uint64_t seed)
{
    memset(h, 0, sizeof *h);
    h->random = seed;
    world_memory_init(&h->memory);
    EXPECT_STATUS(KILN_OK, kiln_types_create(NULL, descriptions, T_COUNT, &h->types, &h->error));
    EXPECT_STATUS(KILN_OK, kiln_type_table_write(NULL, h->types, &h->table, &h->error));
    make_things(h);
    make_values(h);
    kiln_assets_def def = kiln_assets_def_default();
    def.types = h->table.data;
    def.types_size = h->table.size;
    def.allocator = &h->memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&def, &h->assets, &h->error));
    take_things(h);
}

kiln_assets *hamlet_other_assets(hamlet *h, const kiln_types *types)
{
    kiln_assets *assets = NULL;
    kiln_buffer table = {0};
    kiln_mount things;
    kiln_assets_def def = kiln_assets_def_default();
    kiln_mount_def mount = kiln_mount_def_default();
    if (types)
        EXPECT_STATUS(KILN_OK, kiln_type_table_write(NULL, types, &table, &h->error));
    def.types = table.data;
    def.types_size = table.size;
    def.allocator = &h->memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&def, &assets, &h->error));
    mount.file.data = h->file.data;
    mount.file.size = h->file.size;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(assets, &mount, &things, &h->error));
    if (types)
        kiln_buffer_fini(&table);
    return assets;
}

void hamlet_end(hamlet *h)
{
    for (uint32_t i = 0; i < HAMLET_THINGS; i++) {
        for (uint32_t k = 0; k < HAMLET_FORMS; k++)
            kiln_assets_clear(h->assets, &h->forms[i][k]);
        kiln_assets_clear(h->assets, &h->things[i]);
    }
    kiln_assets_destroy(h->assets);
    kiln_types_destroy(h->types);
    kiln_buffer_fini(&h->table);
    kiln_buffer_fini(&h->file);
    kiln_buffer_fini(&h->values);
    assert_int_equal(0, h->memory.heap_bytes);
    assert_int_equal(0, h->memory.page_bytes);
}

/* ---- worlds ---- */

void hamlet_world_begin(hamlet *h, hamlet_world *w, bool has_components)
{
    kiln_world_def def = world_memory_def(&h->memory);
    memset(w, 0, sizeof *w);
    EXPECT_STATUS(KILN_OK, kiln_world_create(&def, &w->world));
    uint32_t first = hamlet_random(h, H_COUNT);
    for (uint32_t i = 0; i < H_COUNT && has_components; i++) {
        uint32_t number = (i + first) % H_COUNT;
        kiln_component_type type;
        EXPECT_STATUS(KILN_OK, kiln_component_type_init(h->types, component_types[number], T_DATA,
                                                        NULL, &type));
        EXPECT_STATUS(KILN_OK,
                      kiln_component_register(w->world, &type.desc, &w->components[number]));
        kiln_component_type_fini(&type);
    }
}

void hamlet_world_end(hamlet_world *w)
{
    kiln_world_destroy(w->world);
}

static bool name_entity(hamlet_world *w, kiln_entity entity, uint32_t serial_number)
{
    char name[32];
    snprintf(name, sizeof name, "%u", (unsigned)serial_number);
    return kiln_entity_set_name(w->world, entity, name) == KILN_OK;
}

uint32_t hamlet_serial(const hamlet_world *w, kiln_entity entity)
{
    const uint32_t *number = kiln_entity_read(w->world, entity, w->components[H_SERIAL]);
    if (number)
        return *number;
    const char *name = kiln_entity_name(w->world, entity);
    return name ? (uint32_t)strtoul(name, NULL, 10) : UINT32_MAX;
}

/* Writes everything except entity references, whose targets may not exist yet. Padding gets random
 * bytes. */
static void write_entity(hamlet *h, const hamlet_world *w, kiln_entity entity)
{
    const kiln_component *c = w->components;
    for (uint32_t i = H_PLACE; i < H_COUNT; i++) {
        unsigned char *at = kiln_entity_write(w->world, entity, c[i]);
        uint32_t size = kiln_component_get(w->world, c[i])->size;
        for (uint32_t k = 0; at && k < size; k++)
            at[k] = (unsigned char)hamlet_random(h, 256);
    }
    hamlet_link *to = kiln_entity_write(w->world, entity, c[H_LINK]);
    if (to) {
        to->a = to->b = kiln_entity_null();
        to->thing.bits = to->other.bits = 0;
        if (hamlet_random(h, 2))
            to->thing = h->forms[hamlet_random(h, HAMLET_THINGS)][hamlet_random(h, HAMLET_FORMS)];
        if (hamlet_random(h, 4) == 0)
            to->other = h->forms[hamlet_random(h, HAMLET_THINGS)][hamlet_random(h, HAMLET_FORMS)];
    }
    hamlet_label *text = kiln_entity_write(w->world, entity, c[H_LABEL]);
    if (text) {
        text->text = hamlet_value(h, "hamlet.Label.text");
        text->leaves = hamlet_value(h, "hamlet.Label.leaves");
    }
    hamlet_look *looks = kiln_entity_write(w->world, entity, c[H_LOOK]);
    if (looks) {
        looks->look = hamlet_value(h, "hamlet.Look.look");
        looks->counts = hamlet_value(h, "hamlet.Look.counts");
        looks->names[0] = hamlet_value(h, "hamlet.Look.names");
        looks->names[1] = hamlet_value(h, "hamlet.Look.names");
    }
}

static kiln_entity create(hamlet *h, hamlet_world *w, uint32_t number)
{
    kiln_component set[H_COUNT];
    uint32_t count = 0, mask = hamlet_random(h, 1u << H_COUNT);
    kiln_entity entity = kiln_entity_null();
    kiln_archetype archetype;
    mask &= hamlet_random(h, 3) ? ~(1u << H_BIG) : ~0u;
    for (uint32_t i = 0; i < H_COUNT; i++)
        if (mask >> i & 1)
            set[count++] = w->components[i];
    EXPECT_STATUS(KILN_OK, kiln_archetype_register(w->world, set, count, &archetype));
    EXPECT_STATUS(KILN_OK, kiln_entity_create(w->world, archetype, &entity, NULL));
    if (mask & 1u << H_SERIAL)
        memcpy(kiln_entity_write(w->world, entity, w->components[H_SERIAL]), &number,
               sizeof number);
    if (!(mask & 1u << H_SERIAL) || hamlet_random(h, 8) == 0)
        assert_true(name_entity(w, entity, number));
    write_entity(h, w, entity);
    return entity;
}

static void change(hamlet *h, hamlet_world *w, kiln_entity *entities, uint32_t count)
{
    kiln_entity entity = entities[hamlet_random(h, count)];
    uint32_t number = hamlet_random(h, H_COUNT - H_PLACE) + H_PLACE;
    if (!kiln_entity_exists(w->world, entity))
        return;
    switch (hamlet_random(h, 4)) {
    case 0:
        EXPECT_STATUS(KILN_OK, kiln_entity_destroy(w->world, entity));
        break;
    case 1:
        if (kiln_entity_has(w->world, entity, w->components[H_SERIAL]))
            EXPECT_STATUS(KILN_OK, kiln_entity_remove(w->world, entity, w->components[number]));
        break;
    default:
        EXPECT_STATUS(KILN_OK, kiln_entity_add(w->world, entity, w->components[number], NULL));
        write_entity(h, w, entity);
    }
}

static void link_all(hamlet *h, hamlet_world *w, const kiln_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        hamlet_link *to = kiln_entity_write(w->world, entities[i], w->components[H_LINK]);
        if (!to)
            continue;
        to->a = entities[hamlet_random(h, count)];
        if (hamlet_random(h, 3))
            to->b = entities[hamlet_random(h, count)];
    }
}

void hamlet_fill(hamlet *h, hamlet_world *w, uint32_t count)
{
    kiln_entity *entities = calloc(count, sizeof *entities);
    assert_non_null(entities);
    assert_true(count <= HAMLET_SERIALS);
    for (uint32_t i = 0; i < count; i++)
        entities[i] = create(h, w, i);
    for (uint32_t i = 0; i < count; i++)
        change(h, w, entities, count);
    link_all(h, w, entities, count);
    free(entities);
    assert_true(kiln_world_is_valid(w->world));
}

/* ---- equality ---- */

static bool are_values_same(const kiln_types *types, uint32_t number, const unsigned char *a,
                            const unsigned char *b);

static bool are_rows_same(const kiln_types *types, uint32_t number, uint32_t count,
                          const unsigned char *a, const unsigned char *b)
{
    uint32_t size = kiln_types_get(types, number)->size;
    bool is_same = true;
    for (uint32_t i = 0; i < count && is_same; i++)
        is_same = are_values_same(types, number, a + (size_t)i * size, b + (size_t)i * size);
    return is_same;
}

static bool are_entries_same(const kiln_types *types, const kiln_type *map, uint32_t count,
                             const unsigned char *a, const unsigned char *b)
{
    bool is_same = true;
    for (uint32_t i = 0; i < count && is_same; i++, a += map->entry_size, b += map->entry_size)
        is_same =
            are_values_same(types, map->key, a, b) &&
            are_values_same(types, map->element, a + map->value_offset, b + map->value_offset);
    return is_same;
}

/* Reads an offset and a count, or a tag and an offset. */
static void read_two(const unsigned char *at, uint32_t *ret_words)
{
    memcpy(ret_words, at, 8);
}

static bool are_targets_same(const kiln_types *types, uint32_t number, const unsigned char *a,
                             const unsigned char *b)
{
    uint32_t x = 0, y = 0;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x == 0) == (y == 0) && (x == 0 || are_values_same(types, number, a + x, b + y));
}

static bool are_values_same(const kiln_types *types, uint32_t number, const unsigned char *a,
                            const unsigned char *b)
{
    const kiln_type *type = kiln_types_get(types, number);
    uint32_t x[2], y[2];
    bool is_same = true;
    switch (type->kind) {
    case KILN_KIND_STRUCT:
        for (uint32_t i = 0; i < type->member_count && is_same; i++)
            is_same = are_values_same(types, type->members[i].type, a + type->members[i].offset,
                                      b + type->members[i].offset);
        return is_same;
    case KILN_KIND_OPTIONAL:
        return are_targets_same(types, type->element, a, b);
    case KILN_KIND_UNION:
        read_two(a, x);
        read_two(b, y);
        if (x[0] != y[0] || x[1] == 0 || y[1] == 0)
            return x[0] == y[0] && x[1] == y[1];
        return are_targets_same(types, kiln_type_value(type, x[0])->type, a + 4, b + 4);
    case KILN_KIND_STRING:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
        read_two(a, x);
        read_two(b, y);
        if (x[1] != y[1])
            return false;
        if (type->kind == KILN_KIND_STRING)
            return memcmp(a + x[0], b + y[0], x[1]) == 0;
        if (type->kind == KILN_KIND_MAP)
            return are_entries_same(types, type, x[1], a + x[0], b + y[0]);
        return are_rows_same(types, type->element, x[1], a + x[0], b + y[0]);
    default:
        return memcmp(a, b, type->size) == 0;
    }
}

typedef struct comparing {
    hamlet *h;
    const hamlet_world *a, *b;
    const bool *is_some;
} comparing;

static bool is_some(const comparing *c, uint32_t number)
{
    return number != UINT32_MAX && (!c->is_some || c->is_some[number]);
}

static void check_entities(const comparing *c, kiln_entity in_a, kiln_entity in_b)
{
    uint32_t number = hamlet_serial(c->a, in_a);
    assert_int_equal(is_some(c, number) ? number : UINT32_MAX, hamlet_serial(c->b, in_b));
    if (!is_some(c, number))
        assert_true(kiln_entity_is_null(in_b));
}

static kiln_id id_of(hamlet *h, kiln_ref ref)
{
    kiln_asset_info info;
    if (ref.bits == 0)
        return 0;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(h->assets, ref, &info));
    return info.id;
}

static void check_data(const comparing *c, uint32_t type, uint64_t a, uint64_t b)
{
    assert_int_equal(a == 0, b == 0);
    if (a)
        assert_true(are_values_same(c->h->types, type, (const unsigned char *)(uintptr_t)a,
                                    (const unsigned char *)(uintptr_t)b));
}

static void check_words(const comparing *c, kiln_entity a, kiln_entity b)
{
    const hamlet_link *x = kiln_entity_read(c->a->world, a, c->a->components[H_LINK]);
    const hamlet_link *y = kiln_entity_read(c->b->world, b, c->b->components[H_LINK]);
    if (x) {
        check_entities(c, x->a, y->a);
        check_entities(c, x->b, y->b);
        assert_int_equal(x->flag, y->flag);
        assert_true(id_of(c->h, x->thing) == id_of(c->h, y->thing));
        assert_true(id_of(c->h, x->other) == id_of(c->h, y->other));
    }
    const hamlet_label *text = kiln_entity_read(c->a->world, a, c->a->components[H_LABEL]);
    const hamlet_label *same = kiln_entity_read(c->b->world, b, c->b->components[H_LABEL]);
    if (text) {
        check_data(c, T_STRING, text->text, same->text);
        check_data(c, T_LEAVES, text->leaves, same->leaves);
    }
    const hamlet_look *left = kiln_entity_read(c->a->world, a, c->a->components[H_LOOK]);
    const hamlet_look *right = kiln_entity_read(c->b->world, b, c->b->components[H_LOOK]);
    if (left) {
        assert_int_equal(left->kind, right->kind);
        check_data(c, T_LOOK_UNION, left->look, right->look);
        check_data(c, T_COUNTS, left->counts, right->counts);
        check_data(c, T_STRING, left->names[0], right->names[0]);
        check_data(c, T_STRING, left->names[1], right->names[1]);
    }
}

static void check_entity(const comparing *c, kiln_entity a, kiln_entity b)
{
    const char *name = kiln_entity_name(c->a->world, a), *same = kiln_entity_name(c->b->world, b);
    assert_int_equal(name != NULL, same != NULL);
    for (uint32_t i = 0; i < H_COUNT; i++) {
        const void *x = kiln_entity_read(c->a->world, a, c->a->components[i]);
        const void *y = kiln_entity_read(c->b->world, b, c->b->components[i]);
        assert_int_equal(x != NULL, y != NULL);
        if (x && i != H_LINK && i != H_LABEL && i != H_LOOK && i != H_LIT && i != H_DARK)
            assert_true(are_values_same(c->h->types, component_types[i], x, y));
    }
    check_words(c, a, b);
}

void hamlet_check_same(hamlet *h, const hamlet_world *a, const hamlet_world *b, const bool *some)
{
    comparing c = {h, a, b, some};
    kiln_entity *by_serial = calloc(HAMLET_SERIALS, sizeof *by_serial);
    uint32_t count = 0, seen = 0;
    assert_non_null(by_serial);
    for (kiln_entity e = kiln_entity_next(b->world, 0); !kiln_entity_is_null(e);
         e = kiln_entity_next(b->world, e.index + 1)) {
        by_serial[hamlet_serial(b, e)] = e;
        count++;
    }
    for (kiln_entity e = kiln_entity_next(a->world, 0); !kiln_entity_is_null(e);
         e = kiln_entity_next(a->world, e.index + 1)) {
        uint32_t number = hamlet_serial(a, e);
        if (!is_some(&c, number))
            continue;
        assert_false(kiln_entity_is_null(by_serial[number]));
        check_entity(&c, e, by_serial[number]);
        seen++;
    }
    assert_int_equal(seen, count);
    free(by_serial);
}

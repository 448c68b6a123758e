#include "scene_fixture.h"

#include <kiln/index.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "scene fixture: %s\n", what);
    abort();
}

static const uint32_t link_entities[] = {4};
static const uint32_t sprite_assets[] = {0, 16};
static const uint32_t label_fields[] = {0, 16};
static const char *const label_names[] = {"names", "numbers"};
static const uint32_t mixed_entities[] = {8, 16}, mixed_assets[] = {0}, mixed_fields[] = {24};
static const char *const mixed_names[] = {"names"};
static const uint32_t nest_entities[] = {4, 16}, nest_assets[] = {24}, nest_fields[] = {32};
static const char *const nest_names[] = {"Nest.title"};

const kiln_scene_component_desc scene_components[C_COUNT] = {
    [C_POSITION] = {{"Position", 0, 12, 4, NULL, NULL, 0, 0}, NULL, NULL, 0},
    [C_DOOR] = {{"Door", 0, 12, 4, NULL, NULL, 0, 0}, NULL, NULL, 0},
    [C_LINK] = {{"link", 5, 12, 4, link_entities, NULL, 1, 0}, NULL, NULL, 0},
    [C_SPRITE] = {{"sprite", 6, 24, 8, NULL, sprite_assets, 0, 2}, NULL, NULL, 0},
    [C_LABEL] = {{"label", 7, 24, 8, NULL, NULL, 0, 0}, label_fields, label_names, 2},
    [C_MIXED] = {{"mixed", 8, 32, 8, mixed_entities, mixed_assets, 2, 1},
                 mixed_fields,
                 mixed_names,
                 1},
    [C_LIT] = {{"lit", 0, 0, 1, NULL, NULL, 0, 0}, NULL, NULL, 0},
    [C_BYTE] = {{"byte", 0, 1, 1, NULL, NULL, 0, 0}, NULL, NULL, 0},
    [C_WIDE] = {{"wide", 0, 64, 64, NULL, NULL, 0, 0}, NULL, NULL, 0},
    [C_LARGE] = {{"a.large", 0, 3000, 4, NULL, NULL, 0, 0}, NULL, NULL, 0},
    [C_DARK] = {{"dark", 0, 0, 1, NULL, NULL, 0, 0}, NULL, NULL, 0},
    [C_HUGE] = {{"z.huge", 0, 16384, 1, NULL, NULL, 0, 0}, NULL, NULL, 0},
    [C_NEST] = {{"Nest", 0, 48, 8, nest_entities, nest_assets, 2, 1}, nest_fields, nest_names, 1},
};

#define FIELD(field_name, field_type)                                                              \
    {                                                                                              \
        .name = field_name, .type = field_type                                                     \
    }
#define MEMBERS(list) .members = list, .member_count = sizeof(list) / sizeof *(list)

kiln_types *scene_types_create(const kiln_allocator *allocator)
{
    static const kiln_member state[] = {
        {.name = "open", .value = 1}, {.name = "shut", .value = 2}, {.name = "stuck", .value = 5}};
    static const kiln_member locks[] = {
        {.name = "a", .value = 1}, {.name = "b", .value = 2}, {.name = "c", .value = 8}};
    static const kiln_member position[] = {FIELD("x", S_F32), FIELD("y", S_F32), FIELD("z", S_F32)};
    static const kiln_member door[] = {FIELD("is_open", S_BOOL), FIELD("state", S_STATE),
                                       FIELD("locks", S_LOCKS), FIELD("has_key", S_BOOL),
                                       FIELD("hp", S_U32)};
    static const kiln_member data[] = {FIELD("names", S_STRINGS), FIELD("numbers", S_NUMBERS),
                                       FIELD("Nest.title", S_STRINGS)};
    static const kiln_member sign[] = {{.name = "minus", .value = UINT64_MAX},
                                       {.name = "plus", .value = 1}};
    static const kiln_member far[] = {{.name = "near", .value = 7},
                                      {.name = "far", .value = 4000000000u}};
    static const kiln_member holder[] = {FIELD("count", S_U32), FIELD("of", S_ENTITY)};
    static const kiln_member nest[] = {FIELD("holders", S_HOLDERS), FIELD("item", S_REF),
                                       FIELD("title", S_TITLE),     FIELD("on", S_BOOL),
                                       FIELD("sign", S_SIGN),       FIELD("far", S_FAR)};
    static const kiln_member item[] = {FIELD("price", S_U32)};
    static const kiln_type list[S_TYPE_COUNT] = {
        [S_U32] = {.kind = KILN_KIND_U32},
        [S_F32] = {.kind = KILN_KIND_F32},
        [S_BOOL] = {.kind = KILN_KIND_BOOL},
        [S_STRING] = {.kind = KILN_KIND_STRING},
        [S_STRINGS] = {.kind = KILN_KIND_ARRAY, .element = S_STRING},
        [S_NUMBERS] = {.kind = KILN_KIND_ARRAY, .element = S_U32},
        [S_STATE] = {.kind = KILN_KIND_ENUM, .name = "State", .base = KILN_KIND_U8, MEMBERS(state)},
        [S_LOCKS] = {.kind = KILN_KIND_FLAGS,
                     .name = "Locks",
                     .base = KILN_KIND_U16,
                     MEMBERS(locks)},
        [S_POSITION] = {.kind = KILN_KIND_STRUCT, .name = "Position", MEMBERS(position)},
        [S_DOOR] = {.kind = KILN_KIND_STRUCT, .name = "Door", MEMBERS(door)},
        [S_DATA] = {.kind = KILN_KIND_STRUCT,
                    .name = "SceneData",
                    .flags = KILN_TYPE_ASSET,
                    MEMBERS(data)},
        [S_ITEM] = {.kind = KILN_KIND_STRUCT, .name = "Item", MEMBERS(item)},
        [S_I16] = {.kind = KILN_KIND_I16},
        [S_REF] = {.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE},
        [S_ENTITY] = {.kind = KILN_KIND_ENTITY},
        [S_TITLE] = {.kind = KILN_KIND_DATA, .element = S_STRING},
        [S_SIGN] = {.kind = KILN_KIND_ENUM, .name = "Sign", .base = KILN_KIND_I16, MEMBERS(sign)},
        [S_FAR] = {.kind = KILN_KIND_ENUM, .name = "Far", .base = KILN_KIND_U32, MEMBERS(far)},
        [S_HOLDER] = {.kind = KILN_KIND_STRUCT, .name = "Holder", MEMBERS(holder)},
        [S_HOLDERS] = {.kind = KILN_KIND_FIXED, .element = S_HOLDER, .count = 2},
        [S_NEST] = {.kind = KILN_KIND_STRUCT, .name = "Nest", MEMBERS(nest)},
    };
    kiln_types *types = NULL, *joined = NULL;
    require(!kiln_types_create(NULL, list, S_TYPE_COUNT, &types, NULL), "types");
    require(!kiln_types_with_scene(types, allocator, &joined, NULL), "types of scenes");
    kiln_types_destroy(types);
    return joined;
}

kiln_scene_component_desc scene_component(const kiln_types *types, uint32_t number)
{
    kiln_scene_component_desc desc = scene_components[number];
    const kiln_type *type = kiln_types_get(types, kiln_types_find(types, desc.component.name));
    desc.component.layout = type ? type->layout : desc.component.layout;
    return desc;
}

static kiln_builder *builder_of(const kiln_types *types)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = types;
    require(!kiln_builder_create(&def, &builder), "builder");
    return builder;
}

kiln_id scene_item(uint32_t number)
{
    char name[16];
    int length = snprintf(name, sizeof name, "Item/%u", (unsigned)number);
    return kiln_asset_id(name, (size_t)length);
}

kiln_file_writer *scene_file_writer(const kiln_types *types, const kiln_allocator *allocator)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    def.types = types;
    def.allocator = allocator;
    if (kiln_file_writer_create(&def, &writer, NULL))
        return NULL;
    kiln_builder *builder = builder_of(types);
    for (uint32_t i = 0; i < SCENE_ITEMS; i++) {
        char name[16];
        snprintf(name, sizeof name, "Item/%u", (unsigned)i);
        *(uint32_t *)kiln_builder_root(builder, 4, 4) = i;
        kiln_status status = kiln_file_writer_build(writer, name, S_ITEM, builder, NULL);
        kiln_builder_reset(builder);
        if (status) {
            kiln_file_writer_destroy(writer);
            writer = NULL;
            break;
        }
    }
    kiln_builder_destroy(builder);
    return writer;
}

kiln_buffer scene_data_blob(const kiln_types *types)
{
    static const char *const texts[SCENE_STRINGS] = {"iron gate", "lamp", ""};
    typedef struct scene_data {
        kiln_array names, numbers, titles;
    } scene_data;
    kiln_builder *builder = builder_of(types);
    kiln_buffer blob = {0};
    scene_data *root = kiln_builder_root(builder, sizeof *root, 4);
    kiln_string *names = kiln_builder_array(builder, &root->names, SCENE_STRINGS, 8, 4);
    for (int i = 0; i < SCENE_STRINGS; i++)
        kiln_builder_string(builder, &names[i], texts[i], strlen(texts[i]));
    uint32_t *numbers = kiln_builder_array(builder, &root->numbers, SCENE_NUMBERS, 4, 4);
    for (uint32_t i = 0; i < SCENE_NUMBERS; i++)
        numbers[i] = i * 7;
    kiln_string *titles = kiln_builder_array(builder, &root->titles, SCENE_TITLES, 8, 4);
    for (int i = 0; i < SCENE_TITLES; i++)
        kiln_builder_string(builder, &titles[i], texts[i], strlen(texts[i]));
    require(!kiln_builder_finish(builder, S_DATA, KILN_FLAG_CANONICAL, &blob, NULL), "data");
    kiln_builder_destroy(builder);
    return blob;
}

kiln_status scene_finish(kiln_scene_writer *writer, const kiln_types *types,
                         const kiln_allocator *allocator, kiln_buffer *ret_file, kiln_error *reterr)
{
    kiln_file_writer *file = scene_file_writer(types, allocator);
    kiln_buffer data = scene_data_blob(types);
    kiln_scene_finish_args args = {
        .name = "Scene/test", .file = file, .types = types, .data = &data, .data_type = S_DATA};
    kiln_status status = file ? kiln_scene_writer_finish(writer, &args, reterr)
                              : kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    if (!status)
        status = kiln_file_writer_finish_buffer(file, ret_file, reterr);
    kiln_buffer_fini(&data);
    kiln_file_writer_destroy(file);
    return status;
}

/* The blob of an asset, fully verified for its type and canonical form. */
static const void *blob_of(const kiln_types *types, const kiln_buffer *file, const char *name,
                           const char *type, uint64_t *ret_place)
{
    const kiln_index *index = (const void *)(file->data + KILN_HEADER_SIZE);
    uint32_t asset = kiln_index_find(index, kiln_asset_id(name, strlen(name)));
    if (asset == KILN_ASSET_NONE)
        return NULL;
    const kiln_index_asset *assets = kiln_relative_get(&index->assets, index->assets.offset);
    const kiln_index_member *members = kiln_relative_get(&index->members, index->members.offset);
    const kiln_index_member *member = &members[assets[asset].member];
    const unsigned char *blob = file->data + member->place;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = kiln_types_find(types, type);
    kiln_error error;
    kiln_status status = kiln_verify(&def, blob, (size_t)member->size, &error);
    if (status)
        fprintf(stderr, "%s: %s at %s\n", name, kiln_status_name(status), error.path);
    require(!status, name);
    *ret_place = member->place;
    return blob;
}

scene_parts scene_parts_of(const kiln_types *types, const kiln_buffer *file)
{
    static const struct {
        const char *name, *type;
    } assets[] = {{"Scene/test", KILN_SCENE_TYPE_NAME},
                  {"SceneChunks/test", KILN_SCENE_CHUNKS_TYPE_NAME},
                  {"SceneData/test", "SceneData"}};
    const unsigned char *payloads[3] = {NULL, NULL, NULL};
    uint64_t hashes[3] = {0}, places[3] = {0};
    for (int i = 0; i < 3; i++) {
        const unsigned char *blob =
            blob_of(types, file, assets[i].name, assets[i].type, &places[i]);
        kiln_blob_header header;
        if (!blob)
            continue;
        memcpy(&header, blob, sizeof header);
        payloads[i] = blob + kiln_header_payload_at(&header);
        places[i] += kiln_header_payload_at(&header);
        hashes[i] = header.hash;
    }
    scene_parts parts = {(const void *)payloads[0],
                         (const void *)payloads[1],
                         payloads[2],
                         hashes[1],
                         hashes[2],
                         places[1]};
    return parts;
}

kiln_status scene_view_of(const scene_parts *parts, const kiln_allocator *allocator,
                          kiln_scene_view *ret_view, kiln_error *reterr)
{
    kiln_scene_view_args args = {.scene = parts->scene,
                                 .chunks = parts->chunks,
                                 .chunks_hash = parts->chunks_hash,
                                 .data_hash = parts->data_hash,
                                 .allocator = allocator};
    return kiln_scene_view_init(&args, ret_view, reterr);
}

#include "signs.h"

#include <kiln/builder.h>
#include <kiln/type_table.h>
#include <string.h>

enum { U32, U64, STRING, STRINGS, TEXT, SIGN = SIGN_TYPE, CHOICE, NOTE, DATA };

kiln_types *signs_with_scene(const kiln_type *list, uint32_t count)
{
    kiln_types *plain = NULL, *all = NULL;
    EXPECT_STATUS(KILN_OK, kiln_types_create(NULL, list, count, &plain, NULL));
    EXPECT_STATUS(KILN_OK, kiln_types_with_scene(plain, NULL, &all, NULL));
    kiln_types_destroy(plain);
    return all;
}

kiln_types *signs_types(const sign_types *def)
{
    const kiln_member fields[] = {{.name = "size", .type = def->is_newer ? U64 : U32},
                                  {.name = "text", .type = TEXT}};
    static const kiln_member choices[] = {{.name = "text", .type = STRING, .value = 1}};
    const kiln_member lists[] = {{.name = "t.Sign.text", .type = STRINGS},
                                 {.name = "t.Sign.note", .type = NOTE}};
    const kiln_type types[] = {[U32] = {.kind = KILN_KIND_U32},
                               [U64] = {.kind = KILN_KIND_U64},
                               [STRING] = {.kind = KILN_KIND_STRING},
                               [STRINGS] = {.kind = KILN_KIND_ARRAY, .element = STRING},
                               [TEXT] = {.kind = KILN_KIND_DATA, .element = STRING},
                               [SIGN] = {.kind = KILN_KIND_STRUCT,
                                         .name = "t.Sign",
                                         .flags = KILN_TYPE_COMPONENT,
                                         .members = fields,
                                         .member_count = 2},
                               [CHOICE] = {.kind = KILN_KIND_UNION,
                                           .name = "t.Choice",
                                           .members = choices,
                                           .member_count = 1},
                               [NOTE] = {.kind = KILN_KIND_OPTIONAL, .element = STRING},
                               [DATA] = {.kind = KILN_KIND_STRUCT,
                                         .name = "t.SceneData",
                                         .flags = KILN_TYPE_ASSET,
                                         .members = lists,
                                         .member_count = def->has_note ? 2 : 1}};
    return signs_with_scene(types, def->has_data ? DATA + 1 : DATA);
}

/* ---- files ---- */

kiln_buffer signs_data(const kiln_types *types, const char *const *texts, uint32_t count)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob = {0};
    def.types = types;
    uint32_t type = kiln_types_find(types, "t.SceneData");
    EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &builder));
    kiln_array *root = kiln_builder_root(builder, kiln_types_get(types, type)->size, 4);
    kiln_string *strings = kiln_builder_array(builder, root, count, sizeof *strings, 4);
    for (uint32_t i = 0; i < count; i++)
        assert_true(kiln_builder_string(builder, &strings[i], texts[i], strlen(texts[i])));
    EXPECT_STATUS(KILN_OK, kiln_builder_finish(builder, type, KILN_FLAG_CANONICAL, &blob, NULL));
    kiln_builder_destroy(builder);
    return blob;
}

void signs_begin(signs_making *m, kiln_types *types)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    memset(m, 0, sizeof *m);
    def.types = m->types = types;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &m->file, NULL));
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_create(NULL, &m->writer));
}

uint32_t signs_add(signs_making *m, const uint32_t *components, uint32_t of, uint32_t count)
{
    uint32_t archetype = 0, first = 0;
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_archetype(m->writer, components, of, &archetype));
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_rows(m->writer, archetype, count, &first));
    return first;
}

kiln_buffer signs_end(signs_making *m, const char *const *texts, uint32_t count)
{
    kiln_buffer image = {0}, data = {0};
    kiln_error error = {0};
    if (count)
        data = signs_data(m->types, texts, count);
    kiln_scene_finish_args finish = {.name = "Scene/signs",
                                     .file = m->file,
                                     .types = m->types,
                                     .data = &data,
                                     .data_type = count ? kiln_types_find(m->types, "t.SceneData")
                                                        : KILN_TYPE_NONE};
    kiln_status status = kiln_scene_writer_finish(m->writer, &finish, &error);
    if (status)
        fail_msg("%s: %s", kiln_status_text(status), error.path);
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(m->file, &image, &error));
    kiln_scene_writer_destroy(m->writer);
    kiln_file_writer_destroy(m->file);
    kiln_types_destroy(m->types);
    return image;
}

const uint32_t sign_text_place[] = {offsetof(sign_row, text)};
const char *const sign_text_list[] = {"t.Sign.text"};

void signs_write(signs_making *m, uint64_t text)
{
    uint32_t component = 0;
    const kiln_type *type = kiln_types_get(m->types, kiln_types_find(m->types, "t.Sign"));
    const kiln_scene_component_desc desc = {
        {"t.Sign", type->layout, sizeof(sign_row), 8, NULL, NULL, 0, 0},
        sign_text_place,
        sign_text_list,
        1};
    EXPECT_STATUS(KILN_OK, kiln_scene_writer_add_component(m->writer, &desc, &component));
    uint32_t first = signs_add(m, &component, 1, SIGNS);
    for (uint32_t i = 0; i < SIGNS; i++) {
        sign_row *row = kiln_scene_writer_at(m->writer, first + i, component, NULL);
        row->size = SIGN_MARK;
        row->text = text;
    }
}

kiln_buffer signs_file(const char *text)
{
    signs_making m;
    signs_begin(&m, signs_types(&(sign_types){.has_data = true}));
    signs_write(&m, text != NULL);
    return signs_end(&m, &text, text ? 1 : 0);
}

/* ---- programs ---- */

void signs_program_mount(signs_program *p, const kiln_buffer *image, kiln_verify_level level)
{
    kiln_mount_def mount = kiln_mount_def_default();
    kiln_mount unused;
    mount.file.data = image->data;
    mount.file.size = image->size;
    mount.file.level = level;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(p->assets, &mount, &unused, &p->error));
}

void signs_program_begin(signs_program *p, kiln_types *types)
{
    memset(p, 0, sizeof *p);
    world_memory_init(&p->memory);
    kiln_assets_def def = kiln_assets_def_default();
    if (types)
        EXPECT_STATUS(KILN_OK, kiln_type_table_write(NULL, types, &p->table, NULL));
    kiln_types_destroy(types);
    def.types = p->table.data;
    def.types_size = p->table.size;
    def.track_takers = false; /* recording takers may fail silently without memory */
    def.allocator = &p->memory.allocator;
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&def, &p->assets, &p->error));
    kiln_world_def world = world_memory_def(&p->memory);
    EXPECT_STATUS(KILN_OK, kiln_world_create(&world, &p->world));
}

void signs_program_end(signs_program *p)
{
    kiln_world_stats stats;
    kiln_world_get_stats(p->world, &stats);
    assert_int_equal(0, stats.live);
    assert_true(kiln_world_is_valid(p->world));
    kiln_world_destroy(p->world);
    town_expect_nothing_held(p->assets);
    kiln_assets_destroy(p->assets);
    kiln_buffer_fini(&p->table);
    assert_int_equal(0, p->memory.heap_bytes);
}

kiln_status signs_program_load(signs_program *p, kiln_unknown unknown,
                               kiln_scene_instance **ret_instance)
{
    kiln_scene_source *source = NULL;
    kiln_scene_source_args args = {.assets = p->assets, .name = "Scene/signs", .by = KILN_HERE};
    kiln_status status = kiln_scene_source_open(&args, &source, &p->error);
    kiln_scene_load_args scene = {.world = p->world, .source = source, .unknown = unknown};
    *ret_instance = NULL;
    if (!status)
        status = kiln_scene_load(&scene, ret_instance, &p->error);
    kiln_scene_source_close(source);
    return status;
}

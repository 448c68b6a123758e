/* Sources that are opened from separate parts: chunks and data in another file or in the program,
 * missing parts, and wrong parts; assets to which rows refer; invalid rows in blobs with correct
 * hashes. */
#include "signs.h"

#include <kiln/blob_header.h>
#include <kiln/redirects.h>
#include <stdio.h>
#include <string.h>

/* ---- files with blobs of other files ---- */

/* The first blob with this layout in the image. */
static unsigned char *blob_of(const kiln_buffer *image, uint64_t layout)
{
    kiln_blob_header header;
    for (size_t at = 0; at + sizeof header <= image->size; at += 16) {
        memcpy(&header, image->data + at, sizeof header);
        if (memcmp(header.magic, image->data, sizeof header.magic) == 0 && header.layout == layout)
            return image->data + at;
    }
    fail_msg("blob not found");
    return NULL;
}

static kiln_scene *scene_in(const kiln_buffer *image)
{
    return (void *)(blob_of(image, KILN_SCENE_LAYOUT) + KILN_HEADER_SIZE);
}

static kiln_blob_header header_at(const unsigned char *blob)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    return header;
}

/* Corrects the hash. */
static void seal(unsigned char *blob)
{
    kiln_blob_header header = header_at(blob);
    kiln_header_write(blob, header.flags & ~KILN_FLAG_KIND_MASK, header.payload_size,
                      header.layout);
}

/* Replaces each word `from` in the image with `to`. */
static void replace_word(const kiln_buffer *image, uint64_t from, uint64_t to)
{
    for (size_t at = 0; at + sizeof from <= image->size; at += sizeof from)
        if (memcmp(image->data + at, &from, sizeof from) == 0)
            memcpy(image->data + at, &to, sizeof to);
}

enum { SCENE = 1, CHUNKS = 2, VALUES = 4, ALL_PARTS = 7, OMIT_TABLE = 8, PARTS = 3 };
static const char *const part_kinds[PARTS] = {"Scene", "SceneChunks", "SceneData"};
static const char *const part_types[PARTS] = {KILN_SCENE_TYPE_NAME, KILN_SCENE_CHUNKS_TYPE_NAME,
                                              "t.SceneData"};

/* A file with some parts of the scene `Scene/id` of an image. It imports the other parts and the
 * things. With OMIT_TABLE it has no type table. */
static kiln_buffer file_of_parts(const kiln_types *types, const kiln_buffer *image, const char *id,
                                 unsigned parts)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *file = NULL;
    kiln_buffer made = {0};
    def.types = types;
    def.omit_type_table = parts & OMIT_TABLE;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &file, NULL));
    for (uint32_t i = 0; i < PARTS; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%s", part_kinds[i], id);
        if (!(parts & 1u << i)) {
            EXPECT_STATUS(KILN_OK, kiln_file_writer_import(file, name));
            continue;
        }
        uint32_t type = kiln_types_find(types, part_types[i]);
        const unsigned char *blob = blob_of(image, kiln_types_get(types, type)->layout);
        const kiln_blob_header header = header_at(blob);
        EXPECT_STATUS(
            KILN_OK, kiln_file_writer_add(file, name, type,
                                          (kiln_span){blob, kiln_header_blob_size(&header)}, NULL));
    }
    for (uint32_t i = 0; i < TOWN_THINGS; i++) {
        const char name[] = {'T', 'h', 'i', 'n', 'g', '/', (char)('a' + i), '\0'};
        EXPECT_STATUS(KILN_OK, kiln_file_writer_import(file, name));
    }
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(file, &made, NULL));
    kiln_file_writer_destroy(file);
    return made;
}

/* Adds the blob with this layout to the program as `name`. */
static kiln_ref add_blob(kiln_assets *assets, const kiln_buffer *image, const kiln_root_type *type,
                         const char *name)
{
    const unsigned char *blob = blob_of(image, type->layout);
    const kiln_blob_header header = header_at(blob);
    kiln_ref ref = {0};
    const kiln_add_args args = {.name = name,
                                .type = type,
                                .blob = blob,
                                .size = kiln_header_blob_size(&header),
                                .is_trusted = true,
                                .by = KILN_HERE};
    EXPECT_STATUS(KILN_OK, kiln_assets_add(assets, &args, &ref, NULL));
    return ref;
}

static const kiln_root_type scene_type = {KILN_SCENE_TYPE_NAME, KILN_SCENE_LAYOUT};
static const kiln_root_type chunks_type = {KILN_SCENE_CHUNKS_TYPE_NAME, KILN_SCENE_CHUNKS_LAYOUT};

static kiln_root_type data_type_of(const sign_types *def)
{
    kiln_types *types = signs_types(def);
    kiln_root_type type = {"t.SceneData",
                           kiln_types_get(types, kiln_types_find(types, "t.SceneData"))->layout};
    kiln_types_destroy(types);
    return type;
}

static kiln_status try_open(kiln_assets *assets, const char *name, bool allow_missing,
                            kiln_error *reterr)
{
    kiln_scene_source *source = NULL;
    const kiln_scene_source_args args = {
        .assets = assets, .name = name, .allow_missing = allow_missing, .by = KILN_HERE};
    kiln_status status = kiln_scene_source_open(&args, &source, reterr);
    assert_true((status == KILN_OK) == (source != NULL));
    kiln_scene_source_close(source);
    return status;
}

/* ---- location of parts ---- */

static const sign_types with_data = {.has_data = true};
static const sign_types with_note = {.has_data = true, .has_note = true};

/* If the data type of the program has different lists, the scene's data is used unchanged. */
static void chunks_and_data_may_belong_to_the_program(void **state)
{
    (void)state;
    const kiln_root_type data_type = data_type_of(&with_data);
    for (int is_other = 0; is_other < 2; is_other++) {
        signs_program p;
        kiln_scene_instance *instance;
        kiln_types *types = signs_types(&with_data);
        kiln_buffer image = signs_file("hello");
        kiln_buffer alone = file_of_parts(types, &image, "signs", SCENE);
        signs_program_begin(&p, signs_types(is_other ? &with_note : &with_data));
        signs_program_mount(&p, &alone, KILN_VERIFY_DEEP);
        kiln_ref chunks = add_blob(p.assets, &image, &chunks_type, "SceneChunks/signs");
        kiln_ref data = add_blob(p.assets, &image, &data_type, "SceneData/signs");
        EXPECT_STATUS(KILN_OK, signs_program_load(&p, KILN_UNKNOWN_REFUSE, &instance));
        kiln_component component = kiln_component_find(p.world, "t.Sign");
        for (uint32_t n = 0; n < SIGNS; n++) {
            const sign_row *row =
                kiln_entity_read(p.world, kiln_scene_entity(instance, n), component);
            const kiln_string *text = (const kiln_string *)(uintptr_t)row->text;
            assert_int_equal(SIGN_MARK, row->size);
            assert_string_equal("hello", kiln_string_get(text));
        }
        kiln_scene_unload(instance);
        kiln_assets_clear(p.assets, &chunks);
        kiln_assets_clear(p.assets, &data);
        signs_program_end(&p);
        kiln_buffer_fini(&alone);
        kiln_buffer_fini(&image);
        kiln_types_destroy(types);
    }
}

/* A scene needs its parts, even if other assets may be missing. */
static void missing_parts_are_reported(void **state)
{
    (void)state;
    for (int allow = 0; allow < 2; allow++) {
        for (unsigned missing = CHUNKS; missing <= VALUES; missing += CHUNKS) {
            signs_program p;
            kiln_types *types = signs_types(&with_data);
            kiln_buffer image = signs_file("hello");
            kiln_buffer file = file_of_parts(types, &image, "signs", ALL_PARTS & ~missing);
            signs_program_begin(&p, NULL);
            signs_program_mount(&p, &file, KILN_VERIFY_DEEP);
            EXPECT_STATUS(allow ? KILN_NOT_FOUND : KILN_MISSING,
                          try_open(p.assets, "Scene/signs", allow, &p.error));
            signs_program_end(&p);
            kiln_buffer_fini(&file);
            kiln_buffer_fini(&image);
            kiln_types_destroy(types);
        }
    }
}

/* ---- wrong parts ---- */

/* Wrong parts: another file has an asset with the name of a part. The asset's type has `numbers`
 * fields. If `is_forged`, the file states the layout hash of the type with the same name in the
 * scene's file. */
static const struct {
    const char *about;
    unsigned part;
    const char *name, *type;
    uint32_t numbers;
    bool is_forged;
    kiln_status status;
    const char *path;
} others[] = {
    {"chunks of another type", CHUNKS, "SceneChunks/signs", "t.Other", 4, false, KILN_TYPE_MISMATCH,
     "SceneChunks/signs"},
    {"chunks smaller than their root", CHUNKS, "SceneChunks/signs", KILN_SCENE_CHUNKS_TYPE_NAME, 3,
     true, KILN_TYPE_MISMATCH, "SceneChunks/signs"},
    {"data of an unknown type", VALUES, "SceneData/signs", "t.Other", 2, false, KILN_NO_TYPES,
     "t.Other"},
    {"data with a layout that the file does not describe", VALUES, "SceneData/signs", "t.SceneData",
     2, false, KILN_NO_TYPES, "t.SceneData"},
    {"data that is not a struct", VALUES, "SceneData/signs", "t.Choice", 2, true, KILN_NO_TYPES,
     "t.Choice"},
    {"data smaller than their root", VALUES, "SceneData/signs", "t.SceneData", 1, true, KILN_V_ROOT,
     "SceneData/signs"},
};

static kiln_types *other_types(size_t row)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    kiln_member members[4];
    memset(members, 0, sizeof members);
    for (uint32_t i = 0; i < others[row].numbers; i++)
        members[i].name = names[i];
    const kiln_type list[] = {{.kind = KILN_KIND_U32},
                              {.kind = KILN_KIND_STRUCT,
                               .name = others[row].type,
                               .flags = KILN_TYPE_ASSET,
                               .members = members,
                               .member_count = others[row].numbers}};
    kiln_types *types = NULL;
    EXPECT_STATUS(KILN_OK, kiln_types_create(NULL, list, 2, &types, NULL));
    return types;
}

static void add_numbers(kiln_file_writer *file, const kiln_types *types, const char *name,
                        uint32_t first)
{
    kiln_builder *builder = NULL;
    kiln_builder_def def = kiln_builder_def_default();
    def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_builder_create(&def, &builder));
    uint32_t *numbers = kiln_builder_root(builder, kiln_types_get(types, 1)->size, 4);
    assert_non_null(numbers);
    *numbers = first;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_build(file, name, 1, builder, NULL));
    kiln_builder_destroy(builder);
}

/* Makes a file with the asset. The asset's hash is forged to match the hash in the scene of the
 * image. Zeros and another asset follow the asset in the file. */
static kiln_buffer other_part(size_t row, const kiln_types *scene_types, const kiln_buffer *image)
{
    kiln_types *types = other_types(row);
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *file = NULL;
    kiln_buffer made = {0};
    def.types = types;
    def.omit_type_table = true;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &file, NULL));
    add_numbers(file, types, others[row].name, 0);
    add_numbers(file, types, "Other/behind", 1);
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(file, &made, NULL));
    uint64_t layout = kiln_types_get(types, 1)->layout;
    const kiln_scene *scene = scene_in(image);
    replace_word(&made, header_at(blob_of(&made, layout)).hash,
                 others[row].part == VALUES ? scene->data_hash : scene->chunks_hash);
    if (others[row].is_forged)
        replace_word(
            &made, layout,
            kiln_types_get(scene_types, kiln_types_find(scene_types, others[row].type))->layout);
    kiln_file_writer_destroy(file);
    kiln_types_destroy(types);
    return made;
}

static void parts_of_another_type_are_rejected(void **state)
{
    (void)state;
    kiln_types *types = signs_types(&with_data);
    kiln_buffer all = signs_file("hello");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        for (int has_table = 0; has_table < 2; has_table++) {
            signs_program p;
            kiln_buffer image = file_of_parts(
                types, &all, "signs", (ALL_PARTS & ~others[i].part) | (has_table ? 0 : OMIT_TABLE));
            kiln_buffer other = other_part(i, types, &all);
            signs_program_begin(&p, NULL);
            signs_program_mount(&p, &image, KILN_VERIFY_NONE);
            signs_program_mount(&p, &other, KILN_VERIFY_NONE);
            kiln_status status = try_open(p.assets, "Scene/signs", false, &p.error);
            /* Without a table, no data has a known type. */
            bool is_known = others[i].part == CHUNKS || has_table;
            if (status != (is_known ? others[i].status : KILN_NO_TYPES))
                fail_msg("%s: %s", others[i].about, kiln_status_name(status));
            assert_string_equal(is_known ? others[i].path : others[i].type, p.error.path);
            signs_program_end(&p);
            kiln_buffer_fini(&other);
            kiln_buffer_fini(&image);
        }
    }
    kiln_buffer_fini(&all);
    kiln_types_destroy(types);
}

static void only_scenes_can_be_opened(void **state)
{
    (void)state;
    static const char *const names[] = {"SceneChunks/signs", "SceneData/signs"};
    for (size_t i = 0; i < 2; i++) {
        signs_program p;
        kiln_buffer image = signs_file("hello");
        signs_program_begin(&p, NULL);
        signs_program_mount(&p, &image, KILN_VERIFY_DEEP);
        EXPECT_STATUS(KILN_TYPE_MISMATCH, try_open(p.assets, names[i], false, &p.error));
        assert_string_equal(names[i], p.error.path);
        signs_program_end(&p);
        kiln_buffer_fini(&image);
    }
}

/* ---- invalid rows ---- */

/* The text of the first sign refers to a missing value. All hashes are corrected. */
static kiln_buffer wrong_signs(void)
{
    const uint64_t word = 2;
    kiln_types *types = signs_types(&with_data);
    kiln_buffer image = signs_file("hello");
    unsigned char *chunks = blob_of(&image, KILN_SCENE_CHUNKS_LAYOUT), *at = chunks;
    const sign_row row = {.size = SIGN_MARK};
    while (memcmp(at, &row.size, sizeof row.size) != 0)
        at += 4;
    memcpy(at + offsetof(sign_row, text), &word, sizeof word);
    seal(chunks);
    scene_in(&image)->chunks_hash = header_at(chunks).hash;
    seal(blob_of(&image, KILN_SCENE_LAYOUT));
    kiln_buffer made = file_of_parts(types, &image, "signs", ALL_PARTS);
    kiln_buffer_fini(&image);
    kiln_types_destroy(types);
    return made;
}

/* Deep verification finds invalid rows immediately, except for words to data that is converted
 * later. */
static void invalid_rows_are_found_according_to_the_level(void **state)
{
    (void)state;
    const sign_types *const known[] = {NULL, &with_data, &with_note};
    for (int level = KILN_VERIFY_NONE; level <= KILN_VERIFY_DEEP; level++) {
        for (size_t i = 0; i < 3; i++) {
            signs_program p;
            kiln_scene_instance *instance;
            kiln_buffer image = wrong_signs();
            signs_program_begin(&p, known[i] ? signs_types(known[i]) : NULL);
            signs_program_mount(&p, &image, (kiln_verify_level)level);
            bool is_found = level == KILN_VERIFY_DEEP && known[i] != &with_note;
            EXPECT_STATUS(is_found ? KILN_S_DATA : KILN_OK,
                          try_open(p.assets, "Scene/signs", false, &p.error));
            EXPECT_STATUS(KILN_S_DATA, signs_program_load(&p, KILN_UNKNOWN_KEEP, &instance));
            signs_program_end(&p);
            kiln_buffer_fini(&image);
        }
    }
}

/* Even in data that was not verified, a list with a count but without an offset is empty: every
 * word that refers to a value of the list is invalid. */
static void a_list_without_an_offset_is_empty(void **state)
{
    (void)state;
    const kiln_root_type type = data_type_of(&with_data);
    for (int is_known = 0; is_known < 2; is_known++) {
        signs_program p;
        kiln_scene_instance *instance;
        kiln_buffer image = signs_file("hello");
        unsigned char *data = blob_of(&image, type.layout);
        const kiln_blob_header header = header_at(data);
        unsigned char *at = data + kiln_header_payload_at(&header);
        kiln_array list;
        memcpy(&list, at, sizeof list);
        assert_true(list.offset != 0 && list.count > 0);
        list.offset = 0;
        memcpy(at, &list, sizeof list);
        signs_program_begin(&p, is_known ? signs_types(&with_data) : NULL);
        signs_program_mount(&p, &image, KILN_VERIFY_NONE);
        EXPECT_STATUS(KILN_OK, try_open(p.assets, "Scene/signs", false, &p.error));
        EXPECT_STATUS(KILN_S_DATA, signs_program_load(&p, KILN_UNKNOWN_KEEP, &instance));
        signs_program_end(&p);
        kiln_buffer_fini(&image);
    }
}

/* ---- assets that rows refer to ---- */

/* A town without its things. */
static kiln_buffer town_of_none(const town *t)
{
    kiln_types *types = signs_with_scene(NULL, 0);
    kiln_buffer made = file_of_parts(types, &t->image, "town", SCENE | CHUNKS);
    kiln_types_destroy(types);
    return made;
}

static void use_file(town *t, const kiln_buffer *image, kiln_verify_level level)
{
    kiln_mount_def mount = kiln_mount_def_default();
    mount.file.data = image->data;
    mount.file.size = image->size;
    mount.file.level = level;
    EXPECT_STATUS(KILN_OK, kiln_assets_unmount(t->assets, t->mount, KILN_UNMOUNT_REFUSE, NULL));
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(t->assets, &mount, &t->mount, &t->error));
}

/* A scene of a file is loaded together with its references. For a scene that the program added,
 * each asset is loaded separately. */
static void missing_assets_are_null_if_that_is_allowed(void **state)
{
    (void)state;
    static const char *const names[] = {"Scene/town", "Scene/added"};
    for (size_t i = 0; i < 2; i++) {
        town t;
        kiln_scene_source *source = NULL;
        town_begin(&t, &(town_def){.count = 40});
        kiln_buffer image = town_of_none(&t);
        use_file(&t, &image, KILN_VERIFY_DEEP);
        kiln_ref added = add_blob(t.assets, &image, &scene_type, "Scene/added");
        EXPECT_STATUS(i ? KILN_NOT_FOUND : KILN_MISSING,
                      try_open(t.assets, names[i], false, &t.error));
        const kiln_scene_source_args args = {
            .assets = t.assets, .name = names[i], .allow_missing = true, .by = KILN_HERE};
        EXPECT_STATUS(KILN_OK, kiln_scene_source_open(&args, &source, &t.error));
        kiln_scene_instance *instance = town_load(&t, source);
        for (uint32_t n = 0; n < t.count; n++) {
            const town_link *link =
                kiln_entity_read(t.world, kiln_scene_entity(instance, n), t.link);
            assert_true(!link || link->thing.bits == 0);
        }
        kiln_scene_unload(instance);
        kiln_scene_source_close(source);
        kiln_assets_clear(t.assets, &added);
        town_end(&t);
        kiln_buffer_fini(&image);
    }
}

/* A file with these redirects of the things, in order, and nothing else. NULL: deleted. */
static kiln_buffer file_of_redirects(const char *const targets[TOWN_THINGS])
{
    static const char *const names[TOWN_THINGS] = {"Thing/a", "Thing/b", "Thing/c"};
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *file = NULL;
    kiln_types *types = NULL;
    kiln_buffer made = {0};
    kiln_rename renames[TOWN_THINGS];
    for (uint32_t i = 0; i < TOWN_THINGS; i++)
        renames[i] = (kiln_rename){names[i], targets[i]};
    EXPECT_STATUS(KILN_OK, kiln_types_with_redirects(NULL, NULL, &types, NULL));
    def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &file, NULL));
    const kiln_redirects_finish_args args = {renames, TOWN_THINGS, types, file, NULL};
    EXPECT_STATUS(KILN_OK, kiln_redirects_finish(&args, NULL));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(file, &made, NULL));
    kiln_file_writer_destroy(file);
    kiln_types_destroy(types);
    return made;
}

static void words_that_refer_to_deleted_assets_are_null(void **state)
{
    (void)state;
    static const struct {
        const char *targets[TOWN_THINGS];
        kiln_status status;
    } rows[] = {
        {{NULL, NULL, NULL}, KILN_OK},
        {{NULL, NULL, "Thing/gone"}, KILN_NOT_FOUND},
    };
    for (size_t i = 0; i < 2; i++) {
        town t;
        kiln_scene_source *source = NULL;
        kiln_mount_def def = kiln_mount_def_default();
        kiln_mount mount;
        town_begin(&t, &(town_def){.count = 40});
        kiln_buffer image = town_of_none(&t), redirects = file_of_redirects(rows[i].targets);
        use_file(&t, &image, KILN_VERIFY_DEEP);
        def.file.data = redirects.data;
        def.file.size = redirects.size;
        EXPECT_STATUS(KILN_OK, kiln_assets_mount(t.assets, &def, &mount, &t.error));
        kiln_ref added = add_blob(t.assets, &image, &scene_type, "Scene/added");
        const kiln_scene_source_args args = {
            .assets = t.assets, .name = "Scene/added", .by = KILN_HERE};
        EXPECT_STATUS(rows[i].status, kiln_scene_source_open(&args, &source, &t.error));
        assert_int_equal(rows[i].status == KILN_OK, source != NULL);
        kiln_scene_instance *instance = source ? town_load(&t, source) : NULL;
        for (uint32_t n = 0; source && n < t.count; n++) {
            const town_link *link =
                kiln_entity_read(t.world, kiln_scene_entity(instance, n), t.link);
            assert_true(!link || link->thing.bits == 0);
        }
        kiln_scene_unload(instance);
        kiln_scene_source_close(source);
        kiln_assets_clear(t.assets, &added);
        town_end(&t);
        kiln_buffer_fini(&image);
        kiln_buffer_fini(&redirects);
    }
}

/* Only assets that do not exist at all are missing. */
static void damaged_assets_are_not_treated_as_missing(void **state)
{
    (void)state;
    for (int allow = 0; allow < 2; allow++) {
        town t;
        town_begin(&t, &(town_def){.count = 40});
        kiln_ref added = add_blob(t.assets, &t.image, &scene_type, "Scene/added");
        unsigned char *thing = t.image.data;
        while (memcmp(thing, t.image.data, 4) != 0 || header_at(thing).payload_size != 4)
            thing += 16;
        thing[KILN_HEADER_SIZE] ^= 1;
        EXPECT_STATUS(KILN_H_HASH, try_open(t.assets, "Scene/added", allow, &t.error));
        kiln_assets_clear(t.assets, &added);
        town_end(&t);
    }
}

/* ---- memory ---- */

/* Everything is created again for each attempt, so that each allocation fails once. */
static void failed_allocations_are_reported(void **state)
{
    (void)state;
    const sign_types alone = {.has_data = false};
    const sign_types *const known[] = {NULL, &alone, &with_data, &with_note};
    kiln_buffer image = signs_file("hello");
    for (size_t i = 0; i < 4; i++) {
        kiln_status status = KILN_NO_MEMORY;
        for (size_t at = 1; status; at++) {
            signs_program p;
            kiln_scene_instance *instance;
            signs_program_begin(&p, known[i] ? signs_types(known[i]) : NULL);
            signs_program_mount(&p, &image, KILN_VERIFY_DEEP);
            p.memory.calls = 0;
            p.memory.fail_at = at;
            status = signs_program_load(&p, KILN_UNKNOWN_KEEP, &instance);
            p.memory.fail_at = 0;
            EXPECT_STATUS(p.memory.calls < at ? KILN_OK : KILN_NO_MEMORY, status);
            kiln_scene_unload(instance);
            signs_program_end(&p);
        }
    }
    kiln_buffer_fini(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_and_data_may_belong_to_the_program),
        cmocka_unit_test(missing_parts_are_reported),
        cmocka_unit_test(parts_of_another_type_are_rejected),
        cmocka_unit_test(only_scenes_can_be_opened),
        cmocka_unit_test(invalid_rows_are_found_according_to_the_level),
        cmocka_unit_test(a_list_without_an_offset_is_empty),
        cmocka_unit_test(missing_assets_are_null_if_that_is_allowed),
        cmocka_unit_test(words_that_refer_to_deleted_assets_are_null),
        cmocka_unit_test(damaged_assets_are_not_treated_as_missing),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

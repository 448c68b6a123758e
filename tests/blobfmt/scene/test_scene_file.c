/* Scenes in files: the position of their chunks, the bytes of a small scene, the memory needed for
 * loading, and readers on damaged bytes. */
#include "failing_memory.h"
#include "scene_fixture.h"
#include "verdict.h"
#include "whole_file.h"

#include <kiln/index.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <string.h>

static kiln_types *types, *builtin;

static int set_up(void **state)
{
    (void)state;
    types = scene_types_create(NULL);
    return kiln_types_create_builtin(NULL, &builtin, NULL) != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(types);
    kiln_types_destroy(builtin);
    return 0;
}

/* ---- position of chunks ---- */

/* Returns a writer with `rows` rows of positions only, 1365 per chunk. */
static kiln_scene_writer *with_positions(uint32_t rows)
{
    kiln_scene_writer *writer = NULL;
    uint32_t component, archetype, first;
    assert_int_equal(kiln_scene_writer_create(NULL, &writer), KILN_OK);
    assert_int_equal(
        kiln_scene_writer_add_component(writer, &scene_components[C_POSITION], &component),
        KILN_OK);
    assert_int_equal(kiln_scene_writer_add_archetype(writer, &component, 1, &archetype), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_rows(writer, archetype, rows, &first), KILN_OK);
    return writer;
}

static kiln_status add_positions(kiln_file_writer *file, const char *name, uint32_t rows)
{
    kiln_scene_writer *writer = with_positions(rows);
    kiln_scene_finish_args args = {.name = name, .file = file, .types = types};
    kiln_error error;
    kiln_status status = kiln_scene_writer_finish(writer, &args, &error);
    kiln_scene_writer_destroy(writer);
    return status;
}

static bool write_to_end(void *ctx, const void *data, size_t size)
{
    unsigned char **end = ctx;
    memcpy(*end, data, size);
    *end += size;
    return true;
}

static void images_that_can_be_mapped_begin_at_multiples_of_64_kib(void **state)
{
    (void)state;
    static const struct {
        uint32_t chunks[2];
        int level;
        bool is_placed[2];
    } cases[] = {{{15, 3}, 0, {false, false}},
                 {{16, 1}, 0, {true, false}},
                 {{16, 40}, 0, {true, true}},
                 {{15, 17}, 0, {false, true}},
                 {{16, 40}, 1, {false, false}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_file_writer *writer = scene_file_writer(types, NULL);
        kiln_buffer file = {0};
        kiln_error error = {KILN_OK, 0, 0, ""};
        assert_int_equal(kiln_file_writer_compress(writer, cases[i].level, NULL), KILN_OK);
        for (uint32_t n = 0; n < 2; n++)
            assert_int_equal(
                add_positions(writer, n ? "Scene/b" : "Scene/test", cases[i].chunks[n] * 1365 + n),
                KILN_OK);
        assert_int_equal(kiln_file_writer_finish_buffer(writer, &file, &error), KILN_OK);
        const kiln_index *index = NULL;
        (void)kiln_index_check(builtin, NULL, &(kiln_file_head){file.data, file.size, file.size},
                               &index, &error);
        assert_error(&error, KILN_OK, 0, "");
        (void)kiln_index_check_gaps(index, file.data, &error);
        if (cases[i].level == 0)
            (void)whole_file_check(builtin, file.data, file.size, &error);
        assert_error(&error, KILN_OK, 0, "");
        for (uint32_t n = 0; n < 2; n++) {
            const char *name = n ? "SceneChunks/b" : "SceneChunks/test";
            uint32_t asset = kiln_index_find(index, kiln_asset_id(name, strlen(name)));
            const kiln_index_asset *assets =
                kiln_relative_get(&index->assets, index->assets.offset);
            const kiln_index_member *member = kiln_index_member_at(index, assets[asset].member);
            /* In canonical form, `images` follows the header and the root, which take 4096 bytes
             * each with their padding. */
            assert_int_equal((member->place + 8192) % 65536 == 0, cases[i].is_placed[n]);
            assert_int_equal(member->compression != 0, cases[i].level != 0);
        }
        unsigned char *again = test_malloc(file.size), *end = again;
        assert_int_equal(kiln_file_writer_finish(writer, write_to_end, &end, &error), KILN_OK);
        assert_int_equal(end - again, file.size);
        assert_memory_equal(again, file.data, file.size);
        test_free(again);
        kiln_buffer_fini(&file);
        kiln_file_writer_destroy(writer);
    }
}

static void blobs_without_a_file_are_those_of_the_file(void **state)
{
    (void)state;
    kiln_file_writer *file = scene_file_writer(types, NULL);
    kiln_scene_writer *writer = with_positions(3);
    kiln_buffer blobs[3], whole = {0};
    kiln_scene_sizes sizes = {0, 0, 0};
    kiln_scene_finish_args args = {
        .name = "Scene/test", .types = types, .ret_sizes = &sizes, .ret_blobs = blobs};
    kiln_error error = {KILN_OK, 0, 0, ""};
    memset(blobs, 0xff, sizeof blobs);
    assert_int_equal(kiln_scene_writer_finish(writer, &args, &error), KILN_OK);
    assert_int_equal(blobs[0].size, sizes.scene);
    assert_int_equal(blobs[1].size, sizes.chunks);
    assert_true(blobs[2].size == 0 && !blobs[2].data && sizes.data == 0);
    assert_int_equal(add_positions(file, "Scene/test", 3), KILN_OK);
    assert_int_equal(kiln_file_writer_finish_buffer(file, &whole, &error), KILN_OK);
    const kiln_index *index = NULL;
    (void)kiln_index_check(builtin, NULL, &(kiln_file_head){whole.data, whole.size, whole.size},
                           &index, &error);
    assert_error(&error, KILN_OK, 0, "");
    static const char *const names[] = {"Scene/test", "SceneChunks/test"};
    for (size_t i = 0; i < 2; i++) {
        uint32_t asset = kiln_index_find_name(index, names[i], strlen(names[i]));
        const kiln_index_member *member =
            kiln_index_member_at(index, kiln_index_asset_at(index, asset)->member);
        assert_int_equal(member->size, blobs[i].size);
        assert_memory_equal(whole.data + member->place, blobs[i].data, blobs[i].size);
    }
    for (size_t i = 0; i < 3; i++)
        kiln_buffer_fini(&blobs[i]);
    kiln_buffer_fini(&whole);
    kiln_scene_writer_destroy(writer);
    kiln_file_writer_destroy(file);
}

/* Rows without bytes are counted but not stored, however many chunks they would fill. */
static void tags_alone_have_no_chunks(void **state)
{
    (void)state;
    kiln_scene_writer *writer = NULL;
    kiln_buffer file = {0};
    kiln_scene_view view;
    kiln_error error = {KILN_OK, 0, 0, ""};
    uint32_t tag, archetype, first;
    assert_int_equal(kiln_scene_writer_create(NULL, &writer), KILN_OK);
    assert_int_equal(kiln_scene_writer_add_component(writer, &scene_components[C_LIT], &tag),
                     KILN_OK);
    assert_int_equal(kiln_scene_writer_add_archetype(writer, &tag, 1, &archetype), KILN_OK);
    assert_int_equal(
        kiln_scene_writer_add_rows(writer, archetype, KILN_CHUNK_ROWS_MAX * 2 + 1, &first),
        KILN_OK);
    (void)scene_finish(writer, types, NULL, &file, &error);
    assert_error(&error, KILN_OK, 0, "");
    scene_parts parts = scene_parts_of(types, &file);
    assert_null(parts.chunks);
    (void)scene_view_of(&parts, NULL, &view, &error);
    assert_error(&error, KILN_OK, 0, "");
    assert_int_equal(view.archetypes[0].chunks, 3);
    assert_int_equal(view.archetypes[0].whole, 0);
    assert_int_equal(view.images_count, 0);
    kiln_scene_view_fini(&view);
    kiln_buffer_fini(&file);
    kiln_scene_writer_destroy(writer);
}

/* ---- a small scene ---- */

static kiln_status check_all(kiln_status status, kiln_error *reterr)
{
    return status ? kiln_fail(reterr, status, 0, NULL) : KILN_OK;
}

/* Two entities with a position, a tag and a link: one link is to the third entity, the other one to
 * another scene. The third entity has a label and a sprite. `hut` has no components. */
static kiln_status small_scene(const kiln_allocator *allocator, kiln_buffer *ret_file,
                               kiln_error *reterr)
{
    static const uint32_t used[] = {C_LINK, C_POSITION, C_LABEL, C_SPRITE, C_LIT};
    kiln_scene_writer *writer = NULL;
    uint32_t n[5], a[3], e[3], import;
    uint64_t asset;
    kiln_status status = kiln_scene_writer_create(allocator, &writer);
    for (uint32_t i = 0; i < 5 && !status; i++)
        status = kiln_scene_writer_add_component(writer, &scene_components[used[i]], &n[i]);
    const uint32_t sets[2][3] = {{n[0], n[1], n[4]}, {n[2], n[3], 0}};
    if (!status)
        status = kiln_scene_writer_add_archetype(writer, sets[0], 3, &a[0]);
    if (!status)
        status = kiln_scene_writer_add_archetype(writer, sets[1], 2, &a[1]);
    if (!status)
        status = kiln_scene_writer_add_archetype(writer, NULL, 0, &a[2]);
    for (uint32_t i = 0; i < 3 && !status; i++)
        status = kiln_scene_writer_add_rows(writer, a[i], 2 - (i > 0), &e[i]);
    if (!status)
        status = kiln_scene_writer_name(writer, e[2], "hut", 3);
    if (!status)
        status = kiln_scene_writer_add_asset(writer, scene_item(1), &asset);
    if (!status)
        status = kiln_scene_writer_add_import(writer, "Scene/far", "gate", &import);
    if (!status) {
        uint32_t links[] = {9, e[1], KILN_SCENE_LOCAL, 8, 0, KILN_SCENE_IMPORT + import};
        float positions[] = {1, 2, 3, 4, 5, 6};
        uint64_t label[] = {1, 77, 4}, sprite[] = {asset, 78, 0};
        memcpy(kiln_scene_writer_at(writer, e[0], n[0], NULL), links, sizeof links);
        memcpy(kiln_scene_writer_at(writer, e[0], n[1], NULL), positions, sizeof positions);
        memcpy(kiln_scene_writer_at(writer, e[1], n[2], NULL), label, sizeof label);
        memcpy(kiln_scene_writer_at(writer, e[1], n[3], NULL), sprite, sizeof sprite);
        status = scene_finish(writer, types, allocator, ret_file, reterr);
    } else {
        (void)check_all(status, reterr);
    }
    kiln_scene_writer_destroy(writer);
    return status;
}

static void small_scene_has_these_bytes(void **state)
{
    (void)state;
    kiln_buffer file = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    (void)small_scene(NULL, &file, &error);
    assert_error(&error, KILN_OK, 0, "");
    scene_parts parts = scene_parts_of(types, &file);
    /* Entities: 0 has no components, 1 and 2 have position and link, 3 has label and sprite. */
    const float positions[16] = {1, 2, 3, 4, 5, 6};
    const uint32_t links[16] = {9, 3, 1, 8, 0, 2};
    const uint64_t label[8] = {1, 77, 4}, sprite[8] = {1, 78, 0};
    assert_int_equal(parts.chunks->images.count, 0);
    assert_int_equal(parts.chunks->tails.count, 256);
    const unsigned char *tails =
        kiln_relative_get(&parts.chunks->tails, parts.chunks->tails.offset);
    assert_memory_equal(tails, positions, 64);
    assert_memory_equal(tails + 64, links, 64);
    assert_memory_equal(tails + 128, label, 64);
    assert_memory_equal(tails + 192, sprite, 64);
    assert_int_equal(kiln_scene_find_name(parts.scene, "hut", 3), 0);
    kiln_blob_header header;
    memcpy(&header, (const unsigned char *)(const void *)parts.scene - KILN_HEADER_SIZE,
           sizeof header);
    assert_true(header.hash == UINT64_C(0x0cb83925e7962d37));
    assert_true(parts.chunks_hash == UINT64_C(0x93290277deef4a05));
    kiln_buffer_fini(&file);
}

/* ---- hostile bytes ---- */

enum { BLOB_SCENE, BLOB_CHUNKS, BLOB_DATA, BLOB_COUNT };

typedef struct hostile {
    patched blobs[BLOB_COUNT]; /* in blocks of exactly their size */
    uint32_t root_types[BLOB_COUNT];
    uint64_t chunks_hash, data_hash;
} hostile;

static const void *payload_of(const patched *blob)
{
    kiln_blob_header header;
    memcpy(&header, blob->data, sizeof header);
    return blob->data + kiln_header_payload_at(&header);
}

/* Calls every function on a scene. The sum uses all results. */
static uint64_t walk_all(const kiln_scene_view *view)
{
    uint64_t sum = 0;
    for (uint32_t a = 0; a < view->archetype_count; a++) {
        const kiln_scene_rows *rows = &view->archetypes[a];
        for (uint32_t chunk = 0; chunk < rows->chunks; chunk++)
            for (uint32_t i = 0; i < rows->component_count; i++) {
                const unsigned char *column = kiln_scene_column(view, rows, chunk, i);
                size_t size = (size_t)view->components[rows->components[i]].size *
                              kiln_scene_chunk_rows(rows, chunk);
                for (size_t k = 0; k < size; k++)
                    sum += column[k];
            }
    }
    for (uint32_t entity = 0; entity < view->entities && entity < 100; entity++) {
        uint32_t row;
        const kiln_string *name = kiln_scene_entity_name(view->scene, entity);
        sum += kiln_scene_find_row(view, entity, &row)->rows + row;
        if (name)
            assert_int_equal(kiln_scene_find_name(view->scene, kiln_string_get(name), name->length),
                             entity);
    }
    return sum + kiln_scene_get_forecast(view).waste;
}

/* The first broken rule that a reader without hash checks finds. */
static kiln_status read_all(const hostile *h)
{
    for (int i = 0; i < BLOB_COUNT; i++) {
        kiln_verify_def def = kiln_verify_def_default();
        def.types = types;
        def.type = h->root_types[i];
        def.skip_hash = true;
        def.check_canonical = false;
        kiln_status status = kiln_verify(&def, h->blobs[i].data, h->blobs[i].size, NULL);
        if (status)
            return status;
    }
    kiln_scene_view view;
    kiln_scene_view_args view_args = {.scene = payload_of(&h->blobs[BLOB_SCENE]),
                                      .chunks = payload_of(&h->blobs[BLOB_CHUNKS]),
                                      .chunks_hash = h->chunks_hash,
                                      .data_hash = h->data_hash};
    kiln_status status = kiln_scene_view_init(&view_args, &view, NULL);
    if (status)
        return status;
    (void)walk_all(&view);
    kiln_scene_check_args check = {.view = &view,
                                   .types = types,
                                   .data = payload_of(&h->blobs[BLOB_DATA]),
                                   .data_type = S_DATA};
    kiln_error error;
    status = kiln_scene_check(&check, &error);
    kiln_scene_view_fini(&view);
    return status;
}

static hostile hostile_of(const kiln_buffer *file)
{
    static const char *const names[] = {"Scene/test", "SceneChunks/test", "SceneData/test"};
    static const char *const roots[] = {KILN_SCENE_TYPE_NAME, KILN_SCENE_CHUNKS_TYPE_NAME,
                                        "SceneData"};
    const kiln_index *index = (const void *)(file->data + KILN_HEADER_SIZE);
    const kiln_index_asset *assets = kiln_relative_get(&index->assets, index->assets.offset);
    scene_parts parts = scene_parts_of(types, file);
    hostile h = {.chunks_hash = parts.chunks_hash, .data_hash = parts.data_hash};
    for (int i = 0; i < BLOB_COUNT; i++) {
        uint32_t asset = kiln_index_find(index, kiln_asset_id(names[i], strlen(names[i])));
        const kiln_index_member *member = kiln_index_member_at(index, assets[asset].member);
        h.blobs[i] = patched_copy(file->data + member->place, (size_t)member->size);
        h.root_types[i] = kiln_types_find(types, roots[i]);
    }
    return h;
}

/* Fewer than half of the bytes, such as those in rows and names, may change without an error. */
static void changed_bytes_are_refused_or_harmless(void **state)
{
    (void)state;
    static const unsigned char changes[] = {0x01, 0x80, 0xff, 0x10};
    kiln_buffer file = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    (void)small_scene(NULL, &file, &error);
    assert_error(&error, KILN_OK, 0, "");
    hostile h = hostile_of(&file);
    assert_string_equal(kiln_status_name(read_all(&h)), "OK");
    for (int i = 0; i < BLOB_COUNT; i++) {
        uint32_t harmless = 0, changed = 0;
        for (size_t at = 0; at < h.blobs[i].size; at++)
            for (size_t c = 0; c < sizeof changes; c++, changed++) {
                h.blobs[i].data[at] ^= changes[c];
                kiln_status status = read_all(&h);
                harmless += status == KILN_OK;
                assert_true(status < KILN_STATUS_COUNT && status != KILN_NO_MEMORY);
                h.blobs[i].data[at] ^= changes[c];
            }
        assert_true(harmless < changed / 2);
        const patched whole = h.blobs[i];
        for (size_t size = 0; size < whole.size; size++) {
            h.blobs[i] = patched_copy(whole.data, size);
            assert_string_equal(kiln_status_name(read_all(&h)), "H_TRUNCATED");
            patched_fini(&h.blobs[i]);
        }
        h.blobs[i] = whole;
    }
    for (int i = 0; i < BLOB_COUNT; i++)
        patched_fini(&h.blobs[i]);
    kiln_buffer_fini(&file);
}

/* ---- misuse ---- */

static void invalid_arguments_are_refused(void **state)
{
    (void)state;
    kiln_scene_writer *w = with_positions(3);
    uint32_t number, first;
    uint64_t word;
    const uint32_t twice[] = {0, 0}, none[] = {1};
    char long_text[KILN_SCENE_TEXT_MAX + 2];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    assert_int_equal(kiln_scene_writer_add_archetype(w, twice, 2, &number), KILN_DUPLICATE);
    assert_int_equal(kiln_scene_writer_add_archetype(w, none, 1, &number), KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_scene_writer_add_rows(w, 1, 1, &first), KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_scene_writer_add_rows(w, 0, KILN_ENTITY_MAX - 2, &first),
                     KILN_L_ENTITIES);
    assert_null(kiln_scene_writer_at(w, 3, 0, NULL));
    assert_null(kiln_scene_writer_at(w, 0, 1, NULL));
    assert_int_equal(kiln_scene_writer_name(w, 0, "a", 1), KILN_OK);
    assert_int_equal(kiln_scene_writer_name(w, 0, "a", 1), KILN_OK);
    assert_int_equal(kiln_scene_writer_name(w, 1, "", 0), KILN_OK);
    assert_int_equal(kiln_scene_writer_name(w, 1, "a", 1), KILN_DUPLICATE);
    assert_int_equal(kiln_scene_writer_name(w, 0, "b", 1), KILN_DUPLICATE);
    assert_int_equal(kiln_scene_writer_name(w, 3, "c", 1), KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_scene_writer_name(w, 1, long_text, KILN_SCENE_TEXT_MAX + 1), KILN_L_TEXT);
    assert_int_equal(kiln_scene_writer_add_asset(w, 0, &word), KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_scene_writer_add_import(w, "Scene", "a", &number), KILN_I_NAME);
    assert_int_equal(kiln_scene_writer_add_import(w, "Scene/a", "", &number), KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_scene_writer_add_import(w, "Scene/a", long_text, &number), KILN_L_TEXT);
    kiln_scene_component_desc other = scene_components[C_POSITION];
    other.component.size = 16;
    assert_int_equal(kiln_scene_writer_add_component(w, &other, &number), KILN_DUPLICATE);
    other.component.name = "";
    assert_int_equal(kiln_scene_writer_add_component(w, &other, &number), KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_scene_writer_add_component(w, &scene_components[C_HUGE], &number),
                     KILN_OK);
    const uint32_t large[] = {0, 1};
    assert_int_equal(kiln_scene_writer_add_archetype(w, large, 2, &number), KILN_L_ROW);
    kiln_scene_writer_destroy(w);
}

/* A row contains a dangling word. The writer stays unchanged and can finish after the word is
 * corrected. */
static void words_without_a_target_are_not_written(void **state)
{
    (void)state;
    static const struct {
        uint32_t component, place;
        uint64_t word;
    } cases[] = {{C_LINK, 4, UINT64_C(1) << 32 | 1},
                 {C_LINK, 4, UINT64_C(2) << 32},
                 {C_SPRITE, 16, 1},
                 {C_SPRITE, 0, UINT64_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_scene_writer *writer = NULL;
        kiln_buffer file = {0};
        kiln_error error = {KILN_OK, 0, 0, ""};
        uint32_t component, archetype, first;
        assert_int_equal(kiln_scene_writer_create(NULL, &writer), KILN_OK);
        const kiln_scene_component_desc *desc = &scene_components[cases[i].component];
        assert_int_equal(kiln_scene_writer_add_component(writer, desc, &component), KILN_OK);
        assert_int_equal(kiln_scene_writer_add_archetype(writer, &component, 1, &archetype),
                         KILN_OK);
        assert_int_equal(kiln_scene_writer_add_rows(writer, archetype, 1, &first), KILN_OK);
        unsigned char *row = kiln_scene_writer_at(writer, first, component, NULL);
        memcpy(row + cases[i].place, &cases[i].word, 8);
        (void)scene_finish(writer, types, NULL, &file, &error);
        assert_error(&error, KILN_DANGLING, 0, desc->component.name);
        memset(row + cases[i].place, 0, 8);
        assert_int_equal(scene_finish(writer, types, NULL, &file, &error), KILN_OK);
        kiln_buffer_fini(&file);
        kiln_scene_writer_destroy(writer);
    }
}

/* Padding of C structs is ignored, but an invalid value is refused. */
static void padding_is_cleared_and_values_are_checked(void **state)
{
    (void)state;
    static const unsigned char given[12] = {1, 5, 11, 0, 1, 165, 165, 165, 4, 3, 2, 1};
    static const unsigned char stored[12] = {1, 5, 11, 0, 1, 0, 0, 0, 4, 3, 2, 1};
    for (int wrong = 0; wrong <= 1; wrong++) {
        kiln_scene_writer *writer = NULL;
        kiln_buffer file = {0};
        kiln_error error = {KILN_OK, 0, 0, ""};
        uint32_t component, archetype, first;
        kiln_scene_component_desc desc = scene_component(types, C_DOOR);
        assert_int_equal(kiln_scene_writer_create(NULL, &writer), KILN_OK);
        assert_int_equal(kiln_scene_writer_add_component(writer, &desc, &component), KILN_OK);
        assert_int_equal(kiln_scene_writer_add_archetype(writer, &component, 1, &archetype),
                         KILN_OK);
        assert_int_equal(kiln_scene_writer_add_rows(writer, archetype, 3, &first), KILN_OK);
        unsigned char *rows = kiln_scene_writer_at(writer, first, component, NULL);
        for (uint32_t i = 0; i < 3; i++)
            memcpy(rows + (size_t)i * sizeof given, given, sizeof given);
        rows[24] += (unsigned char)wrong;
        (void)scene_finish(writer, types, NULL, &file, &error);
        if (wrong) {
            assert_string_equal(kiln_status_name(error.status), "V_BOOL");
            assert_string_equal(error.path, "entity 2.Door.is_open");
        } else {
            assert_error(&error, KILN_OK, 0, "");
            scene_parts parts = scene_parts_of(types, &file);
            const unsigned char *tails =
                kiln_relative_get(&parts.chunks->tails, parts.chunks->tails.offset);
            for (uint32_t i = 0; i < 3; i++)
                assert_memory_equal(tails + (size_t)i * sizeof stored, stored, sizeof stored);
        }
        kiln_buffer_fini(&file);
        kiln_scene_writer_destroy(writer);
    }
}

/* ---- forecasts ---- */

static void forecasts_match_an_empty_world(void **state)
{
    (void)state;
    static const struct {
        uint32_t rows, blocks, chunks, megas;
    } cases[] = {
        {1, 1, 1, 2},
        {1365 * 3, 1, 3, 2},
        {8192, 1, 7, 2},
        {8193, 2, 7, 2},
        {1365 * 16, 3, 16, 2},
        {1365 * 64, 11, 64, 2},
        {1365 * 64 + 1, 11, 65, 2},
        {1365 * 128, 22, 128, 2},
        {1365 * 128 + 1, 22, 129, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_scene_writer *writer = with_positions(cases[i].rows);
        kiln_buffer file = {0};
        kiln_scene_view view;
        kiln_error error;
        assert_int_equal(scene_finish(writer, types, NULL, &file, &error), KILN_OK);
        scene_parts parts = scene_parts_of(types, &file);
        assert_int_equal(scene_view_of(&parts, NULL, &view, &error), KILN_OK);
        kiln_scene_forecast forecast = kiln_scene_get_forecast(&view);
        assert_int_equal(forecast.entities, cases[i].rows);
        assert_int_equal(forecast.blocks, cases[i].blocks);
        assert_int_equal(forecast.chunks, cases[i].chunks);
        assert_int_equal(forecast.mega_chunks, cases[i].megas);
        assert_int_equal(forecast.block_bytes, cases[i].blocks * UINT64_C(131072));
        assert_int_equal(forecast.chunk_bytes, cases[i].megas * UINT64_C(1048576));
        assert_int_equal(forecast.waste,
                         cases[i].chunks * UINT64_C(16384) - cases[i].rows * UINT64_C(12));
        kiln_scene_view_fini(&view);
        kiln_buffer_fini(&file);
        kiln_scene_writer_destroy(writer);
    }
}

/* ---- memory ---- */

static kiln_status join_types(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_types *joined = NULL;
    kiln_status status = kiln_types_with_scene(verdict_types, allocator, &joined, reterr);
    kiln_types_destroy(joined);
    return status;
}

static kiln_status write_scene(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_buffer file = {0};
    kiln_status status = small_scene(allocator, &file, reterr);
    kiln_buffer_fini(&file);
    return status;
}

static scene_parts small_parts;

static kiln_status read_scene(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_scene_view view;
    kiln_status status = scene_view_of(&small_parts, allocator, &view, reterr);
    if (status)
        return status;
    kiln_scene_check_args args = {.view = &view,
                                  .types = types,
                                  .data = small_parts.data,
                                  .data_type = S_DATA,
                                  .allocator = allocator};
    status = kiln_scene_check(&args, reterr);
    kiln_scene_view_fini(&view);
    return status;
}

static kiln_status describe_component(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_component_type component;
    kiln_status status = kiln_component_type_init(types, S_NEST, S_DATA, allocator, &component);
    if (!status)
        kiln_component_type_fini(&component);
    return check_all(status, reterr);
}

static void running_out_of_memory_is_reported(void **state)
{
    kiln_buffer file = {0};
    kiln_error error;
    verdict_set_up(state);
    assert_int_equal(small_scene(NULL, &file, &error), KILN_OK);
    small_parts = scene_parts_of(types, &file);
    check_each_failure(join_types);
    check_each_failure(write_scene);
    check_each_failure(read_scene);
    check_each_failure(describe_component);
    kiln_buffer_fini(&file);
    verdict_tear_down(state);
}

/* ---- types ---- */

static void types_of_scenes_are_added_once_and_keep_the_others(void **state)
{
    (void)state;
    kiln_types *again = NULL;
    assert_int_equal(kiln_types_with_scene(types, NULL, &again, NULL), KILN_OK);
    assert_int_equal(kiln_types_count(again), kiln_types_count(types));
    for (uint32_t i = 0; i < kiln_types_count(types); i++) {
        const kiln_type *a = kiln_types_get(types, i), *b = kiln_types_get(again, i);
        assert_string_equal(a->name, b->name);
        assert_true(a->layout == b->layout && a->kind == b->kind);
    }
    kiln_types_destroy(again);
    static const kiln_member wrong[] = {{.name = "x", .type = 0}};
    static const kiln_type list[] = {{.kind = KILN_KIND_U8},
                                     {.kind = KILN_KIND_STRUCT,
                                      .name = "kiln.SceneImport",
                                      .members = wrong,
                                      .member_count = 1}};
    kiln_types *clashing = NULL;
    kiln_error error;
    assert_int_equal(kiln_types_create(NULL, list, 2, &clashing, NULL), KILN_OK);
    assert_int_equal(kiln_types_with_scene(clashing, NULL, &again, &error), KILN_DUPLICATE);
    assert_error(&error, KILN_DUPLICATE, 0, "kiln.SceneImport");
    kiln_types_destroy(clashing);
}

static void defaults_of_other_types_are_kept(void **state)
{
    (void)state;
    kiln_types *own = scene_types_create(NULL), *again = NULL;
    assert_int_equal(
        kiln_types_set_default(own, S_POSITION, 1, (kiln_span){"\0\0\x80\x3f", 4}, NULL), KILN_OK);
    assert_int_equal(kiln_types_with_scene(own, NULL, &again, NULL), KILN_OK);
    const kiln_member *y = &kiln_types_get(again, S_POSITION)->members[1];
    assert_int_equal(y->default_size, 4);
    assert_memory_equal(y->default_image, "\0\0\x80\x3f", 4);
    assert_null(y[1].default_image);
    kiln_types_destroy(own);
    kiln_types_destroy(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_that_can_be_mapped_begin_at_multiples_of_64_kib),
        cmocka_unit_test(blobs_without_a_file_are_those_of_the_file),
        cmocka_unit_test(tags_alone_have_no_chunks),
        cmocka_unit_test(small_scene_has_these_bytes),
        cmocka_unit_test(changed_bytes_are_refused_or_harmless),
        cmocka_unit_test(invalid_arguments_are_refused),
        cmocka_unit_test(words_without_a_target_are_not_written),
        cmocka_unit_test(padding_is_cleared_and_values_are_checked),
        cmocka_unit_test(forecasts_match_an_empty_world),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(types_of_scenes_are_added_once_and_keep_the_others),
        cmocka_unit_test(defaults_of_other_types_are_kept),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

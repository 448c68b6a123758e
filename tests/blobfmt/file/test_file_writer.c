/* The file writer: what it refuses, what it stores once, and its state after a failure. */
#include "small_file.h"
#include "verdict.h"
#include "whole_file.h"

#include <errno.h>
#include <kiln/index.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kiln_file_writer *writer;
static kiln_types *builtin;
static kiln_error error;

static int set_up(void **state)
{
    verdict_set_up(state);
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = verdict_types;
    return kiln_file_writer_create(&def, &writer, NULL) ||
           kiln_types_create_builtin(NULL, &builtin, NULL);
}

static int tear_down(void **state)
{
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(builtin);
    return verdict_tear_down(state);
}

/* Adds an item with this price. */
static kiln_status add_item(const char *name, uint32_t price)
{
    unsigned char payload[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    patch_number(payload + 8, price, 4);
    patched blob = patched_blob(verdict_types, T_ITEM, 0, payload, sizeof payload);
    kiln_status status =
        kiln_file_writer_add(writer, name, T_ITEM, (kiln_span){blob.data, blob.size}, &error);
    patched_fini(&blob);
    return status;
}

static kiln_status add_link(const char *name, const char *to)
{
    kiln_id id = kiln_asset_id(to, strlen(to));
    patched blob = patched_blob(verdict_types, T_ONE_REF, 0, &id, sizeof id);
    kiln_status status =
        kiln_file_writer_add(writer, name, T_ONE_REF, (kiln_span){blob.data, blob.size}, &error);
    patched_fini(&blob);
    return status;
}

/* Returns the finished file, which must be valid. */
static kiln_buffer finished(void)
{
    kiln_buffer file = {0};
    kiln_error wrong = {KILN_OK, 0, 0, ""};
    assert_int_equal(kiln_file_writer_finish_buffer(writer, &file, &wrong), KILN_OK);
    assert_int_equal((uintptr_t)file.data % 4096, 0);
    (void)whole_file_check(builtin, file.data, file.size, &wrong);
    assert_error(&wrong, KILN_OK, 0, "");
    return file;
}

static const kiln_index *index_of(const kiln_buffer *file)
{
    return (const kiln_index *)(const void *)(file->data + KILN_HEADER_SIZE);
}

static void file_without_assets_is_a_file(void **state)
{
    (void)state;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = verdict_types;
    def.omit_type_table = true;
    kiln_buffer file = finished();
    assert_int_equal(kiln_index_asset_count(index_of(&file)), 0);
    assert_int_equal(kiln_index_find(index_of(&file), 7), KILN_ASSET_NONE);
    kiln_buffer_fini(&file);
    kiln_file_writer_destroy(writer);
    assert_int_equal(kiln_file_writer_create(&def, &writer, NULL), KILN_OK);
    file = finished();
    assert_int_equal(index_of(&file)->members.count, 0);
    kiln_index_frame frame;
    assert_int_equal(kiln_index_frame_read(&(kiln_file_head){file.data, file.size, file.size}, true,
                                           &frame, NULL),
                     KILN_OK);
    assert_int_equal(kiln_index_check_entries(&frame, NULL), KILN_OK);
    assert_int_equal(kiln_index_asset_count(index_of(&file)), 0);
    assert_int_equal(kiln_index_find(index_of(&file), 7), KILN_ASSET_NONE);
    kiln_buffer_fini(&file);
}

static void names_given_twice_are_refused(void **state)
{
    (void)state;
    assert_int_equal(add_item("Item/a", 1), KILN_OK);
    assert_int_equal(add_item("Item/a", 2), KILN_DUPLICATE);
    assert_error(&error, KILN_DUPLICATE, 0, "");
    assert_int_equal(add_item("Item/b", 2), KILN_OK);
    kiln_buffer file = finished();
    assert_int_equal(kiln_index_asset_count(index_of(&file)), 2);
    kiln_buffer_fini(&file);
}

static void malformed_names_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "Item", "Item/", "/a", "It em/a", "Item/\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(add_item(bad[i], 1), KILN_I_NAME);
        assert_int_equal(kiln_file_writer_import(writer, bad[i]), KILN_I_NAME);
    }
}

static void invalid_blobs_are_refused_with_a_position(void **state)
{
    (void)state;
    patched blob = patched_blob(verdict_types, T_ITEM, 0, "\0\0\0\0\0\0\0\0\0\0\0\0\2\1\0\0", 16);
    assert_int_equal(
        kiln_file_writer_add(writer, "Item/a", T_ITEM, (kiln_span){blob.data, blob.size}, &error),
        KILN_V_BOOL);
    assert_error(&error, KILN_V_BOOL, 32 + 12, "sold");
    assert_int_equal(
        kiln_file_writer_add(writer, "Item/a", T_VEC, (kiln_span){blob.data, blob.size}, &error),
        KILN_H_LAYOUT);
    assert_int_equal(
        kiln_file_writer_add(writer, "Item/a", T_U32, (kiln_span){blob.data, blob.size}, &error),
        KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_file_writer_add(writer, "Item/a", TEST_TYPE_COUNT,
                                          (kiln_span){blob.data, blob.size}, &error),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_file_writer_add(writer, "Item/a", T_ITEM,
                                          (kiln_span){blob.data, blob.size - 1}, &error),
                     KILN_H_TRUNCATED);
    patched_fini(&blob);
    kiln_buffer file = finished();
    assert_int_equal(kiln_index_asset_count(index_of(&file)), 0);
    kiln_buffer_fini(&file);
}

static void dangling_references_are_reported(void **state)
{
    (void)state;
    kiln_buffer file = {0};
    assert_int_equal(add_link("Link/a", "Item/a"), KILN_OK);
    assert_int_equal(kiln_file_writer_finish_buffer(writer, &file, &error), KILN_DANGLING);
    assert_error(&error, KILN_DANGLING, 0, "Link/a");
    assert_null(file.data);
    /* Missing assets may still be added. */
    assert_int_equal(add_item("Item/a", 1), KILN_OK);
    file = finished();
    assert_int_equal(index_of(&file)->edges.count, 1);
    assert_int_equal(index_of(&file)->imports.count, 0);
    kiln_buffer_fini(&file);
}

static void imports_are_written_when_referred_to(void **state)
{
    (void)state;
    assert_int_equal(kiln_file_writer_import(writer, "Item/far"), KILN_OK);
    assert_int_equal(kiln_file_writer_import(writer, "Item/far"), KILN_OK);
    assert_int_equal(kiln_file_writer_import(writer, "Item/unused"), KILN_OK);
    assert_int_equal(kiln_file_writer_import(writer, "Item/here"), KILN_OK);
    assert_int_equal(add_link("Link/a", "Item/far"), KILN_OK);
    assert_int_equal(add_link("Link/b", "Item/here"), KILN_OK);
    assert_int_equal(add_item("Item/here", 1), KILN_OK);
    kiln_buffer file = finished();
    assert_int_equal(index_of(&file)->imports.count, 1);
    assert_string_equal(kiln_string_get(&kiln_index_import_at(index_of(&file), 0)->name),
                        "Item/far");
    kiln_buffer_fini(&file);
}

static void equal_blobs_are_stored_once_in_the_order_of_adding(void **state)
{
    (void)state;
    assert_int_equal(add_item("Item/c", 3), KILN_OK);
    assert_int_equal(add_item("Item/a", 1), KILN_OK);
    assert_int_equal(add_item("Item/b", 3), KILN_OK);
    kiln_buffer file = finished();
    const kiln_index *index = index_of(&file);
    assert_int_equal(index->members.count, 3);
    assert_int_equal(index->type_table, 1);
    static const struct {
        const char *name;
        uint32_t member;
    } rows[] = {{"Item/c", 1}, {"Item/a", 2}, {"Item/b", 1}};
    for (size_t i = 0; i < 3; i++) {
        uint32_t number = kiln_index_find(index, kiln_asset_id(rows[i].name, strlen(rows[i].name)));
        assert_int_equal(kiln_index_asset_at(index, number)->member, rows[i].member);
    }
    kiln_buffer_fini(&file);
}

static void many_assets_are_all_found(void **state)
{
    (void)state;
    enum { MANY = 1500 };
    char name[32];
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "Item/number-%u", (unsigned)i);
        assert_int_equal(add_item(name, i % 100), KILN_OK);
    }
    kiln_buffer file = finished();
    const kiln_index *index = index_of(&file);
    assert_int_equal(kiln_index_asset_count(index), MANY);
    assert_int_equal(index->directory.count, 2049);
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "Item/number-%u", (unsigned)i);
        uint32_t number = kiln_index_find(index, kiln_asset_id(name, strlen(name)));
        assert_true(number < MANY);
        assert_string_equal(kiln_string_get(&kiln_index_asset_at(index, number)->name), name);
        snprintf(name, sizeof name, "Item/nothing-%u", (unsigned)i);
        assert_int_equal(kiln_index_find(index, kiln_asset_id(name, strlen(name))),
                         KILN_ASSET_NONE);
    }
    kiln_buffer_fini(&file);
}

typedef struct sink {
    size_t calls, stop_at, size;
    unsigned char bytes[1 << 16];
} sink;

static bool take(void *ctx, const void *data, size_t size)
{
    sink *to = ctx;
    if (++to->calls == to->stop_at || size > sizeof to->bytes - to->size) {
        errno = ENOSPC;
        return false;
    }
    memcpy(to->bytes + to->size, data, size);
    to->size += size;
    return true;
}

static kiln_file_writer *new_writer(void)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *made = NULL;
    def.types = verdict_types;
    assert_int_equal(kiln_file_writer_create(&def, &made, NULL), KILN_OK);
    return made;
}

static void all_functions_that_add_assets_give_the_same_file(void **state)
{
    (void)state;
    kiln_buffer expected = small_file(verdict_types, false);
    for (int way = 0; way < SMALL_FILE_WAYS; way++) {
        assert_int_equal(
            small_file_add(writer, verdict_types, NULL, (enum small_file_way)way, NULL), KILN_OK);
        kiln_buffer file = finished();
        assert_same_bytes(&file, &expected);
        kiln_buffer_fini(&file);
        kiln_file_writer_destroy(writer);
        writer = new_writer();
    }
    kiln_buffer_fini(&expected);
}

static kiln_buffer item_blob(uint32_t price)
{
    unsigned char payload[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    patch_number(payload + 8, price, 4);
    patched blob = patched_blob(verdict_types, T_ITEM, 0, payload, sizeof payload);
    kiln_buffer copy = {NULL, blob.size, kiln_allocator_default()};
    copy.data = copy.allocator.alloc(copy.allocator.ctx, blob.size, 16);
    assert_non_null(copy.data);
    memcpy(copy.data, blob.data, blob.size);
    patched_fini(&blob);
    return copy;
}

static void the_writer_owns_a_taken_blob_only_on_success(void **state)
{
    (void)state;
    kiln_buffer blob = item_blob(1), same = item_blob(1), bad = item_blob(1);
    const unsigned char *bytes = bad.data;
    assert_int_equal(kiln_file_writer_take(writer, "Item/a", T_ITEM, &blob, &error), KILN_OK);
    assert_null(blob.data);
    assert_int_equal(kiln_file_writer_take(writer, "Item/b", T_ITEM, &same, &error), KILN_OK);
    assert_null(same.data);
    assert_int_equal(kiln_file_writer_take(writer, "Item/a", T_ITEM, &bad, &error), KILN_DUPLICATE);
    bad.data[32 + 12] = 2;
    patched_rehash(bad.data);
    assert_int_equal(kiln_file_writer_take(writer, "Item/c", T_ITEM, &bad, &error), KILN_V_BOOL);
    assert_error(&error, KILN_V_BOOL, 32 + 12, "sold");
    assert_ptr_equal(bad.data, bytes);
    kiln_buffer_fini(&bad);
    kiln_buffer file = finished();
    assert_int_equal(kiln_index_asset_count(index_of(&file)), 2);
    assert_int_equal(index_of(&file)->members.count, 2);
    kiln_buffer_fini(&file);
}

static void built_values_are_refused_like_finished_ones(void **state)
{
    (void)state;
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL, *other = NULL;
    def.types = verdict_types;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    def.types = builtin;
    assert_int_equal(kiln_builder_create(&def, &other), KILN_OK);
    unsigned char *root = kiln_builder_root(builder, 16, 4);
    root[12] = 2;
    root[13] = 1;
    assert_int_equal(kiln_file_writer_build(writer, "Item/a", T_ITEM, builder, &error),
                     KILN_V_BOOL);
    assert_error(&error, KILN_V_BOOL, 0, "sold");
    root[12] = 1;
    assert_int_equal(kiln_file_writer_build(writer, "Item", T_ITEM, builder, &error), KILN_I_NAME);
    assert_int_equal(kiln_file_writer_build(writer, "Item/a", T_ITEM, other, &error),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_file_writer_build(writer, "Item/a", T_U32, builder, &error),
                     KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_file_writer_build(writer, "Item/a", T_ITEM, builder, &error), KILN_OK);
    assert_int_equal(kiln_file_writer_build(writer, "Item/a", T_ITEM, builder, &error),
                     KILN_DUPLICATE);
    kiln_buffer file = finished();
    assert_int_equal(kiln_index_asset_count(index_of(&file)), 1);
    kiln_buffer_fini(&file);
    kiln_builder_destroy(builder);
    kiln_builder_destroy(other);
}

static void finished_assets_are_refused_like_built_values(void **state)
{
    (void)state;
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL, *other = NULL;
    kiln_finished_asset asset = {0}, foreign = {0};
    def.types = verdict_types;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    def.types = builtin;
    assert_int_equal(kiln_builder_create(&def, &other), KILN_OK);
    unsigned char *root = kiln_builder_root(builder, 16, 4);
    root[12] = 2;
    root[13] = 1;
    assert_int_equal(kiln_finished_asset_build(builder, T_ITEM, &asset, &error), KILN_V_BOOL);
    assert_error(&error, KILN_V_BOOL, 0, "sold");
    assert_int_equal(kiln_finished_asset_build(builder, T_U32, &asset, &error), KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_finished_asset_build(builder, UINT32_MAX, &asset, &error),
                     KILN_BAD_ARGUMENT);
    assert_null(asset.blob.data);
    assert_int_equal(kiln_file_writer_put(writer, "Item/a", &asset, &error), KILN_BAD_ARGUMENT);
    root[12] = 1;
    assert_int_equal(kiln_finished_asset_build(builder, T_ITEM, &asset, &error), KILN_OK);
    foreign = asset;
    foreign.types = builtin;
    assert_int_equal(kiln_file_writer_put(writer, "Item/a", &foreign, &error), KILN_BAD_ARGUMENT);
    assert_int_equal(kiln_file_writer_put(writer, "Item", &asset, &error), KILN_I_NAME);
    assert_non_null(asset.blob.data);
    assert_int_equal(kiln_file_writer_put(writer, "Item/a", &asset, &error), KILN_OK);
    assert_null(asset.blob.data);
    assert_int_equal(kiln_finished_asset_build(builder, T_ITEM, &asset, &error), KILN_OK);
    assert_int_equal(kiln_file_writer_put(writer, "Item/a", &asset, &error), KILN_DUPLICATE);
    assert_int_equal(kiln_file_writer_put(writer, "Item/b", &asset, &error), KILN_OK);
    kiln_buffer file = finished();
    assert_int_equal(kiln_index_asset_count(index_of(&file)), 2);
    assert_int_equal(index_of(&file)->members.count, 2);
    kiln_buffer_fini(&file);
    kiln_finished_asset_fini(&asset);
    kiln_finished_asset_fini(NULL);
    kiln_builder_destroy(builder);
    kiln_builder_destroy(other);
}

/* A finished asset refers to several others, one of them twice. */
static void references_of_finished_assets_are_listed_once(void **state)
{
    (void)state;
    typedef struct entry {
        KILN_ALIGNAS(8) kiln_id key;
        uint8_t value;
    } entry;
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_finished_asset asset = {0};
    def.types = verdict_types;
    kiln_id a = kiln_asset_id("Item/a", 6), b = kiln_asset_id("Item/b", 6);
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    assert_int_equal(add_item("Item/a", 1), KILN_OK);
    assert_int_equal(add_item("Item/b", 1), KILN_OK);
    for (int i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "Map/%d", i);
        kiln_array *root = kiln_builder_root(builder, sizeof *root, 4);
        entry *entries = kiln_builder_array(builder, root, 2, sizeof *entries, 8);
        entries[0].key = a < b ? a : b;
        entries[1].key = a < b ? b : a;
        assert_int_equal(kiln_finished_asset_build(builder, T_ONE_MAP_REF_U8, &asset, &error),
                         KILN_OK);
        assert_int_equal(kiln_file_writer_put(writer, name, &asset, &error), KILN_OK);
        kiln_builder_reset(builder);
    }
    kiln_buffer file = finished();
    assert_int_equal(index_of(&file)->edges.count, 4);
    kiln_buffer_fini(&file);
    kiln_builder_destroy(builder);
}

/* References of a refused value must not become references of the next value. */
static void references_of_a_refused_value_are_forgotten(void **state)
{
    (void)state;
    typedef struct entry {
        KILN_ALIGNAS(8) kiln_id key;
        uint8_t value;
    } entry;
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = verdict_types;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    kiln_array *root = kiln_builder_root(builder, sizeof *root, 4);
    entry *entries = kiln_builder_array(builder, root, 2, sizeof *entries, 8);
    entries[0].key = entries[1].key = kiln_asset_id("Item/nowhere", 12);
    assert_int_equal(kiln_file_writer_build(writer, "Map/a", T_ONE_MAP_REF_U8, builder, &error),
                     KILN_V_MAP_ORDER);
    entries = kiln_builder_array(builder, root, 1, sizeof *entries, 8);
    entries[0].key = kiln_asset_id("Item/a", 6);
    assert_int_equal(kiln_file_writer_build(writer, "Map/a", T_ONE_MAP_REF_U8, builder, &error),
                     KILN_OK);
    assert_int_equal(add_item("Item/a", 1), KILN_OK);
    kiln_buffer file = finished();
    assert_int_equal(index_of(&file)->edges.count, 1);
    kiln_buffer_fini(&file);
    kiln_builder_destroy(builder);
}

static void a_write_that_fails_at_any_point_ends_finishing(void **state)
{
    (void)state;
    static sink to;
    assert_int_equal(small_file_add(writer, verdict_types, NULL, SMALL_FILE_ADD, NULL), KILN_OK);
    kiln_buffer file = finished();
    for (size_t stop = 1;; stop++) {
        memset(&to, 0, sizeof to);
        to.stop_at = stop;
        kiln_status status = kiln_file_writer_finish(writer, take, &to, &error);
        if (to.calls < stop) {
            assert_int_equal(status, KILN_OK);
            break;
        }
        assert_int_equal(status, KILN_IO);
        assert_int_equal(error.status, KILN_IO);
        assert_int_equal(error.system_error, ENOSPC);
        assert_int_equal(to.calls, stop);
    }
    assert_int_equal(to.size, file.size);
    assert_memory_equal(to.bytes, file.data, to.size);
    kiln_buffer_fini(&file);
}

/* A callback that sets errno when it succeeds, and leaves it unchanged when it fails. */
static bool take_and_leave_errno(void *ctx, const void *data, size_t size)
{
    sink *to = ctx;
    (void)data;
    (void)size;
    if (errno != 0 || ++to->calls == to->stop_at)
        return false;
    errno = ENOTTY;
    return true;
}

static void errno_of_a_write_that_succeeded_is_not_reported(void **state)
{
    (void)state;
    static sink to;
    assert_int_equal(small_file_add(writer, verdict_types, NULL, SMALL_FILE_ADD, NULL), KILN_OK);
    memset(&to, 0, sizeof to);
    assert_int_equal(kiln_file_writer_finish(writer, take_and_leave_errno, &to, &error), KILN_OK);
    size_t calls = to.calls;
    assert_true(calls > 3);
    for (size_t stop = 1; stop <= calls; stop++) {
        memset(&to, 0, sizeof to);
        to.stop_at = stop;
        assert_int_equal(kiln_file_writer_finish(writer, take_and_leave_errno, &to, &error),
                         KILN_IO);
        assert_int_equal(error.system_error, 0);
    }
}

static void type_table_is_left_out_on_request(void **state)
{
    (void)state;
    kiln_buffer file = small_file(verdict_types, true);
    assert_int_equal(index_of(&file)->type_table, 0);
    assert_int_equal(index_of(&file)->members.count, 4);
    kiln_buffer_fini(&file);
}

static void writer_without_sharing_writes_the_same_file_twice(void **state)
{
    (void)state;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = verdict_types;
    def.skip_sharing = true;
    kiln_file_writer_destroy(writer);
    assert_int_equal(kiln_file_writer_create(&def, &writer, NULL), KILN_OK);
    assert_int_equal(add_item("Item/a", 1), KILN_OK);
    assert_int_equal(add_item("Item/b", 1), KILN_OK);
    kiln_buffer first = finished(), second = finished();
    assert_int_equal(index_of(&first)->members.count, 3);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    kiln_buffer_fini(&first);
    kiln_buffer_fini(&second);
}

enum { MOVED_SIZE = 8192, MOVED_MAX = 16 };

typedef struct mover {
    unsigned char *all;
    size_t count, touched;
} mover;

static void touch_blob(void *ctx, size_t size)
{
    mover *m = ctx;
    m->touched += size;
}

static void free_nothing(void *ctx, void *block, size_t size)
{
    (void)ctx;
    (void)block;
    (void)size;
}

/* Moves the blob to the next part of one block, and overwrites the old bytes. */
static void move_blob(void *ctx, kiln_buffer *blob, size_t align)
{
    mover *m = ctx;
    kiln_buffer moved = {m->all + m->count * MOVED_SIZE, blob->size, {NULL, free_nothing, NULL}};
    assert_true(blob->size <= MOVED_SIZE && m->count < MOVED_MAX && align <= 4096);
    m->count++;
    assert_int_equal((uintptr_t)blob->data % align, 0);
    memcpy(moved.data, blob->data, blob->size);
    memset(blob->data, 0xee, blob->size);
    kiln_buffer_fini(blob);
    *blob = moved;
}

/* The two equal items are one blob. */
static void blobs_that_are_moved_give_the_same_file(void **state)
{
    static const size_t moved[SMALL_FILE_WAYS] = {0, 4, 4, 4};
    (void)state;
    for (int way = 0; way < SMALL_FILE_WAYS; way++) {
        kiln_file_writer_def def = kiln_file_writer_def_default();
        mover m = {.all = aligned_alloc(4096, MOVED_MAX * MOVED_SIZE)};
        kiln_buffer file, expected = small_file(verdict_types, false);
        assert_non_null(m.all);
        def.types = verdict_types;
        def.move_blob = move_blob;
        def.touch_blob = touch_blob;
        def.move_ctx = &m;
        kiln_file_writer_destroy(writer);
        assert_int_equal(kiln_file_writer_create(&def, &writer, NULL), KILN_OK);
        assert_int_equal(
            small_file_add(writer, verdict_types, NULL, (enum small_file_way)way, NULL), KILN_OK);
        assert_int_equal(m.count, moved[way]);
        file = finished();
        /* Every member is read once to write it. */
        assert_true(m.touched > 0 && m.touched < file.size);
        assert_int_equal(file.size, expected.size);
        assert_memory_equal(file.data, expected.data, file.size);
        kiln_buffer_fini(&file);
        kiln_buffer_fini(&expected);
        kiln_file_writer_destroy(writer);
        writer = NULL;
        free(m.all);
    }
}

/* The same lists as in the index of the finished file. */
static void graph_is_that_of_the_index(void **state)
{
    (void)state;
    kiln_file_graph graph = {0}, empty = {0};
    assert_int_equal(kiln_file_writer_get_graph(writer, &empty, NULL), KILN_OK);
    assert_int_equal(empty.asset_count + empty.import_count + empty.edge_starts[0], 0);
    kiln_file_graph_fini(&empty);
    assert_null(empty.memory);
    assert_int_equal(kiln_file_writer_import(writer, "Item/unused"), KILN_OK);
    assert_int_equal(small_file_add(writer, verdict_types, NULL, SMALL_FILE_ADD, NULL), KILN_OK);
    assert_int_equal(add_link("Link/self", "Link/self"), KILN_OK);
    assert_int_equal(kiln_file_writer_get_graph(writer, &graph, NULL), KILN_OK);
    kiln_buffer file = finished();
    const kiln_index *index = index_of(&file);
    assert_int_equal(graph.asset_count, kiln_index_asset_count(index));
    assert_int_equal(graph.import_count, 1);
    for (uint32_t i = 0; i < graph.asset_count; i++) {
        uint32_t count = 0;
        const uint32_t *edges = kiln_index_edges(index, i, &count);
        uint32_t type = kiln_index_asset_at(index, i)->type;
        assert_true(graph.ids[i] == kiln_index_id(index, i));
        assert_string_equal(kiln_types_get(verdict_types, graph.types[i])->name,
                            kiln_string_get(&kiln_index_type_at(index, type)->name));
        assert_int_equal(graph.edge_starts[i + 1] - graph.edge_starts[i], count);
        if (count)
            assert_memory_equal(graph.edges + graph.edge_starts[i], edges, count * sizeof *edges);
    }
    assert_int_equal(graph.edge_starts[graph.asset_count], 3);
    kiln_file_graph_fini(&graph);
    kiln_buffer_fini(&file);
    kiln_file_graph_fini(NULL);
}

static void graph_with_a_reference_to_nothing_is_refused(void **state)
{
    (void)state;
    kiln_file_graph graph = {0};
    assert_int_equal(add_link("Link/lost", "Item/lost"), KILN_OK);
    assert_int_equal(kiln_file_writer_get_graph(writer, &graph, &error), KILN_DANGLING);
    assert_error(&error, KILN_DANGLING, 0, "Link/lost");
    assert_null(graph.memory);
}

static void creating_without_types_is_refused(void **state)
{
    (void)state;
    kiln_file_writer *none = NULL;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    assert_int_equal(kiln_file_writer_create(&def, &none, &error), KILN_BAD_ARGUMENT);
    assert_null(none);
    kiln_file_writer_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(file_without_assets_is_a_file),
        TEST(names_given_twice_are_refused),
        TEST(malformed_names_are_refused),
        TEST(invalid_blobs_are_refused_with_a_position),
        TEST(dangling_references_are_reported),
        TEST(imports_are_written_when_referred_to),
        TEST(equal_blobs_are_stored_once_in_the_order_of_adding),
        TEST(many_assets_are_all_found),
        TEST(all_functions_that_add_assets_give_the_same_file),
        TEST(the_writer_owns_a_taken_blob_only_on_success),
        TEST(built_values_are_refused_like_finished_ones),
        TEST(finished_assets_are_refused_like_built_values),
        TEST(references_of_finished_assets_are_listed_once),
        TEST(references_of_a_refused_value_are_forgotten),
        TEST(a_write_that_fails_at_any_point_ends_finishing),
        TEST(errno_of_a_write_that_succeeded_is_not_reported),
        TEST(type_table_is_left_out_on_request),
        TEST(writer_without_sharing_writes_the_same_file_twice),
        TEST(blobs_that_are_moved_give_the_same_file),
        TEST(graph_is_that_of_the_index),
        TEST(graph_with_a_reference_to_nothing_is_refused),
        TEST(creating_without_types_is_refused),
    };
    return cmocka_run_group_tests_name("file writer", tests, NULL, NULL);
}

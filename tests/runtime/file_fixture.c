#include "file_fixture.h"

#include <kiln/builder.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T_STRING, T_U32, T_BOOL, T_KIND, T_REF, T_STRINGS, T_REFS, T_ITEM, T_PAGE, T_COUNT };

#define PLAIN(k)                                                                                   \
    {                                                                                              \
        .kind = (k), .element = KILN_TYPE_NONE, .key = KILN_TYPE_NONE                              \
    }
#define OF(k, e)                                                                                   \
    {                                                                                              \
        .kind = (k), .element = (e), .key = KILN_TYPE_NONE                                         \
    }

static const kiln_member kind_values[] = {{.name = "plain", .value = 1},
                                          {.name = "rare", .value = 2}};

static const kiln_member item_fields[] = {
    {.name = "name", .type = T_STRING}, {.name = "tags", .type = T_STRINGS},
    {.name = "refs", .type = T_REFS},   {.name = "hp", .type = T_U32},
    {.name = "kind", .type = T_KIND},   {.name = "lucky", .type = T_BOOL}};

static const kiln_member page_fields[] = {{.name = "text", .type = T_STRING}};

static const kiln_type all_types[T_COUNT] = {[T_STRING] = PLAIN(KILN_KIND_STRING),
                                             [T_U32] = PLAIN(KILN_KIND_U32),
                                             [T_BOOL] = PLAIN(KILN_KIND_BOOL),
                                             [T_KIND] = {.name = "test.Kind",
                                                         .kind = KILN_KIND_ENUM,
                                                         .base = KILN_KIND_U8,
                                                         .element = KILN_TYPE_NONE,
                                                         .key = KILN_TYPE_NONE,
                                                         .members = kind_values,
                                                         .member_count = 2},
                                             [T_REF] = OF(KILN_KIND_REF, T_ITEM),
                                             [T_STRINGS] = OF(KILN_KIND_ARRAY, T_STRING),
                                             [T_REFS] = OF(KILN_KIND_ARRAY, T_REF),
                                             [T_ITEM] = {.name = "test.Item",
                                                         .flags = KILN_TYPE_ASSET,
                                                         .kind = KILN_KIND_STRUCT,
                                                         .element = KILN_TYPE_NONE,
                                                         .key = KILN_TYPE_NONE,
                                                         .members = item_fields,
                                                         .member_count = 6},
                                             [T_PAGE] = {.name = "test.Page",
                                                         .flags = KILN_TYPE_ASSET,
                                                         .kind = KILN_KIND_STRUCT,
                                                         .element = KILN_TYPE_NONE,
                                                         .key = KILN_TYPE_NONE,
                                                         .align_at = PAGE_ALIGN,
                                                         .members = page_fields,
                                                         .member_count = 1}};

static kiln_types *make_types(const kiln_type *types, uint32_t count)
{
    kiln_types *made = NULL;
    kiln_error error = {0};
    if (kiln_types_create(NULL, types, count, &made, &error) != KILN_OK)
        fail_msg("%s: %s", kiln_status_text(error.status), error.path);
    return made;
}

kiln_types *fixture_types(fixture_layout layout)
{
    kiln_type types[T_COUNT];
    memcpy(types, all_types, sizeof types);
    if (layout == LAYOUT_OLDER)
        types[T_ITEM].member_count--;
    if (layout == LAYOUT_ITEMLESS) {
        types[1] = types[T_PAGE];
        return make_types(types, 2);
    }
    return make_types(types, T_COUNT);
}

kiln_root_type fixture_root_type(const char *name)
{
    kiln_types *types = fixture_types(LAYOUT_NOW);
    uint32_t number = kiln_types_find(types, name);
    assert_true(number != KILN_TYPE_NONE);
    kiln_root_type type = {name, kiln_types_get(types, number)->layout};
    kiln_types_destroy(types);
    return type;
}

static void set_text(kiln_builder *builder, kiln_string *field, const char *text)
{
    assert_true(kiln_builder_string(builder, field, text, strlen(text)));
}

static void build_item(kiln_builder *builder, const char *name, const kiln_id *refs,
                       uint32_t ref_count)
{
    test_item *item = kiln_builder_root(builder, sizeof *item, _Alignof(test_item));
    assert_non_null(item);
    set_text(builder, &item->name, name);
    kiln_string *tags =
        kiln_builder_array(builder, &item->tags, 2, sizeof *tags, _Alignof(kiln_string));
    assert_non_null(tags);
    set_text(builder, &tags[0], "red");
    set_text(builder, &tags[1], "warm");
    if (ref_count > 0) {
        kiln_id *ids = kiln_builder_array(builder, &item->refs, ref_count, sizeof *ids, 8);
        assert_non_null(ids);
        memcpy(ids, refs, ref_count * sizeof *ids);
    }
    item->hp = 7;
    item->kind = 2;
    item->lucky = 1;
}

static void add(kiln_file_writer *writer, kiln_builder *builder, const char *name, uint32_t type)
{
    kiln_buffer blob = {0};
    kiln_error error = {0};
    if (kiln_builder_finish(builder, type, KILN_FLAG_CANONICAL, &blob, &error) != KILN_OK)
        fail_msg("%s: %s: %s", name, kiln_status_text(error.status), error.path);
    if (kiln_file_writer_add(writer, name, type, (kiln_span){blob.data, blob.size}, &error) !=
        KILN_OK)
        fail_msg("%s: %s: %s", name, kiln_status_text(error.status), error.path);
    kiln_buffer_fini(&blob);
    kiln_builder_reset(builder);
}

/* The strings of the assets. */
typedef struct fixture_texts {
    const char *lamp, *oil, *wick, *page;
} fixture_texts;

static void add_texts(kiln_file_writer *writer, kiln_builder *builder, const kiln_types *types,
                      const fixture_texts *texts)
{
    const char elsewhere[] = "Item/elsewhere";
    kiln_id refs[2] = {kiln_asset_id("Item/oil", 8),
                       kiln_asset_id(elsewhere, sizeof elsewhere - 1)};
    uint32_t item = kiln_types_find(types, "test.Item");
    build_item(builder, texts->lamp, refs, 2);
    add(writer, builder, "Item/lamp", item);
    build_item(builder, texts->oil, NULL, 0);
    add(writer, builder, "Item/oil", item);
    build_item(builder, texts->oil, NULL, 0);
    add(writer, builder, "Item/tar", item);
    build_item(builder, texts->wick, refs, 1);
    add(writer, builder, "Item/wick", item);
    build_item(builder, texts->wick, refs, 1);
    add(writer, builder, "Item/cord", item);
    test_page *page = kiln_builder_root(builder, sizeof *page, _Alignof(test_page));
    assert_non_null(page);
    set_text(builder, &page->text, texts->page);
    add(writer, builder, "Page/intro", kiln_types_find(types, "test.Page"));
    assert_int_equal(KILN_OK, kiln_file_writer_import(writer, elsewhere));
}

static void add_all(kiln_file_writer *writer, kiln_builder *builder, const kiln_types *types)
{
    static const fixture_texts texts = {"Lamp", "Oil", "Wick", "Once upon a time"};
    add_texts(writer, builder, types, &texts);
}

/* Strings that are smaller when compressed. */
static void add_long(kiln_file_writer *writer, kiln_builder *builder, const kiln_types *types)
{
    static const fixture_texts texts = {
        "A lamp, a lamp that burns and burns, a lamp, a lamp that burns and burns, a lamp, a lamp",
        "Oil of olives, oil of nuts, oil of fish, oil of olives, oil of nuts, oil of fish",
        "A wick, a wick, another wick, and yet another wick, a wick, a wick, another wick",
        "Once upon a time there was, once upon a time there was, once upon a time there was"};
    add_texts(writer, builder, types, &texts);
}

static void add_packed(kiln_file_writer *writer, kiln_builder *builder, const kiln_types *types)
{
    assert_int_equal(KILN_OK, kiln_file_writer_compress(writer, 19, NULL));
    add_long(writer, builder, types);
}

/* Similar names, so that a dictionary helps. */
static void add_many_packed(kiln_file_writer *writer, kiln_builder *builder,
                            const kiln_types *types)
{
    char name[32], text[200];
    assert_int_equal(KILN_OK, kiln_file_writer_compress(writer, 3, "test.Item"));
    for (unsigned i = 0; i < PACKED_ITEMS; i++) {
        snprintf(name, sizeof name, "Item/%u", i);
        snprintf(text, sizeof text,
                 "Number %u: of oak, %u years old, oiled by hand, and sold with a cloth to keep it "
                 "as bright as on the day it was made %u miles from here",
                 i, i * 7919 % 1000, i * 104729 % 997);
        build_item(builder, text, NULL, 0);
        add(writer, builder, name, kiln_types_find(types, "test.Item"));
    }
    add_packed(writer, builder, types);
}

static void add_solo(kiln_file_writer *writer, kiln_builder *builder, const kiln_types *types)
{
    build_item(builder, "Solo", NULL, 0);
    add(writer, builder, "Item/solo", kiln_types_find(types, "test.Item"));
}

static kiln_buffer write_file(kiln_types *types, bool omit_type_table,
                              void (*fill)(kiln_file_writer *, kiln_builder *, const kiln_types *))
{
    kiln_builder_def builder_def = kiln_builder_def_default();
    builder_def.types = types;
    kiln_builder *builder = NULL;
    assert_int_equal(KILN_OK, kiln_builder_create(&builder_def, &builder));
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = types;
    def.omit_type_table = omit_type_table;
    kiln_file_writer *writer = NULL;
    kiln_error error = {0};
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &writer, &error));
    fill(writer, builder, types);
    kiln_buffer file = {0};
    if (kiln_file_writer_finish_buffer(writer, &file, &error) != KILN_OK)
        fail_msg("%s: %s", kiln_status_text(error.status), error.path);
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(builder);
    kiln_types_destroy(types);
    return file;
}

kiln_buffer fixture_file(bool omit_type_table)
{
    return write_file(fixture_types(LAYOUT_NOW), omit_type_table, add_all);
}

kiln_buffer fixture_packed_file(bool is_packed)
{
    return write_file(fixture_types(LAYOUT_NOW), false, is_packed ? add_packed : add_long);
}

kiln_buffer fixture_dictionary_file(void)
{
    return write_file(fixture_types(LAYOUT_NOW), false, add_many_packed);
}

kiln_buffer fixture_small_file(void)
{
    return write_file(make_types(all_types, T_PAGE), false, add_solo);
}

kiln_buffer fixture_type_table(fixture_layout layout)
{
    kiln_types *types = fixture_types(layout);
    kiln_buffer blob = {0};
    kiln_error error = {0};
    assert_int_equal(KILN_OK, kiln_type_table_write(NULL, types, &blob, &error));
    kiln_types_destroy(types);
    return blob;
}

kiln_status fixture_open(const void *data, size_t size, kiln_verify_level level,
                         kiln_file **ret_file, kiln_error *reterr)
{
    kiln_file_def def = kiln_file_def_default();
    def.data = data;
    def.size = size;
    def.level = level;
    return kiln_file_open(&def, ret_file, reterr);
}

const kiln_index_member *fixture_member(kiln_file *file, const char *name)
{
    kiln_asset asset = kiln_file_find(file, name);
    assert_true(asset.number != 0);
    const kiln_index *index = kiln_file_index(file, NULL);
    assert_non_null(index);
    return kiln_index_member_at(index, kiln_index_asset_at(index, asset.number - 1)->member);
}

unsigned char *fixture_writable(unsigned char *image, const void *place)
{
    /* Volatile, because a compiler that sees through this would treat the field as the whole object
     * and warn. */
    volatile size_t at = (size_t)((const unsigned char *)place - image);
    return image + at;
}

void fixture_rehash(unsigned char *data)
{
    kiln_blob_header header;
    memcpy(&header, data, sizeof header);
    kiln_header_write(data, header.flags, header.payload_size, header.layout);
}

void fixture_rehash_member(unsigned char *image, uint64_t place)
{
    fixture_rehash(image + place);
    const kiln_index *index = (const void *)(image + KILN_HEADER_SIZE);
    for (uint32_t i = 0; i < index->members.count; i++) {
        const kiln_index_member *member = kiln_index_member_at(index, i);
        if (member->place != place)
            continue;
        kiln_hash128 content = kiln_content_hash(image + place, (size_t)member->size);
        memcpy(fixture_writable(image, &member->content), &content, sizeof content);
    }
    fixture_rehash(image);
}

static uint64_t read_text(const kiln_string *string)
{
    const char *text = kiln_string_get(string);
    uint64_t sum = strlen(text);
    assert_int_equal(sum, string->length);
    return sum + (unsigned char)text[0];
}

static uint64_t read_item(const test_item *item)
{
    uint64_t sum = read_text(&item->name) + item->hp + item->kind + item->lucky;
    const kiln_string *tags = kiln_relative_get(&item->tags, item->tags.offset);
    for (uint32_t i = 0; i < item->tags.count; i++)
        sum += read_text(&tags[i]);
    const kiln_id *refs = kiln_relative_get(&item->refs, item->refs.offset);
    for (uint32_t i = 0; i < item->refs.count; i++)
        sum += refs[i];
    return sum;
}

uint64_t fixture_read_all(kiln_file *file)
{
    static kiln_root_type item_type, page_type;
    if (!item_type.name) {
        item_type = fixture_root_type("test.Item");
        page_type = fixture_root_type("test.Page");
    }
    uint64_t sum = 0;
    bool is_right = kiln_file_index(file, NULL) != NULL;
    for (uint32_t i = 0; i < kiln_file_asset_count(file); i++) {
        kiln_asset asset = kiln_file_asset_at(file, i);
        const char *name = kiln_file_asset_name(file, asset);
        kiln_asset named = kiln_file_find(file, name),
                   same = kiln_file_find_id(file, kiln_file_asset_id(file, asset));
        sum += strlen(name) + strlen(kiln_file_asset_type(file, asset));
        /* A forged index can only hide assets. */
        assert_true(named.number == asset.number || (named.number == 0 && !is_right));
        assert_true(same.number == asset.number || (same.number == 0 && !is_right));
        const test_item *item = kiln_file_root(file, asset, &item_type, NULL);
        const test_page *page = kiln_file_root(file, asset, &page_type, NULL);
        sum += item ? read_item(item) : 0;
        sum += page ? read_text(&page->text) : 0;
    }
    return sum;
}

bool fixture_reads_well(const void *data, size_t size, kiln_verify_level level)
{
    kiln_file *file = NULL;
    kiln_error error = {.status = KILN_OK};
    kiln_status status = fixture_open(data, size, level, &file, &error);
    if (status == KILN_OK) {
        fixture_read_all(file);
        status = kiln_file_verify(file, level, &error);
    }
    assert_int_equal(status, error.status);
    kiln_file_close(file);
    return status == KILN_OK;
}

static void *count_alloc(void *ctx, size_t size, size_t align)
{
    counting_allocator *counting = ctx;
    counting->calls++;
    if (counting->fail_at != 0 && (counting->calls == counting->fail_at ||
                                   (counting->fail_rest && counting->calls > counting->fail_at)))
        return NULL;
    kiln_allocator libc = kiln_allocator_default();
    void *ptr = libc.alloc(libc.ctx, size, align);
    if (ptr)
        counting->bytes += size;
    return ptr;
}

static void count_free(void *ctx, void *ptr, size_t size)
{
    counting_allocator *counting = ctx;
    assert_non_null(ptr);
    assert_true(counting->bytes >= size);
    counting->bytes -= size;
    kiln_allocator libc = kiln_allocator_default();
    libc.free(libc.ctx, ptr, size);
}

void counting_allocator_init(counting_allocator *counting)
{
    memset(counting, 0, sizeof *counting);
    counting->allocator.alloc = count_alloc;
    counting->allocator.free = count_free;
    counting->allocator.ctx = counting;
}

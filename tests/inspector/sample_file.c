#include "sample_file.h"

#include "sample_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiln/blob_header.h>
#include <kiln/builder.h>
#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <string.h>

/* The parts of a file being made. */
typedef struct maker {
    kiln_types *types;
    kiln_builder *builder;
    kiln_file_writer *writer;
} maker;

static void set_text(maker *m, kiln_string *field, const char *text)
{
    assert_true(kiln_builder_string(m->builder, field, text, strlen(text)));
}

static void set_texts(maker *m, void *field, const char *const *texts, uint32_t count)
{
    kiln_string *strings = kiln_builder_array(m->builder, field, count, sizeof *strings, 4);
    uint32_t i;
    assert_non_null(strings);
    for (i = 0; i < count; i++)
        set_text(m, &strings[i], texts[i]);
}

static kiln_buffer finish(maker *m, uint32_t type)
{
    kiln_buffer blob = {0};
    kiln_error error = {.status = KILN_OK};
    if (kiln_builder_finish(m->builder, type, KILN_FLAG_CANONICAL, &blob, &error) != KILN_OK)
        fail_msg("%s: %s", kiln_status_text(error.status), error.path);
    kiln_builder_reset(m->builder);
    return blob;
}

static void add(maker *m, const char *name, const char *type_name)
{
    uint32_t type = kiln_types_find(m->types, type_name);
    kiln_buffer blob = finish(m, type);
    kiln_error error = {.status = KILN_OK};
    if (kiln_file_writer_add(m->writer, name, type, (kiln_span){blob.data, blob.size}, &error) !=
        KILN_OK)
        fail_msg("%s: %s: %s", name, kiln_status_text(error.status), error.path);
    kiln_buffer_fini(&blob);
}

static kiln_id id_of(const char *name)
{
    return kiln_asset_id(name, strlen(name));
}

static item *begin_item(maker *m, const char *name)
{
    item *made = kiln_builder_root(m->builder, sizeof *made, _Alignof(item));
    assert_non_null(made);
    set_text(m, &made->name, name);
    made->price = 10;
    made->music = id_of("Music/theme");
    return made;
}

static void set_effect(maker *m, kiln_union *effect)
{
    burn *burning = kiln_builder_choose(m->builder, effect, 2, sizeof *burning, 4);
    assert_non_null(burning);
    burning->seconds = 2.5f;
    memcpy(burning->color, "\xff\x80\x00", 3);
}

static void set_lists(maker *m, item *made)
{
    static const char *const tags[] = {
        "sharp", "no", "1.10", "", "two\nlines: \"x\"", "it's # fine", "\xc3\xa4hnlich"};
    kiln_union *effects;
    int32_t *numbers;
    int i;
    set_texts(m, &made->tags, tags, 7);
    numbers = kiln_builder_array(m->builder, &made->numbers, 12, sizeof *numbers, 4);
    effects = kiln_builder_array(m->builder, &made->effects, 3, sizeof *effects, 4);
    assert_non_null(numbers);
    assert_non_null(effects);
    for (i = 0; i < 12; i++)
        numbers[i] = i * i - 20;
    *(uint32_t *)kiln_builder_choose(m->builder, &effects[0], 1, 4, 4) = 7;
    kiln_builder_choose(m->builder, &effects[1], 3, 0, 1);
}

static void set_maps(maker *m, item *made)
{
    stat_entry *stats = kiln_builder_array(m->builder, &made->stats, 2, sizeof *stats, 4);
    pair_entry *pairs = kiln_builder_array(m->builder, &made->pairs, 2, sizeof *pairs, 4);
    text_entry *extra = kiln_builder_array(m->builder, &made->extra, 2, sizeof *extra, 4);
    part *parts = kiln_builder_array(m->builder, &made->parts, 2, sizeof *parts, 4);
    assert_non_null(stats);
    assert_non_null(pairs);
    assert_non_null(extra);
    assert_non_null(parts);
    set_text(m, &stats[0].key, "hp");
    stats[0].value = 40;
    set_text(m, &stats[1].key, "~");
    stats[1].value = 1;
    memcpy(pairs[0].key, (int32_t[2]){-1, 2}, sizeof pairs[0].key);
    pairs[0].value = 1;
    set_text(m, &extra[0].key, "origin");
    set_text(m, &extra[0].value, "the north");
    set_text(m, &extra[1].key, "maker: who");
    set_text(m, &extra[1].value, "null");
    set_text(m, &parts[0].name, "blade");
    parts[0].weight = -3;
    set_text(m, &parts[1].name, "sharp");
}

static void add_sword(maker *m)
{
    item *made = begin_item(m, "Sword");
    made->price = 25;
    made->rarity = 7;
    made->elements = 5;
    made->sold = 1;
    made->weight = 0.1;
    made->scale = 0.1f;
    made->big = UINT64_C(0xfedcba9876543210);
    made->low = -5;
    made->at = (vec3){1.0f, -0.0f, 1e30f};
    assert_true(kiln_builder_bytes(m->builder, &made->icon, "\x00\x01\xfe\xff", 4, 1));
    set_effect(m, &made->effect);
    set_lists(m, made);
    set_maps(m, made);
    *(kiln_id *)kiln_builder_pointer(m->builder, &made->twin, 8, 8) = id_of("Item/shield");
    set_text(m, kiln_builder_pointer(m->builder, &made->note, sizeof(kiln_string), 4), "null");
    add(m, "Item/sword", "game.Item");
}

static void add_all(maker *m)
{
    static const char *const names[] = {"Ada", "Grace"};
    kiln_array *list;
    (void)begin_item(m, "Shield");
    add(m, "Item/shield", "game.Item");
    (void)begin_item(m, "Shield");
    add(m, "Item/buckler", "game.Item");
    add_sword(m);
    *(kiln_id *)kiln_builder_pointer(m->builder, &begin_item(m, "Odd")->twin, 8, 8) =
        id_of("Item/a.b/c");
    add(m, "Item/a.b/c", "game.Item");
    list = kiln_builder_root(m->builder, sizeof *list, 4);
    set_texts(m, list, names, 2);
    add(m, "Names/first", "game.Names");
    assert_int_equal(KILN_OK, kiln_file_writer_import(m->writer, "Music/theme"));
}

static void add_small(maker *m)
{
    node *root = kiln_builder_root(m->builder, sizeof *root, 4);
    node *children = kiln_builder_array(m->builder, &root->children, 2, sizeof *children, 4);
    assert_non_null(children);
    children[1].value = 7;
    add(m, "Node/n", "game.Node");
}

static void add_many(maker *m)
{
    char name[16];
    uint32_t i;
    for (i = 0; i < 8200; i++) {
        node *root = kiln_builder_root(m->builder, sizeof *root, 4);
        assert_non_null(root);
        root->value = i < 300 ? 0 : i;
        sprintf(name, "Node/%u", (unsigned)i);
        add(m, name, "game.Node");
    }
}

static void add_controls(maker *m)
{
    static const char *const texts[] = {"\033[31mred\033[0m", "bell\a, back\b, \x7f", "C1 \xc2\x9b",
                                        "left \xe2\x80\xae right", "line\nline\r"};
    kiln_array *list = kiln_builder_root(m->builder, sizeof *list, 4);
    set_texts(m, list, texts, 5);
    add(m, "Names/x\xc2\x9by", "game.Names");
}

/* Both children of a node refer to the same next node, so a value of exponential size takes linear
 * space. */
static void add_shared(maker *m)
{
    node *level = kiln_builder_root(m->builder, sizeof *level, 4);
    int i;
    for (i = 0; i < 60; i++) {
        node *children = kiln_builder_array(m->builder, &level[0].children, 2, sizeof *children, 4);
        assert_non_null(children);
        if (i > 0)
            assert_true(kiln_builder_share(m->builder, &level[1].children, &level[0].children));
        level = children;
    }
    add(m, "Node/deep", "game.Node");
}

static void add_deep(maker *m)
{
    node *at = kiln_builder_root(m->builder, sizeof *at, 4);
    int i;
    for (i = 1; i < KILN_DEPTH_MAX; i++) {
        at = kiln_builder_array(m->builder, &at->children, 1, sizeof *at, 4);
        assert_non_null(at);
    }
    at->value = 7;
    add(m, "Node/deep", "game.Node");
}

static void add_linked(maker *m)
{
    static const char *const stops[] = {"Quay", "Lock"};
    route *made = kiln_builder_root(m->builder, sizeof *made, 4);
    ship_entry *ships = kiln_builder_array(m->builder, &made->by_ship, 2, sizeof *ships, 8);
    assert_non_null(ships);
    ships[0].key = id_of("Ship/anna");
    ships[0].value = 1;
    ships[1].key = id_of("Route/north");
    ships[1].value = 2;
    set_texts(m, &made->stops, stops, 2);
    assert_true(kiln_builder_bytes(m->builder, &made->chart, "chart", 5, 64));
    assert_int_equal(KILN_OK, kiln_file_writer_import(m->writer, "Ship/anna"));
    add(m, "Route/north", "game.Route");
}

static void add_unshared(maker *m)
{
    static const char *const twice[] = {"echo", "echo"};
    uint32_t type = kiln_types_find(m->types, "game.Names");
    kiln_array *list = kiln_builder_root(m->builder, sizeof *list, 4);
    kiln_buffer blob = {0};
    kiln_blob_header header;
    set_texts(m, list, twice, 2);
    assert_int_equal(KILN_OK, kiln_builder_finish(m->builder, type, 0, &blob, NULL));
    memcpy(&header, blob.data, sizeof header);
    kiln_header_write(blob.data, 4 | KILN_FLAG_CANONICAL, header.payload_size, header.layout);
    assert_int_equal(KILN_OK, kiln_file_writer_add(m->writer, "Names/echo", type,
                                                   (kiln_span){blob.data, blob.size}, NULL));
    kiln_buffer_fini(&blob);
}

static void add_more(maker *m, bool is_packed)
{
    char name[16], text[200];
    int i;
    if (is_packed)
        assert_int_equal(KILN_OK, kiln_file_writer_compress(m->writer, 9, "game.Item"));
    add_all(m);
    for (i = 0; i < 60; i++) {
        sprintf(name, "Item/%d", i);
        sprintf(text,
                "The sword that is number %d of those %d that a smith of %d years made in the "
                "winter of "
                "the year %d, and that nobody has ever lifted, since it is too heavy for anyone",
                i, i * 7919 % 1000, i * 31 % 70 + 20, i * 104729 % 997);
        (void)begin_item(m, text);
        add(m, name, "game.Item");
    }
}

static kiln_buffer finish_file(maker *m)
{
    kiln_buffer file = {0};
    kiln_error error = {.status = KILN_OK};
    if (kiln_file_writer_finish_buffer(m->writer, &file, &error) != KILN_OK)
        fail_msg("%s: %s", kiln_status_text(error.status), error.path);
    return file;
}

static kiln_buffer make(maker *m, sample_kind kind)
{
    kiln_buffer types = {0};
    switch (kind) {
    case SAMPLE_BARE:
        (void)begin_item(m, "Alone");
        return finish(m, T_ITEM);
    case SAMPLE_TYPES:
        assert_int_equal(KILN_OK, kiln_type_table_write(NULL, m->types, &types, NULL));
        return types;
    case SAMPLE_SMALL:
        add_small(m);
        break;
    case SAMPLE_MANY:
        add_many(m);
        break;
    case SAMPLE_CONTROLS:
        add_controls(m);
        break;
    case SAMPLE_DEEP:
        add_deep(m);
        break;
    case SAMPLE_SHARED:
        add_shared(m);
        break;
    case SAMPLE_LINKED:
        add_linked(m);
        break;
    case SAMPLE_PACKED:
    case SAMPLE_UNPACKED:
        add_more(m, kind == SAMPLE_PACKED);
        break;
    case SAMPLE_UNSHARED:
        add_unshared(m);
        break;
    default:
        add_all(m);
    }
    return finish_file(m);
}

kiln_buffer sample_file(sample_kind kind)
{
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_error error = {.status = KILN_OK};
    kiln_buffer file;
    maker m = {0};
    m.types = kind == SAMPLE_LINKED ? sample_linked_types()
                                    : sample_types(kind == SAMPLE_SMALL || kind == SAMPLE_MANY ||
                                                   kind == SAMPLE_DEEP || kind == SAMPLE_SHARED);
    builder_def.types = def.types = m.types;
    def.omit_type_table = kind == SAMPLE_UNTYPED;
    assert_int_equal(KILN_OK, kiln_builder_create(&builder_def, &m.builder));
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &m.writer, &error));
    file = make(&m, kind);
    kiln_file_writer_destroy(m.writer);
    kiln_builder_destroy(m.builder);
    kiln_types_destroy(m.types);
    return file;
}

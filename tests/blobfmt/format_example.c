#include "format_example.h"

#include <kiln/builder.h>
#include <kiln/file_writer.h>
#include <string.h>

enum { U32, STRING, STRING_ARRAY, STOCK, EFFECT, ITEM, TYPE_COUNT };
const uint32_t format_example_root = ITEM;

static const kiln_member effect[] = {
    {.name = "damage", .value = 1, .type = U32},
    {.name = "silence", .value = 2, .type = KILN_TYPE_NONE},
};
static const kiln_member item[] = {
    {.name = "name", .type = STRING},       {.name = "price", .type = U32},
    {.name = "tags", .type = STRING_ARRAY}, {.name = "stock", .type = STOCK},
    {.name = "effect", .type = EFFECT},
};
static const kiln_type list[TYPE_COUNT] = {
    [U32] = {.kind = KILN_KIND_U32},
    [STRING] = {.kind = KILN_KIND_STRING},
    [STRING_ARRAY] = {.kind = KILN_KIND_ARRAY, .element = STRING},
    [STOCK] = {.kind = KILN_KIND_MAP, .key = STRING, .element = U32},
    [EFFECT] = {.name = "shop.Effect",
                .kind = KILN_KIND_UNION,
                .members = effect,
                .member_count = 2},
    [ITEM] = {.name = "shop.Item",
              .kind = KILN_KIND_STRUCT,
              .flags = KILN_TYPE_ASSET,
              .members = item,
              .member_count = 5},
};

kiln_types *format_example_types(void)
{
    kiln_types *types = NULL;
    return kiln_types_create(NULL, list, TYPE_COUNT, &types, NULL) ? NULL : types;
}

typedef struct stock_entry {
    kiln_string key;
    uint32_t value;
} stock_entry;

typedef struct shop_item {
    kiln_string name;
    uint32_t price;
    kiln_array tags;
    kiln_array stock;
    kiln_union effect;
} shop_item;

static kiln_status build(kiln_builder *b, kiln_buffer *ret_blob)
{
    shop_item *root = kiln_builder_root(b, sizeof *root, _Alignof(shop_item));
    if (root) {
        kiln_builder_string(b, &root->name, "Sword", 5);
        root->price = 120;
        kiln_string *tags = kiln_builder_array(b, &root->tags, 2, sizeof *tags, 4);
        stock_entry *stock = kiln_builder_array(b, &root->stock, 2, sizeof *stock, 4);
        uint32_t *damage = kiln_builder_choose(b, &root->effect, 1, sizeof *damage, 4);
        if (tags && stock && damage) {
            kiln_builder_string(b, &tags[0], "iron", 4);
            kiln_builder_string(b, &tags[1], "sharp", 5);
            kiln_builder_string(b, &stock[0].key, "north", 5);
            stock[0].value = 3;
            kiln_builder_string(b, &stock[1].key, "east", 4);
            stock[1].value = 12;
            *damage = 7;
        }
    }
    return kiln_builder_finish(b, ITEM, KILN_FLAG_CANONICAL, ret_blob, NULL);
}

kiln_buffer format_example_file(const kiln_types *types)
{
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def writer_def = kiln_file_writer_def_default();
    kiln_builder *builder = NULL;
    kiln_file_writer *writer = NULL;
    kiln_buffer blob = {0}, file = {0};
    builder_def.types = writer_def.types = types;
    writer_def.omit_type_table = true;
    if (kiln_builder_create(&builder_def, &builder) == KILN_OK &&
        build(builder, &blob) == KILN_OK &&
        kiln_file_writer_create(&writer_def, &writer, NULL) == KILN_OK &&
        kiln_file_writer_add(writer, "Item/sword", ITEM, (kiln_span){blob.data, blob.size}, NULL) ==
            KILN_OK)
        kiln_file_writer_finish_buffer(writer, &file, NULL);
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(builder);
    kiln_buffer_fini(&blob);
    return file;
}

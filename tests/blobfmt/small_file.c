#include "small_file.h"

#include <kiln/builder.h>
#include <stdlib.h>
#include <string.h>

typedef struct item {
    kiln_string name;
    uint32_t price;
    uint8_t sold;
    uint8_t color;
} item;

static kiln_status add(kiln_file_writer *writer, kiln_builder *builder, const char *name,
                       uint32_t type, kiln_error *reterr)
{
    kiln_buffer blob = {0};
    kiln_status status = kiln_builder_finish(builder, type, KILN_BLOB_ASSET, true, &blob, reterr);
    if (!status)
        status =
            kiln_file_writer_add(writer, name, strlen(name), type, blob.data, blob.size, reterr);
    kiln_buffer_fini(&blob);
    kiln_builder_reset(builder);
    return status;
}

static kiln_status add_item(kiln_file_writer *writer, kiln_builder *builder, const char *name,
                            const char *text, kiln_error *reterr)
{
    item *root = kiln_builder_root(builder, sizeof *root, _Alignof(item));
    if (root) {
        kiln_builder_string(builder, &root->name, text, strlen(text));
        root->price = 120;
        root->color = 2;
    }
    return add(writer, builder, name, T_ITEM, reterr);
}

static kiln_status add_link(kiln_file_writer *writer, kiln_builder *builder, const char *name,
                            const char *to, kiln_error *reterr)
{
    kiln_id *root = kiln_builder_root(builder, sizeof *root, sizeof *root);
    if (root)
        *root = kiln_asset_id(to, strlen(to));
    return add(writer, builder, name, T_ONE_REF, reterr);
}

static kiln_status add_page(kiln_file_writer *writer, kiln_builder *builder, const char *name,
                            kiln_error *reterr)
{
    kiln_array *root = kiln_builder_root(builder, sizeof *root, 4);
    uint32_t *page = root ? kiln_builder_array(builder, root, 20, 4, 64) : NULL;
    for (uint32_t i = 0; page && i < 20; i++)
        page[i] = i * i;
    return add(writer, builder, name, T_ONE_U32_ARRAY_64, reterr);
}

kiln_status small_file_add(kiln_file_writer *writer, const kiln_types *types,
                           const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = types;
    def.allocator = allocator;
    kiln_builder *builder = NULL;
    kiln_status status = kiln_builder_create(&def, &builder);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    if (!(status = add_item(writer, builder, "Item/sword", "Sword", reterr)) &&
        !(status = add_item(writer, builder, "Item/blade", "Sword", reterr)) &&
        !(status = add_link(writer, builder, "Link/in", "Item/sword", reterr)) &&
        !(status = add_link(writer, builder, "Link/out", "Item/elsewhere", reterr)) &&
        !(status = add_page(writer, builder, "Page/squares", reterr)))
        status = kiln_file_writer_import(writer, "Item/elsewhere", 14);
    kiln_builder_destroy(builder);
    return status;
}

kiln_buffer small_file(const kiln_types *types, bool omit_type_table)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = types;
    def.omit_type_table = omit_type_table;
    kiln_file_writer *writer = NULL;
    kiln_buffer file = {0};
    if (kiln_file_writer_create(&def, &writer, NULL) || small_file_add(writer, types, NULL, NULL) ||
        kiln_file_writer_finish_buffer(writer, &file, NULL))
        abort();
    kiln_file_writer_destroy(writer);
    return file;
}

#include "small_file.h"

#include <kiln/builder.h>
#include <stdlib.h>
#include <string.h>

typedef struct adding {
    kiln_file_writer *writer;
    kiln_builder *builder;
    enum small_file_way way;
    kiln_error *reterr;
} adding;

static kiln_status add(const adding *a, const char *name, uint32_t type)
{
    kiln_buffer blob = {0};
    kiln_status status = KILN_OK;
    if (a->way == SMALL_FILE_BUILD) {
        status = kiln_file_writer_build(a->writer, name, type, a->builder, a->reterr);
    } else if (a->way == SMALL_FILE_PUT) {
        kiln_finished_asset asset = {0};
        status = kiln_finished_asset_build(a->builder, type, &asset, a->reterr);
        if (!status)
            status = kiln_file_writer_put(a->writer, name, &asset, a->reterr);
        kiln_finished_asset_fini(&asset);
    } else {
        status = kiln_builder_finish(a->builder, type, KILN_FLAG_CANONICAL, &blob, a->reterr);
        if (!status && a->way == SMALL_FILE_TAKE)
            status = kiln_file_writer_take(a->writer, name, type, &blob, a->reterr);
        else if (!status)
            status = kiln_file_writer_add(a->writer, name, type, (kiln_span){blob.data, blob.size},
                                          a->reterr);
    }
    kiln_buffer_fini(&blob);
    kiln_builder_reset(a->builder);
    return status;
}

static kiln_status add_item(const adding *a, const char *name, const char *text)
{
    test_item *root = kiln_builder_root(a->builder, sizeof *root, _Alignof(test_item));
    if (root) {
        kiln_builder_string(a->builder, &root->name, text, strlen(text));
        root->price = 120;
        root->color = 2;
    }
    return add(a, name, T_ITEM);
}

static kiln_status add_link(const adding *a, const char *name, const char *to)
{
    kiln_id *root = kiln_builder_root(a->builder, sizeof *root, sizeof *root);
    if (root)
        *root = kiln_asset_id(to, strlen(to));
    return add(a, name, T_ONE_REF);
}

static kiln_status add_page(const adding *a, const char *name)
{
    kiln_array *root = kiln_builder_root(a->builder, sizeof *root, 4);
    uint32_t *page = root ? kiln_builder_array(a->builder, root, 20, 4, 64) : NULL;
    for (uint32_t i = 0; page && i < 20; i++)
        page[i] = i * i;
    return add(a, name, T_ONE_U32_ARRAY_64);
}

kiln_status small_file_add(kiln_file_writer *writer, const kiln_types *types,
                           const kiln_allocator *allocator, enum small_file_way way,
                           kiln_error *reterr)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = types;
    def.allocator = allocator;
    kiln_builder *builder = NULL;
    kiln_status status = kiln_builder_create(&def, &builder);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    adding a = {writer, builder, way, reterr};
    if (!(status = add_item(&a, "Item/sword", "Sword")) &&
        !(status = add_item(&a, "Item/blade", "Sword")) &&
        !(status = add_link(&a, "Link/in", "Item/sword")) &&
        !(status = add_link(&a, "Link/out", "Item/elsewhere")) &&
        !(status = add_page(&a, "Page/squares")))
        status = kiln_file_writer_import(writer, "Item/elsewhere");
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
    if (kiln_file_writer_create(&def, &writer, NULL) ||
        small_file_add(writer, types, NULL, SMALL_FILE_ADD, NULL) ||
        kiln_file_writer_finish_buffer(writer, &file, NULL))
        abort();
    kiln_file_writer_destroy(writer);
    return file;
}

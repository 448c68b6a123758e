/* Builds the scene's data: the values to which data words refer, with everything that these refer
 * to.
 *
 * The builder shares equal subtrees and puts them in canonical order, so the blob does not depend
 * on the scenes from which the values came. kiln_verify lists the references in the blob, and
 * checks the values, because the program may have changed them. */
#include "scene_save.h"

#include "asset_entry.h"
#include "asset_layers.h"
#include "asset_lock.h"
#include "asset_redirects.h"

#include <kiln/builder.h>
#include <kiln/verify.h>
#include <string.h>

static void fill(saving *s, kiln_builder *builder)
{
    const kiln_type *of = kiln_types_get(s->types, s->data_type);
    unsigned char *root = kiln_builder_root(builder, of->size, of->align);
    for (uint32_t i = 0; root && i < of->member_count; i++) {
        const save_list *list = &s->lists[i];
        const uint64_t *words = list->words.items;
        const kiln_type *array = kiln_types_get(s->types, of->members[i].type);
        if (list->words.count == 0)
            continue;
        uint32_t size = kiln_types_get(s->types, array->element)->size;
        unsigned char *values = kiln_builder_array(builder, root + of->members[i].offset,
                                                   list->words.count, size, array->target_align);
        for (uint32_t k = 0; values && k < list->words.count; k++)
            kiln_builder_copy(builder, array->element, (const void *)(uintptr_t)words[k],
                              values + (size_t)k * size);
    }
}

/* ---- references of the values ---- */

typedef struct importing {
    saving *s;
    kiln_status status;
} importing;

/* The name for an id, if a mounted file or an added blob has it, or a redirect leads from it; else
 * NULL. The lock of the table must be held. */
static const char *name_of(const kiln_assets *assets, kiln_id id)
{
    asset_found found;
    if (!kiln_asset_find(assets, NULL, id, &found))
        return kiln_asset_redirects_name(assets, id);
    if (found.slot != ASSET_NONE)
        return kiln_asset_entry_name_of(entry_at(assets, found.slot), id);
    return kiln_asset_index_name(found.mount, found.number);
}

/* The file writer needs the names of imports. Unknown ids are ignored here, because the writer
 * reports them as missing. */
static void import(void *ctx, kiln_id id, uint64_t offset)
{
    importing *i = ctx;
    kiln_assets *assets = i->s->assets;
    (void)offset;
    if (i->status || !assets)
        return;
    kiln_asset_lock(assets);
    const char *name = name_of(assets, id);
    if (name)
        i->status = kiln_file_writer_import(i->s->file, name);
    kiln_asset_unlock(assets);
}

static kiln_status import_all(saving *s, const kiln_buffer *blob)
{
    importing i = {s, KILN_OK};
    kiln_verify_def def = kiln_verify_def_default();
    def.types = s->types;
    def.type = s->data_type;
    def.allocator = &s->allocator;
    def.skip_hash = true;
    def.check_canonical = false;
    def.on_ref = import;
    def.on_ref_ctx = &i;
    kiln_status status = kiln_verify(&def, blob->data, blob->size, s->reterr);
    if (!status && i.status)
        status = kiln_fail(s->reterr, i.status, 0, NULL);
    return status;
}

kiln_status kiln_save_data(saving *s, kiln_buffer *ret_blob)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    if (!s->has_fields)
        return KILN_OK;
    def.types = s->types;
    def.allocator = &s->allocator;
    def.finish_once = true;
    kiln_status status = kiln_builder_create(&def, &builder);
    if (status)
        return kiln_fail(s->reterr, status, 0, NULL);
    fill(s, builder);
    status = kiln_builder_finish(builder, s->data_type, KILN_FLAG_CANONICAL, ret_blob, s->reterr);
    kiln_builder_destroy(builder);
    return status ? status : import_all(s, ret_blob);
}

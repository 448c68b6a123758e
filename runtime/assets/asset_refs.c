/* The verifier visits every reference of a blob, so it is used to list them. Bytes that the program
 * trusts are verified here, too, because following a wrong offset would read outside the blob. */
#include "asset_refs.h"

#include "asset_types.h"

#include <kiln/verify.h>
#include <string.h>

typedef struct ref_list {
    const kiln_allocator *allocator;
    kiln_id *ids;
    size_t capacity;
    uint32_t count;
    bool has_failed;
} ref_list;

static void add_ref(void *ctx, kiln_id id, uint64_t offset)
{
    ref_list *list = ctx;
    (void)offset;
    if (id == 0 || list->has_failed)
        return;
    kiln_id *ids = kiln_grow(list->allocator, list->ids, &list->capacity, (size_t)list->count + 1,
                             sizeof *ids);
    if (!ids) {
        list->has_failed = true;
        return;
    }
    list->ids = ids;
    list->ids[list->count++] = id;
}

static void free_list(ref_list *list)
{
    if (list->ids)
        list->allocator->free(list->allocator->ctx, list->ids, list->capacity * sizeof *list->ids);
}

static kiln_status store(const ref_list *list, asset_blob *blob)
{
    if (list->has_failed)
        return KILN_NO_MEMORY;
    if (list->count == 0)
        return KILN_OK;
    blob->refs = list->allocator->alloc(list->allocator->ctx, list->count * sizeof *blob->refs, 8);
    if (!blob->refs)
        return KILN_NO_MEMORY;
    memcpy(blob->refs, list->ids, list->count * sizeof *blob->refs);
    blob->ref_count = list->count;
    return KILN_OK;
}

kiln_status kiln_asset_refs_find(kiln_assets *assets, asset_blob *blob, kiln_error *reterr)
{
    if (blob->mount || blob->has_refs)
        return KILN_OK;
    uint32_t type = kiln_asset_program_type(assets, blob->type);
    if (type == KILN_TYPE_NONE || kiln_types_get(assets->types, type)->layout != blob->layout)
        return kiln_fail(reterr, KILN_NO_TYPES, 0, blob->name[0] ? blob->name : blob->type);
    ref_list list = {.allocator = &assets->allocator};
    kiln_verify_def verify = kiln_verify_def_default();
    verify.types = assets->types;
    verify.type = type;
    verify.allocator = &assets->allocator;
    verify.check_canonical = false;
    verify.skip_hash = true;
    verify.on_ref = add_ref;
    verify.on_ref_ctx = &list;
    kiln_status status = kiln_verify(&verify, blob->bytes, blob->size, reterr);
    if (status == KILN_OK)
        status = asset_result(reterr, store(&list, blob));
    blob->has_refs = status == KILN_OK;
    free_list(&list);
    return status;
}

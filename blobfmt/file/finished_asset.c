/* Finishes the blob of an asset without a writer, so that several threads can finish the assets of
 * one file. */
#include "builder_state.h"
#include "file_writer_state.h"
#include "number_sort.h"

#include <string.h>

static int compare_ids(const void *ctx, uint32_t a, uint32_t b)
{
    const kiln_id *ids = ctx;
    return (ids[a] > ids[b]) - (ids[a] < ids[b]);
}

bool kiln_writer_sort_refs(vector *refs, size_t first, const kiln_allocator *a)
{
    uint32_t count = (uint32_t)(refs->count - first), kept = 0;
    if (count < 2)
        return true;
    kiln_id *ids = (kiln_id *)refs->items + first;
    size_t order_size = count * sizeof(uint32_t), copy_size = count * sizeof(kiln_id);
    uint32_t *order = a->alloc(a->ctx, order_size, sizeof *order);
    kiln_id *copy = a->alloc(a->ctx, copy_size, sizeof *copy);
    bool ok = order && copy;
    for (uint32_t i = 0; ok && i < count; i++) {
        order[i] = i;
        copy[i] = ids[i];
    }
    if (ok) {
        kiln_number_sort(order, count, compare_ids, copy);
        for (uint32_t i = 0; i < count; i++)
            if (i == 0 || copy[order[i]] != copy[order[i - 1]])
                ids[kept++] = copy[order[i]];
        refs->count = first + kept;
    }
    if (order)
        a->free(a->ctx, order, order_size);
    if (copy)
        a->free(a->ctx, copy, copy_size);
    return ok;
}

/* The references of a blob, collected while it is verified. */
typedef struct ref_list {
    vector ids; /* kiln_id */
    const kiln_allocator *allocator;
    bool failed; /* memory ran out */
} ref_list;

static void add_ref(void *ctx, kiln_id id, uint64_t offset)
{
    ref_list *list = ctx;
    (void)offset;
    kiln_id *ref = kiln_vector_push(&list->ids, list->allocator, 1, sizeof *ref);
    if (ref)
        *ref = id;
    else
        list->failed = true;
}

kiln_status kiln_finished_asset_build(kiln_builder *builder, uint32_t type,
                                      kiln_finished_asset *ret_asset, kiln_error *reterr)
{
    const kiln_type *root = kiln_types_get(builder->types, type);
    if (!root || root->kind != KILN_KIND_STRUCT)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    const kiln_allocator *a = &builder->allocator;
    ref_list refs = {.allocator = a};
    kiln_verify_def def = kiln_verify_def_default();
    kiln_buffer blob = {0};
    def.type = type;
    def.on_ref = add_ref;
    def.on_ref_ctx = &refs;
    kiln_status status = kiln_builder_finish_for(builder, &def, true, &blob, reterr);
    if (!status && (refs.failed || !kiln_writer_sort_refs(&refs.ids, 0, a)))
        status = kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    if (status) {
        kiln_vector_fini(&refs.ids, a, sizeof(kiln_id));
        kiln_buffer_fini(&blob);
        return status;
    }
    *ret_asset = (kiln_finished_asset){.blob = blob,
                                       .types = builder->types,
                                       .type = type,
                                       .content = kiln_content_hash(blob.data, blob.size),
                                       .refs = refs.ids.items,
                                       .ref_count = refs.ids.count,
                                       .ref_capacity = refs.ids.capacity,
                                       .allocator = *a};
    return KILN_OK;
}

void kiln_finished_asset_fini(kiln_finished_asset *asset)
{
    if (!asset)
        return;
    vector refs = {
        .items = asset->refs, .count = asset->ref_count, .capacity = asset->ref_capacity};
    if (asset->refs)
        kiln_vector_fini(&refs, &asset->allocator, sizeof(kiln_id));
    kiln_buffer_fini(&asset->blob);
    memset(asset, 0, sizeof *asset);
}

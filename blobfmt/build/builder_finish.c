/* Turns the objects of a builder into a blob or an image.
 *
 * The objects become a graph (object_graph.h), which orders, shares and places them. The result is
 * then verified like untrusted bytes: a builder takes sizes and types from its caller, so only the
 * verifier can decide whether the value is valid. The hash is not checked, since it was just
 * computed. */
#include "builder_state.h"

#include "object_trail.h"

#include <string.h>

/* Memory that a builder with `finish_once` keeps for its next value: blocks of its arena, and
 * pieces of each series, which hold about 4,000 items. */
enum { KEPT_BLOCKS = 4, KEPT_PIECES = 6 };

/* Prepares the graph for a new collection; false if memory runs out. */
static bool start(kiln_builder *builder)
{
    /* Notes are object numbers from the graph of an earlier finish, so they must be cleared. Before
     * the first finish all are zero, and most builders finish only once. */
    for (uint32_t i = 0; builder->noted && i < builder->built.objects.count; i++)
        ((builder_object *)series_at(&builder->built.objects, i, sizeof(builder_object)))->note = 0;
    builder->noted = true;
    kiln_graph_reset(&builder->graph);
    builder->graph.source.unique_texts = builder->share_strings && !builder->shares_library;
    /* Reserving room for all objects avoids copying the list as it grows. If equal objects are
     * merged, the excess memory is never touched. */
    return kiln_vector_reserve(&builder->graph.objects, &builder->allocator,
                               builder->built.objects.count, sizeof(graph_object));
}

/* Removes all objects and frees all memory beyond KEPT_*. */
static void release_objects(kiln_builder *builder)
{
    const kiln_allocator *a = &builder->allocator;
    kiln_builder_reset(builder);
    kiln_arena_trim(&builder->memory, KEPT_BLOCKS);
    kiln_series_reset(&builder->built.objects, a, sizeof(builder_object), KEPT_PIECES);
    kiln_series_reset(&builder->built.patches, a, sizeof(builder_patch), KEPT_PIECES);
    kiln_graph_trim(&builder->graph);
}

/* Collects the objects into the graph. */
static kiln_status collect(kiln_builder *builder, uint32_t type, bool canonical, kiln_error *reterr)
{
    const kiln_type *root = kiln_types_get(builder->types, type);
    if (builder->status)
        return kiln_fail(reterr, builder->status, 0, NULL);
    if (!root || !builder->has_root)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    const builder_object *first = series_at(&builder->built.objects, 0, sizeof *first);
    if (first->size != root->size)
        return kiln_fail(reterr, KILN_WRONG_SIZE, 0, NULL);
    kiln_status status = start(builder)
                             ? kiln_graph_collect(&builder->graph, type, first->data, canonical)
                             : KILN_NO_MEMORY;
    kiln_path path = {{0}, 0};
    if (status && status != KILN_NO_MEMORY)
        kiln_graph_trail_path(&builder->graph, type, &path);
    return status ? kiln_fail(reterr, status, 0, path.text) : KILN_OK;
}

/* Writes the blob, which is not verified yet. */
static kiln_status write_blob(kiln_builder *builder, uint32_t root_type, kiln_blob_kind kind,
                              bool canonical, kiln_buffer *ret_blob, kiln_error *reterr)
{
    const kiln_type *root = kiln_types_get(builder->types, root_type);
    if (!root || root->kind != KILN_KIND_STRUCT)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_status status = collect(builder, root_type, canonical, reterr);
    if (status)
        return status;
    status = kiln_graph_write_blob(&builder->graph, root_type, kind, ret_blob);
    return status ? kiln_fail(reterr, status, 0, NULL) : KILN_OK;
}

kiln_status kiln_builder_finish_for(kiln_builder *builder, const kiln_verify_def *def,
                                    bool canonical, kiln_buffer *ret_blob, kiln_error *reterr)
{
    kiln_buffer blob;
    kiln_status status = write_blob(builder, def->type, def->kind, canonical, &blob, reterr);
    /* Released before the verifier allocates memory, to reduce peak usage. */
    if (builder->finish_once)
        release_objects(builder);
    if (status)
        return status;
    kiln_verify_def checks = *def;
    checks.types = builder->types;
    checks.allocator = &builder->allocator;
    checks.skip_hash = true;
    checks.check_canonical = false;
    status = kiln_verify(&checks, blob.data, blob.size, reterr);
    if (status) {
        kiln_buffer_fini(&blob);
        /* An offset into a blob that the caller never sees would be meaningless. */
        if (reterr)
            reterr->offset = 0;
        return status;
    }
    *ret_blob = blob;
    return KILN_OK;
}

kiln_status kiln_builder_finish(kiln_builder *builder, uint32_t root_type, unsigned flags,
                                kiln_buffer *ret_blob, kiln_error *reterr)
{
    const unsigned known = KILN_FLAG_CANONICAL | KILN_FLAG_KIND_MASK;
    kiln_verify_def def = kiln_verify_def_default();
    def.type = root_type;
    def.kind = (kiln_blob_kind)((flags & KILN_FLAG_KIND_MASK) >> KILN_FLAG_KIND_SHIFT);
    /* A dictionary has no type, so no builder makes one. */
    if (flags & ~known || def.kind >= KILN_BLOB_DICTIONARY)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    return kiln_builder_finish_for(builder, &def, (flags & KILN_FLAG_CANONICAL) != 0, ret_blob,
                                   reterr);
}

/* Writes the image, which is not verified yet. */
static kiln_status write_image(kiln_builder *builder, uint32_t root_type, kiln_buffer *ret_image,
                               kiln_error *reterr)
{
    graph *g = &builder->graph;
    kiln_status status = collect(builder, root_type, true, reterr);
    if (status)
        return status;
    status = kiln_graph_place(g);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    kiln_buffer image = {NULL, g->size, builder->allocator};
    image.data = image.allocator.alloc(image.allocator.ctx, image.size, g->align);
    if (!image.data)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    kiln_graph_write(g, image.data);
    *ret_image = image;
    return KILN_OK;
}

kiln_status kiln_builder_finish_image(kiln_builder *builder, uint32_t root_type,
                                      kiln_buffer *ret_image, kiln_error *reterr)
{
    kiln_buffer image;
    kiln_status status = write_image(builder, root_type, &image, reterr);
    if (builder->finish_once)
        release_objects(builder);
    if (status)
        return status;
    status = kiln_verify_image(builder->types, root_type, (kiln_span){image.data, image.size},
                               &builder->allocator, reterr);
    if (status) {
        kiln_buffer_fini(&image);
        if (reterr)
            reterr->offset = 0;
        return status;
    }
    *ret_image = image;
    return KILN_OK;
}

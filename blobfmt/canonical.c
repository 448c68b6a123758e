#include <kiln/canonical.h>

#include <kiln/blob_header.h>

#include "object_graph.h"
#include "object_table.h"

#include <string.h>

/* A verified payload as the source of a graph: objects are told apart by where they start. */
typedef struct payload_source {
    const unsigned char *payload;
    object_table objects; /* `unit` holds the graph's note */
} payload_source;

static kiln_status resolve(void *ctx, const unsigned char *field, const object_form *form,
                           uint32_t count, graph_target *ret_target)
{
    payload_source *source = ctx;
    uint32_t offset;
    memcpy(&offset, field, sizeof offset);
    (void)form;
    uint32_t start = (uint32_t)(field - source->payload) + offset;
    uint32_t id = object_table_find(&source->objects, start);
    if (id == UINT32_MAX)
        id = kiln_object_table_insert(&source->objects, start, 0, count, 1);
    ret_target->data = field + offset;
    ret_target->id = id;
    return id == UINT32_MAX ? KILN_NO_MEMORY : KILN_OK;
}

static uint32_t *note(void *ctx, uint32_t id)
{
    payload_source *source = ctx;
    return &source->objects.records[id].unit;
}

static kiln_status rewrite(uint32_t type, const unsigned char *payload, size_t size,
                           kiln_blob_kind kind, graph *g, kiln_buffer *ret_blob)
{
    payload_source source;
    source.payload = payload;
    graph_source as_source = {&source, resolve, note, false};
    kiln_status status = KILN_NO_MEMORY;
    if (kiln_object_table_init(&source.objects, &g->allocator, size))
        status = kiln_graph_collect(g, &as_source, type, payload, true);
    kiln_object_table_fini(&source.objects);
    return status ? status : kiln_graph_write_blob(g, type, kind, ret_blob);
}

kiln_status kiln_canonicalize(const kiln_types *types, uint32_t type, const void *blob, size_t size,
                              const kiln_allocator *allocator, kiln_buffer *ret_blob,
                              kiln_error *reterr)
{
    kiln_blob_header header;
    kiln_status status = kiln_header_read(blob, size, &header, reterr);
    if (status)
        return status;
    const kiln_type *root = kiln_types_get(types, type);
    if (!root || root->kind != KILN_KIND_STRUCT || root->size > header.payload_size)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    const unsigned char *payload = (const unsigned char *)blob + kiln_header_payload_at(&header);
    graph g;
    kiln_graph_init(&g, types, allocator);
    status = rewrite(type, payload, (size_t)header.payload_size, kiln_header_kind(&header), &g,
                     ret_blob);
    kiln_graph_fini(&g);
    return status ? kiln_fail(reterr, status, 0, NULL) : KILN_OK;
}

kiln_status kiln_canonical_check(const kiln_types *types, uint32_t type, const void *blob,
                                 size_t size, const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_buffer rewritten;
    kiln_status status = kiln_canonicalize(types, type, blob, size, allocator, &rewritten, reterr);
    if (status)
        return status;
    const unsigned char *is = blob;
    size_t flags_at = offsetof(kiln_blob_header, flags);
    /* Alignment and kind; layout and hash are rules of their own, versions may differ. */
    if (is[flags_at] != rewritten.data[flags_at]) {
        kiln_buffer_fini(&rewritten);
        return kiln_fail(reterr, KILN_C_CANONICAL, flags_at, NULL);
    }
    size_t shorter = rewritten.size < size ? rewritten.size : size, at = KILN_HEADER_SIZE;
    while (at < shorter && is[at] == rewritten.data[at])
        at++;
    bool equal = at == size && at == rewritten.size;
    kiln_buffer_fini(&rewritten);
    return equal ? KILN_OK : kiln_fail(reterr, KILN_C_CANONICAL, at, NULL);
}

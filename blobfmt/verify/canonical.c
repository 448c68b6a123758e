/* Rewrites a blob into canonical form: FORMAT.md section 8.
 *
 * The payload is collected into a graph (object_graph.h), which merges equal objects, sorts them
 * and assigns their offsets. The input must be valid, because offsets are followed unchecked. Work
 * and memory are linear in the payload: `seen` keeps shared objects from being collected more than
 * twice. */
#include <kiln/canonical.h>

#include <kiln/blob_header.h>

#include "canonical_header.h"
#include "object_graph.h"

#include <string.h>

/* object_source.seen has one bit per four payload bytes, so a word of 32 bits covers WORD_BYTES. In
 * real files, an object with its strings takes about BYTES_PER_OBJECT on average. */
enum { WORD_BYTES = 128, BYTES_PER_OBJECT = 48 };

static kiln_status rewrite(uint32_t type, const unsigned char *payload, size_t size,
                           kiln_blob_kind kind, graph *g, kiln_buffer *ret_blob)
{
    object_source *source = &g->source;
    source->payload = payload;
    source->seen_size = (size / WORD_BYTES + 1) * sizeof *source->seen;
    source->seen = g->allocator.alloc(g->allocator.ctx, source->seen_size, sizeof *source->seen);
    if (!source->seen)
        return KILN_NO_MEMORY;
    memset(source->seen, 0, source->seen_size);
    /* Enough for most payloads. Unused memory is never touched. */
    kiln_status status = KILN_NO_MEMORY;
    if (kiln_vector_reserve(&g->objects, &g->allocator, size / BYTES_PER_OBJECT + 1,
                            sizeof(graph_object)))
        status = kiln_graph_collect(g, type, payload, true);
    g->allocator.free(g->allocator.ctx, source->seen, source->seen_size);
    kiln_hash_table_fini(&source->revisited, &g->allocator);
    return status ? status : kiln_graph_write_blob(g, type, kind, ret_blob);
}

kiln_status kiln_canonicalize(const kiln_canonical_args *args, kiln_buffer *ret_blob,
                              kiln_error *reterr)
{
    kiln_blob_header header;
    kiln_status status = canonical_read_header(args, &header, reterr);
    if (status)
        return status;
    const unsigned char *payload =
        (const unsigned char *)args->blob.data + kiln_header_payload_at(&header);
    graph g;
    kiln_graph_init(&g, args->types, args->allocator);
    status = rewrite(args->type, payload, (size_t)header.payload_size, kiln_header_kind(&header),
                     &g, ret_blob);
    kiln_graph_fini(&g);
    return status ? kiln_fail(reterr, status, 0, NULL) : KILN_OK;
}

/* What a step made: the body of a result in a cache. Private to the storey.
 *
 * The body has no pointers to other results: it names outputs by path and hash, and contains the
 * messages. Reading trusts nothing. Outputs must be exactly those that the step would write, and
 * messages must not contain control characters, which could change a terminal. */
#ifndef CACHED_RESULT_H
#define CACHED_RESULT_H

#include "bake_store.h"
#include "record_shape.h"

enum { CACHED_OUTPUTS_MAX = 2 };

typedef struct cached_output {
    const char *path; /* from the current folder */
    kiln_hash128 hash;
    uint64_t size;
} cached_output;

typedef struct cached_result {
    bake_record_result messages;
    const char *prefix; /* that the messages contain; NULL: they contain no paths */
    cached_output outputs[CACHED_OUTPUTS_MAX];
    size_t output_count;
} cached_result;

/* Returns the body in new memory, which the caller frees with bake_free; NULL if memory runs out.
 */
void *bake_cached_result_write(const cached_result *result, const char *prefix, size_t *ret_size);
/* Reads a body for a step with these outputs: `ret->outputs` contains their paths in the order of
 * the caller, and receives the rest. Texts are copied to the store. Returns false if the body is
 * malformed, has other outputs, or contains the paths of another folder. */
bool bake_cached_result_read(const void *body, size_t size, const char *prefix, bake_store *store,
                             cached_result *ret);

#endif

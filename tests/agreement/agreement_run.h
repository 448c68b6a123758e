/* Reads a baked file with kiln_value and with generated code, and compares both results with the
 * expected values. Rebuilds every value and compares its bytes with the file. */
#ifndef AGREEMENT_RUN_H
#define AGREEMENT_RUN_H

#include "value_trace.h"

#include <kiln/builder.h>
#include <kiln/file.h>
#include <kiln/type_table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The functions and data generated for one schema. */
typedef struct agreement_schema {
    const char *name; /* base name of NAME.kiln and NAME.expected */
    bool (*walk)(kiln_file *file, const char *name, const char *type, value_trace *trace);
    kiln_status (*build)(kiln_file *file, const char *name, const char *type, kiln_builder *builder,
                         const kiln_types *types, kiln_buffer *ret_blob, kiln_error *reterr);
    const void *(*types)(size_t *ret_size);
    kiln_status (*types_create)(const kiln_allocator *allocator, kiln_types **ret_types,
                                kiln_error *reterr);
} agreement_schema;

/* Prints each difference to standard error. Returns the number of assets if all agree, or -1. */
long agreement_check(const agreement_schema *schema, const char *folder);

#ifdef __cplusplus
}
#endif

#endif

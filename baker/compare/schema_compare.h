/* Compares two lists of types: for each type of the older list, whether programs with the newer one
 * can read baked values of it, and whether its YAML still bakes.
 *
 * `kiln_conversion_create` alone decides the first question, as it does in the runtime; the changes
 * only explain the answer. The changes decide the second question, as far as types allow: whether
 * numbers fit into a smaller range is only known when they are baked. */
#ifndef BAKE_SCHEMA_COMPARE_H
#define BAKE_SCHEMA_COMPARE_H

#include "bake_result.h"
#include "schema.h"
#include "schema_finding.h"

typedef struct schema_compare_def {
    const kiln_types *from, *to;
    /* For what types do not contain, such as kinds of assets; NULL if unknown. */
    const bake_schema *from_schema, *to_schema;
    bake_store *store; /* for the findings */
} schema_compare_def;

typedef struct schema_comparison {
    schema_compare_def def;
    schema_finding *findings; /* those of the older list in its order, then the new ones */
    uint32_t count;
    uint32_t *by_from; /* by type of the older list: number of its finding; KILN_TYPE_NONE */
} schema_comparison;

bake_result bake_schema_compare(const schema_compare_def *def, schema_comparison *ret_comparison,
                                bake_failure *failure);

/* The newer type with that name now or earlier, as the runtime finds it; KILN_TYPE_NONE. */
uint32_t bake_schema_newer_type(const kiln_types *to, const char *name);

#endif

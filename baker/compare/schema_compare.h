/* Compares two lists of types. For each older type, determines whether programs with the newer list
 * can read its baked values, and whether its YAML still bakes.
 *
 * `kiln_conversion_create` alone answers the first question, as in the runtime; the changes only
 * explain the answer. The changes answer the second question as far as types can. Whether numbers
 * fit into a smaller range is only known when they are baked. */
#ifndef BAKE_SCHEMA_COMPARE_H
#define BAKE_SCHEMA_COMPARE_H

#include "bake_result.h"
#include "schema.h"
#include "schema_finding.h"

typedef struct schema_compare_def {
    const kiln_types *from, *to;
    /* The schemas, for data that type lists do not contain, such as asset kinds; NULL if
     * unknown. */
    const bake_schema *from_schema, *to_schema;
    bake_store *store; /* for the findings */
} schema_compare_def;

typedef struct schema_comparison {
    schema_compare_def def;
    schema_finding *findings; /* the older types in their order, then the added ones */
    uint32_t count;
    uint32_t *by_from; /* by older type: the index of its finding; KILN_TYPE_NONE if unnamed */
} schema_comparison;

bake_result bake_schema_compare(const schema_compare_def *def, schema_comparison *ret_comparison,
                                bake_failure *failure);

/* Finds a newer type by its current or an earlier name, as the runtime does. Returns KILN_TYPE_NONE
 * if there is none. */
uint32_t bake_schema_newer_type(const kiln_types *to, const char *name);

#endif

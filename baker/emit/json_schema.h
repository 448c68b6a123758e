/* Writes a JSON Schema of the YAML that a schema accepts, for completion and checks in editors.
 *
 * It uses draft 07, which YAML language servers support best. It describes values of types,
 * documents of file rules, and documents of shape `kinds`. It accepts exactly what the baker
 * accepts, as far as JSON Schema can express that; otherwise it accepts more, not less. SCHEMA.md
 * "Editors" lists the exceptions. Editors derive the types of plain scalars from YAML's core
 * schema, so numbers, bools and strings are all valid wherever the baker accepts any scalar. */
#ifndef BAKE_JSON_SCHEMA_H
#define BAKE_JSON_SCHEMA_H

#include "bake_result.h"
#include "schema.h"

typedef struct bake_json_schema_def {
    const bake_schema *schema;
    /* The root of the schema: the `match` of a file rule, the name of a type (qualified, or
     * unqualified if unique), or `kinds`. NULL: everything that a rule or `kinds` accepts. */
    const char *root;
    bool (*write)(void *ctx, const void *data, size_t size);
    void *ctx;
} bake_json_schema_def;

/* Returns BAKE_FAILED if the root does not exist. Does not report failures of `write`, which the
 * caller handles. */
bake_result bake_json_schema_write(const bake_json_schema_def *def, bake_failure *failure);

#endif

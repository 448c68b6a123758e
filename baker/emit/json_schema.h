/* A JSON Schema of what a schema accepts, for editors that complete and check YAML.
 *
 * It uses draft 07, which the YAML servers of editors support best; it needs nothing of later
 * drafts. It describes values of types, documents of file rules and documents by kinds. It accepts
 * what the baker accepts, as far as JSON Schema can express that. Otherwise it accepts more, never
 * less: SCHEMA.md "Editors" lists these cases. An editor gives a plain scalar the type of YAML's
 * core schema, so numbers, bools and texts are all accepted where the baker reads any text. */
#ifndef BAKE_JSON_SCHEMA_H
#define BAKE_JSON_SCHEMA_H

#include "bake_result.h"
#include "schema.h"

typedef struct bake_json_schema_def {
    const bake_schema *schema;
    /* What to describe: the `match` of a file rule, the name of a type (qualified, or short if it
     * is unique), or `kinds`; NULL: everything that a rule or `kinds` accepts. */
    const char *root;
    bool (*write)(void *ctx, const void *data, size_t size);
    void *ctx;
} bake_json_schema_def;

/* CANNOT if the root does not exist. A failed write is not reported here: the caller's writer knows
 * the error. */
bake_result bake_json_schema_write(const bake_json_schema_def *def, bake_failure *failure);

#endif

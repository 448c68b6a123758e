/* A JSON Schema of what a schema accepts, for editors that complete and check YAML.
 *
 * It is of draft 07, which is what the YAML servers of editors know best; later drafts have nothing
 * that would be missed. It agrees with the baker on what a value of a type, a document of a file
 * rule and a document by kinds may be, as far as JSON Schema can say it: SCHEMA.md "Editors" has
 * what it cannot, where it accepts more, never less. An editor gives a plain scalar the type of
 * YAML's core schema, so that numbers, bools and texts are all accepted where the baker reads any
 * text. */
#ifndef BAKE_JSON_SCHEMA_H
#define BAKE_JSON_SCHEMA_H

#include "bake_result.h"
#include "schema.h"

typedef struct bake_json_schema_def {
    const bake_schema *schema;
    /* What the JSON Schema is of: the `match` of a file rule, a type's name, qualified or the only
     * one so called, or `kinds`; NULL: whatever a rule or `kinds` accepts. */
    const char *root;
    bool (*write)(void *ctx, const void *data, size_t size);
    void *ctx;
} bake_json_schema_def;

/* CANNOT where there is no such root. A failed write is the writer's to tell. */
bake_result bake_json_schema_write(const bake_json_schema_def *def, bake_failure *failure);

#endif

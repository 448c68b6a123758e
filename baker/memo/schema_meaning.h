/* Hashes of a schema: which of its asset types a change of the schema affects.
 *
 *     two schemas have the same rest, and a kind has the same hash in both  ==>  its assets have
 *     the same blobs and messages
 *
 * The hash of a kind covers the declaration of its type, and those of all types whose names occur
 * in it, and so on. Of a type that occurs only in `ref<...>`, it covers only what a reference
 * depends on. The rest is everything outside of the declarations of types. Both cover the folders
 * of the schema files, because paths in a schema are relative to them. Comments and formatting have
 * no effect. */
#ifndef BAKE_SCHEMA_MEANING_H
#define BAKE_SCHEMA_MEANING_H

#include "schema.h"

#include <kiln/index.h>

typedef struct bake_schema_meaning {
    kiln_hash128 rest;
    kiln_hash128 types;  /* of all declarations in their order */
    kiln_hash128 *kinds; /* by kind of the schema */
} bake_schema_meaning;

/* Returns false if memory runs out. */
bool bake_schema_meaning_init(bake_schema_meaning *meaning, const bake_schema *schema);
void bake_schema_meaning_fini(bake_schema_meaning *meaning);

#endif

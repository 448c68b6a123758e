/* The check of one baked file under a newer schema. Part: schema_check_file.c. */
#ifndef BAKE_SCHEMA_CHECK_H
#define BAKE_SCHEMA_CHECK_H

#include "bake_run.h"
#include "schema_compare.h"
#include "shipped_file.h"

/* An asset, or a component of a scene, that a program of the new schema refuses. */
typedef struct schema_refusal {
    struct schema_refusal *next;
    const char *asset; /* `Item/sword` */
    const char *path;  /* of the value; "" */
    const char *text;
} schema_refusal;

/* The report about one file, or about two schemas, with `path` NULL. */
typedef struct schema_report {
    const char *path;
    bool has_types; /* the file has a type table; otherwise only layouts were compared */
    schema_verdict verdict;
    schema_comparison comparison;
    bool *shown; /* by finding: the file has values of the type; NULL: all */
    schema_refusal *refusals, **last_refusal;
    uint32_t refusal_count;
} schema_report;

/* Checks a file under the schema of the run. BAD_INPUT after a report if it is not a valid kiln
 * file. */
bake_result bake_schema_check_file(bake_run *run, const char *path, schema_report *ret_report);

#endif

/* Checks a baked file against a newer schema (schema_check_file.c). */
#ifndef BAKE_SCHEMA_CHECK_H
#define BAKE_SCHEMA_CHECK_H

#include "bake_run.h"
#include "schema_compare.h"
#include "shipped_file.h"

/* An asset or a scene component that a program with the new schema cannot read. */
typedef struct schema_refusal {
    struct schema_refusal *next;
    const char *asset; /* `Item/sword` */
    const char *path;  /* path of the value, or "" */
    const char *text;
} schema_refusal;

/* The report about one file, or about two schemas if `path` is NULL. */
typedef struct schema_report {
    const char *path;
    bool has_types; /* the file has a type table; otherwise only layout hashes were compared */
    schema_verdict verdict;
    schema_comparison comparison;
    bool *shown; /* by finding: whether the file has values of the type; NULL: show all */
    schema_refusal *refusals, **last_refusal;
    uint32_t refusal_count;
} schema_report;

/* Checks a file against the schema of the run. Returns BAKE_BAD_INPUT after a report if it is not a
 * valid kiln file. */
bake_result bake_schema_check_file(bake_run *run, const char *path, schema_report *ret_report);

#endif

/* What the parts of `kiln-bake schema check` share. */
#ifndef BAKE_SCHEMA_CHECK_H
#define BAKE_SCHEMA_CHECK_H

#include "bake_run.h"
#include "json_writer.h"
#include "schema_compare.h"
#include "shipped_file.h"

/* An asset, or a component of a scene, that a program of the new schema refuses. */
typedef struct schema_refusal {
    struct schema_refusal *next;
    const char *asset; /* `Item/sword` */
    const char *path;  /* of the value; "" */
    const char *text;
} schema_refusal;

/* What is said of one file; of two schemas, with `path` NULL. */
typedef struct schema_report {
    const char *path;
    bool has_types; /* a type table: otherwise layouts alone were compared */
    schema_verdict verdict;
    schema_comparison comparison;
    bool *shown; /* by finding: it is, or is part of, something in the file; NULL: all */
    schema_refusal *refusals, **last_refusal;
    uint32_t refusal_count;
} schema_report;

/* schema_check_file.c: what becomes of a file under the schema that the run has read. BAD_INPUT
 * after a report where it is no sound kiln file. */
bake_result bake_schema_check_file(bake_run *run, const char *path, schema_report *ret_report);

/* schema_check_report.c: writes what was found. */
typedef struct schema_output {
    bake_output *output;
    bake_json json;
    const bake_options *options;
} schema_output;
bool bake_schema_report_text(schema_output *out, const schema_report *report);
void bake_schema_report_json(schema_output *out, const schema_report *report);
/* `must rebake` */
const char *bake_schema_verdict_word(schema_verdict verdict);

#endif

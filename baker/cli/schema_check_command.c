/* kiln-bake schema check: whether what was baked under an older schema can be read under a newer
 * one. */
#include "schema_check.h"

#include "bake_memory.h"
#include "schema_command.h"
#include "schema_defaults.h"

#include <string.h>

bake_result bake_schema_check_usage(const bake_options *o, bake_failure *failure)
{
    if (o->inputs.count < 2)
        return bake_fail(failure, BAKE_CANNOT,
                         "schema check takes OLD and NEW schemas, or NEW and kiln files");
    if (o->schemas.count > 0)
        return bake_fail(failure, BAKE_CANNOT,
                         "schema check takes its schemas as they come, without -s");
    return BAKE_OK;
}

static bake_result read_schema(bake_run *run, const char *path, bake_schema **ret_schema)
{
    const bake_options *o = run->options;
    bake_schema_def def = {run->gateway,
                           run->diagnostics,
                           &path,
                           1,
                           o->include_folders.items,
                           o->include_folders.count,
                           o->no_types};
    return bake_schema_load(&def, ret_schema, &run->failure);
}

/* Whether there is a kiln file at `path`, which is read here and not again: what failed once could
 * be something else the next time. */
static bake_result look_for_kiln_file(bake_run *run, const char *path, bool *ret_is_one)
{
    size_t size;
    const char *text = bake_gateway_read(run->gateway, path, &size);
    if (!text)
        return bake_fail_read(&run->failure, run->gateway, path);
    *ret_is_one = size >= 4 && memcmp(text, "KILN", 4) == 0;
    return BAKE_OK;
}

static bake_result compare_schemas(bake_run *run, const bake_schema *older, schema_report *ret)
{
    schema_compare_def def = {older->types, run->schema->types, older, run->schema, &run->store};
    bake_result result = bake_schema_compare(&def, &ret->comparison, &run->failure);
    for (uint32_t i = 0; i < ret->comparison.count && !result; i++)
        if (ret->comparison.findings[i].verdict > ret->verdict)
            ret->verdict = ret->comparison.findings[i].verdict;
    ret->has_types = true;
    return result;
}

static bake_result write_reports(bake_run *run, const schema_report *reports, size_t count,
                                 schema_verdict verdict)
{
    const bake_options *o = run->options;
    schema_output out = {.options = o};
    bool is_json = o->report_format == BAKE_REPORT_JSON, ok = true;
    if (o->quiet && verdict <= SCHEMA_READABLE && !o->output)
        return BAKE_OK;
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    if (!run->outputs)
        return bake_fail_memory(&run->failure);
    out.output = bake_run_begin(run, o->output ? o->output : "-");
    if (!out.output)
        return run->failure.result;
    bake_json_init(&out.json, true, bake_output_write, out.output);
    if (is_json && reports[0].path) {
        bake_json_open(&out.json, NULL, '{');
        bake_json_text(&out.json, "verdict", bake_schema_verdict_word(verdict));
        bake_json_open(&out.json, "files", '[');
    }
    for (size_t i = 0; i < count && ok; i++) {
        if (is_json)
            bake_schema_report_json(&out, &reports[i]);
        else
            ok = bake_schema_report_text(&out, &reports[i]);
    }
    if (is_json && reports[0].path) {
        bake_json_close(&out.json, '[');
        bake_json_close(&out.json, '{');
    }
    if (is_json)
        bake_json_end_line(&out.json);
    /* A write that failed is told by the commit. */
    return bake_run_commit(run);
}

static bake_result exit_code(schema_verdict verdict)
{
    return verdict == SCHEMA_BREAKS        ? BAKE_BREAKS
           : verdict == SCHEMA_MUST_REBAKE ? BAKE_BAD_INPUT
                                           : BAKE_OK;
}

/* The last of two schemas is the new one, of a schema and files the schema. */
bake_result bake_schema_check_run(bake_run *run)
{
    const bake_list *inputs = &run->options->inputs;
    bool has_files = false;
    if (look_for_kiln_file(run, inputs->items[1], &has_files))
        return run->failure.result;
    bake_schema *older = NULL;
    size_t count = has_files ? inputs->count - 1 : 1;
    schema_report *reports = bake_store_alloc(&run->store, count, sizeof *reports);
    schema_verdict worst = SCHEMA_IDENTICAL;
    if (!reports)
        return bake_fail_memory(&run->failure);
    if (!has_files && inputs->count > 2)
        return bake_fail(&run->failure, BAKE_CANNOT, "%s is not a kiln file", inputs->items[1]);
    bake_result bad = BAKE_OK;
    bake_result result = has_files ? BAKE_OK : read_schema(run, inputs->items[0], &older);
    if (result <= BAKE_BAD_INPUT) {
        bake_result read = read_schema(run, inputs->items[!has_files], &run->schema);
        result = read ? read : result;
    }
    for (size_t i = 0; i < count && !result; i++) {
        result = has_files ? bake_schema_check_file(run, inputs->items[i + 1], &reports[i])
                           : compare_schemas(run, older, &reports[i]);
        worst = reports[i].verdict > worst ? reports[i].verdict : worst;
        /* All files are told of that are none. */
        if (result == BAKE_BAD_INPUT) {
            bad = result;
            result = BAKE_OK;
        }
    }
    result = result ? result : bad;
    if (!result)
        result = write_reports(run, reports, count, worst);
    bake_schema_destroy(older);
    return result ? result : exit_code(worst);
}

/* kiln-bake schema check: checks whether values baked with an older schema can be read with a newer
 * one. The worst verdict of all types and files determines the exit code. */
#include "schema_command.h"

#include "bake_memory.h"
#include "json_writer.h"
#include "schema_check.h"
#include "schema_defaults.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the report, as text and as JSON ---- */

typedef struct schema_output {
    bake_output *output;
    bake_json json;
    const bake_options *options;
} schema_output;

/* In the order of their enums. Programs parse these words, so they must not change. */
static const char *const verdict_words[] = {"identical", "readable", "must rebake", "breaks"};
static const char *const reading_words[] = {"same layout", "in place", "rebuilt",
                                            "rebuilt, some refused", "refused"};
static const char *const yaml_words[] = {"accepted", "warns", "may be refused", "refused"};

static bool print(schema_output *out, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Prints to the output, and truncates lines that are longer than the buffer. */
static bool print(schema_output *out, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return false;
    size_t size = (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
    /* Names come from untrusted files, so control characters are replaced. */
    for (size_t i = 0; i + 1 < size; i++)
        if ((unsigned char)line[i] < 0x20 && line[i] != '\n')
            line[i] = '?';
    return bake_output_write(out->output, line, size);
}

static const char *how_read(const schema_finding *finding)
{
    if (finding->from == KILN_TYPE_NONE)
        return "new";
    if (finding->to == KILN_TYPE_NONE)
        return "gone";
    return reading_words[finding->reading];
}

/* A report about a file shows only the types that have values in the file. */
static bool is_shown(const schema_report *report, uint32_t finding)
{
    return !report->shown || report->shown[finding];
}

static bool print_finding(schema_output *out, const schema_finding *finding, const char *indent)
{
    bool ok = print(out, "%s%s: %s (files: %s; YAML: %s)\n", indent, finding->name,
                    verdict_words[finding->verdict], how_read(finding), yaml_words[finding->yaml]);
    if (finding->status)
        ok = ok && print(out, "%s  cannot be read: %s: %s\n", indent, finding->unreadable_part,
                         kiln_status_text(finding->status));
    for (const schema_change *change = finding->changes; change && ok; change = change->next)
        ok = print(out, "%s  %s: %s [%s]%s%s\n", indent, change->path, change->text, change->word,
                   change->yaml > SCHEMA_YAML_SAME ? "; YAML " : "",
                   change->yaml > SCHEMA_YAML_SAME ? yaml_words[change->yaml] : "");
    return ok;
}

static bool report_text(schema_output *out, const schema_report *report)
{
    const char *indent = report->path ? "  " : "";
    uint32_t counts[4] = {0, 0, 0, 0}, all = 0;
    bool ok = true;
    if (report->path)
        ok = print(out, "%s: %s%s\n", report->path, verdict_words[report->verdict],
                   report->has_types ? "" : " (no type table: only layouts were compared)");
    for (uint32_t i = 0; i < report->comparison.count && ok; i++) {
        const schema_finding *finding = &report->comparison.findings[i];
        if (!is_shown(report, i))
            continue;
        counts[finding->verdict]++;
        all++;
        if (finding->verdict != SCHEMA_IDENTICAL || out->options->verbose)
            ok = print_finding(out, finding, indent);
    }
    for (const schema_refusal *r = report->refusals; r && ok; r = r->next)
        ok = print(out, "%s%s%s%s: %s\n", indent, r->asset, *r->path ? ": " : "", r->path, r->text);
    if (!report->path && ok)
        ok = print(out, "%u type%s: %u identical, %u readable, %u must rebake, %u break%s\n", all,
                   all == 1 ? "" : "s", counts[0], counts[1], counts[2], counts[3],
                   counts[3] == 1 ? "s" : "");
    return ok;
}

static void write_finding(schema_output *out, const schema_finding *finding)
{
    bake_json *json = &out->json;
    bake_json_open(json, NULL, '{');
    bake_json_text(json, "name", finding->name);
    if (finding->was)
        bake_json_text(json, "was", finding->was);
    bake_json_text(json, "verdict", verdict_words[finding->verdict]);
    bake_json_text(json, "reading", how_read(finding));
    bake_json_text(json, "yaml", yaml_words[finding->yaml]);
    if (finding->status) {
        bake_json_open(json, "refused", '{');
        bake_json_text(json, "path", finding->unreadable_part);
        bake_json_text(json, "status", kiln_status_name(finding->status));
        bake_json_text(json, "text", kiln_status_text(finding->status));
        bake_json_close(json, '{');
    }
    bake_json_open(json, "changes", '[');
    for (const schema_change *change = finding->changes; change; change = change->next) {
        bake_json_open(json, NULL, '{');
        bake_json_text(json, "path", change->path);
        bake_json_text(json, "change", change->word);
        bake_json_text(json, "text", change->text);
        bake_json_text(json, "yaml", yaml_words[change->yaml]);
        bake_json_close(json, '{');
    }
    bake_json_close(json, '[');
    bake_json_close(json, '{');
}

static void write_refusals(schema_output *out, const schema_report *report)
{
    bake_json *json = &out->json;
    bake_json_open(json, "refused", '[');
    for (const schema_refusal *r = report->refusals; r; r = r->next) {
        bake_json_open(json, NULL, '{');
        bake_json_text(json, "asset", r->asset);
        bake_json_text(json, "path", r->path);
        bake_json_text(json, "text", r->text);
        bake_json_close(json, '{');
    }
    bake_json_close(json, '[');
    bake_json_number(json, "refused_count", report->refusal_count);
}

static void report_json(schema_output *out, const schema_report *report)
{
    bake_json *json = &out->json;
    bake_json_open(json, NULL, '{');
    if (report->path)
        bake_json_text(json, "file", report->path);
    bake_json_text(json, "verdict", verdict_words[report->verdict]);
    if (report->path) {
        bake_json_bool(json, "has_types", report->has_types);
    }
    bake_json_open(json, "types", '[');
    for (uint32_t i = 0; i < report->comparison.count; i++)
        if (is_shown(report, i))
            write_finding(out, &report->comparison.findings[i]);
    bake_json_close(json, '[');
    if (report->path)
        write_refusals(out, report);
    bake_json_close(json, '{');
}

/* ---- the command ---- */

bake_result bake_schema_check_usage(const bake_options *o, bake_failure *failure)
{
    if (o->inputs.count < 2)
        return bake_fail(failure, BAKE_FAILED,
                         "schema check needs OLD and NEW schemas, or NEW and kiln files");
    if (o->schemas.count > 0)
        return bake_fail(failure, BAKE_FAILED,
                         "schema check does not accept -s; give the schemas as arguments");
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
                           o->no_types,
                           NULL,
                           0};
    return bake_schema_load(&def, ret_schema, &run->failure);
}

/* Sets `*ret_is_one` to whether the file begins like a kiln file. The gateway reads a file only
 * once, so the later check sees the same bytes. */
static bake_result detect_kiln_file(bake_run *run, const char *path, bool *ret_is_one)
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
    /* With --quiet, print nothing on success, but always write a file given by -o. */
    if (o->quiet && verdict <= SCHEMA_READABLE && !o->output)
        return BAKE_OK;
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    if (!run->outputs)
        return bake_fail_memory(&run->failure);
    out.output = bake_run_begin(run, o->output ? o->output : "-");
    if (!out.output)
        return run->failure.result;
    bake_json_init(&out.json, true, bake_output_write, out.output);
    /* A comparison of two schemas is a single report; reports about files are in a list. */
    if (is_json && reports[0].path) {
        bake_json_open(&out.json, NULL, '{');
        bake_json_text(&out.json, "verdict", verdict_words[verdict]);
        bake_json_open(&out.json, "files", '[');
    }
    for (size_t i = 0; i < count && ok; i++) {
        if (is_json)
            report_json(&out, &reports[i]);
        else
            ok = report_text(&out, &reports[i]);
    }
    if (is_json && reports[0].path) {
        bake_json_close(&out.json, '[');
        bake_json_close(&out.json, '{');
    }
    if (is_json)
        bake_json_end_line(&out.json);
    /* bake_run_commit reports a failed write. */
    return bake_run_commit(run);
}

/* Distinct exit codes let a build script rebake in one case and stop in the other. */
static bake_result exit_code(schema_verdict verdict)
{
    return verdict == SCHEMA_BREAKS        ? BAKE_BREAKING
           : verdict == SCHEMA_MUST_REBAKE ? BAKE_BAD_INPUT
                                           : BAKE_OK;
}

/* The newer schema is the second of two schemas, or the first argument before files. */
bake_result bake_schema_check_run(bake_run *run)
{
    const bake_list *inputs = &run->options->inputs;
    bool has_files = false;
    /* The second argument determines the form of the command, because the first is always a
     * schema. */
    if (detect_kiln_file(run, inputs->items[1], &has_files))
        return run->failure.result;
    bake_schema *older = NULL;
    size_t count = has_files ? inputs->count - 1 : 1;
    schema_report *reports = bake_store_alloc(&run->store, count, sizeof *reports);
    schema_verdict worst = SCHEMA_IDENTICAL;
    if (!reports)
        return bake_fail_memory(&run->failure);
    if (!has_files && inputs->count > 2)
        return bake_fail(&run->failure, BAKE_FAILED, "%s is not a kiln file", inputs->items[1]);
    bake_result bad = BAKE_OK;
    bake_result result = has_files ? BAKE_OK : read_schema(run, inputs->items[0], &older);
    /* Read the newer schema even if the older one has mistakes, so that one run reports all
     * mistakes. */
    if (result <= BAKE_BAD_INPUT) {
        bake_result read = read_schema(run, inputs->items[!has_files], &run->schema);
        result = read ? read : result;
    }
    for (size_t i = 0; i < count && !result; i++) {
        result = has_files ? bake_schema_check_file(run, inputs->items[i + 1], &reports[i])
                           : compare_schemas(run, older, &reports[i]);
        worst = reports[i].verdict > worst ? reports[i].verdict : worst;
        /* Continue, so that every invalid file is reported. */
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

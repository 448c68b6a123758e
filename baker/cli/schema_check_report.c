/* What `kiln-bake schema check` says, as text and as JSON. */
#include "schema_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const verdict_words[] = {"identical", "readable", "must rebake", "breaks"};
static const char *const reading_words[] = {"same layout", "in place", "rebuilt",
                                            "rebuilt, some refused", "refused"};
static const char *const yaml_words[] = {"accepted", "warns", "may be refused", "refused"};

const char *bake_schema_verdict_word(schema_verdict verdict)
{
    return verdict_words[verdict];
}

static bool say(schema_output *out, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Lines longer than any that is written here are cut. */
static bool say(schema_output *out, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return false;
    size_t size = (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
    /* Names come from files: nothing in them may move a terminal's cursor. */
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

static bool is_shown(const schema_report *report, uint32_t finding)
{
    return !report->shown || report->shown[finding];
}

static bool say_finding(schema_output *out, const schema_finding *finding, const char *indent)
{
    bool ok = say(out, "%s%s: %s (files: %s; YAML: %s)\n", indent, finding->name,
                  verdict_words[finding->verdict], how_read(finding), yaml_words[finding->yaml]);
    if (finding->status)
        ok = ok && say(out, "%s  cannot be read: %s: %s\n", indent, finding->refused,
                       kiln_status_text(finding->status));
    for (const schema_change *change = finding->changes; change && ok; change = change->next)
        ok = say(out, "%s  %s: %s [%s]%s%s\n", indent, change->path, change->text, change->word,
                 change->yaml > SCHEMA_YAML_SAME ? "; YAML " : "",
                 change->yaml > SCHEMA_YAML_SAME ? yaml_words[change->yaml] : "");
    return ok;
}

bool bake_schema_report_text(schema_output *out, const schema_report *report)
{
    const char *indent = report->path ? "  " : "";
    uint32_t counts[4] = {0, 0, 0, 0}, all = 0;
    bool ok = true;
    if (report->path)
        ok = say(out, "%s: %s%s\n", report->path, verdict_words[report->verdict],
                 report->has_types ? "" : " (no type table: layouts alone were compared)");
    for (uint32_t i = 0; i < report->comparison.count && ok; i++) {
        const schema_finding *finding = &report->comparison.findings[i];
        if (!is_shown(report, i))
            continue;
        counts[finding->verdict]++;
        all++;
        if (finding->verdict != SCHEMA_IDENTICAL || out->options->verbose)
            ok = say_finding(out, finding, indent);
    }
    for (const schema_refusal *r = report->refusals; r && ok; r = r->next)
        ok = say(out, "%s%s%s%s: %s\n", indent, r->asset, *r->path ? ": " : "", r->path, r->text);
    if (!report->path && ok)
        ok = say(out, "%u type%s: %u identical, %u readable, %u must rebake, %u break%s\n", all,
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
        bake_json_text(json, "path", finding->refused);
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

void bake_schema_report_json(schema_output *out, const schema_report *report)
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

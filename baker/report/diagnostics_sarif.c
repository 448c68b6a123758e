/* SARIF 2.1.0: one log with one run. `columnKind` declares that columns count code points. If
 * memory runs out, the log is still valid JSON, and bake_diagnostics_write_sarif returns false. */
#include "bake_memory.h"
#include "diagnostics_store.h"
#include "json_writer.h"

#include <kiln/version.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA_URI                                                                                 \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

typedef struct sarif {
    bake_diagnostics *diagnostics;
    bake_json json;
    bake_line_cursor cursor;
    const char **rules; /* all rules of the reports, each once; results refer to them by index */
    size_t rule_count;
    bool no_memory;
} sarif;

/* A linear search is enough for about fifty rules. */
static size_t rule_number(const sarif *s, const char *rule)
{
    size_t i = 0;
    while (i < s->rule_count && strcmp(s->rules[i], rule) != 0)
        i++;
    return i;
}

static bool collect_rules(sarif *s)
{
    const bake_diagnostics *d = s->diagnostics;
    size_t capacity = 0;
    for (size_t i = 0; i < d->report_count; i++) {
        if (rule_number(s, d->reports[i].rule) < s->rule_count)
            continue;
        const char **rules = bake_grow(s->rules, &capacity, s->rule_count + 1, sizeof *rules);
        if (!rules)
            return false;
        s->rules = rules;
        rules[s->rule_count++] = d->reports[i].rule;
    }
    return true;
}

static void write_rules(sarif *s)
{
    bake_json *json = &s->json;
    bake_json_open(json, "rules", '[');
    for (size_t i = 0; i < s->rule_count; i++) {
        const char *sentence = bake_rule_sentence(s->rules[i]);
        bake_json_open(json, NULL, '{');
        bake_json_text(json, "id", s->rules[i]);
        if (sentence) {
            bake_json_open(json, "shortDescription", '{');
            bake_json_text(json, "text", sentence);
            bake_json_close(json, '{');
        }
        bake_json_close(json, '{');
    }
    bake_json_close(json, '[');
}

static void write_tool(sarif *s)
{
    bake_json *json = &s->json;
    bake_json_open(json, "tool", '{');
    bake_json_open(json, "driver", '{');
    bake_json_text(json, "name", "kiln-bake");
    bake_json_text(json, "version", kiln_version());
    write_rules(s);
    bake_json_close(json, '{');
    bake_json_close(json, '{');
}

static void write_message(bake_json *json, const char *text)
{
    bake_json_open(json, "message", '{');
    bake_json_text(json, "text", text);
    bake_json_close(json, '{');
}

/* Writes the message with path and hints, because many viewers show only the message of a
 * result. */
static void write_whole_message(sarif *s, const bake_diagnostic *r)
{
    size_t size = (r->path ? strlen(r->path) : 0) + strlen(r->message) + 8, at = 0;
    for (const char *hint = r->hints; hint && *hint; hint += strlen(hint) + 1)
        size += strlen(hint) + sizeof "\nhint: ";
    char *text = bake_alloc(size);
    if (!text) {
        s->no_memory = true;
        write_message(&s->json, r->message);
        return;
    }
    at += (size_t)snprintf(text, size, "%s%s%s", r->path ? r->path : "", r->path ? ": " : "",
                           r->message);
    for (const char *hint = r->hints; hint && *hint; hint += strlen(hint) + 1)
        at += (size_t)snprintf(text + at, size - at, "\nhint: %s", hint);
    write_message(&s->json, text);
    bake_free(text);
}

/* Converts a path to a URI reference (RFC 3986): percent-encodes every byte that is neither
 * unreserved nor a slash. */
static char *make_uri(const char *path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    static const char digits[] = "0123456789ABCDEF";
    static const char absolute[] = "file://";
    size_t length = strlen(path), at = 0;
    /* Each byte becomes at most three; nine more are for the scheme and the NUL. */
    char *uri = bake_alloc_array(length + 3, 3);
    if (!uri)
        return NULL;
    if (path[0] == '/') {
        memcpy(uri, absolute, sizeof absolute - 1);
        at = sizeof absolute - 1;
    }
    for (const char *c = path; *c; c++) {
        if (strchr(plain, *c)) {
            uri[at++] = *c;
            continue;
        }
        uri[at++] = '%';
        uri[at++] = digits[(unsigned char)*c >> 4];
        uri[at++] = digits[(unsigned char)*c & 15];
    }
    uri[at] = '\0';
    return uri;
}

static void write_physical(sarif *s, bake_mark mark, uint32_t end)
{
    bake_json *json = &s->json;
    char *uri = make_uri(bake_diagnostics_source_name(s->diagnostics, mark.source));
    if (!uri) {
        s->no_memory = true;
        return;
    }
    bake_json_open(json, "physicalLocation", '{');
    bake_json_open(json, "artifactLocation", '{');
    bake_json_text(json, "uri", uri);
    bake_json_close(json, '{');
    if (mark.line) {
        bake_json_open(json, "region", '{');
        bake_json_number(json, "startLine", mark.line);
        bake_json_number(json, "startColumn", mark.column ? mark.column : 1);
        if (end)
            bake_json_number(json, "endColumn", end);
        bake_json_close(json, '{');
    }
    bake_json_close(json, '{');
    bake_free(uri);
}

static void write_location(sarif *s, const bake_diagnostic *r)
{
    bake_json *json = &s->json;
    bool is_somewhere = *bake_diagnostics_source_name(s->diagnostics, r->mark.source) != '\0';
    /* A report about the run as a whole has no location. */
    bake_json_open(json, "locations", '[');
    if (is_somewhere || r->path) {
        bake_json_open(json, NULL, '{');
        if (is_somewhere)
            write_physical(s, r->mark,
                           bake_diagnostics_end_column(s->diagnostics, &s->cursor, r->mark));
        if (r->path) {
            bake_json_open(json, "logicalLocations", '[');
            bake_json_open(json, NULL, '{');
            bake_json_text(json, "fullyQualifiedName", r->path);
            bake_json_close(json, '{');
            bake_json_close(json, '[');
        }
        bake_json_close(json, '{');
    }
    bake_json_close(json, '[');
}

/* SARIF viewers refer to related locations by `id`, which counts from 1. */
static void write_related(sarif *s, const bake_diagnostic *r)
{
    bake_json *json = &s->json;
    if (!r->related_count)
        return;
    bake_json_open(json, "relatedLocations", '[');
    for (size_t i = 0; i < r->related_count; i++) {
        const bake_related_place *place = &r->related[i];
        bake_json_open(json, NULL, '{');
        bake_json_number(json, "id", i + 1);
        write_physical(s, place->mark, bake_related_end_column(place->mark));
        write_message(json, place->message);
        bake_json_close(json, '{');
    }
    bake_json_close(json, '[');
}

static void write_result(sarif *s, const bake_diagnostic *r)
{
    bake_json *json = &s->json;
    bake_json_open(json, NULL, '{');
    bake_json_text(json, "ruleId", r->rule);
    bake_json_number(json, "ruleIndex", rule_number(s, r->rule));
    bake_json_text(json, "level", r->severity == BAKE_ERROR ? "error" : "warning");
    write_whole_message(s, r);
    write_location(s, r);
    write_related(s, r);
    bake_json_close(json, '{');
}

static void write_notification(bake_json *json, const char *rule, const char *level,
                               const char *text)
{
    bake_json_open(json, NULL, '{');
    bake_json_open(json, "descriptor", '{');
    bake_json_text(json, "id", rule);
    bake_json_close(json, '{');
    bake_json_text(json, "level", level);
    write_message(json, text);
    bake_json_close(json, '{');
}

/* In SARIF, messages that concern no file are tool notifications instead of results. */
static void write_invocation(sarif *s, const bake_run_end *end)
{
    bake_json *json = &s->json;
    char hidden[BAKE_HIDDEN_SIZE];
    const char *failure = bake_diagnostics_failure(s->diagnostics, end);
    bake_json_open(json, "invocations", '[');
    bake_json_open(json, NULL, '{');
    bake_json_bool(json, "executionSuccessful", end->exit_code == 0);
    bake_json_number(json, "exitCode", (uint64_t)end->exit_code);
    bake_json_open(json, "toolExecutionNotifications", '[');
    if (bake_diagnostics_format_hidden(s->diagnostics, hidden))
        write_notification(json, "max-errors", "note", hidden);
    if (failure)
        write_notification(json, bake_run_rule(end), "error", failure);
    bake_json_close(json, '[');
    bake_json_close(json, '{');
    bake_json_close(json, '[');
}

static void write_run(sarif *s, const bake_run_end *end)
{
    bake_json *json = &s->json;
    bake_json_open(json, NULL, '{');
    write_tool(s);
    write_invocation(s, end);
    bake_json_text(json, "columnKind", "unicodeCodePoints");
    bake_json_open(json, "results", '[');
    for (size_t i = 0; i < s->diagnostics->report_count; i++)
        write_result(s, &s->diagnostics->reports[i]);
    bake_json_close(json, '[');
    bake_json_close(json, '{');
}

bool bake_diagnostics_write_sarif(bake_diagnostics *diagnostics, const bake_run_end *end,
                                  bake_write_function write, void *ctx)
{
    sarif s;
    memset(&s, 0, sizeof s);
    s.diagnostics = diagnostics;
    bake_json_init(&s.json, true, write, ctx);
    bake_diagnostics_sort(diagnostics);
    bool ok = collect_rules(&s);
    if (ok) {
        bake_json_open(&s.json, NULL, '{');
        bake_json_text(&s.json, "$schema", SCHEMA_URI);
        bake_json_text(&s.json, "version", "2.1.0");
        bake_json_open(&s.json, "runs", '[');
        write_run(&s, end);
        bake_json_close(&s.json, '[');
        bake_json_close(&s.json, '{');
        ok = bake_json_end_line(&s.json) && !s.no_memory;
    }
    bake_free(s.rules);
    return ok;
}

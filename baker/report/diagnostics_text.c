/* Diagnostics for a terminal, and the descriptions of the rules for SARIF. The text is the same
 * with and without colours. */
#include "diagnostics_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_text(FILE *err, const char *text)
{
    bake_print_escaped(err, text, strlen(text));
}

/* Uses the form `file:line:column: error:` of gcc and clang, which editors recognise. */
static void print_headline(const bake_diagnostics *diagnostics, FILE *err, const bake_diagnostic *r,
                           bool color)
{
    fputs(color ? "\033[1m" : "", err);
    const char *name = bake_diagnostics_source_name(diagnostics, r->mark.source);
    print_text(err, name);
    if (r->mark.line)
        fprintf(err, ":%" PRIu32 ":%" PRIu32, r->mark.line, r->mark.column);
    fputs(*name || r->mark.line ? ": " : "", err);
    bool is_error = r->severity == BAKE_ERROR;
    fputs(color ? is_error ? "\033[31m" : "\033[35m" : "", err);
    fputs(is_error ? "error: " : "warning: ", err);
    fputs(color ? "\033[0m" : "", err);
    if (r->path) {
        print_text(err, r->path);
        fputs(": ", err);
    }
    print_text(err, r->message);
    fputs(" [", err);
    print_text(err, r->rule);
    fputs("]\n", err);
}

static void print_report(const bake_diagnostics *diagnostics, FILE *err, const bake_diagnostic *r,
                         bake_line_cursor *cursor, bool color)
{
    print_headline(diagnostics, err, r, color);
    if (bake_diagnostics_find_line(diagnostics, cursor, r->mark))
        bake_print_excerpt(err, cursor, r->mark, color);
    /* An empty string ends the hints (diagnostics_store.h). */
    for (const char *hint = r->hints; hint && *hint; hint += strlen(hint) + 1) {
        fputs("  hint: ", err);
        print_text(err, hint);
        fputc('\n', err);
    }
}

static void print_count(FILE *err, size_t count, const char *word)
{
    fprintf(err, "%zu %s%s", count, word, count == 1 ? "" : "s");
}

/* Reports are sorted by location, so one cursor finds all lines in one pass over each source. */
void bake_diagnostics_print(bake_diagnostics *diagnostics, FILE *err, bool color)
{
    bake_diagnostics_sort(diagnostics);
    bake_line_cursor cursor = {0};
    for (size_t i = 0; i < diagnostics->report_count; i++)
        print_report(diagnostics, err, &diagnostics->reports[i], &cursor, color);
    size_t errors = diagnostics->seen[BAKE_ERROR];
    size_t warnings = diagnostics->seen[BAKE_WARNING];
    if (errors)
        print_count(err, errors, "error");
    if (errors && warnings)
        fputs(", ", err);
    if (warnings)
        print_count(err, warnings, "warning");
    if (errors + warnings > diagnostics->report_count)
        fprintf(err, " (%zu not shown)", errors + warnings - diagnostics->report_count);
    if (errors || warnings)
        fputc('\n', err);
    if (diagnostics->no_memory)
        fputs("kiln-bake: out of memory\n", err);
}

/* The rules that messages name in brackets, each with the sentence that states it. */
static const struct {
    const char *rule, *sentence;
} sentences[] = {
    {"abstract", "`abstract` must be true or false, and an abstract prefab can only be a base."},
    {"alias", "An alias must refer to an earlier anchor and must not contain itself."},
    {"alias-bomb", "A file must not exceed the maximum number of values with aliases expanded."},
    {"atlas",
     "The file of an atlas must contain the names of its states at the path in the schema."},
    {"base", "The base of an entity must exist."},
    {"base64", "A byte string must be valid base64."},
    {"budget", "A bundle and its parts must not exceed the limits of the project file."},
    {"bug", "kiln-bake has a bug."},
    {"component", "An entity must only have components that the schema declares."},
    {"cycle", "Nothing may inherit from itself, contain itself or be renamed to itself."},
    {"default", "A default must be a valid value of its field's type."},
    {"deprecated",
     "Data should not use fields, values or alternatives that the schema marks as deprecated."},
    {"depth", "Values must not be nested too deeply."},
    {"duplicate", "Each key, name and id must be unique."},
    {"encoding", "Files must be YAML in UTF-8."},
    {"entity", "A reference to an entity must name an existing entity."},
    {"enum", "A name must be a value of its enum."},
    {"extern", "A file given with --extern must be a valid kiln file."},
    {"file", "A file that a value names must exist and be readable."},
    {"files", "A rule of the schema must match each file of data."},
    {"flags", "A name must be a flag of its flag set."},
    {"hex", "Bytes must be written as two hexadecimal digits each."},
    {"id", "An asset must have a valid id."},
    {"import", "An importer must succeed, and its output must be usable."},
    {"include", "An included schema must exist and be readable."},
    {"key", "A key must be a single value."},
    {"kind", "Assets must be listed under a kind that the schema declares."},
    {"max-errors", "Errors beyond --max-errors are only counted."},
    {"merge", "A merge key requires a mapping or a list of mappings."},
    {"missing", "A required value must be given."},
    {"name", "A name must have a valid form."},
    {"nested", "A nested scene must not have the keys of an entity."},
    {"parent",
     "A parent must be the id of an asset of the same kind, and the parent field of a rule "
     "must contain an entity."},
    {"patch", "A patch must change an asset of the same run."},
    {"path", "A path must have a valid form and name an existing part of a value."},
    {"project", "A project file must have the form that PROJECT.md describes."},
    {"range", "A value must be in the range of its type or field."},
    {"recursion", "A type or default must not contain itself by value."},
    {"reference", "A reference must name an existing asset of a matching type."},
    {"remove", "Only existing elements can be removed."},
    {"renamed", "A renamed asset, field or value must be called by its current name."},
    {"repack", "A file to be repacked must be valid and contain its types."},
    {"resource", "A path must name an existing file or folder."},
    {"rest", "A struct must have at most one map for all other keys."},
    {"run", "The run must be able to read its inputs and write its outputs."},
    {"scene", "A scene must have the form that its rule describes."},
    {"schema", "A schema must follow the schema language."},
    {"single", "A list that may be written without brackets must not contain lists."},
    {"size", "Files, values and types must not be too large."},
    {"state", "A state must be one of the states of its atlas."},
    {"tag", "A tag must match the type of its value."},
    {"text", "A string must be valid for its type."},
    {"type", "A value must have the form that its type requires."},
    {"union", "A union must have exactly one alternative."},
    {"unit", "A unit must follow a number and be part of the schema language."},
    {"unknown-key", "A key must be a field of the type or an attribute of the schema language."},
    {"value", "The value of a name must fit its enum or flag set."},
    {"yaml", "Files must be valid YAML."},
};

const char *bake_rule_sentence(const char *rule)
{
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(sentences[i].rule, rule) == 0)
            return sentences[i].sentence;
    return NULL;
}

bool bake_diagnostics_format_hidden(const bake_diagnostics *diagnostics, char out[BAKE_HIDDEN_SIZE])
{
    size_t errors = diagnostics->seen[BAKE_ERROR] - diagnostics->kept[BAKE_ERROR];
    size_t warnings = diagnostics->seen[BAKE_WARNING] - diagnostics->kept[BAKE_WARNING];
    char first[40] = "", second[40] = "";
    if (errors)
        snprintf(first, sizeof first, "%zu more error%s", errors, errors == 1 ? "" : "s");
    if (warnings)
        snprintf(second, sizeof second, "%zu more warning%s", warnings, warnings == 1 ? "" : "s");
    snprintf(out, BAKE_HIDDEN_SIZE, "%s%s%s %s not shown", first, errors && warnings ? " and " : "",
             second, errors + warnings == 1 ? "is" : "are");
    return errors || warnings;
}

const char *bake_diagnostics_failure(const bake_diagnostics *diagnostics, const bake_run_end *end)
{
    if (diagnostics->no_memory)
        return "out of memory";
    return end->failure && *end->failure ? end->failure : NULL;
}

const char *bake_run_rule(const bake_run_end *end)
{
    return end->exit_code == 3 ? "bug" : "run";
}

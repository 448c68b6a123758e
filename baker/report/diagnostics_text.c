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

/* Reports are sorted by place, so one cursor finds all lines in one pass over each source. */
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
    {"abstract", "`abstract` is true or false, and an abstract prefab is only a base of others."},
    {"alias", "An alias refers to an anchor that is defined before it and does not contain it."},
    {"alias-bomb", "With aliases expanded, a file has a limited number of values."},
    {"atlas", "The file of an atlas has the names of its states at the path in the schema."},
    {"base", "The base of an entity exists."},
    {"base64", "Bytes as text are base64."},
    {"bug", "kiln-bake has a bug."},
    {"component", "An entity has only components that the schema declares."},
    {"cycle", "Nothing inherits from itself, contains itself or is renamed to itself."},
    {"default", "A default is a value of its field's type."},
    {"deprecated",
     "Data does not use fields, values or alternatives that the schema marks as deprecated."},
    {"depth", "Values are nested to a limited depth."},
    {"duplicate", "Each key, name and id is given once."},
    {"encoding", "Files are YAML in UTF-8."},
    {"entity", "A reference to an entity names an existing entity."},
    {"enum", "A name is a value of its enum."},
    {"extern", "A file given with --extern is a valid kiln file."},
    {"file", "A file that a value names exists and can be read."},
    {"flags", "A name is a flag of its flag set."},
    {"hex", "Bytes are written as two hexadecimal digits each."},
    {"id", "An asset has an id."},
    {"import", "The output of an importer can be used."},
    {"include", "An included schema exists and can be read."},
    {"key", "A key is a single value."},
    {"kind", "Assets are listed under a kind that the schema declares."},
    {"max-errors", "Errors beyond --max-errors are only counted."},
    {"merge", "A merge key takes a mapping or a list of mappings."},
    {"missing", "A required value is given."},
    {"name", "A name has the form that its place requires."},
    {"nested", "A nested scene has no keys of entities."},
    {"parent", "A parent is the id of an asset of the same kind, and the parent field of a rule "
               "holds an entity."},
    {"patch", "A patch changes an asset of the same run."},
    {"path", "A path has the right form and names an existing part of a value."},
    {"range", "A value is in the range of its type or field."},
    {"recursion", "Neither a type nor a default contains itself by value."},
    {"reference", "A reference names an existing asset of a matching type."},
    {"remove", "Only existing elements are removed."},
    {"renamed", "A renamed asset, field or value is called by its current name."},
    {"repack", "A file to be repacked is valid and contains its types."},
    {"resource", "A path names an existing file or folder."},
    {"rest", "A struct has at most one map for all other keys."},
    {"run", "The run can read its inputs and write its outputs."},
    {"scene", "A scene has the form that its rule describes."},
    {"schema", "A schema follows the schema language."},
    {"single", "A list that may be written without brackets does not contain lists."},
    {"size", "Files, values and types have a limited size."},
    {"state", "A state is one of the states of its atlas."},
    {"tag", "A tag agrees with the type of its value."},
    {"text", "A text fits its type."},
    {"type", "A value has the form that its type requires."},
    {"union", "A union has exactly one alternative."},
    {"unit", "A unit follows a number and is known to the schema language."},
    {"unknown-key", "A key is a field of the type or an attribute of the schema language."},
    {"value", "The value of a name fits its enum or flag set."},
    {"yaml", "Files are YAML."},
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
        snprintf(first, sizeof first, "%zu error%s", errors, errors == 1 ? "" : "s");
    if (warnings)
        snprintf(second, sizeof second, "%zu warning%s", warnings, warnings == 1 ? "" : "s");
    snprintf(out, BAKE_HIDDEN_SIZE, "%s%s%s more %s not shown", first,
             errors && warnings ? " and " : "", second, errors + warnings == 1 ? "is" : "are");
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

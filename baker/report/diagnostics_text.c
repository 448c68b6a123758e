#include "diagnostics_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_text(FILE *err, const char *text)
{
    bake_print_escaped(err, text, strlen(text));
}

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
    if (bake_diagnostics_go(diagnostics, cursor, r->mark))
        bake_print_excerpt(err, cursor, r->mark, color);
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

/* The rules in brackets, and what each is about. */
static const struct {
    const char *rule, *sentence;
} sentences[] = {
    {"abstract", "A prefab that is abstract is only a base of others."},
    {"alias", "An alias leads to an anchor that stands before it, and not around it."},
    {"alias-bomb", "With all aliases written out, a file has a limited number of values."},
    {"atlas", "The file of an atlas has the names of its states where the schema says."},
    {"base", "What something is made from is there."},
    {"base64", "Bytes as text are base64."},
    {"bug", "kiln-bake itself made a mistake."},
    {"component", "An entity's components are those that the schema declares."},
    {"cycle", "Nothing is made of itself."},
    {"default", "A default is a value of its field's type."},
    {"deprecated", "The schema calls this field, value or alternative deprecated."},
    {"depth", "Values are nested to a limited depth."},
    {"duplicate", "Nothing is given twice."},
    {"encoding", "Files are YAML in UTF-8."},
    {"entity", "A reference to an entity leads to one that is there."},
    {"enum", "A name is one that the enum has."},
    {"extern", "A file given with --extern is a sound kiln file."},
    {"file", "A file whose content is wanted is there and can be read."},
    {"flags", "A name is one that the flag set has."},
    {"hex", "Bytes as hexadecimal digits are two digits a byte."},
    {"id", "An asset has an id, by which it is found."},
    {"import", "What an importer makes of a file can be used."},
    {"include", "An included schema is there and can be read."},
    {"key", "A key is a single value."},
    {"kind", "Assets lie under the name of a kind that the schema has."},
    {"max-errors", "What is beyond --max-errors is counted only."},
    {"merge", "A merge key takes a mapping or a list of mappings."},
    {"missing", "What has no default is written."},
    {"name", "A name can be used where it has to be."},
    {"nested", "A nested scene has no keys of entities."},
    {"parent", "What a rule names as the parent is a field for entities."},
    {"patch", "A patch changes an asset that the same run has."},
    {"path", "A path is written as one, and leads to what is there."},
    {"range", "A value lies in the range of its type or field."},
    {"recursion", "A type does not contain itself by value, nor a default itself."},
    {"reference", "A reference leads to an asset that is there, of a type that fits."},
    {"remove", "What is taken away is there."},
    {"renamed", "What was renamed is called by its present name."},
    {"repack", "A file to be repacked is sound and has its types."},
    {"resource", "A path leads to a file or folder that is there."},
    {"rest", "One map of a struct at most takes the other keys."},
    {"run", "The run can read what it needs and write what it makes."},
    {"scene", "A scene is put together as it should be."},
    {"schema", "A schema is written as its language says."},
    {"single", "A list that may be written without its brackets holds no lists."},
    {"size", "Files, values and types are of a limited size."},
    {"state", "A state is one that its atlas has."},
    {"tag", "A tag agrees with the type of its value."},
    {"text", "A text holds what its type can hold."},
    {"type", "A value is written as its type asks for."},
    {"union", "A union has exactly one alternative."},
    {"unit", "A unit is one that the language has, and stands at a number."},
    {"unknown-key", "A key is one that the type or the schema language has."},
    {"value", "The value of a name in an enum or flag set fits."},
    {"yaml", "Files are YAML."},
};

const char *bake_rule_sentence(const char *rule)
{
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(sentences[i].rule, rule) == 0)
            return sentences[i].sentence;
    return NULL;
}

bool bake_diagnostics_tell_hidden(const bake_diagnostics *diagnostics, char out[BAKE_HIDDEN_SIZE])
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

/* Importers: programs that convert files to YAML or bytes. Names are unique across all schema
 * files. Importers are sorted by name for binary search. */
#include "schema_reader.h"

#include "bake_text.h"
#include "scalar_parse.h"

#include <stdlib.h>
#include <string.h>

static const char *const importer_names[] = {"command", "output", "timeout", "inputs"};
enum { IMPORTER_COMMAND, IMPORTER_OUTPUT, IMPORTER_TIMEOUT, IMPORTER_INPUTS, IMPORTER_ATTRIBUTES };

/* Default and maximum time limit in milliseconds. */
enum { TIME_DEFAULT = 60 * 1000, TIME_MAX = 24 * 60 * 60 * 1000 };

static bool report(schema_reader *reader, const schema_file *file, bake_node_id node,
                   const char *text)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema",
                       "importers", "%s", text);
}

/* Returns the program and its arguments, or NULL after reporting an error. */
static const char *const *read_command(schema_reader *reader, const schema_file *file,
                                       bake_node_id node)
{
    size_t count = 0;
    if (bake_node_is_placeholder(file->tree, node))
        return NULL;
    if (bake_node_kind_of(file->tree, node) != BAKE_NODE_SEQUENCE ||
        bake_node_count(file->tree, node) == 0) {
        report(reader, file, node,
               "`command` must be a list of the program and its arguments, such as [tools/csv.py, "
               "--strict]");
        return NULL;
    }
    const char **command =
        bake_store_alloc(reader->store, bake_node_count(file->tree, node) + 1, sizeof *command);
    for (bake_iterator it = bake_iterator_begin(file->tree, node);
         command && bake_iterator_next(&it);) {
        const char *text =
            bake_schema_read_text(reader, file, it.value, "importers",
                                  count ? "an argument" : "the name of a program", NULL);
        if (text && count == 0 && !*text)
            report(reader, file, it.value, "the name of a program cannot be empty");
        if (text && count == 0 && strchr(text, '/'))
            text = bake_schema_resolve_path(reader, file->path, text);
        if (!text)
            return NULL;
        command[count++] = text;
    }
    return command;
}

static void read_output(schema_reader *reader, const schema_file *file, bake_node_id node,
                        bake_importer *ret)
{
    static const char *const words[] = {"yaml", "bytes"};
    size_t length;
    const char *text =
        bake_schema_read_text(reader, file, node, "importers", "`yaml` or `bytes`", &length);
    ret->outputs_bytes = text && strcmp(text, "bytes") == 0;
    if (!text || ret->outputs_bytes || strcmp(text, "yaml") == 0)
        return;
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "importers",
                "`output` must be yaml or bytes, not \"%s\"", text);
    bake_hint_similar(reader->diagnostics, text, length, words, 2);
}

/* Parses a time with a unit into milliseconds. */
static bool parse_time(const char *text, size_t length, unsigned *ret)
{
    char number[BAKE_UNIT_TEXT_SIZE];
    double time = 0;
    size_t digits = bake_unit_convert(bake_unit_find("ms", 2), text, length, number);
    if (digits == 0 || bake_parse_f64(number, digits, &time) || !(time >= 1 && time <= TIME_MAX))
        return false;
    *ret = (unsigned)time;
    return true;
}

static void read_timeout(schema_reader *reader, const schema_file *file, bake_node_id node,
                         bake_importer *ret)
{
    size_t length;
    ret->time_max = TIME_DEFAULT;
    ret->timeout = "60s";
    if (node == BAKE_NODE_NONE)
        return;
    const char *text =
        bake_schema_read_text(reader, file, node, "importers", "a time, or `none`", &length);
    if (!text)
        return;
    ret->timeout = text;
    if (strcmp(text, "none") == 0)
        ret->time_max = 0;
    else if (!parse_time(text, length, &ret->time_max))
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "importers",
                    "`timeout` must be `none` or a time from 1ms to 24h, with a unit, such as 60s, "
                    "not \"%.60s\"",
                    text);
}

/* Reads the paths of files, or `unknown`. */
static void read_inputs(schema_reader *reader, const schema_file *file, bake_node_id node,
                        bake_importer *ret)
{
    static const char *const none[] = {NULL};
    size_t count = 0, length;
    ret->inputs = none;
    if (node == BAKE_NODE_NONE || bake_node_is_placeholder(file->tree, node))
        return;
    const char *word = bake_node_text(file->tree, node, &length);
    if (bake_node_kind_of(file->tree, node) == BAKE_NODE_SCALAR && word &&
        bake_text_is(word, length, "unknown")) {
        ret->has_unknown_inputs = true;
        return;
    }
    if (bake_node_kind_of(file->tree, node) != BAKE_NODE_SEQUENCE) {
        report(reader, file, node, "`inputs` must be a list of files, or `unknown`");
        return;
    }
    const char **inputs =
        bake_store_alloc(reader->store, bake_node_count(file->tree, node) + 1, sizeof *inputs);
    for (bake_iterator it = bake_iterator_begin(file->tree, node);
         inputs && bake_iterator_next(&it);) {
        const char *text =
            bake_schema_read_text(reader, file, it.value, "importers", "the path of a file", NULL);
        if (text && !*text)
            report(reader, file, it.value, "the path of a file cannot be empty");
        inputs[count] = text ? bake_schema_resolve_path(reader, file->path, text) : NULL;
        count += inputs[count] != NULL;
    }
    if (inputs)
        ret->inputs = inputs;
}

/* Returns false after reporting an error, or if memory runs out. */
static bool read_importer(schema_reader *reader, const schema_file *file,
                          const bake_iterator *entry, bake_importer *ret)
{
    bake_node_id values[IMPORTER_ATTRIBUTES];
    ret->name =
        bake_schema_read_text(reader, file, entry->key, "importers", "an importer's name", NULL);
    ret->mark = schema_mark(file, entry->key);
    if (ret->name && !bake_schema_is_kind_name(ret->name))
        bake_report(reader->diagnostics, BAKE_ERROR, ret->mark, "name", "importers",
                    "invalid importer name \"%s\"; use only letters, digits, `_`, `-` and `.`",
                    ret->name);
    if (!bake_schema_read_attributes(reader, file, entry->value, "importers", importer_names,
                                     IMPORTER_ATTRIBUTES, values))
        return false;
    if (values[IMPORTER_COMMAND] == BAKE_NODE_NONE || values[IMPORTER_OUTPUT] == BAKE_NODE_NONE)
        return report(reader, file, entry->value,
                      values[IMPORTER_COMMAND] == BAKE_NODE_NONE
                          ? "missing `command` of an importer: the program and its arguments"
                          : "missing `output` of an importer: yaml or bytes");
    ret->command = read_command(reader, file, values[IMPORTER_COMMAND]);
    read_output(reader, file, values[IMPORTER_OUTPUT], ret);
    read_timeout(reader, file, values[IMPORTER_TIMEOUT], ret);
    read_inputs(reader, file, values[IMPORTER_INPUTS], ret);
    return ret->name && ret->command;
}

static bool has_importers(const schema_file *file)
{
    return file->importers != BAKE_NODE_NONE &&
           bake_node_kind_of(file->tree, file->importers) == BAKE_NODE_MAPPING;
}

/* Sorts by name, then by location, so that the later of two equal names is reported. */
static int compare_importers(const void *a, const void *b)
{
    const bake_importer *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    if (order)
        return order;
    if (left->mark.source != right->mark.source)
        return left->mark.source < right->mark.source ? -1 : 1;
    return (left->mark.line > right->mark.line) - (left->mark.line < right->mark.line);
}

/* Reads the importers of a file to `to`; returns their number. */
static size_t read_importers(schema_reader *reader, const schema_file *file, bake_importer *to)
{
    size_t count = 0;
    if (!has_importers(file))
        return 0;
    for (bake_iterator it = bake_iterator_begin(file->tree, file->importers);
         bake_iterator_next(&it);)
        count += read_importer(reader, file, &it, &to[count]);
    return count;
}

/* Returns the number of importers in a file. */
static size_t count_importers(schema_reader *reader, const schema_file *file)
{
    if (has_importers(file))
        return bake_node_count(file->tree, file->importers);
    if (file->importers != BAKE_NODE_NONE)
        report(reader, file, file->importers, "expected a mapping of names to importers");
    return 0;
}

/* Sorts importers, and reports those with equal names. */
static void sort_importers(schema_reader *reader, bake_importer *importers, size_t count)
{
    if (count > 1)
        qsort(importers, count, sizeof *importers, compare_importers);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(importers[i - 1].name, importers[i].name) != 0)
            continue;
        bake_report(reader->diagnostics, BAKE_ERROR, importers[i].mark, "duplicate", "importers",
                    "the importer \"%s\" is already declared", importers[i].name);
        bake_related(reader->diagnostics, importers[i - 1].mark, "declared here");
    }
}

size_t bake_importers_merge(bake_importer *to, size_t count, const bake_importer *by,
                            size_t by_count)
{
    size_t before = count;
    for (size_t i = 0; i < by_count; i++) {
        size_t at = bake_find_name(to, before, sizeof *to, by[i].name, strlen(by[i].name));
        to[at < before ? at : count++] = by[i];
    }
    if (count > before)
        qsort(to, count, sizeof *to, compare_importers);
    return count;
}

void bake_schema_read_importers(schema_reader *reader)
{
    bake_schema *schema = reader->schema;
    size_t total = 0, given = 0, count = 0;
    for (size_t i = 0; i < reader->file_count; i++)
        total += count_importers(reader, reader->files[i]);
    for (size_t i = 0; i < reader->def->importer_count; i++)
        given += count_importers(reader, &reader->given[i]);
    bake_importer *all = bake_store_alloc(reader->store, total + given, sizeof *all);
    bake_importer *one = bake_store_alloc(reader->store, given, sizeof *one);
    if (!all || !one)
        return;
    for (size_t i = 0; i < reader->file_count; i++)
        count += read_importers(reader, reader->files[i], &all[count]);
    sort_importers(reader, all, count);
    for (size_t i = 0; i < reader->def->importer_count; i++) {
        size_t more = read_importers(reader, &reader->given[i], one);
        sort_importers(reader, one, more);
        count = bake_importers_merge(all, count, one, more);
    }
    schema->importers = all;
    schema->importer_count = count;
}

bake_importer *bake_importers_read(const bake_importers_def *def, size_t *ret_count)
{
    schema_reader reader;
    const schema_file file = {.path = def->path, .tree = def->tree, .importers = def->node};
    memset(&reader, 0, sizeof reader);
    reader.diagnostics = def->diagnostics;
    reader.store = def->store;
    size_t count = count_importers(&reader, &file);
    bake_importer *importers =
        has_importers(&file) ? bake_store_alloc(def->store, count + 1, sizeof *importers) : NULL;
    *ret_count = importers ? read_importers(&reader, &file, importers) : 0;
    sort_importers(&reader, importers, *ret_count);
    return importers;
}

const bake_importer *bake_schema_importer(const bake_schema *schema, const char *name,
                                          size_t length)
{
    size_t at = bake_find_name(schema->importers, schema->importer_count, sizeof *schema->importers,
                               name, length);
    return at < schema->importer_count ? &schema->importers[at] : NULL;
}

const bake_importer *bake_schema_rule_importer(schema_reader *reader, const schema_file *file,
                                               bake_node_id node)
{
    const bake_schema *schema = reader->schema;
    size_t length, count = schema->importer_count;
    const char *text =
        bake_schema_read_text(reader, file, node, "files", "an importer's name", &length);
    const bake_importer *importer = text ? bake_schema_importer(schema, text, length) : NULL;
    if (!text)
        return NULL;
    if (importer && !importer->outputs_bytes)
        return importer;
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                importer ? "the importer \"%s\" outputs bytes, but a file rule needs yaml"
                         : "unknown importer \"%s\"",
                text);
    const char **names = bake_store_alloc(reader->store, count, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = schema->importers[i].name;
    if (names && !importer && count)
        bake_hint_similar(reader->diagnostics, text, length, names, count);
    else if (!importer)
        bake_hint(
            reader->diagnostics,
            "describe it under `importers` of the schema or of kiln.yaml, or with --importer");
    return NULL;
}

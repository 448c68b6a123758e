/* The `du` command: shows what the bytes of a file are used for. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_finding_text.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_usage_change.h"

#include <inttypes.h>

enum {
    NAME_WIDTH = 34,
    COUNT_WIDTH = 12,
    BAR_WIDTH = 20,
    TOP_DEFAULT = 10,
    LISTS = 4 /* after the parts: types, fields, scenes, assets */
};

/* One of the lists: its name for --by, which is also its heading, its name in JSON, and its columns
 * in text. */
typedef struct list_form {
    const char *by, *key, *columns;
    bool counts_assets, has_total;
} list_form;

static const list_form list_forms[LISTS] = {
    {"type", "types", "      assets       bytes      shared    share", true, false},
    {"field", "fields", "       bytes  with parts      shared    share", false, true},
    {"scene", "scenes", "       bytes      shared    share", false, false},
    {"asset", "assets", "       bytes      shared    share", false, false}};

static insp_usage_list *list_of(insp_usage *usage, int list)
{
    insp_usage_list *lists[LISTS] = {&usage->types, &usage->fields, &usage->scenes, &usage->assets};
    return lists[list];
}

static bool wants_parts(const insp_run *run)
{
    return !run->options.by || strcmp(run->options.by, "part") == 0;
}

static bool wants_list(const insp_run *run, int list)
{
    return !run->options.by || strcmp(run->options.by, list_forms[list].by) == 0;
}

static size_t most_rows(const insp_run *run)
{
    return run->options.has_top   ? (size_t)run->options.top
           : run->options.all     ? SIZE_MAX
           : insp_wants_json(run) ? SIZE_MAX
                                  : TOP_DEFAULT;
}

/* ---- text ---- */

static void put_name(insp_out *out, insp_text name, insp_text field)
{
    insp_put_style(out, INSP_STYLE_ASSET);
    insp_put_escaped(out, name.data, name.length);
    if (field.length) {
        insp_put_char(out, '.');
        insp_put_escaped(out, field.data, field.length);
    }
    insp_put_style(out, INSP_STYLE_PLAIN);
    insp_put_to_column(out, NAME_WIDTH);
}

/* Prints the share of a whole, on a terminal also as a bar. */
static void put_share(insp_out *out, uint64_t bytes, uint64_t whole)
{
    double share = whole ? (double)bytes / (double)whole : 0;
    int i, length = (int)(share * BAR_WIDTH + 0.5);
    insp_putf(out, "  %5.1f %%", share * 100);
    if (out->terminal && length > 0) {
        insp_put(out, "  ");
        for (i = 0; i < length && i < BAR_WIDTH; i++)
            insp_put_char(out, '#');
    }
    insp_put_char(out, '\n');
}

static void put_heading(insp_out *out, const char *heading, const char *columns)
{
    insp_put_styled(out, INSP_STYLE_NAME, heading);
    insp_put_to_column(out, NAME_WIDTH);
    insp_put(out, columns);
    insp_put_char(out, '\n');
}

static void put_part_name(insp_out *out, int part)
{
    const char *name = insp_usage_part_name((insp_usage_part)part);
    for (; *name; name++)
        insp_put_char(out, *name == '_' ? ' ' : *name);
    insp_put_to_column(out, NAME_WIDTH);
}

static void print_parts(insp_run *run, const insp_usage *usage)
{
    insp_out *out = &run->out;
    size_t i;
    int part;
    put_heading(out, "part", "       bytes    share");
    for (part = 0; part < INSP_USAGE_PARTS; part++) {
        if (!usage->parts[part])
            continue;
        put_part_name(out, part);
        insp_put_count(out, usage->parts[part], COUNT_WIDTH);
        put_share(out, usage->parts[part], usage->size);
        for (i = 0; part == INSP_USAGE_INDEX && i < usage->index.count; i++) {
            const insp_usage_row *row = &usage->index.rows[i];
            if (!row->bytes)
                continue;
            insp_put(out, "  ");
            put_name(out, row->name, row->field);
            insp_put_count(out, row->bytes, COUNT_WIDTH);
            put_share(out, row->bytes, usage->size);
        }
    }
    insp_put(out, "total");
    insp_put_to_column(out, NAME_WIDTH);
    insp_put_count(out, usage->size, COUNT_WIDTH);
    insp_put_char(out, '\n');
}

static void print_list(insp_run *run, const insp_usage *usage, const insp_usage_list *list,
                       const list_form *form)
{
    insp_out *out = &run->out;
    /* The bytes of fields are decompressed. */
    uint64_t shown = 0, whole = usage->size;
    size_t i;
    if (form->has_total)
        whole = whole - usage->compressed_stored + usage->compressed_size;
    if (!run->options.by)
        insp_put_char(out, '\n');
    put_heading(out, form->by, form->columns);
    for (i = 0; i < list->count && !out->error; i++) {
        const insp_usage_row *row = &list->rows[i];
        put_name(out, row->name, row->field);
        if (form->counts_assets)
            insp_put_count(out, row->assets, COUNT_WIDTH);
        insp_put_count(out, row->bytes, COUNT_WIDTH);
        if (form->has_total)
            insp_put_count(out, row->total, COUNT_WIDTH);
        insp_put_count(out, row->shared, COUNT_WIDTH);
        put_share(out, form->has_total ? row->total : row->bytes, whole);
        shown += row->bytes;
    }
    if (list->all > list->count) {
        insp_putf(out, "%zu more", list->all - list->count);
        insp_put_to_column(out, form->counts_assets ? NAME_WIDTH + COUNT_WIDTH : NAME_WIDTH);
        insp_put_count(out, list->all_bytes - shown, COUNT_WIDTH);
        insp_put_char(out, '\n');
    }
}

static void put_counted(insp_out *out, uint64_t count, const char *one, const char *more)
{
    insp_put_count(out, count, 0);
    insp_put(out, count == 1 ? one : more);
}

static void print_sharing(insp_out *out, const insp_usage *usage)
{
    if (usage->sharing_assets) {
        put_counted(out, usage->sharing_assets, " asset is", " assets are");
        insp_put(out, " equal to others, which saves ");
        put_counted(out, usage->saved_by_assets, " byte\n", " bytes\n");
    }
    if (usage->sharing_fields) {
        put_counted(out, usage->sharing_fields, " field refers", " fields refer");
        insp_put(out, " to values of other fields, which saves at least ");
        put_counted(out, usage->saved_by_fields, " byte\n", " bytes\n");
    }
}

static void print_compression(insp_out *out, const insp_usage *usage)
{
    uint64_t size = usage->compressed_size, stored = usage->compressed_stored;
    if (!usage->compressed_members)
        return;
    put_counted(out, usage->compressed_members, " member is", " members are");
    insp_put(out, " compressed, which saves ");
    put_counted(out, size > stored ? size - stored : 0, " byte of ", " bytes of ");
    insp_put_count(out, size, 0);
    insp_put(out, "; the bytes of fields are those of decompressed members\n");
}

static void print_text(insp_run *run, insp_usage *usage)
{
    int list;
    if (wants_parts(run))
        print_parts(run, usage);
    for (list = 0; list < LISTS; list++)
        if (wants_list(run, list) && list_of(usage, list)->all)
            print_list(run, usage, list_of(usage, list), &list_forms[list]);
    if (usage->sharing_assets || usage->sharing_fields || usage->compressed_members)
        insp_put_char(&run->out, '\n');
    print_sharing(&run->out, usage);
    print_compression(&run->out, usage);
}

/* ---- JSON ---- */

static void put_json_name(insp_out *out, insp_text name, insp_text field)
{
    insp_put(out, "{\"name\": ");
    insp_put_json_string(out, name.data, name.length);
    if (field.length) {
        insp_put(out, ", \"field\": ");
        insp_put_json_string(out, field.data, field.length);
    }
}

static void print_json_list(insp_out *out, const insp_usage *usage, const insp_usage_list *list,
                            const char *key)
{
    size_t i;
    insp_putf(out, ",\n  \"%s\": [", key);
    for (i = 0; i < list->count && !out->error; i++) {
        const insp_usage_row *row = &list->rows[i];
        insp_put(out, i ? ",\n    " : "\n    ");
        put_json_name(out, row->name, row->field);
        insp_putf(out, ", \"bytes\": %" PRIu64, row->bytes);
        if (list != &usage->index)
            insp_putf(out, ", \"shared\": %" PRIu64, row->shared);
        if (list == &usage->index)
            insp_put_char(out, '}');
        else if (row->field.length)
            insp_putf(out, ", \"total\": %" PRIu64 "}", row->total);
        else
            insp_putf(out, ", \"unpacked\": %" PRIu64 ", \"assets\": %" PRIu32 "}", row->unpacked,
                      row->assets);
    }
    insp_put(out, list->count ? "\n  ]" : "]");
}

static void print_json(insp_run *run, insp_usage *usage)
{
    insp_out *out = &run->out;
    int i;
    insp_putf(out, "{\n  \"format\": 1,\n  \"size\": %" PRIu64, usage->size);
    for (i = 0; wants_parts(run) && i < INSP_USAGE_PARTS; i++)
        insp_putf(out, "%s\"%s\": %" PRIu64, i ? ", " : ",\n  \"parts\": {",
                  insp_usage_part_name((insp_usage_part)i), usage->parts[i]);
    if (wants_parts(run)) {
        insp_put(out, "}");
        print_json_list(out, usage, &usage->index, "index");
    }
    for (i = 0; i < LISTS; i++)
        if (wants_list(run, i))
            print_json_list(out, usage, list_of(usage, i), list_forms[i].key);
    insp_putf(out,
              ",\n  \"sharing\": {\"assets\": %" PRIu64 ", \"saved_by_assets\": %" PRIu64
              ", \"fields\": %" PRIu64 ", \"saved_by_fields\": %" PRIu64 "}",
              usage->sharing_assets, usage->saved_by_assets, usage->sharing_fields,
              usage->saved_by_fields);
    insp_putf(out,
              ",\n  \"compression\": {\"members\": %" PRIu64 ", \"size\": %" PRIu64
              ", \"stored\": %" PRIu64 "}\n}\n",
              usage->compressed_members, usage->compressed_size, usage->compressed_stored);
}

/* ---- comparison ---- */

static void put_change(insp_out *out, uint64_t before, uint64_t after)
{
    uint64_t more = after > before ? after - before : before - after;
    insp_put_count(out, before, COUNT_WIDTH);
    insp_put_count(out, after, COUNT_WIDTH);
    insp_put(out, after > before ? "  +" : after < before ? "  -" : "   ");
    insp_put_count(out, more, 0);
    insp_put_char(out, '\n');
}

static void print_part_changes(insp_run *run, const insp_usage *before, const insp_usage *after)
{
    insp_out *out = &run->out;
    int part;
    put_heading(out, "part", "      before       after  change");
    for (part = 0; part < INSP_USAGE_PARTS; part++) {
        if (before->parts[part] == after->parts[part])
            continue;
        put_part_name(out, part);
        put_change(out, before->parts[part], after->parts[part]);
    }
    insp_put(out, "total");
    insp_put_to_column(out, NAME_WIDTH);
    put_change(out, before->size, after->size);
}

static void print_changes(insp_run *run, const insp_usage_change *changes, size_t count,
                          const char *heading)
{
    insp_out *out = &run->out;
    size_t i, most = most_rows(run);
    if (!run->options.by)
        insp_put_char(out, '\n');
    put_heading(out, heading, "      before       after  change");
    for (i = 0; i < count && i < most && !out->error; i++) {
        put_name(out, changes[i].name, changes[i].field);
        put_change(out, changes[i].before, changes[i].after);
    }
    if (i < count)
        insp_putf(out, "%zu more\n", count - i);
}

static void print_json_changes(insp_run *run, const insp_usage_change *changes, size_t count,
                               const char *key)
{
    insp_out *out = &run->out;
    size_t i, most = most_rows(run);
    insp_putf(out, ",\n  \"%s\": [", key);
    for (i = 0; i < count && i < most && !out->error; i++) {
        insp_put(out, i ? ",\n    " : "\n    ");
        put_json_name(out, changes[i].name, changes[i].field);
        insp_putf(out, ", \"before\": %" PRIu64 ", \"after\": %" PRIu64 "}", changes[i].before,
                  changes[i].after);
    }
    insp_put(out, i ? "\n  ]" : "]");
}

static void print_json_part_changes(insp_run *run, const insp_usage *before,
                                    const insp_usage *after)
{
    int part;
    for (part = 0; part < INSP_USAGE_PARTS; part++)
        insp_putf(&run->out, "%s\"%s\": {\"before\": %" PRIu64 ", \"after\": %" PRIu64 "}",
                  part ? ", " : ",\n  \"parts\": {", insp_usage_part_name((insp_usage_part)part),
                  before->parts[part], after->parts[part]);
    insp_put(&run->out, "}");
}

static int print_comparison(insp_run *run, insp_usage *before, insp_usage *after)
{
    bool is_json = insp_wants_json(run);
    int list;
    if (is_json)
        insp_putf(&run->out,
                  "{\n  \"format\": 1,\n  \"size\": {\"before\": %" PRIu64 ", \"after\": %" PRIu64
                  "}",
                  before->size, after->size);
    if (wants_parts(run))
        (is_json ? print_json_part_changes : print_part_changes)(run, before, after);
    for (list = 0; list < LISTS; list++) {
        insp_usage_change *changes;
        size_t count;
        if (!wants_list(run, list))
            continue;
        if (insp_usage_compare(list_of(before, list), list_of(after, list), &changes, &count) !=
            KILN_OK)
            return insp_no_memory(run);
        if (is_json)
            print_json_changes(run, changes, count, list_forms[list].key);
        else if (count)
            print_changes(run, changes, count, list_forms[list].by);
        insp_free(changes);
    }
    if (is_json)
        insp_put(&run->out, "\n}\n");
    return INSP_OK;
}

/* ---- the command ---- */

/* Measures a file and reports what is wrong with it. */
static int measure(insp_run *run, const insp_file *file, size_t most, insp_usage *ret_usage)
{
    insp_usage_args args = {(const char *const *)run->options.arguments + 1,
                            (uint32_t)run->options.argument_count - 1, most};
    int result = INSP_OK;
    insp_has_index(run, file, &result);
    if (insp_usage_init(ret_usage, file, &args) != KILN_OK) {
        insp_usage_fini(ret_usage);
        return insp_no_memory(run);
    }
    return insp_worse(result, insp_complain_patterns(run, file));
}

static int compare_files(insp_run *run, const insp_file *file)
{
    insp_usage before, *after = run->command_data;
    int result = measure(run, file, SIZE_MAX, &before);
    if (result != INSP_TROUBLE)
        result = insp_worse(result, print_comparison(run, &before, after));
    insp_usage_fini(&before);
    return result;
}

static int show_usage(insp_run *run, const insp_file *file)
{
    const char *other = run->options.compare;
    insp_usage usage;
    int result = measure(run, file, other ? SIZE_MAX : most_rows(run), &usage);
    if (result == INSP_TROUBLE)
        return result;
    run->command_data = &usage;
    if (other)
        result = insp_worse(result, insp_with_file(run, other, compare_files));
    else if (run->options.argument_count == 1 || usage.assets.all)
        (insp_wants_json(run) ? print_json : print_text)(run, &usage);
    run->command_data = NULL;
    insp_usage_fini(&usage);
    return result;
}

/* The entries of the index are read one after another. */
static bool reads_part(const insp_options *options)
{
    (void)options;
    return true;
}

const insp_command insp_du_command = {
    .name = "du",
    .arguments = "FILE [PATTERN...]",
    .help = "show what the bytes of a file are used for",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "text json ",
    .options = "--by --compare --top ",
    .reads_part = reads_part,
    .show = show_usage,
};

/* The `ls` command: lists the assets by name.
 *
 * It prints the contents of the index and checks only the index, so it is fast on large files and
 * works on broken ones. Complete names are looked up, and only their entries are read. */
#include "insp_check.h"
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_finding_text.h"
#include "insp_glob.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_payload.h"
#include "insp_type_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST_NAME = 48, WIDEST_TYPE = 32 };

typedef struct columns {
    size_t name, type;
} columns;

/* The member whose sizes and place are listed: that of the data if the asset is a payload. */
static insp_member listed_member(const insp_file *file, const insp_asset *asset)
{
    const insp_member *payload = insp_payload_member(file, asset);
    const insp_member *member = payload ? payload : insp_asset_member(file, asset);
    return member ? *member : (insp_member){.place = 0};
}

static bool is_compressed(const insp_member *member)
{
    return member->compression == KILN_COMPRESSION_ZSTD ||
           member->compression == KILN_COMPRESSION_FRAMES;
}

static const char *compression_name(const insp_member *member)
{
    return member->compression == KILN_COMPRESSION_FRAMES ? "frames"
           : is_compressed(member)                        ? "zstd"
                                                          : "none";
}

/* The listed assets, sorted by name. */
typedef struct listing {
    const insp_asset **rows;
    uint32_t count;
} listing;

/* Without a pattern, all assets match. */
static bool is_wanted(const insp_run *run, const insp_asset *asset)
{
    int i;
    for (i = 1; i < run->options.argument_count; i++)
        if (insp_glob_asset(run->options.arguments[i], asset->name.data, asset->name.length))
            return true;
    return run->options.argument_count < 2;
}

/* Whether all patterns are complete names, which are looked up without reading the whole index. */
static bool has_names_only(const insp_options *options)
{
    int i;
    for (i = 1; i < options->argument_count; i++)
        if (!strchr(options->arguments[i], '/') || strpbrk(options->arguments[i], "*?"))
            return false;
    return options->argument_count > 1;
}

/* The assets of a listing, with the number by which they are sorted: in descending order, then
 * ascending by type name and name. */
typedef struct sort_row {
    const insp_asset *asset;
    uint64_t number;
    insp_text type;
} sort_row;

static int compare_sorted(const void *a, const void *b)
{
    const sort_row *left = a, *right = b;
    int order;
    if (left->number != right->number)
        return left->number > right->number ? -1 : 1;
    order = insp_text_compare(left->type, right->type);
    return order ? order : insp_text_compare(left->asset->name, right->asset->name);
}

static int compare_rows(const void *a, const void *b)
{
    const insp_asset *left = *(const insp_asset *const *)a, *right = *(const insp_asset *const *)b;
    int order = insp_text_compare(left->name, right->name);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

/* Finds the assets with the names in the arguments, each once. */
static bool look_up(const insp_run *run, const insp_file *file, listing *ret)
{
    uint32_t i, count = 0;
    ret->rows = insp_alloc_array((size_t)run->options.argument_count, sizeof *ret->rows);
    if (!ret->rows)
        return false;
    for (i = 1; i < (uint32_t)run->options.argument_count; i++) {
        const char *name = run->options.arguments[i];
        const insp_asset *asset = insp_file_asset(file, name, strlen(name));
        if (asset)
            ret->rows[count++] = asset;
    }
    if (count)
        qsort(ret->rows, count, sizeof *ret->rows, compare_rows);
    for (i = 0; i < count; i++)
        if (i == 0 || ret->rows[i] != ret->rows[i - 1])
            ret->rows[ret->count++] = ret->rows[i];
    return true;
}

/* Returns false if memory runs out. */
static bool list_rows(const insp_run *run, const insp_file *file, listing *ret)
{
    uint32_t i;
    *ret = (listing){NULL, 0};
    if (!file->by_name)
        return look_up(run, file, ret);
    ret->rows = insp_alloc_array(file->asset_count, sizeof *ret->rows);
    for (i = 0; ret->rows && i < file->asset_count; i++)
        if (is_wanted(run, insp_asset_at(file, i)))
            ret->rows[ret->count++] = insp_asset_at(file, i);
    return ret->rows;
}

/* Finds the assets with the types and sizes in the options. Returns false if memory runs out. */
static bool filter_rows(const insp_run *run, const insp_file *file, const listing *listed,
                        listing *ret)
{
    const insp_options *options = &run->options;
    uint32_t i;
    *ret = (listing){insp_alloc_array(listed->count, sizeof *ret->rows), 0};
    for (i = 0; ret->rows && i < listed->count; i++) {
        const insp_asset *asset = listed->rows[i];
        uint64_t size = listed_member(file, asset).size;
        if (size < options->min_size || size > options->max_size)
            continue;
        if (options->type &&
            !insp_type_name_matches(options->type, insp_asset_type_name(file, asset)))
            continue;
        ret->rows[ret->count++] = asset;
    }
    return ret->rows;
}

/* Sorts the assets, which are sorted by name. Returns false if memory runs out. */
static bool sort_rows(const insp_run *run, const insp_file *file, listing *listed)
{
    const char *sort = run->options.sort;
    sort_row *rows;
    uint32_t i;
    if (!sort || strcmp(sort, "name") == 0 || !listed->count)
        return true;
    rows = insp_alloc_array(listed->count, sizeof *rows);
    if (!rows)
        return false;
    for (i = 0; i < listed->count; i++) {
        insp_member member = listed_member(file, listed->rows[i]);
        rows[i].asset = listed->rows[i];
        if (strcmp(sort, "type") == 0)
            rows[i].type = insp_asset_type_name(file, listed->rows[i]);
        else
            rows[i].number = strcmp(sort, "size") == 0     ? member.size
                             : strcmp(sort, "stored") == 0 ? member.stored_size
                                                           : listed->rows[i]->references;
    }
    qsort(rows, listed->count, sizeof *rows, compare_sorted);
    for (i = 0; i < listed->count; i++)
        listed->rows[i] = rows[i].asset;
    insp_free(rows);
    return true;
}

/* Checks the entries of the listed assets, unless the whole index has been checked. */
static int check_rows(insp_run *run, const insp_file *file, const listing *listed)
{
    insp_check check = {.file = file, .on_finding = insp_complain_finding, .ctx = run};
    uint32_t i;
    for (i = 0; i < listed->count; i++)
        if (insp_check_entries(&check, listed->rows[i]) != KILN_OK)
            return insp_no_memory(run);
    return check.findings ? INSP_BAD : INSP_OK;
}

static size_t wider(size_t width, size_t text, size_t widest)
{
    return text > widest ? widest : text > width ? text : width;
}

/* Column widths depend on all names, but are limited, so that a few very long names do not push the
 * other columns off the screen. */
static columns measure(const insp_file *file, const listing *listed)
{
    columns widths = {4, 4};
    uint32_t i;
    for (i = 0; i < listed->count; i++) {
        const insp_asset *asset = listed->rows[i];
        widths.name = wider(widths.name, asset->name.length, WIDEST_NAME);
        widths.type = wider(widths.type, insp_asset_type_name(file, asset).length, WIDEST_TYPE);
    }
    return widths;
}

/* Prints the compression ratio. */
static void put_ratio(insp_run *run, const insp_member *member)
{
    if (is_compressed(member) && member->stored_size)
        insp_putf(&run->out, "%6.2f", (double)member->size / (double)member->stored_size);
    else
        insp_put(&run->out, "     -");
}

static void print_row(insp_run *run, const insp_file *file, const insp_asset *asset,
                      const columns *widths)
{
    insp_text type = insp_asset_type_name(file, asset);
    insp_member member = listed_member(file, asset);
    size_t type_at = widths->name + 2, size_at = type_at + widths->type + 2;
    insp_put_style(&run->out, INSP_STYLE_ASSET);
    insp_put_escaped(&run->out, asset->name.data, asset->name.length);
    insp_put_style(&run->out, INSP_STYLE_PLAIN);
    insp_put_to_column(&run->out, type_at);
    insp_put_style(&run->out, INSP_STYLE_TYPE);
    insp_put_escaped(&run->out, type.data, type.length);
    insp_put_style(&run->out, INSP_STYLE_PLAIN);
    insp_put_to_column(&run->out, size_at);
    insp_putf(&run->out, "%10" PRIu64 "  %10" PRIu64 "  ", member.size, member.stored_size);
    put_ratio(run, &member);
    insp_putf(&run->out, "  0x%08" PRIx64 "  %4" PRIu32 "\n", member.place, asset->references);
}

/* Prints one line per asset. The heading is printed only on a terminal, so that programs can count
 * or split lines. */
static void print_table(insp_run *run, const insp_file *file, const listing *listed)
{
    columns widths = measure(file, listed);
    uint32_t i;
    for (i = 0; i < listed->count && !run->out.error; i++) {
        if (i == 0 && run->out.terminal) {
            insp_put(&run->out, "name");
            insp_put_to_column(&run->out, widths.name + 2);
            insp_put(&run->out, "type");
            insp_put_to_column(&run->out, widths.name + widths.type + 4);
            insp_put(&run->out, "      size      stored   ratio  place       refs\n");
        }
        print_row(run, file, listed->rows[i], &widths);
        insp_out_set_whole(&run->out, i + 1);
    }
}

static void print_json(insp_run *run, const insp_file *file, const listing *listed)
{
    uint32_t i;
    insp_put(&run->out, "{\n  \"format\": 1,\n  \"assets\": [");
    for (i = 0; i < listed->count && !run->out.error; i++) {
        const insp_asset *asset = listed->rows[i];
        insp_text type = insp_asset_type_name(file, asset);
        insp_member member = listed_member(file, asset);
        insp_put(&run->out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        insp_put_json_string(&run->out, asset->name.data, asset->name.length);
        insp_put(&run->out, ", \"type\": ");
        insp_put_json_string(&run->out, type.data, type.length);
        insp_putf(&run->out,
                  ", \"size\": %" PRIu64 ", \"stored\": %" PRIu64 ", \"compression\": \"%s\"",
                  member.size, member.stored_size, compression_name(&member));
        if (insp_member_is_payload(&member))
            insp_putf(&run->out, ", \"alignment\": %" PRIu32,
                      UINT32_C(1) << (member.align_log2 & 31));
        insp_putf(&run->out, ", \"place\": %" PRIu64 ", \"references\": %" PRIu32, member.place,
                  asset->references);
        insp_putf(&run->out, ", \"member\": %" PRIu32 ", \"id\": \"%016" PRIx64 "\"}",
                  asset->member, asset->id);
        insp_out_set_whole(&run->out, i + 1);
    }
    insp_put(&run->out, listed->count ? "\n  ]\n}\n" : "]\n}\n");
}

static int complain(insp_run *run, const insp_file *file, const listing *listed)
{
    insp_finding finding = {file->index_error, "index", KILN_ASSET_NONE, NULL};
    if (!file->has_header || kiln_header_kind(&file->header) != KILN_BLOB_INDEX) {
        insp_complain(run, file->path, "%s",
                      file->has_header ? "a blob without an index"
                                       : insp_status_text(file, file->header_error.status));
        return INSP_BAD;
    }
    if (file->index_error.status) {
        insp_complain_finding(run, file, &finding);
        return INSP_BAD;
    }
    return insp_worse(check_rows(run, file, listed), insp_complain_patterns(run, file));
}

/* Reports a --type that is no type of the file. */
static int check_type(insp_run *run, const insp_file *file)
{
    uint32_t i;
    if (!run->options.type)
        return INSP_OK;
    for (i = 0; i < file->type_name_count; i++)
        if (insp_type_name_matches(run->options.type, insp_type_name_at(file, i)->name))
            return INSP_OK;
    return insp_no_such_type(run, file, run->options.type);
}

static int list_file(insp_run *run, const insp_file *file)
{
    listing listed, shown = {NULL, 0};
    int result;
    if (!list_rows(run, file, &listed))
        return insp_no_memory(run);
    if (filter_rows(run, file, &listed, &shown) && sort_rows(run, file, &shown)) {
        if (run->options.has_top && shown.count > run->options.top)
            shown.count = (uint32_t)run->options.top;
        insp_out_count(&run->out, "assets", shown.count);
        (insp_wants_json(run) ? print_json : print_table)(run, file, &shown);
        result = insp_worse(complain(run, file, &listed), check_type(run, file));
    } else {
        result = insp_no_memory(run);
    }
    insp_free(shown.rows);
    insp_free(listed.rows);
    return result;
}

const insp_command insp_ls_command = {
    .name = "ls",
    .arguments = "FILE [PATTERN...]",
    .help = "list assets by name; PATTERN can contain * and ?",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "text json ",
    .options = "--max-size --min-size --sort --top --type ",
    .reads_part = has_names_only,
    .show = list_file,
};

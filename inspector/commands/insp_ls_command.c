/* The `ls` command: lists the assets by name.
 *
 * It prints the contents of the index and checks only the index, so it is fast on large files and
 * works on broken ones. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_finding_text.h"
#include "insp_glob.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_payload.h"

#include <inttypes.h>
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

/* Without a pattern, all assets match. */
static bool is_wanted(const insp_run *run, const insp_asset *asset)
{
    int i;
    for (i = 1; i < run->options.argument_count; i++)
        if (insp_glob_asset(run->options.arguments[i], asset->name.data, asset->name.length))
            return true;
    return run->options.argument_count < 2;
}

static uint32_t count_wanted(const insp_run *run, const insp_file *file)
{
    uint32_t i, count = 0;
    for (i = 0; i < file->asset_count; i++)
        count += is_wanted(run, insp_asset_at(file, i));
    return count;
}

static size_t wider(size_t width, size_t text, size_t widest)
{
    return text > widest ? widest : text > width ? text : width;
}

/* Column widths depend on all names, but are limited, so that a few very long names do not push the
 * other columns off the screen. */
static columns measure(const insp_run *run, const insp_file *file)
{
    columns widths = {4, 4};
    uint32_t i;
    for (i = 0; i < file->asset_count; i++) {
        if (!is_wanted(run, insp_asset_at(file, i)))
            continue;
        widths.name = wider(widths.name, insp_asset_at(file, i)->name.length, WIDEST_NAME);
        widths.type = wider(widths.type, insp_asset_type_name(file, insp_asset_at(file, i)).length,
                            WIDEST_TYPE);
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
static void print_table(insp_run *run, const insp_file *file)
{
    columns widths = measure(run, file);
    uint32_t i, shown = 0;
    for (i = 0; i < file->asset_count && !run->out.error; i++) {
        if (!is_wanted(run, insp_asset_at(file, i)))
            continue;
        if (!shown++ && run->out.terminal) {
            insp_put(&run->out, "name");
            insp_put_to_column(&run->out, widths.name + 2);
            insp_put(&run->out, "type");
            insp_put_to_column(&run->out, widths.name + widths.type + 4);
            insp_put(&run->out, "      size      stored   ratio  place       refs\n");
        }
        print_row(run, file, insp_asset_at(file, i), &widths);
        insp_out_set_whole(&run->out, shown);
    }
}

static void print_json(insp_run *run, const insp_file *file)
{
    uint32_t i, shown = 0;
    insp_put(&run->out, "{\n  \"format\": 1,\n  \"assets\": [");
    for (i = 0; i < file->asset_count && !run->out.error; i++) {
        const insp_asset *asset = insp_asset_at(file, i);
        insp_text type = insp_asset_type_name(file, asset);
        insp_member member = listed_member(file, asset);
        if (!is_wanted(run, asset))
            continue;
        insp_put(&run->out, shown++ ? ",\n    {\"name\": " : "\n    {\"name\": ");
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
        insp_out_set_whole(&run->out, shown);
    }
    insp_put(&run->out, shown ? "\n  ]\n}\n" : "]\n}\n");
}

static int list_file(insp_run *run, const insp_file *file)
{
    bool json = insp_wants_json(run);
    insp_finding finding = {file->index ? file->header_error : file->index_error, "index",
                            KILN_ASSET_NONE, NULL};
    insp_out_count(&run->out, "assets", count_wanted(run, file));
    if (json)
        print_json(run, file);
    else
        print_table(run, file);
    if (!file->has_header || kiln_header_kind(&file->header) != KILN_BLOB_INDEX) {
        insp_complain(run, file->path, "%s",
                      file->has_header ? "a blob without an index"
                                       : kiln_status_text(file->header_error.status));
        return INSP_BAD;
    }
    if (!file->index) {
        insp_complain_finding(run, file, &finding);
        return INSP_BAD;
    }
    return insp_complain_patterns(run, file);
}

const insp_command insp_ls_command = {
    .name = "ls",
    .arguments = "FILE [PATTERN...]",
    .help = "list assets by name; PATTERN can contain * and ?",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "text json ",
    .show = list_file,
};

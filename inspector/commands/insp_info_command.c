/* The `info` command: prints a summary of a file in about ten lines.
 *
 * All lines except the last describe the file without checking it. The last line, `integrity`, is
 * the result of the check that the `verify` command runs, and determines the exit code. */
#include "insp_check.h"
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_finding_text.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_number.h"
#include "insp_payload.h"
#include "insp_redirects.h"
#include "insp_unpack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 12, TYPES_SHOWN = 5 };

static void begin_line(insp_run *run, const char *label)
{
    insp_put_styled(&run->out, INSP_STYLE_NAME, label);
    insp_put_to_column(&run->out, LABEL_WIDTH);
}

static void put_count(insp_run *run, uint64_t count, const char *one, const char *more)
{
    char text[INSP_NUMBER_SIZE];
    insp_format_count(text, count);
    insp_putf(&run->out, "%s %s", text, count == 1 ? one : more);
}

static const char *const kind_words[8] = {"asset",   "index",   "type table", "dictionary",
                                          "unknown", "unknown", "unknown",    "unknown"};

static void print_file(insp_run *run, const insp_file *file)
{
    begin_line(run, "file");
    insp_put_escaped(&run->out, file->path, strlen(file->path));
    insp_put(&run->out, ", ");
    put_count(run, file->size, "byte", "bytes");
    insp_put_char(&run->out, '\n');
    begin_line(run, "format");
    if (!file->has_header) {
        insp_put(&run->out, "not a Kiln file\n");
        return;
    }
    insp_putf(&run->out, "%u.%u, ", file->header.major, file->header.minor);
    if (kiln_header_kind(&file->header) == KILN_BLOB_INDEX)
        insp_put(&run->out, "file with an index\n");
    else
        insp_putf(&run->out, "single blob of kind %s, layout %016" PRIx64 "\n",
                  kind_words[kiln_header_kind(&file->header)], file->header.layout);
}

/* The total bytes and assets of one type. */
typedef struct type_sum {
    uint64_t bytes;
    uint32_t assets, members, type_name;
} type_sum;

static int compare_sums(const void *a, const void *b)
{
    const type_sum *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes ? -1 : 1;
    return (left->type_name > right->type_name) - (left->type_name < right->type_name);
}

static bool print_types(insp_run *run, const insp_file *file)
{
    type_sum *sums = insp_alloc_array(file->type_name_count, sizeof *sums);
    uint32_t i, shown = file->type_name_count;
    if (!sums)
        return false;
    if (shown > TYPES_SHOWN && !run->options.all)
        shown = TYPES_SHOWN;
    for (i = 0; i < file->type_name_count; i++)
        sums[i].type_name = i;
    for (i = 0; i < file->asset_count; i++) {
        const insp_asset *asset = insp_asset_at(file, i);
        const insp_member *member = insp_asset_member(file, asset);
        type_sum *sum = insp_type_name_at(file, asset->type_name) ? &sums[asset->type_name] : NULL;
        if (!sum)
            continue;
        sum->assets++;
        /* Shared bytes are counted once, for the first asset. */
        if (member && member->asset == asset->number)
            sum->bytes += member->stored_size;
    }
    qsort(sums, file->type_name_count, sizeof *sums, compare_sums);
    for (i = 0; i < shown; i++) {
        insp_text name = insp_type_name_at(file, sums[i].type_name)->name;
        begin_line(run, i ? "" : "by type");
        insp_put_escaped(&run->out, name.data, name.length);
        insp_put(&run->out, ": ");
        put_count(run, sums[i].assets, "asset", "assets");
        insp_put(&run->out, ", ");
        put_count(run, sums[i].bytes, "byte", "bytes");
        if (i + 1 == shown && shown < file->type_name_count) {
            insp_put(&run->out, "; ");
            put_count(run, file->type_name_count - shown, "more type", "more types");
            insp_put(&run->out, " (--all)");
        }
        insp_put_char(&run->out, '\n');
    }
    insp_free(sums);
    return true;
}

static void print_assets(insp_run *run, const insp_file *file)
{
    char text[INSP_NUMBER_SIZE];
    uint64_t bytes = 0;
    uint32_t i, members = 0, shared = 0;
    for (i = 0; i < file->member_count; i++) {
        if (insp_member_at(file, i)->asset == KILN_ASSET_NONE)
            continue;
        members++;
        bytes += insp_member_at(file, i)->stored_size;
    }
    for (i = 0; i < file->asset_count; i++) {
        const insp_member *member = insp_asset_member(file, insp_asset_at(file, i));
        shared += member && insp_numbered_asset(file, member->asset) != insp_asset_at(file, i);
    }
    begin_line(run, "assets");
    put_count(run, file->asset_count, "asset", "assets");
    insp_put(&run->out, " of ");
    put_count(run, file->type_name_count, "type", "types");
    insp_put(&run->out, " in ");
    insp_format_count(text, members);
    insp_putf(&run->out, "%s of ", text);
    put_count(run, file->member_count, "member", "members");
    insp_put(&run->out, ", ");
    put_count(run, bytes, "byte", "bytes");
    insp_format_count(text, shared);
    if (shared)
        insp_putf(&run->out,
                  shared == 1 ? " (%s shares its bytes with another asset)"
                              : " (%s share their bytes with other assets)",
                  text);
    insp_put_char(&run->out, '\n');
}

/* The number of types that the `type` command lists. The table also contains unnamed types,
 * such as lists and maps. */
static uint32_t count_named(const kiln_types *types)
{
    uint32_t i, named = 0;
    for (i = 0; i < kiln_types_count(types); i++)
        named += kiln_kind_is_named(kiln_types_get(types, i)->kind);
    return named;
}

static void print_rest(insp_run *run, const insp_file *file)
{
    uint64_t index_size = kiln_header_blob_size(&file->header), used = index_size;
    const insp_member *table = insp_member_at(file, file->table_member);
    uint32_t i;
    begin_line(run, "index");
    put_count(run, index_size, "byte", "bytes");
    insp_put_char(&run->out, '\n');
    begin_line(run, "types");
    if (file->table_member == KILN_ASSET_NONE)
        insp_put(&run->out, "no type table, so values cannot be shown\n");
    else if (!file->types || !table)
        insp_putf(&run->out, "type table, broken (%s)\n", insp_rule(file->types_error.status));
    else {
        put_count(run, count_named(file->types), "named type", "named types");
        insp_put(&run->out, " described, ");
        put_count(run, table->stored_size, "byte", "bytes");
        insp_put_char(&run->out, '\n');
    }
    for (i = 0; i < file->member_count; i++)
        used += insp_member_at(file, i)->stored_size;
    /* In a broken file, members can overlap. */
    if (used <= file->size) {
        begin_line(run, "gaps");
        put_count(run, file->size - used, "byte", "bytes");
        insp_put_char(&run->out, '\n');
    }
    begin_line(run, "references");
    insp_put_count(&run->out, file->edge_count, 0);
    insp_put(&run->out, "; ");
    put_count(run, file->import_count, "import", "imports");
    insp_put(&run->out, " from other files\n");
}

/* Prints nothing for a file without redirects. */
static void print_redirects(insp_run *run, const insp_file *file)
{
    uint32_t i, deleted = 0, count = file->redirects ? file->redirects->entries.count : 0;
    for (i = 0; i < count; i++)
        deleted += kiln_redirects_at(file->redirects, i)->target.length == 0;
    if (!count)
        return;
    begin_line(run, "redirects");
    put_count(run, count - deleted, "renamed id", "renamed ids");
    insp_put(&run->out, ", ");
    put_count(run, deleted, "deleted id", "deleted ids");
    insp_put_char(&run->out, '\n');
}

/* Dictionaries and payloads contain no values, so they cannot be canonical and are not counted. The
 * flag is in the blob header, so compressed members are decompressed to read it. */
static void print_canonical(insp_run *run, const insp_file *file)
{
    char some[INSP_NUMBER_SIZE], all[INSP_NUMBER_SIZE];
    uint32_t i, flagged = 0, values = file->member_count;
    for (i = 0; i < file->member_count; i++) {
        const unsigned char *blob;
        uint64_t size, at, payload;
        kiln_blob_header header;
        if (insp_member_is_payload(insp_member_at(file, i))) {
            values--;
            continue;
        }
        if (insp_file_blob(file, i, &blob, &size) != KILN_OK ||
            !insp_blob_payload(blob, size, &header, &at, &payload))
            continue;
        flagged += (header.flags & KILN_FLAG_CANONICAL) != 0;
        values -= kiln_header_kind(&header) == KILN_BLOB_DICTIONARY;
    }
    insp_format_count(some, flagged);
    insp_format_count(all, values);
    begin_line(run, "canonical");
    if (flagged == values)
        insp_put(&run->out, "yes\n");
    else
        insp_putf(&run->out, "%s of %s members\n", some, all);
}

/* Prints nothing for a file without compressed members. */
static void print_compressed(insp_run *run, const insp_file *file)
{
    uint64_t size = 0, stored = 0;
    uint32_t i, count = 0;
    for (i = 0; i < file->member_count; i++) {
        const insp_member *member = insp_member_at(file, i);
        if (member->compression == KILN_COMPRESSION_NONE || insp_member_is_payload(member))
            continue;
        count++;
        size += member->size;
        stored += member->stored_size;
    }
    if (!count)
        return;
    begin_line(run, "compressed");
    put_count(run, count, "member", "members");
    insp_put(&run->out, ", ");
    put_count(run, size, "byte", "bytes");
    insp_put(&run->out, " stored as ");
    put_count(run, stored, "byte", "bytes");
    if (file->dictionary_count) {
        insp_put(&run->out, ", ");
        put_count(run, file->dictionary_count, "dictionary", "dictionaries");
    }
    insp_put_char(&run->out, '\n');
}

/* Prints nothing for a file without payloads. */
static void print_payloads(insp_run *run, const insp_file *file)
{
    uint64_t size = 0, stored = 0;
    uint32_t i, count = 0;
    for (i = 0; i < file->member_count; i++) {
        if (!insp_member_is_payload(insp_member_at(file, i)))
            continue;
        count++;
        size += insp_member_at(file, i)->size;
        stored += insp_member_at(file, i)->stored_size;
    }
    if (!count)
        return;
    begin_line(run, "payloads");
    put_count(run, count, "member", "members");
    insp_put(&run->out, ", ");
    put_count(run, size, "byte", "bytes");
    if (stored != size) {
        insp_put(&run->out, " stored as ");
        put_count(run, stored, "byte", "bytes");
    }
    insp_put_char(&run->out, '\n');
}

/* The first finding of a check. */
typedef struct first_finding {
    insp_finding finding;
    bool found;
} first_finding;

static void keep_first(void *ctx, const insp_file *file, const insp_finding *finding)
{
    first_finding *first = ctx;
    (void)file;
    if (!first->found)
        first->finding = *finding;
    first->found = true;
}

static int print_integrity(insp_run *run, const insp_file *file)
{
    first_finding first = {.found = false};
    insp_check check = {.file = file, .on_finding = keep_first, .ctx = &first};
    if (insp_check_file(&check) != KILN_OK)
        return insp_no_memory(run);
    begin_line(run, "integrity");
    if (first.found) {
        insp_put_style(&run->out, INSP_STYLE_BROKEN);
        insp_put(&run->out, "broken: ");
        insp_put_finding(&run->out, file, &first.finding);
        insp_put_style(&run->out, INSP_STYLE_PLAIN);
        if (check.findings > 1)
            insp_putf(&run->out, "; %" PRIu32 " more (verify lists them)", check.findings - 1);
    } else {
        insp_put(&run->out, check.untyped
                                ? "ok, values not checked: their types are not in the file"
                            : check.unchecked_scenes ? "ok, but not all scene rows were checked"
                                                     : "ok");
    }
    insp_put_char(&run->out, '\n');
    return first.found ? INSP_BAD : INSP_OK;
}

static int show_info(insp_run *run, const insp_file *file)
{
    print_file(run, file);
    if (file->has_header && kiln_header_kind(&file->header) == KILN_BLOB_INDEX) {
        print_assets(run, file);
        if (!print_types(run, file))
            return insp_no_memory(run);
        print_rest(run, file);
        print_redirects(run, file);
        print_compressed(run, file);
        print_payloads(run, file);
        print_canonical(run, file);
    }
    return print_integrity(run, file);
}

const insp_command insp_info_command = {
    .name = "info",
    .arguments = "FILE",
    .help = "print a summary (the default command)",
    .min_arguments = 1,
    .max_arguments = 1,
    .show = show_info,
};

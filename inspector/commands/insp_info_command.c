/* The `info` command: prints a summary of a file in about ten lines.
 *
 * It reads the index only, because a file can have millions of members. The last line, `integrity`,
 * states what has been checked, and determines the exit code: the structure of the index, its hash,
 * the order of its ids and the numbers of its entries. The `verify` command checks the rest. */
#include "insp_check.h"
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_finding_text.h"
#include "insp_info.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_number.h"
#include "insp_payload.h"
#include "insp_redirects.h"

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

static void add_member(insp_member_sum *sum, const insp_member *member)
{
    sum->count++;
    sum->size += member->size;
    sum->stored += member->stored_size;
}

/* Adds the members in the order of the index. `types` has the number of a type for each member with
 * an asset, plus 1. */
static void add_members(const insp_file *file, const uint32_t *types, insp_info *ret)
{
    uint32_t i;
    for (i = 0; i < file->member_count; i++) {
        insp_member member = insp_peek_member(file, i);
        add_member(&ret->all, &member);
        if (insp_member_is_payload(&member))
            add_member(&ret->payloads, &member);
        else if (member.compression != KILN_COMPRESSION_NONE)
            add_member(&ret->compressed, &member);
        if (!types[i])
            continue;
        add_member(&ret->used, &member);
        if (insp_type_name_at(file, types[i] - 1))
            ret->types[types[i] - 1].bytes += member.stored_size;
    }
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

static int compare_types(const void *a, const void *b)
{
    const insp_type_sum *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes ? -1 : 1;
    return (left->type_name > right->type_name) - (left->type_name < right->type_name);
}

/* Shared bytes are counted once, for the type of the first asset. Assets are in the order of their
 * ids, and each would read a member from another page. So this first notes the types in a small
 * table. Returns false if memory runs out. The caller releases `types` of `ret`. */
static bool add_all(const insp_file *file, insp_info *ret)
{
    uint32_t *types = insp_alloc_array(file->member_count, sizeof *types), i;
    *ret = (insp_info){.types = insp_alloc_array(file->type_name_count, sizeof *ret->types)};
    for (i = 0; types && ret->types && i < file->asset_count; i++) {
        insp_entry entry = insp_entry_at(file, i);
        if (insp_type_name_at(file, entry.type_name))
            ret->types[entry.type_name].assets++;
        if (entry.member >= file->member_count)
            continue;
        ret->shared += types[entry.member] != 0;
        if (!types[entry.member])
            types[entry.member] = entry.type_name < UINT32_MAX ? entry.type_name + 1 : UINT32_MAX;
    }
    if (types && ret->types)
        add_members(file, types, ret);
    for (i = 0; ret->types && i < file->type_name_count; i++)
        ret->types[i].type_name = i;
    if (ret->types)
        qsort(ret->types, file->type_name_count, sizeof *ret->types, compare_types);
    if (!types) {
        insp_free(ret->types);
        ret->types = NULL;
    }
    insp_free(types);
    return ret->types;
}

static void print_types(insp_run *run, const insp_file *file, const insp_type_sum *types)
{
    uint32_t i, shown = file->type_name_count;
    if (shown > TYPES_SHOWN && !run->options.all)
        shown = TYPES_SHOWN;
    for (i = 0; i < shown; i++) {
        insp_text name = insp_type_name_at(file, types[i].type_name)->name;
        begin_line(run, i ? "" : "by type");
        insp_put_escaped(&run->out, name.data, name.length);
        insp_put(&run->out, ": ");
        put_count(run, types[i].assets, "asset", "assets");
        insp_put(&run->out, ", ");
        put_count(run, types[i].bytes, "byte", "bytes");
        if (i + 1 == shown && shown < file->type_name_count) {
            insp_put(&run->out, "; ");
            put_count(run, file->type_name_count - shown, "more type", "more types");
            insp_put(&run->out, " (--all)");
        }
        insp_put_char(&run->out, '\n');
    }
}

static void print_assets(insp_run *run, const insp_file *file, const insp_info *all)
{
    char text[INSP_NUMBER_SIZE];
    begin_line(run, "assets");
    put_count(run, file->asset_count, "asset", "assets");
    insp_put(&run->out, " of ");
    put_count(run, file->type_name_count, "type", "types");
    insp_put(&run->out, " in ");
    insp_format_count(text, all->used.count);
    insp_putf(&run->out, "%s of ", text);
    put_count(run, file->member_count, "member", "members");
    insp_put(&run->out, ", ");
    put_count(run, all->used.stored, "byte", "bytes");
    insp_format_count(text, all->shared);
    if (all->shared)
        insp_putf(&run->out,
                  all->shared == 1 ? " (%s shares its bytes with another asset)"
                                   : " (%s share their bytes with other assets)",
                  text);
    insp_put_char(&run->out, '\n');
}

static void print_rest(insp_run *run, const insp_file *file, const insp_info *all)
{
    uint64_t index_size = kiln_header_blob_size(&file->header), used = index_size + all->all.stored;
    const insp_member *table = insp_member_at(file, file->table_member);
    begin_line(run, "index");
    put_count(run, index_size, "byte", "bytes");
    insp_put_char(&run->out, '\n');
    begin_line(run, "types");
    if (file->table_member == KILN_ASSET_NONE)
        insp_put(&run->out, "no type table, so values cannot be shown\n");
    else if (!file->types || !table)
        insp_putf(&run->out, "type table, broken (%s)\n", insp_rule(file->types_error.status));
    else {
        put_count(run, all->named, "named type", "named types");
        insp_put(&run->out, " described, ");
        put_count(run, table->stored_size, "byte", "bytes");
        insp_put_char(&run->out, '\n');
    }
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

/* Prints nothing for a file without compressed members. */
static void print_compressed(insp_run *run, const insp_file *file,
                             const insp_member_sum *compressed)
{
    if (!compressed->count)
        return;
    begin_line(run, "compressed");
    put_count(run, compressed->count, "member", "members");
    insp_put(&run->out, ", ");
    put_count(run, compressed->size, "byte", "bytes");
    insp_put(&run->out, " stored as ");
    put_count(run, compressed->stored, "byte", "bytes");
    if (file->dictionary_count) {
        insp_put(&run->out, ", ");
        put_count(run, file->dictionary_count, "dictionary", "dictionaries");
    }
    insp_put_char(&run->out, '\n');
}

/* Prints nothing for a file without payloads. */
static void print_payloads(insp_run *run, const insp_member_sum *payloads)
{
    if (!payloads->count)
        return;
    begin_line(run, "payloads");
    put_count(run, payloads->count, "member", "members");
    insp_put(&run->out, ", ");
    put_count(run, payloads->size, "byte", "bytes");
    if (payloads->stored != payloads->size) {
        insp_put(&run->out, " stored as ");
        put_count(run, payloads->stored, "byte", "bytes");
    }
    insp_put_char(&run->out, '\n');
}

/* The first finding of a check. */
static void keep_first(void *ctx, const insp_file *file, const insp_finding *finding)
{
    insp_finding *first = ctx;
    (void)file;
    if (!first->part)
        *first = *finding;
}

/* A file that is a single blob is checked completely. */
static kiln_status check_blob(const insp_file *file, insp_info *info)
{
    insp_check check = {.file = file, .on_finding = keep_first, .ctx = &info->finding};
    kiln_status status = insp_check_file(&check);
    info->is_untyped = check.untyped > 0;
    return status;
}

static void check_index(const insp_file *file, insp_info *info)
{
    insp_finding finding = {.part = "index", .member = KILN_ASSET_NONE, .error = file->index_error};
    kiln_status status = finding.error.status;
    if (!status)
        status = kiln_header_check_hash(file->data, &file->header, &finding.error);
    if (!status)
        status = kiln_index_check_entries(&file->frame, &finding.error);
    if (!status && file->types_error.status) {
        finding = (insp_finding){.part = "type table", .member = file->table_member};
        finding.error = file->types_error;
        status = finding.error.status;
    }
    finding.error.status = status;
    if (status)
        info->finding = finding;
}

static void print_integrity(insp_run *run, const insp_file *file, const insp_info *info)
{
    begin_line(run, "integrity");
    if (info->finding.part) {
        insp_put_style(&run->out, INSP_STYLE_BROKEN);
        insp_put(&run->out, "broken: ");
        insp_put_finding(&run->out, file, &info->finding);
        insp_put_style(&run->out, INSP_STYLE_PLAIN);
        insp_put(&run->out, "; verify finds all errors\n");
    } else if (info->has_index) {
        insp_put(&run->out, "index ok, members not checked (verify checks all bytes)\n");
    } else {
        insp_putf(&run->out, "ok%s\n",
                  info->is_untyped ? ", values not checked: their types are not in the file" : "");
    }
}

static void print_text(insp_run *run, const insp_file *file, const insp_info *info)
{
    print_file(run, file);
    if (info->has_index) {
        print_assets(run, file, info);
        print_types(run, file, info->types);
        print_rest(run, file, info);
        print_redirects(run, file);
        print_compressed(run, file, &info->compressed);
        print_payloads(run, &info->payloads);
    }
    print_integrity(run, file, info);
}

static int show_info(insp_run *run, const insp_file *file)
{
    insp_info info = {.types = NULL};
    bool has_index = file->has_header && kiln_header_kind(&file->header) == KILN_BLOB_INDEX;
    kiln_status status = KILN_OK;
    if (!has_index) {
        status = check_blob(file, &info);
    } else if (add_all(file, &info)) {
        info.has_index = true;
        info.named = file->types ? count_named(file->types) : 0;
        check_index(file, &info);
    } else {
        status = KILN_NO_MEMORY;
    }
    if (!status)
        (insp_wants_json(run) ? insp_info_put_json : print_text)(run, file, &info);
    insp_free(info.types);
    return status ? insp_no_memory(run) : info.finding.part ? INSP_BAD : INSP_OK;
}

static bool reads_part(const insp_options *options)
{
    (void)options;
    return true;
}

const insp_command insp_info_command = {
    .name = "info",
    .arguments = "FILE",
    .help = "print a summary (the default command)",
    .min_arguments = 1,
    .max_arguments = 1,
    .formats = "text json ",
    .reads_part = reads_part,
    .show = show_info,
};

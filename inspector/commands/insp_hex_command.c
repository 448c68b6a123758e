/* The `hex` command: prints every byte of a file once, in rows of up to 16, with its meaning.
 *
 * Objects are printed in the order of their offsets. The bytes between two objects are printed as
 * padding or a gap. If an object overlaps the one before it, only its bytes that have not been
 * printed yet are printed. The output thus contains every selected byte exactly once. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_finding_text.h"
#include "insp_hex_value.h"
#include "insp_hex_zstd.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_payload.h"
#include "insp_scalar.h"
#include "insp_select.h"
#include "insp_unpack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LENGTH = 256 };

static void put_text(insp_hex_view *v, const insp_object *object)
{
    uint64_t at = object->at, end = object->at + object->size;
    /* The last byte of a string is its NUL, which is not shown in the quotes. */
    for (; at < end && !v->run->out.error; at += INSP_HEX_ROW) {
        uint64_t row_end = end - at > INSP_HEX_ROW ? at + INSP_HEX_ROW : end;
        if (!insp_hex_begin_row(v, at, row_end))
            continue;
        insp_put_style(v->out, INSP_STYLE_TEXT);
        insp_put_quoted(v->out, (const char *)v->data + at,
                        (size_t)(row_end == end ? row_end - at - 1 : row_end - at));
        insp_put_style(v->out, INSP_STYLE_PLAIN);
        insp_put(v->out, row_end < end ? "" : v->data[end - 1] ? " and no NUL (V5)" : " NUL");
        insp_hex_end_row(v);
    }
}

static void put_flags_word(insp_hex_view *v, const kiln_blob_header *header)
{
    static const char *const kinds[8] = {"asset", "index", "type table", "dictionary",
                                         "?",     "?",     "?",          "?"};
    insp_putf(v->out, "flags: aligned to %" PRIu32 ", %s, kind %s", kiln_header_align(header),
              header->flags & KILN_FLAG_CANONICAL ? "canonical" : "not canonical",
              kinds[kiln_header_kind(header)]);
}

static void put_header(insp_hex_view *v, const insp_object *object)
{
    const kiln_blob_header *header = &v->map->blobs[object->blob].header;
    static const uint64_t ends[] = {4, 5, 6, 8, 16, 24, 32}; /* field ends (FORMAT.md, header) */
    uint64_t from = 0;
    size_t i;
    for (i = 0; i < sizeof ends / sizeof ends[0]; from = ends[i++]) {
        if (!insp_hex_begin_row(v, object->at + from, object->at + ends[i]))
            continue;
        switch (i) {
        case 0:
            insp_put(v->out, "magic: KILN");
            break;
        case 1:
            insp_putf(v->out, "major version: %u", header->major);
            break;
        case 2:
            insp_putf(v->out, "minor version: %u", header->minor);
            break;
        case 3:
            put_flags_word(v, header);
            break;
        case 4:
            insp_putf(v->out, "payload size: %" PRIu64, header->payload_size);
            break;
        case 5:
            insp_putf(v->out, "layout: %016" PRIx64, header->layout);
            break;
        default:
            insp_putf(v->out, "hash: %016" PRIx64, header->hash);
        }
        insp_hex_end_row(v);
    }
}

/* Prints `member 3, Item/sword`. */
static void put_blob_name(insp_hex_view *v, const insp_blob *blob)
{
    const insp_file *file = v->map->file;
    const insp_member *member = insp_member_at(file, blob->member);
    const insp_asset *asset = insp_member_asset(file, blob->member);
    insp_put(v->out, blob->part);
    if (blob->member != INSP_MAP_NONE)
        insp_putf(v->out, " %" PRIu32, blob->member);
    if (asset) {
        insp_put(v->out, ", ");
        insp_put_escaped(v->out, asset->name.data, asset->name.length);
        if (member->assets > 1)
            insp_putf(v->out, " and %" PRIu32 " more asset%s", member->assets - 1,
                      member->assets == 2 ? "" : "s");
    }
}

static uint8_t compression_of(const insp_hex_view *v, const insp_object *object)
{
    const insp_blob *blob = &v->map->blobs[object->blob];
    const insp_member *member = blob->opaque ? insp_member_at(v->map->file, blob->member) : NULL;
    return member ? member->compression : KILN_COMPRESSION_NONE;
}

static const char *stored_word(const insp_hex_view *v, const insp_object *object)
{
    switch (compression_of(v, object)) {
    case KILN_COMPRESSION_ZSTD:
        return "zstd frame";
    case KILN_COMPRESSION_FRAMES:
        return "zstd frames of a payload";
    case KILN_COMPRESSION_PAYLOAD:
        return "data of a payload";
    default:
        return "bytes of unknown type";
    }
}

static void put_object_type(insp_hex_view *v, const insp_object *object)
{
    const insp_blob *blob = &v->map->blobs[object->blob];
    switch (object->kind) {
    case INSP_OBJECT_TEXT:
        insp_put(v->out, "text");
        break;
    case INSP_OBJECT_BYTES:
        insp_put(v->out, "bytes");
        break;
    case INSP_OBJECT_ENTRIES:
        insp_putf(v->out, "%" PRIu32 " x entry of ", object->count);
        insp_put_type(v->out, blob->types, object->type);
        break;
    case INSP_OBJECT_VALUES:
        if (object->is_list)
            insp_putf(v->out, "%" PRIu32 " x ", object->count);
        insp_put_type(v->out, blob->types, object->type);
        break;
    default:
        insp_put(v->out, stored_word(v, object));
    }
}

static const char *kind_word(const insp_hex_view *v, const insp_object *object)
{
    switch (object->kind) {
    case INSP_OBJECT_HEADER:
        return "header";
    case INSP_OBJECT_VALUES:
        return "values";
    case INSP_OBJECT_ENTRIES:
        return "entries";
    case INSP_OBJECT_TEXT:
        return "text";
    case INSP_OBJECT_BYTES:
        return "bytes";
    default:
        return compression_of(v, object) == KILN_COMPRESSION_NONE      ? "unknown"
               : compression_of(v, object) == KILN_COMPRESSION_PAYLOAD ? "payload"
                                                                       : "frames";
    }
}

/* Writes `, "key": "text"`, or null for an empty text. */
static void put_member(insp_out *out, const char *key, const char *text, size_t length)
{
    insp_putf(out, ", \"%s\": ", key);
    if (length)
        insp_put_json_string(out, text, length);
    else
        insp_put(out, "null");
}

static void begin_json(insp_hex_view *v, const insp_object *object)
{
    const insp_blob *blob = &v->map->blobs[object->blob];
    const insp_asset *asset = insp_member_asset(v->map->file, blob->member);
    insp_out *out = &v->run->out;
    kiln_path path = {{0}, 0};
    insp_hex_begin_object(v, kind_word(v, object), object->at, object->size);
    insp_putf(out, ", \"part\": \"%s\", \"member\": ", blob->part);
    if (blob->member != INSP_MAP_NONE)
        insp_putf(out, "%" PRIu32, blob->member);
    else
        insp_put(out, "null");
    put_member(out, "asset", asset ? asset->name.data : "", asset ? asset->name.length : 0);
    if (object->kind != INSP_OBJECT_HEADER)
        insp_map_path(v->map, object, &path);
    put_member(out, "path", path.text, path.length);
    insp_out_restart(v->out);
    if (object->kind == INSP_OBJECT_VALUES || object->kind == INSP_OBJECT_ENTRIES)
        insp_put_type(v->out, blob->types, object->type);
    put_member(out, "type", v->out->buffer, v->out->used);
    insp_putf(out, ", \"count\": %" PRIu32 ", \"references\": %" PRIu32 ", \"is_key\": %s",
              object->count, object->references,
              insp_map_in_key(v->map, object) ? "true" : "false");
    insp_putf(out, ", \"overlaps\": %s", object->at < v->cursor ? "true" : "false");
    insp_hex_begin_rows(v);
}

/* Prints the line above an object: its path and type. */
static void put_heading(insp_hex_view *v, const insp_object *object)
{
    kiln_path path = {{0}, 0};
    if (v->is_json) {
        begin_json(v, object);
        return;
    }
    insp_put_style(v->out, INSP_STYLE_ASSET);
    if (object->kind == INSP_OBJECT_HEADER) {
        insp_put(v->out, "\n== ");
        put_blob_name(v, &v->map->blobs[object->blob]);
        insp_put(v->out, ": header");
    } else if (v->map->blobs[object->blob].opaque) {
        insp_put(v->out, "\n== ");
        put_blob_name(v, &v->map->blobs[object->blob]);
        insp_putf(v->out, ": %s, %" PRIu64 " byte%s", stored_word(v, object), object->size,
                  object->size == 1 ? "" : "s");
    } else {
        insp_put(v->out, "-- ");
        insp_map_path(v->map, object, &path);
        if (!path.length)
            insp_put(v->out, "root");
        else
            insp_put_escaped(v->out, path.text, path.length);
        insp_put(v->out, insp_map_in_key(v->map, object) ? " (key): " : ": ");
        put_object_type(v, object);
        insp_putf(v->out, ", %" PRIu64 " byte%s", object->size, object->size == 1 ? "" : "s");
        if (object->references > 1)
            insp_putf(v->out, ", referenced by %" PRIu32 " fields", object->references);
    }
    insp_put_style(v->out, INSP_STYLE_PLAIN);
    insp_put_char(v->out, '\n');
}

/* The word for the bytes before an object: padding only between objects in the same payload. */
static const char *between_word(const insp_hex_view *v, const insp_object *object)
{
    if (object->kind == INSP_OBJECT_HEADER)
        return "gap between members";
    return object->parent == INSP_MAP_NONE                      ? "gap"
           : v->cursor < v->map->blobs[object->blob].payload_at ? "gap"
                                                                : "padding";
}

static void put_object(insp_hex_view *v, const insp_object *object)
{
    uint64_t end = object->at + object->size;
    insp_hex_end_object(v);
    insp_hex_put_gap(v, object->at, between_word(v, object));
    insp_hex_end_object(v);
    if (!insp_hex_is_selected(v, object->at, end)) {
        v->cursor = end > v->cursor ? end : v->cursor;
        return;
    }
    put_heading(v, object);
    if (object->at < v->cursor) {
        if (!v->is_json)
            insp_put_styled(v->out, INSP_STYLE_BROKEN, "   overlaps the object before it (V17)\n");
        insp_hex_put_rows(v, v->cursor, end > v->cursor ? end : v->cursor, "", true);
        return;
    }
    switch (object->kind) {
    case INSP_OBJECT_HEADER:
        put_header(v, object);
        break;
    case INSP_OBJECT_TEXT:
        put_text(v, object);
        break;
    case INSP_OBJECT_VALUES:
    case INSP_OBJECT_ENTRIES:
        insp_hex_put_values(v, object);
        break;
    default:
        if (compression_of(v, object) == KILN_COMPRESSION_ZSTD ||
            compression_of(v, object) == KILN_COMPRESSION_FRAMES)
            insp_hex_put_frames(v, object->at, end);
        else
            insp_hex_put_rows(v, object->at, end, "", true);
    }
    v->cursor = end;
}

static bool read_number(const char **text, uint64_t *ret_number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *ret_number = strtoull(*text, &end, 0);
    *text = end;
    return true;
}

/* Selects the bytes of `@AT` or `@AT+LENGTH` (decimal or 0x hex) of `size` bytes. */
static int select_range(insp_hex_view *v, const char *text, uint64_t size)
{
    uint64_t length = DEFAULT_LENGTH;
    const char *at = text + 1;
    bool good = *text == '@' && read_number(&at, &v->from);
    if (good && *at == '+') {
        at++;
        good = read_number(&at, &length);
    }
    if (!good || *at) {
        insp_complain(v->run, NULL, "'%s' is not @AT or @AT+LENGTH", text);
        return INSP_TROUBLE;
    }
    if (v->from >= size) {
        insp_complain(v->run, v->map->file->path, "%s is beyond the end of the %s", text,
                      v->run->options.decompress ? "blob" : "file");
        return INSP_BAD;
    }
    v->to = length < size - v->from ? v->from + length : size;
    return INSP_OK;
}

/* Selects the bytes of a range or of an asset. */
static int select_bytes(insp_hex_view *v, const char *text)
{
    const insp_file *file = v->map->file;
    const insp_asset *asset;
    const unsigned char *blob;
    uint64_t length;
    int result;
    if (*text == '@')
        return select_range(v, text, file->size);
    asset = insp_select_one(v->run, file, text, NULL, &result);
    if (!asset)
        return result;
    if (!insp_file_member(file, asset->member, &blob, &length)) {
        insp_complain(v->run, file->path, "the bytes of %s are not in the file", text);
        return INSP_BAD;
    }
    v->from = (uint64_t)(blob - file->data);
    v->to = length < file->size - v->from ? v->from + length : file->size;
    return INSP_OK;
}

static void put_document(insp_hex_view *v, uint64_t size)
{
    insp_out *out = &v->run->out;
    insp_put(out, "{\n  \"format\": 1,\n  \"file\": ");
    insp_put_json_string(out, v->map->file->path, strlen(v->map->file->path));
    insp_putf(out, ",\n  \"decompressed\": %s,\n  \"size\": %" PRIu64,
              v->run->options.decompress ? "true" : "false", size);
    insp_putf(out, ",\n  \"from\": %" PRIu64 ",\n  \"to\": %" PRIu64 ",\n  \"objects\": [", v->from,
              v->to);
}

/* Visits all objects of `size` bytes even if few are selected, because the cursor must pass all
 * bytes before the selection. */
static void put_objects(insp_hex_view *v, uint64_t size)
{
    const insp_map *map = v->map;
    insp_out *out = &v->run->out;
    size_t i;
    if (v->is_json)
        put_document(v, size);
    insp_out_count(out, "bytes", v->to - v->from);
    for (i = 0; i < map->object_count && !out->error; i++) {
        put_object(v, &map->objects[map->order[i].number]);
        if (v->cursor > v->from)
            insp_out_set_whole(out, (v->cursor < v->to ? v->cursor : v->to) - v->from);
    }
    insp_hex_end_object(v);
    insp_hex_put_gap(v, size, "padding");
    insp_hex_end_object(v);
    if (v->is_json)
        insp_put(out, v->objects ? "\n  ]\n}\n" : "]\n}\n");
}

static int complain_overlap(insp_run *run, const insp_map *map)
{
    if (!map->overlapping)
        return INSP_OK;
    /* The map lacks some objects if objects overlap. The bytes of those objects may be shown as
     * unreachable, which is wrong, so report the overlap. */
    insp_complain(run, map->file->path,
                  "objects overlap (V17); not all of them are shown with their meaning");
    return INSP_BAD;
}

/* Prints `size` bytes: those that `range` selects, or all if it is NULL. */
static int print_map(insp_run *run, const insp_map *map, uint64_t size, const char *range)
{
    insp_hex_view v = {.run = run, .out = &run->out, .map = map, .data = map->data, .to = size};
    insp_out *text = NULL;
    int result = INSP_OK;
    if (range)
        result = run->options.decompress ? select_range(&v, range, size) : select_bytes(&v, range);
    if (result)
        return result;
    if (insp_wants_json(run)) {
        text = insp_alloc(sizeof *text, _Alignof(insp_out));
        if (!text)
            return insp_no_memory(run);
        insp_out_init_text(text);
        v.out = text;
        v.is_json = true;
    }
    put_objects(&v, size);
    insp_free(text);
    return complain_overlap(run, map);
}

static int show_file(insp_run *run, const insp_file *file)
{
    insp_map map;
    const char *range = run->options.argument_count > 1 ? run->options.arguments[1] : NULL;
    int result = insp_map_init(&map, file) == KILN_OK ? print_map(run, &map, file->size, range)
                                                      : insp_no_memory(run);
    insp_map_fini(&map);
    if (result < INSP_TROUBLE && file->header_error.status) {
        insp_complain(run, file->path, "%s: %s", insp_rule(file->header_error.status),
                      insp_status_text(file, file->header_error.status));
        result = INSP_BAD;
    }
    return result;
}

/* The member of an asset, or the one that contains the byte `@AT`. KILN_ASSET_NONE after a
 * message. */
static uint32_t find_member(insp_run *run, const insp_file *file, const char *text, int *ret_result)
{
    const insp_asset *asset;
    const char *end = text + 1;
    uint64_t at;
    uint32_t i;
    *ret_result = INSP_BAD;
    if (*text != '@') {
        asset = insp_select_one(run, file, text, NULL, ret_result);
        if (asset && !insp_member_at(file, asset->member))
            insp_complain(run, file->path, "the bytes of %.300s are not in the file", text);
        return asset && insp_member_at(file, asset->member) ? asset->member : KILN_ASSET_NONE;
    }
    if (read_number(&end, &at) && !*end) {
        for (i = 0; i < file->member_count; i++) {
            const insp_member *member = insp_member_at(file, i);
            if (member->in_place && at >= member->place && at - member->place < member->stored_size)
                return i;
        }
    }
    insp_complain(run, file->path, "%.300s is not an offset in a member: @AT", text);
    return KILN_ASSET_NONE;
}

static int show_blob(insp_run *run, const insp_file *file)
{
    char **arguments = run->options.arguments;
    const unsigned char *blob;
    uint64_t size;
    int result;
    uint32_t member = find_member(run, file, arguments[1], &result);
    const char *range = run->options.argument_count > 2 ? arguments[2] : NULL;
    insp_finding finding = {.part = "member", .member = member};
    insp_map map;
    kiln_status status;
    if (member == KILN_ASSET_NONE)
        return result ? result : INSP_BAD;
    if (insp_member_is_payload(insp_member_at(file, member))) {
        insp_complain(run, file->path, "%.300s is in a payload; use extract to write its data",
                      arguments[1]);
        return INSP_BAD;
    }
    status = insp_file_blob(file, member, &blob, &size);
    if (status == KILN_NO_MEMORY)
        return insp_no_memory(run);
    if (status) {
        finding.error =
            (kiln_error){.status = status, .offset = insp_member_at(file, member)->place};
        insp_complain_finding(run, file, &finding);
        return INSP_BAD;
    }
    result = insp_map_init_blob(&map, file, member, blob, size) == KILN_OK
                 ? print_map(run, &map, size, range)
                 : insp_no_memory(run);
    insp_map_fini(&map);
    return result;
}

static int show_bytes(insp_run *run, const insp_file *file)
{
    const insp_options *options = &run->options;
    if (options->decompress ? options->argument_count < 2 : options->argument_count > 2) {
        if (options->decompress)
            insp_complain(run, NULL, "--decompress needs an asset, or an offset @AT in a member");
        else
            insp_complain(run, NULL, "unexpected argument '%.300s'; see kiln-inspect --help",
                          options->arguments[2]);
        return INSP_TROUBLE;
    }
    return options->decompress ? show_blob(run, file) : show_file(run, file);
}

const insp_command insp_hex_command = {
    .name = "hex",
    .arguments = "FILE [ASSET|@AT[+LENGTH]]",
    .help = "show every byte with its meaning",
    .min_arguments = 1,
    .max_arguments = 3,
    .formats = "text json ",
    .options = "--decompress ",
    .show = show_bytes,
};

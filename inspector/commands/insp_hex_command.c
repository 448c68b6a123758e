/* The `hex` command: prints every byte of a file once, in rows of up to 16, with its meaning.
 *
 * Objects are printed in the order of their offsets. The bytes between two objects are printed as
 * padding or a gap. If an object overlaps the one before it, only its bytes that have not been
 * printed yet are printed. The output thus contains every selected byte exactly once. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_finding_text.h"
#include "insp_hex_value.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_scalar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LENGTH = 256 };

static void put_text(insp_hex_view *v, const insp_object *object)
{
    uint64_t at = object->at, end = object->at + object->size;
    /* The last byte of a string is its NUL, which is not shown in the quotes. */
    for (; at < end && !v->out->error; at += INSP_HEX_ROW) {
        uint64_t row_end = end - at > INSP_HEX_ROW ? at + INSP_HEX_ROW : end;
        if (!insp_hex_begin_row(v, at, row_end))
            continue;
        insp_put_style(v->out, INSP_STYLE_TEXT);
        insp_put_quoted(v->out, (const char *)v->data + at,
                        (size_t)(row_end == end ? row_end - at - 1 : row_end - at));
        insp_put_style(v->out, INSP_STYLE_PLAIN);
        insp_put(v->out, row_end < end ? "\n" : v->data[end - 1] ? " and no NUL (V5)\n" : " NUL\n");
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
        insp_put_char(v->out, '\n');
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
        insp_put(v->out, "bytes of unknown type");
    }
}

/* Prints the line above an object: its path and type. */
static void put_heading(insp_hex_view *v, const insp_object *object)
{
    kiln_path path = {{0}, 0};
    insp_put_style(v->out, INSP_STYLE_ASSET);
    if (object->kind == INSP_OBJECT_HEADER) {
        insp_put(v->out, "\n== ");
        put_blob_name(v, &v->map->blobs[object->blob]);
        insp_put(v->out, ": header");
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
    insp_hex_put_gap(v, object->at, between_word(v, object));
    if (!insp_hex_is_selected(v, object->at, end)) {
        v->cursor = end > v->cursor ? end : v->cursor;
        return;
    }
    put_heading(v, object);
    if (object->at < v->cursor) {
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

/* Selects the bytes of `@AT`, `@AT+LENGTH` (decimal or 0x hex) or an asset. */
static int select_bytes(insp_hex_view *v, const char *text)
{
    const insp_file *file = v->map->file;
    uint64_t length = DEFAULT_LENGTH;
    if (*text == '@') {
        const char *at = text + 1;
        bool good = read_number(&at, &v->from);
        if (good && *at == '+') {
            at++;
            good = read_number(&at, &length);
        }
        if (!good || *at) {
            insp_complain(v->run, NULL, "'%s' is not @AT or @AT+LENGTH", text);
            return INSP_TROUBLE;
        }
        if (v->from >= file->size) {
            insp_complain(v->run, file->path, "%s is beyond the end of the file", text);
            return INSP_BAD;
        }
    } else {
        const insp_asset *asset = insp_find_asset(v->run, file, text, strlen(text));
        const unsigned char *blob;
        if (!asset)
            return insp_no_such_asset(v->run, file, text, false);
        if (!insp_file_member(file, asset->member, &blob, &length)) {
            insp_complain(v->run, file->path, "the bytes of %s are not in the file", text);
            return INSP_BAD;
        }
        v->from = (uint64_t)(blob - file->data);
    }
    v->to = length < file->size - v->from ? v->from + length : file->size;
    return INSP_OK;
}

/* Visits all objects even if few bytes are selected, because the cursor must pass all bytes before
 * the selection. */
static int print_map(insp_run *run, const insp_file *file, const insp_map *map)
{
    insp_hex_view v = {
        .run = run, .out = &run->out, .map = map, .data = file->data, .to = file->size};
    size_t i;
    if (run->options.argument_count > 1) {
        int result = select_bytes(&v, run->options.arguments[1]);
        if (result)
            return result;
    }
    insp_out_count(&run->out, "bytes", v.to - v.from);
    for (i = 0; i < map->object_count && !run->out.error; i++) {
        put_object(&v, &map->objects[map->order[i].number]);
        if (v.cursor > v.from)
            insp_out_set_whole(&run->out, (v.cursor < v.to ? v.cursor : v.to) - v.from);
    }
    insp_hex_put_gap(&v, file->size, "padding");
    if (map->overlapping)
        /* The map lacks some objects if objects overlap. The bytes of those objects may be shown as
         * unreachable, which is wrong, so report the overlap. */
        insp_complain(run, file->path,
                      "objects overlap (V17); not all of them are shown with their meaning");
    if (file->header_error.status)
        insp_complain(run, file->path, "%s: %s", insp_rule(file->header_error.status),
                      insp_status_text(file, file->header_error.status));
    return map->overlapping || file->header_error.status ? INSP_BAD : INSP_OK;
}

static int show_bytes(insp_run *run, const insp_file *file)
{
    insp_map map;
    int result =
        insp_map_init(&map, file) == KILN_OK ? print_map(run, file, &map) : insp_no_memory(run);
    insp_map_fini(&map);
    return result;
}

const insp_command insp_hex_command = {
    .name = "hex",
    .arguments = "FILE [ASSET|@AT[+LENGTH]]",
    .help = "show every byte with its meaning",
    .min_arguments = 1,
    .max_arguments = 2,
    .show = show_bytes,
};

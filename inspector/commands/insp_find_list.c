/* The offset of a string is that of its text, because `hex` and `where` show more there; the offset
 * of any other value is that of the value itself. */
#include "insp_find_list.h"

#include "insp_escape.h"
#include "insp_flat.h"
#include "insp_format.h"
#include "insp_run_printer.h"
#include "insp_scalar.h"

#include <inttypes.h>
#include <string.h>

void insp_find_list_init(insp_find_list *list, insp_run *run, const insp_mounts *mounts)
{
    const char *format = run->options.format;
    *list = (insp_find_list){.run = run, .end = run->options.null ? '\0' : '\n'};
    list->has_files = mounts->count > 1;
    if (format && strcmp(format, "paths") == 0)
        list->format = INSP_FIND_PATHS;
    if (format && strcmp(format, "offsets") == 0)
        list->format = INSP_FIND_OFFSETS;
    if (insp_wants_json(run))
        list->format = INSP_FIND_JSON;
    insp_run_printer(run, NULL, &list->printer);
    list->printer.format = &insp_format_json;
}

void insp_find_list_fini(insp_find_list *list)
{
    insp_path_fini(&list->path);
    insp_printer_fini(&list->printer);
}

void insp_find_list_begin(insp_find_list *list)
{
    if (list->format == INSP_FIND_JSON)
        insp_put(&list->run->out, "{\n  \"format\": 1,\n  \"values\": [");
}

void insp_find_list_end(insp_find_list *list)
{
    if (list->format == INSP_FIND_JSON)
        insp_put(&list->run->out, list->count ? "\n  ]\n}\n" : "]\n}\n");
}

/* Whether the value has no parts, so that it can be printed on a line. */
static bool is_scalar(const kiln_value *value)
{
    switch (value->of->kind) {
    case KILN_KIND_STRUCT:
    case KILN_KIND_UNION:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_FIXED:
        return false;
    default:
        return true;
    }
}

static const unsigned char *address_of(const kiln_value *value)
{
    const char *text;
    uint32_t length;
    if (value->of->kind == KILN_KIND_STRING && kiln_value_text(value, &text, &length) == KILN_OK &&
        length)
        return (const unsigned char *)text;
    return value->data;
}

/* Where a value is. */
typedef struct place {
    bool is_stored; /* not compressed, so `in_file` is known */
    uint64_t in_file, in_blob;
} place;

static place place_of(const insp_hit *hit)
{
    const insp_file *file = hit->at.file;
    const insp_member *member = insp_asset_member(file, hit->at.asset);
    place at = {.in_blob = (uint64_t)(address_of(hit->value) - hit->blob)};
    at.is_stored = member && member->compression == KILN_COMPRESSION_NONE;
    at.in_file = at.is_stored ? member->place + at.in_blob : 0;
    return at;
}

static void put_offset(insp_find_list *list, place at, int digits)
{
    insp_putf(&list->run->out, "%s0x%0*" PRIx64, at.is_stored ? "" : "+", digits,
              at.is_stored ? at.in_file : at.in_blob);
}

static void put_text(insp_find_list *list, const insp_hit *hit)
{
    insp_out *out = &list->run->out;
    if (list->has_files) {
        insp_put_escaped(out, hit->at.file->path, strlen(hit->at.file->path));
        insp_put(out, ": ");
    }
    put_offset(list, place_of(hit), 8);
    insp_put(out, "  ");
    insp_put_style(out, INSP_STYLE_ASSET);
    insp_put_bytes(out, insp_path_text(&list->path), list->path.length);
    insp_put_style(out, INSP_STYLE_PLAIN);
    insp_put(out, hit->is_key ? " has the key " : is_scalar(hit->value) ? " = " : ": ");
    if (is_scalar(hit->value))
        insp_put_flat_scalar(&list->printer, hit->value);
    else
        insp_put_type(out, hit->value->types, hit->value->type);
    insp_put_char(out, list->end);
}

static void put_json(insp_find_list *list, const insp_hit *hit)
{
    insp_out *out = &list->run->out;
    place at = place_of(hit);
    insp_put(out, list->count ? ",\n    {\"file\": " : "\n    {\"file\": ");
    insp_put_json_string(out, hit->at.file->path, strlen(hit->at.file->path));
    insp_put(out, ", \"path\": ");
    insp_put_json_string(out, insp_path_text(&list->path), list->path.length);
    if (at.is_stored)
        insp_putf(out, ", \"offset\": %" PRIu64, at.in_file);
    else
        insp_put(out, ", \"offset\": null");
    insp_putf(out, ", \"blob_offset\": %" PRIu64 ", \"type\": \"", at.in_blob);
    insp_put_type(out, hit->value->types, hit->value->type);
    insp_put(out, "\", \"value\": ");
    if (is_scalar(hit->value))
        insp_put_flat_scalar(&list->printer, hit->value);
    else
        insp_put(out, "null");
    insp_put(out, hit->is_key ? ", \"is_key\": true}" : ", \"is_key\": false}");
}

bool insp_find_list_put(insp_find_list *list, const insp_hit *hit)
{
    list->printer.file = hit->at.file;
    if (list->format != INSP_FIND_OFFSETS) {
        insp_path_cut(&list->path, 0);
        insp_path_add_asset(&list->path, hit->at.asset->name);
        insp_walk_add_path(&list->path, hit->at.file, hit->step);
    }
    if (list->path.failed)
        return false;
    if (list->format == INSP_FIND_TEXT)
        put_text(list, hit);
    else if (list->format == INSP_FIND_JSON)
        put_json(list, hit);
    else if (list->format == INSP_FIND_PATHS)
        insp_put_bytes(&list->run->out, insp_path_text(&list->path), list->path.length);
    else
        put_offset(list, place_of(hit), 0);
    if (list->format == INSP_FIND_PATHS || list->format == INSP_FIND_OFFSETS)
        insp_put_char(&list->run->out, list->end);
    list->count++;
    return true;
}

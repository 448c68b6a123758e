/* Appends steps to a path. Text is escaped when it is appended: in quotes as in JSON, so that
 * kiln_path_follow reads it back, and elsewhere as `\xNN`. */
#include "insp_path.h"

#include "insp_memory.h"
#include "json_string.h"
#include "path_quote.h"

#include <inttypes.h>
#include <stdio.h>

enum { NUMBER_SIZE = 32 };

void insp_path_fini(insp_path *path)
{
    insp_free(path->text);
    *path = (insp_path){0};
}

static void append(insp_path *path, const char *text, size_t length)
{
    char *grown = length ? insp_grow(path->text, &path->capacity, path->length + length, 1) : NULL;
    if (grown) {
        path->text = grown;
        memcpy(grown + path->length, text, length);
        path->length += length;
    } else {
        path->failed = path->failed || length;
    }
}

static void append_byte(insp_path *path, char byte)
{
    char text[8];
    snprintf(text, sizeof text, "\\x%02x", (unsigned)(unsigned char)byte);
    append(path, text, 4);
}

/* Appends the contents of a quoted step. An invalid byte becomes `\xNN`, because U+FFFD in its
 * place would make different keys equal. */
static void append_json(insp_path *path, const char *text, size_t length)
{
    while (length > 0) {
        json_piece piece = json_next_piece(text, length);
        uint32_t code;
        append(path, text, piece.plain);
        if (piece.escape_length && !utf8_decode(text + piece.plain, length - piece.plain, &code))
            append_byte(path, text[piece.plain]);
        else
            append(path, piece.escape, piece.escape_length);
        text += piece.size;
        length -= piece.size;
    }
}

static void append_quoted(insp_path *path, const char *text, size_t length)
{
    append(path, "\"", 1);
    append_json(path, text, length);
    append(path, "\"", 1);
}

/* Names of assets and entities are not quoted, so only what is invisible is escaped. */
static void append_raw(insp_path *path, const char *text, size_t length)
{
    size_t i = 0;
    while (i < length) {
        uint32_t code = 0;
        size_t size = utf8_decode(text + i, length - i, &code), k;
        for (k = 0; k < (size ? size : 1); k++) {
            if (size && code_point_is_visible(code))
                append(path, text + i + k, 1);
            else
                append_byte(path, text[i + k]);
        }
        i += size ? size : 1;
    }
}

void insp_path_add_asset(insp_path *path, insp_text name)
{
    append_raw(path, name.data, name.length);
}

void insp_path_add_name(insp_path *path, const char *name, size_t length)
{
    append(path, ".", path->length != 0);
    if (path_is_name(name, length))
        append(path, name, length);
    else
        append_quoted(path, name, length);
}

void insp_path_add_number(insp_path *path, uint32_t number)
{
    char step[NUMBER_SIZE];
    append(path, step, (size_t)snprintf(step, sizeof step, "[%" PRIu32 "]", number));
}

/* Writes a key that is a number as kiln_path_add_key does. */
static size_t print_number(const kiln_value *key, char text[NUMBER_SIZE])
{
    kiln_kind kind = key->of->kind;
    if (kiln_kind_is_float(kind))
        return (size_t)snprintf(text, NUMBER_SIZE, "%.*g", kind == KILN_KIND_F32 ? 9 : 17,
                                kiln_value_float(key));
    if (kiln_kind_is_signed(kind == KILN_KIND_ENUM ? key->of->base : kind))
        return (size_t)snprintf(text, NUMBER_SIZE, "%" PRId64, kiln_value_int(key));
    return (size_t)snprintf(text, NUMBER_SIZE, "%" PRIu64, kiln_value_uint(key));
}

static void append_fixed(insp_path *path, const kiln_value *key)
{
    char text[NUMBER_SIZE];
    kiln_value element;
    uint32_t i;
    append(path, "\"", 1);
    for (i = 0; i < key->of->count && kiln_value_at(key, i, &element) == KILN_OK; i++) {
        append(path, ",", i > 0);
        append(path, text, print_number(&element, text));
    }
    append(path, "\"", 1);
}

static void append_ref(insp_path *path, const insp_file *file, uint64_t id)
{
    const insp_name *name = file ? insp_file_name(file, id) : NULL;
    char text[NUMBER_SIZE];
    if (name)
        append_quoted(path, name->name.data, name->name.length);
    else
        append_quoted(path, text, (size_t)snprintf(text, sizeof text, "%016" PRIx64, id));
}

void insp_path_add_key(insp_path *path, const insp_file *file, const kiln_value *key)
{
    const kiln_member *member = kiln_value_member(key);
    char text[NUMBER_SIZE];
    const char *from = "";
    uint32_t length = 0;
    append(path, "[", 1);
    if (key->of->kind == KILN_KIND_STRING) {
        kiln_value_text(key, &from, &length);
        append_quoted(path, from, length);
    } else if (key->of->kind == KILN_KIND_REF) {
        append_ref(path, file, kiln_value_uint(key));
    } else if (key->of->kind == KILN_KIND_FIXED) {
        append_fixed(path, key);
    } else if (key->of->kind == KILN_KIND_ENUM && member) {
        append_quoted(path, member->name, strlen(member->name));
    } else {
        append(path, text, print_number(key, text));
    }
    append(path, "]", 1);
}

static bool is_plain_entity(insp_text name)
{
    uint32_t i;
    for (i = 0; i < name.length; i++)
        if (name.data[i] != '/' && !path_is_name_byte(name.data[i], i == 0))
            return false;
    return name.length > 0;
}

void insp_path_add_entity(insp_path *path, insp_text name, uint32_t number)
{
    char text[NUMBER_SIZE];
    append(path, "#", 1);
    if (!name.length)
        append(path, text, (size_t)snprintf(text, sizeof text, "%" PRIu32, number));
    else if (is_plain_entity(name))
        append(path, name.data, name.length);
    else
        append_quoted(path, name.data, name.length);
}

void insp_path_add_component(insp_path *path, insp_text name)
{
    uint32_t from = name.length;
    while (from && name.data[from - 1] != '.')
        from--;
    insp_path_add_name(path, name.data + from, name.length - from);
}

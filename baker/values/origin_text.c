/* Appends to the texts of a source map (SOURCE-MAP.md).
 *
 * Running out of memory is sticky: `no_memory` is set, the texts are incomplete from then on,
 * and write_text (value_origin.c) checks it once, before any of it is written. So no caller
 * checks a call. */
#include "origin_text.h"

#include "bake_memory.h"
#include "path_quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void bake_origin_put_to(bake_origins *o, origin_text *text, const char *bytes, size_t length)
{
    /* One byte more than needed, so that an empty text has a block too. */
    char *grown = bake_grow(text->data, &text->capacity, text->length + length + 1, 1);
    if (!grown) {
        o->no_memory = true;
        return;
    }
    text->data = grown;
    memcpy(grown + text->length, bytes, length);
    text->length += length;
}

void bake_origin_put(bake_origins *o, const char *text, size_t length)
{
    bake_origin_put_to(o, &o->lines, text, length);
}

void bake_origin_number(bake_origins *o, char before, uint64_t number)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%c%" PRIu64, before, number);
    bake_origin_put(o, text, (size_t)length);
}

void bake_origin_word(bake_origins *o, const char *text)
{
    bake_origin_put(o, text, strlen(text));
}

void bake_origin_quote_to(bake_origins *o, origin_text *to, const char *text, size_t length)
{
    bake_origin_put_to(o, to, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        char escaped[PATH_ESCAPE_SIZE];
        bake_origin_put_to(o, to, escaped, path_escape(text[i], escaped));
    }
    bake_origin_put_to(o, to, "\"", 1);
}

void bake_origin_quote(bake_origins *o, const char *text, size_t length)
{
    bake_origin_quote_to(o, &o->lines, text, length);
}

/* A name that contains control characters or begins with a quote is written in quotes: a line
 * break in it would end the record, and a reader takes a leading quote as the start of a JSON
 * string. */
static void name_file(bake_origins *o, uint32_t number, const char *name)
{
    char text[24];
    int length = snprintf(text, sizeof text, "F\t%" PRIu32 "\t", number);
    bool is_plain = name[0] != '"';
    for (const char *c = name; *c; c++)
        is_plain = is_plain && (unsigned char)*c >= 0x20 && *c != 0x7f;
    bake_origin_put_to(o, &o->head, text, (size_t)length);
    if (is_plain)
        bake_origin_put_to(o, &o->head, name, strlen(name));
    else
        bake_origin_quote_to(o, &o->head, name, strlen(name));
    bake_origin_put_to(o, &o->head, "\n", 1);
}

/* The number of a file. Its `F` record goes into `head`, which is written before the lines of
 * the asset that first needs it. `files` has the numbers plus 1, so that zeroed memory means "no
 * number yet". */
static uint32_t file_of(bake_origins *o, uint32_t source)
{
    /* The source could not be registered, for lack of memory. */
    if (source == UINT32_MAX) {
        o->no_memory = true;
        return 0;
    }
    if (source >= o->source_count) {
        uint32_t *files = bake_grow(o->files, &o->file_capacity, (size_t)source + 1, sizeof *files);
        if (!files) {
            o->no_memory = true;
            return 0;
        }
        memset(files + o->source_count, 0, (source + 1 - o->source_count) * sizeof *files);
        o->files = files;
        o->source_count = source + 1;
    }
    if (o->files[source] == 0) {
        o->files[source] = ++o->file_count;
        name_file(o, o->file_count - 1, bake_diagnostics_source_name(o->sources, source));
    }
    return o->files[source] - 1;
}

void bake_origin_place(bake_origins *o, bake_mark mark)
{
    bake_origin_number(o, '\t', file_of(o, mark.source));
    bake_origin_number(o, ':', mark.line);
    bake_origin_number(o, ':', mark.column);
    bake_origin_number(o, ':', mark.length == BAKE_MARK_TO_LINE_END ? 0 : mark.length);
}

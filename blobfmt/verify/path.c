/* Formats paths: FORMAT.md section 9.
 *
 * A path has a fixed buffer, because errors must be reported without allocating memory. When it is
 * full, bytes in the middle are dropped: the beginning and the end are the most useful parts. Keys
 * and names come from files, so everything except plain names is quoted and escaped. */
#include "path_text.h"

#include "path_quote.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char ellipsis[] = "...";
/* Once the middle has been dropped, another piece fits: HEAD_KEPT + 3 + TAIL_KEPT + PIECE_MAX <
 * KILN_PATH_SIZE. */
enum {
    HEAD_KEPT = KILN_PATH_SIZE / 2,
    PIECE_MAX = KILN_PATH_SIZE / 4,
    TAIL_KEPT = KILN_PATH_SIZE / 4 - sizeof ellipsis
};

/* Makes room by dropping bytes in the middle: the first half and the last quarter remain. */
static void drop_middle(kiln_path *path)
{
    size_t dots = sizeof ellipsis - 1, head = HEAD_KEPT, tail = path->length - TAIL_KEPT;
    /* The dots that replaced an earlier middle must not remain before the new ones. */
    while (head > 0 && (utf8_is_inside(path->text[head]) || path->text[head - 1] == '.'))
        head--;
    while (tail < path->length && utf8_is_inside(path->text[tail]))
        tail++;
    memmove(path->text + head + dots, path->text + tail, path->length - tail);
    memcpy(path->text + head, ellipsis, dots);
    path->length = (uint32_t)(head + dots + path->length - tail);
}

void kiln_path_append(kiln_path *path, const char *text, size_t length)
{
    while (length > 0) {
        size_t piece = length < PIECE_MAX ? length : PIECE_MAX;
        if (path->length + piece >= KILN_PATH_SIZE)
            drop_middle(path);
        memcpy(path->text + path->length, text, piece);
        path->length += (uint32_t)piece;
        path->text[path->length] = '\0';
        text += piece;
        length -= piece;
    }
}

static void append_quoted(kiln_path *path, const char *text, size_t length)
{
    kiln_path_append(path, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        char escaped[PATH_ESCAPE_SIZE];
        kiln_path_append(path, escaped, path_escape(text[i], escaped));
    }
    kiln_path_append(path, "\"", 1);
}

void kiln_path_add_name(kiln_path *path, const char *name, size_t length)
{
    if (path->length)
        kiln_path_append(path, ".", 1);
    if (path_is_name(name, length))
        kiln_path_append(path, name, length);
    else
        append_quoted(path, name, length);
}

void kiln_path_add_number(kiln_path *path, uint64_t number)
{
    char step[24];
    int length = snprintf(step, sizeof step, "[%" PRIu64 "]", number);
    kiln_path_append(path, step, (size_t)length);
}

/* Prints a key that is a number. 9 digits are enough to distinguish all f32 values, and 17 to
 * distinguish all f64 values. */
static int print_number(const kiln_value *key, char *text, size_t size)
{
    kiln_kind kind = key->of->kind;
    if (kind == KILN_KIND_F32)
        return snprintf(text, size, "%.9g", kiln_value_float(key));
    if (kind == KILN_KIND_F64)
        return snprintf(text, size, "%.17g", kiln_value_float(key));
    if (kiln_kind_is_signed(kind))
        return snprintf(text, size, "%" PRId64, kiln_value_int(key));
    return snprintf(text, size, "%" PRIu64, kiln_value_uint(key));
}

bool kiln_path_key_text(const kiln_value *key, char *text, size_t size, size_t *ret_length)
{
    const kiln_member *member = kiln_value_member(key);
    int length;
    switch (key->of->kind) {
    case KILN_KIND_STRING: {
        const char *from = "";
        uint32_t from_length = 0;
        kiln_value_text(key, &from, &from_length);
        size_t kept = from_length < size ? from_length : size;
        memcpy(text, from, kept);
        *ret_length = kept;
        return true;
    }
    case KILN_KIND_ENUM:
        length = member ? snprintf(text, size, "%s", member->name)
                        : snprintf(text, size, "%" PRIu64, kiln_value_uint(key));
        *ret_length = (size_t)length < size ? (size_t)length : size - 1;
        return true;
    case KILN_KIND_REF:
        *ret_length = (size_t)snprintf(text, size, "%016" PRIx64, kiln_value_uint(key));
        return true;
    case KILN_KIND_FIXED: {
        size_t at = 0;
        for (uint32_t i = 0; i < key->of->count && at + 32 < size; i++) {
            kiln_value element = *key;
            kiln_value_at(key, i, &element); /* cannot fail: the element is inline */
            if (i > 0)
                text[at++] = ',';
            at += (size_t)print_number(&element, text + at, size - at);
        }
        *ret_length = at;
        return true;
    }
    default:
        *ret_length = (size_t)print_number(key, text, size);
        return false;
    }
}

void kiln_path_add_key(kiln_path *path, const kiln_value *key)
{
    char text[PATH_KEY_SIZE];
    size_t length;
    bool quoted = kiln_path_key_text(key, text, sizeof text, &length);
    kiln_path_append(path, "[", 1);
    if (quoted)
        append_quoted(path, text, length);
    else
        kiln_path_append(path, text, length);
    kiln_path_append(path, "]", 1);
}

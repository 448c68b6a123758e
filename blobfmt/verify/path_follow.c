/* Finds the value at a path: the inverse of path.c.
 *
 * People type paths, so this file accepts more than path.c writes: other spellings of floats and
 * bools, the name of an asset for a reference, and JSON escapes. It trusts neither the path nor the
 * payload: words have a fixed size, and the accessors of value.c check the bounds of every step. */
#include "path_quote.h"
#include "path_text.h"
#include "utf8.h"

#include <kiln/index.h>

#include <stdlib.h>
#include <string.h>

/* A path that is being read. */
typedef struct reader {
    const char *at;
    char word[PATH_KEY_SIZE]; /* the last name, number or quoted text, unescaped */
    size_t length;
} reader;

static bool take(reader *r, char c)
{
    bool is_next = *r->at == c;
    r->at += is_next;
    return is_next;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Reads quoted text after its opening quote. A code point takes at most four bytes. */
static bool read_quoted(reader *r)
{
    static const char escapes[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    r->length = 0;
    while (*r->at && *r->at != '"') {
        if (r->length + 4 > sizeof r->word)
            return false;
        char c = *r->at++;
        if (c != '\\') {
            r->word[r->length++] = c;
            continue;
        }
        c = *r->at;
        const char *escape = c ? strchr(escapes, c) : NULL;
        if (escape) {
            r->word[r->length++] = values[escape - escapes];
            r->at++;
            continue;
        }
        unsigned code = 0;
        if (c != 'u' && c != 'x')
            return false;
        int digits = c == 'u' ? 4 : 2;
        for (int i = 1; i <= digits; i++) {
            int digit = hex_digit(r->at[i]);
            if (digit < 0)
                return false;
            code = code * 16 + (unsigned)digit;
        }
        r->at += digits + 1;
        if (digits == 2)
            r->word[r->length++] = (char)(unsigned char)code;
        else
            r->length += utf8_encode(code, r->word + r->length);
    }
    return take(r, '"');
}

static bool read_name(reader *r)
{
    if (take(r, '"'))
        return read_quoted(r);
    r->length = 0;
    while (path_is_name_byte(*r->at, r->length == 0) && r->length < sizeof r->word)
        r->word[r->length++] = *r->at++;
    return r->length > 0;
}

/* Descends through optionals and newtypes, which add no step to a path. */
static kiln_status unwrap(kiln_value *value, bool *ret_is_newtype)
{
    *ret_is_newtype = false;
    while (value->of->kind == KILN_KIND_OPTIONAL || (value->of->flags & KILN_TYPE_TRANSPARENT)) {
        kiln_value inner;
        *ret_is_newtype = value->of->kind != KILN_KIND_OPTIONAL;
        if (kiln_value_count(value) == 0)
            return KILN_NOT_FOUND;
        kiln_status status = kiln_value_at(value, 0, &inner);
        if (status)
            return status;
        *value = inner;
    }
    return KILN_OK;
}

/* A path may contain the name of a newtype's field, `value`, as C code does, if nothing inside the
 * newtype has that name. */
static bool names_newtype(const reader *r, bool is_newtype)
{
    return is_newtype && r->length == 5 && memcmp(r->word, "value", 5) == 0;
}

static kiln_status follow_name(reader *r, kiln_value *value, bool is_newtype)
{
    kiln_value next;
    if (!read_name(r))
        return KILN_BAD_ARGUMENT;
    kiln_status status;
    if (value->of->kind == KILN_KIND_UNION) {
        const kiln_member *member = kiln_value_member(value);
        if (!member || strlen(member->name) != r->length ||
            memcmp(member->name, r->word, r->length) != 0 || kiln_value_count(value) == 0)
            return names_newtype(r, is_newtype) ? KILN_OK : KILN_NOT_FOUND;
        status = kiln_value_at(value, 0, &next);
    } else {
        status = kiln_value_field(value, r->word, r->length, &next);
        if (status == KILN_NOT_FOUND && names_newtype(r, is_newtype))
            return KILN_OK;
    }
    if (!status)
        *value = next;
    return status;
}

/* Whether `r` spells `key` in a form that path.c does not write: a float with different digits, a
 * bool as a word, or a reference as the name of an asset. */
static bool key_is_spelled(const reader *r, bool quoted, const kiln_value *key)
{
    kiln_kind kind = key->of->kind;
    if (kind == KILN_KIND_REF)
        return quoted && kiln_value_uint(key) == kiln_asset_id(r->word, r->length);
    if (quoted || r->length == 0 || r->length >= sizeof r->word)
        return false;
    if (kind == KILN_KIND_BOOL) {
        const char *word = kiln_value_uint(key) ? "true" : "false";
        return r->length == strlen(word) && memcmp(r->word, word, r->length) == 0;
    }
    if (!kiln_kind_is_float(kind))
        return false;
    char text[PATH_KEY_SIZE], *end;
    memcpy(text, r->word, r->length);
    text[r->length] = '\0';
    double number = kind == KILN_KIND_F32 ? (double)strtof(text, &end) : strtod(text, &end);
    return *end == '\0' && number == kiln_value_float(key);
}

/* Compares the spellings of keys, entry by entry. A binary search would need the key as a value,
 * and in an unverified map the keys may be in any order. */
static kiln_status find_key(const reader *r, bool quoted, const kiln_value *map,
                            kiln_value *ret_value)
{
    char text[PATH_KEY_SIZE];
    uint32_t count = kiln_value_count(map);
    for (uint32_t i = 0; i < count; i++) {
        kiln_value key;
        size_t length;
        kiln_status status = kiln_value_key(map, i, &key);
        if (status)
            return status;
        if (key_is_spelled(r, quoted, &key))
            return kiln_value_at(map, i, ret_value);
        if (kiln_path_key_text(&key, text, sizeof text, &length) == quoted && length == r->length &&
            memcmp(text, r->word, length) == 0)
            return kiln_value_at(map, i, ret_value);
    }
    return KILN_NOT_FOUND;
}

static kiln_status follow_bracket(reader *r, kiln_value *value)
{
    bool quoted = take(r, '"');
    if (quoted) {
        if (!read_quoted(r))
            return KILN_BAD_ARGUMENT;
    } else {
        r->length = 0;
        while (*r->at && *r->at != ']' && r->length < sizeof r->word)
            r->word[r->length++] = *r->at++;
    }
    if (!take(r, ']'))
        return KILN_BAD_ARGUMENT;
    kiln_value next;
    kiln_status status;
    if (value->of->kind == KILN_KIND_MAP) {
        status = find_key(r, quoted, value, &next);
    } else {
        uint64_t number = 0;
        for (size_t i = 0; i < r->length; i++) {
            if (quoted || r->word[i] < '0' || r->word[i] > '9' || number > UINT32_MAX)
                return KILN_BAD_ARGUMENT;
            number = number * 10 + (uint64_t)(r->word[i] - '0');
        }
        bool has_elements =
            value->of->kind == KILN_KIND_ARRAY || value->of->kind == KILN_KIND_FIXED;
        if (r->length == 0 || !has_elements || number >= kiln_value_count(value))
            return KILN_NOT_FOUND;
        status = kiln_value_at(value, (uint32_t)number, &next);
    }
    if (!status)
        *value = next;
    return status;
}

kiln_status kiln_path_follow(const kiln_value *from, const char *text, kiln_value *ret_value,
                             kiln_error *reterr)
{
    kiln_value value = *from;
    reader r;
    r.at = text;
    while (*r.at) {
        const char *step = r.at;
        bool is_newtype;
        kiln_status status = unwrap(&value, &is_newtype);
        if (!status && take(&r, '['))
            status = follow_bracket(&r, &value);
        else if (!status && (step == text || take(&r, '.')))
            status = follow_name(&r, &value, is_newtype);
        else if (!status)
            status = KILN_BAD_ARGUMENT;
        if (status) {
            kiln_path followed = {{0}, 0};
            kiln_path_append(&followed, text, (size_t)(step - text));
            return kiln_fail(reterr, status, kiln_value_offset(&value), followed.text);
        }
    }
    *ret_value = value;
    return KILN_OK;
}

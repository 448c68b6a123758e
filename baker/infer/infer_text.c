/* Analyses scalars: the types that a string can have, and the types that all strings of a position
 * have in common. */
#include "infer_text.h"

#include "ascii.h"
#include "bake_table.h"
#include "bake_text.h"
#include "colour.h"
#include "scalar_parse.h"

#include <math.h>
#include <string.h>

/* ---- one string ---- */

static const struct {
    const char *text, *dimension;
    uint32_t number; /* number of the dimension, from 1 */
    bool vague;      /* has other meanings: `m` can be minutes */
} units[] = {
    {"rad", "angle", 1, false},     {"deg", "angle", 1, false},     {"turn", "angle", 1, false},
    {"grad", "angle", 1, false},    {"ns", "time", 2, false},       {"us", "time", 2, false},
    {"ms", "time", 2, false},       {"s", "time", 2, false},        {"min", "time", 2, false},
    {"h", "time", 2, true},         {"um", "length", 3, false},     {"mm", "length", 3, false},
    {"cm", "length", 3, false},     {"m", "length", 3, true},       {"km", "length", 3, false},
    {"ft", "length", 3, false},     {"mg", "mass", 4, false},       {"g", "mass", 4, true},
    {"kg", "mass", 4, false},       {"Hz", "frequency", 5, false},  {"kHz", "frequency", 5, false},
    {"MHz", "frequency", 5, false}, {"GHz", "frequency", 5, false}, {"kB", "size", 6, false},
    {"MB", "size", 6, false},       {"GB", "size", 6, false},       {"KiB", "size", 6, false},
    {"MiB", "size", 6, false},      {"GiB", "size", 6, false},      {"%", "ratio", 7, false},
};
enum { UNIT_COUNT = sizeof units / sizeof *units };

const char *bake_infer_unit_text(uint32_t unit)
{
    return units[unit].text;
}

const char *bake_infer_unit_dimension(uint32_t unit)
{
    return units[unit].dimension;
}

bool bake_infer_unit_is_vague(uint32_t unit)
{
    return units[unit].vague;
}

/* Whether f32 is precise enough: rounded to the written digits, it has the same value. */
static bool fits_f32(const char *text, size_t length, double number)
{
    float narrow;
    int digits = 0, zeros = 0;
    for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (!bake_is_digit(text[i]))
            continue;
        zeros = text[i] == '0' ? zeros + 1 : 0;
        digits += digits > 0 || text[i] != '0';
    }
    digits -= digits > 0 ? zeros : 0;
    if (bake_parse_f32(text, length, &narrow) != BAKE_PARSE_OK)
        return false;
    if (number == 0 || !isfinite(number))
        return true;
    /* f32 preserves 6 decimal digits (FLT_DIG), and 9 digits identify each f32
     * (FLT_DECIMAL_DIG). */
    if (digits <= 6)
        return narrow != 0;
    if (digits > 9)
        return (double)narrow == number;
    double last = pow(10, floor(log10(fabs(number))) - (digits - 1));
    return fabs((double)narrow - number) <= 0.5 * last;
}

/* Whether the string has leading zeros, as in `007`. Then it is a code rather than a number. */
static bool is_padded(const char *text, size_t length)
{
    size_t at = length > 0 && (text[0] == '-' || text[0] == '+');
    return length > at + 1 && text[at] == '0' && bake_is_digit(text[at + 1]);
}

/* Returns the flags of a number, or 0 for other strings. */
static uint32_t read_number(const char *text, size_t length, infer_reading *reading)
{
    uint64_t bits;
    double number;
    char first = length ? *text : '\0';
    if (!(bake_is_digit(first) || first == '-' || first == '+' || first == '.'))
        return 0;
    if (is_padded(text, length))
        return bake_parse_f64(text, length, &number) == BAKE_PARSE_OK ? INFER_PADDED : 0;
    if (bake_parse_integer(KILN_KIND_I64, text, length, &bits) == BAKE_PARSE_OK) {
        reading->negative = (int64_t)bits < 0;
        reading->magnitude = reading->negative ? 0 - bits : bits;
    } else if (bake_parse_integer(KILN_KIND_U64, text, length, &bits) == BAKE_PARSE_OK) {
        reading->negative = false;
        reading->magnitude = bits;
    } else {
        if (bake_parse_f64(text, length, &number) != BAKE_PARSE_OK)
            return 0;
        reading->number = isfinite(number) ? number : 0;
        return INFER_NUMBER | INFER_FRACTION |
               (fits_f32(text, length, number) ? 0u : (uint32_t)INFER_DOUBLE);
    }
    reading->number = (double)reading->magnitude * (reading->negative ? -1 : 1);
    bool prefixed = memchr(text, 'x', length) || memchr(text, 'X', length);
    return INFER_INT | INFER_NUMBER | (prefixed ? (uint32_t)INFER_PREFIXED : 0u) |
           (reading->magnitude > (1u << 24) ? (uint32_t)INFER_DOUBLE : 0u) |
           (length == 1 && reading->magnitude <= 1 ? (uint32_t)INFER_ZERO_ONE : 0u);
}

static uint32_t read_vector(const char *text, size_t length, infer_reading *reading)
{
    uint32_t count = 0, flags = INFER_VECTOR;
    for (size_t at = 0; at <= length; count++) {
        const char *comma = memchr(text + at, ',', length - at);
        size_t end = comma ? (size_t)(comma - text) : length, from = at, to = end;
        infer_reading part = {0};
        while (from < to && text[from] == ' ')
            from++;
        while (to > from && text[to - 1] == ' ')
            to--;
        uint32_t found = read_number(text + from, to - from, &part);
        /* A vector has at most four numbers. */
        if (!(found & INFER_NUMBER) || count == 4)
            return 0;
        if (found & INFER_FRACTION)
            flags |= INFER_FRACTIONS;
        flags |= found & INFER_DOUBLE;
        at = end + 1;
    }
    reading->dimensions = count;
    return count >= 2 ? flags : 0;
}

static uint32_t read_unit(const char *text, size_t length, infer_reading *reading)
{
    size_t end = length;
    infer_reading number = {0};
    while (end > 0 && (bake_is_alphabetic(text[end - 1]) || text[end - 1] == '%'))
        end--;
    size_t digits = end;
    while (digits > 0 && text[digits - 1] == ' ')
        digits--;
    if (end == length || length - end > 4 || digits == 0)
        return 0;
    if (!(read_number(text, digits, &number) & INFER_NUMBER))
        return 0;
    for (uint32_t i = 0; i < UNIT_COUNT; i++) {
        if (strlen(units[i].text) == length - end &&
            memcmp(units[i].text, text + end, length - end) == 0) {
            reading->units = units[i].number;
            reading->unit = i;
            return INFER_UNIT;
        }
    }
    return 0;
}

/* Returns the flags of hex digits and base64. Words can be valid base64, so INFER_BYTES needs more
 * evidence: in strings of fewer than 48 digits, padding; in longer ones, letters of both cases and
 * at least one decimal digit, `+`, `/` or padding. */
static uint32_t read_digits(const char *text, size_t length, infer_reading *reading)
{
    bool hex = true, letter = false, upper = false, lower = false, digit = false, base64 = true;
    size_t digits = 0, padding = 0;
    for (size_t i = 0; i < length && (hex || base64); i++) {
        char c = text[i];
        bool is_hex = bake_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        hex = hex && is_hex;
        letter = letter || !bake_is_digit(c);
        if (c == '\n' || c == ' ')
            continue;
        digits++;
        upper = upper || (c >= 'A' && c <= 'Z');
        lower = lower || (c >= 'a' && c <= 'z');
        digit = digit || bake_is_digit(c) || c == '+' || c == '/';
        padding += c == '=';
        base64 = base64 &&
                 (bake_is_digit(c) || bake_is_alphabetic(c) || c == '+' || c == '/' || c == '=');
    }
    uint32_t flags = 0;
    /* Each byte has two digits. */
    if (hex && length % 2 == 0) {
        flags |= INFER_HEX | (letter ? (uint32_t)INFER_HEX_LETTER : 0u);
        reading->digits = (uint32_t)length;
    }
    size_t size, at;
    if (base64 && digits >= 24 &&
        bake_parse_base64(text, length, NULL, &size, &at) == BAKE_PARSE_OK) {
        bool sure = digits >= 48 ? upper && lower && (digit || padding) : padding > 0;
        flags |= INFER_BASE64 | (sure && !hex ? (uint32_t)INFER_BYTES : 0u);
    }
    return flags;
}

static uint32_t read_colour(const char *text, size_t length)
{
    if (length != 4 && length != 5 && length != 7 && length != 9)
        return 0;
    for (size_t i = 1; i < length; i++) {
        char c = text[i];
        if (!bake_is_digit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F'))
            return 0;
    }
    return INFER_COLOUR;
}

/* Returns whether a string can be an id or an enum name, as flags. */
static uint32_t read_name(const char *text, size_t length)
{
    size_t spaces = 0;
    bool plain = true;
    if (length == 0 || length > INFER_NAME_MAX)
        return 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == 0x7F)
            return 0;
        spaces += c == ' ';
        if (c == '/' || c == '\\' || c == '{' || c == '}' || c == '$' || c == '"' || c == '\'' ||
            c == '`' || c == ',' || c == '|' || c == ';' || c == '(' || c == '<' || c == '=' ||
            c == '*' || c == '%' || c >= 0x80)
            plain = false;
    }
    /* Longer strings are sentences. */
    if (!plain || length > 60 || spaces > 2 || text[0] == ' ' || text[length - 1] == ' ')
        return INFER_ID;
    return INFER_ID | INFER_WORD | (spaces ? (uint32_t)INFER_SPACE : 0u);
}

/* Returns INFER_NAMES if the string consists of several distinct words separated by commas or
 * `|`. */
static uint32_t read_names(const char *text, size_t length)
{
    enum { PARTS_MAX = 16 };
    struct {
        const char *text;
        size_t length;
    } parts[PARTS_MAX];
    size_t count = 0;
    for (size_t at = 0; at <= length; count++) {
        while (at < length && text[at] == ' ')
            at++;
        size_t from = at, to;
        if (count == PARTS_MAX || at == length || !bake_is_letter(text[at]))
            return 0;
        while (at < length && (bake_is_letter(text[at]) || bake_is_digit(text[at])))
            at++;
        to = at;
        while (at < length && text[at] == ' ')
            at++;
        if (at < length && text[at] != ',' && text[at] != '|')
            return 0;
        at++;
        for (size_t i = 0; i < count; i++)
            if (parts[i].length == to - from && memcmp(parts[i].text, text + from, to - from) == 0)
                return 0;
        parts[count].text = text + from;
        parts[count].length = to - from;
    }
    return count > 1 ? INFER_NAMES : 0;
}

infer_reading bake_infer_read_text(const char *text, uint32_t length)
{
    infer_reading reading;
    unsigned char channels[BAKE_CHANNELS];
    bool truth;
    memset(&reading, 0, sizeof reading);
    uint32_t flags = read_number(text, length, &reading);
    if (length > 1 && length <= 5 && bake_parse_bool(text, length, &truth) == BAKE_PARSE_OK)
        flags |= INFER_BOOL;
    if (length > 0 && text[0] == '#')
        flags |= read_colour(text, length);
    if (!flags && length >= 3 && length <= 20 && bake_is_alphabetic(text[0]) &&
        bake_colour_find(text, length, channels))
        flags |= INFER_COLOUR_NAME;
    if (length > 2 && length < 200 && memchr(text, ',', length))
        flags |= read_vector(text, length, &reading);
    if (!flags && length > 2 && length < 200 && bake_is_letter(text[0]) &&
        (memchr(text, ',', length) || memchr(text, '|', length)))
        flags |= read_names(text, length);
    if (length > 1 && length < 40 && !flags &&
        (bake_is_alphabetic(text[length - 1]) || text[length - 1] == '%'))
        flags |= read_unit(text, length, &reading);
    if (length >= 16)
        flags |= read_digits(text, length, &reading);
    reading.flags = flags | read_name(text, length);
    return reading;
}

/* ---- all strings of a position ---- */

/* Up to this many values use a linear search, because most positions have few values. */
enum { LINEAR_MAX = 6 };

/* The possible flags if one of the values is tagged as a string. */
#define TEXT_FLAGS ((uint32_t)(INFER_WORD | INFER_ID | INFER_QUOTED | INFER_TEXT))

static bool is_value(const infer_texts *texts, uint32_t number, text_key key)
{
    const infer_value *value = &texts->values[number];
    return value->length == key.length && memcmp(value->text, key.text, key.length) == 0;
}

HASH_TABLE(values_by_text, const infer_texts *, text_key, hash_of_text, is_value)

static infer_value *find(const infer_texts *texts, text_key key)
{
    uint32_t number = HASH_TABLE_NONE;
    if (texts->by_text.count)
        number = values_by_text_find(&texts->by_text, texts, key);
    else
        for (uint32_t i = 0; i < texts->value_count && number == HASH_TABLE_NONE; i++)
            number = is_value(texts, i, key) ? i : HASH_TABLE_NONE;
    return number == HASH_TABLE_NONE ? NULL : &texts->values[number];
}

const infer_value *bake_infer_texts_find(const infer_texts *texts, const char *text,
                                         uint32_t length)
{
    return find(texts, (text_key){text, length});
}

/* Adds a new value. With more than LINEAR_MAX values, all of them are in the hash table. Returns
 * false if memory runs out. */
static bool add_value(infer_texts *texts, bake_store *store, const infer_value *added)
{
    infer_value *values = bake_store_grow(store, texts->values, &texts->value_capacity,
                                          (size_t)texts->value_count + 1, sizeof *values);
    if (!values)
        return false;
    texts->values = values;
    values[texts->value_count] = *added;
    uint32_t count = texts->value_count + 1;
    while (count > LINEAR_MAX && texts->by_text.count < count) {
        uint32_t number = texts->by_text.count;
        if (!bake_table_reserve_in(&texts->by_text, store))
            return false;
        text_key key = {values[number].text, values[number].length};
        hash_table_put(&texts->by_text, values_by_text_slot(&texts->by_text, texts, key), number);
    }
    texts->value_count = count;
    return true;
}

/* Updates the summary with the first occurrence of a string. */
static void update_summary(infer_texts *texts, const infer_reading *reading, uint32_t length,
                           bool first)
{
    uint32_t flags = reading->flags;
    texts->all = first ? flags : texts->all & flags;
    if (flags & INFER_NUMBER) {
        bool number_before = (texts->some & INFER_NUMBER) != 0;
        if (!number_before || reading->number < texts->least)
            texts->least = reading->number;
        if (!number_before || reading->number > texts->most)
            texts->most = reading->number;
    }
    if (flags & INFER_INT) {
        if (reading->negative && reading->magnitude > texts->lowest)
            texts->lowest = reading->magnitude;
        if (!reading->negative && reading->magnitude > texts->highest)
            texts->highest = reading->magnitude;
    }
    if (flags & INFER_VECTOR)
        /* 0 once two vectors differ. It stays 0, because no vector has 0 dimensions. */
        texts->dimensions = !(texts->some & INFER_VECTOR)              ? reading->dimensions
                            : texts->dimensions == reading->dimensions ? reading->dimensions
                                                                       : 0;
    if (flags & INFER_HEX)
        texts->digits = !(texts->some & INFER_HEX)         ? reading->digits
                        : texts->digits == reading->digits ? reading->digits
                                                           : 0;
    if (flags & INFER_UNIT) {
        if (!(texts->some & INFER_UNIT)) {
            texts->units = reading->units;
            texts->unit = reading->unit;
        } else if (texts->units != reading->units) {
            texts->units = INFER_UNITS_MIXED;
        } else if (bake_infer_unit_is_vague(texts->unit) &&
                   !bake_infer_unit_is_vague(reading->unit)) {
            texts->unit = reading->unit;
        }
    }
    texts->some |= flags;
    if (length > texts->longest)
        texts->longest = length;
}

bool bake_infer_texts_add(infer_texts *texts, bake_store *store, const char *text, uint32_t length,
                          infer_place place, uint32_t extra, uint32_t count)
{
    infer_value *value = find(texts, (text_key){text, length});
    bool first = texts->count == 0;
    texts->count += count;
    if (extra & INFER_QUOTED)
        texts->quoted += count;
    if (extra & INFER_TEXT)
        texts->forced = true;
    if (value) {
        /* A list with duplicates is not a set. */
        texts->repeats = texts->repeats || (texts->list && value->list == texts->list);
        value->list = texts->list;
        value->count += count;
        texts->some |= extra;
        texts->all &= extra | ~(uint32_t)(INFER_QUOTED | INFER_BINARY | INFER_TEXT);
        texts->all &= texts->forced ? TEXT_FLAGS : ~0u;
        return true;
    }
    infer_reading reading = bake_infer_read_text(text, length);
    reading.flags |= extra;
    update_summary(texts, &reading, length, first);
    texts->all &= texts->forced ? TEXT_FLAGS : ~0u;
    /* The flags and the range include this string; only the string itself is not stored. */
    if (texts->value_count == INFER_VALUES_MAX) {
        texts->many = true;
        return true;
    }
    infer_value added = {text, length, count, reading.flags, texts->list, place};
    return add_value(texts, store, &added);
}

bool bake_infer_texts_merge(infer_texts *texts, bake_store *store, const infer_texts *from)
{
    uint64_t count = texts->count + from->count, quoted = texts->quoted + from->quoted;
    texts->list = 0;
    texts->repeats = texts->repeats || from->repeats;
    for (uint32_t i = 0; i < from->value_count; i++) {
        const infer_value *value = &from->values[i];
        if (!bake_infer_texts_add(texts, store, value->text, value->length, value->first,
                                  (value->flags | (from->some & INFER_TEXT)) &
                                      (INFER_QUOTED | INFER_BINARY | INFER_TEXT),
                                  value->count))
            return false;
    }
    /* Some strings of `from` are not stored, so merge its flags and ranges as well. */
    if (from->many) {
        texts->many = true;
        texts->all &= from->all;
        texts->some |= from->some;
        texts->highest = texts->highest > from->highest ? texts->highest : from->highest;
        texts->lowest = texts->lowest > from->lowest ? texts->lowest : from->lowest;
        texts->least = texts->least < from->least ? texts->least : from->least;
        texts->most = texts->most > from->most ? texts->most : from->most;
        texts->dimensions = texts->dimensions == from->dimensions ? texts->dimensions : 0;
        texts->digits = texts->digits == from->digits ? texts->digits : 0;
        texts->units = texts->units == from->units ? texts->units : INFER_UNITS_MIXED;
        texts->longest = texts->longest > from->longest ? texts->longest : from->longest;
    }
    texts->count = count;
    texts->quoted = quoted;
    return true;
}

const infer_value *bake_infer_texts_most(const infer_texts *texts)
{
    const infer_value *most = NULL;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        if (!most || value->count > most->count) {
            most = value;
        } else if (value->count == most->count) {
            if (bake_compare_text(value->text, value->length, most->text, most->length) < 0)
                most = value;
        }
    }
    return most;
}

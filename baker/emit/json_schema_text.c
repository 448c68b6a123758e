/* The JSON Schema of scalars. Editors follow YAML's core schema and read a plain scalar as a
 * number, bool or string, while the baker reads only its text. So each schema accepts all types
 * that its values can look like: numbers with bounds, and strings with an equivalent pattern. */
#include "json_schema_writer.h"

#include "ascii.h"
#include "scalar_parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of enums, flag sets and alternatives ---- */

/* Parses an integer of the core schema (YAML 1.2, section 10.3.2). */
static bool core_integer(const char *text, char *ret_token)
{
    static const struct {
        const char *prefix, *digits;
        int base;
    } forms[] = {
        {"0x", "0123456789abcdefABCDEF", 16}, {"0o", "01234567", 8}, {"", "0123456789", 10}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *at = text;
        if (forms[i].base == 10 && (*at == '-' || *at == '+'))
            at++;
        size_t length = strlen(forms[i].prefix);
        if (strncmp(at, forms[i].prefix, length) != 0)
            continue;
        at += length;
        if (!*at || at[strspn(at, forms[i].digits)])
            continue;
        /* JSON has only decimal integers. */
        unsigned long long number = strtoull(at, NULL, forms[i].base);
        snprintf(ret_token, 40, "%s%llu", *text == '-' ? "-" : "", number);
        return true;
    }
    return false;
}

/* Whether YAML's core schema reads the plain scalar as a string. Otherwise `ret_token` is the value
 * in JSON. */
static bool is_string(const char *text, char ret_token[40])
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const bools[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
    double number;
    *ret_token = '\0';
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (strcmp(nulls[i], text) == 0)
            return true; /* plain, it would be null, so such a name is always quoted */
    for (size_t i = 0; i < sizeof bools / sizeof *bools; i++)
        if (strcmp(bools[i], text) == 0) {
            snprintf(ret_token, 40, "%s", i < 3 ? "true" : "false");
            return false;
        }
    if (core_integer(text, ret_token))
        return false;
    if (!strchr(text, '_') && bake_parse_f64(text, strlen(text), &number) == BAKE_PARSE_OK &&
        bake_is_digit(text[strspn(text, "+-.")])) {
        snprintf(ret_token, 40, "%.17g", number);
        return false;
    }
    return true;
}

void bake_js_names(json_schema *s, const kiln_type *of, bool only_valueless)
{
    char token[40];
    bake_json_open(&s->json, "enum", '[');
    for (uint32_t m = 0; m < of->member_count; m++) {
        const kiln_member *member = &of->members[m];
        for (uint32_t w = 0; w <= member->was_count; w++) {
            const char *name = w ? member->was[w - 1] : member->name;
            if (only_valueless && member->type != KILN_TYPE_NONE)
                continue;
            bake_json_text(&s->json, NULL, name);
            if (!is_string(name, token) && *token)
                bake_json_raw(&s->json, NULL, token);
        }
    }
    bake_json_close(&s->json, '[');
}

/* Writes the docs that editors show for each name. */
static void describe_names(json_schema *s, const kiln_type *of)
{
    char token[40];
    bool any = false;
    for (uint32_t m = 0; m < of->member_count; m++)
        any = any || *of->members[m].doc;
    if (!any)
        return;
    bake_json_open(&s->json, "enumDescriptions", '[');
    for (uint32_t m = 0; m < of->member_count; m++)
        for (uint32_t w = 0; w <= of->members[m].was_count; w++) {
            const char *name = w ? of->members[m].was[w - 1] : of->members[m].name;
            bake_json_text(&s->json, NULL, of->members[m].doc);
            if (!is_string(name, token) && *token)
                bake_json_text(&s->json, NULL, of->members[m].doc);
        }
    bake_json_close(&s->json, '[');
}

void bake_js_put_any_case(json_schema *s, const char *name)
{
    char letter[2] = {0, 0};
    for (; *name; name++) {
        letter[0] = *name;
        if (bake_is_alphabetic(*name)) {
            char both[5] = {'[', *name,
                            bake_is_lower(*name) ? bake_upper(*name) : bake_lower(*name), ']',
                            '\0'};
            bake_c_put(&s->text, both);
        } else {
            bake_js_put_escaped(s, letter);
        }
    }
}

static void put_word(json_schema *s, const char *word, bool any_case)
{
    if (any_case)
        bake_js_put_any_case(s, word);
    else
        bake_js_put_escaped(s, word);
}

/* Appends a regular expression for the names of an enum or flag set, with earlier names and
 * prefixes. */
static void put_names(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    const bake_type_info *info = &s->schema->info[type];
    bool any_case = info->forms & BAKE_ANY_CASE;
    uint32_t prefixes = info->words ? info->words->prefix_count : 0;
    bake_c_put(&s->text, prefixes ? "(?:(?:" : "(?:");
    for (uint32_t i = 0; i < prefixes; i++) {
        bake_c_put(&s->text, i ? "|" : "");
        put_word(s, info->words->prefixes[i], any_case);
    }
    bake_c_put(&s->text, prefixes ? ")?(?:" : "");
    for (uint32_t m = 0; m < of->member_count; m++) {
        for (uint32_t w = 0; w <= of->members[m].was_count; w++) {
            bake_c_put(&s->text, m || w ? "|" : "");
            put_word(s, w ? of->members[m].was[w - 1] : of->members[m].name, any_case);
        }
    }
    bake_c_put(&s->text, prefixes ? ")" : "");
    if (info->words && info->words->none) {
        bake_c_put(&s->text, "|");
        put_word(s, info->words->none, any_case);
    }
    bake_c_put(&s->text, ")");
}

static void write_names_pattern(json_schema *s, uint32_t type)
{
    bake_js_begin_pattern(s);
    put_names(s, type);
    bake_js_end_pattern(s, "pattern");
}

/* Writes an enum, or one name of a flag set. */
static void write_name(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    /* Editors complete and describe the names in `enum`. Other spellings are valid but not
     * suggested, so they are a separate pattern. */
    bool has_forms = s->schema->info[type].forms & (BAKE_ANY_CASE | BAKE_PREFIX | BAKE_NONE);
    if (has_forms) {
        bake_json_open(&s->json, "anyOf", '[');
        bake_json_open(&s->json, NULL, '{');
    }
    bake_js_names(s, of, false);
    describe_names(s, of);
    if (!has_forms)
        return;
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    bake_json_text(&s->json, "type", "string");
    write_names_pattern(s, type);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '[');
}

/* Writes names joined by `,` or `|`. A name that contains such a character can be written only on
 * its own. */
static void write_joined_names(json_schema *s, uint32_t type)
{
    bake_json_text(&s->json, "type", "string");
    bake_js_begin_pattern(s);
    bake_c_put(&s->text, " *");
    put_names(s, type);
    bake_c_put(&s->text, "(?: *[,|] *");
    put_names(s, type);
    bake_c_put(&s->text, ")* *");
    bake_js_end_pattern(s, "pattern");
}

/* Writes a mapping of names to bools. */
static void write_name_mapping(json_schema *s, uint32_t type)
{
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "propertyNames", '{');
    write_names_pattern(s, type);
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "additionalProperties", '{');
    bake_js_bool(s);
    bake_json_close(&s->json, '{');
}

static void write_flags(json_schema *s, uint32_t type)
{
    bake_json_open(&s->json, "anyOf", '[');
    bake_json_open(&s->json, NULL, '{');
    write_name(s, type);
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    write_joined_names(s, type);
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    bake_json_text(&s->json, "type", "array");
    bake_json_open(&s->json, "items", '{');
    write_name(s, type);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    write_name_mapping(s, type);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '[');
}

/* ---- scalars ---- */

/* The number syntax of scalar_parse.c: `_` between digits, prefixes for other bases, no C-style
 * octal. Unsigned types also accept a negative zero. */
#define DIGITS(digit) digit "+(?:_" digit "+)*"
#define UNSIGNED                                                                                   \
    "(?:0x" DIGITS("[0-9a-fA-F]") "|0o" DIGITS("[0-7]") "|0b" DIGITS("[01]") "|" DIGITS("[0-9]") ")"
#define DECIMAL                                                                                    \
    "(?:" DIGITS("[0-9]") "(?:\\.(?:" DIGITS("[0-9]") ")?)?|\\." DIGITS(                           \
        "[0-9]") ")(?:[eE][-+]?" DIGITS("[0-9]") ")?"

static const char signed_text[] = "[-+]?" UNSIGNED;
static const char unsigned_text[] = "(?:\\+?" UNSIGNED "|-(?:0x|0o|0b)?0+)";
static const char float_text[] =
    "(?:[-+]?(?:" DECIMAL "|" UNSIGNED "|\\.?[iI][nN][fF])|\\.?[nN][aA][nN])";
static const char id_text[] = "[^\\u0000-\\u001f]+";
static const char listed_id_text[] = "[^\\u0000-\\u001f,]+";
static const char name_text[] = "[A-Za-z0-9_.-]+/";
#define SPACE "[ \\t\\n\\r]*"
#define DIGIT "[A-Za-z0-9+/]" SPACE
/* White space can be anywhere. Unused bits of the last digit must be zero (RFC 4648, section 3.5).
 * So only 16 different digits can precede `=`, and only 4 can precede `==`. */
static const char base64_text[] =
    SPACE "(?:(?:" DIGIT "){4})*(?:(?:" DIGIT "){2}[AEIMQUYcgkosw048]" SPACE "=" SPACE "|" DIGIT
          "[AQgw]" SPACE "=" SPACE "=" SPACE ")?";

bool bake_js_is_one_text(const json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, bake_js_unwrapped(s, type, NULL));
    if (of->kind == KILN_KIND_OPTIONAL)
        return bake_js_is_one_text(s, of->element);
    return of->kind <= KILN_KIND_STRING || of->kind == KILN_KIND_REF || of->kind == KILN_KIND_ENUM;
}

/* Returns the unit of a field, or 0. */
static bake_unit unit_of(const json_schema *s, const kiln_member *field)
{
    /* A kiln_member has no link to its struct, so search all types. Only schemas with units pay for
     * this. */
    for (uint32_t t = 0; field && s->schema->has_units && t < kiln_types_count(s->types); t++) {
        const kiln_type *of = kiln_types_get(s->types, t);
        for (uint32_t m = 0; m < of->member_count; m++)
            if (&of->members[m] == field)
                return s->schema->members[s->schema->info[t].first_member + m].unit;
    }
    return 0;
}

/* Appends a pattern for a number with an optional unit. */
static void put_number(json_schema *s, const char *number, const kiln_member *field)
{
    char names[80];
    bake_unit unit = unit_of(s, field);
    if (!unit) {
        bake_c_put(&s->text, number);
        return;
    }
    BAKE_C_EMIT(&s->text, "(?:$1|[-+]?" DECIMAL " *(?:", number);
    bake_unit_list(unit, names, sizeof names);
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, ",");
        bake_c_put(&s->text, at == names ? "" : "|");
        bake_c_put_bytes(&s->text, at, length);
        at += length + strspn(at + length, ", ");
    }
    bake_c_put(&s->text, "))");
}

void bake_js_put_text(json_schema *s, uint32_t type, const kiln_member *field, bool in_list)
{
    type = bake_js_unwrapped(s, type, &field);
    const kiln_type *of = kiln_types_get(s->types, type);
    switch (of->kind) {
    case KILN_KIND_BOOL:
        bake_c_put(&s->text, JS_BOOL_PATTERN);
        break;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        put_number(s, float_text, field);
        break;
    case KILN_KIND_STRING:
        bake_c_put(&s->text, in_list ? "[^\\u0000,]*" : "[^\\u0000]*");
        break;
    case KILN_KIND_BYTES:
        /* JSON Schema cannot describe the tag `!file`, so also accept strings with a non-base64
         * character, which almost all paths contain. */
        bake_c_put(&s->text, base64_text);
        bake_c_put(&s->text, "|[^\\u0000]*[^A-Za-z0-9+/= \\t\\n\\r][^\\u0000]*");
        break;
    case KILN_KIND_REF:
        bake_c_put(&s->text, of->element == KILN_TYPE_NONE ? name_text : "");
        bake_c_put(&s->text, in_list ? listed_id_text : id_text);
        break;
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
        put_names(s, type);
        break;
    case KILN_KIND_OPTIONAL:
        bake_c_put(&s->text, "(?:");
        bake_js_put_text(s, of->element, field, in_list);
        bake_c_put(&s->text, ")?");
        break;
    case KILN_KIND_FIXED:
        /* One element, then a repeated group of a comma and an element, so the pattern does not
         * grow with the array. */
        for (uint32_t i = 0; i < 2 && i < of->count; i++) {
            char more[40];
            snprintf(more, sizeof more, "){%u}", (unsigned)of->count - 1);
            bake_c_put(&s->text, i ? "(?:, *" : " *");
            bake_js_put_text(s, of->element, NULL, true);
            bake_c_put(&s->text, " *");
            bake_c_put(&s->text, i ? more : "");
        }
        break;
    default:
        put_number(s, kiln_kind_is_signed(of->kind) ? signed_text : unsigned_text, field);
    }
}

static void write_bound(json_schema *s, const char *key, kiln_kind kind, uint64_t bits)
{
    char token[40];
    double number;
    if (kiln_kind_is_float(kind)) {
        memcpy(&number, &bits, sizeof number);
        if (number - number != 0)
            return; /* an infinite bound has no effect */
        snprintf(token, sizeof token, "%.17g", number);
    } else if (kiln_kind_is_signed(kind)) {
        snprintf(token, sizeof token, "%" PRId64, (int64_t)bits);
    } else {
        snprintf(token, sizeof token, "%" PRIu64, bits);
    }
    bake_json_raw(&s->json, key, token);
}

/* Writes `minimum` and `maximum`: the range of the field, or else of the kind. */
static void write_bounds(json_schema *s, kiln_kind kind, const kiln_member *field)
{
    uint32_t flags = field ? field->flags : 0;
    if (flags & KILN_MEMBER_HAS_MIN)
        write_bound(s, "minimum", kind, field->min);
    else if (kiln_kind_is_integer(kind))
        write_bound(s, "minimum", kind, bake_kind_min(kind));
    if (flags & KILN_MEMBER_HAS_MAX)
        write_bound(s, "maximum", kind, field->max);
    else if (kiln_kind_is_integer(kind))
        write_bound(s, "maximum", kind, bake_kind_max(kind));
}

void bake_js_lengths(json_schema *s, const kiln_member *field, const char *min, const char *max,
                     unsigned divisor)
{
    /* In strings, the baker counts UTF-8 bytes, but JSON Schema counts code points, of up to 4
     * bytes each. So the minimum is divided by 4, rounding up. The maximum stays, because a string
     * has at most as many code points as bytes. */
    uint32_t flags = field ? field->flags : 0;
    if ((flags & KILN_MEMBER_HAS_MIN) && field->min > 0)
        bake_json_number(&s->json, min, (field->min - 1) / divisor + 1);
    if (flags & KILN_MEMBER_HAS_MAX)
        bake_json_number(&s->json, max, field->max);
}

static void write_pattern(json_schema *s, uint32_t type, const kiln_member *field)
{
    bake_js_begin_pattern(s);
    bake_js_put_text(s, type, field, false);
    bake_js_end_pattern(s, "pattern");
}

static void write_bytes(json_schema *s, uint32_t type, const kiln_member *field)
{
    bake_js_types_or_null(s, JS_SCALARS " array"); /* `1234` is base64, and so is `true` */
    write_pattern(s, type, field);
    bake_json_open(&s->json, "items", '{');
    bake_js_types_or_null(s, "integer string");
    write_bounds(s, KILN_KIND_U8, NULL);
    bake_js_begin_pattern(s);
    bake_c_put(&s->text, unsigned_text);
    bake_js_end_pattern(s, "pattern");
    bake_json_close(&s->json, '{');
    bake_js_lengths(s, field, "minItems", "maxItems", 1);
}

void bake_js_entity(json_schema *s)
{
    bake_js_types(s, JS_SCALARS " null");
}

void bake_js_scalar(json_schema *s, uint32_t type, const kiln_member *field)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    switch (of->kind) {
    case KILN_KIND_BOOL:
        bake_js_bool(s);
        break;
    case KILN_KIND_STRING:
        bake_js_types_or_null(s, JS_SCALARS);
        bake_js_lengths(s, field, "minLength", "maxLength", 4); /* bytes, not code points */
        break;
    case KILN_KIND_REF:
        if (of->element == KILN_TYPE_NONE)
            bake_js_types_or_null(s, "string");
        else
            bake_js_types_or_null(s, JS_SCALARS);
        write_pattern(s, type, field);
        break;
    case KILN_KIND_ENTITY:
        bake_js_entity(s);
        break;
    case KILN_KIND_ENUM:
        write_name(s, type);
        break;
    case KILN_KIND_FLAGS:
        write_flags(s, type);
        break;
    case KILN_KIND_BYTES:
        write_bytes(s, type, field);
        break;
    default:
        bake_js_types_or_null(s, kiln_kind_is_float(of->kind) ? "number string" : "integer string");
        write_bounds(s, of->kind, field);
        write_pattern(s, type, field);
    }
}

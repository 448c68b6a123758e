/* Scalars in a JSON Schema. A plain scalar is a number, a bool or a string to an editor, by YAML's
 * core schema; to the baker all are texts. */
#include "json_schema_writer.h"

#include "scalar_parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS(digit) digit "+(?:_" digit "+)*"
#define UNSIGNED                                                                                   \
    "(?:0x" DIGITS("[0-9a-fA-F]") "|0o" DIGITS("[0-7]") "|0b" DIGITS("[01]") "|" DIGITS("[0-9]") ")"
#define DECIMAL                                                                                    \
    "(?:" DIGITS("[0-9]") "(?:\\.(?:" DIGITS("[0-9]") ")?)?|\\." DIGITS(                           \
        "[0-9]") ")(?:[eE][-+]?" DIGITS("[0-9]") ")?"

static const char bool_text[] = "(?:true|True|TRUE|false|False|FALSE)";
static const char signed_text[] = "[-+]?" UNSIGNED;
static const char unsigned_text[] = "(?:\\+?" UNSIGNED "|-(?:0x|0o|0b)?0+)";
static const char float_text[] =
    "(?:[-+]?(?:" DECIMAL "|" UNSIGNED "|\\.?[iI][nN][fF])|\\.?[nN][aA][nN])";
static const char id_text[] = "[^\\u0000-\\u001f]+";
static const char listed_id_text[] = "[^\\u0000-\\u001f,]+";
static const char name_text[] = "[A-Za-z0-9_.-]+/";
#define SPACE "[ \\t\\n\\r]*"
#define DIGIT "[A-Za-z0-9+/]" SPACE
static const char base64_text[] =
    SPACE "(?:(?:" DIGIT "){4})*(?:(?:" DIGIT "){2}[AEIMQUYcgkosw048]" SPACE "=" SPACE "|" DIGIT
          "[AQgw]" SPACE "=" SPACE "=" SPACE ")?";

void bake_js_begin_pattern(json_schema *s)
{
    s->text.size = 0;
    bake_c_put(&s->text, "^(?:");
}

void bake_js_end_pattern(json_schema *s, const char *key)
{
    bake_c_put(&s->text, ")$");
    bake_c_put_bytes(&s->text, "", 1);
    if (!s->text.failed)
        bake_json_text(&s->json, key, s->text.data);
}

void bake_js_put_escaped(json_schema *s, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\^$.|?*+()[]{}/", *text))
            bake_c_put_bytes(&s->text, "\\", 1);
        bake_c_put_bytes(&s->text, text, 1);
    }
}

static void put_names(json_schema *s, const kiln_type *of)
{
    bake_c_put(&s->text, "(?:");
    for (uint32_t m = 0; m < of->member_count; m++) {
        for (uint32_t w = 0; w <= of->members[m].was_count; w++) {
            bake_c_put(&s->text, m || w ? "|" : "");
            bake_js_put_escaped(s, w ? of->members[m].was[w - 1] : of->members[m].name);
        }
    }
    bake_c_put(&s->text, ")");
}

bool bake_js_is_one_text(const json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, bake_js_unwrapped(s, type, NULL));
    if (of->kind == KILN_KIND_OPTIONAL)
        return bake_js_is_one_text(s, of->element);
    return of->kind <= KILN_KIND_STRING || of->kind == KILN_KIND_REF || of->kind == KILN_KIND_ENUM;
}

void bake_js_put_text(json_schema *s, uint32_t type, bool in_list)
{
    const kiln_type *of = kiln_types_get(s->types, bake_js_unwrapped(s, type, NULL));
    switch (of->kind) {
    case KILN_KIND_BOOL:
        bake_c_put(&s->text, bool_text);
        break;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        bake_c_put(&s->text, float_text);
        break;
    case KILN_KIND_STRING:
        bake_c_put(&s->text, in_list ? "[^\\u0000,]*" : "[^\\u0000]*");
        break;
    case KILN_KIND_BYTES:
        bake_c_put(&s->text, base64_text);
        break;
    case KILN_KIND_REF:
        bake_c_put(&s->text, of->element == KILN_TYPE_NONE ? name_text : "");
        bake_c_put(&s->text, in_list ? listed_id_text : id_text);
        break;
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
        put_names(s, of);
        break;
    case KILN_KIND_OPTIONAL:
        bake_c_put(&s->text, "(?:");
        bake_js_put_text(s, of->element, in_list);
        bake_c_put(&s->text, ")?");
        break;
    case KILN_KIND_FIXED:
        for (uint32_t i = 0; i < 2 && i < of->count; i++) {
            char more[40];
            snprintf(more, sizeof more, "){%u}", (unsigned)of->count - 1);
            bake_c_put(&s->text, i ? "(?:, *" : " *");
            bake_js_put_text(s, of->element, true);
            bake_c_put(&s->text, " *");
            bake_c_put(&s->text, i ? more : "");
        }
        break;
    default:
        bake_c_put(&s->text, kiln_kind_is_signed(of->kind) ? signed_text : unsigned_text);
    }
}

void bake_js_type(json_schema *s, const char *name)
{
    bake_json_text(&s->json, NULL, name);
}

/* ---- bounds ---- */

static void bound(json_schema *s, const char *key, kiln_kind kind, uint64_t bits)
{
    char token[40];
    double number;
    if (kiln_kind_is_float(kind)) {
        memcpy(&number, &bits, sizeof number);
        if (number - number != 0)
            return; /* an infinity bounds nothing */
        snprintf(token, sizeof token, "%.17g", number);
    } else if (kiln_kind_is_signed(kind)) {
        snprintf(token, sizeof token, "%" PRId64, (int64_t)bits);
    } else {
        snprintf(token, sizeof token, "%" PRIu64, bits);
    }
    bake_json_raw(&s->json, key, token);
}

void bake_js_bounds(json_schema *s, kiln_kind kind, const kiln_member *field)
{
    uint32_t flags = field ? field->flags : 0;
    if (flags & KILN_MEMBER_HAS_MIN)
        bound(s, "minimum", kind, field->min);
    else if (kiln_kind_is_integer(kind))
        bound(s, "minimum", kind, bake_kind_min(kind));
    if (flags & KILN_MEMBER_HAS_MAX)
        bound(s, "maximum", kind, field->max);
    else if (kiln_kind_is_integer(kind))
        bound(s, "maximum", kind, bake_kind_max(kind));
}

void bake_js_lengths(json_schema *s, const kiln_member *field, const char *min, const char *max,
                     unsigned divisor)
{
    uint32_t flags = field ? field->flags : 0;
    if ((flags & KILN_MEMBER_HAS_MIN) && field->min > 0)
        bake_json_number(&s->json, min, (field->min - 1) / divisor + 1);
    if (flags & KILN_MEMBER_HAS_MAX)
        bake_json_number(&s->json, max, field->max);
}

/* ---- names ---- */

/* The integer forms of YAML's core schema. */
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
        unsigned long long number = strtoull(at, NULL, forms[i].base);
        snprintf(ret_token, 40, "%s%llu", *text == '-' ? "-" : "", number);
        return true;
    }
    return false;
}

bool bake_js_is_string(const char *text, char ret_token[40])
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const bools[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
    double number;
    *ret_token = '\0';
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (strcmp(nulls[i], text) == 0)
            return true; /* plain it is nothing, so it is quoted */
    for (size_t i = 0; i < sizeof bools / sizeof *bools; i++)
        if (strcmp(bools[i], text) == 0) {
            snprintf(ret_token, 40, "%s", i < 3 ? "true" : "false");
            return false;
        }
    if (core_integer(text, ret_token))
        return false;
    if (!strchr(text, '_') && bake_parse_f64(text, strlen(text), &number) == BAKE_PARSE_OK &&
        text[strspn(text, "+-.")] >= '0' && text[strspn(text, "+-.")] <= '9') {
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
            if (!bake_js_is_string(name, token) && *token)
                bake_json_raw(&s->json, NULL, token);
        }
    }
    bake_json_close(&s->json, '[');
}

/* What editors show beside each name. */
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
            if (!bake_js_is_string(name, token) && *token)
                bake_json_text(&s->json, NULL, of->members[m].doc);
        }
    bake_json_close(&s->json, '[');
}

/* ---- schemas ---- */

static void types(json_schema *s, const char *first, const char *second, const char *third)
{
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, first);
    if (second)
        bake_js_type(s, second);
    if (third)
        bake_js_type(s, third);
    bake_json_close(&s->json, '[');
}

static void pattern_of(json_schema *s, uint32_t type)
{
    bake_js_begin_pattern(s);
    bake_js_put_text(s, type, false);
    bake_js_end_pattern(s, "pattern");
}

/* Names joined by `,` or `|`, or a list of names. A name that has such a byte stands alone. */
static void flags(json_schema *s, const kiln_type *of)
{
    bake_json_open(&s->json, "anyOf", '[');
    bake_json_open(&s->json, NULL, '{');
    bake_js_names(s, of, false);
    describe_names(s, of);
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    bake_json_text(&s->json, "type", "string");
    bake_js_begin_pattern(s);
    bake_c_put(&s->text, " *");
    put_names(s, of);
    bake_c_put(&s->text, "(?: *[,|] *");
    put_names(s, of);
    bake_c_put(&s->text, ")* *");
    bake_js_end_pattern(s, "pattern");
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    bake_json_text(&s->json, "type", "array");
    bake_json_open(&s->json, "items", '{');
    bake_js_names(s, of, false);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '[');
}

static void bytes(json_schema *s, uint32_t type, const kiln_member *field)
{
    bake_json_open(&s->json, "type", '[');
    bake_js_type(s, "string");
    bake_js_type(s, "number"); /* `1234` is base64, and so is `true` */
    bake_js_type(s, "boolean");
    bake_js_type(s, "array");
    bake_json_close(&s->json, '[');
    pattern_of(s, type);
    bake_json_open(&s->json, "items", '{');
    types(s, "integer", "string", NULL);
    bake_js_bounds(s, KILN_KIND_U8, NULL);
    bake_js_begin_pattern(s);
    bake_c_put(&s->text, unsigned_text);
    bake_js_end_pattern(s, "pattern");
    bake_json_close(&s->json, '{');
    bake_js_lengths(s, field, "minItems", "maxItems", 1);
}

void bake_js_scalar(json_schema *s, uint32_t type, const kiln_member *field)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    switch (of->kind) {
    case KILN_KIND_BOOL:
        types(s, "boolean", "string", NULL);
        pattern_of(s, type);
        break;
    case KILN_KIND_STRING:
        types(s, "string", "number", "boolean");
        bake_js_lengths(s, field, "minLength", "maxLength", 4); /* bytes, not letters */
        break;
    case KILN_KIND_REF:
        if (of->element == KILN_TYPE_NONE)
            types(s, "string", NULL, NULL);
        else
            types(s, "string", "number", "boolean");
        pattern_of(s, type);
        break;
    case KILN_KIND_ENTITY:
        bake_json_open(&s->json, "type", '[');
        bake_js_type(s, "string");
        bake_js_type(s, "number");
        bake_js_type(s, "boolean");
        bake_js_type(s, "null");
        bake_json_close(&s->json, '[');
        break;
    case KILN_KIND_ENUM:
        bake_js_names(s, of, false);
        describe_names(s, of);
        break;
    case KILN_KIND_FLAGS:
        flags(s, of);
        break;
    case KILN_KIND_BYTES:
        bytes(s, type, field);
        break;
    default:
        types(s, kiln_kind_is_float(of->kind) ? "number" : "integer", "string", NULL);
        bake_js_bounds(s, of->kind, field);
        pattern_of(s, type);
    }
}

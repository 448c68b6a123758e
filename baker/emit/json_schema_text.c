/* Scalars in a JSON Schema. A plain scalar is a number, a bool or a string to an editor, by YAML's
 * core schema; to the baker all are texts. */
#include "json_schema_writer.h"

#include "scalar_parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* The unit that the field's numbers are in; 0. */
static bake_unit unit_of(const json_schema *s, const kiln_member *field)
{
    for (uint32_t t = 0; field && s->schema->has_units && t < kiln_types_count(s->types); t++) {
        const kiln_type *of = kiln_types_get(s->types, t);
        for (uint32_t m = 0; m < of->member_count; m++)
            if (&of->members[m] == field)
                return s->schema->members[s->schema->info[t].first_member + m].unit;
    }
    return 0;
}

/* A number, also with a unit behind it. */
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
        /* The path of a `!file`, whose tag is not seen, most often has a letter of no base64. */
        bake_c_put(&s->text, base64_text);
        bake_c_put(&s->text, "|[^\\u0000]*[^A-Za-z0-9+/= \\t\\n\\r][^\\u0000]*");
        break;
    case KILN_KIND_REF:
        bake_c_put(&s->text, of->element == KILN_TYPE_NONE ? name_text : "");
        bake_c_put(&s->text, in_list ? listed_id_text : id_text);
        break;
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
        bake_js_put_names(s, type);
        break;
    case KILN_KIND_OPTIONAL:
        bake_c_put(&s->text, "(?:");
        bake_js_put_text(s, of->element, field, in_list);
        bake_c_put(&s->text, ")?");
        break;
    case KILN_KIND_FIXED:
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

/* ---- schemas ---- */

static void pattern_of(json_schema *s, uint32_t type, const kiln_member *field)
{
    bake_js_begin_pattern(s);
    bake_js_put_text(s, type, field, false);
    bake_js_end_pattern(s, "pattern");
}

static void bytes(json_schema *s, uint32_t type, const kiln_member *field)
{
    bake_js_types_or_null(s, JS_SCALARS " array"); /* `1234` is base64, and so is `true` */
    pattern_of(s, type, field);
    bake_json_open(&s->json, "items", '{');
    bake_js_types_or_null(s, "integer string");
    bake_js_bounds(s, KILN_KIND_U8, NULL);
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
        bake_js_lengths(s, field, "minLength", "maxLength", 4); /* bytes, not letters */
        break;
    case KILN_KIND_REF:
        if (of->element == KILN_TYPE_NONE)
            bake_js_types_or_null(s, "string");
        else
            bake_js_types_or_null(s, JS_SCALARS);
        pattern_of(s, type, field);
        break;
    case KILN_KIND_ENTITY:
        bake_js_entity(s);
        break;
    case KILN_KIND_ENUM:
        bake_js_enum(s, type);
        break;
    case KILN_KIND_FLAGS:
        bake_js_flags(s, type);
        break;
    case KILN_KIND_BYTES:
        bytes(s, type, field);
        break;
    default:
        bake_js_types_or_null(s, kiln_kind_is_float(of->kind) ? "number string" : "integer string");
        bake_js_bounds(s, of->kind, field);
        pattern_of(s, type, field);
    }
}

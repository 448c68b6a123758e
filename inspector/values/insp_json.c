/* The format for programs: JSON with keys in the order of the types. Each item is on its own line,
 * except in vectors and lists of numbers.
 *
 *     {"format": 1, "assets": {"Item/sword": {"type": "game.Item", "value": ...}}}
 *
 * Integers beyond 2^53, infinities and NaN are strings. Enums are {"name", "value"}, flags
 * {"names", "value"}, references {"name", "id"}, unions {alternative: value}, bytes base64. */
#include "insp_escape.h"
#include "insp_format.h"
#include "insp_number.h"
#include "insp_scalar.h"

#include <inttypes.h>
#include <string.h>

static void begin_item(insp_printer *p)
{
    if (!p->first)
        insp_put_char(p->out, ',');
    /* Wrap long lists of numbers, because editors and diff tools work on lines. */
    if (!p->one_line && (!p->flow || p->out->column > INSP_JSON_WRAP_AT))
        insp_put_line(p->out, (size_t)p->indent);
    else if (!p->first)
        insp_put_char(p->out, ' ');
    p->first = false;
}

static void open_with(insp_printer *p, char bracket)
{
    insp_put_char(p->out, bracket);
    p->indent += INSP_JSON_INDENT;
    p->first = true;
}

static void close_with(insp_printer *p, char bracket)
{
    p->indent -= INSP_JSON_INDENT;
    if (!p->first && !p->flow && !p->one_line)
        insp_put_line(p->out, (size_t)p->indent);
    insp_put_char(p->out, bracket);
    p->first = false;
}

static void json_begin(insp_printer *p)
{
    open_with(p, '{');
    begin_item(p);
    insp_put(p->out, "\"format\": 1");
    begin_item(p);
    insp_put(p->out, "\"assets\": ");
    open_with(p, '{');
}

static void json_end(insp_printer *p)
{
    close_with(p, '}');
    close_with(p, '}');
    insp_put_char(p->out, '\n');
}

static void json_asset(insp_printer *p, const insp_asset *asset)
{
    insp_text type = insp_asset_type_name(p->file, asset);
    begin_item(p);
    insp_put_json_string(p->out, asset->name.data, asset->name.length);
    insp_put(p->out, ": ");
    open_with(p, '{');
    begin_item(p);
    insp_put(p->out, "\"type\": ");
    insp_put_json_string(p->out, type.data, type.length);
    begin_item(p);
    insp_put(p->out, "\"value\": ");
}

static void json_asset_end(insp_printer *p)
{
    close_with(p, '}');
}

static void json_alone(insp_printer *p)
{
    p->indent = 0;
}

static bool is_object(const kiln_value *value)
{
    return value->of->kind != KILN_KIND_ARRAY && value->of->kind != KILN_KIND_FIXED;
}

static void json_open(insp_printer *p, const kiln_value *value, uint32_t count)
{
    (void)count;
    open_with(p, is_object(value) ? '{' : '[');
    p->flow = insp_is_flow(value) || insp_is_vector(value);
}

static void json_close(insp_printer *p, const kiln_value *value)
{
    close_with(p, is_object(value) ? '}' : ']');
    p->flow = 0;
}

static void json_field(insp_printer *p, const kiln_member *member, const kiln_value *value)
{
    (void)value;
    begin_item(p);
    insp_put_json_string(p->out, member->name, strlen(member->name));
    insp_put_word(p->out, ": ", 2);
}

static void json_element(insp_printer *p, uint32_t number)
{
    (void)number;
    begin_item(p);
}

static void json_key(insp_printer *p, const kiln_value *key)
{
    begin_item(p);
    insp_put_key(p, key, insp_put_json_string);
    insp_put(p->out, ": ");
}

/* Never called, because JSON lists are never shortened. */
static void json_elided(insp_printer *p, uint32_t count)
{
    (void)p;
    (void)count;
}

static bool is_signed(const kiln_value *value)
{
    return kiln_kind_is_signed(value->of->kind == KILN_KIND_ENUM ? value->of->base
                                                                 : value->of->kind);
}

static void put_number(insp_printer *p, const kiln_value *value)
{
    uint64_t bits = kiln_value_uint(value);
    uint64_t size = is_signed(value) && (int64_t)bits < 0 ? 0 - bits : bits;
    /* Written as a string, a number keeps all digits in parsers that store numbers as f64. */
    bool quoted = size > INSP_JSON_INTEGER_MAX;
    if (quoted)
        insp_put_char(p->out, '"');
    insp_put_integer(p->out, value);
    if (quoted)
        insp_put_char(p->out, '"');
}

static void put_flags(insp_printer *p, const kiln_value *value)
{
    const kiln_member *names[INSP_FLAGS_MAX];
    uint64_t rest;
    uint32_t count = insp_flag_names(value, names, &rest), i;
    p->broken += rest != 0;
    insp_put(p->out, "{\"names\": [");
    for (i = 0; i < count; i++) {
        insp_put(p->out, i ? ", " : "");
        insp_put_json_string(p->out, names[i]->name, strlen(names[i]->name));
    }
    insp_put(p->out, "], \"value\": ");
    put_number(p, value);
    insp_put_char(p->out, '}');
}

static void put_ref(insp_printer *p, const kiln_value *value)
{
    const insp_name *name = insp_ref_name(p, value);
    insp_put(p->out, "{\"name\": ");
    if (name)
        insp_put_json_string(p->out, name->name.data, name->name.length);
    else
        insp_put(p->out, "null");
    insp_putf(p->out, ", \"id\": \"%016" PRIx64 "\"}", kiln_value_uint(value));
}

static void put_float(insp_printer *p, const kiln_value *value)
{
    double number = kiln_value_float(value);
    bool quoted = number - number != 0; /* NaN and infinities, which JSON cannot express */
    if (quoted)
        insp_put_char(p->out, '"');
    insp_put_float(p->out, value, "NaN", "Infinity");
    if (quoted)
        insp_put_char(p->out, '"');
}

static void put_text(insp_printer *p, const kiln_value *value)
{
    const char *text = "";
    uint32_t length = 0;
    kiln_value_text(value, &text, &length);
    if (value->of->kind == KILN_KIND_STRING) {
        insp_put_json_string(p->out, text, length);
        return;
    }
    insp_put_char(p->out, '"');
    insp_put_base64(p->out, text, length);
    insp_put_char(p->out, '"');
}

static void put_enum(insp_printer *p, const kiln_value *value)
{
    const kiln_member *member = kiln_value_member(value);
    if (!member) {
        put_number(p, value);
        return;
    }
    insp_put(p->out, "{\"name\": ");
    insp_put_json_string(p->out, member->name, strlen(member->name));
    insp_put(p->out, ", \"value\": ");
    put_number(p, value);
    insp_put_char(p->out, '}');
}

static void json_scalar(insp_printer *p, const kiln_value *value)
{
    switch (value->of->kind) {
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
        put_text(p, value);
        break;
    case KILN_KIND_FLAGS:
        put_flags(p, value);
        break;
    case KILN_KIND_REF:
        put_ref(p, value);
        break;
    case KILN_KIND_ENUM:
        put_enum(p, value);
        break;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        put_float(p, value);
        break;
    default:
        put_number(p, value);
    }
}

static void json_null(insp_printer *p, const kiln_value *value)
{
    (void)value;
    insp_put(p->out, "null");
}

static void json_choice(insp_printer *p, const kiln_member *member)
{
    insp_put_char(p->out, '{');
    insp_put_json_string(p->out, member->name, strlen(member->name));
    insp_put(p->out, ": null}");
}

static void json_broken(insp_printer *p, const kiln_value *value, kiln_status status)
{
    insp_putf(p->out, "{\"error\": \"%s\", \"offset\": %" PRIu64 "}", insp_rule(status),
              kiln_value_offset(value));
}

static void json_entity(insp_printer *p, const insp_entity *entity)
{
    if (entity->is_null) {
        insp_put(p->out, "null");
    } else if (entity->is_import) {
        insp_put(p->out, "{\"scene\": ");
        insp_put_json_string(p->out, entity->scene.data, entity->scene.length);
        insp_put(p->out, ", \"name\": ");
        insp_put_json_string(p->out, entity->name.data, entity->name.length);
        insp_put_char(p->out, '}');
    } else {
        insp_putf(p->out, "{\"entity\": %" PRIu32 ", \"name\": ", entity->number);
        if (entity->name.length)
            insp_put_json_string(p->out, entity->name.data, entity->name.length);
        else
            insp_put(p->out, "null");
        insp_put_char(p->out, '}');
    }
}

const insp_format insp_format_json = {
    .name = "json",
    .begin = json_begin,
    .end = json_end,
    .asset = json_asset,
    .asset_end = json_asset_end,
    .alone = json_alone,
    .open = json_open,
    .close = json_close,
    .field = json_field,
    .element = json_element,
    .key = json_key,
    .elided = json_elided,
    .scalar = json_scalar,
    .null = json_null,
    .choice = json_choice,
    .broken = json_broken,
    .entity = json_entity,
};

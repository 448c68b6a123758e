/* The human-readable format: one value per line, `name: type = value`, with its parts indented
 * below. */
#include "insp_escape.h"
#include "insp_format.h"
#include "insp_number.h"
#include "insp_scalar.h"
#include "utf8.h"

#include <inttypes.h>
#include <string.h>

/* Strings of more than TEXT_ABOVE bytes are truncated to TEXT_SHOWN bytes; BYTES_* do the same for
 * byte arrays. The note about the omitted part is always shorter than that part. */
enum { INDENT = 2, TEXT_ABOVE = 96, TEXT_SHOWN = 64, BYTES_ABOVE = 24, BYTES_SHOWN = 16 };

static void begin_line(insp_printer *p)
{
    insp_put_spaces(p->out, (size_t)p->indent);
}

/* Elements on one line and a single value have no name, so they get no `=`. */
static void put_equals(insp_printer *p)
{
    if (p->after != INSP_AFTER_START && !p->flow)
        insp_put(p->out, " = ");
    p->after = INSP_AFTER_NAME;
}

static void end_value(insp_printer *p)
{
    if (!p->flow)
        insp_put_char(p->out, '\n');
}

static void tree_asset(insp_printer *p, const insp_asset *asset)
{
    insp_text type = insp_asset_type_name(p->file, asset);
    insp_put_style(p->out, INSP_STYLE_ASSET);
    insp_put_escaped(p->out, asset->name.data, asset->name.length);
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    insp_put(p->out, ": ");
    insp_put_style(p->out, INSP_STYLE_TYPE);
    insp_put_escaped(p->out, type.data, type.length);
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    p->after = INSP_AFTER_NAME;
}

static void put_count(insp_printer *p, const kiln_value *value, uint32_t count)
{
    bool map = value->of->kind == KILN_KIND_MAP;
    char number[INSP_NUMBER_SIZE];
    insp_format_count(number, count);
    insp_put_style(p->out, INSP_STYLE_FAINT);
    insp_putf(p->out, "%s %s", number,
              map          ? (count == 1 ? "entry" : "entries")
              : count == 1 ? "element"
                           : "elements");
    insp_put_style(p->out, INSP_STYLE_PLAIN);
}

static void tree_open(insp_printer *p, const kiln_value *value, uint32_t count)
{
    bool is_list = value->of->kind != KILN_KIND_STRUCT && value->of->kind != KILN_KIND_UNION;
    bool alone = p->after == INSP_AFTER_START; /* no line to end, and none to indent below */
    if (insp_is_flow(value) && count) {
        put_equals(p);
        insp_put_char(p->out, '[');
        p->flow = 1;
        p->first = true;
        return;
    }
    if (is_list) {
        put_equals(p);
        put_count(p, value, count);
    }
    if (!alone || is_list)
        insp_put_char(p->out, '\n');
    p->after = INSP_AFTER_NAME;
    p->indent += alone && !is_list ? 0 : INDENT;
}

/* An empty list has no brackets, although insp_is_flow is true: tree_open has printed its count
 * and increased the indentation. */
static void tree_close(insp_printer *p, const kiln_value *value)
{
    if (insp_is_flow(value) && p->flow) {
        insp_put(p->out, "]\n");
        p->flow = 0;
    } else {
        p->indent = p->indent >= INDENT ? p->indent - INDENT : 0;
    }
}

static void tree_field(insp_printer *p, const kiln_member *member, const kiln_value *value)
{
    begin_line(p);
    insp_put_style(p->out, INSP_STYLE_NAME);
    insp_put_escaped(p->out, member->name, strlen(member->name));
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    insp_put(p->out, ": ");
    insp_put_style(p->out, INSP_STYLE_TYPE);
    insp_put_type(p->out, value->types, value->type);
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    p->after = INSP_AFTER_NAME;
}

static void tree_element(insp_printer *p, uint32_t number)
{
    if (p->flow) {
        insp_put(p->out, p->first ? "" : ", ");
        p->first = false;
        return;
    }
    begin_line(p);
    insp_put_style(p->out, INSP_STYLE_NAME);
    insp_putf(p->out, "[%" PRIu32 "]", number);
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    p->after = INSP_AFTER_NAME;
}

/* Quotes keys that YAML writes as strings: strings, enums, references and fixed arrays. */
static void tree_key(insp_printer *p, const kiln_value *key)
{
    bool quoted = key->of->kind == KILN_KIND_STRING || key->of->kind == KILN_KIND_ENUM ||
                  key->of->kind == KILN_KIND_REF || key->of->kind == KILN_KIND_FIXED;
    begin_line(p);
    insp_put_style(p->out, INSP_STYLE_NAME);
    insp_put_char(p->out, '[');
    insp_put_key(p, key, quoted ? insp_put_quoted : insp_put_escaped);
    insp_put_char(p->out, ']');
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    p->after = INSP_AFTER_NAME;
}

static void tree_elided(insp_printer *p, uint32_t count)
{
    char number[INSP_NUMBER_SIZE];
    insp_format_count(number, count);
    if (p->flow)
        insp_put(p->out, ", ");
    else
        begin_line(p);
    insp_put_style(p->out, INSP_STYLE_FAINT);
    insp_putf(p->out, ".. %s more", number);
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    end_value(p);
}

static void put_string(insp_printer *p, const kiln_value *value)
{
    const char *text = "";
    uint32_t length = 0, shown, code;
    kiln_value_text(value, &text, &length);
    shown = length;
    if (!p->all && length > TEXT_ABOVE)
        /* Truncate between code points, because part of one would be shown as invalid bytes. */
        for (shown = 0; shown < TEXT_SHOWN;) {
            size_t size = utf8_decode(text + shown, length - shown, &code);
            shown += size ? (uint32_t)size : 1;
        }
    insp_put_style(p->out, INSP_STYLE_TEXT);
    insp_put_quoted(p->out, text, shown);
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    if (shown < length)
        insp_putf(p->out, " .. (%" PRIu32 " bytes)", length);
}

static void put_bytes(insp_printer *p, const kiln_value *value)
{
    const char *data = "";
    uint32_t size = 0, shown, i;
    kiln_value_text(value, &data, &size);
    shown = !p->all && size > BYTES_ABOVE ? BYTES_SHOWN : size;
    insp_put_style(p->out, INSP_STYLE_TEXT);
    for (i = 0; i < shown; i++)
        insp_putf(p->out, "%s%02x", i ? " " : "", (unsigned)(unsigned char)data[i]);
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    if (shown < size)
        insp_put(p->out, " ..");
    insp_putf(p->out, "%s(%" PRIu32 " byte%s)", size ? " " : "", size, size == 1 ? "" : "s");
}

static void put_flags(insp_printer *p, const kiln_value *value)
{
    const kiln_member *names[INSP_FLAGS_MAX];
    uint64_t rest;
    uint32_t count = insp_flag_names(value, names, &rest), i;
    insp_put_style(p->out, INSP_STYLE_WORD);
    for (i = 0; i < count; i++) {
        insp_put(p->out, i ? " | " : "");
        insp_put_escaped(p->out, names[i]->name, strlen(names[i]->name));
    }
    if (!count && !rest)
        insp_put(p->out, "none");
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    /* Bits without a name count as broken but are shown, because they may be flags of a newer
     * schema. */
    if (rest) {
        insp_put_style(p->out, INSP_STYLE_BROKEN);
        insp_putf(p->out, "%s0x%" PRIx64, count ? " | " : "", rest);
        insp_put_style(p->out, INSP_STYLE_PLAIN);
        p->broken++;
    }
}

static void put_ref(insp_printer *p, const kiln_value *value)
{
    const insp_name *name = insp_ref_name(p, value);
    if (name) {
        insp_put_style(p->out, INSP_STYLE_WORD);
        insp_put_escaped(p->out, name->name.data, name->name.length);
        insp_put_style(p->out, INSP_STYLE_PLAIN);
        if (name->asset == KILN_ASSET_NONE)
            insp_put_styled(p->out, INSP_STYLE_FAINT, " (in another file)");
        return;
    }
    insp_put_style(p->out, INSP_STYLE_BROKEN);
    insp_putf(p->out, "%016" PRIx64, kiln_value_uint(value));
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    insp_put(p->out, " (name unknown)");
}

static void tree_scalar(insp_printer *p, const kiln_value *value)
{
    const kiln_member *member = kiln_value_member(value);
    put_equals(p);
    if (value->of->kind == KILN_KIND_STRING) {
        put_string(p, value);
    } else if (value->of->kind == KILN_KIND_BYTES) {
        put_bytes(p, value);
    } else if (value->of->kind == KILN_KIND_FLAGS) {
        put_flags(p, value);
    } else if (value->of->kind == KILN_KIND_REF) {
        put_ref(p, value);
    } else if (member) {
        insp_put_style(p->out, INSP_STYLE_WORD);
        insp_put_escaped(p->out, member->name, strlen(member->name));
        insp_put_style(p->out, INSP_STYLE_PLAIN);
    } else {
        insp_put_style(p->out,
                       value->of->kind == KILN_KIND_BOOL ? INSP_STYLE_WORD : INSP_STYLE_NUMBER);
        if (kiln_kind_is_float(value->of->kind))
            insp_put_float(p->out, value, "nan", "inf");
        else
            insp_put_integer(p->out, value);
        insp_put_style(p->out, INSP_STYLE_PLAIN);
    }
    end_value(p);
}

static const char *null_word(kiln_kind kind)
{
    switch (kind) {
    case KILN_KIND_UNION:
        return "unset";
    case KILN_KIND_DATA:
        return "empty";
    default:
        return "null";
    }
}

static void tree_null(insp_printer *p, const kiln_value *value)
{
    put_equals(p);
    insp_put_styled(p->out, INSP_STYLE_WORD, null_word(value->of->kind));
    end_value(p);
}

static void tree_entity(insp_printer *p, const insp_entity *entity)
{
    put_equals(p);
    insp_put_style(p->out, INSP_STYLE_WORD);
    if (entity->is_null) {
        insp_put(p->out, "null");
    } else if (entity->is_import) {
        insp_put_escaped(p->out, entity->scene.data, entity->scene.length);
        insp_put_char(p->out, '#');
        insp_put_escaped(p->out, entity->name.data, entity->name.length);
    } else {
        insp_putf(p->out, "#%" PRIu32, entity->number);
        if (entity->name.length) {
            insp_put_char(p->out, ' ');
            insp_put_quoted(p->out, entity->name.data, entity->name.length);
        }
    }
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    end_value(p);
}

static void tree_choice(insp_printer *p, const kiln_member *member)
{
    put_equals(p);
    insp_put_style(p->out, INSP_STYLE_WORD);
    insp_put_escaped(p->out, member->name, strlen(member->name));
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    end_value(p);
}

static void tree_broken(insp_printer *p, const kiln_value *value, kiln_status status)
{
    (void)value;
    put_equals(p);
    insp_put_style(p->out, INSP_STYLE_BROKEN);
    insp_putf(p->out, "<%s: %s>", insp_rule(status), kiln_status_text(status));
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    end_value(p);
}

static void nothing(insp_printer *p)
{
    (void)p;
}

/* Reset the indentation, because a broken value may have left a list open. */
static void tree_asset_end(insp_printer *p)
{
    p->indent = 0;
    p->flow = 0;
}

const insp_format insp_format_tree = {
    .name = "tree",
    .elides = true,
    .begin = nothing,
    .end = nothing,
    .asset = tree_asset,
    .asset_end = tree_asset_end,
    .alone = nothing,
    .open = tree_open,
    .close = tree_close,
    .field = tree_field,
    .element = tree_element,
    .key = tree_key,
    .elided = tree_elided,
    .scalar = tree_scalar,
    .null = tree_null,
    .choice = tree_choice,
    .broken = tree_broken,
    .entity = tree_entity,
};

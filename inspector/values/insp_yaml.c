/* The source format: YAML that bakes back to the same bytes.
 *
 * The document has the shape `kinds`: `Kind: {id: value}`. Everything is in block style except
 * vectors and lists of numbers. In block style, `first` means that the item continues the line of a
 * dash; in flow style, that it needs no comma. */
#include "insp_entity_name.h"
#include "insp_escape.h"
#include "insp_format.h"
#include "insp_payload.h"
#include "insp_scalar.h"

#include <inttypes.h>
#include <string.h>

/* YAML parsers search at most 1,024 characters for the colon, and an escape turns one byte into at
 * most six characters. Longer keys are written as explicit keys. */
enum { INDENT = 2, WRAP_AT = 100, LONG_KEY = 160 };

static void begin_item(insp_printer *p)
{
    if (p->flow) {
        if (!p->first)
            insp_put_char(p->out, ',');
        if (p->out->column > WRAP_AT && p->indent >= 0) {
            insp_put_char(p->out, '\n');
            insp_put_spaces(p->out, (size_t)p->indent + 2 * INDENT);
        } else if (!p->first) {
            insp_put_char(p->out, ' ');
        }
    } else if (!p->first) {
        insp_put_spaces(p->out, p->indent > 0 ? (size_t)p->indent : 0);
    }
    p->first = false;
}

static void begin_value(insp_printer *p)
{
    if (!p->flow && p->after != INSP_AFTER_START)
        insp_put_char(p->out, ' ');
}

static void end_value(insp_printer *p)
{
    if (!p->flow)
        insp_put_char(p->out, '\n');
    p->first = false;
}

/* Writes an explicit key (`? key`), whose colon is on the next line. */
static void put_long_key(insp_printer *p, const char *text, size_t length)
{
    insp_put(p->out, "? ");
    insp_put_yaml_string(p->out, text, length);
    insp_put_char(p->out, '\n');
    insp_put_spaces(p->out, p->indent > 0 ? (size_t)p->indent : 0);
}

static void put_key(insp_printer *p, const char *text, size_t length)
{
    if (length > LONG_KEY && !p->flow)
        put_long_key(p, text, length);
    else
        insp_put_yaml_string(p->out, text, length);
    insp_put(p->out, p->flow ? ": " : ":");
    p->after = INSP_AFTER_NAME;
}

static void yaml_begin(insp_printer *p)
{
    p->first = false;
    p->kind.data = NULL;
}

static void yaml_end(insp_printer *p)
{
    if (!p->kind.data)
        insp_put(p->out, "{}\n");
}

static void yaml_asset(insp_printer *p, const insp_asset *asset)
{
    insp_text kind = insp_kind_word(asset->name);
    uint32_t skip = kind.length < asset->name.length ? kind.length + 1 : kind.length;
    p->first = false;
    /* Assets are sorted by name, so those of one kind are consecutive, and the key of each kind is
     * written once. */
    if (!p->kind.data || kind.length != p->kind.length ||
        memcmp(kind.data, p->kind.data, kind.length) != 0) {
        p->indent = 0;
        put_key(p, kind.data, kind.length);
        insp_put_char(p->out, '\n');
        p->kind = kind;
    }
    p->indent = INDENT;
    begin_item(p);
    put_key(p, asset->name.data + skip, asset->name.length - skip);
}

static void yaml_asset_end(insp_printer *p)
{
    p->flow = 0;
    p->first = false;
}

/* Opening the first struct indents by one step, so a single value starts one step to the left. */
static void yaml_alone(insp_printer *p)
{
    p->first = false;
    p->indent = -INDENT;
}

static bool is_list(const kiln_value *value)
{
    return value->of->kind == KILN_KIND_ARRAY || value->of->kind == KILN_KIND_FIXED;
}

static void yaml_open(insp_printer *p, const kiln_value *value, uint32_t count)
{
    bool list = is_list(value);
    if (p->flow || (count && (insp_is_flow(value) || insp_is_vector(value)))) {
        begin_value(p);
        insp_put_char(p->out, list ? '[' : '{');
        p->flow++;
        p->first = true;
        return;
    }
    if (!count) {
        begin_value(p);
        insp_put(p->out, list ? "[]\n" : "{}\n");
    } else if (p->after == INSP_AFTER_NAME) {
        insp_put_char(p->out, '\n');
    } else if (p->after == INSP_AFTER_DASH) {
        insp_put_char(p->out, ' ');
    }
    /* The first field of a list element is on the line of the dash. */
    p->first = p->after == INSP_AFTER_DASH;
    p->indent += INDENT;
}

static void yaml_close(insp_printer *p, const kiln_value *value)
{
    if (p->flow) {
        insp_put_char(p->out, is_list(value) ? ']' : '}');
        p->flow--;
        end_value(p);
    } else {
        p->indent -= INDENT;
        p->first = false;
    }
}

static void yaml_field(insp_printer *p, const kiln_member *member, const kiln_value *value)
{
    (void)value;
    begin_item(p);
    put_key(p, member->name, strlen(member->name));
}

static void yaml_element(insp_printer *p, uint32_t number)
{
    (void)number;
    begin_item(p);
    if (!p->flow)
        insp_put_char(p->out, '-');
    p->after = INSP_AFTER_DASH;
}

/* Writes keys that are not strings. String keys are quoted if YAML would read the plain form as
 * something else. */
static void put_unquoted(insp_out *out, const char *text, size_t length)
{
    insp_put_bytes(out, text, length);
}

static void yaml_key(insp_printer *p, const kiln_value *key)
{
    const char *text = "";
    uint32_t length = 0;
    bool is_text = key->of->kind == KILN_KIND_STRING || key->of->kind == KILN_KIND_ENUM ||
                   key->of->kind == KILN_KIND_REF;
    begin_item(p);
    if (key->of->kind == KILN_KIND_STRING) {
        kiln_value_text(key, &text, &length);
        put_key(p, text, length);
        return;
    }
    insp_put_key(p, key,
                 is_text   ? insp_put_yaml_string
                 : p->flow ? insp_put_json_string
                           : put_unquoted);
    insp_put(p->out, p->flow ? ": " : ":");
    p->after = INSP_AFTER_NAME;
}

/* Never called, because lists are never shortened: a shortened list would bake to different
 * bytes. */
static void yaml_elided(insp_printer *p, uint32_t count)
{
    (void)p;
    (void)count;
}

static void put_flags(insp_printer *p, const kiln_value *value)
{
    const kiln_member *names[INSP_FLAGS_MAX];
    uint64_t rest;
    uint32_t count = insp_flag_names(value, names, &rest), i;
    p->broken += rest != 0;
    insp_put_char(p->out, '[');
    for (i = 0; i < count; i++) {
        insp_put(p->out, i ? ", " : "");
        insp_put_yaml_string(p->out, names[i]->name, strlen(names[i]->name));
    }
    insp_put_char(p->out, ']');
}

/* Writes only the id if the field's type determines the kind of the asset. An id with a slash would
 * look like a kind and an id, so it is written in full. */
static void put_ref(insp_printer *p, const kiln_value *value)
{
    const insp_name *name = insp_ref_name(p, value);
    const insp_asset *asset;
    insp_text text, kind;
    if (!name) {
        /* An id without a name cannot be baked, so it counts as broken. */
        insp_putf(p->out, "\"%016" PRIx64 "\"", kiln_value_uint(value));
        p->broken++;
        return;
    }
    text = name->name;
    asset = insp_name_asset(p->file, name);
    kind = insp_kind_word(text);
    if (asset && kind.length < text.length && value->of->element != KILN_TYPE_NONE &&
        insp_asset_type(p->file, asset) == value->of->element) {
        insp_text id = {text.data + kind.length + 1, text.length - kind.length - 1};
        if (!memchr(id.data, '/', id.length))
            text = id;
    }
    insp_put_yaml_string(p->out, text.data, text.length);
}

/* Writes the data of a payload as a file with the name of the payload asset. `extract` writes the
 * data. Returns false for other references. */
static bool put_payload(insp_printer *p, const kiln_value *value)
{
    const insp_name *name = p->file ? insp_file_name(p->file, kiln_value_uint(value)) : NULL;
    const insp_asset *asset = name ? insp_name_asset(p->file, name) : NULL;
    if (!asset || value->of->element == KILN_TYPE_NONE || !insp_is_payload(p->file, asset))
        return false;
    insp_put(p->out, "!file ");
    insp_put_yaml_string(p->out, name->name.data, name->name.length);
    return true;
}

static void put_text(insp_printer *p, const kiln_value *value)
{
    const char *text = "";
    uint32_t length = 0;
    kiln_value_text(value, &text, &length);
    if (value->of->kind == KILN_KIND_STRING) {
        insp_put_yaml_string(p->out, text, length);
        return;
    }
    insp_put_char(p->out, '"');
    insp_put_base64(p->out, text, length);
    insp_put_char(p->out, '"');
}

static void yaml_scalar(insp_printer *p, const kiln_value *value)
{
    const kiln_member *member = kiln_value_member(value);
    begin_value(p);
    if (value->of->kind == KILN_KIND_STRING || value->of->kind == KILN_KIND_BYTES)
        put_text(p, value);
    else if (value->of->kind == KILN_KIND_FLAGS)
        put_flags(p, value);
    else if (value->of->kind == KILN_KIND_REF) {
        if (!put_payload(p, value))
            put_ref(p, value);
    } else if (kiln_kind_is_float(value->of->kind))
        insp_put_float(p->out, value, ".nan", ".inf");
    else if (member)
        insp_put_yaml_string(p->out, member->name, strlen(member->name));
    else
        insp_put_integer(p->out, value);
    end_value(p);
}

/* The YAML of an empty value, for data that a row does not refer to. */
static const char *empty_of(const kiln_value *value)
{
    const kiln_type *of = kiln_types_get(value->types, value->of->element);
    while (of->kind == KILN_KIND_STRUCT && (of->flags & KILN_TYPE_TRANSPARENT) &&
           of->member_count == 1)
        of = kiln_types_get(value->types, of->members[0].type);
    return of->kind == KILN_KIND_STRING || of->kind == KILN_KIND_BYTES ? "\"\""
           : of->kind == KILN_KIND_ARRAY                               ? "[]"
           : of->kind == KILN_KIND_MAP                                 ? "{}"
                                                                       : "null";
}

static void yaml_null(insp_printer *p, const kiln_value *value)
{
    begin_value(p);
    insp_put(p->out, value->of->kind == KILN_KIND_DATA ? empty_of(value) : "null");
    end_value(p);
}

/* Writes `Scene/x#name` for an entity of another scene. For this scene, writes its name or `#12`,
 * its position in the document. */
static void yaml_entity(insp_printer *p, const insp_entity *entity)
{
    char far[2 * KILN_SCENE_TEXT_MAX + 1], *to = far;
    begin_value(p);
    if (entity->is_null) {
        insp_put(p->out, "null");
    } else if (entity->is_import) {
        memcpy(to, entity->scene.data, entity->scene.length);
        to += entity->scene.length;
        *to++ = '#';
        memcpy(to, entity->name.data, entity->name.length);
        to += entity->name.length;
        insp_put_yaml_string(p->out, far, (size_t)(to - far));
        p->broken += !insp_entity_name_is_path(entity->name);
    } else if (insp_entity_name_is_path(entity->name)) {
        insp_put_yaml_string(p->out, entity->name.data, entity->name.length);
    } else {
        const uint32_t *places = p->words->places;
        insp_putf(p->out, "\"#%" PRIu32 "\"", places ? places[entity->number] : entity->number);
    }
    end_value(p);
}

static void yaml_choice(insp_printer *p, const kiln_member *member)
{
    begin_value(p);
    insp_put_yaml_string(p->out, member->name, strlen(member->name));
    end_value(p);
}

static void yaml_broken(insp_printer *p, const kiln_value *value, kiln_status status)
{
    (void)value;
    begin_value(p);
    /* In flow style, a comment would hide the rest of the list. */
    insp_put(p->out, "null");
    if (!p->flow)
        insp_putf(p->out, " # %s: %s", insp_rule(status), kiln_status_text(status));
    end_value(p);
}

const insp_format insp_format_yaml = {
    .name = "yaml",
    .as_authored = true,
    .begin = yaml_begin,
    .end = yaml_end,
    .asset = yaml_asset,
    .asset_end = yaml_asset_end,
    .alone = yaml_alone,
    .open = yaml_open,
    .close = yaml_close,
    .field = yaml_field,
    .element = yaml_element,
    .key = yaml_key,
    .elided = yaml_elided,
    .scalar = yaml_scalar,
    .null = yaml_null,
    .choice = yaml_choice,
    .broken = yaml_broken,
    .entity = yaml_entity,
};

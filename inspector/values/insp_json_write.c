/* The hot path of a JSON dump. A kind of value is written here if it is frequent and valid; all
 * others are printed by insp_print. So this file contains neither the rules for broken values nor
 * those for rare kinds. It keeps the state of the printer as insp_print and the JSON format do, so
 * that both can be mixed, and counts the same steps at the same places of the output.
 *
 * An offset or count is read once, and the copy is checked: the file may change meanwhile. */
#include "insp_json_write.h"

#include "insp_escape.h"
#include "insp_format.h"
#include "insp_number.h"
#include "insp_print.h"
#include "utf8.h"

enum { DEEP_INDENT = 192, TEXT_MAX = 512 };

typedef struct writing {
    insp_printer *p;
    const insp_json_plan *plan;
    const unsigned char *begin, *end;
} writing;

static void write_value(writing *w, uint32_t type, const unsigned char *at);

static uint32_t read_u32(const unsigned char *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static kiln_value value_of(const writing *w, uint32_t type, const unsigned char *at)
{
    return (kiln_value){w->plan->types, w->plan->rows[type].of, type, at, w->begin, w->end};
}

static void write_other(writing *w, uint32_t type, const unsigned char *at)
{
    kiln_value value = value_of(w, type, at);
    insp_print(w->p, &value);
}

/* The address of `count` values of `size` bytes, whose offset is at `at`. NULL if they are not in
 * the payload or not aligned, or if too many objects are nested. */
static const unsigned char *target_of(const writing *w, const unsigned char *at, uint32_t offset,
                                      uint64_t size, uint32_t align)
{
    uint64_t left = (uint64_t)(w->end - at);
    if (offset > left || size > left - offset || w->p->depth >= KILN_DEPTH_MAX)
        return NULL;
    at += offset;
    return (uint64_t)(at - w->begin) & (align - 1) ? NULL : at;
}

/* ---- what is written between values ---- */

static char *put_blocks(char *to, const char *from, size_t length)
{
    size_t i;
    for (i = 0; i < length; i += INSP_JSON_BLOCK)
        memcpy(to + i, from + i, INSP_JSON_BLOCK);
    return to + length;
}

/* Writes a line feed and `indent` spaces. */
static char *put_line(char *to, size_t indent)
{
    size_t i;
    *to++ = '\n';
    for (i = 0; i < indent; i += INSP_JSON_BLOCK)
        memset(to + i, ' ', INSP_JSON_BLOCK);
    return to + indent;
}

/* Writes a prepared text, or nothing if it is NULL. `to` is the end of the output, with room for a
 * short text. */
static void put_member(const writing *w, char *to, const insp_json_text *text)
{
    if (!text)
        return;
    if (text->length > TEXT_MAX)
        insp_put_word(w->p->out, w->plan->texts + text->at, text->length);
    else
        insp_wrote(w->p->out, put_blocks(to, w->plan->texts + text->at, text->length));
}

/* Commits the bytes up to `to`, which may contain a line feed. */
static void wrote_line(insp_out *out, const char *to, size_t column)
{
    out->used = (size_t)(to - out->buffer);
    out->column = column;
}

/* Begins an item of a struct or list on its own line, with its key if `text` is not NULL. */
static void begin_line(writing *w, const insp_json_text *text)
{
    insp_printer *p = w->p;
    char *to = insp_room(p->out);
    if (!p->first)
        *to++ = ',';
    p->first = false;
    to = put_line(to, (size_t)p->indent);
    wrote_line(p->out, to, (size_t)p->indent);
    put_member(w, to, text);
}

static void begin_item(writing *w, const insp_json_text *text)
{
    insp_printer *p = w->p;
    char *to;
    /* The column counts the comma, too. */
    if (!p->flow || p->out->column + !p->first > INSP_JSON_WRAP_AT) {
        begin_line(w, text);
        return;
    }
    to = insp_room(p->out);
    if (!p->first) {
        *to++ = ',';
        *to++ = ' ';
    }
    p->first = false;
    insp_wrote(p->out, to);
    put_member(w, to, text);
}

static void open_with(writing *w, char bracket, bool flow)
{
    insp_put_char(w->p->out, bracket);
    w->p->indent += INSP_JSON_INDENT;
    w->p->first = true;
    w->p->flow = flow;
}

static void close_with(writing *w, char bracket)
{
    insp_printer *p = w->p;
    char *to;
    if (p->stopped)
        return;
    p->indent -= INSP_JSON_INDENT;
    to = insp_room(p->out);
    if (p->first || p->flow) {
        *to++ = bracket;
        insp_wrote(p->out, to);
    } else {
        to = put_line(to, (size_t)p->indent);
        *to++ = bracket;
        wrote_line(p->out, to, (size_t)p->indent + 1);
    }
    p->first = false;
    p->flow = 0;
}

/* ---- values without parts ---- */

/* Returns false if the number is written as a string, or is not a number. */
static bool write_integer(insp_out *out, const kiln_type *of, const unsigned char *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, of->size);
    if (kiln_kind_is_signed(of->kind) && bits >> (of->size * 8 - 1)) {
        bits = 0 - (bits | (of->size < 8 ? UINT64_MAX << (of->size * 8) : 0));
        if (bits > INSP_JSON_INTEGER_MAX)
            return false;
        insp_wrote(out, insp_format_signed(insp_room(out), -(int64_t)bits));
        return true;
    }
    if (bits > (of->kind == KILN_KIND_BOOL ? 1 : INSP_JSON_INTEGER_MAX))
        return false;
    if (of->kind == KILN_KIND_BOOL)
        insp_put_word(out, bits ? "true" : "false", bits ? 4 : 5);
    else
        insp_wrote(out, insp_format_unsigned(insp_room(out), bits));
    return true;
}

static bool write_float(insp_out *out, const kiln_type *of, const unsigned char *at)
{
    double number;
    float single;
    if (of->kind == KILN_KIND_F32) {
        memcpy(&single, at, sizeof single);
        number = (double)single;
    } else {
        memcpy(&number, at, sizeof number);
    }
    if (number - number != 0)
        return false;
    insp_wrote(out, insp_format_float(insp_room(out), number, of->kind == KILN_KIND_F32));
    return true;
}

/* A failure costs nothing: insp_print takes the step again. */
static void write_scalar(writing *w, uint32_t type, const unsigned char *at)
{
    insp_printer *p = w->p;
    const kiln_type *of = w->plan->rows[type].of;
    if (!insp_spend(p, 1))
        return;
    if (kiln_kind_is_float(of->kind) ? write_float(p->out, of, at) : write_integer(p->out, of, at))
        return;
    p->left++;
    write_other(w, type, at);
}

static void write_enum(writing *w, uint32_t type, const unsigned char *at)
{
    const insp_json_type *row = &w->plan->rows[type];
    kiln_value value = value_of(w, type, at);
    const kiln_member *member = kiln_value_member(&value);
    const insp_json_text *text;
    if (!member) {
        write_other(w, type, at);
        return;
    }
    if (!insp_spend(w->p, 1))
        return;
    text = &row->members[member - row->of->members];
    insp_put_word(w->p->out, w->plan->texts + text->at, text->length);
}

/* A string with this length is in the payload, or NULL. */
static const char *text_of(const writing *w, const unsigned char *at, uint32_t *ret_length)
{
    uint32_t offset = read_u32(at), length = read_u32(at + 4);
    uint64_t left = (uint64_t)(w->end - at);
    if (offset > left || length > left - offset)
        return offset ? NULL : "";
    *ret_length = offset ? length : 0;
    return (const char *)at + offset;
}

static void write_string(writing *w, uint32_t type, const unsigned char *at)
{
    insp_printer *p = w->p;
    uint32_t length = 0;
    const char *text = text_of(w, at, &length);
    if (!text) {
        write_other(w, type, at);
        return;
    }
    if (!insp_spend(p, 1) || !insp_spend(p, length / INSP_TEXT_UNIT))
        return;
    if (insp_put_json_text(p->out, text, length))
        return;
    p->broken += !kiln_utf8_is_valid(text, length);
}

/* ---- values with parts ---- */

static void write_struct(writing *w, uint32_t type, const unsigned char *at)
{
    const insp_json_type *row = &w->plan->rows[type];
    const kiln_type *of = row->of;
    uint32_t i;
    if (!insp_spend(w->p, 1) || !insp_spend(w->p, of->member_count / INSP_MEMBER_UNIT))
        return;
    open_with(w, '{', row->flow);
    for (i = 0; i < of->member_count && !w->p->stopped; i++) {
        begin_item(w, &row->members[i]);
        write_value(w, of->members[i].type, at + of->members[i].offset);
    }
    close_with(w, '}');
}

static void write_elements(writing *w, const insp_json_type *row, const unsigned char *at,
                           uint32_t count)
{
    const uint32_t element = row->of->element, size = w->plan->rows[element].of->size;
    uint32_t i;
    open_with(w, '[', row->flow);
    for (i = 0; i < count && !w->p->stopped; i++) {
        begin_item(w, NULL);
        write_value(w, element, at + (size_t)size * i);
    }
    close_with(w, ']');
}

static void write_array(writing *w, uint32_t type, const unsigned char *at)
{
    const insp_json_type *row = &w->plan->rows[type];
    const kiln_type *element = w->plan->rows[row->of->element].of;
    const uint32_t offset = read_u32(at), count = offset ? read_u32(at + 4) : 0;
    const unsigned char *target =
        target_of(w, at, offset, (uint64_t)element->size * count, element->align);
    if (count && !target) {
        write_other(w, type, at);
        return;
    }
    if (!insp_spend(w->p, 1))
        return;
    w->p->depth += count != 0;
    write_elements(w, row, target, count);
    w->p->depth -= count != 0;
}

static void write_optional(writing *w, uint32_t type, const unsigned char *at)
{
    const uint32_t element = w->plan->rows[type].of->element, offset = read_u32(at);
    const kiln_type *of = w->plan->rows[element].of;
    const unsigned char *target = offset ? target_of(w, at, offset, of->size, of->align) : NULL;
    if (!target) {
        write_other(w, type, at);
        return;
    }
    if (!insp_spend(w->p, 1))
        return;
    w->p->depth++;
    write_value(w, element, target);
    w->p->depth--;
}

static void write_union(writing *w, uint32_t type, const unsigned char *at)
{
    const insp_json_type *row = &w->plan->rows[type];
    const uint32_t tag = read_u32(at), offset = read_u32(at + 4);
    const kiln_member *member = tag && offset ? kiln_type_value(row->of, tag) : NULL;
    const kiln_type *of =
        member && member->type != KILN_TYPE_NONE ? w->plan->rows[member->type].of : NULL;
    const unsigned char *target = of ? target_of(w, at + 4, offset, of->size, of->align) : NULL;
    if (!target) {
        write_other(w, type, at);
        return;
    }
    if (!insp_spend(w->p, 1))
        return;
    w->p->depth++;
    open_with(w, '{', false);
    begin_item(w, &row->members[member - row->of->members]);
    write_value(w, member->type, target);
    close_with(w, '}');
    w->p->depth--;
}

/* Writes a key and the colon. A reference is not a key here, because its steps depend on names. */
static void write_key(writing *w, uint32_t type, const unsigned char *at)
{
    kiln_value key = value_of(w, type, at);
    uint32_t length = 0;
    const char *text = key.of->kind == KILN_KIND_STRING ? text_of(w, at, &length) : NULL;
    if (!insp_spend(w->p, length / INSP_TEXT_UNIT))
        return;
    if (!text) {
        w->p->format->key(w->p, &key);
        return;
    }
    begin_item(w, NULL);
    insp_put_json_text(w->p->out, text, length);
    insp_put_word(w->p->out, ": ", 2);
}

static void write_map(writing *w, uint32_t type, const unsigned char *at)
{
    const kiln_type *of = w->plan->rows[type].of;
    const kiln_type *key = w->plan->rows[of->key].of, *value = w->plan->rows[of->element].of;
    const uint32_t align = key->align > value->align ? key->align : value->align;
    const uint32_t offset = read_u32(at), count = offset ? read_u32(at + 4) : 0;
    const unsigned char *target = target_of(w, at, offset, (uint64_t)of->entry_size * count, align);
    uint32_t i;
    if ((count && !target) || key->kind == KILN_KIND_REF) {
        write_other(w, type, at);
        return;
    }
    if (!insp_spend(w->p, 1))
        return;
    w->p->depth += count != 0;
    open_with(w, '{', false);
    for (i = 0; i < count && insp_spend(w->p, 1); i++) {
        const unsigned char *entry = target + (size_t)of->entry_size * i;
        write_key(w, of->key, entry);
        if (!w->p->stopped)
            write_value(w, of->element, entry + of->value_offset);
    }
    close_with(w, '}');
    w->p->depth -= count != 0;
}

static void write_value(writing *w, uint32_t type, const unsigned char *at)
{
    const insp_json_type *row = &w->plan->rows[type];
    switch (w->p->indent < DEEP_INDENT ? row->of->kind : KILN_KIND_DATA) {
    case KILN_KIND_BOOL:
    case KILN_KIND_U8:
    case KILN_KIND_U16:
    case KILN_KIND_U32:
    case KILN_KIND_U64:
    case KILN_KIND_I8:
    case KILN_KIND_I16:
    case KILN_KIND_I32:
    case KILN_KIND_I64:
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        write_scalar(w, type, at);
        break;
    case KILN_KIND_ENUM:
        write_enum(w, type, at);
        break;
    case KILN_KIND_STRING:
        write_string(w, type, at);
        break;
    case KILN_KIND_STRUCT:
        write_struct(w, type, at);
        break;
    case KILN_KIND_FIXED:
        if (insp_spend(w->p, 1))
            write_elements(w, row, at, row->of->count);
        break;
    case KILN_KIND_ARRAY:
        write_array(w, type, at);
        break;
    case KILN_KIND_MAP:
        write_map(w, type, at);
        break;
    case KILN_KIND_OPTIONAL:
        write_optional(w, type, at);
        break;
    case KILN_KIND_UNION:
        write_union(w, type, at);
        break;
    default:
        write_other(w, type, at);
    }
}

void insp_json_write(insp_printer *p, const insp_json_plan *plan, const kiln_value *value)
{
    writing w = {p, plan, value->begin, value->end};
    if (!plan || plan->types != value->types || p->one_line || p->out->eager)
        insp_print(p, value);
    else
        write_value(&w, value->type, value->data);
}

/* Visits a value depth first and calls the functions of an output format.
 *
 * The format decides how each part is written; this file decides which parts are visited or
 * omitted, and when to stop. Each visit costs at least one step of insp_spend, which bounds the
 * work even for a small file with shared objects. Names and long strings cost more. Once `stopped`
 * is set, the output has been truncated: nothing more is opened, and open lists are not closed. */
#include "insp_print.h"

#include "utf8.h"

#include <string.h>

/* A list of 11 elements shows 8 and the line "3 more", so that shortening a list always saves at
 * least two lines. */
enum { ELIDED_ABOVE = 10, ELIDED_SHOWN = 8 };

static void print(insp_printer *p, const kiln_value *value);

static void broken(insp_printer *p, const kiln_value *value, kiln_status status)
{
    p->broken++;
    p->format->broken(p, value, status);
}

/* Whether a field is empty and thus omitted in source YAML, where a missing field means an empty
 * value. */
static bool is_left_out(const insp_printer *p, const kiln_member *member, const kiln_value *field)
{
    uint32_t offset, tag;
    if (!p->format->as_authored || member->default_image || (member->flags & KILN_MEMBER_REQUIRED))
        return false;
    switch (field->of->kind) {
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_OPTIONAL:
        memcpy(&offset, field->data, sizeof offset);
        return offset == 0;
    case KILN_KIND_UNION:
        memcpy(&tag, field->data, sizeof tag);
        return tag == 0;
    default:
        return false;
    }
}

/* Whether the field is a `rest` map, which contains the keys of a mapping that are not fields. In
 * source YAML these keys are written among the fields, so the entries are printed instead of the
 * field. */
static bool is_rest(const insp_printer *p, const kiln_member *member, const kiln_value *field)
{
    return p->format->as_authored && (member->flags & KILN_MEMBER_REST) &&
           field->of->kind == KILN_KIND_MAP;
}

/* The cost of a name that is printed in full: a map key or a reference. */
static uint64_t name_cost(const insp_printer *p, const kiln_value *value)
{
    const insp_name *name;
    const char *text;
    uint32_t length = 0;
    if (value->of->kind == KILN_KIND_STRING)
        kiln_value_text(value, &text, &length);
    if (value->of->kind == KILN_KIND_REF && p->file) {
        name = insp_file_name(p->file, kiln_value_uint(value));
        length = name ? name->name.length : 0;
    }
    return length / INSP_TEXT_UNIT;
}

static void print_entries(insp_printer *p, const kiln_value *map, uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count && insp_spend(p, 1); i++) {
        kiln_value key, value;
        kiln_status status = kiln_value_key(map, i, &key);
        if (!status)
            status = kiln_value_at(map, i, &value);
        if (status) {
            p->broken++;
            return;
        }
        if (!insp_spend(p, name_cost(p, &key)))
            return;
        p->format->key(p, &key);
        print(p, &value);
    }
}

static void print_elements(insp_printer *p, const kiln_value *list, uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count && !p->stopped; i++) {
        kiln_value value;
        p->format->element(p, i);
        if (kiln_value_at(list, i, &value) != KILN_OK) {
            broken(p, list, KILN_V_BOUNDS);
            return;
        }
        print(p, &value);
    }
}

/* Enters the target of a relative field. Returns false if it must not be followed. */
static bool enter(insp_printer *p, const kiln_value *value)
{
    const unsigned char *target;
    uint64_t size;
    kiln_status status = kiln_value_target(value, &target, &size);
    if (!status && p->depth >= KILN_DEPTH_MAX)
        status = KILN_V_DEPTH;
    if (status) {
        broken(p, value, status);
        return false;
    }
    p->depth++;
    return true;
}

static void print_list(insp_printer *p, const kiln_value *value)
{
    uint32_t count = kiln_value_count(value), shown = count;
    /* The elements of a fixed array are stored in the value itself, so there is no target to
     * enter. */
    bool inlined = value->of->kind == KILN_KIND_FIXED || count == 0;
    if (!inlined && !enter(p, value))
        return;
    if (p->format->elides && !p->all && count > ELIDED_ABOVE)
        shown = ELIDED_SHOWN;
    p->format->open(p, value, count);
    if (value->of->kind == KILN_KIND_MAP)
        print_entries(p, value, shown);
    else
        print_elements(p, value, shown);
    if (shown < count && !p->stopped)
        p->format->elided(p, count - shown);
    if (!p->stopped)
        p->format->close(p, value);
    p->depth -= !inlined;
}

static uint32_t shown_fields(const insp_printer *p, const kiln_value *value)
{
    uint32_t i, shown = 0;
    for (i = 0; i < value->of->member_count; i++) {
        const kiln_member *member = &value->of->members[i];
        kiln_value field;
        if (kiln_value_at(value, i, &field) != KILN_OK)
            continue;
        if (is_rest(p, member, &field))
            shown += kiln_value_count(&field) != 0;
        else
            shown += !is_left_out(p, member, &field);
    }
    return shown;
}

static void print_field(insp_printer *p, const kiln_member *member, const kiln_value *field)
{
    if (is_rest(p, member, field)) {
        const unsigned char *target;
        uint64_t size;
        if (kiln_value_target(field, &target, &size) == KILN_OK && p->depth < KILN_DEPTH_MAX) {
            p->depth++;
            print_entries(p, field, kiln_value_count(field));
            p->depth--;
            return;
        }
    } else if (is_left_out(p, member, field)) {
        return;
    }
    p->format->field(p, member, field);
    print(p, field);
}

/* A newtype is a struct with one field. In source YAML, only the value of that field is written. */
static void print_struct(insp_printer *p, const kiln_value *value)
{
    uint32_t i;
    kiln_value field;
    if (p->format->as_authored && (value->of->flags & KILN_TYPE_TRANSPARENT) &&
        value->of->member_count == 1) {
        if (kiln_value_at(value, 0, &field) == KILN_OK)
            print(p, &field);
        return;
    }
    /* Count the fields, because omitted ones print nothing. */
    if (!insp_spend(p, value->of->member_count / INSP_MEMBER_UNIT))
        return;
    p->format->open(p, value,
                    p->format->as_authored ? shown_fields(p, value) : value->of->member_count);
    for (i = 0; i < value->of->member_count && !p->stopped; i++) {
        const kiln_member *member = &value->of->members[i];
        field = *value;
        field.type = member->type;
        field.of = kiln_types_get(value->types, member->type);
        field.data += member->offset;
        print_field(p, member, &field);
    }
    if (!p->stopped)
        p->format->close(p, value);
}

static void print_optional(insp_printer *p, const kiln_value *value)
{
    kiln_value inner;
    kiln_status status;
    if (kiln_value_count(value) == 0) {
        p->format->null(p, value);
        return;
    }
    if (!enter(p, value))
        return;
    status = kiln_value_at(value, 0, &inner);
    if (status)
        broken(p, value, status);
    else
        print(p, &inner);
    p->depth--;
}

static void print_union(insp_printer *p, const kiln_value *value)
{
    const kiln_member *member = kiln_value_member(value);
    uint32_t tag, offset;
    kiln_value inner;
    kiln_status status = KILN_OK;
    memcpy(&tag, value->data, sizeof tag);
    memcpy(&offset, value->data + 4, sizeof offset);
    if (tag && !member)
        status = KILN_V_UNION_TAG;
    /* The offset must be present if and only if the alternative has a value. */
    else if ((offset != 0) != (member && member->type != KILN_TYPE_NONE))
        status = KILN_V_UNION_VALUE;
    else if (!tag)
        p->format->null(p, value);
    else if (!offset)
        p->format->choice(p, member);
    else if (enter(p, value)) {
        status = kiln_value_at(value, 0, &inner);
        if (!status) {
            p->format->open(p, value, 1);
            p->format->field(p, member, &inner);
            print(p, &inner);
            if (!p->stopped)
                p->format->close(p, value);
        }
        p->depth--;
    }
    if (status)
        broken(p, value, status);
}

static void print_text(insp_printer *p, const kiln_value *value)
{
    const char *text;
    uint32_t length;
    kiln_status status = kiln_value_text(value, &text, &length);
    if (!status && !insp_spend(p, length / INSP_TEXT_UNIT))
        return;
    if (status)
        broken(p, value, status);
    else
        p->format->scalar(p, value);
    if (!status && value->of->kind == KILN_KIND_STRING && !kiln_utf8_is_valid(text, length))
        p->broken++;
}

/* Prints a 64-bit word. Its meaning in a row differs from that in a blob. */
static void print_word(insp_printer *p, const kiln_value *value)
{
    kiln_status status = KILN_OK;
    if (p->words)
        status = p->words->print(p, value);
    else if (value->of->kind != KILN_KIND_REF && kiln_value_uint(value) == 0)
        p->format->null(p, value);
    else if (insp_spend(p, name_cost(p, value)))
        p->format->scalar(p, value);
    if (status)
        broken(p, value, status);
}

static void print(insp_printer *p, const kiln_value *value)
{
    if (!insp_spend(p, 1))
        return;
    switch (value->of->kind) {
    case KILN_KIND_STRUCT:
        print_struct(p, value);
        break;
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_FIXED:
        print_list(p, value);
        break;
    case KILN_KIND_OPTIONAL:
        print_optional(p, value);
        break;
    case KILN_KIND_UNION:
        print_union(p, value);
        break;
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
        print_text(p, value);
        break;
    case KILN_KIND_FLAGS:
        if (insp_spend(p, value->of->member_count / INSP_MEMBER_UNIT))
            p->format->scalar(p, value);
        break;
    case KILN_KIND_REF:
    case KILN_KIND_ENTITY:
    case KILN_KIND_DATA:
        print_word(p, value);
        break;
    case KILN_KIND_ENUM:
        if (!kiln_value_member(value))
            broken(p, value, KILN_V_ENUM);
        else
            p->format->scalar(p, value);
        break;
    case KILN_KIND_BOOL:
        if (kiln_value_uint(value) > 1)
            broken(p, value, KILN_V_BOOL);
        else
            p->format->scalar(p, value);
        break;
    default:
        p->format->scalar(p, value);
    }
}

void insp_print(insp_printer *p, const kiln_value *value)
{
    print(p, value);
}

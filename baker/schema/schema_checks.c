/* Checks that need all types: recursion by value, nested optionals, ranges, and earlier names that
 * two members share.
 *
 * `measure` is a depth-first search that computes the height of each type once. Reaching a type
 * that is still being measured closes a cycle. The cycle's steps are collected while the recursion
 * unwinds. */
#include "schema_reader.h"

#include "scalar_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT_UNKNOWN = 0, HEIGHT_BUSY = 255 };

typedef struct recursion {
    schema_reader *reader;
    char text[512]; /* the steps of a cycle, collected backwards */
    uint32_t cycle_start;
    bool found;
} recursion;

static uint8_t measure(recursion *r, uint32_t number, int depth);

static void report_cycle(recursion *r, uint32_t number, uint32_t member)
{
    schema_reader *reader = r->reader;
    const schema_type *extra = &reader->extras[number];
    bake_report(reader->diagnostics, BAKE_ERROR, extra->members[member].type_mark, "recursion",
                bake_schema_path(reader, extra->name, reader->types[number].members[member].name),
                "\"%s\" contains itself by value: %s", extra->name, r->text);
    bake_hint(reader->diagnostics, "use a list, map, union or optional in between");
}

/* Prepends "Type.field -> " to the steps collected so far. */
static void add_step(recursion *r, const char *type, const char *field)
{
    char longer[sizeof r->text];
    snprintf(longer, sizeof longer, "%.120s.%.120s%s%.250s", type, field, *r->text ? " -> " : "",
             r->text);
    memcpy(r->text, longer, sizeof longer);
}

static uint8_t measure_member(recursion *r, uint32_t number, uint32_t i, int depth)
{
    schema_reader *reader = r->reader;
    uint32_t part = reader->types[number].members[i].type;
    uint8_t height = part == KILN_TYPE_NONE ? 0 : measure(r, part, depth + 1);
    if (height != HEIGHT_BUSY)
        return height;
    if (!r->found) {
        add_step(r, reader->extras[number].name, reader->types[number].members[i].name);
        if (number == r->cycle_start) {
            r->found = true;
            report_cycle(r, number, i);
        }
    }
    return HEIGHT_BUSY;
}

/* Returns the nesting depth by value, including the type itself, or HEIGHT_BUSY on a cycle. Each
 * type is measured once. The recursion depth is limited to a small multiple of the allowed
 * nesting. */
static uint8_t measure(recursion *r, uint32_t number, int depth)
{
    schema_reader *reader = r->reader;
    const kiln_type *type = &reader->types[number];
    schema_type *extra = &reader->extras[number];
    if (extra->height == HEIGHT_BUSY) {
        r->cycle_start = number;
        r->text[0] = '\0';
        r->found = false;
        return HEIGHT_BUSY;
    }
    if (extra->height != HEIGHT_UNKNOWN || type->kind == KILN_KIND_NONE)
        return extra->height;
    if (depth > 4 * KILN_INLINE_DEPTH_MAX)
        return KILN_INLINE_DEPTH_MAX;
    uint8_t height = 0;
    extra->height = HEIGHT_BUSY;
    bool cycle = false;
    if (type->kind == KILN_KIND_FIXED) {
        height = measure(r, type->element, depth + 1);
        cycle = height == HEIGHT_BUSY;
    } else if (type->kind == KILN_KIND_STRUCT) {
        for (uint32_t i = 0; !cycle && i < type->member_count; i++) {
            uint8_t part = measure_member(r, number, i, depth);
            cycle = part == HEIGHT_BUSY;
            height = part > height ? part : height;
        }
    }
    if (cycle) {
        /* One report covers all types on the cycle. */
        extra->height = 1;
        return r->found ? 1 : HEIGHT_BUSY;
    }
    extra->height = (uint8_t)(height + 1);
    if (extra->height > KILN_INLINE_DEPTH_MAX) {
        bake_report(reader->diagnostics, BAKE_ERROR, extra->mark, "recursion",
                    *extra->name ? extra->name : NULL,
                    "more than %d types are nested by value here", KILN_INLINE_DEPTH_MAX);
        extra->height = 1;
    }
    return extra->height;
}

uint32_t bake_schema_unwrapped(const schema_reader *reader, uint32_t number)
{
    for (int i = 0; i < KILN_INLINE_DEPTH_MAX && number != KILN_TYPE_NONE; i++) {
        const kiln_type *type = &reader->types[number];
        if (!(type->flags & KILN_TYPE_TRANSPARENT) || type->member_count == 0)
            break;
        number = type->members[0].type;
    }
    return number;
}

static kiln_kind written_kind(const schema_reader *reader, uint32_t number)
{
    number = bake_schema_unwrapped(reader, number);
    return number == KILN_TYPE_NONE ? KILN_KIND_NONE : reader->types[number].kind;
}

/* In a nested optional, null would be ambiguous: the outer or the inner value could be absent. */
static void check_optional(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    kiln_kind kind = written_kind(reader, type->element);
    if (kind == KILN_KIND_OPTIONAL || kind == KILN_KIND_UNION)
        bake_report(reader->diagnostics, BAKE_ERROR, reader->extras[number].mark, "type", NULL,
                    "\"%s\" can already be absent; remove the `?`",
                    reader->types[type->element].name);
}

/* `single` is ambiguous if an element can itself be a list or null. */
static void check_single(schema_reader *reader, const schema_type *extra,
                         const schema_member *place, const kiln_member *member)
{
    const kiln_type *type = schema_value_type(reader, member->type);
    if (!(member->flags & KILN_MEMBER_SINGLE) || type->kind != KILN_KIND_ARRAY)
        return;
    kiln_kind kind = written_kind(reader, type->element);
    if (kind == KILN_KIND_ARRAY || kind == KILN_KIND_FIXED || kind == KILN_KIND_OPTIONAL)
        bake_report(
            reader->diagnostics, BAKE_ERROR, place->type_mark, "single", extra->name,
            "an element of \"%s\" can itself be a list or null, so the field cannot be `single`",
            member->name);
}

/* Returns the kind of the bounds of a type's range: the kind itself for numbers, u32 for lengths,
 * or NONE if the type cannot have a range. */
static kiln_kind range_kind(const schema_reader *reader, const kiln_type *type)
{
    if (type->kind == KILN_KIND_OPTIONAL)
        type = &reader->types[type->element];
    switch (type->kind) {
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
        return KILN_KIND_U32;
    default:
        return kiln_kind_is_integer(type->kind) || kiln_kind_is_float(type->kind) ? type->kind
                                                                                  : KILN_KIND_NONE;
    }
}

/* Reads a bound into the bit representation of kiln_member. */
static bool read_bound(schema_reader *reader, const schema_file *file, bake_node_id node,
                       const char *path, kiln_kind kind, uint64_t *ret_bits)
{
    size_t length;
    double number;
    float narrow;
    const char *text = bake_schema_read_text(reader, file, node, path, "a number or null", &length);
    if (!text)
        return false;
    bake_parse parse;
    if (kind == KILN_KIND_F32) {
        /* Round the bound like values, so that a value equal to it is in range. */
        parse = bake_parse_f32(text, length, &narrow);
        number = parse ? 0 : narrow;
    } else if (kind == KILN_KIND_F64) {
        parse = bake_parse_f64(text, length, &number);
    } else {
        parse = bake_parse_integer(kind, text, length, ret_bits);
    }
    if (!parse && kiln_kind_is_float(kind)) {
        memcpy(ret_bits, &number, sizeof number);
        parse = number != number ? BAKE_PARSE_MALFORMED : BAKE_PARSE_OK;
    }
    if (parse)
        return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "range", path,
                           parse == BAKE_PARSE_MALFORMED ? "\"%s\" is not a valid bound of type %s"
                                                         : "%s does not fit %s",
                           text, kiln_kind_name(kind));
    return true;
}

static bool is_above(kiln_kind kind, uint64_t a, uint64_t b)
{
    double x, y;
    if (kiln_kind_is_signed(kind))
        return (int64_t)a > (int64_t)b;
    if (!kiln_kind_is_float(kind))
        return a > b;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x > y;
}

/* Called after all types are known, because the type determines the kind of the bounds. */
static void read_range(schema_reader *reader, const schema_file *file, bake_node_id node,
                       const char *path, kiln_member *member)
{
    const bake_tree *tree = file->tree;
    kiln_kind kind = range_kind(reader, schema_value_type(reader, member->type));
    bake_mark mark = schema_mark(file, node);
    if (kind == KILN_KIND_NONE) {
        bake_report(
            reader->diagnostics, BAKE_ERROR, mark, "range", path,
            "`range` is only for numbers, strings, bytes, lists, maps and optionals of these");
        return;
    }
    if (bake_node_kind_of(tree, node) != BAKE_NODE_SEQUENCE || bake_node_count(tree, node) != 2) {
        bake_report(reader->diagnostics, BAKE_ERROR, mark, "range", path,
                    "`range` must be `[min, max]`, where either bound can be null");
        return;
    }
    bake_iterator it = bake_iterator_begin(tree, node);
    bake_node_id low = bake_iterator_next(&it) ? it.value : node;
    bake_node_id high = bake_iterator_next(&it) ? it.value : node;
    if (!bake_node_is_null(tree, low) && read_bound(reader, file, low, path, kind, &member->min))
        member->flags |= KILN_MEMBER_HAS_MIN;
    if (!bake_node_is_null(tree, high) && read_bound(reader, file, high, path, kind, &member->max))
        member->flags |= KILN_MEMBER_HAS_MAX;
    if ((member->flags & KILN_MEMBER_HAS_MIN) && (member->flags & KILN_MEMBER_HAS_MAX) &&
        is_above(kind, member->min, member->max))
        bake_report(reader->diagnostics, BAKE_ERROR, mark, "range", path,
                    "the minimum of the range is above its maximum");
}

static void check_fields(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    const schema_type *extra = &reader->extras[number];
    for (uint32_t i = 0; i < type->member_count; i++) {
        kiln_member *member = (kiln_member *)(uintptr_t)&type->members[i];
        if (member->type == KILN_TYPE_NONE)
            continue;
        check_single(reader, extra, &extra->members[i], member);
        if (extra->members[i].range_node != BAKE_NODE_NONE)
            read_range(reader, extra->file, extra->members[i].range_node,
                       bake_schema_path(reader, extra->name, member->name), member);
    }
}

void bake_schema_check_types(schema_reader *reader)
{
    recursion r;
    memset(&r, 0, sizeof r);
    r.reader = reader;
    for (uint32_t i = 0; i < reader->type_count; i++)
        measure(&r, i, 0);
    for (uint32_t i = 0; i < reader->type_count; i++) {
        if (reader->types[i].kind == KILN_KIND_OPTIONAL)
            check_optional(reader, i);
        if (reader->types[i].kind == KILN_KIND_STRUCT)
            check_fields(reader, i);
    }
}

/* ---- earlier names of fields, alternatives and values: each must belong to one member ---- */

static void check_not_current(schema_reader *reader, uint32_t number, const bake_was *was)
{
    const schema_type *extra = &reader->extras[number];
    if (bake_schema_find_member(reader, number, was->name) != UINT32_MAX)
        bake_report(reader->diagnostics, BAKE_ERROR, extra->members[was->member].mark, "name",
                    extra->name,
                    "\"%s\" cannot be an earlier name of \"%s\", because it is a current name",
                    was->name, reader->types[number].members[was->member].name);
}

static void report_shared(schema_reader *reader, uint32_t number, const bake_was *first,
                          const bake_was *second)
{
    const schema_type *extra = &reader->extras[number];
    const kiln_member *members = reader->types[number].members;
    bake_mark mark = extra->members[first->member].mark;
    bake_report(
        reader->diagnostics, BAKE_ERROR, extra->members[second->member].mark, "name", extra->name,
        "\"%s\" cannot be an earlier name of \"%s\": it is already an earlier name of \"%s\", at "
        "%s:%u:%u",
        second->name, members[second->member].name, members[first->member].name,
        bake_diagnostics_source_name(reader->diagnostics, mark.source), mark.line, mark.column);
    bake_related(reader->diagnostics, mark, "declared here");
}

/* Sorting puts members with the same earlier name next to each other, so the check is O(n log
 * n). */
void bake_schema_check_earlier(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    uint32_t count = 0, first = 0;
    for (uint32_t m = 0; m < type->member_count; m++)
        count += type->members[m].was_count;
    bake_was *all = count ? bake_store_alloc(reader->store, count, sizeof *all) : NULL;
    if (!all)
        return;
    count = 0;
    for (uint32_t m = 0; m < type->member_count; m++)
        for (uint32_t w = 0; w < type->members[m].was_count; w++)
            all[count++] = (bake_was){type->members[m].was[w], m};
    qsort(all, count, sizeof *all, schema_compare_was);
    for (uint32_t i = 0; i < count; i++) {
        bool is_new = strcmp(all[first].name, all[i].name) != 0;
        if (is_new || i == 0)
            check_not_current(reader, number, &all[i]);
        first = is_new ? i : first;
        if (all[i].member != all[first].member && all[i].member != all[i - 1].member)
            report_shared(reader, number, &all[first], &all[i]);
    }
}

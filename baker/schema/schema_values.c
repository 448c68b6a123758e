/* The values of enums and flag sets, and the integer type that stores them. Values are read as 64
 * bits plus a sign, because they can be negative or exceed INT64_MAX. The type is chosen after all
 * values are known. */
#include "schema_reader.h"

#include "scalar_parse.h"

#include <string.h>

static const char *const value_names[] = {"value", "deprecated", "doc", "was"};
enum { VALUE_VALUE, VALUE_DEPRECATED, VALUE_DOC, VALUE_WAS, VALUE_ATTRIBUTES };

/* Up to this many names, all pairs are compared, so that an error can name both. For more names,
 * kiln_types_create finds duplicates and names one of the two. */
enum { PAIRS_MAX = 2000 };

static const kiln_kind unsigned_kinds[] = {KILN_KIND_U8, KILN_KIND_U16, KILN_KIND_U32,
                                           KILN_KIND_U64};
static const kiln_kind signed_kinds[] = {KILN_KIND_I8, KILN_KIND_I16, KILN_KIND_I32, KILN_KIND_I64};

/* Reads any 64-bit integer; `*ret_negative` distinguishes -1 from 2^64 - 1. */
static bool read_number(schema_reader *reader, const schema_file *file, bake_node_id node,
                        const char *path, uint64_t *ret_value, bool *ret_negative)
{
    size_t length;
    const char *text = bake_schema_read_text(reader, file, node, path, "a value", &length);
    if (!text)
        return false;
    bool negative = text[0] == '-';
    bake_parse parse =
        bake_parse_integer(negative ? KILN_KIND_I64 : KILN_KIND_U64, text, length, ret_value);
    if (parse) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "value", path,
                    parse == BAKE_PARSE_MALFORMED ? "expected an integer, found \"%s\""
                                                  : "%s does not fit 64 bits",
                    text);
        return false;
    }
    *ret_negative = negative && *ret_value != 0;
    return true;
}

static bool read_value(schema_reader *reader, const schema_file *file, bake_node_id node,
                       const char *path, kiln_member *member, bake_mark *ret_mark,
                       bool *ret_negative)
{
    *ret_mark = schema_mark(file, node);
    if (bake_node_kind_of(file->tree, node) != BAKE_NODE_MAPPING)
        return read_number(reader, file, node, path, &member->value, ret_negative);
    bake_node_id values[VALUE_ATTRIBUTES];
    bake_schema_read_attributes(reader, file, node, path, value_names, VALUE_ATTRIBUTES, values);
    if (bake_schema_read_bool(reader, file, values[VALUE_DEPRECATED], path, "deprecated"))
        member->flags |= KILN_MEMBER_DEPRECATED;
    member->doc = bake_schema_read_doc(reader, file, values[VALUE_DOC], path);
    bake_schema_read_was(reader, file, values[VALUE_WAS], path, &member->was, &member->was_count);
    if (values[VALUE_VALUE] == BAKE_NODE_NONE)
        return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", path,
                           "missing `value` of a name that is given as a mapping");
    *ret_mark = schema_mark(file, values[VALUE_VALUE]);
    return read_number(reader, file, values[VALUE_VALUE], path, &member->value, ret_negative);
}

static bool fits(kiln_kind base, uint64_t value, bool negative)
{
    if (negative)
        return kiln_kind_is_signed(base) && (int64_t)value >= (int64_t)bake_kind_min(base);
    return value <= bake_kind_max(base);
}

/* Returns the smallest integer type for all values, unsigned unless one is negative. */
static kiln_kind smallest_base(const kiln_member *members, const bool *negatives, uint32_t count)
{
    bool any_negative = false;
    for (uint32_t i = 0; i < count; i++)
        any_negative = any_negative || negatives[i];
    const kiln_kind *kinds = any_negative ? signed_kinds : unsigned_kinds;
    for (int k = 0; k < 4; k++) {
        bool all = true;
        for (uint32_t i = 0; i < count; i++)
            all = all && fits(kinds[k], members[i].value, negatives[i]);
        if (all)
            return kinds[k];
    }
    return kinds[3];
}

/* Reads `base`. Flag sets are bit masks, so their base is unsigned. */
static kiln_kind named_base(schema_reader *reader, uint32_t number)
{
    const schema_type *extra = &reader->extras[number];
    bake_node_id node = extra->attributes[TYPE_BASE];
    bool flags = reader->types[number].kind == KILN_KIND_FLAGS;
    const char *text =
        bake_schema_read_text(reader, extra->file, node, extra->name, "an integer type", NULL);
    if (!text)
        return KILN_KIND_NONE;
    for (int k = 0; k < 4; k++) {
        if (strcmp(kiln_kind_name(unsigned_kinds[k]), text) == 0)
            return unsigned_kinds[k];
        if (!flags && strcmp(kiln_kind_name(signed_kinds[k]), text) == 0)
            return signed_kinds[k];
    }
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "type",
                extra->name, "`base` must be %s, not \"%s\"",
                flags ? "u8, u16, u32 or u64" : "one of i8 to i64 and u8 to u64", text);
    const char *names[8];
    size_t count = 0;
    for (int k = 0; k < 4; k++) {
        names[count++] = kiln_kind_name(unsigned_kinds[k]);
        if (!flags)
            names[count++] = kiln_kind_name(signed_kinds[k]);
    }
    bake_hint_similar(reader->diagnostics, text, strlen(text), names, count);
    return KILN_KIND_NONE;
}

/* In a list, the values are not written, so a value that does not fit is reported at its name. */
static void check_values(schema_reader *reader, uint32_t number, const bool *negatives)
{
    kiln_type *type = &reader->types[number];
    const schema_type *extra = &reader->extras[number];
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        if (type->kind == KILN_KIND_FLAGS && negatives[i])
            bake_report(reader->diagnostics, BAKE_ERROR, extra->members[i].value_mark, "value",
                        extra->name, "the value of flag \"%s\" cannot be negative", member->name);
        else if (!fits(type->base, member->value, negatives[i]))
            bake_report(reader->diagnostics, BAKE_ERROR,
                        extra->members[i].value_mark.line ? extra->members[i].value_mark
                                                          : extra->members[i].mark,
                        "value", extra->name, "the value of \"%s\" does not fit %s", member->name,
                        kiln_kind_name(type->base));
        if (type->kind == KILN_KIND_FLAGS && member->value == 0)
            bake_report(
                reader->diagnostics, BAKE_ERROR, extra->members[i].mark, "value", extra->name,
                "the value of flag \"%s\" cannot be 0; write the empty set as an empty list",
                member->name);
    }
}

/* kiln_types_create repeats this check, but here the error can name both values. */
static void check_distinct(schema_reader *reader, uint32_t number, const bool *negatives)
{
    const kiln_type *type = &reader->types[number];
    const schema_type *extra = &reader->extras[number];
    if (type->kind != KILN_KIND_ENUM || type->member_count > PAIRS_MAX)
        return;
    for (uint32_t i = 1; i < type->member_count; i++)
        for (uint32_t n = 0; n < i; n++)
            if (type->members[i].value == type->members[n].value && negatives[i] == negatives[n]) {
                bake_report(reader->diagnostics, BAKE_ERROR, extra->members[i].mark, "duplicate",
                            extra->name, "\"%s\" has the same value as \"%s\" (line %u)",
                            type->members[i].name, type->members[n].name,
                            extra->members[n].mark.line);
                bake_related(reader->diagnostics, extra->members[n].mark, "first used here");
                break;
            }
}

/* Reports a name that is already in the list, and then returns false. */
static bool check_new(schema_reader *reader, uint32_t number, const kiln_member *members,
                      uint32_t at)
{
    const schema_type *extra = &reader->extras[number];
    bool ok = true;
    for (uint32_t n = 0; at < PAIRS_MAX && n < at; n++)
        if (strcmp(members[n].name, members[at].name) == 0) {
            ok = bake_report(reader->diagnostics, BAKE_ERROR, extra->members[at].mark, "duplicate",
                             extra->name, "\"%s\" is already in the list", members[at].name);
            bake_related(reader->diagnostics, extra->members[n].mark, "first given here");
        }
    return ok;
}

/* Reads a list of names (`[common, rare]`: values 0 and 1, or flags 1 and 2), or a mapping of names
 * to values. Elements that are not names are reported and skipped, because every member needs a
 * name. */
static bool read_all(schema_reader *reader, uint32_t number, bake_node_id node,
                     kiln_member *members, bool *negatives, uint32_t *ret_count)
{
    const schema_type *extra = &reader->extras[number];
    const bake_tree *tree = extra->file->tree;
    bool flags = reader->types[number].kind == KILN_KIND_FLAGS, ok = true;
    bool list = bake_node_kind_of(tree, node) == BAKE_NODE_SEQUENCE;
    bake_iterator it = bake_iterator_begin(tree, node);
    uint32_t count = 0;
    for (uint32_t i = 0; bake_iterator_next(&it); i++) {
        bake_node_id key = list ? it.value : it.key;
        kiln_member *member = &members[count];
        if (list && !bake_schema_read_text(reader, extra->file, key, extra->name, "a name", NULL)) {
            ok = false;
            continue;
        }
        extra->members[count].mark = schema_mark(extra->file, key);
        member->doc = "";
        member->type = KILN_TYPE_NONE;
        member->name = bake_schema_name(reader, extra->file, key);
        ok = bake_schema_check_member_name(reader, extra->file, key, extra->name) && ok;
        member->value = !flags ? i : i < 64 ? UINT64_C(1) << i : 0;
        if (list)
            ok = check_new(reader, number, members, count) && ok;
        else
            ok = read_value(reader, extra->file, it.value,
                            bake_schema_path(reader, extra->name, member->name), member,
                            &extra->members[count].value_mark, &negatives[count]) &&
                 ok;
        count++;
    }
    *ret_count = count;
    return ok;
}

void bake_schema_read_values(schema_reader *reader, uint32_t number)
{
    kiln_type *type = &reader->types[number];
    schema_type *extra = &reader->extras[number];
    const bake_tree *tree = extra->file->tree;
    bool flags = type->kind == KILN_KIND_FLAGS;
    bake_node_id node = extra->attributes[flags ? TYPE_FLAGS : TYPE_ENUM];
    uint32_t count =
        bake_node_kind_of(tree, node) == BAKE_NODE_SCALAR ? 0 : bake_node_count(tree, node);
    if (count == 0 ||
        (flags && bake_node_kind_of(tree, node) == BAKE_NODE_SEQUENCE && count > 64)) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                    extra->name,
                    count ? "a flag set can have at most 64 names"
                          : "expected a list of names, or names with values");
        return;
    }
    kiln_member *members = bake_store_alloc(reader->store, count, sizeof *members);
    bool *negatives = bake_store_alloc(reader->store, count, sizeof *negatives);
    extra->members = bake_store_alloc(reader->store, count, sizeof *extra->members);
    if (!members || !negatives || !extra->members)
        return;
    for (uint32_t i = 0; i < count; i++)
        extra->members[i].default_node = extra->members[i].range_node = BAKE_NODE_NONE;
    bool ok = read_all(reader, number, node, members, negatives, &count);
    type->members = members;
    type->member_count = count;
    type->base = smallest_base(members, negatives, count);
    if (extra->attributes[TYPE_BASE] != BAKE_NODE_NONE) {
        kiln_kind base = named_base(reader, number);
        if (base != KILN_KIND_NONE)
            type->base = base;
    }
    if (ok) {
        check_values(reader, number, negatives);
        check_distinct(reader, number, negatives);
        bake_schema_check_earlier(reader, number);
    }
}

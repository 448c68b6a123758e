/* Reads fields of structs and newtypes, and alternatives of unions. Members and their extras are
 * parallel arrays in the store, so they do not move when types are added. */
#include "schema_reader.h"

#include <string.h>

typedef enum field_attribute {
    FIELD_TYPE,
    FIELD_DEFAULT,
    FIELD_RANGE,
    FIELD_REQUIRED,
    FIELD_SINGLE,
    FIELD_REST,
    FIELD_INHERIT,
    FIELD_UNIT,
    FIELD_DEPRECATED,
    FIELD_HEX,
    FIELD_LOCAL,
    FIELD_LOCAL_BY,
    FIELD_FILE_BY,
    FIELD_BESIDE,
    FIELD_STATE_OF,
    FIELD_ALIGN,
    FIELD_FRAMES,
    FIELD_DOC,
    FIELD_WAS,
    FIELD_ATTRIBUTES
} field_attribute;

static const char *const field_names[FIELD_ATTRIBUTES] = {
    "type",     "default",    "range",  "required", "single",   "rest",    "inherit",
    "unit",     "deprecated", "hex",    "local",    "local_by", "file_by", "beside",
    "state_of", "align",      "frames", "doc",      "was"};

static const char *const alternative_names[] = {"type", "deprecated", "doc", "was"};
enum {
    ALTERNATIVE_TYPE,
    ALTERNATIVE_DEPRECATED,
    ALTERNATIVE_DOC,
    ALTERNATIVE_WAS,
    ALTERNATIVE_ATTRIBUTES
};

/* Allocates `count` members of a type. Returns NULL if memory runs out. */
static kiln_member *make_members(schema_reader *reader, uint32_t type, uint32_t count)
{
    kiln_member *members = bake_store_alloc(reader->store, count, sizeof *members);
    schema_member *extras = bake_store_alloc(reader->store, count, sizeof *extras);
    if (!members || !extras)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        members[i].name = members[i].doc = "";
        members[i].type = KILN_TYPE_NONE;
        extras[i].default_node = extras[i].range_node = extras[i].unit_node = BAKE_NODE_NONE;
    }
    reader->types[type].members = members;
    reader->types[type].member_count = count;
    reader->extras[type].members = extras;
    return members;
}

/* Checks that the field's type allows `single` and `rest`. */
static void check_field_flags(schema_reader *reader, const schema_file *file, const char *path,
                              const kiln_member *member, const bake_node_id *values)
{
    if (member->type == KILN_TYPE_NONE)
        return;
    const kiln_type *type = schema_value_type(reader, member->type);
    if ((member->flags & KILN_MEMBER_SINGLE) && type->kind != KILN_KIND_ARRAY)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, values[FIELD_SINGLE]),
                    "single", path, "`single` is only for lists");
    if (!(member->flags & KILN_MEMBER_REST))
        return;
    if (type->kind != KILN_KIND_MAP || reader->types[type->key].kind != KILN_KIND_STRING)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, values[FIELD_REST]), "rest",
                    path, "`rest` is only for maps with string keys");
    if (values[FIELD_DEFAULT] != BAKE_NODE_NONE || values[FIELD_WAS] != BAKE_NODE_NONE ||
        (member->flags & KILN_MEMBER_REQUIRED))
        bake_report(
            reader->diagnostics, BAKE_ERROR, schema_mark(file, values[FIELD_REST]), "rest", path,
            "a `rest` field is not written under its own name, so `default`, `required` and `was` "
            "have no meaning");
}

/* Reads `local`, `local_by`, `file_by` and `beside`. */
static void read_keys(schema_reader *reader, const schema_file *file, const bake_node_id *values,
                      const char *path, schema_member *extra)
{
    const struct {
        field_attribute attribute;
        const char **ret;
    } keys[] = {{FIELD_LOCAL, &extra->local},
                {FIELD_LOCAL_BY, &extra->local_by},
                {FIELD_FILE_BY, &extra->file_by}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (values[keys[i].attribute] != BAKE_NODE_NONE)
            *keys[i].ret =
                bake_schema_read_text(reader, file, values[keys[i].attribute], path, "a key", NULL);
    bake_schema_read_names(reader, file, values[FIELD_BESIDE], path, "a key", &extra->beside,
                           &extra->beside_count);
}

/* Reads `inherit` of a field; returns a bake_inherit. */
static uint8_t read_inherit(schema_reader *reader, const schema_file *file, bake_node_id node,
                            const char *path)
{
    static const char *const names[] = {"replace", "merge", "never"};
    enum { RULES = sizeof names / sizeof *names };
    size_t length;
    if (node == BAKE_NODE_NONE)
        return BAKE_INHERIT_UNSET;
    const char *text =
        bake_schema_read_text(reader, file, node, path, "replace, merge or never", &length);
    for (uint8_t i = 0; text && i < RULES; i++)
        if (strcmp(names[i], text) == 0)
            return (uint8_t)(BAKE_INHERIT_REPLACE + i);
    if (text) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", path,
                    "`inherit` of a field must be replace, merge or never, not \"%s\"", text);
        bake_hint_similar(reader->diagnostics, text, length, names, RULES);
    }
    return BAKE_INHERIT_UNSET;
}

static void read_field(schema_reader *reader, const schema_file *file, bake_node_id node,
                       const char *path, kiln_member *member, schema_member *extra)
{
    if (bake_node_kind_of(file->tree, node) != BAKE_NODE_MAPPING) {
        extra->type_mark = schema_mark(file, node);
        member->type = bake_schema_read_expression(reader, file, node, path);
        return;
    }
    static const struct {
        field_attribute attribute;
        uint32_t flag;
    } flags[] = {{FIELD_REQUIRED, KILN_MEMBER_REQUIRED},
                 {FIELD_SINGLE, KILN_MEMBER_SINGLE},
                 {FIELD_REST, KILN_MEMBER_REST},
                 {FIELD_DEPRECATED, KILN_MEMBER_DEPRECATED}};
    bake_node_id values[FIELD_ATTRIBUTES];
    bool known = bake_schema_read_attributes(reader, file, node, path, field_names,
                                             FIELD_ATTRIBUTES, values);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (bake_schema_read_bool(reader, file, values[flags[i].attribute], path,
                                  field_names[flags[i].attribute]))
            member->flags |= flags[i].flag;
    member->doc = bake_schema_read_doc(reader, file, values[FIELD_DOC], path);
    bake_schema_read_was(reader, file, values[FIELD_WAS], path, &member->was, &member->was_count);
    extra->default_node = values[FIELD_DEFAULT];
    extra->inherit = read_inherit(reader, file, values[FIELD_INHERIT], path);
    extra->range_node = values[FIELD_RANGE];
    extra->is_hex = bake_schema_read_bool(reader, file, values[FIELD_HEX], path, "hex");
    read_keys(reader, file, values, path, extra);
    bake_schema_read_state_of(reader, file, values[FIELD_STATE_OF], path, extra);
    extra->unit_node = values[FIELD_UNIT];
    if (values[FIELD_TYPE] == BAKE_NODE_NONE) {
        /* An unknown key was already reported, and may be a misspelt `type`. */
        if (known)
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", path,
                        "missing `type` of a field");
        return;
    }
    extra->type_mark = schema_mark(file, values[FIELD_TYPE]);
    member->type = bake_schema_read_expression(reader, file, values[FIELD_TYPE], path);
    check_field_flags(reader, file, path, member, values);
    const bake_node_id payload[2] = {values[FIELD_ALIGN], values[FIELD_FRAMES]};
    bake_schema_read_payload(reader, file, path, member, payload, extra);
}

static void check_one_rest(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    const char *first = NULL;
    bake_mark first_mark = {0};
    for (uint32_t i = 0; i < type->member_count; i++) {
        bake_mark mark = reader->extras[number].members[i].mark;
        if (!(type->members[i].flags & KILN_MEMBER_REST))
            continue;
        if (first) {
            bake_report(reader->diagnostics, BAKE_ERROR, mark, "rest", reader->extras[number].name,
                        "\"%s\" is already the `rest` field; a struct has at most one", first);
            bake_related(reader->diagnostics, first_mark, "first given here");
        }
        first = type->members[i].name;
        first_mark = mark;
    }
}

void bake_schema_read_fields(schema_reader *reader, uint32_t number)
{
    const schema_type *extra = &reader->extras[number];
    const schema_file *file = extra->file;
    const bake_tree *tree = file->tree;
    const char *type_path = extra->name;
    bake_node_id wrap = extra->attributes[TYPE_WRAP], fields = extra->attributes[TYPE_STRUCT];
    kiln_member *members;
    if (reader->types[number].flags & KILN_TYPE_TRANSPARENT) {
        members = make_members(reader, number, 1);
        if (!members)
            return;
        members[0].name = "value";
        schema_member *place = reader->extras[number].members;
        place->mark = schema_mark(file, wrap);
        read_field(reader, file, wrap, type_path, &members[0], place);
        if (members[0].flags & KILN_MEMBER_REST)
            bake_report(reader->diagnostics, BAKE_ERROR, place->mark, "rest", type_path,
                        "a newtype has no other fields, so it cannot be `rest`");
        return;
    }
    if (bake_node_kind_of(tree, fields) != BAKE_NODE_MAPPING) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, fields), "schema", type_path,
                    "expected a mapping of names to fields");
        return;
    }
    members = make_members(reader, number, bake_node_count(tree, fields));
    bake_iterator it = bake_iterator_begin(tree, fields);
    for (uint32_t i = 0; members && bake_iterator_next(&it); i++) {
        /* Adding types may move the list of extras, but not the members. */
        schema_member *place = &reader->extras[number].members[i];
        members[i].name = bake_schema_name(reader, file, it.key);
        place->mark = place->type_mark = schema_mark(file, it.key);
        if (bake_schema_check_member_name(reader, file, it.key, type_path))
            read_field(reader, file, it.value, bake_schema_path(reader, type_path, members[i].name),
                       &members[i], place);
    }
    bake_schema_check_earlier(reader, number);
    check_one_rest(reader, number);
}

static void read_alternative(schema_reader *reader, const schema_file *file, bake_node_id node,
                             const char *path, kiln_member *member, schema_member *extra)
{
    if (bake_node_is_null(file->tree, node))
        return;
    if (bake_node_kind_of(file->tree, node) != BAKE_NODE_MAPPING) {
        extra->type_mark = schema_mark(file, node);
        member->type = bake_schema_read_expression(reader, file, node, path);
        return;
    }
    bake_node_id values[ALTERNATIVE_ATTRIBUTES];
    bake_schema_read_attributes(reader, file, node, path, alternative_names, ALTERNATIVE_ATTRIBUTES,
                                values);
    if (bake_schema_read_bool(reader, file, values[ALTERNATIVE_DEPRECATED], path, "deprecated"))
        member->flags |= KILN_MEMBER_DEPRECATED;
    member->doc = bake_schema_read_doc(reader, file, values[ALTERNATIVE_DOC], path);
    bake_schema_read_was(reader, file, values[ALTERNATIVE_WAS], path, &member->was,
                         &member->was_count);
    if (values[ALTERNATIVE_TYPE] == BAKE_NODE_NONE)
        return;
    extra->type_mark = schema_mark(file, values[ALTERNATIVE_TYPE]);
    member->type = bake_schema_read_expression(reader, file, values[ALTERNATIVE_TYPE], path);
}

void bake_schema_read_alternatives(schema_reader *reader, uint32_t number)
{
    const schema_type *extra = &reader->extras[number];
    const schema_file *file = extra->file;
    const bake_tree *tree = file->tree;
    const char *type_path = extra->name;
    bake_node_id node = extra->attributes[TYPE_UNION];
    if (bake_node_kind_of(tree, node) != BAKE_NODE_MAPPING || bake_node_count(tree, node) == 0) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", type_path,
                    "expected a mapping of one or more alternatives to types");
        return;
    }
    kiln_member *members = make_members(reader, number, bake_node_count(tree, node));
    bake_iterator it = bake_iterator_begin(tree, node);
    for (uint32_t i = 0; members && bake_iterator_next(&it); i++) {
        schema_member *place = &reader->extras[number].members[i];
        members[i].name = bake_schema_name(reader, file, it.key);
        members[i].value = (uint64_t)i + 1;
        place->mark = place->type_mark = schema_mark(file, it.key);
        if (bake_schema_check_member_name(reader, file, it.key, type_path))
            read_alternative(reader, file, it.value,
                             bake_schema_path(reader, type_path, members[i].name), &members[i],
                             place);
    }
    bake_schema_check_earlier(reader, number);
}

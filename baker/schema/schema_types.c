/* Declarations of types with their attributes. All types are declared before any member is read, so
 * members can use types that are declared later or in other files. */
#include "schema_reader.h"

#include "ascii.h"
#include "scalar_parse.h"

#include <string.h>

/* Maximum lengths of type names without and with the namespace. blobfmt limits the latter. */
enum { UNQUALIFIED_MAX = 200, QUALIFIED_MAX = KILN_NAME_MAX };

static const char *const attribute_names[TYPE_ATTRIBUTES] = {
    "struct", "union",  "enum", "flags",   "wrap",    "doc",     "was",  "asset",  "component",
    "kind",   "align",  "id",   "inherit", "cluster", "base",    "by",   "tuple",  "colour",
    "short",  "entity", "case", "prefix",  "none",    "literal", "path", "states", "state_of"};

/* The kinds of types that can have an attribute, as bits of type_attribute; 0: all. */
static const struct {
    unsigned words;
    const char *names; /* for messages */
} attribute_uses[TYPE_ATTRIBUTES] = {
    [TYPE_ASSET] = {1u << TYPE_STRUCT | 1u << TYPE_WRAP, "`struct` or `wrap`"},
    [TYPE_COMPONENT] = {1u << TYPE_STRUCT | 1u << TYPE_WRAP, "`struct` or `wrap`"},
    [TYPE_KIND] = {1u << TYPE_STRUCT | 1u << TYPE_WRAP, "`struct` or `wrap`"},
    [TYPE_ALIGN] = {1u << TYPE_STRUCT | 1u << TYPE_WRAP, "`struct` or `wrap`"},
    [TYPE_INHERIT] = {1u << TYPE_STRUCT | 1u << TYPE_WRAP, "`struct` or `wrap`"},
    [TYPE_CLUSTER] = {1u << TYPE_STRUCT | 1u << TYPE_WRAP, "`struct` or `wrap`"},
    [TYPE_ID] = {1u << TYPE_STRUCT | 1u << TYPE_WRAP, "`struct` or `wrap`"},
    [TYPE_BASE] = {1u << TYPE_ENUM | 1u << TYPE_FLAGS, "`enum` or `flags`"},
    [TYPE_BY] = {1u << TYPE_UNION, "`union`"},
    [TYPE_TUPLE] = {1u << TYPE_STRUCT, "`struct`"},
    [TYPE_COLOUR] = {1u << TYPE_STRUCT, "`struct`"},
    [TYPE_SHORT] = {1u << TYPE_STRUCT, "`struct`"},
    [TYPE_ENTITY] = {1u << TYPE_WRAP, "`wrap`"},
    [TYPE_CASE] = {1u << TYPE_ENUM | 1u << TYPE_FLAGS, "`enum` or `flags`"},
    [TYPE_PREFIX] = {1u << TYPE_ENUM | 1u << TYPE_FLAGS, "`enum` or `flags`"},
    [TYPE_NONE] = {1u << TYPE_FLAGS, "`flags`"},
    [TYPE_LITERAL] = {1u << TYPE_WRAP, "`wrap`"},
    [TYPE_PATH] = {1u << TYPE_WRAP, "`wrap`"},
    [TYPE_STATES] = {1u << TYPE_WRAP, "`wrap`"},
    [TYPE_STATE_OF] = {1u << TYPE_WRAP, "`wrap`"}};

static bool check_type_name(schema_reader *reader, const schema_file *file, bake_node_id key)
{
    const char *name = bake_schema_name(reader, file, key);
    size_t length;
    bake_node_text(file->tree, key, &length);
    if (length > UNQUALIFIED_MAX)
        return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, key), "name", NULL,
                           "the name of a type can have at most %d bytes, not %zu", UNQUALIFIED_MAX,
                           length);
    if (!bake_is_name(name, length, 0))
        return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, key), "name", NULL,
                           "the name of a type must be a C identifier, not \"%s\"", name);
    if (bake_schema_is_builtin(name, length))
        return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, key), "name", NULL,
                           "\"%s\" is a built-in type", name);
    return true;
}

/* Returns the kind of the type. Reports an error and returns KILN_KIND_NONE unless the type has
 * exactly one of `struct`, `union`, `enum`, `flags` and `wrap`. */
static kiln_kind declared_kind(schema_reader *reader, const schema_type *extra)
{
    static const kiln_kind kinds[] = {KILN_KIND_STRUCT, KILN_KIND_UNION, KILN_KIND_ENUM,
                                      KILN_KIND_FLAGS, KILN_KIND_STRUCT};
    kiln_kind kind = KILN_KIND_NONE;
    unsigned found = 0;
    int second = TYPE_STRUCT;
    for (int i = TYPE_STRUCT; i <= TYPE_WRAP; i++) {
        if (extra->attributes[i] == BAKE_NODE_NONE)
            continue;
        kind = kinds[i];
        if (found++ == 1)
            second = i;
    }
    if (found == 1)
        return kind;
    bake_mark mark = found ? schema_mark(extra->file, extra->attributes[second]) : extra->mark;
    bake_report(reader->diagnostics, BAKE_ERROR, mark, "schema", extra->name,
                "a type must have exactly one of `struct`, `union`, `enum`, `flags` and `wrap`");
    return KILN_KIND_NONE;
}

/* Reports attributes that types of this kind cannot have. */
static void check_attribute_use(schema_reader *reader, const schema_type *extra)
{
    unsigned word = TYPE_STRUCT;
    while (extra->attributes[word] == BAKE_NODE_NONE)
        word++;
    for (int i = 0; i < TYPE_ATTRIBUTES; i++) {
        unsigned words = attribute_uses[i].words;
        if (extra->attributes[i] == BAKE_NODE_NONE || words == 0 || (words & 1u << word))
            continue;
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, extra->attributes[i]),
                    "schema", extra->name, "`%s` is only for types with %s", attribute_names[i],
                    attribute_uses[i].names);
    }
}

static void read_align(schema_reader *reader, kiln_type *type, const schema_type *extra)
{
    bake_node_id node = extra->attributes[TYPE_ALIGN];
    uint64_t align;
    size_t length;
    if (node == BAKE_NODE_NONE)
        return;
    const char *text =
        bake_schema_read_text(reader, extra->file, node, extra->name, "an alignment", &length);
    if (!text)
        return;
    if (bake_parse_integer(KILN_KIND_U32, text, length, &align) || align == 0 ||
        align > KILN_ALIGN_MAX || (align & (align - 1)) != 0)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                    extra->name, "`align` must be a power of two from 1 to %d, not %s",
                    KILN_ALIGN_MAX, text);
    else
        type->align_at = (uint32_t)align;
}

/* Reads `component`: true, false or `row`. */
static void read_component(schema_reader *reader, kiln_type *type, schema_type *extra)
{
    bake_node_id node = extra->attributes[TYPE_COMPONENT];
    size_t length = 0;
    const char *text =
        node != BAKE_NODE_NONE ? bake_node_text(extra->file->tree, node, &length) : "";
    if (length == 3 && memcmp(text, "row", 3) == 0)
        extra->has_row = true;
    else if (bake_schema_read_bool(reader, extra->file, node, extra->name, "component"))
        type->flags |= KILN_TYPE_COMPONENT;
}

/* Returns false after reporting that the name is too long or already declared. */
static bool check_qualified_name(schema_reader *reader, const schema_type *extra)
{
    if (strlen(extra->name) > QUALIFIED_MAX) {
        bake_report(reader->diagnostics, BAKE_ERROR, extra->mark, "name", NULL,
                    "the name of a type with its namespace can have at most %d bytes, not %zu",
                    QUALIFIED_MAX, strlen(extra->name));
        return false;
    }
    uint32_t other = bake_schema_find_type(reader, extra->name, strlen(extra->name));
    if (other == KILN_TYPE_NONE)
        return true;
    bake_mark first = reader->extras[other].mark;
    bake_report(reader->diagnostics, BAKE_ERROR, extra->mark, "duplicate", NULL,
                "type \"%s\" is already declared at %s:%u:%u", extra->name,
                bake_diagnostics_source_name(reader->diagnostics, first.source), first.line,
                first.column);
    bake_related(reader->diagnostics, first, "declared here");
    return false;
}

/* Reads the attributes of the body. Adds a hint if the body is not a mapping. */
static bool read_body(schema_reader *reader, const schema_file *file, bake_node_id body,
                      schema_type *extra)
{
    if (bake_schema_read_attributes(reader, file, body, extra->name, attribute_names,
                                    TYPE_ATTRIBUTES, extra->attributes))
        return true;
    if (bake_node_is_null(file->tree, body))
        bake_hint(reader->diagnostics,
                  "indent its attributes, such as `struct`, deeper than its name");
    else if (bake_node_kind_of(file->tree, body) == BAKE_NODE_SCALAR)
        bake_hint(reader->diagnostics, "to define a new name for a type, write `{wrap: type}`");
    return false;
}

static void read_struct_attributes(schema_reader *reader, kiln_type *type, schema_type *extra)
{
    const schema_file *file = extra->file;
    bake_node_id id = extra->attributes[TYPE_ID];
    if (id != BAKE_NODE_NONE)
        extra->id = bake_schema_read_text(reader, file, id, extra->name, "a key", NULL);
    read_align(reader, type, extra);
    if (bake_schema_read_bool(reader, file, extra->attributes[TYPE_ASSET], extra->name, "asset"))
        type->flags |= KILN_TYPE_ASSET;
    read_component(reader, type, extra);
    if (extra->attributes[TYPE_WRAP] != BAKE_NODE_NONE)
        type->flags |= KILN_TYPE_TRANSPARENT;
}

/* If the name is valid and new, a declaration with other errors still adds a type, of kind NONE if
 * its kind is unknown, so that uses of the name are not reported as unknown. */
static void declare(schema_reader *reader, const schema_file *file, bake_node_id key,
                    bake_node_id body)
{
    schema_type extra;
    memset(&extra, 0, sizeof extra);
    extra.file = file;
    extra.mark = schema_mark(file, key);
    if (!check_type_name(reader, file, key))
        return;
    const char *unqualified = bake_schema_name(reader, file, key);
    extra.name = bake_store_join(reader->store, file->name_space, '.', unqualified);
    if (!extra.name || !check_qualified_name(reader, &extra))
        return;
    bool ok = read_body(reader, file, body, &extra);
    kiln_type type = bake_schema_blank_type(KILN_KIND_NONE, extra.name);
    if (bake_node_kind_of(file->tree, body) == BAKE_NODE_MAPPING &&
        (ok || extra.attributes[0] != BAKE_NODE_NONE))
        type.kind = declared_kind(reader, &extra);
    if (type.kind != KILN_KIND_NONE) {
        check_attribute_use(reader, &extra);
        type.doc = bake_schema_read_doc(reader, file, extra.attributes[TYPE_DOC], extra.name);
        bake_schema_read_was(reader, file, extra.attributes[TYPE_WAS], extra.name, &type.was,
                             &type.was_count);
    }
    if (type.kind == KILN_KIND_STRUCT)
        read_struct_attributes(reader, &type, &extra);
    bake_schema_add_type(reader, &type, &extra);
}

static void read_members(schema_reader *reader, uint32_t type)
{
    switch (reader->types[type].kind) {
    case KILN_KIND_STRUCT:
        bake_schema_read_fields(reader, type);
        break;
    case KILN_KIND_UNION:
        bake_schema_read_alternatives(reader, type);
        break;
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
        bake_schema_read_values(reader, type);
        break;
    default:
        break;
    }
}

bool bake_schema_read_types(schema_reader *reader)
{
    for (size_t i = 0; i < reader->file_count; i++) {
        const schema_file *file = reader->files[i];
        if (file->types == BAKE_NODE_NONE || bake_node_is_null(file->tree, file->types))
            continue;
        if (bake_node_kind_of(file->tree, file->types) != BAKE_NODE_MAPPING) {
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, file->types), "schema",
                        "types", "expected a mapping of names to types");
            continue;
        }
        for (bake_iterator it = bake_iterator_begin(file->tree, file->types);
             bake_iterator_next(&it);)
            declare(reader, file, it.key, it.value);
    }
    reader->named_count = reader->type_count;
    for (uint32_t i = 0; i < reader->named_count; i++)
        read_members(reader, i);
    bake_schema_read_rows(reader);
    bake_schema_read_components(reader);
    return bake_diagnostics_errors(reader->diagnostics) == 0 && !reader->store->failed &&
           reader->failure->result == BAKE_OK;
}

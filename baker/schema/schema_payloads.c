/* Payloads: the type `payload`, which is a reference to an asset of the format's own type
 * kiln.Payload, and the attributes `align` and `frames` of fields. The struct is added to the types
 * when an expression first uses it, so files without payloads do not describe it. */
#include "bake_memory.h"
#include "scalar_parse.h"
#include "schema_reader.h"

#include <kiln/payload.h>
#include <string.h>

/* Adds a struct that no document declares. Returns KILN_TYPE_NONE if memory runs out. */
static uint32_t add_struct(schema_reader *reader, const schema_file *file, bake_mark mark,
                           const char *name, const kiln_member *fields, uint32_t count)
{
    kiln_type type = bake_schema_blank_type(KILN_KIND_STRUCT, name);
    schema_type extra;
    memset(&extra, 0, sizeof extra);
    kiln_member *members = bake_store_alloc(reader->store, count, sizeof *members);
    extra.file = file;
    extra.name = name;
    extra.mark = mark;
    extra.members = bake_store_alloc(reader->store, count, sizeof *extra.members);
    if (!members || !extra.members)
        return KILN_TYPE_NONE;
    memset(extra.attributes, 0xff, sizeof extra.attributes);
    for (uint32_t i = 0; i < count; i++) {
        schema_member *member = &extra.members[i];
        members[i] = fields[i];
        member->mark = member->type_mark = mark;
        member->default_node = member->range_node = member->unit_node = BAKE_NODE_NONE;
    }
    type.members = members;
    type.member_count = count;
    return bake_schema_add_type(reader, &type, &extra);
}

/* A field of the format's own types, of one of the types in `numbers`. */
static kiln_member field_of(const kiln_member *fixed, uint32_t type)
{
    kiln_member member = *fixed;
    member.type = type;
    return member;
}

/* Copies a struct of `fixed` and, before it, the types of its fields. The structs nest only through
 * arrays, and at most two deep. Returns KILN_TYPE_NONE if memory runs out. */
static uint32_t copy_type(schema_reader *reader, const kiln_types *fixed, uint32_t number,
                          const schema_file *file, bake_mark mark)
{
    enum { FIELDS_MAX = 8 };
    const kiln_type *of = kiln_types_get(fixed, number);
    kiln_type type = bake_schema_blank_type(of->kind, "");
    kiln_member fields[FIELDS_MAX];
    if (of->element != KILN_TYPE_NONE) {
        type.element = copy_type(reader, fixed, of->element, file, mark);
        if (type.element == KILN_TYPE_NONE)
            return KILN_TYPE_NONE;
    }
    if (of->kind != KILN_KIND_STRUCT)
        return bake_schema_intern(reader, &type, file, mark);
    for (uint32_t i = 0; i < of->member_count; i++) {
        uint32_t part = copy_type(reader, fixed, of->members[i].type, file, mark);
        if (part == KILN_TYPE_NONE)
            return KILN_TYPE_NONE;
        fields[i] = field_of(&of->members[i], part);
    }
    const char *name = bake_store_text(reader->store, of->name, strlen(of->name));
    return name ? add_struct(reader, file, mark, name, fields, of->member_count) : KILN_TYPE_NONE;
}

/* The strings of members belong to `fixed_payload`, which the reader therefore keeps. */
static uint32_t add_payload(schema_reader *reader, const schema_file *file, bake_mark mark)
{
    const kiln_allocator allocator = bake_memory_allocator();
    if (!reader->fixed_payload &&
        kiln_types_with_payloads(NULL, &allocator, &reader->fixed_payload, NULL)) {
        bake_fail_memory(reader->failure);
        return KILN_TYPE_NONE;
    }
    const kiln_types *fixed = reader->fixed_payload;
    uint32_t number =
        copy_type(reader, fixed, kiln_types_find(fixed, KILN_PAYLOAD_TYPE_NAME), file, mark);
    if (number != KILN_TYPE_NONE)
        reader->types[number].flags |= KILN_TYPE_ASSET;
    return number;
}

uint32_t bake_schema_payload(schema_reader *reader, const schema_file *file, bake_mark mark)
{
    kiln_type type = bake_schema_blank_type(KILN_KIND_REF, "");
    static const char *const names[] = {KILN_PAYLOAD_TYPE_NAME, "kiln.PayloadFrame"};
    for (int i = 0; i < 2 && reader->payload == 0; i++) {
        uint32_t other = bake_schema_find_type(reader, names[i], strlen(names[i]));
        if (other == KILN_TYPE_NONE)
            continue;
        bake_report(reader->diagnostics, BAKE_ERROR, reader->extras[other].mark, "name", NULL,
                    "the name %s is reserved in a schema that uses `payload`", names[i]);
        return KILN_TYPE_NONE;
    }
    if (reader->payload == 0) {
        uint32_t number = add_payload(reader, file, mark);
        if (number == KILN_TYPE_NONE)
            return KILN_TYPE_NONE;
        reader->payload = number + 1;
    }
    type.element = reader->payload - 1;
    return bake_schema_intern(reader, &type, file, mark);
}

/* Reads a power of two. Returns 0 if the attribute is absent or after a report. */
static uint32_t read_power(schema_reader *reader, const schema_file *file, bake_node_id node,
                           const char *path, const char *what, uint32_t least, uint32_t most)
{
    uint64_t number = 0;
    size_t length;
    if (node == BAKE_NODE_NONE)
        return 0;
    const char *text = bake_schema_read_text(reader, file, node, path, "a number", &length);
    if (!text)
        return 0;
    if (bake_parse_integer(KILN_KIND_U32, text, length, &number) == BAKE_PARSE_OK &&
        number >= least && number <= most && (number & (number - 1)) == 0)
        return (uint32_t)number;
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", path,
                "`%s` of a payload must be a power of two from %u to %u, not %s", what,
                (unsigned)least, (unsigned)most, text);
    return 0;
}

static bool is_payload(const schema_reader *reader, uint32_t type)
{
    if (type != KILN_TYPE_NONE && reader->types[type].kind == KILN_KIND_OPTIONAL)
        type = reader->types[type].element;
    return type != KILN_TYPE_NONE && reader->payload && reader->types[type].kind == KILN_KIND_REF &&
           reader->types[type].element == reader->payload - 1;
}

void bake_schema_read_payload(schema_reader *reader, const schema_file *file, const char *path,
                              const kiln_member *member, const bake_node_id nodes[2],
                              schema_member *extra)
{
    static const char *const names[] = {"align", "frames"};
    for (int i = 0; i < 2 && member->type != KILN_TYPE_NONE; i++)
        if (nodes[i] != BAKE_NODE_NONE && !is_payload(reader, member->type)) {
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, nodes[i]), "schema",
                        path, "`%s` is only for fields of the type payload", names[i]);
            return;
        }
    extra->payload.alignment =
        read_power(reader, file, nodes[0], path, names[0], 1, KILN_PAYLOAD_ALIGN_MAX);
    extra->payload.frame_size = read_power(reader, file, nodes[1], path, names[1],
                                           KILN_PAYLOAD_FRAME_MIN, KILN_PAYLOAD_FRAME_MAX);
}

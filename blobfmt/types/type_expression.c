/* Writes types as schemas spell them: `map<string, u32[]>`. Errors refer to types by this spelling,
 * and layout hashes cover it, so it is part of the format (FORMAT.md section 6). */
#include "type_list.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
    "none",  "bool",  "i8",  "i16",      "i32",   "i64",    "u8",   "u16",   "u32",
    "u64",   "f32",   "f64", "string",   "bytes", "ref",    "enum", "flags", "struct",
    "union", "array", "map", "optional", "fixed", "entity", "data"};

const char *kiln_kind_name(kiln_kind kind)
{
    return (unsigned)kind < sizeof kind_names / sizeof *kind_names ? kind_names[kind] : "unknown";
}

uint32_t kiln_kind_size(kiln_kind kind)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 0,
                                    0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8};
    return (unsigned)kind < sizeof sizes ? sizes[kind] : 0;
}

/* The output so far. As with snprintf, `length` keeps counting when the buffer is full. */
typedef struct text {
    char *buffer;
    size_t size, length;
} text;

static void add(text *out, const char *s)
{
    size_t length = strlen(s);
    if (out->length < out->size) {
        size_t room = out->size - out->length;
        memcpy(out->buffer + out->length, s, length < room ? length : room);
    }
    out->length += length;
}

static void add_number(text *out, const char *before, uint32_t number, const char *after)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", (unsigned)number);
    add(out, before);
    add(out, digits);
    add(out, after);
}

/* Errors are also reported for lists that failed the checks and may contain cycles of unnamed
 * types. `depth` limits the recursion in that case. */
static void add_type(text *out, const kiln_types *types, uint32_t number, int depth)
{
    const kiln_type *type = kiln_types_get(types, number);
    if (!type || depth > KILN_ANONYMOUS_DEPTH_MAX + 1) {
        add(out, "?");
        return;
    }
    switch (type->kind) {
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
    case KILN_KIND_STRUCT:
    case KILN_KIND_UNION:
        add(out, type->name);
        break;
    case KILN_KIND_BYTES:
        add(out, "bytes");
        break;
    case KILN_KIND_REF:
    case KILN_KIND_DATA:
        add(out, kiln_kind_name(type->kind));
        if (type->kind == KILN_KIND_DATA || type->element != KILN_TYPE_NONE) {
            add(out, "<");
            add_type(out, types, type->element, depth + 1);
            add(out, ">");
        }
        break;
    case KILN_KIND_ARRAY:
        add_type(out, types, type->element, depth + 1);
        add(out, "[]");
        break;
    case KILN_KIND_MAP:
        add(out, "map<");
        add_type(out, types, type->key, depth + 1);
        add(out, ", ");
        add_type(out, types, type->element, depth + 1);
        add(out, ">");
        break;
    case KILN_KIND_OPTIONAL:
        add_type(out, types, type->element, depth + 1);
        add(out, "?");
        break;
    case KILN_KIND_FIXED:
        add_type(out, types, type->element, depth + 1);
        add_number(out, "[", type->count, "]");
        break;
    default:
        add(out, kiln_kind_name(type->kind));
    }
    if (type->align_at && type->kind != KILN_KIND_STRUCT)
        add_number(out, "@", type->align_at, "");
}

size_t kiln_type_expression(const kiln_types *types, uint32_t type, char *buffer, size_t size)
{
    text out = {buffer, size ? size - 1 : 0, 0};
    add_type(&out, types, type, 0);
    if (size)
        buffer[out.length < out.size ? out.length : out.size] = '\0';
    return out.length;
}

kiln_status kiln_type_fail(kiln_error *reterr, kiln_status status, const kiln_types *types,
                           uint32_t type, const kiln_member *member)
{
    char path[2 * KILN_PATH_SIZE];
    size_t length = kiln_type_expression(types, type, path, sizeof path);
    if (length >= sizeof path)
        length = sizeof path - 1;
    if (member)
        snprintf(path + length, sizeof path - length, ".%s", member->name);
    return kiln_fail(reterr, status, 0, path);
}

/* Writes values as YAML, choosing randomly between the forms of the data language. */
#include "random_schema.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_plain(random_schema *schema, const random_datum *datum,
                        const random_member *member, FILE *out);

static void write_key(random_schema *schema, const random_datum *key, FILE *out)
{
    if (key->type->kind == KILN_KIND_FIXED)
        random_parts_write(key, out);
    else
        write_plain(schema, key, NULL, out);
}

static bool is_absent(const random_datum *datum)
{
    const random_type *type = datum->type;
    if (type->is_wrap)
        return is_absent(datum->items[0]);
    return type->kind == KILN_KIND_UNION ? datum->choice == 0
                                         : type->has_empty && datum->count == 0;
}

static void write_null(random_schema *schema, FILE *out)
{
    fputs(random_chance(schema, 50) ? "null" : "~", out);
}

static void write_items(random_schema *schema, const random_datum *datum, FILE *out)
{
    fputc('[', out);
    for (uint32_t i = 0; i < datum->count; i++) {
        fputs(i ? ", " : "", out);
        random_datum_write(schema, datum->items[i], NULL, out);
    }
    fputc(']', out);
}

/* Writes the entries beginning with a random one, so that the baker must sort them. */
static void write_entries(random_schema *schema, const random_datum *map, bool *first, FILE *out)
{
    uint32_t start = map->count ? random_below(schema, map->count) : 0;
    for (uint32_t i = 0; i < map->count; i++) {
        uint32_t at = (start + i) % map->count;
        fputs(*first ? "" : ", ", out);
        *first = false;
        write_key(schema, map->keys[at], out);
        fputs(": ", out);
        random_datum_write(schema, map->items[at], NULL, out);
    }
}

/* Whether a field is omitted because its default or its type implies the value. */
static bool is_left_out(random_schema *schema, const random_datum *field,
                        const random_member *member)
{
    if (field->is_default)
        return true;
    /* A newtype is required if its only field is. */
    for (const random_type *type = field->type; type->is_wrap; type = type->members[0].type)
        if (type->members[0].is_required)
            return false;
    return !member->default_value && !member->is_required && is_absent(field) &&
           field->type->has_empty && random_chance(schema, 60);
}

static void write_struct(random_schema *schema, const random_datum *datum, FILE *out)
{
    bool first = true;
    fputc('{', out);
    for (uint32_t i = 0; i < datum->count; i++) {
        const random_member *member = &datum->type->members[i];
        if (member->is_rest)
            write_entries(schema, datum->items[i], &first, out);
        if (member->is_rest || is_left_out(schema, datum->items[i], member))
            continue;
        fputs(first ? "" : ", ", out);
        first = false;
        random_text_write(schema, member->name, strlen(member->name), out);
        fputs(": ", out);
        random_datum_write(schema, datum->items[i], member, out);
    }
    fputc('}', out);
}

static void write_union(random_schema *schema, const random_datum *datum, FILE *out)
{
    if (datum->choice == 0) {
        write_null(schema, out);
        return;
    }
    const random_member *member = &datum->type->members[datum->choice - 1];
    if (!member->type && random_chance(schema, 50)) {
        random_text_write(schema, member->name, strlen(member->name), out);
        return;
    }
    fputc('{', out);
    random_text_write(schema, member->name, strlen(member->name), out);
    fputs(": ", out);
    if (member->type)
        random_datum_write(schema, datum->items[0], NULL, out);
    else
        write_null(schema, out);
    fputc('}', out);
}

static void write_plain(random_schema *schema, const random_datum *datum,
                        const random_member *member, FILE *out)
{
    const random_type *type = datum->type;
    bool first = true;
    switch (type->kind) {
    case KILN_KIND_STRUCT:
        if (type->is_wrap)
            write_plain(schema, datum->items[0], &type->members[0], out);
        else
            write_struct(schema, datum, out);
        break;
    case KILN_KIND_UNION:
        write_union(schema, datum, out);
        break;
    case KILN_KIND_OPTIONAL:
        if (datum->count)
            write_plain(schema, datum->items[0], NULL, out);
        else
            write_null(schema, out);
        break;
    case KILN_KIND_MAP:
        fputc('{', out);
        write_entries(schema, datum, &first, out);
        fputc('}', out);
        break;
    case KILN_KIND_ARRAY:
    case KILN_KIND_FIXED:
        if (member && member->is_single && datum->count == 1 && random_chance(schema, 60))
            write_plain(schema, datum->items[0], NULL, out);
        else
            write_items(schema, datum, out);
        break;
    default:
        random_scalar_write(schema, datum, out);
    }
}

void random_document_begin(random_schema *schema)
{
    schema->document++;
    schema->anchors = 0;
}

/* Writes the anchor of a value that is used again, or its alias. Returns true if the alias was
 * written, which completes the value. */
static bool write_anchor(random_schema *schema, random_datum *datum, FILE *out)
{
    if (!datum->is_shared)
        return false;
    if (datum->document == schema->document) {
        fprintf(out, "*a%u", (unsigned)datum->anchor);
        return true;
    }
    datum->document = schema->document;
    datum->anchor = ++schema->anchors;
    fprintf(out, "&a%u", (unsigned)datum->anchor);
    return false;
}

void random_datum_write(random_schema *schema, random_datum *datum, const random_member *member,
                        FILE *out)
{
    if (write_anchor(schema, datum, out))
        return;
    /* A shared value is written in a form that does not depend on the member, because its alias may
     * be the value of a member that does not accept a single element instead of a list. */
    fputs(datum->is_shared ? " " : "", out);
    write_plain(schema, datum, datum->is_shared ? NULL : member, out);
}

static void write_indent(unsigned indent, FILE *out)
{
    fprintf(out, "%*s", (int)indent, "");
}

static void write_block_entry(random_schema *schema, random_datum *datum,
                              const random_member *member, unsigned indent, FILE *out)
{
    fputc(':', out);
    random_datum_write_block(schema, datum, member, indent, out);
}

static void write_block_struct(random_schema *schema, const random_datum *datum, unsigned indent,
                               FILE *out)
{
    for (uint32_t i = 0; i < datum->count; i++) {
        const random_member *member = &datum->type->members[i];
        random_datum *field = datum->items[i];
        for (uint32_t j = 0; member->is_rest && j < field->count; j++) {
            write_indent(indent, out);
            write_key(schema, field->keys[j], out);
            write_block_entry(schema, field->items[j], NULL, indent, out);
        }
        if (member->is_rest || is_left_out(schema, field, member))
            continue;
        write_indent(indent, out);
        random_text_write(schema, member->name, strlen(member->name), out);
        write_block_entry(schema, field, member, indent, out);
    }
}

/* Whether the block form of a struct value contains any field. */
static bool has_block(const random_datum *datum)
{
    for (uint32_t i = 0; i < datum->count; i++) {
        const random_member *member = &datum->type->members[i];
        const random_datum *field = datum->items[i];
        if (member->is_rest ? field->count > 0 : !field->is_default && !is_absent(field))
            return true;
    }
    return false;
}

void random_datum_write_block(random_schema *schema, random_datum *datum,
                              const random_member *member, unsigned indent, FILE *out)
{
    const random_type *type = datum->type;
    fputc(' ', out);
    if (write_anchor(schema, datum, out)) {
        fputc('\n', out);
        return;
    }
    bool is_block = datum->count > 0 && random_chance(schema, 60);
    if (is_block && type->kind == KILN_KIND_STRUCT && !type->is_wrap && has_block(datum)) {
        fputc('\n', out);
        write_block_struct(schema, datum, indent + 2, out);
    } else if (is_block && (type->kind == KILN_KIND_ARRAY || type->kind == KILN_KIND_FIXED)) {
        fputc('\n', out);
        for (uint32_t i = 0; i < datum->count; i++) {
            write_indent(indent + 2, out);
            fputs("-", out);
            random_datum_write_block(schema, datum->items[i], NULL, indent + 2, out);
        }
    } else if (is_block && type->kind == KILN_KIND_MAP) {
        fputc('\n', out);
        for (uint32_t i = 0; i < datum->count; i++) {
            write_indent(indent + 2, out);
            write_key(schema, datum->keys[i], out);
            write_block_entry(schema, datum->items[i], NULL, indent + 2, out);
        }
    } else {
        fputc(' ', out);
        write_plain(schema, datum, datum->is_shared ? NULL : member, out);
        fputc('\n', out);
    }
}

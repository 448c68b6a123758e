/* Writes a schema as a schema file. */
#include "random_schema.h"

#include <inttypes.h>
#include <string.h>

static void write_expression(const random_type *type, FILE *out)
{
    switch (type->kind) {
    case KILN_KIND_ARRAY:
        write_expression(type->element, out);
        fputs("[]", out);
        break;
    case KILN_KIND_FIXED:
        write_expression(type->element, out);
        fprintf(out, "[%u]", (unsigned)type->count);
        break;
    case KILN_KIND_OPTIONAL:
        write_expression(type->element, out);
        fputc('?', out);
        break;
    case KILN_KIND_MAP:
        fputs("map<", out);
        write_expression(type->key, out);
        fputs(", ", out);
        write_expression(type->element, out);
        fputc('>', out);
        break;
    case KILN_KIND_REF:
        fputs("ref", out);
        if (type->element)
            fprintf(out, "<%s>", type->element->name);
        break;
    default:
        fputs(type->name[0] ? type->name : kiln_kind_name(type->kind), out);
    }
    if (!type->name[0] && type->align_at)
        fprintf(out, "@%u", (unsigned)type->align_at);
}

static void write_values(random_schema *schema, const random_type *type, FILE *out)
{
    fputc(type->states_values ? '{' : '[', out);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const random_member *member = &type->members[i];
        fputs(i ? ", " : "", out);
        random_text_write(schema, member->name, strlen(member->name), out);
        if (!type->states_values)
            continue;
        const char *before = random_chance(schema, 50) ? ": {value: " : ": ";
        fputs(before, out);
        if (kiln_kind_is_signed(type->base))
            fprintf(out, "%" PRId64, (int64_t)member->value);
        else
            fprintf(out, "%" PRIu64, member->value);
        fputs(before[2] ? ", doc: \"*/ of the value\"}" : "", out);
    }
    fputc(type->states_values ? '}' : ']', out);
    if (type->states_base)
        fprintf(out, "\n    base: %s", kiln_kind_name(type->base));
}

static void write_member(random_schema *schema, const random_member *member, FILE *out)
{
    fputs("{type: \"", out);
    write_expression(member->type, out);
    fputc('"', out);
    if (member->is_required)
        fputs(", required: true", out);
    if (member->is_single)
        fputs(", single: true", out);
    if (member->is_rest)
        fputs(", rest: true", out);
    if (random_chance(schema, 10))
        fputs(", doc: \"what it is\\nfor \\\\ */ // ?\?/\"", out);
    if (member->default_value) {
        fputs(", default: ", out);
        random_datum_write(schema, member->default_value, NULL, out);
    }
    fputc('}', out);
}

static void write_members(random_schema *schema, const random_type *type, FILE *out)
{
    fputs(type->member_count ? "" : " {}", out);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const random_member *member = &type->members[i];
        fputs("\n      ", out);
        random_text_write(schema, member->name, strlen(member->name), out);
        fputs(": ", out);
        if (member->type)
            write_member(schema, member, out);
    }
}

static void write_type(random_schema *schema, const random_type *type, FILE *out)
{
    fprintf(out, "  %s:\n", type->name);
    switch (type->kind) {
    case KILN_KIND_ENUM:
        fputs("    enum: ", out);
        write_values(schema, type, out);
        break;
    case KILN_KIND_FLAGS:
        fputs("    flags: ", out);
        write_values(schema, type, out);
        break;
    case KILN_KIND_UNION:
        fputs("    union:", out);
        write_members(schema, type, out);
        break;
    default:
        fputs(type->is_wrap ? "    wrap: " : "    struct:", out);
        if (type->is_wrap)
            write_member(schema, &type->members[0], out);
        else
            write_members(schema, type, out);
    }
    fputs(type->is_asset ? "\n    asset: true\n" : "\n", out);
    if (type->align_at)
        fprintf(out, "    align: %u\n", (unsigned)type->align_at);
}

void random_schema_write(random_schema *schema, FILE *out)
{
    random_document_begin(schema);
    fprintf(out, "kiln: 1\nnamespace: %s\ntypes:\n", schema->space);
    for (uint32_t i = 0; i < schema->named_count; i++)
        write_type(schema, schema->named[i], out);
}

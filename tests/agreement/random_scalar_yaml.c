/* Writes strings, numbers and names as YAML scalars. */
#include "random_schema.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *text, size_t length)
{
    static const char *const nulls[] = {"null", "Null", "NULL"};
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && (i == 0 || !((c >= '0' && c <= '9') || c == '_')))
            return false;
    }
    for (size_t i = 0; i < 3; i++)
        if (strlen(nulls[i]) == length && memcmp(nulls[i], text, length) == 0)
            return false;
    return length > 0;
}

static bool is_printable(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < 0x20 || text[i] > 0x7e)
            return false;
    return true;
}

/* Decodes one character of valid UTF-8. */
static uint32_t decode(const char *text, size_t *ret_length)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned more = at[0] < 0x80 ? 0 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? at[0] : at[0] & (0x3fu >> more);
    for (unsigned i = 1; i <= more; i++)
        code = code << 6 | (at[i] & 0x3fu);
    *ret_length = more + (size_t)1;
    return code;
}

static void write_escaped(random_schema *schema, const char *text, size_t length, FILE *out)
{
    fputc('"', out);
    for (size_t i = 0, size; i < length; i += size) {
        uint32_t code = decode(text + i, &size);
        bool is_shown = (code >= 0xa0 && code < 0xfffe && code != 0xfeff && code != 0x2028) ||
                        (code >= 0x20 && code < 0x7f && code != '"' && code != '\\');
        if (is_shown && !(code > 0x7f && random_chance(schema, 30)))
            fwrite(text + i, 1, size, out);
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (char)code);
        else if (code == '\n' && random_chance(schema, 50))
            fputs("\\n", out);
        else if (code < 0x100)
            fprintf(out, "\\x%02x", (unsigned)code);
        else
            fprintf(out, code < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)code);
    }
    fputc('"', out);
}

void random_text_write(random_schema *schema, const char *text, size_t length, FILE *out)
{
    if (is_plain(text, length) && random_chance(schema, 70)) {
        fwrite(text, 1, length, out);
    } else if (is_printable(text, length) && random_chance(schema, 40)) {
        fputc('\'', out);
        for (size_t i = 0; i < length; i++)
            fputs(text[i] == '\'' ? "''" : (char[]){text[i], '\0'}, out);
        fputc('\'', out);
    } else {
        write_escaped(schema, text, length, out);
    }
}

static void write_digits(random_schema *schema, uint64_t value, FILE *out)
{
    char digits[72];
    size_t length = 0;
    unsigned shift = random_chance(schema, 50) ? 1 : 3;
    switch (random_below(schema, 8)) {
    case 0:
        fprintf(out, "0x%" PRIx64, value);
        break;
    case 1:
        do
            digits[length++] = (char)('0' + (value & ((1u << shift) - 1)));
        while ((value >>= shift) != 0);
        fputs(shift == 1 ? "0b" : "0o", out);
        while (length)
            fputc(digits[--length], out);
        break;
    case 2:
        length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, value);
        for (size_t i = 0; i < length; i++)
            fprintf(out, i && (length - i) % 3 == 0 ? "_%c" : "%c", digits[i]);
        break;
    default:
        fprintf(out, "%" PRIu64, value);
    }
}

static void write_integer(random_schema *schema, const random_datum *datum, FILE *out)
{
    uint64_t value = datum->bits;
    if (kiln_kind_is_signed(datum->type->kind) && (int64_t)value < 0) {
        fputc('-', out);
        value = 0 - value;
    } else if (random_chance(schema, 5)) {
        fputc('+', out);
    }
    write_digits(schema, value, out);
}

static void write_float(const random_datum *datum, FILE *out)
{
    double number = random_number_of(datum);
    if (number != number)
        fputs(".nan", out);
    else if (number - number != 0)
        fputs(number > 0 ? ".inf" : "-.inf", out);
    else
        fprintf(out, datum->type->kind == KILN_KIND_F32 ? "%.9g" : "%.17g", number);
}

static void write_base64(const random_datum *datum, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *data = (const unsigned char *)datum->text;
    fputc('"', out);
    for (uint32_t i = 0; i < datum->length; i += 3) {
        uint32_t left = datum->length - i;
        uint32_t bits = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                        (left > 2 ? data[i + 2] : 0);
        fputc(digits[bits >> 18], out);
        fputc(digits[bits >> 12 & 63], out);
        fputc(left > 1 ? digits[bits >> 6 & 63] : '=', out);
        fputc(left > 2 ? digits[bits & 63] : '=', out);
    }
    fputc('"', out);
}

static void write_bytes(random_schema *schema, const random_datum *datum, FILE *out)
{
    if (random_chance(schema, 60)) {
        write_base64(datum, out);
        return;
    }
    fputc('[', out);
    for (uint32_t i = 0; i < datum->length; i++)
        fprintf(out, "%s%u", i ? ", " : "", (unsigned)(unsigned char)datum->text[i]);
    fputc(']', out);
}

static const char *name_of_value(const random_type *type, uint64_t value)
{
    for (uint32_t i = 0; i < type->member_count; i++)
        if (type->members[i].value == value)
            return type->members[i].name;
    abort();
}

static void write_flags(random_schema *schema, const random_datum *datum, FILE *out)
{
    uint32_t count = 0;
    fputc('[', out);
    for (uint32_t i = 0; i < datum->type->member_count; i++) {
        const random_member *member = &datum->type->members[i];
        if ((member->value & datum->bits) != member->value)
            continue;
        fputs(count++ ? ", " : "", out);
        random_text_write(schema, member->name, strlen(member->name), out);
    }
    fputc(']', out);
}

static void write_ref(random_schema *schema, const random_datum *datum, FILE *out)
{
    const char *text = datum->text;
    const char *id = strchr(text, '/') + 1;
    /* An id that begins with `Kind/` cannot be written alone, because the baker would remove that
     * prefix. */
    size_t kind = datum->type->element ? strlen(datum->type->element->name) : 0;
    bool is_short = kind && (strncmp(id, text, kind) != 0 || id[kind] != '/');
    if (is_short && random_chance(schema, 50))
        text = id;
    random_text_write(schema, text, strlen(text), out);
}

/* Writes the parts of a fixed array as a key. */
void random_parts_write(const random_datum *datum, FILE *out)
{
    fputc('"', out);
    for (uint32_t i = 0; i < datum->count; i++) {
        const random_datum *item = datum->items[i];
        fputs(i ? "," : "", out);
        if (kiln_kind_is_float(item->type->kind))
            write_float(item, out);
        else if (item->type->kind == KILN_KIND_BOOL)
            fputs(item->bits ? "true" : "false", out);
        else if (kiln_kind_is_signed(item->type->kind))
            fprintf(out, "%" PRId64, (int64_t)item->bits);
        else
            fprintf(out, "%" PRIu64, item->bits);
    }
    fputc('"', out);
}

void random_scalar_write(random_schema *schema, const random_datum *datum, FILE *out)
{
    switch (datum->type->kind) {
    case KILN_KIND_BOOL:
        fputs(datum->bits ? "true" : "false", out);
        break;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        write_float(datum, out);
        break;
    case KILN_KIND_STRING:
        random_text_write(schema, datum->text, datum->length, out);
        break;
    case KILN_KIND_BYTES:
        write_bytes(schema, datum, out);
        break;
    case KILN_KIND_REF:
        write_ref(schema, datum, out);
        break;
    case KILN_KIND_ENUM: {
        const char *name = name_of_value(datum->type, datum->bits);
        random_text_write(schema, name, strlen(name), out);
        break;
    }
    case KILN_KIND_FLAGS:
        write_flags(schema, datum, out);
        break;
    default:
        write_integer(schema, datum, out);
    }
}

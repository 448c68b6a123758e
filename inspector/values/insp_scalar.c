/* Formats values without parts for all output formats, so that numbers are the same in YAML and
 * JSON.
 *
 * Integers and floats are written directly into the output buffer, because this is the hot path of
 * a dump. */
#include "insp_scalar.h"

#include "insp_number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static uint32_t bit_count(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* The flag whose bits are all in `bits` and that covers the most `missing` bits. */
static const kiln_member *best_flag(const kiln_type *type, uint64_t bits, uint64_t missing)
{
    const kiln_member *best = NULL;
    uint32_t i, most = 0;
    for (i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        uint32_t gain = (member->value & ~bits) ? 0 : bit_count(member->value & missing);
        if (gain > most) {
            most = gain;
            best = member;
        }
    }
    return best;
}

/* Flags can overlap: `all` may contain the bits of others. Taking the flag with the most missing
 * bits first prints only `all`. This greedy choice is optimal unless flags overlap partially. It is
 * always complete, because it stops only if no flag fits the value. Insertion sort is enough for at
 * most 64 names. */
uint32_t insp_flag_names(const kiln_value *value, const kiln_member *ret_names[INSP_FLAGS_MAX],
                         uint64_t *ret_rest)
{
    uint64_t bits = kiln_value_uint(value), missing = bits;
    uint32_t count = 0;
    while (missing && count < INSP_FLAGS_MAX) {
        const kiln_member *best = best_flag(value->of, bits, missing);
        uint32_t at = count;
        if (!best)
            break;
        for (; at && ret_names[at - 1] > best; at--)
            ret_names[at] = ret_names[at - 1];
        ret_names[at] = best;
        count++;
        missing &= ~best->value;
    }
    *ret_rest = missing;
    return count;
}

const insp_name *insp_ref_name(const insp_printer *p, const kiln_value *value)
{
    return p->file ? insp_file_name(p->file, kiln_value_uint(value)) : NULL;
}

/* Writes at most INSP_NUMBER_SIZE bytes and returns the address of the NUL, like format_float
 * below. */
static char *format_integer(char *text, const kiln_value *value)
{
    kiln_kind kind = value->of->kind;
    uint64_t bits = kiln_value_uint(value);
    if (kind == KILN_KIND_ENUM || kind == KILN_KIND_FLAGS)
        kind = value->of->base;
    if (value->of->kind == KILN_KIND_BOOL && bits <= 1)
        return strcpy(text, bits ? "true" : "false") + (bits ? 4 : 5);
    return kiln_kind_is_signed(kind) ? insp_format_signed(text, (int64_t)bits)
                                     : insp_format_unsigned(text, bits);
}

void insp_put_integer(insp_out *out, const kiln_value *value)
{
    insp_wrote(out, format_integer(insp_room(out), value));
}

static char *format_float(char *text, const kiln_value *value, const char *nan,
                          const char *infinity)
{
    double number = kiln_value_float(value);
    int length;
    /* The difference is NaN for infinities and NaN. */
    if (number - number == 0)
        return insp_format_float(text, number, value->of->kind == KILN_KIND_F32);
    length = isnan(number)
                 ? snprintf(text, INSP_NUMBER_SIZE, "%s", nan)
                 : snprintf(text, INSP_NUMBER_SIZE, "%s%s", number < 0 ? "-" : "", infinity);
    return text + (length > 0 ? length : 0);
}

void insp_put_float(insp_out *out, const kiln_value *value, const char *nan, const char *infinity)
{
    insp_wrote(out, format_float(insp_room(out), value, nan, infinity));
}

void insp_put_type(insp_out *out, const kiln_types *types, uint32_t type)
{
    char text[512];
    kiln_type_expression(types, type, text, sizeof text);
    insp_put(out, text);
}

/* Formats the numbers of a fixed array, separated by commas and truncated to `size`. Such keys are
 * small vectors, so only the keys of a hostile type are truncated. */
static void format_fixed(char *text, size_t size, const kiln_value *key)
{
    size_t at = 0;
    uint32_t i;
    text[0] = '\0';
    for (i = 0; i < key->of->count && at + INSP_NUMBER_SIZE + 1 < size; i++) {
        kiln_value element;
        char number[INSP_NUMBER_SIZE];
        if (kiln_value_at(key, i, &element) != KILN_OK)
            return;
        if (kiln_kind_is_float(element.of->kind))
            format_float(number, &element, ".nan", ".inf");
        else
            format_integer(number, &element);
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? "," : "", number);
    }
}

void insp_put_key(insp_printer *p, const kiln_value *key, insp_put_text *put)
{
    char text[1024];
    const char *from = text;
    uint32_t length = UINT32_MAX;
    const kiln_member *member = kiln_value_member(key);
    const insp_name *name;
    text[0] = '\0';
    switch (key->of->kind) {
    case KILN_KIND_STRING:
        if (kiln_value_text(key, &from, &length) != KILN_OK)
            length = 0;
        break;
    case KILN_KIND_REF:
        name = insp_ref_name(p, key);
        if (name) {
            from = name->name.data;
            length = name->name.length;
        } else {
            snprintf(text, sizeof text, "%016" PRIx64, kiln_value_uint(key));
        }
        break;
    case KILN_KIND_FIXED:
        format_fixed(text, sizeof text, key);
        break;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        format_float(text, key, ".nan", ".inf");
        break;
    default:
        if (member)
            from = member->name;
        else
            format_integer(text, key);
    }
    put(p->out, from, length == UINT32_MAX ? strlen(from) : length);
}

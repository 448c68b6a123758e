/* Colours of structs with `colour: true`: `#RGB` to `#RRGGBBAA`, and the names that CSS has. */
#include "value_scalar.h"

#include "colour.h"
#include "value_fields.h"

#include <string.h>

/* Beyond HINTS_MAX errors hints help no reader; they cost a look at every name. */
enum { HINTS_MAX = 1000 };

static bool report_unknown(bake_values *b, bake_node_id node, const char *text, size_t length,
                           uint32_t type, const value_step *step)
{
    bake_value_text_unexpected(b, node, text, length, type, step);
    if (length > 0 && text[0] == '#') {
        bake_hint(b->report.to, "write 3, 4, 6 or 8 hexadecimal digits after the #");
        return false;
    }
    if (bake_diagnostics_errors(b->report.to) > HINTS_MAX)
        return false;
    const char *names[BAKE_COLOURS];
    for (size_t i = 0; i < BAKE_COLOURS; i++)
        names[i] = bake_colour_name(i);
    bake_hint_similar(b->report.to, text, length, names, BAKE_COLOURS);
    return false;
}

/* `value` / 255 in decimal, to more digits than a double has. */
static size_t fraction_text(unsigned value, char out[40])
{
    size_t length = 2;
    memcpy(out, "0.", 2);
    for (unsigned rest = value; length < 34; rest %= 255) {
        rest *= 10;
        out[length++] = (char)('0' + rest / 255);
    }
    return length;
}

/* A channel's number, as it would be written for its type. */
static size_t channel_text(const bake_values *b, uint32_t type, unsigned value, char out[40])
{
    const kiln_type *of = value_type(b, value_unwrapped(b, type));
    size_t length = 0;
    if (of->kind != KILN_KIND_U8 && value != 0 && value != 255)
        return fraction_text(value, out);
    if (of->kind != KILN_KIND_U8)
        value = value != 0;
    for (unsigned unit = 100; unit > 0; unit /= 10)
        out[length++] = (char)('0' + value / unit % 10);
    return length;
}

void bake_value_colour(bake_values *b, bake_node_id node, size_t given, uint32_t type, void *dst,
                       const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    unsigned char channels[BAKE_CHANNELS];
    size_t length;
    if (!bake_value_check_tag_of(b, node, KILN_KIND_STRING, of->name, step))
        return;
    const char *text = bake_node_text(b->tree, node, &length);
    if (!bake_colour_read(text, length, channels)) {
        report_unknown(b, node, text, length, type, step);
        return;
    }
    if (of->member_count < BAKE_CHANNELS && channels[3] != 255) {
        char quote[VALUE_QUOTE_SIZE];
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                          "%s is not opaque, and %s has no alpha",
                          bake_value_quote(quote, text, length), of->name);
        return;
    }
    for (uint32_t m = 0; m < of->member_count && !b->stopped; m++) {
        const kiln_member *field = &of->members[m];
        char number[40];
        value_step inner = {step, STEP_NAME, field->name, strlen(field->name), 0};
        size_t size = channel_text(b, field->type, channels[m], number);
        if (!bake_value_is_given(b, given, m))
            bake_value_part(b, node, number, size, field->type, field,
                            (unsigned char *)dst + field->offset, &inner);
    }
}

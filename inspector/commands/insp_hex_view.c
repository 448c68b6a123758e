/* Prints rows of a hex dump.
 *
 * Every function moves `cursor` to the end of its bytes, even if they are not selected. So to print
 * the bytes between two objects, a caller passes only the offset of the next object, and no byte is
 * printed twice. */
#include "insp_hex_view.h"

#include <inttypes.h>
#include <string.h>

/* Eight digits of the offset and 16 bytes take 58 columns. */
enum { LABEL_COLUMN = 60 };

bool insp_hex_is_selected(const insp_hex_view *v, uint64_t at, uint64_t end)
{
    return at < v->to && end > v->from;
}

bool insp_hex_begin_row(insp_hex_view *v, uint64_t at, uint64_t end)
{
    uint64_t i;
    v->cursor = end;
    at = at < v->from ? v->from : at;
    end = end > v->to ? v->to : end;
    if (at >= end)
        return false;
    insp_put_style(v->out, INSP_STYLE_FAINT);
    insp_putf(v->out, "%08" PRIx64, at);
    insp_put_style(v->out, INSP_STYLE_PLAIN);
    insp_put_char(v->out, ' ');
    for (i = at; i < end; i++)
        insp_putf(v->out, i - at == INSP_HEX_ROW / 2 ? "  %02x" : " %02x", v->data[i]);
    insp_put_to_column(v->out, LABEL_COLUMN);
    return true;
}

static void put_characters(insp_hex_view *v, uint64_t at, uint64_t end)
{
    uint64_t i;
    insp_put_char(v->out, '|');
    for (i = at; i < end; i++)
        insp_put_char(v->out, v->data[i] >= 0x20 && v->data[i] < 0x7f ? (char)v->data[i] : '.');
    insp_put_char(v->out, '|');
}

void insp_hex_put_rows(insp_hex_view *v, uint64_t at, uint64_t end, const char *label,
                       bool characters)
{
    for (; at < end && !v->out->error; at += INSP_HEX_ROW) {
        uint64_t row_end = end - at > INSP_HEX_ROW ? at + INSP_HEX_ROW : end;
        if (!insp_hex_begin_row(v, at, row_end))
            continue;
        insp_put(v->out, label);
        if (characters)
            put_characters(v, at, row_end);
        insp_put_char(v->out, '\n');
    }
    v->cursor = end;
}

static bool all_zero(const insp_hex_view *v, uint64_t at, uint64_t end)
{
    for (; at < end; at++)
        if (v->data[at])
            return false;
    return true;
}

void insp_hex_put_gap(insp_hex_view *v, uint64_t end, const char *zeros)
{
    /* Bytes before a payload are a gap, which must be zero (H9). All other bytes without an owner
     * are called unreachable: in a broken file, they may belong to a member that the map lacks. */
    const char *others = strcmp(zeros, "gap") == 0 ? "gap, not zero (H9) " : "unreachable ";
    while (v->cursor < end && !v->out->error) {
        uint64_t row_end = end - v->cursor > INSP_HEX_ROW ? v->cursor + INSP_HEX_ROW : end;
        bool zero = all_zero(v, v->cursor, row_end);
        insp_hex_put_rows(v, v->cursor, row_end, zero ? zeros : others, !zero);
    }
}

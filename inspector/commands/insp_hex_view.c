/* Prints rows of a hex dump.
 *
 * Every function moves `cursor` to the end of its bytes, even if they are not selected. So to print
 * the bytes between two objects, a caller passes only the offset of the next object, and no byte is
 * printed twice. */
#include "insp_hex_view.h"

#include "insp_escape.h"

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
    if (at >= end || v->run->out.error)
        return false;
    if (v->is_json) {
        v->row_from = at;
        v->row_to = end;
        insp_out_restart(v->out);
        return true;
    }
    insp_put_style(v->out, INSP_STYLE_FAINT);
    insp_putf(v->out, "%08" PRIx64, at);
    insp_put_style(v->out, INSP_STYLE_PLAIN);
    insp_put_char(v->out, ' ');
    for (i = at; i < end; i++)
        insp_putf(v->out, i - at == INSP_HEX_ROW / 2 ? "  %02x" : " %02x", v->data[i]);
    insp_put_to_column(v->out, LABEL_COLUMN);
    return true;
}

void insp_hex_end_row(insp_hex_view *v)
{
    insp_out *out = &v->run->out;
    uint64_t i;
    if (!v->is_json) {
        insp_put_char(out, '\n');
        return;
    }
    if (!v->is_open) {
        insp_hex_begin_object(v, "gap", v->row_from, 0);
        insp_hex_begin_rows(v);
    }
    insp_putf(out, "%s\n      {\"offset\": %" PRIu64 ", \"bytes\": \"", v->rows++ ? "," : "",
              v->row_from);
    for (i = v->row_from; i < v->row_to; i++)
        insp_putf(out, "%02x", v->data[i]);
    insp_put(out, "\", \"text\": ");
    insp_put_json_string(out, v->out->buffer, v->out->used);
    insp_put_char(out, '}');
}

void insp_hex_begin_object(insp_hex_view *v, const char *kind, uint64_t at, uint64_t size)
{
    insp_putf(&v->run->out, "%s\n    {\"kind\": \"%s\", \"offset\": %" PRIu64,
              v->objects++ ? "," : "", kind, at);
    if (size)
        insp_putf(&v->run->out, ", \"size\": %" PRIu64, size);
    v->is_open = true;
    v->rows = 0;
}

void insp_hex_begin_rows(insp_hex_view *v)
{
    insp_put(&v->run->out, ", \"rows\": [");
}

void insp_hex_end_object(insp_hex_view *v)
{
    if (v->is_open)
        insp_put(&v->run->out, v->rows ? "\n    ]}" : "]}");
    v->is_open = false;
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
    for (; at < end && !v->run->out.error; at += INSP_HEX_ROW) {
        uint64_t row_end = end - at > INSP_HEX_ROW ? at + INSP_HEX_ROW : end;
        if (!insp_hex_begin_row(v, at, row_end))
            continue;
        insp_put(v->out, label);
        if (characters)
            put_characters(v, at, row_end);
        insp_hex_end_row(v);
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
    while (v->cursor < end && !v->run->out.error) {
        uint64_t row_end = end - v->cursor > INSP_HEX_ROW ? v->cursor + INSP_HEX_ROW : end;
        bool zero = all_zero(v, v->cursor, row_end);
        insp_hex_put_rows(v, v->cursor, row_end, zero ? zeros : others, !zero);
    }
}

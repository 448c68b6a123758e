#include "insp_cell.h"

#include "insp_number.h"
#include "insp_scalar.h"
#include "utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void set_text(insp_cell *cell, const char *text, size_t length)
{
    cell->kind = INSP_CELL_TEXT;
    cell->text = text;
    cell->length = length;
}

static void set_integer(insp_cell *cell, uint64_t bits, bool is_signed)
{
    cell->kind = INSP_CELL_INTEGER;
    memcpy(&cell->integer, &bits, sizeof bits);
    if (is_signed || bits <= INT64_MAX)
        return;
    set_text(cell, cell->buffer, (size_t)(insp_format_unsigned(cell->buffer, bits) - cell->buffer));
}

static void set_number(insp_cell *cell, double number, bool is_single)
{
    char text[INSP_NUMBER_SIZE];
    if (isnan(number)) {
        set_text(cell, "NaN", 3);
        return;
    }
    cell->kind = INSP_CELL_NUMBER;
    cell->number = number;
    /* These are the same. */
    if (!is_single || isinf(number) || (fabs(number) < 0x1p24 && number == floor(number)))
        return;
    insp_format_float(text, number, true);
    cell->number = strtod(text, NULL);
}

static void set_bytes(insp_cell *cell, const kiln_value *value)
{
    const char *text;
    uint32_t length;
    cell->is_broken = kiln_value_text(value, &text, &length) != KILN_OK;
    if (cell->is_broken)
        return;
    set_text(cell, text, length);
    if (value->of->kind == KILN_KIND_BYTES) {
        cell->kind = INSP_CELL_BYTES;
    } else if (!kiln_utf8_is_valid(text, length)) {
        cell->kind = INSP_CELL_BYTES;
        cell->is_broken = true;
    }
}

void insp_cell_read(const kiln_value *value, insp_cell *ret_cell)
{
    const kiln_type *of = value->of;
    const kiln_member *member;
    *ret_cell = (insp_cell){.kind = INSP_CELL_NONE};
    switch (of->kind) {
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
        set_bytes(ret_cell, value);
        break;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        set_number(ret_cell, kiln_value_float(value), of->kind == KILN_KIND_F32);
        break;
    case KILN_KIND_REF:
        ret_cell->asset = kiln_value_uint(value);
        ret_cell->kind = ret_cell->asset ? INSP_CELL_ASSET : INSP_CELL_NONE;
        break;
    case KILN_KIND_ENUM:
        member = kiln_value_member(value);
        if (member)
            set_text(ret_cell, member->name, strlen(member->name));
        else
            set_integer(ret_cell, kiln_value_uint(value), kiln_kind_is_signed(of->base));
        ret_cell->is_broken = !member;
        break;
    case KILN_KIND_BOOL:
        ret_cell->is_broken = kiln_value_uint(value) > 1;
        set_integer(ret_cell, kiln_value_uint(value), false);
        break;
    default:
        set_integer(ret_cell, kiln_value_uint(value), kiln_kind_is_signed(of->kind));
    }
}

bool insp_cell_put_flags(insp_out *out, const kiln_value *value)
{
    const kiln_member *names[INSP_FLAGS_MAX];
    uint64_t rest;
    uint32_t count = insp_flag_names(value, names, &rest), i;
    for (i = 0; i < count; i++) {
        insp_put(out, i ? " " : "");
        insp_put(out, names[i]->name);
    }
    if (rest)
        insp_putf(out, "%s0x%" PRIx64, count ? " " : "", rest);
    return rest == 0;
}

#include "random_trace.h"

#include <kiln/index.h>
#include <string.h>

static void trace_float(value_trace *trace, const random_datum *datum)
{
    double number;
    float single;
    uint32_t bits = (uint32_t)datum->bits;
    memcpy(&single, &bits, sizeof single);
    memcpy(&number, &datum->bits, sizeof number);
    if (datum->type->kind == KILN_KIND_F32)
        trace_f32(trace, single);
    else
        trace_f64(trace, number);
}

static const char *name_of(const random_type *type, uint64_t value)
{
    for (uint32_t i = 0; i < type->member_count; i++)
        if (type->members[i].value == value)
            return type->members[i].name;
    return NULL;
}

static void trace_items(value_trace *trace, const random_datum *datum)
{
    for (uint32_t i = 0; i < datum->count; i++) {
        trace_index(trace, i);
        if (datum->type->kind == KILN_KIND_MAP) {
            trace_key(trace);
            trace_datum(trace, datum->keys[i]);
            trace_back(trace);
        }
        trace_datum(trace, datum->items[i]);
        trace_back(trace);
    }
}

static void trace_union(value_trace *trace, const random_datum *datum)
{
    trace_count(trace, datum->choice);
    if (!datum->choice || !datum->count)
        return;
    trace_name(trace, datum->type->members[datum->choice - 1].name);
    trace_datum(trace, datum->items[0]);
    trace_back(trace);
}

void trace_datum(value_trace *trace, const random_datum *datum)
{
    const random_type *type = datum->type;
    switch (type->kind) {
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        trace_float(trace, datum);
        break;
    case KILN_KIND_STRING:
        trace_text(trace, datum->text, datum->length);
        break;
    case KILN_KIND_BYTES:
        trace_bytes(trace, datum->text, datum->length);
        break;
    case KILN_KIND_REF:
        trace_uint(trace, kiln_asset_id(datum->text, datum->length));
        break;
    case KILN_KIND_ENUM:
        trace_enum(trace, datum->bits, name_of(type, datum->bits));
        break;
    case KILN_KIND_STRUCT:
        for (uint32_t i = 0; i < datum->count; i++) {
            trace_name(trace, type->members[i].name);
            trace_datum(trace, datum->items[i]);
            trace_back(trace);
        }
        break;
    case KILN_KIND_UNION:
        trace_union(trace, datum);
        break;
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_OPTIONAL:
        trace_count(trace, datum->count);
        if (type->kind == KILN_KIND_OPTIONAL && datum->count)
            trace_datum(trace, datum->items[0]);
        if (type->kind != KILN_KIND_OPTIONAL)
            trace_items(trace, datum);
        break;
    case KILN_KIND_FIXED:
        trace_items(trace, datum);
        break;
    default:
        if (kiln_kind_is_signed(type->kind))
            trace_int(trace, (int64_t)datum->bits);
        else
            trace_uint(trace, datum->bits);
    }
}

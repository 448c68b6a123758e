#include "value_trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(value_trace *trace, const char *data, size_t size)
{
    if (size + 1 > trace->capacity - trace->size) {
        trace->capacity = (trace->capacity + size + 1) * 2;
        trace->text = realloc(trace->text, trace->capacity);
        if (!trace->text)
            abort();
    }
    memcpy(trace->text + trace->size, data, size);
    trace->size += size;
    trace->text[trace->size] = '\0';
}

static void put_path(value_trace *trace)
{
    put(trace, trace->path, trace->length);
    put(trace, "=", 1);
}

static void put_line(value_trace *trace, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_path(trace);
    put(trace, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    put(trace, "\n", 1);
}

void trace_fini(value_trace *trace)
{
    free(trace->text);
    memset(trace, 0, sizeof *trace);
}

static void step(value_trace *trace, const char *before, const char *name, const char *after)
{
    size_t left = sizeof trace->path - trace->length;
    if (trace->depth == sizeof trace->lengths / sizeof *trace->lengths)
        abort();
    trace->lengths[trace->depth++] = trace->length;
    int length = snprintf(trace->path + trace->length, left, "%s%s%s", before, name, after);
    if (length < 0 || (size_t)length >= left)
        abort();
    trace->length += (size_t)length;
}

void trace_name(value_trace *trace, const char *name)
{
    step(trace, ".", name, "");
}

void trace_index(value_trace *trace, uint32_t i)
{
    char number[16];
    snprintf(number, sizeof number, "%" PRIu32, i);
    step(trace, "[", number, "]");
}

void trace_key(value_trace *trace)
{
    step(trace, "", "#key", "");
}

void trace_back(value_trace *trace)
{
    trace->length = trace->lengths[--trace->depth];
    trace->path[trace->length] = '\0';
}

void trace_uint(value_trace *trace, uint64_t value)
{
    put_line(trace, "%" PRIu64, value);
}

void trace_int(value_trace *trace, int64_t value)
{
    put_line(trace, "%" PRId64, value);
}

void trace_f32(value_trace *trace, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_line(trace, "f32 %08" PRIx32, bits);
}

void trace_f64(value_trace *trace, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_line(trace, "f64 %016" PRIx64, bits);
}

void trace_bytes(value_trace *trace, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    put_path(trace);
    put(trace, "<", 1);
    for (size_t i = 0; i < size; i++) {
        char text[4];
        bool is_shown = bytes[i] > 0x20 && bytes[i] < 0x7f && bytes[i] != '%';
        int length = snprintf(text, sizeof text, is_shown ? "%c" : "%%%02x", bytes[i]);
        put(trace, text, (size_t)length);
    }
    put(trace, ">\n", 2);
}

void trace_text(value_trace *trace, const char *text, size_t length)
{
    trace_bytes(trace, text, length);
    if (text[length] != '\0')
        trace_wrong(trace, "no NUL");
}

void trace_enum(value_trace *trace, uint64_t value, const char *name)
{
    put_line(trace, "%" PRIu64 " %s", value, name ? name : "(no name)");
}

void trace_count(value_trace *trace, uint32_t count)
{
    put_line(trace, "{%" PRIu32 "}", count);
}

void trace_wrong(value_trace *trace, const char *what)
{
    put_line(trace, "WRONG: %s", what);
}

static void trace_child(value_trace *trace, const kiln_value *value, uint32_t i)
{
    kiln_value child;
    if (kiln_value_at(value, i, &child))
        trace_wrong(trace, "no such child");
    else
        trace_value(trace, &child);
}

static void trace_elements(value_trace *trace, const kiln_value *value)
{
    for (uint32_t i = 0; i < kiln_value_count(value); i++) {
        kiln_value key;
        trace_index(trace, i);
        if (value->of->kind == KILN_KIND_MAP) {
            trace_key(trace);
            if (kiln_value_key(value, i, &key))
                trace_wrong(trace, "no such key");
            else
                trace_value(trace, &key);
            trace_back(trace);
        }
        trace_child(trace, value, i);
        trace_back(trace);
    }
}

static void trace_fields(value_trace *trace, const kiln_value *value)
{
    for (uint32_t i = 0; i < value->of->member_count; i++) {
        const char *name = value->of->members[i].name;
        kiln_value field;
        trace_name(trace, name);
        if (kiln_value_field(value, name, strlen(name), &field))
            trace_wrong(trace, "no such field");
        trace_child(trace, value, i);
        trace_back(trace);
    }
}

static void trace_choice(value_trace *trace, const kiln_value *value)
{
    const kiln_member *member = kiln_value_member(value);
    trace_count(trace, member ? (uint32_t)member->value : 0);
    if (!member || member->type == KILN_TYPE_NONE)
        return;
    trace_name(trace, member->name);
    trace_child(trace, value, 0);
    trace_back(trace);
}

void trace_value(value_trace *trace, const kiln_value *value)
{
    const char *text = "";
    uint32_t length = 0;
    const kiln_member *member;
    switch (value->of->kind) {
    case KILN_KIND_F32:
        trace_f32(trace, (float)kiln_value_float(value));
        break;
    case KILN_KIND_F64:
        trace_f64(trace, kiln_value_float(value));
        break;
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
        if (kiln_value_text(value, &text, &length))
            trace_wrong(trace, "no text");
        if (value->of->kind == KILN_KIND_STRING)
            trace_text(trace, text, length);
        else
            trace_bytes(trace, text, length);
        break;
    case KILN_KIND_ENUM:
        member = kiln_value_member(value);
        trace_enum(trace, kiln_value_uint(value), member ? member->name : NULL);
        break;
    case KILN_KIND_STRUCT:
        trace_fields(trace, value);
        break;
    case KILN_KIND_UNION:
        trace_choice(trace, value);
        break;
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
        trace_count(trace, kiln_value_count(value));
        trace_elements(trace, value);
        break;
    case KILN_KIND_OPTIONAL:
        trace_count(trace, kiln_value_count(value));
        if (kiln_value_count(value))
            trace_child(trace, value, 0);
        break;
    case KILN_KIND_FIXED:
        trace_elements(trace, value);
        break;
    default:
        if (kiln_kind_is_signed(value->of->kind))
            trace_int(trace, kiln_value_int(value));
        else
            trace_uint(trace, kiln_value_uint(value));
    }
}

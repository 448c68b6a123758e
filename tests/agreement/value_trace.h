/* A value as text: one line for each leaf, with its path. Every way of reading a value must produce
 * the same text. */
#ifndef AGREEMENT_VALUE_TRACE_H
#define AGREEMENT_VALUE_TRACE_H

#include <kiln/value.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct value_trace {
    char *text; /* NULL until the first line is added; then NUL-terminated */
    size_t size, capacity;
    char path[4096];
    size_t length;
    size_t lengths[256]; /* length of the path before each step */
    unsigned depth;
} value_trace;

void trace_fini(value_trace *trace);

/* Append a step to the path: a field or alternative, an element, or the key of a map entry.
 * trace_back removes the last step. */
void trace_name(value_trace *trace, const char *name);
void trace_index(value_trace *trace, uint32_t i);
void trace_key(value_trace *trace);
void trace_back(value_trace *trace);

void trace_uint(value_trace *trace, uint64_t value);
void trace_int(value_trace *trace, int64_t value);
void trace_f32(value_trace *trace, float value);
void trace_f64(value_trace *trace, double value);
void trace_text(value_trace *trace, const char *text, size_t length);
void trace_bytes(value_trace *trace, const void *data, size_t size);
/* `name` is NULL if no enum value has the number. */
void trace_enum(value_trace *trace, uint64_t value, const char *name);
/* The number of elements of a list or map, 0 or 1 for an optional, the tag of a union. */
void trace_count(value_trace *trace, uint32_t count);
/* Adds a line about a violated expectation. No other reader produces such a line, so the comparison
 * fails. */
void trace_wrong(value_trace *trace, const char *what);

/* Traces a value with the functions of kiln/value.h. */
void trace_value(value_trace *trace, const kiln_value *value);

#ifdef __cplusplus
}
#endif

#endif

/* A value told leaf by leaf, a line each, with the way to it: what every way of reading must tell
 * alike. */
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
    char *text; /* NUL-terminated once something has been told */
    size_t size, capacity;
    char path[4096];
    size_t length;
    size_t lengths[256]; /* of the path before each step */
    unsigned depth;
} value_trace;

void trace_fini(value_trace *trace);

/* The way: a field or alternative, an element, an entry's key, and back. */
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
/* `name` NULL: none. */
void trace_enum(value_trace *trace, uint64_t value, const char *name);
/* Elements of a list or map, 0 or 1 of an optional, the tag of a union. */
void trace_count(value_trace *trace, uint32_t count);
/* Something does not hold: a line that no other way tells. */
void trace_wrong(value_trace *trace, const char *what);

/* By the typed walker. */
void trace_value(value_trace *trace, const kiln_value *value);

#ifdef __cplusplus
}
#endif

#endif

/* Names of types made from words of the data, and text put together piece by piece. */
#ifndef BAKE_INFER_NAMES_H
#define BAKE_INFER_NAMES_H

#include "infer_shape.h"

/* A growing text in a store. A zeroed writer with a store is empty. */
typedef struct infer_writer {
    bake_store *store;
    char *text; /* NUL at the end; NULL while empty */
    size_t length, capacity;
} infer_writer;

void bake_infer_write(infer_writer *w, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* A scalar of YAML that reads as these bytes, in quotes where plain ones would not, or where they
 * would look like null, a bool or a number to people. */
void bake_infer_write_text(infer_writer *w, const char *text, size_t length);
/* Writes text into a comment: `?` replaces what could end the line or move text. `_quote` adds
 * quotes and cuts the text to a length. */
void bake_infer_write_shown(infer_writer *w, const char *text, size_t length);
void bake_infer_write_quote(infer_writer *w, const char *text, size_t length);
/* What was written; "" for nothing or when memory ran out, which the store knows. */
const char *bake_infer_written(const infer_writer *w);

/* Makes `DoorState` from `door_state`, `door-state` or `doorState`. The name is never empty, and
 * always a C identifier without `_`, so it cannot clash with names of the header that have one.
 * NULL when memory ran out. */
char *bake_infer_type_name(bake_store *store, const char *text, size_t length);
/* Makes the singular of a plural, `entry` of `entries`; other words stay. Changes the text in
 * place. */
void bake_infer_singular(char *name);

/* Names that are taken. */
typedef struct infer_names {
    infer_table taken;
    bake_store *store;
} infer_names;

/* Takes the first free name of: `wanted`, `owner` followed by `wanted`, then these with a number
 * appended. NULL when memory ran out. */
const char *bake_infer_names_take(infer_names *names, const char *wanted, const char *owner);

#endif

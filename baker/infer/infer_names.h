/* Type names derived from the data, and a text writer. */
#ifndef BAKE_INFER_NAMES_H
#define BAKE_INFER_NAMES_H

#include "infer_shape.h"

/* A growing string in a store. Initialize with zeros and a store. */
typedef struct infer_writer {
    bake_store *store;
    char *text; /* NUL-terminated; NULL while empty */
    size_t length, capacity;
} infer_writer;

void bake_infer_write(infer_writer *w, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Writes a YAML scalar with this text. Adds quotes if a plain scalar would be read as anything but
 * this string. */
void bake_infer_write_text(infer_writer *w, const char *text, size_t length);
/* Writes text into a comment; `?` replaces all bytes except printable ASCII. `_quote` also adds
 * quotes and limits the length. */
void bake_infer_write_printable(infer_writer *w, const char *text, size_t length);
void bake_infer_write_quote(infer_writer *w, const char *text, size_t length);
/* Returns the written text, or "". The store remembers whether memory ran out. */
const char *bake_infer_written(const infer_writer *w);

/* Returns `DoorState` for `door_state`, `door-state` or `doorState`. The name is a nonempty C
 * identifier without `_`, so it cannot clash with generated names that contain one. NULL if memory
 * runs out. */
char *bake_infer_type_name(bake_store *store, const char *text, size_t length);
/* Changes a plural to the singular in place: `entries` to `entry`. Leaves other words unchanged. */
void bake_infer_singular(char *name);

/* The set of claimed names. */
typedef struct infer_names {
    infer_table taken;
    bake_store *store;
} infer_names;

/* Claims and returns the first free name of `wanted`, `owner` followed by `wanted`, and `wanted`
 * followed by a number. NULL if memory runs out. */
const char *bake_infer_names_take(infer_names *names, const char *wanted, const char *owner);

#endif

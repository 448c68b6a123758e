/* Little-endian numbers and texts in the body of a record, of the entries of caches, of names files
 * and of files with budgets. Private to the storeys `record`, `budget`, `cache` and `parts`. */
#ifndef BAKE_RECORD_BYTES_H
#define BAKE_RECORD_BYTES_H

#include "bake_memory.h"
#include "bake_store.h"
#include "diagnostics.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { RECORD_NUMBER = 8 };

static inline void record_store(unsigned char *bytes, uint64_t number)
{
    for (int i = 0; i < RECORD_NUMBER; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
}

static inline uint64_t record_load(const unsigned char *bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < RECORD_NUMBER; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

/* Appends to a block that grows. After a failed allocation nothing more is written. */
typedef struct record_writer {
    char *data;
    size_t size, capacity;
    bool failed;
} record_writer;

static inline void record_put_bytes(record_writer *w, const void *data, size_t size)
{
    if (w->failed)
        return;
    if (size >= w->capacity - w->size) {
        char *grown = bake_grow(w->data, &w->capacity, w->size + size + RECORD_NUMBER, 1);
        if (!grown) {
            w->failed = true;
            return;
        }
        w->data = grown;
    }
    if (size)
        memcpy(w->data + w->size, data, size);
    w->size += size;
}

static inline void record_put(record_writer *w, uint64_t number)
{
    unsigned char bytes[RECORD_NUMBER];
    record_store(bytes, number);
    record_put_bytes(w, bytes, sizeof bytes);
}

/* A text is its length, its bytes, and a NUL. */
static inline void record_put_text(record_writer *w, const char *text, size_t size)
{
    record_put(w, size);
    record_put_bytes(w, text, size);
    record_put_bytes(w, "", 1);
}

static inline void record_put_string(record_writer *w, const char *text)
{
    record_put_text(w, text, strlen(text));
}

/* A mark without its source. */
static inline void record_put_place(record_writer *w, bake_mark mark)
{
    record_put(w, mark.line);
    record_put(w, mark.column);
    record_put(w, mark.length);
}

typedef bool record_write_function(void *ctx, const void *data, size_t size);

/* Writes `header`, the block of `w`, and `footer`, either of which may be empty, and frees the
 * block. Returns false with errno set: ENOMEM if an allocation of the block has failed. */
static inline bool record_write(record_writer *w, kiln_span header, kiln_span footer,
                                record_write_function *write, void *ctx)
{
    errno = ENOMEM;
    bool ok = !w->failed && (header.size == 0 || write(ctx, header.data, header.size)) &&
              write(ctx, w->data, w->size) &&
              (footer.size == 0 || write(ctx, footer.data, footer.size));
    int error = errno;
    bake_free(w->data);
    *w = (record_writer){.failed = true};
    errno = error;
    return ok;
}

/* Reads untrusted bytes. After a mistake in them, `failed` is set, and all further numbers are 0
 * and texts empty. */
typedef struct record_reader {
    const unsigned char *next;
    size_t left;
    bool failed;
    bake_store *store; /* of rows */
} record_reader;

static inline uint64_t record_get(record_reader *r)
{
    if (r->failed || r->left < RECORD_NUMBER) {
        r->failed = true;
        return 0;
    }
    uint64_t number = record_load(r->next);
    r->next += RECORD_NUMBER;
    r->left -= RECORD_NUMBER;
    return number;
}

static inline int64_t record_get_time(record_reader *r)
{
    uint64_t number = record_get(r);
    int64_t time;
    memcpy(&time, &number, sizeof time);
    return time;
}

/* Gets a number below `end`. */
static inline uint64_t record_get_below(record_reader *r, uint64_t end)
{
    uint64_t number = record_get(r);
    r->failed = r->failed || number >= end;
    return r->failed ? 0 : number;
}

static inline bool record_get_bool(record_reader *r)
{
    return record_get_below(r, 2) == 1;
}

/* Gets the number of rows that follow. Each has at least one number, so a wrong count cannot cause
 * a huge allocation. */
static inline size_t record_get_count(record_reader *r)
{
    return (size_t)record_get_below(r, r->left / RECORD_NUMBER + 1);
}

/* Allocates zeroed rows; NULL if there was a mistake or memory ran out. */
static inline void *record_get_rows(record_reader *r, size_t count, size_t size)
{
    return r->failed ? NULL : bake_store_alloc(r->store, count, size);
}

/* Gets a text that is stored in place and ends with a NUL. */
static inline const char *record_get_text(record_reader *r, size_t *ret_size)
{
    uint64_t size = record_get(r);
    *ret_size = 0;
    if (r->failed || size >= r->left || r->next[size] != 0) {
        r->failed = true;
        return "";
    }
    const char *text = (const char *)r->next;
    r->next += (size_t)size + 1;
    r->left -= (size_t)size + 1;
    *ret_size = (size_t)size;
    return text;
}

/* Gets a text without NULs. */
static inline const char *record_get_string(record_reader *r)
{
    size_t size;
    const char *text = record_get_text(r, &size);
    if (strlen(text) != size)
        r->failed = true;
    return text;
}

/* Gets a mark without its source, which is 0. */
static inline bake_mark record_get_place(record_reader *r)
{
    bake_mark mark = {0};
    mark.line = (uint32_t)record_get_below(r, UINT32_MAX);
    mark.column = (uint32_t)record_get_below(r, UINT32_MAX);
    mark.length = (uint32_t)record_get_below(r, UINT64_C(1) << 32);
    return mark;
}

#endif

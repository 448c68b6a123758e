/* A run of a conversion (convert_run.c): it scans the older payload, then writes the newer one.
 *
 * Objects keep their order, so offsets still point forward. The scan visits the objects once, in
 * the order of their addresses. A field comes before the object that it points to. So when the scan
 * reaches an object, its nesting depth is known, and the object is assigned its new position.
 * Strings are not handled one by one: the bytes of all strings move together, to the end of the
 * payload.
 *
 * Its parts: convert_run.c, convert_scan.c, convert_rows.c, convert_value.c, convert_text.c and
 * convert_trail.c. */
#ifndef KILN_CONVERT_RUN_H
#define KILN_CONVERT_RUN_H

#include "convert_plan.h"
#include "prefetch.h"

#include <kiln/path.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* An object of the older payload and one form that it is converted to. An object may have several
 * forms. */
typedef struct convert_object {
    uint32_t start, count; /* in the older payload */
    uint32_t target;
    uint32_t next;  /* next object in the same block, by start: number plus 1; 0 ends the list */
    uint32_t field; /* the first field that points to it */
    union {
        /* Before it is scanned: the number of objects on the longest path to it in the newer
         * payload, including itself. When the scan reaches the object, it has seen all fields that
         * point to it. */
        uint32_t depth;
        uint32_t place; /* afterwards: its offset in the newer payload. The boxes of its rows follow
                           it. */
    };
} convert_object;

/* Objects that are written together: their rows are consecutive in both payloads. */
typedef struct convert_span {
    uint32_t object; /* the first one */
    uint32_t place, count;
} convert_span;

enum { CONVERT_BLOCK_LOG2 = 4 };

typedef struct convert_run {
    const kiln_conversion *c;
    kiln_allocator allocator;
    const unsigned char *from;
    uint32_t from_size;
    unsigned char *to;
    uint64_t to_size;
    uint32_t align;
    vector objects; /* convert_object */
    vector spans;   /* convert_span, by place */
    /* uint32_t: for each field, the number of the object that it points to, in the order in which
     * the scan pass and the write pass visit the fields. One item after the last may be read. */
    vector names;
    size_t next_name;    /* index in `names` for the next field */
    bool names_by_start; /* objects are found by start instead, because entries are being sorted */
    /* For each block of 16 bytes of the older payload: the number plus 1 of the first object that
     * starts there, and a bit that is set if there is one. */
    uint32_t *blocks;
    uint64_t *block_bits;
    size_t block_count, bit_words;
    /* A bit for each byte of the older payload, set if the byte belongs to a string. For each 64
     * bits, the number of set bits before them (their rank). No ranks are needed if all strings are
     * contiguous. */
    uint64_t *text_bits;
    uint32_t *text_ranks;
    size_t text_words;
    uint32_t text_first, text_end, text_count, text_place;
    uint32_t *image_places; /* UINT32_MAX: not used */
    uint32_t *order;        /* of the entries that are being sorted */
    uint32_t current;       /* the object that is being scanned or written */
    kiln_status status; /* the failure, and the byte of the older payload at which it occurred */
    uint32_t at;
} convert_run;

static inline convert_object *convert_object_at(const convert_run *r, uint32_t number)
{
    return CONVERT_ITEM(convert_object, r->objects, number);
}

static inline uint32_t convert_read(const unsigned char *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static inline void convert_write(unsigned char *at, uint32_t number)
{
    memcpy(at, &number, sizeof number);
}

static inline bool convert_stop(convert_run *r, kiln_status status, uint32_t at)
{
    r->status = status;
    r->at = at;
    return false;
}

/* The object that starts at `start` and becomes `target`. The scan has created it. */
static inline const convert_object *convert_find(const convert_run *r, uint32_t start,
                                                 uint32_t target)
{
    const convert_object *object = convert_object_at(r, r->blocks[start >> CONVERT_BLOCK_LOG2] - 1);
    while (object->start != start || object->target != target)
        object = convert_object_at(r, object->next - 1);
    return object;
}

static inline const convert_row *convert_row_of(const convert_run *r, const convert_object *object)
{
    return convert_row_at(r->c, convert_target_at(r->c, object->target)->row);
}

/* The offset at which the boxes of a span's rows start. */
static inline uint64_t convert_boxes(const convert_span *span, const convert_row *row)
{
    uint64_t end = span->place + (uint64_t)row->to_size * span->count;
    return (end + row->box_align - 1) & ~(uint64_t)(row->box_align - 1);
}

static inline unsigned convert_low_bit(uint64_t word)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(word);
#else
    unsigned bit = 0;
    while (!(word >> bit & 1))
        bit++;
    return bit;
#endif
}

/* The next block from `block` on in which objects start; block_count if there is none. Objects may
 * be added to later blocks between calls. */
static inline size_t convert_next_block(const convert_run *r, size_t block)
{
    while (block < r->block_count) {
        uint64_t word = r->block_bits[block / 64] >> block % 64;
        if (word)
            return block + convert_low_bit(word);
        block = (block | 63) + 1;
    }
    return r->block_count;
}

/* Marks the bytes of the string at `start`, whose `size` includes the NUL. Strings do not overlap
 * in a valid payload, so the first bit shows whether the string was already marked. */
static inline void convert_mark_text(convert_run *r, uint32_t start, uint32_t size)
{
    uint64_t *word = &r->text_bits[start / 64];
    unsigned shift = start % 64;
    if (*word >> shift & 1)
        return;
    r->text_count += size;
    r->text_first = start < r->text_first ? start : r->text_first;
    r->text_end = start + size > r->text_end ? start + size : r->text_end;
    if (size < 64 - shift) {
        *word |= ((UINT64_C(1) << size) - 1) << shift;
        return;
    }
    *word |= UINT64_MAX << shift;
    for (size -= 64 - shift; size >= 64; size -= 64)
        *++word = UINT64_MAX;
    if (size)
        *++word |= (UINT64_C(1) << size) - 1;
}

static inline unsigned convert_bit_count(uint64_t word)
{
#if defined(__GNUC__) && defined(__POPCNT__)
    return (unsigned)__builtin_popcountll(word);
#else
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(word * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/* The new offset of the string whose offset in the older payload is `start`: `text_place` plus the
 * number of string bytes before it. */
static inline uint32_t convert_text_place(const convert_run *r, uint32_t start)
{
    if (!r->text_ranks)
        return start - r->text_first + r->text_place;
    uint64_t before = r->text_bits[start / 64] & ((UINT64_C(1) << start % 64) - 1);
    return r->text_place + r->text_ranks[start / 64] + convert_bit_count(before);
}

/* convert_text.c. Computes the ranks of the strings; false if memory runs out. */
bool kiln_convert_place_texts(convert_run *r);
void kiln_convert_write_texts(const convert_run *r);

/* convert_scan.c. Finds all objects and places them; false with `status` set on a failure. */
bool kiln_convert_scan(convert_run *r);
/* convert_rows.c. Writes the objects of a span. */
bool kiln_convert_write_span(convert_run *r, const convert_span *span);
/* Writes `count` rows of the root's types from `from` to `to`. The types must not have relative
 * fields. */
bool kiln_convert_write_flat(convert_run *r, uint32_t count);
/* The number of rows that fit in the first-level cache together. A step runs over that many rows
 * before the next step does. */
enum { CONVERT_ROW_BYTES = 8192 };
static inline uint32_t convert_rows_at_once(const convert_row *row)
{
    return CONVERT_ROW_BYTES / (row->from_size / 2 + row->to_size / 2 + 1) + 1;
}

/* Prefetches part `part` of `parts` of the next rows, unless they are too large. */
static inline void convert_fetch(const unsigned char *rows, uint32_t size, uint32_t part,
                                 uint32_t parts)
{
    if (size == 0 || size > 4 * CONVERT_ROW_BYTES)
        return;
    uint32_t end = (uint32_t)((uint64_t)size * (part + 1) / parts);
    for (uint32_t at = (uint32_t)((uint64_t)size * part / parts); at < end; at += 64)
        prefetch(rows, at);
}

/* Rows that are being written. */
typedef struct convert_rows {
    const unsigned char *from;
    unsigned char *to;
    uint32_t from_size, to_size; /* of a row */
    uint32_t count;
    uint32_t boxes, box_size; /* offset of the first row's boxes; size of one row's boxes */
} convert_rows;

/* convert_value.c. Converts numbers from one kind to another. */
void kiln_convert_numbers(const convert_step *step, const convert_rows *rows);
/* Converts an enum value or a flag set; false if the newer type does not have it. */
bool kiln_convert_choose(const kiln_conversion *c, const convert_table *table,
                         const unsigned char *from, unsigned char *to);
/* convert_trail.c. The path from the root to the byte of the older payload at which a run stopped.
 */
void kiln_convert_trail(const convert_run *r, kiln_path *path);
/* The path from a row of the older root's type to its byte `at`. */
void kiln_convert_row_trail(const convert_run *r, uint32_t at, kiln_path *path);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

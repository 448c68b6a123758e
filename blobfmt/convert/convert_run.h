/* A run of a conversion (convert_run.c): first it looks at the older payload, then it writes the
 * newer one.
 *
 * Objects keep their order: each lies behind the one that lay before it, so that offsets lead
 * forward still. Looking goes over the payload once, from object to object by address; since what
 * names an object lies before it, all is known of an object when its turn comes: that it is named
 * at all, and how deep. Then it gets its place. Texts are not distinguished: the bytes of all texts
 * that are named move together, to the payload's end.
 *
 * Its parts: convert_run.c, convert_look.c, convert_rows.c, convert_value.c, convert_text.c and
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

/* An object of the older payload that becomes one newer form. */
typedef struct convert_object {
    uint32_t start, count; /* in the older payload */
    uint32_t target;
    uint32_t next;  /* in the same block, by start: number plus 1; 0 ends */
    uint32_t field; /* who was the first to name it */
    union {
        /* Until its turn to be looked at: objects around it in the newer payload, itself included;
         * nothing names it later. */
        uint32_t depth;
        uint32_t place; /* from then on: in the newer payload; boxes of its rows lie behind it */
    };
} convert_object;

/* Objects that are written at once: their rows lie one after another in both payloads. */
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
    /* uint32_t: the numbers of the objects that fields name, in the order in which looking, and
     * writing after it, come to the fields. One more item may be read than there is a name. */
    vector names;
    size_t next_name;    /* to be written */
    bool names_by_start; /* the order is another here, so objects are found by their places */
    /* For each block of 16 older bytes the number of the first object that begins in it plus 1,
     * and a bit where there is one. */
    uint32_t *blocks;
    uint64_t *block_bits;
    size_t block_count, bit_words;
    /* A bit for each older byte that belongs to a text, and before each 64 of them how many there
     * are; none where they all lie one after another. */
    uint64_t *text_bits;
    uint32_t *text_ranks;
    size_t text_words;
    uint32_t text_first, text_end, text_count, text_place;
    uint32_t *image_places; /* UINT32_MAX: not used */
    uint32_t *order;        /* of entries being sorted */
    uint32_t current;       /* object being looked at or written */
    kiln_status status;     /* what went wrong, and the older byte where */
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

/* The object that begins at `start` and becomes `target`, which has been looked at. */
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

/* Where the boxes of a span's rows begin. */
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

/* The next block from `block` on that objects begin in; block_count where there is none. Objects
 * may be added behind it meanwhile. */
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

/* Takes the text of `size` bytes, its NUL included, that begins at `start`. */
static inline void convert_take_text(convert_run *r, uint32_t start, uint32_t size)
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

/* Where the text that began at `start` lies now. */
static inline uint32_t convert_text_place(const convert_run *r, uint32_t start)
{
    if (!r->text_ranks)
        return start - r->text_first + r->text_place;
    uint64_t before = r->text_bits[start / 64] & ((UINT64_C(1) << start % 64) - 1);
    return r->text_place + r->text_ranks[start / 64] + convert_bit_count(before);
}

/* convert_text.c. Gives the texts their places, from `text_place` on; false when memory ran out. */
bool kiln_convert_place_texts(convert_run *r);
void kiln_convert_write_texts(const convert_run *r);

/* convert_look.c. Finds all objects and gives each its place; false with `status` set. */
bool kiln_convert_look(convert_run *r);
/* convert_rows.c. Writes the objects of a span. */
bool kiln_convert_write_span(convert_run *r, const convert_span *span);
/* Writes `count` rows of the root's types from `from` to `to`, where none has a relative field. */
bool kiln_convert_write_flat(convert_run *r, uint32_t count);
/* How many rows of a kind lie in the processor's caches together: a step goes over as many before
 * the next one does. */
enum { CONVERT_ROW_BYTES = 8192 };
static inline uint32_t convert_rows_at_once(const convert_row *row)
{
    return CONVERT_ROW_BYTES / (row->from_size / 2 + row->to_size / 2 + 1) + 1;
}

/* Asks for the part `part` of `parts` of rows that come next, unless one is too large for that. */
static inline void convert_fetch(const unsigned char *rows, uint32_t size, uint32_t part,
                                 uint32_t parts)
{
    if (size == 0 || size > 4 * CONVERT_ROW_BYTES)
        return;
    uint32_t end = (uint32_t)((uint64_t)size * (part + 1) / parts);
    for (uint32_t at = (uint32_t)((uint64_t)size * part / parts); at < end; at += 64)
        prefetch(rows, at);
}

/* Rows to be written. */
typedef struct convert_rows {
    const unsigned char *from;
    unsigned char *to;
    uint32_t from_size, to_size; /* of a row */
    uint32_t count;
    uint32_t boxes, box_size; /* where those of the first row begin in the newer payload */
} convert_rows;

/* convert_value.c. Numbers of one kind as another. */
void kiln_convert_numbers(const convert_step *step, const convert_rows *rows);
/* An enum's value or a flag set, of the older type in the newer; false where it has none. */
bool kiln_convert_choose(const kiln_conversion *c, const convert_table *table,
                         const unsigned char *from, unsigned char *to);
/* convert_trail.c. The path from the root to the older byte where a run stopped. */
void kiln_convert_trail(const convert_run *r, kiln_path *path);
/* The path from a row of the older root's type to its byte `at`. */
void kiln_convert_row_trail(const convert_run *r, uint32_t at, kiln_path *path);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

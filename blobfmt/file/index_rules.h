/* Index rules that concern single entries, and error reporting for them. index_frame.c implements
 * them and checks entries on first use; index_check.c uses them to check a whole index. */
#ifndef KILN_INDEX_RULES_H
#define KILN_INDEX_RULES_H

#include <kiln/index.h>
#include <kiln/status.h>
#include <stdbool.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* A part of the index, such as `members[3].place`. */
typedef struct index_part {
    const char *list;
    uint64_t number;   /* INDEX_NO_NUMBER: the list itself */
    const char *field; /* or NULL */
} index_part;

#define INDEX_NO_NUMBER UINT64_MAX

/* Reports a broken rule at `at`, which points into the file. */
kiln_status kiln_index_fail(const kiln_index_frame *frame, kiln_status status, const void *at,
                            index_part part, kiln_error *reterr);

/* Whether `bytes` bytes, from `offset` after the field at `at`, are inside the index. */
static inline bool kiln_index_is_inside(const kiln_index_frame *frame, const void *at,
                                        uint32_t offset, uint64_t bytes)
{
    uint64_t before = (uint64_t)((const unsigned char *)at - (const unsigned char *)frame->file);
    uint64_t left = frame->index_size - before;
    return offset <= left && bytes <= left - offset;
}

/* The bytes of a string. Offset 0 points to the offset itself, which is four zero bytes and
 * therefore not a valid name. */
static inline const char *kiln_index_text_at(const kiln_string *string)
{
    return (const char *)string + string->offset;
}

/* Checks I3: the name has the form `Kind/id`, and `id` is its hash. */
bool kiln_index_name_has_id(const char *text, size_t length, kiln_id id);

/* Checks I2 and I5 of asset `number`. */
kiln_status kiln_index_check_entry(const kiln_index_frame *frame, uint32_t number,
                                   kiln_error *reterr);

/* Compares hashes as numbers of 128 bits. */
static inline int kiln_hash128_compare(const kiln_hash128 *a, const kiln_hash128 *b)
{
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->low > b->low) - (a->low < b->low);
}

/* Checks I7, and I6 for a member that must begin at or after `end`. The member may be a payload
 * member. */
kiln_status kiln_index_check_record(const kiln_index_frame *frame, uint32_t member, uint64_t end,
                                    kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

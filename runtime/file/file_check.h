/* Checks one asset's member, regardless of earlier results. file_member.c stores the results and
 * shares them among threads. */
#ifndef KILN_FILE_CHECK_H
#define KILN_FILE_CHECK_H

#include "file_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

struct kiln_unpacked;

/* Receives each reference of the member, as in kiln_verify_def. */
typedef struct kiln_file_refs {
    void (*on_ref)(void *ctx, kiln_id id, uint64_t offset);
    void *ctx;
} kiln_file_refs;

/* What to check. Types are looked up beforehand, because a missing type table is not an error in
 * the member. */
typedef struct member_check {
    uint32_t asset;
    uint32_t member;
    kiln_file_level level;
    const kiln_types *types; /* from LEVEL_VALUES on */
    uint32_t type;
    const kiln_file_refs *refs; /* or NULL */
    /* What happens to a decompressed blob. With neither `keep` nor `give`, it is freed. */
    bool keep;                       /* the file stores it; the caller has the member's busy flag */
    struct kiln_unpacked *give;      /* or NULL; receives the blob if the check succeeds */
    const kiln_allocator *allocator; /* for a blob that `give` receives */
} member_check;

/* The result of a check: the verdict, and the layout in the member's header if that is readable. A
 * failure that is not caused by the bytes, such as lack of memory, changes no verdict. */
typedef struct member_finding {
    kiln_verdict verdict;
    uint64_t layout;
} member_finding;

static inline bool kiln_verdict_is_good(kiln_verdict verdict)
{
    return verdict != LEVEL_NONE && verdict < VERDICT_BAD;
}

/* Prepares a check of asset `number` that frees a decompressed blob afterwards. */
kiln_status kiln_member_check_init(kiln_file *file, uint32_t number, kiln_file_level level,
                                   const kiln_file_refs *refs, member_check *ret_check,
                                   kiln_error *reterr);

/* Runs the check. */
kiln_status kiln_member_check_run(kiln_file *file, const member_check *c, member_finding *ret_found,
                                  kiln_error *reterr);

/* Fails unless asset `number` has that layout. A verdict applies to the layout in the member's
 * header, but another asset may claim a different type for the same member. */
kiln_status kiln_member_compare_layout(const kiln_file *file, uint32_t number, uint64_t layout,
                                       kiln_error *reterr);

/* The layout in the header of a blob. */
static inline uint64_t kiln_blob_layout(const unsigned char *blob)
{
    return ((const kiln_blob_header *)(const void *)blob)->layout;
}

/* The level that deep verification requires for asset `number`: LEVEL_TRUSTED if the program has
 * its type with the same layout, else LEVEL_VALUES. */
kiln_file_level kiln_file_deep_level(const kiln_file *file, uint32_t number);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

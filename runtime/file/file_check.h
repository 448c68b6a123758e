/* One check of one asset's member: what its bytes are, whatever was known of them before. What is
 * found is kept by file_member.c, where threads meet. */
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

/* What is to be checked, its types found beforehand: whether a file has types decides nothing about
 * a member. */
typedef struct member_check {
    uint32_t asset;
    uint32_t member;
    kiln_file_level level;
    const kiln_types *types; /* from LEVEL_VALUES on */
    uint32_t type;
    const kiln_file_refs *refs; /* or NULL */
    /* What becomes of a blob that is decompressed; with neither `keep` nor `give` it is freed. */
    bool keep;                       /* the file keeps it; who says so has the busy mark */
    struct kiln_unpacked *give;      /* or NULL; gets it if the check succeeds, */
    const kiln_allocator *allocator; /* in memory from here */
} member_check;

/* What a check says of a member: how well it is known now, and its header's layout where that is
 * anything. Nothing follows from trouble that is not the bytes'. */
typedef struct member_finding {
    uint8_t verdict;
    uint64_t layout;
} member_finding;

static inline bool kiln_verdict_is_good(uint8_t verdict)
{
    return verdict != LEVEL_NONE && verdict < VERDICT_BAD;
}

/* A check of asset `number` that leaves no blob. */
kiln_status kiln_member_check_init(kiln_file *file, uint32_t number, kiln_file_level level,
                                   const kiln_file_refs *refs, member_check *ret_check,
                                   kiln_error *reterr);

/* Checks now, whatever is known. */
kiln_status kiln_member_check_run(kiln_file *file, const member_check *c, member_finding *ret_found,
                                  kiln_error *reterr);

/* A verdict speaks of the layout that the member's header holds; another asset may name the same
 * member under another type. */
kiln_status kiln_member_compare_layout(const kiln_file *file, uint32_t number, uint64_t layout,
                                       kiln_error *reterr);

/* The layout that the header of a blob states. */
static inline uint64_t kiln_blob_layout(const unsigned char *blob)
{
    return ((const kiln_blob_header *)(const void *)blob)->layout;
}

/* The level that the deep tier asks of asset `number`: LEVEL_TRUSTED where the program has its type
 * with the same layout. */
kiln_file_level kiln_file_deep_level(const kiln_file *file, uint32_t number);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

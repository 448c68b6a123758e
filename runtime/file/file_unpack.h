/* Decompresses members that are stored compressed.
 *
 * An uncompressed member is used in place. A compressed one is decompressed into memory that the
 * file owns until it is closed (kiln_file_prepare_asset, kiln_file_blob), or into the caller's
 * memory (kiln_file_unpack). Both check as much as the level requires: from LEVEL_HASH on, the hash
 * of the stored bytes before decompression and the hash of the blob after it, then values.
 *
 * The first use of a compressed member creates what decompression needs, once for each file: a slot
 * for each member's blob, the digested dictionaries, and contexts, which threads take and return
 * without locks. Before that, it checks that no two compressed members overlap. So all blobs of a
 * file are together at most KILN_COMPRESSION_RATIO times as large as the file. */
#ifndef KILN_FILE_UNPACK_H
#define KILN_FILE_UNPACK_H

#include "file_object.h"

#include <assert.h>
#include <kiln/compression.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* A decompressed blob, aligned as its header requires. Its owner frees it with
 * `allocator.free(allocator.ctx, blob, size)`. A zeroed struct holds no blob. */
typedef struct kiln_unpacked {
    unsigned char *blob;
    size_t size;
} kiln_unpacked;

/* Whether member `number` is a blob that is stored compressed. */
static inline bool kiln_file_is_packed(const kiln_file *file, uint32_t number)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, number);
    return member->compression != KILN_COMPRESSION_NONE && !kiln_index_member_is_payload(member);
}

/* Takes a context for decompression that no other thread uses; return it with
 * kiln_file_return_context. NO_MEMORY; or I6 or I7 of a compressed member. */
kiln_status kiln_file_take_context(kiln_file *file, kiln_decompressor **ret_context,
                                   kiln_error *reterr);
void kiln_file_return_context(kiln_file *file, kiln_decompressor *context);

/* The blob of member `number`. For an uncompressed member it is in the file; for a compressed one,
 * where kiln_file_prepare_asset decompressed it, or NULL before that. */
const unsigned char *kiln_file_blob(const kiln_file *file, uint32_t number);

/* The rest of this header is private to this folder. */

enum { FILE_CONTEXTS = 16 };

typedef struct kiln_file_slot {
    _Atomic(unsigned char *) blob; /* written once, by the thread with the member's busy flag */
    uint64_t layout; /* of the blob; set before the member's verdict is above LEVEL_NONE */
} kiln_file_slot;

typedef struct kiln_file_dictionary {
    _Atomic(struct kiln_dictionary *) digested; /* NULL until the first use */
    kiln_error failure; /* why it can never be used; else KILN_OK. Under `table_lock` */
} kiln_file_dictionary;

struct kiln_file_packs {
    size_t bytes;                                         /* of this struct and its arrays */
    _Atomic(kiln_decompressor *) contexts[FILE_CONTEXTS]; /* those that no thread uses */
    kiln_file_dictionary *dictionaries;
    kiln_file_slot slots[]; /* one per member */
};

/* The slot of an existing member. */
static inline kiln_file_slot *kiln_file_slot_of(const kiln_file *file, kiln_file_packs *packs,
                                                uint32_t member)
{
    assert(member < file->index->members.count);
    (void)file;
    return &packs->slots[member];
}
/* A dictionary by its number in the index's list; NULL if the list is shorter. */
static inline kiln_file_dictionary *kiln_file_dictionary_at(const kiln_file *file,
                                                            kiln_file_packs *packs, uint32_t number)
{
    return number < file->index->dictionaries.count ? &packs->dictionaries[number] : NULL;
}

/* Frees `packs` and everything in it. */
void kiln_file_packs_fini(kiln_file *file);

/* Checks dictionary `number` in the same way as its first use does (I18). It must be in the index's
 * list. */
kiln_status kiln_file_check_dictionary(kiln_file *file, uint32_t number, kiln_error *reterr);

/* Decompresses member `number` into memory from `allocator`. The member's record must already be
 * checked. With `check_stored` the hash of the stored bytes is checked first (I16). */
kiln_status kiln_file_decompress(kiln_file *file, uint32_t number, bool check_stored,
                                 const kiln_allocator *allocator, kiln_unpacked *ret_unpacked,
                                 kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

/* The internals of a kiln_file_writer. file_writer.c collects assets, finished_asset.c finishes
 * assets without a writer, file_packing.c compresses members, file_payloads.c collects payloads,
 * and file_finish.c writes the file. */
#ifndef KILN_FILE_WRITER_STATE_H
#define KILN_FILE_WRITER_STATE_H

#include "arena.h"
#include "hash_table.h"

#include <kiln/file_writer.h>
#include <kiln/index.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct writer_asset {
    const char *name;
    kiln_id id;
    uint32_t name_length, type, member;
    uint32_t first_ref, ref_count; /* into refs, sorted and unique */
} writer_asset;

typedef struct writer_member {
    const unsigned char *blob;
    kiln_buffer taken; /* owns the blob; if empty, the arena owns it */
    uint64_t size, place;
    kiln_hash128 content;
    uint32_t setting;   /* number in settings plus 1; 0: not compressed */
    uint32_t images_at; /* of a scene that programs may map: the offset of its whole chunks; or 0 */
    uint8_t align_log2;
} writer_member;

typedef struct writer_import {
    const char *name;
    kiln_id id;
    uint32_t name_length;
    bool used;
} writer_import;

/* How to compress members that are added while this setting is current. */
typedef struct writer_setting {
    int level;         /* not 0 */
    const char *group; /* NULL: without a dictionary */
} writer_setting;

struct kiln_file_writer {
    const kiln_types *types;
    kiln_allocator allocator;
    arena memory;
    vector assets, members, imports; /* writer_asset, writer_member, writer_import */
    vector refs;                     /* kiln_id */
    vector settings;                 /* writer_setting, each once */
    uint32_t setting;                /* the current one, encoded as in writer_member */
    vector payloads;                 /* writer_payload */
    uint32_t payload_type;           /* the number of kiln.Payload, or KILN_TYPE_NONE */
    hash_table by_id, by_content, imports_by_id, payloads_by_content;
    kiln_file_counts finished; /* for the file that was finished last */
    bool omit_type_table, skip_sharing;
    void (*move_blob)(void *move_ctx, kiln_buffer *blob, size_t align); /* NULL: none */
    void (*touch_blob)(void *move_ctx, size_t size);                    /* NULL: none */
    void *move_ctx;
    bool ref_failed; /* memory ran out while references were collected */
};

/* Notes that the blob of a member will be read. */
static inline void kiln_writer_touch(const kiln_file_writer *writer, const writer_member *member)
{
    if (writer->touch_blob)
        writer->touch_blob(writer->move_ctx, (size_t)member->size);
}

/* kiln_file_writer_build for the payload asset `name`, whose member the caller adds. */
kiln_status kiln_writer_build_payload(kiln_file_writer *writer, const char *name,
                                      kiln_builder *builder, kiln_error *reterr);

/* The number of the asset or import with this id; UINT32_MAX if there is none. */
uint32_t kiln_writer_find_asset(const kiln_file_writer *writer, kiln_id id);
uint32_t kiln_writer_find_import(const kiln_file_writer *writer, kiln_id id);
/* Sorts the references from `first` on and removes duplicates, because each edge occurs only once
 * (I10). Returns false if memory runs out. */
bool kiln_writer_sort_refs(vector *refs, size_t first, const kiln_allocator *allocator);
/* Describes a finished blob as an uncompressed member. With `taken`, the bytes belong to that
 * buffer, which is emptied. */
void kiln_writer_member_init(writer_member *member, const void *blob, size_t size,
                             kiln_buffer *taken);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

/* A file's index: the names of its assets, and the places of their blobs.
 *
 * A file is the index blob at byte 0, then members (whole blobs, each at a multiple of its
 * alignment), with gaps of zeros, up to the size that the index states. Assets are sorted by id,
 * the XXH3-64 of the name `Kind/id`. The look-up table is a directory over the ids' upper bits:
 *
 *     directory[b] = number of ids whose upper bits are below b
 *     b = id >> (64 - bits),  2^bits >= assets
 *
 * so the asset with an id is one of directory[b] .. directory[b + 1] - 1, which is one asset on
 * average: two reads find it. FORMAT.md section 10. */
#ifndef KILN_INDEX_H
#define KILN_INDEX_H

#include <kiln/allocator.h>
#include <kiln/asset_id.h>
#include <kiln/relative.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_hash128 {
    KILN_ALIGNAS(8) uint64_t low;
    KILN_ALIGNAS(8) uint64_t high;
} kiln_hash128;

typedef enum kiln_compression {
    KILN_COMPRESSION_NONE = 0,
    KILN_COMPRESSION_ZSTD = 1
} kiln_compression;

typedef struct kiln_index_member {
    KILN_ALIGNAS(8) uint64_t place;       /* from the file's start */
    KILN_ALIGNAS(8) uint64_t stored_size; /* bytes in the file */
    KILN_ALIGNAS(8)
    uint64_t size;        /* bytes of the blob; equal to stored_size if not compressed */
    kiln_hash128 content; /* XXH3-128 of the blob */
    kiln_hash128 stored;  /* XXH3-128 of the bytes in the file; zero if not compressed */
    uint8_t compression;
    uint8_t align_log2;  /* of the blob: as in its header */
    uint16_t reserved;   /* 0 */
    uint32_t dictionary; /* number in `dictionaries` plus 1; 0 if there is none */
} kiln_index_member;

typedef struct kiln_index_asset {
    kiln_string name;
    uint32_t type;   /* number in `types` */
    uint32_t member; /* number in `members` */
} kiln_index_asset;

typedef struct kiln_index_type {
    kiln_string name;
    KILN_ALIGNAS(8) uint64_t layout;
} kiln_index_type;

typedef struct kiln_index_import {
    KILN_ALIGNAS(8) uint64_t id;
    kiln_string name;
} kiln_index_import;

typedef struct kiln_index {
    KILN_ALIGNAS(8) uint64_t file_size;
    kiln_array ids;       /* uint64_t, strictly ascending */
    kiln_array assets;    /* kiln_index_asset, in the order of `ids` */
    kiln_array directory; /* uint32_t, 2^bits + 1; empty without assets */
    kiln_array types;     /* kiln_index_type, strictly ascending by name: the types of the assets */
    kiln_array members;   /* kiln_index_member, ascending by place */
    kiln_array imports;   /* kiln_index_import, strictly ascending by id */
    kiln_array edge_starts; /* uint32_t, assets + 1; empty if there are no edges */
    kiln_array edges;       /* uint32_t: asset number, or assets + import number; strictly ascending
                               within an asset */
    kiln_array dictionaries; /* uint32_t, member numbers */
    uint32_t type_table;     /* member number plus 1; 0 if there is none */
    uint32_t reserved;       /* 0 */
} kiln_index;

KILN_STATIC_ASSERT(sizeof(kiln_index_member) == 64, "FORMAT.md 10: member");
KILN_STATIC_ASSERT(sizeof(kiln_index_asset) == 16, "FORMAT.md 10: asset");
KILN_STATIC_ASSERT(sizeof(kiln_index) == 88, "FORMAT.md 10: index");

#define KILN_ASSET_NONE UINT32_MAX

kiln_hash128 kiln_content_hash(const void *data, size_t size);

/* The beginning of a file. */
typedef struct kiln_file_head {
    const void *data; /* the file's first `size` bytes, at a multiple of 16 */
    size_t size;
    uint64_t file_size; /* bytes of the whole file */
} kiln_file_head;

/* Ids in strictly ascending order. */
typedef struct kiln_id_span {
    const kiln_id *ids;
    size_t count;
} kiln_id_span;

/* Checks the index of a file: rules H1 to H11, V1 to V19, I1 to I7, I9, I10, I13 (only the order),
 * I14, I19, I20. `head` must include the whole index, whose size the header states; otherwise H1.
 * Members are not read. On success `ret_index` points into `head->data`. `builtin` comes from
 * kiln_types_create_builtin. Safe on hostile bytes, linear in the index. */
kiln_status kiln_index_check(const kiln_types *builtin, const kiln_allocator *allocator,
                             const kiln_file_head *head, const kiln_index **ret_index,
                             kiln_error *reterr);

/* An index of which only the frame was checked: its header, and the bounds and lengths of its
 * arrays. Its entries may contain anything; read them only through the functions below, which check
 * one entry at a time. Opening a file therefore need not read all of its index, and is still safe
 * on hostile bytes. */
typedef struct kiln_index_frame {
    const kiln_index *index;
    const void *file;
    uint64_t file_size;
    uint64_t index_size; /* of the index blob; the members follow it */
} kiln_index_frame;

/* Reads the frame of an index; `head` as for kiln_index_check. Checks rules H1 to H5, H7, H10, H11
 * and I1; V1 to V4 of the arrays; I2, I4 and I10 as far as they concern lengths; and all rules of
 * the index's own numbers and its types. With `check_hash` also H8 and H9, which takes time linear
 * in the index; the rest is linear in its types. This succeeds for every index that
 * kiln_index_check accepts. */
kiln_status kiln_index_frame_read(const kiln_file_head *head, bool check_hash,
                                  kiln_index_frame *ret_frame, kiln_error *reterr);

/* Checks I2, and I5 of all assets. It reads only ids and assets, and is several times faster than
 * hashing the index. */
kiln_status kiln_index_check_entries(const kiln_index_frame *frame, kiln_error *reterr);

/* The name of asset `number`, which is below the count; NULL if it breaks I3 or is not a valid
 * string. */
const char *kiln_index_asset_name(const kiln_index_frame *frame, uint32_t number);
/* Checks I10 of asset `number`, which is below the count: its edges are in bounds and lead to
 * existing assets and imports. */
kiln_status kiln_index_check_edges(const kiln_index_frame *frame, uint32_t number,
                                   kiln_error *reterr);
/* The name of import `number`, which is below the count; NULL if it breaks I9 or is not a valid
 * string. */
const char *kiln_index_import_name(const kiln_index_frame *frame, uint32_t number);
/* Checks I7 of member `number`, which is below the count, and I6 except for its neighbours. */
kiln_status kiln_index_check_place(const kiln_index_frame *frame, uint32_t number,
                                   kiln_error *reterr);

/* Check the rest of a file that is entirely at `file`: the gaps (I8), and for each member its
 * header against the index (I11, H1 to H9, H11) and its content hash (I12). kiln_verify checks the
 * values inside members. kiln_index_check_member returns BAD_ARGUMENT for a compressed member. For
 * that, first check the hash of its stored bytes (kiln_index_check_stored, I16), then decompress it
 * (<kiln/compression.h>) to any memory, and check the blob (kiln_index_check_blob). Offsets of
 * errors count as if the blob were at the member's place. */
kiln_status kiln_index_check_gaps(const kiln_index *index, const void *file, kiln_error *reterr);
kiln_status kiln_index_check_member(const kiln_index *index, uint32_t member, const void *file,
                                    bool check_content, kiln_error *reterr);
kiln_status kiln_index_check_stored(const kiln_index *index, uint32_t member, const void *file,
                                    kiln_error *reterr);
kiln_status kiln_index_check_blob(const kiln_index *index, uint32_t member, const void *blob,
                                  bool check_content, kiln_error *reterr);
/* Checks I13: every type of the index is in the type table, with the same layout. */
kiln_status kiln_index_check_types(const kiln_index *index, const kiln_types *types,
                                   kiln_error *reterr);

/* Whether asset `number` has an edge to `id`; for rule I15. O(log n). */
bool kiln_index_has_edge(const kiln_index *index, uint32_t number, kiln_id id);
/* The id that a number of `edges` stands for; the number exists (I10). */
kiln_id kiln_index_edge_id(const kiln_index *index, uint32_t edge);
/* Checks rule I21: each edge of asset `number` leads to one of `ids`, the ids to which its blob
 * refers. On failure `reterr` has the path of the edge, such as `edges[3]`, and its offset in the
 * file at `file`. The index must have been checked. */
kiln_status kiln_index_check_edges_used(const kiln_index *index, const void *file, uint32_t number,
                                        kiln_id_span ids, kiln_error *reterr);

/* The number of the asset with an id; KILN_ASSET_NONE if there is none. Usually O(1), at worst
 * O(log n). The index or its frame must have been checked. */
uint32_t kiln_index_find(const kiln_index *index, kiln_id id);
/* The same for the id of a name. The id decides: names are not compared. */
uint32_t kiln_index_find_name(const kiln_index *index, const char *name, size_t length);

/* Elements of a checked index. The number must be below the array's count: compare it with the
 * count first, unless it comes from a checked index. */
static inline uint32_t kiln_index_asset_count(const kiln_index *index)
{
    return index->assets.count;
}
static inline kiln_id kiln_index_id(const kiln_index *index, uint32_t number)
{
    assert(number < index->ids.count);
    return ((const uint64_t *)kiln_relative_get(&index->ids, index->ids.offset))[number];
}
static inline const kiln_index_asset *kiln_index_asset_at(const kiln_index *index, uint32_t number)
{
    assert(number < index->assets.count);
    return (const kiln_index_asset *)kiln_relative_get(&index->assets, index->assets.offset) +
           number;
}
static inline const kiln_index_type *kiln_index_type_at(const kiln_index *index, uint32_t number)
{
    assert(number < index->types.count);
    return (const kiln_index_type *)kiln_relative_get(&index->types, index->types.offset) + number;
}
static inline const kiln_index_member *kiln_index_member_at(const kiln_index *index,
                                                            uint32_t number)
{
    assert(number < index->members.count);
    return (const kiln_index_member *)kiln_relative_get(&index->members, index->members.offset) +
           number;
}
static inline const kiln_index_import *kiln_index_import_at(const kiln_index *index,
                                                            uint32_t number)
{
    assert(number < index->imports.count);
    return (const kiln_index_import *)kiln_relative_get(&index->imports, index->imports.offset) +
           number;
}
/* Whether the type and the member of asset `number` exist (I5). The frame must have been checked.
 */
static inline bool kiln_index_asset_is_whole(const kiln_index *index, uint32_t number)
{
    const kiln_index_asset *asset = kiln_index_asset_at(index, number);
    return asset->type < index->types.count && asset->member < index->members.count;
}
/* The references of an asset: `ret_count` numbers as in `edges`. */
const uint32_t *kiln_index_edges(const kiln_index *index, uint32_t number, uint32_t *ret_count);

#ifdef __cplusplus
}
#endif

#endif

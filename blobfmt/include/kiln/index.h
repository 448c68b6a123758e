/* A file's index: which assets it holds, under which names, where.
 *
 * A file is the index blob at byte 0, then members (whole blobs, each at a multiple of its
 * alignment), gaps zero, to the size that the index states. Assets are sorted by id, the XXH3-64 of
 * the name `Kind/id`. The look-up table is a directory over the ids' upper bits:
 *
 *     directory[b] = number of ids whose upper bits are below b
 *     b = id >> (64 - bits),  2^bits >= assets
 *
 * so the asset of an id lies among directory[b] .. directory[b + 1] - 1, one on average: two reads
 * find it. FORMAT.md section 10. */
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
    uint64_t size;        /* bytes of the blob, header included; equal where not compressed */
    kiln_hash128 content; /* XXH3-128 of the blob */
    kiln_hash128 stored;  /* XXH3-128 of the bytes in the file; zero where not compressed */
    uint8_t compression;
    uint8_t align_log2;  /* of the blob: as in its header */
    uint16_t reserved;   /* 0 */
    uint32_t dictionary; /* number in `dictionaries`, plus 1; 0 without */
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
    kiln_array edge_starts; /* uint32_t, assets + 1; empty where there are no edges at all */
    kiln_array edges;       /* uint32_t: asset number, or assets + import number; strictly ascending
                               within an asset */
    kiln_array dictionaries; /* uint32_t, member numbers */
    uint32_t type_table;     /* member number plus 1; 0 without */
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

/* Checks the index of a file: rules H1 to H11, V1 to V19, I1 to I7, I9, I10, I13 (of the order
 * alone), I14, I19, I20. `head` includes the whole index, whose size the header states: H1 while it
 * is too short. Members are not read. On success `ret_index` points into `head->data`. `builtin` is
 * what kiln_types_create_builtin gives. Safe on hostile bytes, linear in the index. */
kiln_status kiln_index_check(const kiln_types *builtin, const kiln_allocator *allocator,
                             const kiln_file_head *head, const kiln_index **ret_index,
                             kiln_error *reterr);

/* An index of which only the frame was checked: its header, and that its arrays lie within it and
 * have the lengths that they must have for each other. Its entries may be anything; the functions
 * below, and only they, take one entry and check it then. So opening a file need not read all of
 * its index, and hostile bytes are safe all the same. */
typedef struct kiln_index_frame {
    const kiln_index *index;
    const void *file;
    uint64_t file_size;
    uint64_t index_size; /* of the index blob: members lie behind it */
} kiln_index_frame;

/* Reads the frame of the index of a file as kiln_index_check gets it: rules H1 to H5, H7, H10, H11,
 * I1, of the arrays V1 to V4, I2, I4 and I10 as far as they speak of lengths, and all rules of the
 * index's own numbers and its types. With `check_hash` H8 and H9 too, which takes time linear in
 * the index; the rest is linear in its types. What kiln_index_check accepts has a frame. */
kiln_status kiln_index_frame_read(const kiln_file_head *head, bool check_hash,
                                  kiln_index_frame *ret_frame, kiln_error *reterr);

/* I2, and I5 of all assets: a sweep over ids and assets alone, several times faster than a hash
 * over the index. */
kiln_status kiln_index_check_entries(const kiln_index_frame *frame, kiln_error *reterr);

/* Name of asset `number`, which is below the count; NULL where it breaks I3 or is no string. */
const char *kiln_index_asset_name(const kiln_index_frame *frame, uint32_t number);
/* I10 of asset `number`, which is below the count: its edges may be taken, and lead to assets and
 * imports that there are. */
kiln_status kiln_index_check_edges(const kiln_index_frame *frame, uint32_t number,
                                   kiln_error *reterr);
/* Name of import `number`, which is below the count; NULL where it breaks I9 or is no string. */
const char *kiln_index_import_name(const kiln_index_frame *frame, uint32_t number);
/* I7 of member `number`, which is below the count, and I6 but for its neighbours. */
kiln_status kiln_index_check_place(const kiln_index_frame *frame, uint32_t number,
                                   kiln_error *reterr);

/* The rest of the file, for who has all of it at `file`: gaps (I8), and for each member its header
 * against the index (I11, H1 to H9, H11), its content hash (I12). Values inside members are
 * kiln_verify's. A member that is stored compressed is BAD_ARGUMENT: of that, the hash of the
 * stored bytes (I16) is checked first, and once <kiln/compression.h> has made them the blob again,
 * wherever that lies, the same as of others; offsets count as if it lay at its place. */
kiln_status kiln_index_check_gaps(const kiln_index *index, const void *file, kiln_error *reterr);
kiln_status kiln_index_check_member(const kiln_index *index, uint32_t member, const void *file,
                                    bool check_content, kiln_error *reterr);
kiln_status kiln_index_check_stored(const kiln_index *index, uint32_t member, const void *file,
                                    kiln_error *reterr);
kiln_status kiln_index_check_blob(const kiln_index *index, uint32_t member, const void *blob,
                                  bool check_content, kiln_error *reterr);
/* I13: every type of the index is in the type table with the same layout. */
kiln_status kiln_index_check_types(const kiln_index *index, const kiln_types *types,
                                   kiln_error *reterr);

/* Whether asset `number` states a reference to `id`; for rule I15. O(log n). */
bool kiln_index_has_edge(const kiln_index *index, uint32_t number, kiln_id id);
/* The id that a number of `edges` stands for; the number exists (I10). */
kiln_id kiln_index_edge_id(const kiln_index *index, uint32_t edge);
/* Rule I21: each edge of asset `number` leads to one of `ids`, to which its blob refers. On failure
 * `reterr` names the edge, `edges[3]`, and its offset in the file at `file`. The index was checked.
 */
kiln_status kiln_index_check_edges_used(const kiln_index *index, const void *file, uint32_t number,
                                        kiln_id_span ids, kiln_error *reterr);

/* Asset number of an id; KILN_ASSET_NONE where there is none. O(1), and O(log n) at worst. The
 * index was checked, or its frame was. */
uint32_t kiln_index_find(const kiln_index *index, kiln_id id);
/* The same for the id of a name. The id decides: names are not compared. */
uint32_t kiln_index_find_name(const kiln_index *index, const char *name, size_t length);

/* Elements of a checked index, by number below the array's count: who has a number from anywhere
 * else than a checked index compares it with the count first. */
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
/* Whether the type and the member of asset `number` exist (I5). The frame was checked. */
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

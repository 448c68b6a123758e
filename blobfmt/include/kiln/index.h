/* The index of a file: its assets, their names, and where they are stored.
 *
 * A file is the index blob at byte 0, then its *members*: whole blobs, each at a multiple of its
 * alignment if it is not compressed. Gaps are zero, and the index states the file's size. Assets
 * are sorted by id, the XXH3-64 of the name `Kind/id`. The lookup table is a directory over the
 * upper bits of the ids:
 *
 *     directory[b] = number of ids whose upper bits are below b
 *     b = id >> (64 - bits),  2^bits >= assets
 *
 * So the asset with a given id is one of directory[b] .. directory[b + 1] - 1. This range has about
 * one asset on average, so a lookup reads the directory once and then a few adjacent ids. FORMAT.md
 * section 10. */
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
    KILN_COMPRESSION_ZSTD = 1,
    KILN_COMPRESSION_PAYLOAD = 2, /* a payload member, stored plain: see <kiln/payload.h> */
    KILN_COMPRESSION_FRAMES = 3   /* a payload member, stored in frames */
} kiln_compression;

/* The structs as they are stored. Numbers in them count from 0. */
typedef struct kiln_index_member {
    KILN_ALIGNAS(8) uint64_t place;       /* byte offset in the file */
    KILN_ALIGNAS(8) uint64_t stored_size; /* bytes in the file */
    KILN_ALIGNAS(8)
    uint64_t size;        /* bytes of the blob, header included, or of the data of a payload;
                             stored_size if not compressed */
    kiln_hash128 content; /* XXH3-128 of the blob or the data */
    kiln_hash128 stored;  /* XXH3-128 of the bytes in the file; 0 if not compressed */
    uint8_t compression;  /* a kiln_compression */
    uint8_t align_log2;   /* of the blob, as in its header, or of the data */
    uint16_t reserved;    /* 0 */
    uint32_t dictionary;  /* index in `dictionaries`, plus 1; 0 if it has none */
} kiln_index_member;

typedef struct kiln_index_asset {
    kiln_string name;
    uint32_t type;   /* index in `types` */
    uint32_t member; /* index in `members` */
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
    kiln_array directory; /* uint32_t, 2^bits + 1; empty if there are no assets */
    kiln_array types;     /* kiln_index_type, strictly ascending by name: the types of the assets */
    kiln_array members;   /* kiln_index_member, ascending by place; payload members last */
    kiln_array imports;   /* kiln_index_import, strictly ascending by id */
    kiln_array edge_starts; /* uint32_t, assets + 1; empty if there are no edges */
    kiln_array edges; /* uint32_t: an asset's index, or assets + an import's; strictly ascending
                         within an asset */
    kiln_array dictionaries; /* uint32_t, indices in `members` */
    uint32_t type_table;     /* index in `members`, plus 1; 0 if there is none */
    uint32_t reserved;       /* 0 */
} kiln_index;

KILN_STATIC_ASSERT(sizeof(kiln_index_member) == 64, "FORMAT.md 10: member");
KILN_STATIC_ASSERT(sizeof(kiln_index_asset) == 16, "FORMAT.md 10: asset");
KILN_STATIC_ASSERT(sizeof(kiln_index) == 88, "FORMAT.md 10: index");

#define KILN_ASSET_NONE UINT32_MAX

/* Whether a member is a payload member, which is not a blob. */
static inline bool kiln_index_member_is_payload(const kiln_index_member *member)
{
    return member->compression == KILN_COMPRESSION_PAYLOAD ||
           member->compression == KILN_COMPRESSION_FRAMES;
}

/* Returns XXH3-128 of `size` bytes at `data`, with seed 0. Any thread. */
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

/* Checks the index of a file: rules H1 to H11, V1 to V19, I1 to I7, I9, I10, I13 (only the order of
 * types), I14, I19, I20, I22. `head` must contain the whole index, whose size is in its header;
 * otherwise H1. Members are not read. `builtin` is the list of kiln_types_create_builtin.
 * NO_MEMORY, BIG_ENDIAN_HOST. On success `ret_index` points into `head->data`; on failure it is
 * untouched. Safe on hostile bytes, linear in the index. */
kiln_status kiln_index_check(const kiln_types *builtin, const kiln_allocator *allocator,
                             const kiln_file_head *head, const kiln_index **ret_index,
                             kiln_error *reterr);

/* An index whose frame alone has been checked: the header is valid, the arrays are in bounds, their
 * lengths agree, and the names of types are valid. All other entries may contain anything. Pass
 * such an index only to functions that take a frame, or whose comment says that a checked frame is
 * enough; these check the entries that they need. A file can thus be opened without reading its
 * whole index, and hostile bytes are still safe. */
typedef struct kiln_index_frame {
    const kiln_index *index;
    const void *file;
    uint64_t file_size;
    uint64_t index_size; /* bytes of the index blob; members come after it */
} kiln_index_frame;

/* Reads the frame of an index from the same bytes as kiln_index_check. Checks rules H1 to H5, H7,
 * H10, H11, V1 and I1; V2 to V4 of the arrays, and their lengths (I2, I4, I10); V2 and V4 to V7 of
 * the names of types, and their order (I13); and I5 of `type_table` and `reserved`. `check_hash`
 * adds H8 and H9, in time linear in the index; the rest is linear in the number of types. Every
 * index that kiln_index_check accepts has a frame. On failure `ret_frame` is untouched. Safe on
 * hostile bytes. */
kiln_status kiln_index_frame_read(const kiln_file_head *head, bool check_hash,
                                  kiln_index_frame *ret_frame, kiln_error *reterr);

/* Checks I2, and I5 of all assets. Reads only ids and assets, and is several times faster than
 * hashing the index. */
kiln_status kiln_index_check_entries(const kiln_index_frame *frame, kiln_error *reterr);

/* Returns the name of asset `number`, which must be less than the number of assets. NULL if the
 * name breaks I3 or is not a string. */
const char *kiln_index_asset_name(const kiln_index_frame *frame, uint32_t number);
/* Checks I10 for asset `number`, which must be less than the number of assets: its edges are in the
 * list, are strictly ascending, and refer to assets and imports that exist. */
kiln_status kiln_index_check_edges(const kiln_index_frame *frame, uint32_t number,
                                   kiln_error *reterr);
/* Returns the name of import `number`, which must be less than the number of imports. NULL if the
 * name breaks I9 or is not a string. */
const char *kiln_index_import_name(const kiln_index_frame *frame, uint32_t number);
/* Checks I7 and I6 for member `number`, which must be less than the number of members. Does not
 * compare the member with its neighbours, as a full check of I6 does. I7 for a payload member,
 * because callers expect a blob: see kiln_payload_view_read. */
kiln_status kiln_index_check_place(const kiln_index_frame *frame, uint32_t number,
                                   kiln_error *reterr);

/* Check the rest of a file that is completely in memory at `file`. Its index must have been
 * checked.
 *
 *     gaps      every byte between members is zero (I8)
 *     member    a member's header matches the index (I11, H1 to H5, H11); with
 *               `check_content`, also its content hash (I12), and its hash and gap (H8, H9).
 *               BAD_ARGUMENT for a payload member (see kiln_payload_check), and for a compressed
 *               member, which is checked in two steps:
 *     stored    the hash of a compressed member's stored bytes (I16)
 *     blob      like `member`, for a blob at any address, such as one that was
 *               decompressed; offsets count as if it were at the member's place
 *
 * To check the values in members, use kiln_verify. Linear in the bytes checked. Safe on hostile
 * bytes. */
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

/* Whether asset `number` has an edge to `id` (rule I15). The index must have been checked. O(log
 * n). */
bool kiln_index_has_edge(const kiln_index *index, uint32_t number, kiln_id id);
/* Returns the number that represents an edge to this id in `edges`; KILN_ASSET_NONE if the id is
 * neither an asset nor an import of the index. The index must have been checked. O(log n). */
uint32_t kiln_index_edge_of(const kiln_index *index, kiln_id id);
/* Returns the id of the asset to which an element of `edges` refers. The element must have been
 * checked (I10). */
kiln_id kiln_index_edge_id(const kiln_index *index, uint32_t edge);
/* Checks I21: each edge of asset `number` refers to one of `ids`, the references in its blob. On
 * failure the path in `reterr` is the edge, as in `edges[3]`, and the offset is the edge's offset
 * in the file at `file`. The index must have been checked. */
kiln_status kiln_index_check_edges_used(const kiln_index *index, const void *file, uint32_t number,
                                        kiln_id_span ids, kiln_error *reterr);

/* Returns the number of the asset with this id; KILN_ASSET_NONE if there is none. O(1) on average,
 * O(log n) at worst. The index or its frame must have been checked. */
uint32_t kiln_index_find(const kiln_index *index, kiln_id id);
/* Like kiln_index_find, but for the asset with this name. Compares only ids, not names. */
uint32_t kiln_index_find_name(const kiln_index *index, const char *name, size_t length);

/* Return elements of a checked index. The number must be less than the array's count, which is
 * guaranteed only for numbers from a checked index. */
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
/* Whether the type and the member of asset `number` exist (I5). Requires an index whose frame has
 * been checked (kiln_index_frame_read). */
static inline bool kiln_index_asset_is_valid(const kiln_index *index, uint32_t number)
{
    const kiln_index_asset *asset = kiln_index_asset_at(index, number);
    return asset->type < index->types.count && asset->member < index->members.count;
}
/* Returns the edges of asset `number`: `ret_count` elements of `edges`, valid while the index is.
 * NULL if no asset has edges. The index must have been checked, or kiln_index_check_edges must have
 * succeeded for this asset. */
const uint32_t *kiln_index_edges(const kiln_index *index, uint32_t number, uint32_t *ret_count);

#ifdef __cplusplus
}
#endif

#endif

/* Payloads: large binary data of assets, such as textures, meshes and sounds.
 *
 * A *payload member* is a member of a file that has no blob header: its bytes are the data, or zstd
 * frames of the data. A *payload asset*, which has the type kiln.Payload, describes it: the size of
 * the data, their hash, and where the frames begin. Other assets refer to the payload asset like to
 * any other asset. Its name contains the hash, so equal data have one asset and are stored once.
 *
 *     name          kiln.Payload/ and the content hash as 32 digits
 *     plain         frame_size = 0; the data are stored as they are, at a multiple of their
 *                   alignment, so that a program can map them
 *     in frames     frame_size > 0; frame i has the frame_size bytes of data from i * frame_size
 *                   on, the last frame has the rest; each frame is compressed alone
 *
 * Do not confuse the data with the payload of a blob, which is the part of a blob after its header.
 * FORMAT.md section 18 is the specification. The functions here may be called by any number of
 * threads. */
#ifndef KILN_PAYLOAD_H
#define KILN_PAYLOAD_H

#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <kiln/relative.h>
#include <kiln/status.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_PAYLOAD_TYPE_NAME "kiln.Payload"
/* The layout hash (FORMAT.md section 18). */
#define KILN_PAYLOAD_LAYOUT UINT64_C(0x71da290f5a656855)

enum { KILN_PAYLOAD_NAME_SIZE = sizeof "kiln.Payload/" + 32 };

typedef struct kiln_payload_frame {
    KILN_ALIGNAS(8) uint64_t place; /* offset of the zstd frame in the member */
    KILN_ALIGNAS(8) uint64_t hash;  /* XXH3-64 of the data in the frame */
} kiln_payload_frame;

typedef struct kiln_payload {
    KILN_ALIGNAS(8) uint64_t content_low; /* XXH3-128 of the data */
    KILN_ALIGNAS(8) uint64_t content_high;
    KILN_ALIGNAS(8) uint64_t size; /* bytes of data; 0: there is no member */
    kiln_array frames;             /* kiln_payload_frame; empty if the data are stored plain */
    uint32_t frame_size;           /* bytes of data in each frame but the last; 0: plain */
} kiln_payload;

KILN_STATIC_ASSERT(sizeof(kiln_payload_frame) == 16, "FORMAT.md 18: frame");
KILN_STATIC_ASSERT(sizeof(kiln_payload) == 40, "FORMAT.md 18: payload");

/* Writes the name of the payload asset with this content hash, with a NUL. */
void kiln_payload_name(kiln_hash128 content, char ret_name[KILN_PAYLOAD_NAME_SIZE]);

/* Creates a copy of `types` (NULL: none) to which kiln.Payload and the types in it are appended,
 * unless it has them. Free it with kiln_types_destroy. DUPLICATE: `types` has a different type with
 * one of these names. NO_MEMORY. On failure `ret_types` is untouched. */
kiln_status kiln_types_with_payloads(const kiln_types *types, const kiln_allocator *allocator,
                                     kiln_types **ret_types, kiln_error *reterr);

/* ---- reading ---- */

#define KILN_MEMBER_NONE UINT32_MAX

/* Returns the number of the payload member with this content hash; KILN_MEMBER_NONE if there is
 * none. A checked frame of the index is enough: a forged index can only hide payloads. O(log n). */
uint32_t kiln_payload_find(const kiln_index *index, kiln_hash128 content);

/* A payload asset that has been checked, and where its member is. */
typedef struct kiln_payload_view {
    const kiln_payload *payload; /* in the blob that was checked */
    uint64_t place, stored_size; /* of the member in the file; 0 if there are no data */
    uint32_t member;             /* number in the index; KILN_MEMBER_NONE if there are no data */
} kiln_payload_view;

typedef struct kiln_payload_read_args {
    const kiln_index_frame *frame;   /* of the file; a checked frame is enough */
    const char *name;                /* of the asset; NULL: P1 is not checked */
    const kiln_allocator *allocator; /* NULL: the C library's */
} kiln_payload_read_args;

/* Checks that a blob is a valid payload asset of a file: every rule that kiln_verify checks for the
 * type kiln.Payload except C1; then P1, I6 and I7 of the payload member, P2 and P3. `blob.data`
 * must be at a multiple of the blob's alignment. On failure `ret_view` is untouched. For P rules
 * `reterr->path` is like `frames[3].place`, and the offset is 0. NO_MEMORY. Safe on hostile bytes.
 * Linear in the number of frames; the data are not read. */
kiln_status kiln_payload_view_read(kiln_span blob, const kiln_payload_read_args *args,
                                   kiln_payload_view *ret_view, kiln_error *reterr);

/* Returns the number of bytes of data in frame `i`, which must be less than `frames.count`. */
static inline uint32_t kiln_payload_frame_bytes(const kiln_payload *payload, uint32_t i)
{
    assert(i < payload->frames.count);
    uint64_t left = payload->size - (uint64_t)i * payload->frame_size;
    return left < payload->frame_size ? (uint32_t)left : payload->frame_size;
}

/* Checks all bytes of a payload member in the file at `file`: the content hash (I12); for frames
 * also the hash of the stored bytes (I16), I17 and P4. Allocates one frame. Linear in the size of
 * the data. */
kiln_status kiln_payload_check(const kiln_payload_view *view, const kiln_index *index,
                               const void *file, const kiln_allocator *allocator,
                               kiln_error *reterr);

/* ---- writing ---- */

/* Provides data: copies the `size` bytes from `offset` on to `memory`. If it returns false, the
 * caller returns KILN_IO with the errno that the function set; errno is set to 0 before each call.
 */
typedef bool kiln_payload_source(void *ctx, uint64_t offset, void *memory, size_t size);

typedef struct kiln_payload_args {
    kiln_payload_source *read; /* must stay usable until the file is finished */
    void *ctx;                 /* passed to `read` */
    uint64_t size;             /* bytes of data */
    uint32_t alignment;        /* a power of two up to 65536; 0: 16 */
    uint32_t frame_size;       /* a power of two, 4096 to 4194304; 0: store the data plain */
    int level;                 /* of the compression of frames, 1 to 22; 0: 3 */
} kiln_payload_args;

/* Adds the payload asset of some data to a file, unless the file has it. Reads the data once, from
 * beginning to end; kiln_file_writer_finish reads them again. Memory does not depend on their size:
 * two frames or 256 KiB, and 16 bytes per frame. `ret_content` (may be NULL) receives the hash, of
 * which kiln_payload_name makes the name. Frames that together take no fewer bytes than the data
 * are not used. Equal data are stored as the first call requires, with the largest alignment of all
 * calls. BAD_ARGUMENT: the arguments break their contract, or the types of the writer lack
 * kiln.Payload. KILN_IO; otherwise as kiln_file_writer_build. On failure the file is unchanged.
 *
 * kiln_file_writer_finish returns KILN_CHANGED if the data differ when they are read again. */
kiln_status kiln_file_writer_payload(kiln_file_writer *writer, const kiln_payload_args *args,
                                     kiln_hash128 *ret_content, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif

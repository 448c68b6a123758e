/* Reads payloads: large data of assets, such as textures, meshes and sounds.
 *
 * An asset refers to a *payload asset* of the type kiln.Payload, whose name contains the hash of
 * the data. kiln_payload_open finds the data of such an asset. Data that are stored plain are in
 * the mapped file: use them in place, at the alignment that the schema requires. Data that are
 * stored in frames are compressed; kiln_payload_read decompresses only the frames that a range
 * needs. It reads plain data as well.
 *
 * The verification level of the file decides what is checked:
 *
 *     none   the payload asset against the index (P2, P3), and that frames are intact (I17)
 *     hash   also the hash of plain data (I12), once for each payload, when it is first opened;
 *     deep   and the hash of each frame (P4), whenever it is decompressed
 *
 * So opening a large plain payload for the first time reads all of it, unless the level is `none`.
 * Use frames for data of which a program needs parts.
 *
 * A forged file can have plain data at any multiple of 16. If a program relies on the alignment of
 * data from untrusted files, it must check the address.
 *
 * Any number of threads may open and read payloads of a file at once. */
#ifndef KILN_PAYLOADS_H
#define KILN_PAYLOADS_H

#include <kiln/assets.h>
#include <kiln/file.h>
#include <kiln/payload.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open payload. Copies are allowed. Valid until the file is closed, without a release, or, in an
 * asset table, until its root is released. */
typedef struct kiln_payload_data {
    const void *data; /* the data in the file; NULL if they are in frames, or if there are none */
    uint64_t size;    /* bytes of data */
    uint32_t frame_size; /* bytes of data in a frame; 0 if the data are stored plain */
    const void *root;    /* of the payload asset, a kiln_payload */
    /* Private. */
    kiln_file *file;
    kiln_payload_view view;
} kiln_payload_data;

/* Finds the data of a payload asset. NOT_FOUND: `asset` is null. TYPE_MISMATCH: the asset is not of
 * the type kiln.Payload (`path` is its name). Otherwise an error of the asset's member, or a rule
 * that the payload breaks. A payload whose data are damaged returns I12 every time. On failure
 * `ret_data` is untouched. NO_MEMORY. Safe on hostile bytes. Linear in the number of frames, and in
 * the size of plain data that are checked. */
kiln_status kiln_payload_open(kiln_file *file, kiln_asset asset, kiln_payload_data *ret_data,
                              kiln_error *reterr);

/* Finds the data of a payload asset in an asset table. `ref` is a word of any form that refers to
 * the payload asset, such as one from kiln_assets_load with the id in a field. Borrows the bytes of
 * the asset, so the data stay in place, even if the file is replaced or unmounted. When the data
 * are no longer needed, release them with `kiln_assets_release(assets, data.root, by)`. DEAD: `ref`
 * refers to no asset. NOT_FOUND: the asset was added from memory, so it has no data. Otherwise
 * fails as kiln_payload_open. On failure nothing is borrowed, and `ret_data` is untouched.
 * Changing, as <kiln/assets.h> defines it; the data are checked without a lock. */
kiln_status kiln_assets_borrow_payload(kiln_assets *assets, kiln_ref ref, const char *by,
                                       kiln_payload_data *ret_data, kiln_error *reterr);

/* Copies `size` bytes of data from `offset` on to `memory`. Decompresses only the frames that
 * contain them; a frame that is needed in part is decompressed to memory that is allocated and
 * freed again. BAD_ARGUMENT: the range is not in the data. I17, P4, NO_MEMORY; after an error the
 * content of `memory` is undefined. Safe on hostile bytes. */
kiln_status kiln_payload_read(const kiln_payload_data *data, uint64_t offset, void *memory,
                              size_t size, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif

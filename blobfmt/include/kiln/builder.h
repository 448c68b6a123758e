/* Makes blobs in memory, without YAML.
 *
 * Objects are allocated zeroed in blocks that never move, so pointers into them stay good until the
 * builder is reset or destroyed. Giving a relative field its target records a *patch* (field,
 * target, count) and leaves a mark in the field; `kiln_builder_finish` follows the marks from the
 * root by the root's type, puts every reachable object in its place, copies once and fills every
 * offset. A struct copied by value carries a mark that belongs to another address: finish says so
 * (KILN_COPIED_FIELD) instead of writing a wrong offset.
 *
 * Errors stick: after the first failure every call returns NULL or false and does nothing, and
 * finish returns that error. So a long run of calls needs one check, as long as NULL is not written
 * through. One thread at a time per builder.
 *
 * Map entries may be given in any order; finish sorts them. Generated headers wrap these calls with
 * types. */
#ifndef KILN_BUILDER_H
#define KILN_BUILDER_H

#include <kiln/allocator.h>
#include <kiln/blob_header.h>
#include <kiln/relative.h>
#include <kiln/types.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_builder kiln_builder;

typedef struct kiln_builder_def {
    const kiln_types *types;         /* required; outlives the builder */
    const kiln_allocator *allocator; /* NULL: the C library's */
    size_t block_size; /* bytes a block; default 65536; a larger object gets a block of its own */
    /* Equal strings are one object from the start, in every form. Default false. */
    bool share_strings;
    /* Finish uses up what was built, which takes less time and memory: whatever comes of it, the
     * builder is empty then, as after a reset, and has released most of its memory. Default
     * false. */
    bool finish_once;
    /* Another builder of the same types, whose objects this one may share (kiln_builder_share), so
     * that what many blobs have in common is built once. Objects of the library stay as they are
     * from the first finish that meets them until what shares them is finished or reset; the
     * library is not destroyed or reset before, has no library itself, and is used by the same
     * thread. NULL, the default: none. */
    kiln_builder *library;
    uint32_t cookie; /* private: set by kiln_builder_def_default */
} kiln_builder_def;

kiln_builder_def kiln_builder_def_default(void);

kiln_status kiln_builder_create(const kiln_builder_def *def, kiln_builder **ret_builder);
/* NULL is fine. */
void kiln_builder_destroy(kiln_builder *builder);
/* Forgets objects and error, keeps the memory for the next blob. */
void kiln_builder_reset(kiln_builder *builder);
/* The error that stuck, or KILN_OK. */
kiln_status kiln_builder_status(const kiln_builder *builder);
/* Makes `status` stick, for wrappers that find a misuse of their own. */
void kiln_builder_set_error(kiln_builder *builder, kiln_status status);

/* All of these return zeroed memory of `size` bytes an element, or NULL on failure (and for count
 * 0). `field` is a relative field inside an object of this builder; setting one again replaces its
 * target.
 *
 * root:    the first object; once a blob.
 * pointer: the value of an optional (`field` is a kiln_ptr or a struct of the same layout).
 * choose:  the alternative `tag` of a kiln_union; size 0 for one without a value (returns NULL,
 *          which is no error).
 * array:   `count` elements of an array, map (elements are entries) or bytes field. */
void *kiln_builder_root(kiln_builder *builder, uint32_t size, uint32_t align);
void *kiln_builder_pointer(kiln_builder *builder, void *field, uint32_t size, uint32_t align);
void *kiln_builder_choose(kiln_builder *builder, void *field, uint32_t tag, uint32_t size,
                          uint32_t align);
void *kiln_builder_array(kiln_builder *builder, void *field, uint32_t count, uint32_t size,
                         uint32_t align);

/* Copies `length` bytes of text and adds the NUL. The text is checked at finish (V6, V7). */
bool kiln_builder_string(kiln_builder *builder, kiln_string *field, const char *text,
                         size_t length);
bool kiln_builder_bytes(kiln_builder *builder, void *field, const void *data, size_t size,
                        uint32_t align);

/* Makes `field` name the same object as `other`, a field of the same type, of this builder or of
 * its library. Unions are shared by their `value`, the caller copying the tag. */
bool kiln_builder_share(kiln_builder *builder, void *field, const void *other);

/* Copies the value of type number `type` that lies at `from`, anywhere in memory, and all that it
 * refers to, to `to`, which is room for such a value in an object of this builder that was not
 * written to. What lies there is trusted as accessors trust it. What was copied from the same
 * address as the same type before is not copied again but shared, so that what lies there must stay
 * as it is until the builder is reset. V_DEPTH where it is nested deeper than rule V19 allows. */
bool kiln_builder_copy(kiln_builder *builder, uint32_t type, const void *from, void *to);

/* Lays out the blob whose root is of the struct type `root_type`, and checks every value against it
 * (V rules; offsets of errors are 0, paths are given). `flags` are those of the blob's header: 0,
 * or KILN_FLAG_CANONICAL, and for a blob that is not an asset kiln_kind_flags of its kind. If the
 * blob is canonical, equal objects are shared and are in the one published order (FORMAT.md section
 * 8); otherwise only what was shared is shared. The caller ends `ret_blob`, whose data is at a
 * multiple of the blob's alignment. The builder stays as it was, unless it finishes once. */
kiln_status kiln_builder_finish(kiln_builder *builder, uint32_t root_type, unsigned flags,
                                kiln_buffer *ret_blob, kiln_error *reterr);

/* The same for a root of any type, giving the payload alone: the form of a default (FORMAT.md
 * section 7). */
kiln_status kiln_builder_finish_image(kiln_builder *builder, uint32_t root_type,
                                      kiln_buffer *ret_image, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif

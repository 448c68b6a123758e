/* Builds blobs in memory, without YAML.
 *
 * Objects are allocated zeroed in blocks that never move, so pointers to them are valid until the
 * builder is reset or destroyed. Setting a relative field records a *patch* (field, target, count)
 * and stores the patch's number in the field. `kiln_builder_finish` follows these numbers from the
 * root, by the root's type. It orders all objects that it reaches, copies them once, and fills in
 * every offset. A struct that was copied by value contains numbers of patches that were recorded
 * for the original's address, so finish returns KILN_COPIED_FIELD instead of writing a wrong
 * offset.
 *
 * Errors are sticky: after the first failure every call returns NULL or false and does nothing, and
 * finish returns that error. A long sequence of calls therefore needs only one check, provided that
 * it never writes through NULL. A builder belongs to one thread at a time.
 *
 * Map entries may be added in any order; finish sorts them. Generated headers provide typed
 * wrappers. */
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
    const kiln_types *types;         /* required; must outlive the builder */
    const kiln_allocator *allocator; /* NULL: the C library's */
    size_t block_size; /* bytes of a block; default 65536. Larger objects get their own block */
    /* Store equal strings once, even in blobs that are not canonical. Default false. */
    bool share_strings;
    /* Finish consumes the objects, which takes less time and memory. Afterwards, even after an
     * error, the builder is empty, as after a reset, and has released most of its memory. Default
     * false. */
    bool finish_once;
    /* Another builder with the same types, whose objects this one may share (kiln_builder_share),
     * so that objects common to many blobs are built once. An object of the library must not change
     * from the first finish that reaches it until each builder that shares it is finished or reset.
     * Until then the library must not be destroyed or reset, either. It must not have a library
     * itself, and must belong to the same thread. NULL, the default: no library. */
    kiln_builder *library;
    uint32_t cookie; /* private: set by kiln_builder_def_default */
} kiln_builder_def;

kiln_builder_def kiln_builder_def_default(void);

/* Creates an empty builder. BAD_ARGUMENT: the definition breaks its contract. NO_MEMORY,
 * BIG_ENDIAN_HOST. On failure `ret_builder` is untouched. */
kiln_status kiln_builder_create(const kiln_builder_def *def, kiln_builder **ret_builder);
/* Frees the builder and its objects, but not the blobs that it finished. NULL is fine. */
void kiln_builder_destroy(kiln_builder *builder);
/* Removes all objects and the error; keeps the memory for the next blob. */
void kiln_builder_reset(kiln_builder *builder);
/* Returns the first error since the builder was created or reset; KILN_OK if there was none. */
kiln_status kiln_builder_status(const kiln_builder *builder);
/* Makes `status` the builder's error, unless it has one: for wrappers that detect misuse
 * themselves. */
void kiln_builder_set_error(kiln_builder *builder, kiln_status status);

/* Each of these functions adds an object and returns its memory, which the builder owns: zeroed,
 * `size` bytes for each element. They return NULL on failure, and for a count of 0. `align` is the
 * alignment of an element: a power of two, at most KILN_ALIGN_MAX. `field` is a relative field in
 * an object of this builder; setting it again replaces its target.
 *
 *     root      the first object; once for each blob
 *     pointer   the value of an optional (`field` is a kiln_ptr or a struct of the same layout)
 *     choose    the alternative `tag` of a kiln_union; if the alternative has no value, pass
 *               size 0: the function then returns NULL, which is not an error
 *     array     `count` elements of an array, map (elements are entries) or bytes field
 *
 * Errors that they record: BAD_ARGUMENT (an invalid alignment, or a root that is not the first
 * object), TOO_LARGE, NO_MEMORY. */
void *kiln_builder_root(kiln_builder *builder, uint32_t size, uint32_t align);
void *kiln_builder_pointer(kiln_builder *builder, void *field, uint32_t size, uint32_t align);
void *kiln_builder_choose(kiln_builder *builder, void *field, uint32_t tag, uint32_t size,
                          uint32_t align);
void *kiln_builder_array(kiln_builder *builder, void *field, uint32_t count, uint32_t size,
                         uint32_t align);

/* Copies `length` bytes of text and appends a NUL. Finish checks the text (rules V6 and V7). */
bool kiln_builder_string(kiln_builder *builder, kiln_string *field, const char *text,
                         size_t length);
/* Copies `size` bytes. `align` is the alignment of the first byte, as given by the field's type. */
bool kiln_builder_bytes(kiln_builder *builder, void *field, const void *data, size_t size,
                        uint32_t align);

/* Makes `field` refer to the same object as `other`, a field of the same type in an object of this
 * builder or of its library. To share a union, share its `value` and copy the tag. COPIED_FIELD:
 * `other` was not set through either builder. */
bool kiln_builder_share(kiln_builder *builder, void *field, const void *other);

/* Copies the value of type number `type` at `from`, and everything that it refers to, to `to`.
 * `from` may be anywhere in memory. Its bytes must be valid: offsets in them are followed
 * unchecked. `to` is space for such a value in an object of this builder and must not have been
 * written to. Objects that were already copied from the same address, as the same type, are shared,
 * so the originals must not change until the builder is reset. Errors that this function records:
 * V_DEPTH (objects are nested deeper than rule V19 allows), BAD_ARGUMENT (no such type), and the
 * errors of the functions above. */
bool kiln_builder_copy(kiln_builder *builder, uint32_t type, const void *from, void *to);

/* Writes the blob whose root has the struct type `root_type`, and checks every value against that
 * type (V rules). Errors have a path, and offset 0. `flags` become the flags of the blob's header:
 * KILN_FLAG_CANONICAL or 0, combined with kiln_kind_flags of any kind except dictionary.
 * BAD_ARGUMENT: other bits are set; the builder is then unchanged. In a canonical blob, equal
 * objects are shared, and objects are in the order of FORMAT.md section 8. In other blobs, only
 * objects that the program shared are shared. On success the caller owns `ret_blob`, whose data is
 * at a multiple of the blob's alignment; on failure `ret_blob` is untouched. The builder keeps its
 * objects, unless `finish_once` is set. */
kiln_status kiln_builder_finish(kiln_builder *builder, uint32_t root_type, unsigned flags,
                                kiln_buffer *ret_blob, kiln_error *reterr);

/* Like kiln_builder_finish, but accepts a root of any type, always uses canonical form, and writes
 * only the payload. Defaults are stored this way (FORMAT.md section 7). */
kiln_status kiln_builder_finish_image(kiln_builder *builder, uint32_t root_type,
                                      kiln_buffer *ret_image, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif

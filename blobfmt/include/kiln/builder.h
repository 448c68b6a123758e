/* Makes blobs in memory, without YAML.
 *
 * Objects are allocated zeroed in blocks that never move, so pointers into them remain valid until
 * the builder is reset or destroyed. Setting a relative field records a *patch* (field, target,
 * count) and stores the number of the patch in the field. `kiln_builder_finish` follows these
 * numbers from the root, by the root's type, places every reachable object, copies it once and
 * fills in every offset. A struct that was copied by value has a number that belongs to another
 * address: finish then fails (KILN_COPIED_FIELD) instead of writing a wrong offset.
 *
 * Errors persist: after the first failure every call does nothing and returns NULL or false, and
 * finish returns that error. A long series of calls therefore needs only one check, if the program
 * does not write through NULL. One thread at a time per builder.
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
    size_t block_size; /* bytes of a block; default 65536; a larger object gets its own block */
    /* Equal strings become one object when they are added, also if the blob is not canonical.
     * Default false. */
    bool share_strings;
    /* Finish consumes the objects, which takes less time and memory. Afterwards, even on failure,
     * the builder is empty as after a reset and has released most of its memory. Default false. */
    bool finish_once;
    /* Another builder of the same types, whose objects this one may share (kiln_builder_share):
     * values that many blobs have in common are then built once. From the first finish that uses an
     * object of the library, the object must not change until all builders that share it are
     * finished or reset. The library must not be destroyed or reset before that, must not have a
     * library itself, and is used by the same thread. NULL, the default: no library. */
    kiln_builder *library;
    uint32_t cookie; /* private: set by kiln_builder_def_default */
} kiln_builder_def;

kiln_builder_def kiln_builder_def_default(void);

kiln_status kiln_builder_create(const kiln_builder_def *def, kiln_builder **ret_builder);
/* NULL is fine. */
void kiln_builder_destroy(kiln_builder *builder);
/* Removes the objects and the error; keeps the memory for the next blob. */
void kiln_builder_reset(kiln_builder *builder);
/* The first error, or KILN_OK. */
kiln_status kiln_builder_status(const kiln_builder *builder);
/* Sets the error, if none is set; for wrappers that detect a misuse themselves. */
void kiln_builder_set_error(kiln_builder *builder, kiln_status status);

/* All of these return zeroed memory, `size` bytes for each element, or NULL on failure (and for
 * count 0). `field` is a relative field inside an object of this builder; setting one again
 * replaces its target.
 *
 * root:    the first object; once for each blob.
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

/* Makes `field` point to the same object as `other`, a field of the same type in this builder or
 * its library. For a union, pass its `value` and copy the tag yourself. */
bool kiln_builder_share(kiln_builder *builder, void *field, const void *other);

/* Copies the value of type number `type` at `from`, anywhere in memory, with all objects to which
 * it refers, to `to`. `to` is room for such a value in an object of this builder, and still zero.
 * The value at `from` must be valid. An object that was copied before, from the same address as the
 * same type, is shared and not copied again: it must therefore not change until the builder is
 * reset. V_DEPTH: the value is nested deeper than rule V19 allows. */
bool kiln_builder_copy(kiln_builder *builder, uint32_t type, const void *from, void *to);

/* Lays out the blob, whose root has the struct type `root_type`, and checks every value (V rules;
 * errors have a path, and offset 0). `flags` are those of the blob's header: 0 or
 * KILN_FLAG_CANONICAL, and kiln_kind_flags of its kind unless it is an asset. In a canonical blob,
 * equal objects are shared and the order is that of FORMAT.md section 8; otherwise only objects
 * that the program shared are shared. The caller frees `ret_blob` (kiln_buffer_fini); its data is
 * at a multiple of the blob's alignment. The builder does not change, unless `finish_once` is set.
 */
kiln_status kiln_builder_finish(kiln_builder *builder, uint32_t root_type, unsigned flags,
                                kiln_buffer *ret_blob, kiln_error *reterr);

/* The same for a root of any type. The result is a payload without a header, which is the form of a
 * default (FORMAT.md section 7). */
kiln_status kiln_builder_finish_image(kiln_builder *builder, uint32_t root_type,
                                      kiln_buffer *ret_image, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif

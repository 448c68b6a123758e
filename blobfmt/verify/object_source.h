/* Where a collection finds objects: in a builder's memory, or in a verified payload. */
#ifndef KILN_OBJECT_SOURCE_H
#define KILN_OBJECT_SOURCE_H

#include "hash_table.h"
#include "object_form.h"
#include "series.h"

#include <kiln/status.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* An object of a builder. */
typedef struct builder_object {
    unsigned char *data;
    uint32_t size; /* bytes, a string's NUL included; BUILDER_TEXT marks strings */
    uint32_t note; /* while finishing: the object's number in the graph plus 1; or one of these */
} builder_object;

#define BUILDER_TEXT UINT32_C(0x80000000)
#define NOTE_BUSY UINT32_MAX          /* its children are being collected */
#define NOTE_PENDING (UINT32_MAX - 1) /* it waits for its number */

/* A field that was given a target. Its offset holds the patch's number plus 1 until finish. */
typedef struct builder_patch {
    uint32_t field;  /* the address, cut to 34 bits, of which the lowest two are 0 */
    uint32_t object; /* PATCH_COUNTED: the field's second word is a count; PATCH_LIBRARY: it is one
                        of the library's */
} builder_patch;

#define PATCH_COUNTED UINT32_C(0x80000000)
#define PATCH_LIBRARY UINT32_C(0x40000000)
#define PATCH_OBJECT UINT32_C(0x3fffffff)

static inline uint32_t patch_address(const void *field)
{
    return (uint32_t)((uintptr_t)field >> 2);
}

/* What a builder has. */
typedef struct built_objects {
    series objects; /* builder_object; the root first */
    series patches; /* builder_patch */
} built_objects;

typedef struct object_source {
    /* A payload: objects are identified by their starts. `seen` has a bit for each word of the
     * payload that an object worth remembering starts in; `again` has the numbers of those that
     * were met twice, by start. */
    const unsigned char *payload;
    uint32_t *seen;
    size_t seen_size;
    hash_table again;
    uint32_t seed;
    /* A builder, where there is no payload. */
    const built_objects *built;
    const built_objects *library; /* NULL: there is none */
    vector noted;                 /* builder_object *: of the library, with a note */
    bool in_library;              /* what is collected is the library's */
    bool unique_texts;            /* no two strings are equal */
    bool in_place;                /* the builder's memory may be overwritten */
} object_source;

/* The patch whose mark `field` holds, or NULL: no mark, or one that belongs to another address. */
static inline const builder_patch *builder_patch_of(const series *patches, const void *field)
{
    uint32_t mark;
    memcpy(&mark, field, sizeof mark);
    if (mark == 0 || mark > patches->count)
        return NULL;
    const builder_patch *found = series_at(patches, mark - 1, sizeof *found);
    return found->field == patch_address(field) ? found : NULL;
}

/* The object that `field` of a builder names, which must be `count` values of `form`; NULL and the
 * status otherwise. */
static inline builder_object *builder_target(const object_source *source,
                                             const unsigned char *field, const object_form *form,
                                             uint32_t count, kiln_status *ret_status,
                                             bool *ret_in_library)
{
    const built_objects *around = source->in_library ? source->library : source->built;
    const builder_patch *patch = builder_patch_of(&around->patches, field);
    if (!patch) {
        *ret_status = KILN_COPIED_FIELD;
        return NULL;
    }
    *ret_in_library = source->in_library || (patch->object & PATCH_LIBRARY);
    const built_objects *of = *ret_in_library ? source->library : source->built;
    builder_object *object = series_at(&of->objects, patch->object & PATCH_OBJECT, sizeof *object);
    uint64_t size = (uint64_t)form->size * count;
    if (form->unit == UNIT_STRING)
        size = (size + 1) | BUILDER_TEXT;
    if (size == object->size)
        return object;
    *ret_status = KILN_WRONG_SIZE;
    return NULL;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

/* The source of a collection: the memory of a builder, or a verified payload. */
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
    uint32_t size; /* in bytes, including a string's NUL; strings also have BUILDER_TEXT set */
    uint32_t note; /* while finishing: the object's number in the graph plus 1, or NOTE_* */
} builder_object;

#define BUILDER_TEXT UINT32_C(0x80000000)
#define NOTE_BUSY UINT32_MAX          /* its children are being collected */
#define NOTE_PENDING (UINT32_MAX - 1) /* it is queued and has no number yet */

/* A field that was set to a target. Until the builder is finished, the offset in the field is the
 * number of the patch plus 1. */
typedef struct builder_patch {
    uint32_t field;  /* bits 2 to 33 of its address */
    uint32_t object; /* number, with PATCH_COUNTED if the field's second word is a count, and
                        PATCH_LIBRARY if the object belongs to the library */
} builder_patch;

#define PATCH_COUNTED UINT32_C(0x80000000)
#define PATCH_LIBRARY UINT32_C(0x40000000)
#define PATCH_OBJECT UINT32_C(0x3fffffff)

static inline uint32_t patch_address(const void *field)
{
    return (uint32_t)((uintptr_t)field >> 2);
}

/* The objects of a builder. */
typedef struct built_objects {
    series objects; /* builder_object; the root first */
    series patches; /* builder_patch */
} built_objects;

typedef struct object_source {
    /* For a payload, whose objects are identified by their starts. `seen` has a bit for every four
     * bytes of the payload. It is set if a visited object starts there, unless the object is cheap
     * to collect again. `revisited` has the numbers of the objects that were visited twice, by
     * start. */
    const unsigned char *payload;
    uint32_t *seen;
    size_t seen_size;
    hash_table revisited;
    uint32_t seed;
    /* For a builder. */
    const built_objects *built;
    const built_objects *library; /* NULL: no library */
    vector noted;                 /* builder_object *: objects of the library that have a note */
    bool in_library;              /* the object being collected belongs to the library */
    bool unique_texts;            /* no two strings are equal */
    bool in_place;                /* the builder's memory may be overwritten */
} object_source;

/* The patch whose number `field` contains. NULL if it contains none, or if it was copied from
 * another field. */
static inline const builder_patch *builder_patch_of(const series *patches, const void *field)
{
    uint32_t number;
    memcpy(&number, field, sizeof number);
    if (number == 0 || number > patches->count)
        return NULL;
    const builder_patch *found = series_at(patches, number - 1, sizeof *found);
    return found->field == patch_address(field) ? found : NULL;
}

/* The object that `field` of a builder points to. If it does not consist of `count` values of
 * `form`, returns NULL and sets the status. */
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

/* The internals of a kiln_builder: builder.c collects objects, builder_copy.c copies values into
 * it, and builder_finish.c writes the blob. */
#ifndef KILN_BUILDER_STATE_H
#define KILN_BUILDER_STATE_H

#include "object_graph.h"

#include <kiln/builder.h>
#include <kiln/verify.h>

/* A copied object outside the builder, and a field that points to its copy. */
typedef struct copied_object {
    const unsigned char *from;
    uint32_t type; /* of the field if the field has a count, otherwise of the object */
    uint32_t count;
    void *field;
} copied_object;

struct kiln_builder {
    const kiln_types *types;
    kiln_allocator allocator;
    arena memory;
    built_objects built;
    hash_table texts;  /* with share_strings: numbers of strings by hash */
    series copied;     /* copied_object */
    hash_table copies; /* their numbers */
    graph graph;
    kiln_builder *library; /* fields may point to its objects; NULL: no library */
    bool has_root, share_strings, finish_once;
    bool shares_library; /* a field points to an object of the library */
    bool noted;          /* objects may have notes of an earlier finish, to be cleared */
    kiln_status status;
};

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Like kiln_builder_finish, with the root type and kind of `def`. Calls its `on_ref` for each
 * reference in the blob. */
kiln_status kiln_builder_finish_for(kiln_builder *builder, const kiln_verify_def *def,
                                    bool canonical, kiln_buffer *ret_blob, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

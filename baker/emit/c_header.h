/* Writes the C header of a schema: plain structs with the same layout as the bytes of a blob, and
 * typed calls to read and build them.
 *
 * The header is C11 and C++17. Reading needs only <kiln/relative.h>. Other parts are there if the
 * compiler finds their header: typed roots with <kiln/file.h>, builder calls with <kiln/builder.h>,
 * and a call that reads the embedded type table with <kiln/type_table.h>. Definitions of components
 * are macros, so that <kiln/chunk_layout.h> is only needed where they are used. The bytes of the
 * header depend only on the types and options, so that builds are reproducible. A type's name in C
 * is its qualified name with `_` for `.`. The header compiles whatever the schema's names contain.
 */
#ifndef BAKE_C_HEADER_H
#define BAKE_C_HEADER_H

#include <kiln/allocator.h>
#include <kiln/file_writer.h>
#include <kiln/types.h>

typedef struct bake_c_header_options {
    /* The output's file name, without folders: the include guard is made from it. Required. */
    const char *guard_name;
    /* The source that the header's first comment names; NULL: none. */
    const char *source_name;
    /* Prefix of names for the whole file (`game` gives `game_types`). NULL or "": the namespace of
     * the first named type or, if it has none, `guard_name` up to its first dot. */
    const char *prefix;
    /* The type table of the same types, as kiln_type_table_write makes it, to be embedded; NULL: no
     * `<prefix>_types`. */
    const void *type_table;
    size_t type_table_size;
    const kiln_allocator *allocator; /* NULL: the C library's */
} bake_c_header_options;

/* Passes the whole header to `write` in one call, after everything else has succeeded. KILN_T_NAME
 * if two types, or a type and a definition that belongs to another, get the same name in C, or if a
 * name begins with `kiln_`: `reterr->path` has the qualified name of the type (and of the other).
 * KILN_IO if `write` returns false; KILN_NO_MEMORY. */
kiln_status bake_c_header_write(const kiln_types *types, const bake_c_header_options *options,
                                kiln_write_function *write, void *ctx, kiln_error *reterr);

#endif

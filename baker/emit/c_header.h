/* Writes the C header of a schema: plain structs that lie in memory as the blob's bytes do, and
 * typed calls to read and build them.
 *
 * The header is C11 and C++17. It needs <kiln/relative.h> alone to read, and has typed roots where
 * <kiln/file.h> is found, builder calls where <kiln/builder.h> is, and a call that reads its own
 * type table where <kiln/type_table.h> is. What structs are as components are macros, which need
 * <kiln/chunk_layout.h> where they are used. It depends on the types and options only:
 * the same ones give the same bytes. A type's name in C is its qualified name with `_` for `.`;
 * whatever a schema's names contain, what is written compiles. */
#ifndef BAKE_C_HEADER_H
#define BAKE_C_HEADER_H

#include <kiln/allocator.h>
#include <kiln/file_writer.h>
#include <kiln/types.h>

typedef struct bake_c_header_options {
    /* The output's file name, without folders: the include guard is made from it. Required. */
    const char *guard_name;
    /* What the header says it was made from; NULL: not said. */
    const char *source_name;
    /* Prefix of what belongs to the file as a whole (`game` gives `game_types`). NULL or "": the
     * namespace of the first named type, or where that has none the start of `guard_name` up to
     * its first dot. */
    const char *prefix;
    /* The blob that kiln_type_table_write made of the same types, to be embedded; NULL leaves
     * `<prefix>_types` out. */
    const void *type_table;
    size_t type_table_size;
    const kiln_allocator *allocator; /* NULL: the C library's */
} bake_c_header_options;

/* Writes the header through `write`, in one call with all of it once nothing can fail any more.
 * KILN_T_NAME where two types, or a type and what the header must define for another, get the same
 * name in C, or a name begins with `kiln_`: `reterr->path` is the type's qualified name (and the
 * other's). KILN_IO where `write` gives false; KILN_NO_MEMORY. */
kiln_status bake_c_header_write(const kiln_types *types, const bake_c_header_options *options,
                                kiln_write_function *write, void *ctx, kiln_error *reterr);

#endif

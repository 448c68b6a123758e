/* Writes the C header of a schema: plain structs with the layout of blobs, and typed functions that
 * read and build them.
 *
 * The header is valid C11 and C++17. Reading needs only <kiln/relative.h>. Other parts are enabled
 * if the compiler finds their header: typed roots (<kiln/file.h>), builder functions
 * (<kiln/builder.h>), C++ owners of assets (<kiln/owned.h>), and a function that reads the embedded
 * type table (<kiln/type_table.h>). Component descriptions are macros, so <kiln/chunk_layout.h> is
 * needed only where they are used.
 *
 * The output depends only on the types and options, so builds are reproducible. The C name of a
 * type is its qualified name with `_` for `.`. The header compiles for any names in the schema. */
#ifndef BAKE_C_HEADER_H
#define BAKE_C_HEADER_H

#include <kiln/allocator.h>
#include <kiln/file_writer.h>
#include <kiln/types.h>

typedef struct bake_c_header_options {
    /* Name of the output file without folders, for the include guard. Required. */
    const char *guard_name;
    /* Name of the source for the first comment; NULL: none. */
    const char *source_name;
    /* Prefix of file-level names: `game` for `game_types`. NULL or "": the namespace of the first
     * named type, or else `guard_name` up to the first dot. */
    const char *prefix;
    /* Output of kiln_type_table_write for the same types, to be embedded. NULL: the header has no
     * `<prefix>_types`. */
    const void *type_table;
    size_t type_table_size;
    const kiln_allocator *allocator; /* NULL: the C library's */
} bake_c_header_options;

/* Passes the whole header to `write` in a single call, after everything else has succeeded. Returns
 * KILN_T_NAME, with the names of the types in `reterr->path`, if a name begins with `kiln_`, or if
 * a type gets a C name that another type, or one of its functions or macros, already has. Returns
 * KILN_IO if `write` returns false, or KILN_NO_MEMORY if memory runs out. */
kiln_status bake_c_header_write(const kiln_types *types, const bake_c_header_options *options,
                                kiln_write_function *write, void *ctx, kiln_error *reterr);

#endif

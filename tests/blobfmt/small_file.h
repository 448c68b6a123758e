/* A small complete file for damage tests: five assets of three types, two of them with equal bytes;
 * one reference to an asset of the file and one to an import; a member aligned to 64; the type
 * table comes first. */
#ifndef SMALL_FILE_H
#define SMALL_FILE_H

#include "test_types.h"

#include <kiln/file_writer.h>
#include <kiln/index.h>

/* How finished values are added as assets. */
enum small_file_way {
    SMALL_FILE_ADD,
    SMALL_FILE_TAKE,
    SMALL_FILE_BUILD,
    SMALL_FILE_PUT,
    SMALL_FILE_WAYS
};

/* Adds the assets to a writer. Returns the status of the first call that fails. `reterr` may be
 * NULL. */
kiln_status small_file_add(kiln_file_writer *writer, const kiln_types *types,
                           const kiln_allocator *allocator, enum small_file_way way,
                           kiln_error *reterr);
/* Returns the whole file. The caller calls kiln_buffer_fini. Exits the program on failure. */
kiln_buffer small_file(const kiln_types *types, bool omit_type_table);

#endif

/* A small complete file that tests take apart: five assets of three types, two of them equal bytes;
 * one reference inside, one to an import; a member aligned to 64; the type table first. */
#ifndef SMALL_FILE_H
#define SMALL_FILE_H

#include "test_types.h"

#include <kiln/file_writer.h>
#include <kiln/index.h>

/* How finished values become assets. */
enum small_file_way { SMALL_FILE_ADD, SMALL_FILE_TAKE, SMALL_FILE_BUILD, SMALL_FILE_WAYS };

/* Adds the assets to a writer; the status of the first call that fails. `reterr` may be NULL. */
kiln_status small_file_add(kiln_file_writer *writer, const kiln_types *types,
                           const kiln_allocator *allocator, enum small_file_way way,
                           kiln_error *reterr);
/* The whole file; the caller ends it. Fails the program when it cannot be made. */
kiln_buffer small_file(const kiln_types *types, bool omit_type_table);

#endif

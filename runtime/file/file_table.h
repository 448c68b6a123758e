/* The type table of an open file. */
#ifndef KILN_FILE_TABLE_H
#define KILN_FILE_TABLE_H

#include "file_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The type table of a file that has one. It is read once; if the bytes are invalid, every call
 * returns the same error. */
kiln_status kiln_file_table(kiln_file *file, const kiln_types **ret_types, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

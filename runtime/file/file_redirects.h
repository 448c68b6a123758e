/* The list of redirects of an open file (<kiln/redirects.h>). */
#ifndef KILN_FILE_REDIRECTS_H
#define KILN_FILE_REDIRECTS_H

#include "file_unpack.h"

#include <kiln/redirects.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* `list` is NULL if the file has none. */
typedef struct kiln_file_redirects {
    const kiln_redirects *list;
    kiln_unpacked unpacked; /* the memory into which a compressed list is decompressed */
} kiln_file_redirects;

/* Reads the list and checks all of its rules, at every verification level, because lists are short.
 * On success the caller calls kiln_file_redirects_fini with the same allocator, before it closes
 * the file. On failure `ret_redirects` is untouched. */
kiln_status kiln_file_redirects_read(kiln_file *file, const kiln_allocator *allocator,
                                     kiln_file_redirects *ret_redirects, kiln_error *reterr);
/* Accepts a zeroed struct. */
void kiln_file_redirects_fini(kiln_file_redirects *redirects, const kiln_allocator *allocator);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

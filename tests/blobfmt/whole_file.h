/* Calls every reader of files on arbitrary bytes. */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include <kiln/index.h>

/* Reads the index, gaps, members and type table, and with a type table every asset's value, which
 * is also traversed. Returns the first status that is not KILN_OK. `data` is aligned to 4096. */
kiln_status whole_file_check(const kiln_types *builtin, const void *data, size_t size,
                             kiln_error *reterr);

#endif

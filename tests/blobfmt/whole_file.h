/* All that reads a file, one after the other, on bytes that may be anything. */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

#include <kiln/index.h>

/* Index, gaps, members, type table, and with a type table every asset's value, walked too. The
 * first status that is not ok. `data` lies at a multiple of 4096. */
kiln_status whole_file_check(const kiln_types *builtin, const void *data, size_t size,
                             kiln_error *reterr);

#endif

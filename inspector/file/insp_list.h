/* Reads and checks the whole index of a file. */
#ifndef INSP_LIST_H
#define INSP_LIST_H

#include "insp_file.h"

/* Sets `index` or `index_error`, and makes the functions of insp_file.h available that need all
 * assets. Returns KILN_OK, also for a broken index or a file without one, or KILN_NO_MEMORY. */
kiln_status insp_file_list(insp_file *file);

#endif

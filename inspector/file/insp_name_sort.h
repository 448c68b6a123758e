/* Sorts assets by name, and those with equal names by number. */
#ifndef INSP_NAME_SORT_H
#define INSP_NAME_SORT_H

#include "insp_file.h"

/* The work is O(n log n) comparisons for any names, and linear for ordinary ones. Returns KILN_OK
 * or KILN_NO_MEMORY. */
kiln_status insp_name_sort(const insp_asset **assets, size_t count);

#endif

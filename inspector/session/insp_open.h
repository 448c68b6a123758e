/* Opens the files and assets in the arguments. Reports failures on standard error. */
#ifndef INSP_OPEN_H
#define INSP_OPEN_H

#include "insp_exit.h"
#include "insp_file.h"
#include "insp_run.h"

/* Calls `show` with the file at `path` and returns its result; INSP_TROUBLE if the file cannot be
 * read. */
int insp_with_file(insp_run *run, const char *path,
                   int (*show)(insp_run *run, const insp_file *file));

/* Whether a file has an index, and so assets to print. If not, or if the index is broken, reports
 * that and sets `*result` to INSP_BAD. */
bool insp_has_index(insp_run *run, const insp_file *file, int *result);

/* `no such asset: Item/swrd; did you mean Item/sword?` `is_path`: `wanted` is a path that begins
 * with the name. Returns INSP_BAD. */
int insp_no_such_asset(insp_run *run, const insp_file *file, const char *wanted, bool is_path);

/* Checks the asset's member, and finds the root value. A broken asset is reported and can be
 * printed as far as possible; `of` is NULL if it cannot. */
int insp_open_asset(insp_run *run, const insp_file *file, const insp_asset *asset,
                    kiln_value *ret_root);

#endif

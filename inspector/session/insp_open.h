/* Opens what the arguments name: files, and the assets in them. What cannot be opened is reported
 * on standard error. */
#ifndef INSP_OPEN_H
#define INSP_OPEN_H

#include "insp_exit.h"
#include "insp_file.h"
#include "insp_run.h"

/* Calls `show` with the file at `path`. Returns what it returns, or INSP_TROUBLE where the file
 * cannot be read. */
int insp_with_file(insp_run *run, const char *path,
                   int (*show)(insp_run *run, const insp_file *file));

/* Whether a file has an index and so assets to print; if not, or if the index is broken, reports it
 * and sets `*result` to INSP_BAD. */
bool insp_has_index(insp_run *run, const insp_file *file, int *result);

/* `no such asset: Item/swrd; did you mean Item/sword?` `is_path`: `wanted` goes on behind the
 * asset's name. Returns INSP_BAD. */
int insp_no_such_asset(insp_run *run, const insp_file *file, const char *wanted, bool is_path);

/* Checks what the values that will be printed depend on, and finds their root. A broken asset is
 * reported and can be printed as far as it goes; `of` is NULL where it cannot. */
int insp_open_asset(insp_run *run, const insp_file *file, const insp_asset *asset,
                    kiln_value *ret_root);

#endif

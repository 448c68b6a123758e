/* Opens the files and assets named in the arguments. Reports failures on standard error. */
#ifndef INSP_OPEN_H
#define INSP_OPEN_H

#include "insp_exit.h"
#include "insp_file.h"
#include "insp_run.h"

/* Calls `show` with the file at `path` and returns its result. Returns INSP_TROUBLE if the file
 * cannot be read, or has changed in the meantime. */
int insp_with_file(insp_run *run, const char *path,
                   int (*show)(insp_run *run, const insp_file *file));

/* Like insp_with_file, with two files. */
typedef int insp_show_pair(insp_run *run, insp_file *before, insp_file *after);
int insp_with_pair(insp_run *run, const char *before, const char *after, insp_show_pair *show);

/* Whether a file has an index and thus assets to print. If it has none or the index is broken,
 * reports that and sets `*result` to INSP_BAD. */
bool insp_has_index(insp_run *run, const insp_file *file, int *result);

/* Like insp_file_asset and insp_split_path, but follow the redirects of the file. They report on
 * standard error that an asset was renamed. */
const insp_asset *insp_find_asset(insp_run *run, const insp_file *file, const char *name,
                                  size_t length);
const insp_asset *insp_find_path(insp_run *run, const insp_file *file, const char *path,
                                 const char **ret_rest);

/* Reports `no such asset: Item/swrd; did you mean Item/sword?`, or that the asset was renamed or
 * deleted. `is_path`: `wanted` is a path that begins with the name. Returns INSP_BAD. */
int insp_no_such_asset(insp_run *run, const insp_file *file, const char *wanted, bool is_path);

/* Reports that no asset matches the pattern; suggests a pattern if only its kind is misspelt.
 * Returns INSP_BAD. */
int insp_no_match(insp_run *run, const insp_file *file, const char *pattern);

/* The same for each argument after the file that no asset of the file matches, as for
 * insp_glob_asset; after insp_file_list. Returns INSP_OK if all match. */
int insp_complain_patterns(insp_run *run, const insp_file *file);

/* Checks the asset's member and finds its root value. Reports a broken asset, but part of it may
 * still be printable; `ret_root->of` is NULL if no part is. */
int insp_open_asset(insp_run *run, const insp_file *file, const insp_asset *asset,
                    kiln_value *ret_root);

#endif

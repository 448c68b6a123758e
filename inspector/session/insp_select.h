/* The assets that the arguments of a command select, for commands that show one after another.
 *
 * An argument is a name, an earlier name, or a pattern with `*` and `?`. A pattern without a slash
 * also matches ids, so that an id alone selects an asset. */
#ifndef INSP_SELECT_H
#define INSP_SELECT_H

#include "insp_file.h"
#include "insp_run.h"

typedef struct insp_selection {
    const insp_asset **rows; /* each asset once: in the order of the arguments, then by name */
    uint32_t count;
} insp_selection;

/* Whether a command accepts an asset. */
typedef bool insp_select_wants(const insp_file *file, const insp_asset *asset);

/* Finds the assets of `count` arguments. A pattern selects only those that `wants` accepts (NULL:
 * all); a name selects any asset. Reports each argument that selects nothing, with a suggestion,
 * and returns INSP_BAD; the others remain usable. INSP_TROUBLE if memory runs out. Call
 * insp_selection_fini in all cases. */
int insp_select(insp_run *run, const insp_file *file, char *const *arguments, int count,
                insp_select_wants *wants, insp_selection *ret_selection);
void insp_selection_fini(insp_selection *selection);

/* Finds the only asset that an argument selects; NULL after a message. */
const insp_asset *insp_select_one(insp_run *run, const insp_file *file, const char *argument,
                                  insp_select_wants *wants, int *ret_result);

/* Whether all arguments after the file are complete names, which are found without reading the
 * whole index. There is at least one. */
bool insp_select_is_names(const insp_options *options);

#endif

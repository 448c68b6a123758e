/* What the commands about references share: mounted files, patterns of assets, and the list of
 * references that they print. */
#ifndef INSP_ASK_H
#define INSP_ASK_H

#include "insp_graph.h"
#include "insp_link_list.h"
#include "insp_patterns.h"

typedef struct insp_ask {
    insp_run *run;
    const insp_mounts *mounts;
    insp_patterns patterns; /* from the arguments */
    insp_links links;
    insp_link_list list;
} insp_ask;

/* Reads the arguments from number `first` as patterns, calls `answer` and returns the most severe
 * exit code. Does not call `answer` if there are patterns and none of them matches an asset. */
int insp_ask_mounts(insp_run *run, const insp_mounts *mounts, int first,
                    int (*answer)(insp_ask *ask));

/* Whether the patterns select the asset; without patterns, all are selected. */
bool insp_ask_selects(const insp_ask *ask, insp_text name);

/* Prints the chain of a search: for each step the first reference. Returns INSP_OK or
 * INSP_TROUBLE. */
int insp_ask_put_chain(insp_ask *ask, const insp_graph *graph, uint32_t length);

#endif

/* The `why` command: prints the shortest chain of references from one asset to another. */
#include "insp_ask.h"
#include "insp_commands.h"
#include "insp_memory.h"
#include "insp_message.h"

#include <string.h>

/* The two ends, as sets of nodes. */
typedef struct ends {
    uint32_t *from;
    uint32_t from_count;
    bool *is_to;
} ends;

/* Reads argument `number`. */
static int read_end(insp_ask *ask, int number, insp_patterns *ret_patterns)
{
    const char *argument = ask->run->options.arguments[number];
    return insp_patterns_init(ret_patterns, ask->run, ask->mounts, &argument, 1);
}

static int find_ends(insp_ask *ask, const insp_graph *graph, ends *e)
{
    insp_patterns from, to = {NULL, 0};
    int result = read_end(ask, 1, &from);
    uint32_t i;
    if (result < INSP_TROUBLE)
        result = insp_worse(result, read_end(ask, 2, &to));
    for (i = 0; i < graph->count && !result; i++) {
        uint32_t node = graph->order[i];
        if (insp_patterns_match(&from, graph->nodes[node].name))
            e->from[e->from_count++] = node;
        e->is_to[node] = insp_patterns_match(&to, graph->nodes[node].name);
    }
    insp_patterns_fini(&from);
    insp_patterns_fini(&to);
    return result;
}

static int put_chain(insp_ask *ask, insp_graph *graph, const ends *e)
{
    insp_search search = {.from = e->from, .from_count = e->from_count, .is_to = e->is_to};
    uint32_t length = insp_graph_search(graph, &search);
    int result;
    if (!length) {
        insp_complain(ask->run, ask->mounts->files[0]->path,
                      "no chain of references leads from %.300s to %.300s",
                      ask->run->options.arguments[1], ask->run->options.arguments[2]);
        return INSP_BAD;
    }
    insp_link_list_begin(&ask->list, "chain");
    result = insp_ask_put_chain(ask, graph, length);
    insp_link_list_end(&ask->list, false);
    return result;
}

static int answer(insp_ask *ask)
{
    insp_graph graph;
    ends e = {NULL, 0, NULL};
    int result = insp_graph_init(&graph, &ask->links);
    if (!result) {
        e.from = insp_alloc_array(graph.count, sizeof *e.from);
        e.is_to = insp_alloc_array(graph.count, sizeof *e.is_to);
        result = e.from && e.is_to ? find_ends(ask, &graph, &e) : insp_no_memory(ask->run);
    }
    if (!result)
        result = put_chain(ask, &graph, &e);
    insp_free(e.from);
    insp_free(e.is_to);
    insp_graph_fini(&graph);
    return result;
}

static int show(insp_run *run, const insp_mounts *mounts)
{
    return insp_ask_mounts(run, mounts, 3, answer);
}

static int explain(insp_run *run)
{
    return insp_with_mounts(run, show);
}

const insp_command insp_why_command = {
    .name = "why",
    .arguments = "FILE ASSET ASSET",
    .help = "show the shortest chain of references between assets",
    .min_arguments = 3,
    .max_arguments = 3,
    .formats = "text json dot ",
    .options = "--mount ",
    .run = explain,
};

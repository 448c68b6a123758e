/* Each step of a chain is an edge of the graph. The field is found by reading the values of the
 * asset until the first reference to the next one. */
#include "insp_ask.h"

#include "insp_message.h"

int insp_ask_mounts(insp_run *run, const insp_mounts *mounts, int first,
                    int (*answer)(insp_ask *ask))
{
    insp_ask ask = {.run = run, .mounts = mounts};
    int all = run->options.argument_count;
    uint32_t count = all > first ? (uint32_t)(all - first) : 0;
    int result = insp_patterns_init(&ask.patterns, run, mounts,
                                    (const char *const *)run->options.arguments + first, count);
    if (result < INSP_TROUBLE)
        result = insp_worse(result, insp_links_init(&ask.links, run, mounts));
    insp_link_list_init(&ask.list, run, &ask.links);
    if (result < INSP_TROUBLE && (ask.patterns.count || !count))
        result = insp_worse(result, answer(&ask));
    if (ask.links.run)
        result = insp_worse(result, insp_links_fini(&ask.links));
    insp_link_list_fini(&ask.list);
    insp_patterns_fini(&ask.patterns);
    return result;
}

bool insp_ask_selects(const insp_ask *ask, insp_text name)
{
    return !ask->patterns.count || insp_patterns_match(&ask->patterns, name);
}

/* A step of a chain that is printed. */
typedef struct step {
    insp_ask *ask;
    uint64_t to; /* the id of the next asset, or of an import */
    int result;
    bool is_found;
} step;

static bool put_step(void *ctx, const insp_link *link)
{
    step *s = ctx;
    if (link->to.asset ? link->to.asset->id != s->to : link->id != s->to)
        return true;
    s->is_found = true;
    if (!insp_link_list_put(&s->ask->list, link))
        s->result = insp_no_memory(s->ask->run);
    return false;
}

int insp_ask_put_chain(insp_ask *ask, const insp_graph *graph, uint32_t length)
{
    int result = INSP_OK;
    uint32_t i;
    for (i = 0; i + 1 < length && result < INSP_TROUBLE && !ask->run->out.error; i++) {
        const insp_node *from = &graph->nodes[graph->chain[i]],
                        *to = &graph->nodes[graph->chain[i + 1]];
        step s = {.ask = ask, .to = to->id};
        result = insp_worse(result, insp_links_each(&ask->links, from->at, put_step, &s));
        result = insp_worse(result, s.result);
        /* In a damaged file, the index may state a reference that no value contains. */
        if (result < INSP_TROUBLE && !s.is_found) {
            insp_link link = {.from = from->at, .id = to->id, .to = to->at};
            if (!insp_link_list_put(&ask->list, &link))
                result = insp_no_memory(ask->run);
        }
    }
    return result;
}

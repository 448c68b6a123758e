/* The `orphans` command: lists assets that nothing refers to or, with roots, that no chain of
 * references from a root reaches.
 *
 * References of an asset to itself do not count. The list of redirects and the cluster plan belong
 * to the file itself, so they are not listed. */
#include "insp_ask.h"
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_plan.h"
#include "insp_redirects.h"

#include <inttypes.h>
#include <string.h>

/* Sets `used` for each node that another one refers to. */
static void find_targets(const insp_graph *graph, bool *used)
{
    uint32_t i, k;
    for (i = 0; i < graph->count; i++)
        for (k = graph->starts[i]; k < graph->starts[i + 1]; k++)
            if (graph->targets[k] != i)
                used[graph->targets[k]] = true;
}

/* Sets `used` for each root and each node that a root reaches. */
static int find_reached(insp_ask *ask, insp_graph *graph, bool *used)
{
    const insp_options *options = &ask->run->options;
    insp_patterns roots;
    int result =
        insp_patterns_init(&roots, ask->run, ask->mounts, options->roots, options->root_count);
    uint32_t queued = 0, done = 0, i, k;
    for (i = 0; i < graph->count && result < INSP_TROUBLE; i++)
        if (insp_patterns_match(&roots, graph->nodes[i].name)) {
            used[i] = true;
            graph->queue[queued++] = i;
        }
    while (done < queued) {
        i = graph->queue[done++];
        for (k = graph->starts[i]; k < graph->starts[i + 1]; k++) {
            if (!used[graph->targets[k]])
                graph->queue[queued++] = graph->targets[k];
            used[graph->targets[k]] = true;
        }
    }
    insp_patterns_fini(&roots);
    return result;
}

static void put_json(insp_ask *ask, insp_mounted at, uint32_t shown)
{
    insp_out *out = &ask->run->out;
    insp_text type = insp_asset_type_name(at.file, at.asset);
    const insp_member *member = insp_asset_member(at.file, at.asset);
    insp_put(out, shown ? ",\n    {\"file\": " : "\n    {\"file\": ");
    insp_put_json_string(out, at.file->path, strlen(at.file->path));
    insp_put(out, ", \"name\": ");
    insp_put_json_string(out, at.asset->name.data, at.asset->name.length);
    insp_put(out, ", \"type\": ");
    insp_put_json_string(out, type.data, type.length);
    insp_putf(out, ", \"size\": %" PRIu64 "}", member ? member->size : 0);
}

static void put_asset(insp_ask *ask, insp_mounted at, uint32_t shown)
{
    insp_out *out = &ask->run->out;
    if (ask->list.format == INSP_LINK_JSON) {
        put_json(ask, at, shown);
        return;
    }
    if (ask->list.format == INSP_LINK_DOT) {
        insp_put(out, "  ");
        insp_put_dot_string(out, at.asset->name.data, at.asset->name.length);
        insp_put(out, ";\n");
        return;
    }
    if (ask->mounts->count > 1) {
        insp_put_escaped(out, at.file->path, strlen(at.file->path));
        insp_put(out, ": ");
    }
    insp_put_escaped(out, at.asset->name.data, at.asset->name.length);
    insp_put_char(out, '\n');
}

static void put_unused(insp_ask *ask, const insp_graph *graph, const bool *used)
{
    uint32_t shown = 0, i;
    insp_link_list_begin(&ask->list, "assets");
    for (i = 0; i < graph->count && !ask->run->out.error; i++) {
        insp_mounted at = graph->nodes[graph->order[i]].at;
        if (used[graph->order[i]] || !at.asset || at.asset == insp_redirects_asset(at.file) ||
            at.asset == insp_plan_asset(at.file) || !insp_ask_selects(ask, at.asset->name))
            continue;
        put_asset(ask, at, shown++);
    }
    insp_link_list_end(&ask->list, !shown);
}

static int answer(insp_ask *ask)
{
    insp_graph graph;
    bool *used = NULL;
    int result = insp_graph_init(&graph, &ask->links);
    if (!result) {
        used = insp_alloc_array(graph.count, sizeof *used);
        result = used ? INSP_OK : insp_no_memory(ask->run);
    }
    if (used && ask->run->options.root_count)
        result = find_reached(ask, &graph, used);
    else if (used)
        find_targets(&graph, used);
    if (result == INSP_OK)
        put_unused(ask, &graph, used);
    insp_free(used);
    insp_graph_fini(&graph);
    return result;
}

static int show(insp_run *run, const insp_mounts *mounts)
{
    return insp_ask_mounts(run, mounts, 1, answer);
}

static int list_orphans(insp_run *run)
{
    return insp_with_mounts(run, show);
}

const insp_command insp_orphans_command = {
    .name = "orphans",
    .arguments = "FILE [PATTERN...]",
    .help = "list assets that nothing refers to",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "text json dot ",
    .options = "--mount --root ",
    .run = list_orphans,
};

/* The `cycles` command: for each group of assets that refer to one another, prints a shortest cycle
 * through the first of them by name. */
#include "insp_ask.h"
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_groups.h"
#include "insp_memory.h"
#include "insp_message.h"

#include <inttypes.h>

typedef struct cycles {
    insp_ask *ask;
    insp_graph graph;
    insp_groups groups;
    bool *is_shown;    /* by group: it has been printed, or contains no cycle */
    bool *is_selected; /* by group: the patterns select one of its assets */
    bool *is_to;       /* by node, for searches */
    uint32_t *members; /* nodes in the order of their groups */
    uint32_t *starts;  /* by group: the first of its nodes in `members` */
    uint32_t shown;
} cycles;

static bool refers_to_itself(const insp_graph *graph, uint32_t node)
{
    uint32_t i;
    for (i = graph->starts[node]; i < graph->starts[node + 1]; i++)
        if (graph->targets[i] == node)
            return true;
    return false;
}

/* Sorts the nodes by group and, in a group, by name. */
static void sort_members(cycles *c)
{
    uint32_t i, node;
    for (i = 0; i < c->groups.count; i++)
        c->starts[i + 1] = c->starts[i] + c->groups.size[i];
    for (i = 0; i < c->graph.count; i++) {
        node = c->graph.order[i];
        c->members[c->starts[c->groups.group[node]]++] = node;
        if (insp_ask_selects(c->ask, c->graph.nodes[node].name))
            c->is_selected[c->groups.group[node]] = true;
    }
    /* Each start has moved to the next one. */
    for (i = c->groups.count; i > 0; i--)
        c->starts[i] = c->starts[i - 1];
    c->starts[0] = 0;
}

static void put_names(cycles *c, uint32_t group)
{
    insp_out *out = &c->ask->run->out;
    uint32_t i;
    insp_put(out, c->shown ? ",\n    {\n      \"assets\": [" : "\n    {\n      \"assets\": [");
    for (i = c->starts[group]; i < c->starts[group + 1] && !out->error; i++) {
        insp_text name = c->graph.nodes[c->members[i]].name;
        insp_put(out, i > c->starts[group] ? ", " : "");
        insp_put_json_string(out, name.data, name.length);
    }
    insp_put(out, "],\n      \"cycle\": [");
}

static void put_heading(cycles *c, uint32_t group)
{
    insp_out *out = &c->ask->run->out;
    uint32_t size = c->groups.size[group];
    if (size == 1)
        insp_put(out, "1 asset refers to itself:\n");
    else
        insp_putf(out, "%" PRIu32 " assets refer to one another; a shortest cycle:\n", size);
}

/* Prints the group of a node. */
static int put_group(cycles *c, uint32_t node)
{
    uint32_t group = c->groups.group[node], length;
    insp_search search = {.from = &node,
                          .from_count = 1,
                          .is_to = c->is_to,
                          .groups = c->groups.group,
                          .within = group};
    insp_link_format format = c->ask->list.format;
    int result;
    c->is_to[node] = true;
    length = insp_graph_search(&c->graph, &search);
    c->is_to[node] = false;
    c->ask->list.count = 0;
    c->ask->list.indent = 8;
    c->ask->list.margin = 2;
    if (format == INSP_LINK_JSON)
        put_names(c, group);
    if (format == INSP_LINK_TEXT)
        put_heading(c, group);
    result = insp_ask_put_chain(c->ask, &c->graph, length);
    if (format == INSP_LINK_JSON)
        insp_put(&c->ask->run->out, "\n      ]\n    }");
    c->shown++;
    return result;
}

static int put_groups(cycles *c)
{
    int result = INSP_OK;
    uint32_t i;
    insp_link_list_begin(&c->ask->list, "cycles");
    for (i = 0; i < c->graph.count && result < INSP_TROUBLE && !c->ask->run->out.error; i++) {
        uint32_t node = c->graph.order[i], group = c->groups.group[node];
        if (c->is_shown[group] || !c->is_selected[group])
            continue;
        c->is_shown[group] = true;
        if (c->groups.size[group] > 1 || refers_to_itself(&c->graph, node))
            result = insp_worse(result, put_group(c, node));
    }
    if (!c->shown && c->ask->list.format == INSP_LINK_TEXT)
        insp_put(&c->ask->run->out, "no cycles\n");
    insp_link_list_end(&c->ask->list, !c->shown);
    return result;
}

static bool find_groups(cycles *c)
{
    uint32_t count = c->graph.count;
    if (!insp_groups_init(&c->groups, &c->graph))
        return false;
    c->is_shown = insp_alloc_array(count, sizeof *c->is_shown);
    c->is_selected = insp_alloc_array(count, sizeof *c->is_selected);
    c->is_to = insp_alloc_array(count, sizeof *c->is_to);
    c->members = insp_alloc_array(count, sizeof *c->members);
    c->starts = insp_alloc_array((size_t)count + 1, sizeof *c->starts);
    if (!c->is_shown || !c->is_selected || !c->is_to || !c->members || !c->starts)
        return false;
    sort_members(c);
    return true;
}

static int answer(insp_ask *ask)
{
    cycles c = {.ask = ask};
    int result = insp_graph_init(&c.graph, &ask->links);
    if (!result)
        result = find_groups(&c) ? put_groups(&c) : insp_no_memory(ask->run);
    insp_free(c.is_shown);
    insp_free(c.is_selected);
    insp_free(c.is_to);
    insp_free(c.members);
    insp_free(c.starts);
    insp_groups_fini(&c.groups);
    insp_graph_fini(&c.graph);
    return result;
}

static int show(insp_run *run, const insp_mounts *mounts)
{
    return insp_ask_mounts(run, mounts, 1, answer);
}

static int list_cycles(insp_run *run)
{
    return insp_with_mounts(run, show);
}

const insp_command insp_cycles_command = {
    .name = "cycles",
    .arguments = "FILE [PATTERN...]",
    .help = "show assets that refer to one another",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "text json dot ",
    .options = "--mount ",
    .run = list_cycles,
};

/* The `rdeps` command: lists the references to assets, with the field of each.
 *
 * The edges of the index select the assets whose values are read. If the index is broken, the
 * values of all assets are read. */
#include "insp_ask.h"
#include "insp_commands.h"
#include "insp_memory.h"
#include "insp_message.h"

/* Whether the target of a reference is selected, also if it is an import. */
static bool is_target(const insp_ask *ask, uint64_t id)
{
    insp_mounted to = insp_mounts_target(ask->mounts, id);
    return insp_patterns_match(&ask->patterns,
                               to.asset ? to.asset->name : insp_mounts_name(ask->mounts, id));
}

static bool put_link(void *ctx, const insp_link *link)
{
    insp_ask *ask = ctx;
    if (!insp_patterns_match(&ask->patterns, insp_link_target_name(&ask->links, link)))
        return true;
    return insp_link_list_put(&ask->list, link) && !ask->run->out.error;
}

/* For each number of an edge, whether its target is selected. NULL if memory runs out. */
static bool *select_targets(const insp_ask *ask, const insp_file *file)
{
    uint32_t count = file->index ? file->asset_count + file->import_count : 0, i;
    bool *selected = insp_alloc_array(count, sizeof *selected);
    for (i = 0; selected && i < count; i++)
        selected[i] = is_target(ask, kiln_index_edge_id(file->index, i));
    return selected;
}

static bool has_target(const insp_file *file, const insp_asset *asset, const bool *selected)
{
    uint32_t count = 0, i;
    const uint32_t *edges =
        file->index ? kiln_index_edges(file->index, asset->number, &count) : NULL;
    for (i = 0; edges && i < count; i++)
        if (selected[edges[i]])
            return true;
    return !file->index;
}

static int search_file(insp_ask *ask, const insp_file *file)
{
    bool *selected = select_targets(ask, file);
    int result = selected ? INSP_OK : insp_no_memory(ask->run);
    uint32_t i;
    for (i = 0; i < file->asset_count && result < INSP_TROUBLE && !ask->run->out.error; i++) {
        insp_mounted at = {file, insp_asset_at(file, i)};
        if (!has_target(file, at.asset, selected) || !insp_mounts_is_visible(ask->mounts, at))
            continue;
        result = insp_links_each(&ask->links, at, put_link, ask);
        if (ask->list.path.failed)
            result = insp_no_memory(ask->run);
    }
    insp_free(selected);
    return result;
}

static int answer(insp_ask *ask)
{
    int result = INSP_OK;
    uint32_t i;
    insp_link_list_begin(&ask->list, "references");
    for (i = 0; i < ask->mounts->count && result < INSP_TROUBLE; i++)
        result = insp_worse(result, search_file(ask, ask->mounts->files[i]));
    insp_link_list_end(&ask->list, !ask->list.count);
    return result;
}

static int show(insp_run *run, const insp_mounts *mounts)
{
    return insp_ask_mounts(run, mounts, 1, answer);
}

static int list_references(insp_run *run)
{
    return insp_with_mounts(run, show);
}

const insp_command insp_rdeps_command = {
    .name = "rdeps",
    .arguments = "FILE ASSET...",
    .help = "list the references to assets, by field",
    .min_arguments = 2,
    .max_arguments = -1,
    .formats = "text json dot ",
    .options = "--mount ",
    .run = list_references,
};

/* The `refs` command: lists the references of assets, with the field of each. */
#include "insp_ask.h"
#include "insp_commands.h"
#include "insp_message.h"

static bool put_link(void *ctx, const insp_link *link)
{
    insp_ask *ask = ctx;
    return insp_link_list_put(&ask->list, link) && !ask->run->out.error;
}

static int put_asset(insp_ask *ask, insp_mounted at)
{
    int result = insp_links_each(&ask->links, at, put_link, ask);
    return !result && ask->list.path.failed ? insp_no_memory(ask->run) : result;
}

static int answer(insp_ask *ask)
{
    int result = INSP_OK;
    uint32_t i, k;
    insp_link_list_begin(&ask->list, "references");
    for (i = 0; i < ask->mounts->count; i++) {
        const insp_file *file = ask->mounts->files[i];
        for (k = 0; k < file->asset_count && result < INSP_TROUBLE && !ask->run->out.error; k++) {
            insp_mounted at = {file, insp_asset_at(file, k)};
            if (insp_patterns_match(&ask->patterns, at.asset->name) &&
                insp_mounts_is_visible(ask->mounts, at))
                result = put_asset(ask, at);
        }
    }
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

const insp_command insp_refs_command = {
    .name = "refs",
    .arguments = "FILE ASSET...",
    .help = "list the references of assets, by field",
    .min_arguments = 2,
    .max_arguments = -1,
    .formats = "text json dot ",
    .options = "--mount ",
    .run = list_references,
};

/* Searches from the last file to the first, so that later files override earlier ones. Each search
 * takes a binary search in each file. */
#include "insp_mounts.h"

#include "insp_open.h"
#include "insp_redirects.h"

insp_mounted insp_mounts_find(const insp_mounts *mounts, uint64_t id)
{
    uint32_t i;
    for (i = mounts->count; i-- > 0;) {
        const insp_file *file = mounts->files[i];
        const insp_name *name = insp_file_name(file, id);
        const insp_asset *asset = name ? insp_name_asset(file, name) : NULL;
        if (asset)
            return (insp_mounted){file, asset};
    }
    return (insp_mounted){NULL, NULL};
}

/* The id to which a redirect leads; 0 if there is none, or if the asset was deleted. */
static uint64_t redirected(const insp_mounts *mounts, uint64_t id)
{
    uint32_t i;
    for (i = mounts->count; i-- > 0;) {
        const kiln_redirects *redirects = mounts->files[i]->redirects;
        const kiln_redirect *redirect = redirects ? kiln_redirects_find(redirects, id) : NULL;
        insp_text target;
        if (!redirect)
            continue;
        target = insp_redirect_target(redirect);
        return target.length ? kiln_asset_id(target.data, target.length) : 0;
    }
    return 0;
}

insp_mounted insp_mounts_target(const insp_mounts *mounts, uint64_t id)
{
    insp_mounted found = insp_mounts_find(mounts, id);
    int steps;
    for (steps = 0; !found.asset && id && steps < KILN_REDIRECT_STEPS_MAX; steps++) {
        id = redirected(mounts, id);
        if (id)
            found = insp_mounts_find(mounts, id);
    }
    return found;
}

bool insp_mounts_is_visible(const insp_mounts *mounts, insp_mounted mounted)
{
    uint32_t i;
    for (i = mounts->count; i-- > 0 && mounts->files[i] != mounted.file;) {
        const insp_name *name = insp_file_name(mounts->files[i], mounted.asset->id);
        if (name && insp_name_asset(mounts->files[i], name))
            return false;
    }
    return true;
}

insp_text insp_mounts_name(const insp_mounts *mounts, uint64_t id)
{
    uint32_t i;
    for (i = mounts->count; i-- > 0;) {
        const insp_name *name = insp_file_name(mounts->files[i], id);
        if (name)
            return name->name;
    }
    return (insp_text){"", 0};
}

/* Adds an open file, and opens the next one while it is open. */
static int add_file(insp_run *run, const insp_file *file)
{
    insp_mounts *mounts = run->mounts;
    int result = INSP_OK;
    if (!insp_has_index(run, file, &result))
        return result;
    mounts->files[mounts->count++] = file;
    if (mounts->count <= run->options.mount_count)
        return insp_worse(result,
                          insp_with_file(run, run->options.mounts[mounts->count - 1], add_file));
    return insp_worse(result, mounts->show(run, mounts));
}

int insp_with_mounts(insp_run *run, insp_show_mounts *show)
{
    insp_mounts mounts = {.show = show};
    int result;
    run->mounts = &mounts;
    result = insp_with_file(run, run->options.arguments[0], add_file);
    run->mounts = NULL;
    return result;
}

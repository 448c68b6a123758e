/* Changed files that are neither sources nor schemas, such as textures and the programs of
 * importers: the assets that use them are baked, and the sources that use them are parsed. */
#include "rerun_store.h"

#include "bake_memory.h"
#include "gateway_users.h"
#include "memo_paths.h"

bool bake_rerun_mark_path(rerun *r, const char *path)
{
    const bake_memo *before = r->before;
    uint32_t end, number = bake_memo_find_path(before, path);
    if (number == UINT32_MAX)
        return false;
    for (uint32_t i = bake_memo_path_uses(before, number, &end); i < end; i++) {
        const bake_memo_use *use = &before->uses[i];
        if (use->kind == BAKE_MEMO_BY_RUN)
            return false;
        if (use->kind == BAKE_MEMO_BY_ROW)
            r->uses_changed[use->number] = 1;
        if (use->kind == BAKE_MEMO_BY_FILE && r->files[use->number] != UINT32_MAX)
            r->changed[r->files[use->number]] = 1;
    }
    r->others[r->other_count++] = number;
    return true;
}

void bake_rerun_touch_users(rerun *r)
{
    for (uint32_t i = 0; i < r->memo->count; i++)
        if (r->from[i] != UINT32_MAX && r->uses_changed[r->from[i]])
            r->touched[i] = 1;
}

/* Removes the changed paths that nobody has used again. Everybody who may use them was baked. */
static void drop_unused(rerun *r, unsigned char *is_dropped)
{
    for (size_t i = 0; i < r->other_count; i++) {
        const char *path = bake_memo_used_path(r->before, r->others[i]);
        if (is_dropped[r->others[i]] || bake_gateway_find_use(r->run->gateway, path) != SIZE_MAX)
            continue;
        is_dropped[r->others[i]] = 1;
        r->removed[r->removed_count++] = path;
    }
}

bool bake_rerun_paths_end(rerun *r)
{
    unsigned char *is_read = bake_alloc_array((size_t)r->memo->count + 1, 1);
    unsigned char *is_dropped = bake_alloc_array((size_t)r->before->path_count + 1, 1);
    bool done = is_read && is_dropped;
    if (done) {
        for (uint32_t i = 0; i < r->memo->count; i++)
            is_read[i] = r->baked[i] || (r->mapped && r->mapped[i]);
        drop_unused(r, is_dropped);
        const bake_memo_paths_def def = {.gateway = r->run->gateway,
                                         .before = r->before,
                                         .files = r->files,
                                         .from = r->from,
                                         .is_read = is_read,
                                         .is_parsed = r->parsed,
                                         .is_dropped = is_dropped};
        done = bake_memo_set_paths(r->memo, &def);
    }
    bake_free(is_read);
    bake_free(is_dropped);
    return done;
}

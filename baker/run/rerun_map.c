/* The source map of a rerun: the records of assets are copied from the old map, except for assets
 * that are baked, and for those with places that may have moved, whose values are read again. */
#include "rerun_store.h"

#include "bake_memory.h"

#include <kiln/blob_header.h>
#include <string.h>

/* Whether a file of the old map has the same content now, so that its places are still correct.
 * Names in quotes are not those of files. */
static bool is_same_file(const rerun *r, const char *name)
{
    uint32_t file = *name == '"' ? UINT32_MAX : bake_memo_find_file(r->memo, name);
    return file == UINT32_MAX ? !r->has_other_schema && bake_rerun_is_schema(r->run, name)
                              : !r->changed[file];
}

static bool move(void *ctx, uint32_t file, uint32_t *line)
{
    const rerun *r = ctx;
    (void)line;
    return r->map_is_same[file];
}

static bool open_map(rerun *r)
{
    r->old_map = bake_old_origins_open(r->def->map.data, r->def->map.size);
    uint32_t count = r->old_map ? bake_old_origins_file_count(r->old_map) : 0;
    r->map_is_same = bake_alloc_array((size_t)count + 1, 1);
    r->mapped = bake_alloc_array((size_t)r->memo->count + 1, 1);
    for (uint32_t i = 0; r->map_is_same && i < count; i++)
        r->map_is_same[i] = is_same_file(r, bake_old_origins_file(r->old_map, i));
    return r->old_map && r->map_is_same && r->mapped;
}

bool bake_rerun_map_find(rerun *r)
{
    if (!bake_rerun_has_map(r))
        return true;
    if (!open_map(r))
        return false;
    for (uint32_t i = 0; i < r->memo->asset_count; i++) {
        if (r->baked[i])
            continue;
        uint32_t asset = bake_old_origins_find(r->old_map, bake_memo_name(r->memo, i),
                                               r->memo->all[i].name_length);
        if (asset == BAKE_OLD_ORIGINS_NONE)
            return false;
        r->mapped[i] = !bake_old_origins_can_copy(r->old_map, asset, move, r);
        if (!r->mapped[i])
            continue;
        r->parsed[r->memo->all[i].file] = 1;
        r->mapped_count++;
    }
    return true;
}

bool bake_rerun_map_begin(rerun *r)
{
    if (!bake_rerun_has_map(r))
        return true;
    bake_output *output = bake_run_begin_extra(r->run, r->run->options->source_map);
    if (output)
        r->origins = bake_origins_create(r->run->diagnostics, bake_output_write, output);
    if (!r->origins || !bake_origins_reuse(r->origins, r->old_map))
        return false;
    bake_values_set_origins(r->values, r->origins);
    return true;
}

bool bake_rerun_map_copy(rerun *r, uint32_t number)
{
    uint32_t asset = bake_old_origins_find(r->old_map, bake_memo_name(r->memo, number),
                                           r->memo->all[number].name_length);
    return bake_origins_copy(r->origins, asset, move, r) == BAKE_ORIGINS_OK;
}

bool bake_rerun_map_bind(rerun *r, const unsigned char *header)
{
    kiln_blob_header of;
    if (!r->origins)
        return true;
    memcpy(&of, header, sizeof of);
    return bake_origins_bind(r->origins, of.hash) == BAKE_ORIGINS_OK;
}

void bake_rerun_map_fini(rerun *r)
{
    bake_origins_destroy(r->origins);
    bake_old_origins_close(r->old_map);
    bake_free(r->map_is_same);
    bake_free(r->mapped);
}

/* Assets that other files change or take away. */
#include "asset_bases.h"

#include "asset_links.h"
#include "asset_paths.h"
#include "asset_table.h"

#include <string.h>

/* Beyond so many errors nobody reads hints, which cost a look at every name. */
enum { HINTS_MAX = 100 };

typedef struct patches {
    const bake_schema *schema;
    bake_bases *bases;
    bake_inputs *inputs;
    bake_diagnostics *diagnostics;
    asset_table *table;
    const char *kind; /* of the patch at hand */
    bool no_memory;
} patches;

/* What the patch changes; UINT32_MAX after a report, or when memory ran out. */
static uint32_t find_changed(patches *p, const bake_patch *patch)
{
    const bake_asset *by = &patch->asset;
    size_t prefix = strlen(p->kind) + 1, length = by->name_length;
    const char *name = by->name;
    const bake_link *link = bake_links_find(p->inputs->links, name, length);
    if (link && link->kind == BAKE_LINK_RENAMED) {
        name = link->to;
        length = link->to_length;
    }
    uint32_t found =
        bake_asset_find(p->table, p->kind, name + prefix, length - prefix, &p->no_memory);
    if (found != UINT32_MAX || p->no_memory || p->inputs->incomplete)
        return found;
    bake_mark mark = bake_node_mark(p->inputs->inputs[by->input].tree, by->named_at);
    if (link && link->kind == BAKE_LINK_DELETED) {
        bake_mark deleted = bake_node_mark(link->tree, link->node);
        bake_report(p->diagnostics, BAKE_ERROR, mark, "patch", by->name,
                    "this asset is deleted, at %.200s:%u:%u, so that there is nothing to change",
                    bake_diagnostics_source_name(p->diagnostics, deleted.source), deleted.line,
                    deleted.column);
        bake_related(p->diagnostics, deleted, "deleted here");
        return UINT32_MAX;
    }
    bake_report(p->diagnostics, BAKE_ERROR, mark, "patch", by->name,
                "no file of this run has this asset, so that there is nothing to change");
    if (bake_diagnostics_errors(p->diagnostics) <= HINTS_MAX)
        bake_asset_hint(p->table, p->diagnostics, p->kind, name + prefix, length - prefix);
    return UINT32_MAX;
}

bake_mark bake_bases_deleted_at(const bake_bases *bases, const bake_base *base)
{
    const bake_base *last = &bases->all[base->patch - 1];
    return bake_node_mark(last->layer.tree, last->named_at);
}

static void report_deleted(patches *p, const bake_asset *by, const bake_base *base)
{
    bake_mark mark = bake_bases_deleted_at(p->bases, base);
    bake_report(p->diagnostics, BAKE_ERROR,
                bake_node_mark(p->inputs->inputs[by->input].tree, by->named_at), "patch", by->name,
                "this asset is deleted at %s:%u:%u already",
                bake_diagnostics_source_name(p->diagnostics, mark.source), mark.line, mark.column);
    bake_related(p->diagnostics, mark, "deleted here");
}

/* Components of a prefab are put together by scenes, which know of no paths. */
static void refuse_prefabs(patches *p, const bake_base *over)
{
    const bake_scene_words *words = p->schema->prototype_words;
    const bake_path *first = over->layer.paths->steps;
    if (!words || words->prefab_type != over->asset.type)
        return;
    const char *name =
        kiln_types_get(p->schema->types, words->prefab_type)->members[words->prefab_member].name;
    for (; first; first = first->next) {
        if ((!first->steps && !over->asset.rule->path_key) || strlen(name) != first->length ||
            memcmp(name, first->text, first->length) != 0)
            continue;
        bake_report(p->diagnostics, BAKE_ERROR, bake_path_mark(over->layer.tree, first), "path",
                    over->asset.name, "components of a prefab are not changed by path");
        bake_hint(p->diagnostics,
                  "with `inherit: merge` a list of those that change does: "
                  "`%s: [{type: Lamp, on: false}]`",
                  name);
    }
}

/* Whether the patch is read; false when memory ran out. */
static bool read_paths(patches *p, const bake_asset *asset, bake_base *over)
{
    const bake_paths_def def = {.schema = p->schema,
                                .diagnostics = p->diagnostics,
                                .store = &p->inputs->store,
                                .tree = over->layer.tree,
                                .node = asset->node,
                                .name = over->asset.name,
                                .type = asset->type,
                                .rule = asset->rule};
    if (!asset->rule || !asset->rule->has_paths)
        return true;
    over->layer.paths = bake_paths_read(&def);
    if (over->layer.paths)
        refuse_prefabs(p, over);
    return over->layer.paths != NULL;
}

static void apply(patches *p, const bake_patch *patch)
{
    bake_bases *bases = p->bases;
    uint32_t found = find_changed(p, patch);
    if (found == UINT32_MAX)
        return;
    bake_asset *asset = &p->inputs->assets[found];
    if (asset->base == UINT32_MAX)
        asset->base = bake_bases_add(bases, p->inputs, asset);
    uint32_t over =
        asset->base == UINT32_MAX ? UINT32_MAX : bake_bases_add(bases, p->inputs, &patch->asset);
    if (over == UINT32_MAX) {
        p->no_memory = true;
        return;
    }
    bake_base *base = &bases->all[asset->base];
    if (base->is_deleted) {
        report_deleted(p, &patch->asset, base);
        return;
    }
    base->is_deleted = patch->deletes;
    bases->all[over].patch = base->patch;
    bases->all[over].asset.name = base->asset.name;
    base->patch = over + 1;
    base->patch_count++;
    if (!patch->deletes && !read_paths(p, &patch->asset, &bases->all[over]))
        p->no_memory = true;
}

bool bake_bases_patch(bake_bases *bases, bake_inputs *inputs, const bake_schema *schema,
                      bake_diagnostics *diagnostics, asset_table *table)
{
    patches p = {.schema = schema,
                 .bases = bases,
                 .inputs = inputs,
                 .diagnostics = diagnostics,
                 .table = table};
    for (size_t i = 0; i < inputs->patch_count && !p.no_memory; i++) {
        p.kind = schema->info[inputs->patches[i].asset.type].kind;
        apply(&p, &inputs->patches[i]);
    }
    return !p.no_memory;
}

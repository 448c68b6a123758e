/* Finds the parents of assets and applies patches from other files.
 *
 * Patches are applied first, because a patch may delete an asset or change its parent. A patched
 * asset becomes a base even if its type does not inherit; the patch is a layer above it. */
#include "asset_bases.h"

#include "asset_links.h"
#include "asset_paths.h"
#include "asset_table.h"
#include "bake_memory.h"
#include "bake_text.h"

#include <string.h>

/* No hints after this many errors: each hint searches all names. */
enum { HINTS_MAX = 100 };

typedef struct parents {
    bake_bases *bases;
    bake_inputs *inputs;
    const bake_schema *schema;
    bake_diagnostics *diagnostics;
    asset_table table;
    bool no_memory;
} parents;

static void report(parents *p, const bake_base *base, const bake_layer *from, bake_node_id node,
                   const char *rule, const char *message)
{
    bake_report(p->diagnostics, BAKE_ERROR, bake_node_mark(from->tree, node), rule,
                base->asset.name, "%s", message);
}

/* Returns the value of a key from the topmost patch that has it, or else from the asset itself. */
static bake_node_id find_key(const parents *p, const bake_base *base, const char *key,
                             const bake_layer **ret_from)
{
    bake_node_id found = BAKE_NODE_NONE;
    *ret_from = &base->layer;
    if (!key)
        return found;
    for (uint32_t at = base->patch; at && found == BAKE_NODE_NONE;
         at = p->bases->all[at - 1].patch) {
        *ret_from = &p->bases->all[at - 1].layer;
        found = bake_node_find((*ret_from)->tree, (*ret_from)->node, key, strlen(key));
    }
    if (found != BAKE_NODE_NONE)
        return found;
    *ret_from = &base->layer;
    return bake_node_find(base->layer.tree, base->layer.node, key, strlen(key));
}

static void add_parent(parents *p, bake_base *base, uint32_t number)
{
    bake_bases *bases = p->bases;
    uint32_t *all =
        bake_grow(bases->parents, &bases->parent_capacity, bases->parent_count + 1, sizeof *all);
    if (!all) {
        p->no_memory = true;
        return;
    }
    bases->parents = all;
    bases->parents[bases->parent_count++] = number;
    base->parent_count++;
}

/* Returns the position of the patch that deletes the base. */
static bake_mark deletion_mark(const bake_bases *bases, const bake_base *base)
{
    const bake_base *last = &bases->all[base->patch - 1];
    return bake_node_mark(last->layer.tree, last->named_at);
}

/* Returns the position where the asset `found` is deleted. If `found` is UINT32_MAX, returns the
 * position of the link. */
static bake_mark deleted_at(const parents *p, uint32_t found, const bake_link *link)
{
    if (found == UINT32_MAX)
        return bake_node_mark(link->tree, link->node);
    return deletion_mark(p->bases, &p->bases->all[p->inputs->assets[found].base]);
}

static void report_deleted(parents *p, const bake_base *base, bake_mark mark, bake_mark deleted,
                           const char *text, int shown)
{
    bake_report(p->diagnostics, BAKE_ERROR, mark, "parent", base->asset.name,
                "the %s \"%.*s\" was deleted at %.200s:%u:%u",
                p->schema->info[base->asset.type].kind, shown, text,
                bake_diagnostics_source_name(p->diagnostics, deleted.source), deleted.line,
                deleted.column);
    bake_related(p->diagnostics, deleted, "deleted here");
}

/* Makes the base partial if the parent is not found. If an input is incomplete, a missing parent is
 * not an error, because it may be in the unread part. */
static void read_parent(parents *p, bake_base *base, const bake_layer *from, bake_node_id node)
{
    const bake_tree *tree = from->tree;
    const char *kind = p->schema->info[base->asset.type].kind;
    size_t length;
    if (bake_node_is_placeholder(tree, node))
        return;
    if (bake_node_kind_of(tree, node) != BAKE_NODE_SCALAR || bake_node_is_null(tree, node)) {
        base->is_partial = true;
        report(p, base, from, node, "parent", "expected the id of another asset as the parent");
        return;
    }
    const char *text = bake_node_text(tree, node, &length);
    uint32_t found = bake_asset_find(&p->table, kind, text, length, &p->no_memory);
    const bake_link *link =
        found == UINT32_MAX && !p->no_memory
            ? bake_links_find(p->inputs->links, p->table.name, p->table.name_length)
            : NULL;
    /* A renamed parent is looked up by its current name. */
    if (link && link->kind == BAKE_LINK_RENAMED)
        found = bake_asset_find(&p->table, kind, link->to, link->to_length, &p->no_memory);
    bool is_deleted = link && link->kind == BAKE_LINK_DELETED;
    if (found != UINT32_MAX) {
        uint32_t number = p->inputs->assets[found].base;
        is_deleted = p->bases->all[number].is_deleted;
        if (!is_deleted) {
            add_parent(p, base, number);
            return;
        }
    }
    base->is_partial = true;
    if (p->inputs->incomplete || p->no_memory)
        return;
    int shown = (int)(length < 200 ? length : 200);
    if (is_deleted) {
        report_deleted(p, base, bake_node_mark(tree, node), deleted_at(p, found, link), text,
                       shown);
        return;
    }
    bake_report(p->diagnostics, BAKE_ERROR, bake_node_mark(tree, node), "parent", base->asset.name,
                "unknown %s \"%.*s\"", kind, shown, text);
    if (bake_diagnostics_errors(p->diagnostics) <= HINTS_MAX)
        bake_asset_hint(&p->table, p->diagnostics, kind, text, length);
}

static void read_parents(parents *p, bake_base *base)
{
    const bake_layer *from;
    bake_node_id node = find_key(p, base, p->schema->info[base->asset.type].parent, &from);
    const bake_tree *tree = from->tree;
    base->first_parent = (uint32_t)p->bases->parent_count;
    if (node == BAKE_NODE_NONE || bake_node_is_null(tree, node))
        return;
    if (bake_node_kind_of(tree, node) != BAKE_NODE_SEQUENCE) {
        read_parent(p, base, from, node);
        return;
    }
    for (bake_iterator it = bake_iterator_begin(tree, node);
         !p->no_memory && bake_iterator_next(&it);)
        read_parent(p, base, from, it.value);
}

/* Returns false if the node is neither true nor false. */
static bool read_flag(const bake_tree *tree, bake_node_id node, bool *ret_flag)
{
    static const char *const words[] = {"false", "False", "FALSE", "true", "True", "TRUE"};
    enum { WORDS = sizeof words / sizeof *words };
    size_t length;
    const char *text = bake_node_text(tree, node, &length);
    for (int i = 0; i < WORDS; i++) {
        if (bake_text_is(text, length, words[i])) {
            *ret_flag = i >= WORDS / 2;
            return true;
        }
    }
    return false;
}

static void read_abstract(parents *p, bake_base *base)
{
    const bake_layer *from;
    bake_node_id node = find_key(p, base, p->schema->info[base->asset.type].abstract, &from);
    const bake_tree *tree = from->tree;
    if (node == BAKE_NODE_NONE || bake_node_is_placeholder(tree, node))
        return;
    if (!read_flag(tree, node, &base->asset.is_abstract))
        report(p, base, from, node, "abstract", "expected true or false");
}

bool bake_asset_is_abstract(const bake_inputs *inputs, const bake_schema *schema,
                            const bake_asset *asset)
{
    bool is_abstract = false;
    const bake_tree *tree = inputs->inputs[asset->input].tree;
    const char *key = asset->is_scene ? NULL : schema->info[asset->type].abstract;
    bake_node_id node = key ? bake_node_find(tree, asset->node, key, strlen(key)) : BAKE_NODE_NONE;
    return node != BAKE_NODE_NONE && bake_node_kind_of(tree, node) == BAKE_NODE_SCALAR &&
           read_flag(tree, node, &is_abstract) && is_abstract;
}

static uint32_t add_base(bake_bases *bases, const bake_inputs *inputs, const bake_asset *asset)
{
    bake_base *all = bake_grow(bases->all, &bases->capacity, bases->count + 1, sizeof *all);
    if (!all)
        return UINT32_MAX;
    bases->all = all;
    bake_base *base = &all[bases->count];
    memset(base, 0, sizeof *base);
    base->layer.tree = inputs->inputs[asset->input].tree;
    base->layer.node = asset->node;
    base->asset.name = asset->name;
    base->asset.rule = asset->rule;
    base->asset.type = asset->type;
    base->name_length = asset->name_length;
    base->named_at = asset->named_at;
    base->input = asset->input;
    return (uint32_t)bases->count++;
}

/* Adds every asset whose type supports inheritance, since any of them may be a parent. */
static bool add_bases(parents *p)
{
    for (size_t i = 0; i < p->inputs->asset_count; i++) {
        bake_asset *asset = &p->inputs->assets[i];
        if (asset->is_scene ||
            (!p->schema->info[asset->type].parent && !p->schema->info[asset->type].abstract))
            continue;
        asset->base = add_base(p->bases, p->inputs, asset);
        if (asset->base == UINT32_MAX)
            return false;
    }
    return true;
}

/* ---- patches ---- */

typedef struct patches {
    const bake_schema *schema;
    bake_bases *bases;
    bake_inputs *inputs;
    bake_diagnostics *diagnostics;
    asset_table *table;
    const char *kind; /* of the current patch */
    bool no_memory;
} patches;

/* Returns the index of the patched asset, or UINT32_MAX if it is not found. Reports this, unless
 * memory ran out or an input is incomplete. */
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
                    "this asset was deleted at %.200s:%u:%u, so it cannot be changed",
                    bake_diagnostics_source_name(p->diagnostics, deleted.source), deleted.line,
                    deleted.column);
        bake_related(p->diagnostics, deleted, "deleted here");
        return UINT32_MAX;
    }
    bake_report(p->diagnostics, BAKE_ERROR, mark, "patch", by->name,
                "the asset to change does not exist in any input");
    if (bake_diagnostics_errors(p->diagnostics) <= HINTS_MAX)
        bake_asset_hint(p->table, p->diagnostics, p->kind, name + prefix, length - prefix);
    return UINT32_MAX;
}

static void report_deleted_again(patches *p, const bake_asset *by, const bake_base *base)
{
    bake_mark mark = deletion_mark(p->bases, base);
    bake_report(p->diagnostics, BAKE_ERROR,
                bake_node_mark(p->inputs->inputs[by->input].tree, by->named_at), "patch", by->name,
                "this asset was already deleted at %s:%u:%u",
                bake_diagnostics_source_name(p->diagnostics, mark.source), mark.line, mark.column);
    bake_related(p->diagnostics, mark, "deleted here");
}

/* Scenes merge the components of a prefab themselves and do not support paths. */
static void reject_prefab_paths(patches *p, const bake_base *over)
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
                    over->asset.name, "a path cannot change components of a prefab");
        bake_hint(p->diagnostics,
                  "with `inherit: merge`, list only the components that change: `%s: [{type: Lamp, "
                  "on: false}]`",
                  name);
    }
}

/* Reads the paths of a patch if its rule allows paths. Returns false if memory runs out. */
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
        reject_prefab_paths(p, over);
    return over->layer.paths != NULL;
}

/* Adds a base for the patch, so that the patch has a layer. The base is linked above those of
 * earlier patches of the asset. */
static void apply(patches *p, const bake_patch *patch)
{
    bake_bases *bases = p->bases;
    uint32_t found = find_changed(p, patch);
    if (found == UINT32_MAX)
        return;
    bake_asset *asset = &p->inputs->assets[found];
    p->inputs->inputs[patch->asset.input].is_patched = true;
    p->inputs->inputs[asset->input].is_patched = true;
    if (asset->base == UINT32_MAX)
        asset->base = add_base(bases, p->inputs, asset);
    uint32_t over =
        asset->base == UINT32_MAX ? UINT32_MAX : add_base(bases, p->inputs, &patch->asset);
    if (over == UINT32_MAX) {
        p->no_memory = true;
        return;
    }
    /* Take the pointer only now, since add_base may move the array. */
    bake_base *base = &bases->all[asset->base];
    if (base->is_deleted) {
        report_deleted_again(p, &patch->asset, base);
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

static bool read_patches(bake_bases *bases, bake_inputs *inputs, const bake_schema *schema,
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

/* ---- patches and parents ---- */

bool bake_bases_read(bake_bases *bases, bake_inputs *inputs, const bake_schema *schema,
                     bake_diagnostics *diagnostics)
{
    parents p = {.bases = bases, .inputs = inputs, .schema = schema, .diagnostics = diagnostics};
    if (!add_bases(&p) || !bake_asset_table_init(&p.table, inputs) ||
        !read_patches(bases, inputs, schema, diagnostics, &p.table))
        p.no_memory = true;
    /* All bases are added now, so pointers to them stay valid. */
    for (size_t i = 0; i < bases->count && !p.no_memory; i++) {
        bases->all[i].layer.asset = &bases->all[i].asset;
        bases->all[i].layer.origin = &bases->all[i].layer;
    }
    for (size_t i = 0; i < inputs->asset_count && !p.no_memory; i++) {
        bake_base *base =
            inputs->assets[i].base == UINT32_MAX ? NULL : &bases->all[inputs->assets[i].base];
        if (!base || base->is_deleted)
            continue;
        read_parents(&p, base);
        read_abstract(&p, base);
        /* The patches of an abstract asset are abstract as well. */
        for (uint32_t at = base->patch; at; at = bases->all[at - 1].patch)
            bases->all[at - 1].asset.is_abstract = base->asset.is_abstract;
    }
    bases->work += p.table.steps;
    bake_asset_table_fini(&p.table);
    return !p.no_memory;
}

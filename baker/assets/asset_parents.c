/* Which assets inherit, and from which. */
#include "asset_bases.h"

#include "asset_links.h"
#include "asset_table.h"
#include "bake_memory.h"
#include "bake_text.h"

#include <string.h>

/* Beyond so many errors nobody reads hints, which cost a look at every name. */
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

/* The value of a key, in the uppermost that has it of what the asset itself says. */
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

/* Where the asset `found`, or where there is none the id that `link` has, is taken away. */
static bake_mark deleted_at(const parents *p, uint32_t found, const bake_link *link)
{
    if (found == UINT32_MAX)
        return bake_node_mark(link->tree, link->node);
    return bake_bases_deleted_at(p->bases, &p->bases->all[p->inputs->assets[found].base]);
}

static void report_deleted(parents *p, const bake_base *base, bake_mark mark, bake_mark deleted,
                           const char *text, int shown)
{
    bake_report(p->diagnostics, BAKE_ERROR, mark, "parent", base->asset.name,
                "the %s \"%.*s\" is deleted, at %.200s:%u:%u",
                p->schema->info[base->asset.type].kind, shown, text,
                bake_diagnostics_source_name(p->diagnostics, deleted.source), deleted.line,
                deleted.column);
    bake_related(p->diagnostics, deleted, "deleted here");
}

static void read_parent(parents *p, bake_base *base, const bake_layer *from, bake_node_id node)
{
    const bake_tree *tree = from->tree;
    const char *kind = p->schema->info[base->asset.type].kind;
    size_t length;
    if (bake_node_is_placeholder(tree, node))
        return;
    if (bake_node_kind_of(tree, node) != BAKE_NODE_SCALAR || bake_node_is_null(tree, node)) {
        base->is_partial = true;
        report(p, base, from, node, "parent", "a parent is the id of another asset");
        return;
    }
    const char *text = bake_node_text(tree, node, &length);
    uint32_t found = bake_asset_find(&p->table, kind, text, length, &p->no_memory);
    const bake_link *link =
        found == UINT32_MAX && !p->no_memory
            ? bake_links_find(p->inputs->links, p->table.name, p->table.name_length)
            : NULL;
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
                "no %s of this run has the id \"%.*s\"", kind, shown, text);
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
    for (bake_walk walk = bake_walk_begin(tree, node); !p->no_memory && bake_walk_next(&walk);)
        read_parent(p, base, from, walk.value);
}

static void read_abstract(parents *p, bake_base *base)
{
    static const char *const words[] = {"false", "False", "FALSE", "true", "True", "TRUE"};
    enum { WORDS = sizeof words / sizeof *words };
    const bake_layer *from;
    bake_node_id node = find_key(p, base, p->schema->info[base->asset.type].abstract, &from);
    const bake_tree *tree = from->tree;
    size_t length;
    if (node == BAKE_NODE_NONE || bake_node_is_placeholder(tree, node))
        return;
    const char *text = bake_node_text(tree, node, &length);
    for (int i = 0; i < WORDS; i++) {
        if (bake_text_is(text, length, words[i])) {
            base->asset.is_abstract = i >= WORDS / 2;
            return;
        }
    }
    report(p, base, from, node, "abstract", "what is abstract is said by true or false");
}

uint32_t bake_bases_add(bake_bases *bases, const bake_inputs *inputs, const bake_asset *asset)
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

/* All assets of types that inherit, since any may be named by another. */
static bool add_bases(parents *p)
{
    for (size_t i = 0; i < p->inputs->asset_count; i++) {
        bake_asset *asset = &p->inputs->assets[i];
        if (asset->is_scene ||
            (!p->schema->info[asset->type].parent && !p->schema->info[asset->type].abstract))
            continue;
        asset->base = bake_bases_add(p->bases, p->inputs, asset);
        if (asset->base == UINT32_MAX)
            return false;
    }
    return true;
}

bool bake_bases_read(bake_bases *bases, bake_inputs *inputs, const bake_schema *schema,
                     bake_diagnostics *diagnostics)
{
    parents p = {.bases = bases, .inputs = inputs, .schema = schema, .diagnostics = diagnostics};
    if (!add_bases(&p) || !bake_asset_table_init(&p.table, inputs) ||
        !bake_bases_patch(bases, inputs, schema, diagnostics, &p.table))
        p.no_memory = true;
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
        for (uint32_t at = base->patch; at; at = bases->all[at - 1].patch)
            bases->all[at - 1].asset.is_abstract = base->asset.is_abstract;
    }
    bases->work += p.table.steps;
    bake_asset_table_fini(&p.table);
    return !p.no_memory;
}

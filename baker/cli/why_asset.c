#include "why_asset.h"

#include "asset_bases.h"
#include "bake_memory.h"
#include "memo_paths.h"
#include "shipped_file.h"
#include "value_difference.h"

#include <kiln/blob_header.h>
#include <kiln/value.h>
#include <stdlib.h>
#include <string.h>

/* An asset whose values are compared. */
typedef struct asset_report {
    const bake_why_asset *asked;
    const bake_rerun_view *view;
    uint32_t row;            /* of the asset whose values are compared */
    const bake_asset *asset; /* the same, in the inputs */
    bool is_abstract;        /* only values from the asked asset count */
    size_t count;            /* of lines */
} asset_report;

/* Where a value is written. */
typedef struct value_origin_place {
    const char *asset;
    const bake_tree *tree;
    bake_node_id node;
} value_origin_place;

/* Follows a path as far as the nodes have its steps. Returns BAKE_NODE_NONE if the node has not
 * even the first one. Steps are `.name`, `[number]` and `["key"]`. */
static bake_node_id follow(const bake_tree *tree, bake_node_id node, const char *path)
{
    bake_node_id found = BAKE_NODE_NONE;
    while (*path) {
        size_t length;
        bake_node_id next = BAKE_NODE_NONE;
        bool is_key = path[0] == '[' && path[1] == '"';
        if (path[0] == '[' && !is_key) {
            unsigned long number = strtoul(path + 1, NULL, 10);
            bool is_list = bake_node_kind_of(tree, node) == BAKE_NODE_SEQUENCE;
            bake_iterator it = bake_iterator_begin(tree, node);
            for (unsigned long i = 0; is_list && i <= number && bake_iterator_next(&it); i++)
                next = i == number ? it.value : BAKE_NODE_NONE;
            path += strcspn(path, "]");
        } else {
            path += is_key ? 2 : path[0] == '.' ? 1 : 0;
            length = strcspn(path, is_key ? "\"" : ".[");
            next = bake_node_find(tree, node, path, length);
            path += length + (is_key && path[length]);
        }
        path += *path == ']';
        if (next == BAKE_NODE_NONE)
            return found;
        found = node = next;
    }
    return found;
}

/* Finds the topmost layer of an asset that writes the value. Returns false if none does. */
static bool find_origin(bake_inputs *inputs, const bake_asset *asset, const char *path,
                        value_origin_place *ret)
{
    bake_asset_layers layers = {0};
    ret->asset = asset->name;
    ret->tree = inputs->inputs[asset->input].tree;
    ret->node = follow(ret->tree, asset->node, path);
    if (asset->base == UINT32_MAX || !bake_bases_list(inputs->bases, asset->base, &layers))
        return ret->node != BAKE_NODE_NONE;
    for (size_t i = 0; i < layers.count; i++) {
        bake_node_id node = follow(layers.layers[i]->tree, layers.layers[i]->node, path);
        if (node != BAKE_NODE_NONE) {
            *ret =
                (value_origin_place){layers.layers[i]->asset->name, layers.layers[i]->tree, node};
            return true;
        }
    }
    return false;
}

/* How many of the baked assets inherit the value at this path from the asset `from`. */
static size_t count_heirs(const bake_rerun_view *view, const char *from, const char *path)
{
    size_t count = 0;
    for (size_t i = 0; i < view->inputs->asset_count; i++) {
        const bake_asset *asset = &view->inputs->assets[i];
        uint32_t row = bake_memo_find(view->memo, asset->name, asset->name_length);
        value_origin_place place;
        count += row != UINT32_MAX && view->affected[row] && strcmp(asset->name, from) != 0 &&
                 find_origin(view->inputs, asset, path, &place) && strcmp(place.asset, from) == 0;
    }
    return count;
}

static bool print_difference(void *ctx, const bake_value_difference *d)
{
    asset_report *r = ctx;
    value_origin_place place;
    const bake_rerun_view *view = r->view;
    bool is_written = find_origin(view->inputs, r->asset, d->path, &place);
    const char *from = is_written ? place.asset : r->asset->name;
    if (r->is_abstract && strcmp(from, r->asked->name) != 0)
        return true;
    bake_mark mark =
        bake_node_mark(is_written ? place.tree : view->inputs->inputs[r->asset->input].tree,
                       is_written ? place.node : r->asset->named_at);
    size_t heirs = is_written ? count_heirs(view, from, d->path) : 0;
    fprintf(r->asked->out, "%s:%u: %s%s%s: %s -> %s",
            bake_diagnostics_source_name(view->run->diagnostics, mark.source), mark.line, from,
            *d->path && *d->path != '[' ? "." : "", d->path, d->first, d->second);
    if (!is_written)
        fputs(", no longer written", r->asked->out);
    if (heirs > 0)
        fprintf(r->asked->out, ", inherited by %zu asset%s", heirs, heirs == 1 ? "" : "s");
    fputc('\n', r->asked->out);
    r->count++;
    return true;
}

/* Opens a copy of the old output, because it may be compressed or not aligned. */
static bool open_old(kiln_span output, shipped_file *ret)
{
    kiln_buffer copy = {NULL, output.size + 1, bake_memory_allocator()};
    copy.data = copy.allocator.alloc(copy.allocator.ctx, copy.size, KILN_ALIGN_MAX);
    if (!copy.data)
        return false;
    memcpy(copy.data, output.data, output.size);
    return bake_shipped_open(ret, &copy, output.size, NULL) == KILN_OK;
}

/* The blob of the asset in the old output. Returns false if it is not there. */
static bool find_old(shipped_file *old, const char *name, kiln_span *ret_blob)
{
    const unsigned char *blob;
    uint32_t number = kiln_index_find_name(old->index, name, strlen(name));
    if (number == KILN_ASSET_NONE)
        return false;
    uint32_t member = kiln_index_asset_at(old->index, number)->member;
    if (bake_shipped_blob(old, member, &blob, NULL) != KILN_OK)
        return false;
    *ret_blob = (kiln_span){blob, (size_t)kiln_index_member_at(old->index, member)->size};
    return true;
}

static bool read_root(const kiln_types *types, uint32_t type, kiln_span blob, kiln_value *ret)
{
    kiln_blob_header header;
    memcpy(&header, blob.data, sizeof header);
    size_t at = kiln_header_payload_at(&header);
    return at < blob.size && kiln_value_root(types, type, (const unsigned char *)blob.data + at,
                                             blob.size - at, ret) == KILN_OK;
}

/* Returns false if there are no old values, or they cannot be read. */
static bool compare(asset_report *r, const bake_patched_asset *made)
{
    kiln_span old;
    kiln_value first, second;
    shipped_file file = {.index = NULL};
    const kiln_types *types = r->view->run->schema->types;
    kiln_span new = {made->asset.blob.data, made->asset.blob.size};
    bool done = open_old(r->view->output, &file) && find_old(&file, made->name, &old) &&
                read_root(types, r->asset->type, old, &first) &&
                read_root(types, r->asset->type, new, &second);
    const bake_value_differences_def def = {.first = &first,
                                            .second = &second,
                                            .index = file.index,
                                            .found = print_difference,
                                            .ctx = r};
    if (done)
        bake_value_differences(&def);
    bake_shipped_fini(&file);
    return done;
}

/* Finds the asset to compare: the asked one, or if that is abstract, one that inherits from it. */
static const bake_patched_asset *find_made(asset_report *r)
{
    const bake_rerun_view *view = r->view;
    const bake_memo *memo = view->memo;
    const bake_patched_asset *found = NULL;
    unsigned char *flags = bake_alloc_array((size_t)memo->count + 1, 1);
    if (!flags)
        return NULL;
    flags[r->row] = 1;
    if (r->is_abstract)
        bake_memo_add_descendants(memo, flags);
    for (size_t i = 0; i < view->made_count && !found; i++) {
        uint32_t row = bake_memo_find(memo, view->made[i].name, view->made[i].name_length);
        if (row != UINT32_MAX && flags[row])
            found = &view->made[i];
    }
    bake_free(flags);
    return found;
}

static const bake_asset *find_asset(const bake_inputs *inputs, const char *name)
{
    for (size_t i = 0; i < inputs->asset_count; i++)
        if (strcmp(inputs->assets[i].name, name) == 0)
            return &inputs->assets[i];
    return NULL;
}

/* Lists everything that a scene uses and whose own text has changed. The values of scenes are not
 * compared. */
static void explain_scene(asset_report *r)
{
    const bake_why_asset *asked = r->asked;
    const bake_memo *memo = r->view->memo;
    unsigned char *used = bake_alloc_array((size_t)memo->count + 1, 1);
    uint32_t *stack = bake_alloc_array((size_t)memo->count + 1, sizeof *stack), depth = 0;
    if (used && stack) {
        used[r->row] = 1;
        stack[depth++] = r->row;
    }
    while (depth > 0) {
        const bake_memo_asset *row = &memo->all[stack[--depth]];
        for (uint32_t p = 0; p < row->parent_count; p++) {
            uint32_t parent = memo->parents[row->first_parent + p];
            if (!used[parent])
                stack[depth++] = parent;
            used[parent] = 1;
        }
    }
    for (uint32_t i = 0; i < memo->count && used; i++) {
        if (!used[i] || !r->view->changed[i])
            continue;
        const char *path = bake_memo_path(memo, memo->all[i].file);
        const char *prefab = i >= bake_memo_prefabs_at(memo) ? "the prefab " : "";
        if (i == r->row)
            fprintf(asked->out, "%s: %s has changed\n", path, asked->name);
        else
            fprintf(asked->out, "%s: %s%s has changed, which %s uses\n", path, prefab,
                    bake_memo_name(memo, i), asked->name);
        r->count++;
    }
    bake_free(stack);
    bake_free(used);
    if (r->count == 0)
        fprintf(asked->out, "%s: it may use other prefabs or scenes than before\n", asked->name);
}

/* Whether an asset used a path, according to the memo before. */
static bool has_used(const bake_rerun_view *view, uint32_t row, uint32_t path)
{
    uint32_t end, from = view->from[row];
    for (uint32_t i = bake_memo_path_uses(view->before, path, &end); i < end; i++) {
        const bake_memo_use *use = &view->before->uses[i];
        if (use->kind == BAKE_MEMO_BY_ROW && use->number == from)
            return true;
    }
    return false;
}

/* Lists the changed files that the asset used. */
static void explain_files(asset_report *r)
{
    const bake_rerun_view *view = r->view;
    for (size_t i = 0; i < view->other_count; i++) {
        const char *path = bake_memo_used_path(view->before, view->others[i]);
        if (!has_used(view, r->row, view->others[i]))
            continue;
        fprintf(r->asked->out, "%s: has changed, which %s uses\n", path, r->asked->name);
        r->count++;
    }
}

void bake_why_asset_explain(void *ctx, const bake_rerun_view *view)
{
    const bake_why_asset *asked = ctx;
    asset_report r = {.asked = asked, .view = view};
    r.row = bake_memo_find(view->memo, asked->name, strlen(asked->name));
    if (r.row == UINT32_MAX) {
        fprintf(asked->out, "%s: no longer in the sources of %s\n", asked->name,
                view->run->options->output);
        return;
    }
    if (!view->affected[r.row]) {
        fprintf(asked->out, "%s: unchanged in %s\n", asked->name, view->run->options->output);
        return;
    }
    if (view->retyped[r.row]) {
        bool is_scene = bake_memo_is_scene(&view->memo->all[r.row]);
        fprintf(asked->out, "%s: %s in the schema\n", asked->name,
                is_scene ? "a type has changed" : "its type has changed");
        return;
    }
    if (bake_memo_is_scene(&view->memo->all[r.row])) {
        explain_scene(&r);
        return;
    }
    r.is_abstract = r.row >= view->memo->asset_count;
    explain_files(&r);
    const bake_patched_asset *made = find_made(&r);
    r.asset = made ? find_asset(view->inputs, made->name) : NULL;
    bool is_compared = r.asset && compare(&r, made);
    if (r.count > 0)
        return;
    fprintf(asked->out, "%s: %s has changed", asked->name,
            bake_memo_path(view->memo, view->memo->all[r.row].file));
    if (is_compared || r.is_abstract)
        fprintf(asked->out, ", but not %s values", r.is_abstract ? "inherited" : "its");
    fputc('\n', asked->out);
}

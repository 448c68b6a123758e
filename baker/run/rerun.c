#include "rerun.h"

#include "asset_bases.h"
#include "asset_reading.h"
#include "bake_memory.h"
#include "bake_text.h"
#include "gateway_inputs.h"
#include "gateway_users.h"
#include "hash_equal.h"
#include "node_meaning.h"
#include "rerun_store.h"
#include "run_clusters.h"
#include "run_memo.h"
#include "run_redirects.h"
#include "run_scenes.h"
#include "scene_items.h"

#include <stdlib.h>
#include <string.h>

bool bake_rerun_is_possible(const bake_options *o)
{
    return o->command == BAKE_COMMAND_BUILD && o->output && strcmp(o->output, "-") != 0 &&
           !o->each && !o->dry_run && !o->depend && !o->timings && !o->shared_timings &&
           !o->diagnostics_file && !o->checked;
}

bool bake_rerun_shares_inputs(const bake_run *run)
{
    for (size_t i = 0; i < bake_gateway_use_count(run->gateway); i++) {
        const bake_input_path path = bake_gateway_input_path(run->gateway, i);
        if (path.is_used_again && (bake_memo_find_file(run->memo, path.path, 0) != UINT32_MAX ||
                                   bake_rerun_is_schema(run, path.path)))
            return true;
    }
    return false;
}

/* ---- which assets are affected ---- */

static const bake_tree *tree_of(const rerun *r, const bake_asset *asset)
{
    return r->inputs.inputs[asset->input].tree;
}

/* Describes the assets of the changed files. */
static bake_memo_found *list_found(const rerun *r, uint32_t *ret_count)
{
    size_t prefabs = r->inputs.scenes ? bake_scene_items_count(r->inputs.scenes) : 0;
    size_t most = r->inputs.asset_count + prefabs;
    bake_memo_found *found = most < UINT32_MAX ? bake_alloc_array(most + 1, sizeof *found) : NULL;
    uint32_t count = 0;
    for (size_t i = 0; found && i < r->inputs.asset_count; i++) {
        const bake_asset *asset = &r->inputs.assets[i];
        if (bake_rerun_patches_skip(r, asset))
            continue;
        bool is_abstract = bake_memo_patches_abstract(&r->patches, asset);
        bake_memo_found *row = &found[count++];
        *row = (bake_memo_found){
            .name = asset->name,
            .name_length = asset->name_length,
            .meaning = bake_memo_patches_meaning(
                &r->patches, asset,
                bake_memo_meaning(tree_of(r, asset), asset->node, asset->is_scene)),
            .type = asset->type,
            .rule = bake_memo_rule(r->run->schema, asset->rule),
            .file = r->numbers[asset->input],
            .section = is_abstract ? BAKE_SECTION_ABSTRACTS : BAKE_SECTION_ASSETS};
        if (bake_rerun_has_map(r))
            row->form = asset->is_scene ? bake_node_form_with_name(tree_of(r, asset), asset->node,
                                                                   asset->named_at)
                                        : bake_node_form_of(tree_of(r, asset), asset->node);
    }
    *ret_count = count;
    if (found && !bake_rerun_scenes_list(r, found, ret_count)) {
        bake_free(found);
        return NULL;
    }
    return found;
}

static bool make_memo(rerun *r)
{
    uint32_t found_count = 0;
    bake_memo_found *found = list_found(r, &found_count);
    uint32_t *kept = bake_alloc_array((size_t)r->before->file_count + 1, sizeof *kept);
    bake_memo_change change = {.before = r->before,
                               .paths = r->paths,
                               .sizes = r->sizes,
                               .file_count = r->file_count,
                               .kept = kept,
                               .kinds = r->kinds,
                               .kind_count = (uint32_t)r->run->schema->kind_count,
                               .schema_rest = r->schema_rest,
                               .schema_types = r->schema_types,
                               .types = r->types,
                               .found = found,
                               .found_count = found_count};
    size_t most = (size_t)r->before->count + found_count + 1;
    r->from = bake_alloc_array(most, sizeof *r->from);
    r->own = bake_alloc_array(most, 1);
    r->affected = bake_alloc_array(most, 1);
    r->retyped = bake_alloc_array(most, 1);
    r->touched = bake_alloc_array(most, 1);
    r->baked = bake_alloc_array(most, 1);
    for (uint32_t i = 0; kept && i < r->before->file_count; i++) {
        uint32_t file = r->files[i];
        kept[i] = file != UINT32_MAX && !r->changed[file] ? file : UINT32_MAX;
    }
    if (found && kept && r->from && r->own && r->affected && r->retyped && r->touched && r->baked)
        r->memo = bake_memo_change_apply(&change, r->from);
    bake_free(found);
    bake_free(kept);
    return r->memo != NULL;
}

/* Whether an asset differs from its old row. In another file, an asset that is not plain can mean
 * something else, because paths of files begin at the folder of its file. */
static bool differs(const rerun *r, uint32_t number)
{
    if (r->from[number] == UINT32_MAX)
        return true;
    const bake_memo_asset *row = &r->memo->all[number], *old = &r->before->all[r->from[number]];
    bool has_moved = r->files[old->file] != row->file;
    return r->retyped[number] || !bake_hash_equal(row->meaning, old->meaning) ||
           row->rule != old->rule || (has_moved && !(row->flags & BAKE_MEMO_PLAIN));
}

/* The type of an old row in the schema of this run. */
static uint32_t new_type(const rerun *r, const bake_memo_asset *old)
{
    return r->types && !bake_memo_is_scene(old) ? r->types[old->type] : old->type;
}

/* Whether the old values of a row may have another layout. */
static bool is_retyped(const rerun *r, const bake_memo_asset *old)
{
    return r->types &&
           (bake_memo_is_scene(old) ? bake_rerun_has_other_types(r) : r->has_other_type[old->type]);
}

static bool compare_rows(rerun *r)
{
    r->has_same_names = r->memo->asset_count == r->before->asset_count;
    for (uint32_t i = 0; i < r->memo->count; i++) {
        uint32_t from = r->from[i];
        bool is_old =
            from != UINT32_MAX && (from < r->before->asset_count) == (i < r->memo->asset_count);
        if ((r->memo->all[i].type >= kiln_types_count(r->run->schema->types) &&
             !bake_memo_is_scene(&r->memo->all[i])) ||
            (from != UINT32_MAX && r->memo->all[i].type != new_type(r, &r->before->all[from])))
            return false;
        r->retyped[i] = from != UINT32_MAX && is_retyped(r, &r->before->all[from]);
        r->own[i] = r->affected[i] = !is_old || differs(r, i);
        r->has_same_names = r->has_same_names && (is_old || i >= r->memo->asset_count);
    }
    return true;
}

/* The file of a parent must be parsed, too. A parent that is unknown, or is written in another way,
 * is left to bake_bases_resolve. */
static bool add_parent(rerun *r, const char *kind, const bake_tree *tree, bake_node_id node)
{
    size_t length, prefix = strlen(kind);
    const char *text = bake_node_text(tree, node, &length);
    char *name = bake_alloc(prefix + 1 + length);
    if (!name)
        return false;
    memcpy(name, kind, prefix);
    name[prefix] = '/';
    memcpy(name + prefix + 1, text, length);
    uint32_t number = bake_memo_find(r->memo, name, prefix + 1 + length);
    if (number != UINT32_MAX)
        r->parsed[r->memo->all[number].file] = 1;
    bake_free(name);
    return true;
}

static bool add_parents(rerun *r, const bake_asset *asset)
{
    const bake_type_info *info = &r->run->schema->info[asset->type];
    const bake_tree *tree = tree_of(r, asset);
    bake_node_id node = info->parent
                            ? bake_node_find(tree, asset->node, info->parent, strlen(info->parent))
                            : BAKE_NODE_NONE;
    if (node == BAKE_NODE_NONE)
        return true;
    if (bake_node_kind_of(tree, node) == BAKE_NODE_SCALAR)
        return add_parent(r, info->kind, tree, node);
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);)
        if (!add_parent(r, info->kind, tree, it.value))
            return false;
    return true;
}

/* Finds the assets of the changed files. */
static bool compare_files(rerun *r)
{
    if (!bake_rerun_read(r, r->changed) || !bake_rerun_patches_begin(r) || !make_memo(r) ||
        !compare_rows(r) || !bake_rerun_list_aliases(r) ||
        (bake_rerun_touch_users(r), !bake_rerun_touch(r)) || !bake_rerun_scenes_compare(r))
        return false;
    for (size_t i = 0; i < r->inputs.asset_count; i++) {
        const bake_asset *asset = &r->inputs.assets[i];
        if (bake_rerun_patches_skip(r, asset))
            continue;
        uint32_t number = bake_memo_find(r->memo, asset->name, asset->name_length);
        if (number == UINT32_MAX ||
            (r->affected[number] && !asset->is_scene && !add_parents(r, asset)))
            return false;
    }
    /* A patch can change the parents. */
    for (size_t i = 0; i < r->inputs.patch_count; i++) {
        const bake_patch *patch = &r->inputs.patches[i];
        if (!patch->deletes && !add_parents(r, &patch->asset))
            return false;
    }
    return true;
}

/* Determines which assets are baked, and which files are parsed for them. Noisy assets are always
 * baked, so that all messages are made again and have their current positions. */
static bool find_affected(rerun *r)
{
    bake_memo_add_descendants(r->memo, r->affected);
    for (uint32_t i = 0; i < r->memo->count; i++) {
        r->affected[i] = r->affected[i] || r->touched[i];
        if (r->memo->all[i].flags & BAKE_MEMO_REPORTED)
            r->parsed[r->memo->all[i].file] = 1;
        r->baked[i] = r->affected[i] || (r->memo->all[i].flags & BAKE_MEMO_NOISY);
        if (!r->baked[i])
            continue;
        r->parsed[r->memo->all[i].file] = 1;
        r->baked_count += i < bake_memo_prefabs_at(r->memo);
        r->scene_count += i < r->memo->asset_count && bake_memo_is_scene(&r->memo->all[i]);
    }
    bool checks_all = bake_rerun_scenes_check_all(r);
    for (uint32_t i = 0; i < r->memo->count && checks_all; i++)
        if (bake_memo_is_scene(&r->memo->all[i]))
            r->parsed[r->memo->all[i].file] = 1;
    if (!bake_rerun_map_find(r))
        return false;
    bake_memo_add_ancestors(r->memo, r->parsed);
    return true;
}

/* ---- inheritance ---- */

/* The row of each base, and UINT32_MAX for deleted ones and patches; NULL if memory runs out or
 * another base has none. */
static uint32_t *rows_of_bases(const rerun *r)
{
    const bake_bases *bases = r->inputs.bases;
    unsigned char *unlisted = bake_rerun_patches_unlisted(bases);
    uint32_t *rows = unlisted ? bake_alloc_array(bases->count + 1, sizeof *rows) : NULL;
    for (size_t i = 0; rows && i < bases->count; i++) {
        if (unlisted[i]) {
            rows[i] = UINT32_MAX;
            continue;
        }
        rows[i] = bake_memo_find(r->memo, bases->all[i].asset.name, bases->all[i].name_length);
        bool is_abstract = rows[i] != UINT32_MAX && rows[i] >= r->memo->asset_count;
        if (rows[i] == UINT32_MAX || is_abstract != bases->all[i].asset.is_abstract) {
            bake_free(rows);
            rows = NULL;
        }
    }
    bake_free(unlisted);
    return rows;
}

/* A type without inheritance has weights only while its assets are patched. */
static void clear_weights(rerun *r)
{
    for (uint32_t i = 0; i < r->memo->count; i++)
        if (!bake_memo_is_scene(&r->memo->all[i]) && r->parsed[r->memo->all[i].file])
            r->memo->all[i].weight = 0;
}

/* Replaces the parents of the parsed assets. */
static bool renew_parents(rerun *r)
{
    const bake_bases *bases = r->inputs.bases;
    uint32_t *rows = rows_of_bases(r);
    uint32_t *parents = bake_alloc_array(bases->parent_count + 1, sizeof *parents);
    bool done = rows && parents;
    for (size_t i = 0; i < bases->parent_count && done; i++)
        parents[i] = rows[bases->parents[i]];
    for (size_t i = 0; i < bases->count && done; i++) {
        const bake_base *base = &bases->all[i];
        if (rows[i] == UINT32_MAX)
            continue;
        done = bake_memo_set_parents(r->memo, rows[i], parents + base->first_parent,
                                     base->parent_count);
        r->memo->all[rows[i]].weight = base->list_weight;
    }
    bake_free(rows);
    bake_free(parents);
    return done;
}

/* Whether the layers of all assets together stay below the limit of bake_bases_resolve. */
static bool is_light(const rerun *r)
{
    uint64_t limit = BAKE_TREE_EXPANDED_MIN, total = 0;
    for (uint32_t i = 0; i < r->memo->file_count; i++)
        limit += 16 * r->memo->files[i].size;
    for (uint32_t i = 0; i < r->memo->count; i++)
        if (!bake_memo_is_scene(&r->memo->all[i]))
            total += r->memo->all[i].weight;
    return total <= limit;
}

/* Reads all files whose assets matter, unless that is already done, and resolves their
 * inheritance and scenes. */
static bool read_bases(rerun *r)
{
    bake_memo_patches_fini(&r->patches);
    bool is_read = memcmp(r->changed, r->parsed, r->file_count) == 0;
    if ((!is_read && !bake_rerun_read(r, r->parsed)) || !bake_rerun_resolve(r))
        return false;
    clear_weights(r);
    if (!r->run->schema->has_inherit && !r->inputs.bases)
        return true;
    return r->inputs.bases && renew_parents(r) && is_light(r);
}

/* The sizes of the files that were parsed. */
static void renew_sizes(rerun *r)
{
    for (size_t i = 0; i < r->inputs.count; i++)
        r->memo->files[r->numbers[i]].size = r->inputs.inputs[i].size;
}

/* ---- baking ---- */

static bool has_refs(const kiln_types *types)
{
    for (uint32_t i = 0; i < kiln_types_count(types); i++)
        if (kiln_types_get(types, i)->kind == KILN_KIND_REF)
            return true;
    return false;
}

/* Adds a name. In a patch, it can replace one of the same type in an extern file. Returns false for
 * any other duplicate, or if memory runs out. */
static bool add_name(rerun *r, const bake_name *name)
{
    const bake_name *other;
    if (!bake_names_add(&r->names, name, &other))
        return false;
    if (!other)
        return true;
    const char *type =
        name->type_name ? name->type_name : kiln_types_get(r->run->schema->types, name->type)->name;
    if (!r->run->options->patch || name->is_abstract || other->output != BAKE_OUTPUT_EXTERN ||
        bake_compare_text(other->name, other->length, name->name, name->length) != 0 ||
        bake_compare_text(other->type_name, other->type_name_length, type, strlen(type)) != 0)
        return false;
    bake_names_replace(&r->names, other, name);
    return true;
}

/* Adds the names of all assets, to which references can refer. */
static bool add_names(rerun *r)
{
    const kiln_types *types = r->run->schema->types;
    bool is_needed = has_refs(types) || !r->has_same_names || r->run->options->externs.count ||
                     r->memo->scenes.exist;
    if (bake_extern_read(&r->externs, &r->names, r->run))
        return false;
    for (uint32_t i = 0; i < bake_memo_prefabs_at(r->memo) && is_needed; i++) {
        const bake_memo_asset *row = &r->memo->all[i];
        bake_name name;
        memset(&name, 0, sizeof name);
        if (bake_memo_is_scene(row)) {
            if (!bake_rerun_scenes_names(r, i, add_name))
                return false;
            continue;
        }
        name.name = bake_memo_name(r->memo, i);
        name.length = row->name_length;
        name.type = row->type;
        name.is_abstract = i >= r->memo->asset_count;
        if (row->type >= kiln_types_count(types) || !add_name(r, &name))
            return false;
    }
    return bake_rerun_is_silent(r);
}

static bool keep_targets(rerun *r, uint32_t number)
{
    size_t count;
    const kiln_id *targets = bake_values_targets(r->values, &count);
    return bake_memo_set_targets(r->memo, number, targets, count);
}

/* Finishes the asset that was read last. Without sharing, there is only its blob, because that is
 * not canonical. */
static bool finish(rerun *r, const bake_name *name, kiln_finished_asset *ret)
{
    if (r->run->options->no_share)
        return bake_values_finish(r->values, name, NULL, &ret->blob) && ret->blob.data;
    return bake_values_finish_asset(r->values, name, ret);
}

/* Whether the values of an asset are read. */
static bool is_read(const rerun *r, uint32_t number)
{
    return r->baked[number] || (r->mapped && r->mapped[number]);
}

/* Bakes an asset; an abstract one is only checked. If only its place is new, the blob is not
 * needed. */
static bool bake_again(rerun *r, const bake_asset *asset)
{
    bake_asset_layers layers;
    uint32_t number = bake_memo_find(r->memo, asset->name, asset->name_length);
    if (number == UINT32_MAX || !is_read(r, number))
        return number != UINT32_MAX;
    if (asset->is_scene)
        return bake_rerun_scenes_bake(r, asset, number);
    bake_memo_asset *row = &r->memo->all[number];
    bake_name name = bake_asset_name(&r->inputs, asset);
    bool inherits = asset->base != UINT32_MAX;
    if (inherits && !bake_bases_list(r->inputs.bases, asset->base, &layers))
        return false;
    bake_gateway_set_user(r->run->gateway, BAKE_USER_ASSET, number);
    bool is_valid = bake_asset_read(r->values, asset, &name, inherits ? &layers : NULL);
    bake_gateway_set_user(r->run->gateway, BAKE_USER_RUN, 0);
    if (!is_valid)
        return false;
    if (!r->baked[number])
        return true;
    if (number < r->memo->asset_count && !bake_run_keep_payloads(r->values, number, r->memo))
        return false;
    row->flags = (bake_values_is_plain(r->values) ? BAKE_MEMO_PLAIN : 0) |
                 (bake_values_is_noisy(r->values) ? BAKE_MEMO_NOISY : 0);
    r->baked_count--;
    if (number >= r->memo->asset_count)
        return keep_targets(r, number);
    bake_patched_asset *made = &r->made[r->made_count];
    if (!finish(r, &name, &made->asset))
        return false;
    made->name = name.name;
    made->name_length = name.length;
    made->type = kiln_types_get(r->run->schema->types, name.type)->name;
    made->path = r->inputs.inputs[asset->input].path;
    made->size = made->asset.blob.size;
    r->made_count++;
    return true;
}

static int compare_assets(const void *a, const void *b)
{
    const bake_asset *left = a, *right = b;
    return bake_compare_text(left->name, left->name_length, right->name, right->name_length);
}

static bool bake_mapped(rerun *r, const bake_asset *asset)
{
    bake_origins_begin(r->origins, asset->name, asset->name_length);
    return bake_again(r, asset) && bake_origins_end(r->origins) == BAKE_ORIGINS_OK;
}

/* Bakes the assets and writes the records of all assets to the source map. */
static bool bake_and_map(rerun *r)
{
    size_t next = 0;
    for (uint32_t i = 0; i < r->memo->asset_count; i++) {
        const char *name = bake_memo_name(r->memo, i);
        if (!is_read(r, i)) {
            if (!bake_rerun_map_copy(r, i))
                return false;
            continue;
        }
        while (next < r->inputs.asset_count && strcmp(r->inputs.assets[next].name, name) != 0)
            next++;
        if (next == r->inputs.asset_count || !bake_mapped(r, &r->inputs.assets[next]))
            return false;
    }
    return true;
}

static bool bake_concrete(rerun *r)
{
    if (r->origins)
        return bake_and_map(r);
    for (size_t i = 0; i < r->inputs.asset_count; i++)
        if (!bake_again(r, &r->inputs.assets[i]))
            return false;
    return true;
}

/* In the order of a complete run. */
static bool bake_all(rerun *r)
{
    const bake_bases *bases = r->inputs.bases;
    size_t baked = r->baked_count;
    if (r->inputs.asset_count > 1)
        qsort(r->inputs.assets, r->inputs.asset_count, sizeof *r->inputs.assets, compare_assets);
    bake_memo_drop_payloads(r->memo, r->baked);
    if (!bake_rerun_scenes_check(r))
        return false;
    bake_values_collect_targets(r->values, true);
    for (size_t i = 0; bases && i < bases->abstract_count; i++) {
        bake_values_set_names(r->values, &r->names, BAKE_OUTPUT_EXTERN - 1);
        if (!bake_again(r, &bases->abstracts[i]))
            return false;
    }
    bake_values_collect_targets(r->values, false);
    bake_values_set_names(r->values, &r->names, 0);
    if (!bake_rerun_map_begin(r) || !bake_concrete(r))
        return false;
    bool are_all = r->baked_count == 0;
    r->baked_count = baked;
    return are_all;
}

/* Whether the run used a source for another purpose, too. Such a use is not in the memo. */
static bool shares_source(const rerun *r)
{
    const bake_gateway *gateway = r->run->gateway;
    for (size_t i = 0; i < bake_gateway_use_count(gateway); i++) {
        const bake_input_path path = bake_gateway_input_path(gateway, i);
        uint32_t file = bake_memo_find_file(r->memo, path.path, 0);
        if (file != UINT32_MAX && (path.is_used_again || !r->parsed[file]))
            return true;
        if (path.is_used_again && bake_rerun_is_schema(r->run, path.path))
            return true;
    }
    return false;
}

static bool bake_affected(rerun *r)
{
    bake_run *run = r->run;
    r->names.links = r->inputs.links;
    r->names.guids = r->inputs.guids;
    /* A scene has up to three blobs. */
    r->made = bake_alloc_array(r->baked_count + 2 * r->scene_count + 1, sizeof *r->made);
    if (!r->made || bake_run_scenes_types(run, r->memo->scenes.exist) ||
        bake_run_redirects_types(run, &r->inputs) ||
        bake_run_clusters_types(run, r->memo->scenes.exist) || !add_names(r))
        return false;
    r->values = bake_values_create(run->schema, run->diagnostics, &run->failure);
    if (!r->values || (run->options->no_share && !bake_values_unshare(r->values)))
        return false;
    bake_gateway_begin_uses(run->gateway);
    bake_values_set_files(r->values, run->gateway, run->options->base);
    bake_values_warn_dangling(r->values, run->options->dangling == BAKE_DANGLING_WARN);
    if (!bake_values_check_resources(r->values, run->options->resources) || !bake_all(r))
        return false;
    bake_gateway_set_user(run->gateway, BAKE_USER_MESSAGES, 0);
    bake_values_report_dangling(r->values);
    bake_values_report_resources(r->values);
    bake_gateway_set_user(run->gateway, BAKE_USER_RUN, 0);
    return bake_rerun_scenes_end(r) && bake_rerun_is_valid(r) && !shares_source(r) &&
           bake_rerun_payloads_list(r) && bake_run_keep_missing(r->values, r->memo) &&
           bake_rerun_paths_end(r);
}

/* ---- the run ---- */

static void fini(rerun *r)
{
    for (size_t i = 0; i < r->made_count; i++)
        kiln_finished_asset_fini(&r->made[i].asset);
    bake_free(r->made);
    bake_rerun_payloads_fini(r);
    bake_values_destroy(r->values);
    bake_rerun_map_fini(r);
    bake_names_fini(&r->names);
    bake_extern_fini(&r->externs);
    bake_inputs_fini(&r->inputs);
    bake_inputs_fini(&r->located);
    bake_memo_destroy(r->memo);
    bake_free(r->paths);
    bake_free(r->sizes);
    bake_free(r->changed);
    bake_free(r->parsed);
    bake_free(r->files);
    bake_free(r->added);
    bake_free(r->removed);
    bake_free(r->uses_changed);
    bake_free(r->others);
    bake_free(r->from);
    bake_free(r->own);
    bake_free(r->affected);
    bake_free(r->retyped);
    bake_free(r->touched);
    bake_free(r->baked);
    bake_memo_patches_fini(&r->patches);
    bake_free(r->numbers);
    bake_free(r->kinds);
    bake_free(r->types);
    bake_free(r->has_other_type);
}

bool bake_rerun(bake_run *run, const bake_rerun_def *def)
{
    rerun r = {.run = run, .def = def, .before = def->memo};
    if (def->only_asks)
        bake_gateway_refuse_programs(run->gateway);
    bool done = bake_run_schema(run) == BAKE_OK;
    r.schema_warnings = bake_diagnostics_warnings(run->diagnostics);
    done = done && bake_rerun_is_valid(&r) && bake_rerun_list_files(&r) &&
           bake_rerun_compare_schema(&r) && compare_files(&r);
    done = done && find_affected(&r) && read_bases(&r);
    if (done) {
        renew_sizes(&r);
        done = bake_affected(&r) || (def->only_asks && bake_gateway_refused_count(run->gateway));
        done = done && (def->only_asks ? bake_rerun_may_write(&r) : bake_rerun_write(&r));
    }
    if (done) {
        run->memo = r.memo;
        r.memo = NULL;
    }
    fini(&r);
    return done;
}

#include "rerun.h"

#include "asset_bases.h"
#include "asset_reading.h"
#include "bake_inputs.h"
#include "bake_memory.h"
#include "hash_equal.h"
#include "node_meaning.h"
#include "run_budgets.h"
#include "run_clusters.h"
#include "value_bake.h"

#include <string.h>

typedef struct rerun {
    bake_run *run;
    const bake_rerun_def *def;
    bake_memo *memo;
    unsigned char *changed; /* by file */
    unsigned char *parsed;  /* by file */
    unsigned char *seen;    /* by row: found in a changed file */
    unsigned char *own;     /* by row: the meaning of its own node has changed */
    unsigned char *baked;   /* by row */
    bake_inputs inputs;
    bake_names names;
    bake_values *values;
    bake_patched_asset *made;
    size_t made_count, baked_count;
} rerun;

bool bake_rerun_is_possible(const bake_options *o)
{
    return o->command == BAKE_COMMAND_BUILD && o->output && strcmp(o->output, "-") != 0 &&
           !o->each && !o->dry_run && !o->source_map && !o->no_share && o->compress == 0 &&
           !o->patch && o->externs.count == 0 && !o->depend && !o->timings && !o->shared_timings &&
           !o->diagnostics_file && !o->checked;
}

/* Whether nothing was reported, not even a warning: a message may depend on all assets. */
static bool is_silent(const rerun *r)
{
    bake_diagnostics *d = r->run->diagnostics;
    return bake_diagnostics_errors(d) == 0 && bake_diagnostics_warnings(d) == 0 &&
           !bake_diagnostics_no_memory(d) && r->run->failure.result == BAKE_OK;
}

/* ---- which files and assets are affected ---- */

static bool mark_changed(rerun *r)
{
    for (size_t i = 0; i < r->def->changed_count; i++) {
        uint32_t file = bake_memo_find_file(r->memo, r->def->changed[i]);
        if (file == UINT32_MAX || !bake_is_yaml_name(r->def->changed[i]))
            return false;
        r->changed[file] = r->parsed[file] = 1;
    }
    return true;
}

/* Whether an importer makes the assets of a file whose byte is set. It must not run before it is
 * known that it must. */
static bool are_imported(const rerun *r, const unsigned char *files)
{
    const bake_schema *schema = r->run->schema;
    for (uint32_t i = 0; i < r->memo->count; i++) {
        const bake_memo_asset *row = &r->memo->all[i];
        if (files[row->file] && row->rule < schema->rule_count && schema->rules[row->rule].importer)
            return true;
    }
    return false;
}

/* Reads the files whose byte is set in `files`. */
static bool read_files(rerun *r, const unsigned char *files, bool skips_bases)
{
    const bake_options *o = r->run->options;
    size_t count = 0;
    const char **paths = are_imported(r, files)
                             ? NULL
                             : bake_alloc_array((size_t)r->memo->file_count + 1, sizeof *paths);
    if (!paths)
        return false;
    for (uint32_t i = 0; i < r->memo->file_count; i++)
        if (files[i])
            paths[count++] = bake_memo_path(r->memo, i);
    bake_inputs_def def = {.gateway = r->run->gateway,
                           .diagnostics = r->run->diagnostics,
                           .schema = r->run->schema,
                           .base = o->base,
                           .paths = paths,
                           .path_count = count,
                           .jobs = 1,
                           .are_located = true,
                           .skips_bases = skips_bases};
    bake_inputs_fini(&r->inputs);
    bool done = bake_inputs_read(&r->inputs, &def, &r->run->failure) == BAKE_OK;
    bake_free(paths);
    if (!done || r->inputs.count != count || !bake_memo_are_possible(&r->inputs))
        return false;
    for (size_t i = 0; i < r->inputs.count; i++)
        if (r->inputs.inputs[i].rule && r->inputs.inputs[i].rule->importer)
            return false;
    return is_silent(r);
}

static const bake_tree *tree_of(const rerun *r, const bake_asset *asset)
{
    return r->inputs.inputs[asset->input].tree;
}

/* Compares an asset of a changed file with its row, and replaces the row. In another file, an asset
 * that is not plain can mean something else, because paths of files begin at the folder of its
 * file. */
static bool compare_asset(rerun *r, const bake_asset *asset)
{
    uint32_t number = bake_memo_find(r->memo, asset->name, asset->name_length);
    uint32_t file = bake_memo_find_file(r->memo, r->inputs.inputs[asset->input].path);
    if (number == UINT32_MAX || file == UINT32_MAX || asset->is_scene || r->seen[number])
        return false;
    bake_memo_asset *row = &r->memo->all[number];
    if (!r->changed[row->file] || row->type != asset->type)
        return false;
    kiln_hash128 meaning = bake_node_meaning(tree_of(r, asset), asset->node);
    uint32_t rule = bake_memo_rule(r->run->schema, asset->rule);
    r->seen[number] = 1;
    bool keeps_meaning = file == row->file || (row->flags & BAKE_MEMO_PLAIN);
    r->baked[number] =
        !keeps_meaning || !bake_hash_equal(meaning, row->meaning) || rule != row->rule;
    row->meaning = meaning;
    row->rule = rule;
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

/* Finds the assets of the changed files. They must have the same names and types as before, but may
 * be in another of these files. */
static bool compare_files(rerun *r)
{
    if (!read_files(r, r->changed, r->run->schema->has_inherit))
        return false;
    for (size_t i = 0; i < r->inputs.asset_count; i++)
        if (!compare_asset(r, &r->inputs.assets[i]))
            return false;
    for (uint32_t i = 0; i < r->memo->count; i++)
        if (r->changed[r->memo->all[i].file] && !r->seen[i])
            return false;
    for (size_t i = 0; i < r->inputs.asset_count; i++) {
        const bake_asset *asset = &r->inputs.assets[i];
        uint32_t number = bake_memo_find(r->memo, asset->name, asset->name_length);
        r->memo->all[number].file =
            bake_memo_find_file(r->memo, r->inputs.inputs[asset->input].path);
        if (r->baked[number] && !add_parents(r, asset))
            return false;
    }
    return true;
}

/* Determines which assets are baked, and which files are parsed for them. */
static bool find_affected(rerun *r)
{
    memcpy(r->own, r->baked, r->memo->count);
    bake_memo_add_descendants(r->memo, r->baked);
    for (uint32_t i = 0; i < r->memo->count; i++) {
        if (!r->baked[i])
            continue;
        if (!(r->memo->all[i].flags & BAKE_MEMO_PLAIN))
            return false;
        r->parsed[r->memo->all[i].file] = 1;
        r->baked_count++;
    }
    bake_memo_add_ancestors(r->memo, r->parsed);
    return true;
}

/* ---- inheritance ---- */

/* The row of each base; NULL if memory runs out or a base has none. */
static uint32_t *rows_of_bases(const rerun *r)
{
    const bake_bases *bases = r->inputs.bases;
    uint32_t *rows = bake_alloc_array(bases->count + 1, sizeof *rows);
    for (size_t i = 0; rows && i < bases->count; i++) {
        rows[i] = bake_memo_find(r->memo, bases->all[i].asset.name, bases->all[i].name_length);
        bool is_abstract = rows[i] != UINT32_MAX && rows[i] >= r->memo->asset_count;
        if (rows[i] == UINT32_MAX || is_abstract != bases->all[i].asset.is_abstract) {
            bake_free(rows);
            return NULL;
        }
    }
    return rows;
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
        total += r->memo->all[i].weight;
    return total <= limit;
}

/* Reads all files again whose assets matter, and resolves their inheritance. */
static bool read_bases(rerun *r)
{
    if (!r->run->schema->has_inherit)
        return true;
    return read_files(r, r->parsed, false) && r->inputs.bases && renew_parents(r) && is_light(r);
}

/* ---- baking ---- */

static bool has_refs(const kiln_types *types)
{
    for (uint32_t i = 0; i < kiln_types_count(types); i++)
        if (kiln_types_get(types, i)->kind == KILN_KIND_REF)
            return true;
    return false;
}

/* Adds the names of all assets, to which references can refer. */
static bool add_names(rerun *r)
{
    const kiln_types *types = r->run->schema->types;
    uint32_t count = has_refs(types) ? r->memo->count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const bake_name *other;
        const bake_memo_asset *row = &r->memo->all[i];
        bake_name name;
        memset(&name, 0, sizeof name);
        name.name = bake_memo_name(r->memo, i);
        name.length = row->name_length;
        name.type = row->type;
        name.is_abstract = i >= r->memo->asset_count;
        if (row->type >= kiln_types_count(types) || !bake_names_add(&r->names, &name, &other) ||
            other)
            return false;
    }
    return true;
}

static const bake_asset *find_asset(const bake_asset *assets, size_t count, const char *name,
                                    size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (assets[i].name_length == length && memcmp(assets[i].name, name, length) == 0)
            return &assets[i];
    return NULL;
}

static const bake_asset *asset_of(const rerun *r, uint32_t number)
{
    const bake_bases *bases = r->inputs.bases;
    const char *name = bake_memo_name(r->memo, number);
    size_t length = r->memo->all[number].name_length;
    const bake_asset *asset = find_asset(r->inputs.assets, r->inputs.asset_count, name, length);
    return asset || !bases ? asset
                           : find_asset(bases->abstracts, bases->abstract_count, name, length);
}

/* Bakes an asset; an abstract one is only checked. */
static bool bake_again(rerun *r, uint32_t number)
{
    size_t imports;
    bake_asset_layers layers;
    const bake_asset *asset = asset_of(r, number);
    if (!asset)
        return false;
    bake_name name = bake_asset_name(&r->inputs, asset);
    bool inherits = asset->base != UINT32_MAX;
    if ((inherits && !bake_bases_list(r->inputs.bases, asset->base, &layers)) ||
        !bake_asset_read(r->values, asset, &name, inherits ? &layers : NULL))
        return false;
    (void)bake_values_imports(r->values, &imports);
    if (imports > 0)
        return false;
    if (number >= r->memo->asset_count)
        return true;
    bake_patched_asset *made = &r->made[r->made_count];
    made->name = name.name;
    made->name_length = name.length;
    made->path = r->inputs.inputs[asset->input].path;
    made->type = kiln_types_get(r->run->schema->types, asset->type)->name;
    if (!bake_values_finish_asset(r->values, &name, &made->asset))
        return false;
    r->made_count++;
    return true;
}

static bool bake_affected(rerun *r)
{
    bake_run *run = r->run;
    if (r->baked_count == 0)
        return true;
    r->made = bake_alloc_array(r->baked_count, sizeof *r->made);
    if (!r->made || bake_run_clusters_types(run, &r->inputs) || !add_names(r))
        return false;
    r->values = bake_values_create(run->schema, run->diagnostics, &run->failure);
    if (!r->values)
        return false;
    bake_values_make_helper(r->values);
    bake_values_set_names(r->values, &r->names, 0);
    for (uint32_t i = 0; i < r->memo->count; i++)
        if (r->baked[i] && !bake_again(r, i))
            return false;
    return is_silent(r);
}

/* ---- the output ---- */

static bool write_output(rerun *r)
{
    bake_run *run = r->run;
    bake_file_patch *patch = bake_file_patch_make(r->def->output, r->made, r->made_count);
    if (!patch)
        return false;
    bool done = bake_file_patch_is_empty(patch);
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    if (!done && run->outputs) {
        bake_output *output = bake_run_begin(run, run->options->output);
        done = output && bake_file_patch_write(patch, bake_output_write, output) &&
               bake_run_budgets_fit(run, output, bake_file_patch_size(patch)) &&
               bake_run_commit(run) == BAKE_OK;
    }
    for (size_t i = 0; i < r->made_count && done && run->options->verbose; i++)
        fprintf(run->err, "%s: %zu bytes, from %s\n", r->made[i].name, r->made[i].asset.blob.size,
                r->made[i].path);
    if (done) {
        run->work = (bake_run_work){r->baked_count, r->memo->count, 0, r->memo->file_count};
        for (uint32_t i = 0; i < r->memo->file_count; i++)
            run->work.parsed += r->parsed[i];
        bake_run_print_output(run, run->options->output, bake_file_patch_counts(patch), 0,
                              bake_file_patch_size(patch));
    }
    bake_file_patch_destroy(patch);
    return done;
}

static void fini(rerun *r)
{
    for (size_t i = 0; i < r->made_count; i++)
        kiln_finished_asset_fini(&r->made[i].asset);
    bake_free(r->made);
    bake_values_destroy(r->values);
    bake_names_fini(&r->names);
    bake_inputs_fini(&r->inputs);
    bake_free(r->changed);
    bake_free(r->parsed);
    bake_free(r->seen);
    bake_free(r->own);
    bake_free(r->baked);
}

static bool allocate(rerun *r)
{
    r->changed = bake_alloc_array((size_t)r->memo->file_count + 1, 1);
    r->parsed = bake_alloc_array((size_t)r->memo->file_count + 1, 1);
    r->seen = bake_alloc_array((size_t)r->memo->count + 1, 1);
    r->baked = bake_alloc_array((size_t)r->memo->count + 1, 1);
    r->own = bake_alloc_array((size_t)r->memo->count + 1, 1);
    return r->changed && r->parsed && r->seen && r->baked && r->own;
}

/* The sizes of the files that were parsed. */
static void renew_sizes(rerun *r)
{
    for (size_t i = 0; i < r->inputs.count; i++) {
        uint32_t file = bake_memo_find_file(r->memo, r->inputs.inputs[i].path);
        if (file != UINT32_MAX)
            r->memo->files[file].size = r->inputs.inputs[i].size;
    }
}

static bool may_write(rerun *r)
{
    const bake_rerun_view view = {.run = r->run,
                                  .memo = r->memo,
                                  .inputs = &r->inputs,
                                  .output = r->def->output,
                                  .changed = r->own,
                                  .baked = r->baked,
                                  .made = r->made,
                                  .made_count = r->made_count};
    return r->def->may_write(r->def->ctx, &view);
}

bool bake_rerun(bake_run *run, const bake_rerun_def *def)
{
    rerun r = {.run = run, .def = def, .memo = def->memo};
    bool done = allocate(&r) && mark_changed(&r) && bake_run_schema(run) == BAKE_OK &&
                is_silent(&r) && compare_files(&r) && find_affected(&r);
    if (done) {
        renew_sizes(&r);
        done = read_bases(&r) && bake_affected(&r) && may_write(&r) && write_output(&r);
    }
    fini(&r);
    return done;
}

/* Collects the names of all assets of a run, and reports duplicates.
 *
 * The id of an asset in a file is the 64-bit hash of its name, so one run cannot have two names
 * with the same hash. */
#include "run_names.h"

#include "asset_bases.h"
#include "run_part.h"
#include "run_scenes.h"

#include <kiln/scene.h>
#include <string.h>

typedef struct run_names {
    bake_run *run;
    bake_inputs *inputs;
    bake_names *names;
} run_names;

static const bake_tree *tree_of(const run_names *b, const bake_asset *asset)
{
    return b->inputs->inputs[asset->input].tree;
}

static bool is_same_name(const bake_asset *asset, const bake_name *other)
{
    return other->length == asset->name_length &&
           memcmp(other->name, asset->name, other->length) == 0;
}

static void report_duplicate(run_names *b, const bake_asset *asset, const bake_name *other)
{
    bake_diagnostics *d = b->run->diagnostics;
    bake_mark mark = bake_node_mark(tree_of(b, asset), asset->named_at);
    if (!is_same_name(asset, other)) {
        bake_report(d, BAKE_ERROR, mark, "id", asset->name,
                    "the hash of this name, which is the id in the file, equals that of \"%s\"; "
                    "rename one of the two assets",
                    other->name);
    } else if (other->output == BAKE_OUTPUT_EXTERN) {
        bake_report(d, BAKE_ERROR, mark, "duplicate", asset->name, "%s already contains this asset",
                    other->file);
    } else {
        bake_mark first = bake_node_mark(other->tree, other->node);
        bake_report(d, BAKE_ERROR, mark, "duplicate", asset->name,
                    "this asset is already defined at %s:%u:%u",
                    bake_diagnostics_source_name(d, first.source), first.line, first.column);
        bake_related(d, first, "defined here");
    }
}

/* Whether the asset replaces one in an extern file. The type must not change, because baked
 * references rely on it. */
static bool is_patch(run_names *b, const bake_asset *asset, const bake_name *other)
{
    if (!b->run->options->patch || other->output != BAKE_OUTPUT_EXTERN ||
        !is_same_name(asset, other))
        return false;
    const char *type = asset->is_scene ? KILN_SCENE_TYPE_NAME
                                       : kiln_types_get(b->run->schema->types, asset->type)->name;
    if (strlen(type) != other->type_name_length ||
        memcmp(type, other->type_name, other->type_name_length) != 0)
        bake_report(b->run->diagnostics, BAKE_ERROR,
                    bake_node_mark(tree_of(b, asset), asset->named_at), "type", asset->name,
                    "this asset is of type %s, but in %s it is of type %.*s", type, other->file,
                    (int)other->type_name_length, other->type_name);
    return true;
}

/* Whether `a` comes before `b` in the inputs. */
static bool is_before(const bake_asset *a, const bake_asset *b)
{
    return a->input != b->input ? a->input < b->input : a->named_at < b->named_at;
}

/* Returns false if memory runs out. */
static bool add_name(run_names *b, const bake_asset *asset, bool is_abstract)
{
    const bake_name *other;
    bake_name name;
    memset(&name, 0, sizeof name);
    name.name = asset->name;
    name.length = asset->name_length;
    name.type = asset->type;
    name.output = b->run->options->each ? asset->input : 0;
    if (!bake_part_owns(b->run, asset->input))
        name.output = BAKE_PART_OTHER;
    name.tree = tree_of(b, asset);
    name.node = asset->named_at;
    name.is_abstract = is_abstract;
    if (asset->is_scene) {
        name.type_name = KILN_SCENE_TYPE_NAME;
        name.type_name_length = strlen(name.type_name);
        name.file = b->inputs->inputs[asset->input].path;
    }
    if (!bake_names_add(b->names, &name, &other))
        return false;
    if (other && !is_abstract && is_patch(b, asset, other))
        bake_names_replace(b->names, other, &name);
    else if (other)
        report_duplicate(b, asset, other);
    else if (asset->is_scene)
        return bake_run_scenes_names(b->run, b->inputs, b->names, asset, name.output);
    return true;
}

/* Merges assets and abstract assets in input order, so that of two equal names the second is
 * reported. */
bake_result bake_run_names(bake_run *run, bake_inputs *inputs, bake_names *names)
{
    run_names b = {run, inputs, names};
    const bake_bases *bases = inputs->bases;
    size_t abstracts = bases ? bases->abstract_count : 0, i = 0, a = 0;
    while (i < inputs->asset_count || a < abstracts) {
        const bake_asset *asset = i < inputs->asset_count ? &inputs->assets[i] : NULL;
        const bake_asset *hidden = a < abstracts ? &bases->abstracts[a] : NULL;
        bool is_abstract = hidden && (!asset || is_before(hidden, asset));
        if (!add_name(&b, is_abstract ? hidden : asset, is_abstract))
            return bake_fail_memory(&run->failure);
        i += !is_abstract;
        a += is_abstract;
    }
    return BAKE_OK;
}

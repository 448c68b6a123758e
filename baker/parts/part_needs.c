/* Makes the contents of a names file from the inputs of a bundle. */
#include "asset_bases.h"
#include "asset_links.h"
#include "bake_memory.h"
#include "part_names.h"

#include <kiln/scene.h>
#include <stdlib.h>
#include <string.h>

/* Input `by` needs input `of`. */
typedef struct need {
    uint32_t by, of;
} need;

typedef struct tree_input {
    uintptr_t tree;
    uint32_t input;
} tree_input;

typedef struct maker {
    const bake_inputs *inputs;
    bake_part_names *names;
    need *needs;
    size_t count, capacity;
    tree_input *trees; /* sorted by tree */
} maker;

static bool add_need(maker *m, uint32_t by, uint32_t of)
{
    if (by == of)
        return true;
    need *needs = bake_grow(m->needs, &m->capacity, m->count + 1, sizeof *needs);
    if (!needs)
        return false;
    m->needs = needs;
    needs[m->count++] = (need){by, of};
    return true;
}

static int compare_needs(const void *a, const void *b)
{
    const need *x = a, *y = b;
    if (x->by != y->by)
        return x->by < y->by ? -1 : 1;
    return (x->of > y->of) - (x->of < y->of);
}

static int compare_trees(const void *a, const void *b)
{
    const tree_input *x = a, *y = b;
    return (x->tree > y->tree) - (x->tree < y->tree);
}

/* ---- needs ---- */

/* A patch and the asset that it changes need each other: the asset cannot be baked without the
 * patch, nor the patch be checked without the asset. */
static bool add_bases(maker *m)
{
    const bake_bases *bases = m->inputs->bases;
    for (size_t i = 0; bases && i < bases->count; i++) {
        const bake_base *base = &bases->all[i];
        for (uint32_t k = 0; k < base->parent_count; k++)
            if (!add_need(m, base->input, bases->all[bases->parents[base->first_parent + k]].input))
                return false;
        if (!base->patch)
            continue;
        uint32_t patch = bases->all[base->patch - 1].input;
        if (!add_need(m, base->input, patch) || !add_need(m, patch, base->input))
            return false;
    }
    return true;
}

/* Returns UINT32_MAX for a tree that is no input. */
static uint32_t input_of(const maker *m, const bake_tree *tree)
{
    const tree_input key = {(uintptr_t)tree, 0};
    const tree_input *found =
        bsearch(&key, m->trees, m->inputs->count, sizeof *m->trees, compare_trees);
    return tree && found ? found->input : UINT32_MAX;
}

static bool add_uses(maker *m)
{
    size_t count;
    if (!m->inputs->scenes)
        return true;
    m->trees = bake_alloc_array(m->inputs->count, sizeof *m->trees);
    if (!m->trees)
        return false;
    for (size_t i = 0; i < m->inputs->count; i++)
        m->trees[i] = (tree_input){(uintptr_t)m->inputs->inputs[i].tree, (uint32_t)i};
    qsort(m->trees, m->inputs->count, sizeof *m->trees, compare_trees);
    const bake_scene_use *uses = bake_scenes_uses(m->inputs->scenes, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t by = input_of(m, uses[i].by), of = input_of(m, uses[i].of);
        if (by != UINT32_MAX && of != UINT32_MAX && by != of && !add_need(m, by, of))
            return false;
    }
    return true;
}

static void find_context(const maker *m)
{
    const bake_links *links = m->inputs->links;
    for (size_t i = 0; links && i < links->count; i++) {
        const bake_link *link = &links->all[i];
        if (link->tree && link->input < m->inputs->count)
            m->names->inputs[link->input].is_context = true;
        m->names->has_redirects = m->names->has_redirects || link->kind != BAKE_LINK_ACCEPTED;
    }
}

/* Sorts the needs, removes duplicates and gives each input its own. */
static bool list_needs(maker *m)
{
    size_t kept = 0, at = 0;
    if (m->count > 1)
        qsort(m->needs, m->count, sizeof *m->needs, compare_needs);
    for (size_t i = 0; i < m->count; i++)
        if (!kept || compare_needs(&m->needs[kept - 1], &m->needs[i]) != 0)
            m->needs[kept++] = m->needs[i];
    uint32_t *list = bake_store_alloc(&m->names->store, kept + 1, sizeof *list);
    for (size_t i = 0; list && i < kept; i++)
        list[i] = m->needs[i].of;
    for (size_t i = 0; list && i < m->names->input_count; i++) {
        size_t first = at;
        while (at < kept && m->needs[at].by == i)
            at++;
        m->names->inputs[i].needs = list + first;
        m->names->inputs[i].need_count = at - first;
    }
    return list != NULL;
}

/* ---- inputs, names and guids ---- */

/* The argument that leads to `path`. */
static const char *argument_of(const char *path, const char *base)
{
    size_t length = base && strcmp(base, ".") != 0 ? strlen(base) : 0;
    while (length > 1 && base[length - 1] == '/')
        length--;
    bool below = length > 0 && strncmp(path, base, length) == 0 && path[length] == '/';
    if (!below)
        return path;
    path += length;
    while (*path == '/')
        path++;
    return path;
}

static bool add_inputs(const maker *m, const char *base)
{
    bake_part_names *names = m->names;
    names->input_count = m->inputs->count;
    names->inputs = bake_store_alloc(&names->store, m->inputs->count + 1, sizeof *names->inputs);
    for (size_t i = 0; names->inputs && i < m->inputs->count; i++) {
        const bake_input *input = &m->inputs->inputs[i];
        names->inputs[i] = (bake_part_input){.path = input->path,
                                             .argument = argument_of(input->path, base),
                                             .is_listed = input->is_listed};
    }
    return names->inputs != NULL;
}

static bool add_names(const maker *m, const bake_names *all, const kiln_types *types)
{
    bake_part_names *names = m->names;
    names->names = bake_store_alloc(&names->store, all->count + 1, sizeof *names->names);
    for (size_t i = 0; names->names && i < all->count; i++) {
        const bake_name *from = &all->all[i];
        if (from->output == BAKE_OUTPUT_EXTERN)
            continue;
        bake_part_name *name = &names->names[names->name_count++];
        *name = (bake_part_name){.name = from->name,
                                 .length = from->length,
                                 .type = from->type_name,
                                 .type_length = from->type_name_length,
                                 .is_abstract = from->is_abstract,
                                 .is_part = from->is_part};
        if (from->type != KILN_TYPE_NONE) {
            name->type = kiln_types_get(types, from->type)->name;
            name->type_length = strlen(name->type);
        }
        name->is_scene = from->type == KILN_TYPE_NONE && !from->is_part;
    }
    return names->names != NULL;
}

static bool add_guids(const maker *m)
{
    bake_part_names *names = m->names;
    const bake_guids *guids = m->inputs->guids;
    if (!guids)
        return true;
    names->guids = bake_store_alloc(&names->store, guids->count + 1, sizeof *names->guids);
    for (size_t i = 0; names->guids && i < guids->count; i++) {
        const bake_guid *guid = &guids->all[i];
        names->guids[i] =
            (bake_rest_guid){guid->guid, guid->length, guid->path, guid->rule != NULL};
        names->guid_count++;
    }
    return names->guids != NULL;
}

bake_part_names *bake_part_names_make(const bake_inputs *inputs, const bake_names *names,
                                      const bake_schema *schema, const char *base)
{
    maker m = {.inputs = inputs, .names = bake_alloc_array(1, sizeof(bake_part_names))};
    if (!m.names)
        return NULL;
    m.names->has_scenes = inputs->scenes != NULL;
    m.names->has_clusters = schema->has_clusters || inputs->scenes;
    m.names->scene_work = inputs->scenes ? bake_scenes_work_max(inputs->scenes) : 0;
    bool ok = add_inputs(&m, base) && add_names(&m, names, schema->types) && add_guids(&m) &&
              add_bases(&m) && add_uses(&m);
    if (ok) {
        find_context(&m);
        ok = list_needs(&m);
    }
    bake_free(m.needs);
    bake_free(m.trees);
    if (ok)
        return m.names;
    bake_part_names_destroy(m.names);
    return NULL;
}

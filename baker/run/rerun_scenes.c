/* The scenes of a rerun: which of them a change affects, and baking these.
 *
 * A scene depends on everything that it uses: prefabs, assets that are prefabs, and scenes that it
 * contains or to whose entities it refers. These are its parents in the memo. Any name that it
 * found is still found unless a parent is lost; another thing with the same name has precedence
 * only in the cases of `shadows`. If a link of a prototype has changed, all scenes are baked,
 * because the memo does not have the links that they used. */
#include "rerun_store.h"

#include "asset_links.h"
#include "bake_memory.h"
#include "bake_text.h"
#include "run_memo.h"
#include "run_scenes.h"
#include "scene_items.h"
#include "scene_notes.h"

#include <kiln/scene.h>
#include <string.h>

enum { KINDS_MAX = 16 };

/* The kinds of the scenes of a memo, with the slash. */
typedef struct scene_kinds {
    const char *all[KINDS_MAX];
    size_t lengths[KINDS_MAX];
    size_t count;
} scene_kinds;

typedef struct word_finder {
    rerun *r;
    const scene_kinds *kinds;
} word_finder;

static bool is_scene(const bake_memo *memo, uint32_t row)
{
    return row < memo->asset_count && bake_memo_is_scene(&memo->all[row]);
}

static size_t kind_length(const char *name)
{
    return strcspn(name, "/") + 1;
}

/* ---- which scenes are affected ---- */

bool bake_rerun_scenes_list(const rerun *r, bake_memo_found *found, uint32_t *count)
{
    size_t prefab_count;
    bake_memo_prefab *prefabs = bake_scene_notes_prefabs(r->inputs.scenes, &prefab_count);
    for (size_t i = 0; prefabs && i < prefab_count; i++) {
        const bake_memo_prefab *prefab = &prefabs[i];
        bake_memo_found *row = &found[(*count)++];
        *row = (bake_memo_found){.name = prefab->name,
                                 .name_length = prefab->name_length,
                                 .meaning = bake_memo_meaning(prefab->tree, prefab->node, true),
                                 .type = KILN_TYPE_NONE,
                                 .rule = BAKE_MEMO_NO_RULE,
                                 .file = r->numbers[prefab->input],
                                 .section = BAKE_SECTION_PREFABS};
        if (bake_rerun_has_map(r))
            row->form = bake_node_form_of(prefab->tree, prefab->node);
    }
    bake_free(prefabs);
    return prefabs != NULL;
}

/* Returns false if there are too many. */
static bool list_kinds(const bake_memo *memo, scene_kinds *kinds)
{
    for (uint32_t i = 0; i < memo->asset_count; i++) {
        const char *name = bake_memo_name(memo, i);
        size_t length = kind_length(name), k = 0;
        if (!is_scene(memo, i))
            continue;
        while (k < kinds->count &&
               (kinds->lengths[k] != length || memcmp(kinds->all[k], name, length) != 0))
            k++;
        if (k == KINDS_MAX)
            return false;
        kinds->all[k] = name;
        kinds->lengths[k] = length;
        kinds->count += k == kinds->count;
    }
    return true;
}

/* The row of a scene with the id `id` of a kind; UINT32_MAX: none. Sets `*no_memory` if memory runs
 * out. */
static uint32_t find_scene(const bake_memo *memo, const char *kind, size_t prefix, const char *id,
                           size_t length, bool *no_memory)
{
    char *name = bake_alloc(prefix + length + 1);
    *no_memory = *no_memory || !name;
    if (!name)
        return UINT32_MAX;
    memcpy(name, kind, prefix);
    memcpy(name + prefix, id, length);
    uint32_t row = bake_memo_find(memo, name, prefix + length);
    bake_free(name);
    return is_scene(memo, row) ? row : UINT32_MAX;
}

/* The link of an id of the assets that are prefabs. Sets `*no_memory` if memory runs out. */
static const bake_link *prototype_link(const rerun *r, const char *id, size_t length,
                                       bool *no_memory)
{
    const bake_scene_words *words = r->run->schema->prototype_words;
    const char *kind = words ? r->run->schema->info[words->prefab_type].kind : NULL;
    size_t prefix = kind ? strlen(kind) + 1 : 0;
    if (!kind || !r->inputs.links)
        return NULL;
    char *name = bake_alloc(prefix + length + 1);
    *no_memory = *no_memory || !name;
    if (!name)
        return NULL;
    memcpy(name, kind, prefix - 1);
    name[prefix - 1] = '/';
    memcpy(name + prefix, id, length);
    const bake_link *link = bake_links_find(r->inputs.links, name, prefix + length);
    bake_free(name);
    return link;
}

/* Whether a new name can have precedence over one that a scene has found before: a prefab over an
 * asset or a link, an asset over a link, `Scene/x` over `Scene/Scene/x` and `Level/Scene/x`, and a
 * scene over one in an extern file. */
static bool shadows(const rerun *r, const scene_kinds *kinds, uint32_t row, bool *no_memory)
{
    const bake_memo *memo = r->memo;
    const char *name = bake_memo_name(memo, row);
    size_t length = memo->all[row].name_length;
    const bake_scene_words *words = r->run->schema->prototype_words;
    if (!bake_memo_is_scene(&memo->all[row]))
        return words && memo->all[row].type == words->prefab_type &&
               bake_links_find(r->inputs.links, name, length) != NULL;
    if (row >= bake_memo_prefabs_at(memo))
        return bake_scene_notes_prototype(memo, r->run->schema, name, length) != UINT32_MAX ||
               prototype_link(r, name, length, no_memory);
    bool found = is_scene(memo, row) && r->run->options->externs.count > 0;
    for (size_t i = 0; i < kinds->count && is_scene(memo, row) && !found; i++)
        found = find_scene(memo, kinds->all[i], kinds->lengths[i], name, length, no_memory) !=
                UINT32_MAX;
    return found;
}

/* Marks everything that has lost a parent. If a new name has precedence, marks all scenes. */
static bool compare_uses(rerun *r, const scene_kinds *kinds)
{
    const bake_memo *memo = r->memo;
    bool has_shadow = r->has_other_prototypes, no_memory = false;
    for (uint32_t i = 0; i < memo->count; i++) {
        uint32_t from = r->from[i];
        if (from == UINT32_MAX)
            has_shadow = has_shadow || shadows(r, kinds, i, &no_memory);
        else if (bake_memo_is_scene(&memo->all[i]) &&
                 memo->all[i].parent_count != r->before->all[from].parent_count)
            r->affected[i] = 1;
    }
    for (uint32_t i = 0; i < memo->count && has_shadow; i++)
        r->affected[i] = r->affected[i] || bake_memo_is_scene(&memo->all[i]);
    return !no_memory;
}

static void parse(rerun *r, uint32_t row)
{
    if (row != UINT32_MAX)
        r->parsed[r->memo->all[row].file] = 1;
}

static void parse_renamed(rerun *r, const bake_link *link)
{
    if (link && link->kind == BAKE_LINK_RENAMED)
        parse(r, bake_memo_find(r->memo, link->to, link->to_length));
}

/* The parents of scenes are the assets that the old names meant before. */
static void parse_all_renamed(rerun *r)
{
    const bake_links *links = r->inputs.links;
    for (size_t i = 0; links && i < links->count; i++)
        parse_renamed(r, &links->all[i]);
}

/* The files of everything that a text can name are parsed. What is not found is left to
 * bake_scenes_resolve. */
static bool visit_word(void *ctx, bake_scene_word word, const char *text, size_t length)
{
    const word_finder *w = ctx;
    rerun *r = w->r;
    bool no_memory = false;
    if (word == BAKE_WORD_PREFAB) {
        parse(r, bake_memo_find_prefab(r->memo, text, length));
        parse(r, bake_scene_notes_prototype(r->memo, r->run->schema, text, length));
        parse_renamed(r, prototype_link(r, text, length, &no_memory));
        return !no_memory;
    }
    parse(r, find_scene(r->memo, "", 0, text, length, &no_memory));
    for (size_t i = 0; i < w->kinds->count; i++)
        parse(r, find_scene(r->memo, w->kinds->all[i], w->kinds->lengths[i], text, length,
                            &no_memory));
    return !no_memory;
}

/* Adds what the scenes, prefabs and prototypes of the changed files use. */
static bool add_used_files(rerun *r, const scene_kinds *kinds)
{
    const bake_scene_words *of = r->run->schema->prototype_words;
    word_finder w = {r, kinds};
    bool done = true;
    for (size_t i = 0; i < r->inputs.asset_count && done; i++) {
        const bake_asset *asset = &r->inputs.assets[i];
        const bake_scene_words *words = asset->rule ? asset->rule->words : NULL;
        if (asset->is_scene || (of && asset->type == of->prefab_type))
            done = bake_scene_words_list(r->inputs.inputs[asset->input].tree, asset->node, words,
                                         visit_word, &w);
    }
    size_t items = r->inputs.scenes ? bake_scene_items_count(r->inputs.scenes) : 0;
    for (size_t i = 0; i < items && done; i++) {
        const bake_scene_item item = bake_scene_items_get(r->inputs.scenes, i);
        if (item.kind == BAKE_ITEM_PREFAB)
            done = bake_scene_words_list(item.tree, item.node, NULL, visit_word, &w);
    }
    return done;
}

/* Whether the new run has documents of scenes or prefabs if and only if the old one had. An empty
 * document has no row, so this can be unknown. */
static bool exists_as_before(const rerun *r)
{
    bool exists = r->inputs.scenes != NULL;
    for (uint32_t i = 0; i < r->memo->count && !exists; i++)
        exists = bake_memo_is_scene(&r->memo->all[i]);
    return exists == (r->before->scenes.exist != 0);
}

bool bake_rerun_scenes_compare(rerun *r)
{
    scene_kinds kinds = {.count = 0};
    if (!exists_as_before(r))
        return false;
    if (r->has_other_prototypes)
        parse_all_renamed(r);
    return !r->memo->scenes.exist ||
           (list_kinds(r->memo, &kinds) && compare_uses(r, &kinds) && add_used_files(r, &kinds));
}

/* Whether an asset of the old output is no longer written. */
static bool has_lost_names(const rerun *r)
{
    for (uint32_t i = 0; i < r->before->asset_count && !r->has_same_names; i++)
        if (bake_memo_find(r->memo, bake_memo_name(r->before, i), r->before->all[i].name_length) >=
            r->memo->asset_count)
            return true;
    return false;
}

static bool has_new_names(const rerun *r)
{
    for (uint32_t i = 0; i < bake_memo_prefabs_at(r->memo); i++)
        if (r->from[i] == UINT32_MAX)
            return true;
    return false;
}

/* The memo does not have the targets of references in prefabs. */
bool bake_rerun_scenes_check_all(const rerun *r)
{
    return r->memo->scenes.exist &&
           (has_lost_names(r) || r->has_other_aliases || (r->has_aliases && has_new_names(r)));
}

/* ---- baking ---- */

/* The name of a part of a scene. Returns NULL if memory runs out. */
static const char *part_name(rerun *r, const char *kind, const char *scene)
{
    return bake_store_join(&r->run->store, kind, '/', strchr(scene, '/') + 1);
}

bool bake_rerun_scenes_names(rerun *r, uint32_t row, bool (*add)(rerun *r, const bake_name *name))
{
    const char *scene = bake_memo_name(r->memo, row);
    const kiln_type *data = kiln_types_get(r->run->schema->types, r->run->schema->scene_data);
    const char *const kinds[3] = {NULL, "SceneChunks", data ? "SceneData" : NULL};
    const char *const types[3] = {KILN_SCENE_TYPE_NAME, KILN_SCENE_CHUNKS_TYPE_NAME,
                                  data ? data->name : NULL};
    bool done = strchr(scene, '/') != NULL;
    for (size_t i = 0; i < 3 && types[i] && done; i++) {
        bake_name name;
        memset(&name, 0, sizeof name);
        name.name = i ? part_name(r, kinds[i], scene) : scene;
        name.type = KILN_TYPE_NONE;
        name.type_name = types[i];
        name.type_name_length = strlen(types[i]);
        name.is_part = i > 0;
        name.file = bake_memo_path(r->memo, r->memo->all[row].file);
        done = name.name != NULL;
        name.length = done ? strlen(name.name) : 0;
        done = done && add(r, &name);
    }
    return done;
}

bool bake_rerun_scenes_check(rerun *r)
{
    if (!r->inputs.scenes)
        return true;
    if (bake_run_scenes_prefabs(r->run, &r->inputs, &r->names, r->values))
        return false;
    r->has_noisy_scenes = bake_values_is_noisy(r->values);
    return bake_rerun_is_valid(r);
}

/* Hands over a blob of a baked scene. */
static bool add_made(rerun *r, const bake_asset *asset, size_t part, kiln_buffer *blob)
{
    const bake_schema *schema = r->run->schema;
    static const char *const kinds[] = {NULL, "SceneChunks", "SceneData"};
    bake_patched_asset *made = &r->made[r->made_count];
    const char *name = part ? part_name(r, kinds[part], asset->name) : asset->name;
    if (!name)
        return false;
    *made = (bake_patched_asset){
        .name = name,
        .name_length = strlen(name),
        .type = part == 0   ? KILN_SCENE_TYPE_NAME
                : part == 1 ? KILN_SCENE_CHUNKS_TYPE_NAME
                            : kiln_types_get(schema->types, schema->scene_data)->name,
        .path = r->inputs.inputs[asset->input].path,
        .size = blob->size,
        .is_part = part > 0,
        .is_blob = true};
    made->asset.blob = *blob;
    memset(blob, 0, sizeof *blob);
    r->made_count++;
    return true;
}

bool bake_rerun_scenes_bake(rerun *r, const bake_asset *asset, uint32_t row)
{
    kiln_buffer blobs[3];
    if (r->origins)
        bake_origins_scene(r->origins, asset->name,
                           bake_node_mark(r->inputs.inputs[asset->input].tree, asset->named_at));
    bool done =
        bake_run_scenes_make(r->run, &r->inputs, &r->names, r->values, asset, blobs) == BAKE_OK &&
        bake_rerun_is_valid(r) && blobs[0].data;
    r->has_noisy_scenes = r->has_noisy_scenes || bake_values_is_noisy(r->values);
    if (done && r->baked[row])
        done = bake_run_keep_payloads(r->values, row, r->memo);
    for (size_t i = 0; i < 3 && done && r->baked[row]; i++)
        done = !blobs[i].data || add_made(r, asset, i, &blobs[i]);
    r->baked_count -= r->baked[row];
    for (size_t i = 0; i < 3; i++)
        kiln_buffer_fini(&blobs[i]);
    return done;
}

bool bake_rerun_scenes_end(rerun *r)
{
    if (r->inputs.scenes &&
        !bake_scene_notes_add(r->memo, r->inputs.scenes, r->run->schema, r->baked))
        return false;
    /* If one of them was noisy before, all were baked or checked again. */
    bake_scene_notes_set_noisy(r->memo, r->has_noisy_scenes);
    return !r->memo->scenes.exist || bake_scene_notes_fit(r->memo);
}

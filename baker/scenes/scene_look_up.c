/* Looks up the prefabs and scenes that documents name, and suggests similar names. */
#include "scene_look_up.h"

#include "asset_links.h"
#include "bake_memory.h"
#include "scene_prototypes.h"

#include <string.h>

/* The scene whose own prefabs are visible to the current unit. */
static const scene_unit *home_of(const bake_scenes *s)
{
    return s->reading.unit->is_scene ? s->reading.unit : s->reading.unit->home;
}

static void hint_units(bake_scenes *s, const scene_table *table, const scene_unit *home,
                       const char *text, size_t length, size_t skip)
{
    if (bake_diagnostics_errors(s->diagnostics) > SCENE_HINTS_MAX)
        return;
    const char **names = bake_alloc_array(table->count + 1, sizeof *names);
    char **copies = bake_alloc_array(table->count + 1, sizeof *copies);
    size_t count = 0;
    /* If memory runs out, there is just no hint. */
    for (size_t i = 0; names && copies && i < table->count; i++) {
        const scene_unit *unit = table->units[i];
        if ((unit->home && unit->home != home) || unit->length < skip)
            continue;
        /* bake_hint_similar needs NUL-terminated strings. */
        copies[count] = bake_copy_text(unit->name + skip, unit->length - skip);
        names[count] = copies[count];
        count += copies[count] != NULL;
    }
    if (names && copies)
        bake_hint_similar(s->diagnostics, text, length, names, count);
    while (count > 0)
        bake_free(copies[--count]);
    bake_free(copies);
    bake_free(names);
}

/* Reports the id of a deleted asset, or of one renamed to a missing asset. Returns false for other
 * ids. */
static bool report_old(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                       const scene_path *path, const char *text, size_t length)
{
    const bake_link *link = bake_scene_prototype_link(s, text, length);
    if (!link || link->kind == BAKE_LINK_ACCEPTED)
        return false;
    bake_mark mark = bake_node_mark(link->tree, link->node);
    const char *source = bake_diagnostics_source_name(s->diagnostics, mark.source);
    int shown = (int)(length < 100 ? length : 100);
    if (link->kind == BAKE_LINK_DELETED)
        bake_scene_report(s, tree, node, "base", path,
                          "the prefab \"%.*s\" was deleted at %.200s:%u:%u", shown, text, source,
                          mark.line, mark.column);
    else
        bake_scene_report(
            s, tree, node, "base", path,
            "the prefab \"%.*s\" was renamed at %.200s:%u:%u to \"%.100s\", which does not exist",
            shown, text, source, mark.line, mark.column, link->to);
    bake_related(s->diagnostics, mark, "deleted or renamed here");
    return true;
}

scene_unit *bake_scene_prefab_named(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                    const scene_path *path)
{
    size_t length;
    const char *text = bake_scene_text(s, tree, node, path, "the name of a prefab", &length);
    if (!text)
        return NULL;
    const scene_unit *home = home_of(s);
    const bake_scene_words *words = bake_scene_words_of(s);
    bool has_prototypes = words->prefab_type != KILN_TYPE_NONE;
    scene_unit *global = NULL;
    scene_unit *found = home ? bake_scene_unit_find(&s->prefabs, home, text, length) : NULL;
    /* A prefab of a scene may use the global prefab of the same name as its base. */
    if (!found || found == s->reading.unit)
        global = bake_scene_unit_find(&s->prefabs, NULL, text, length);
    if (!global && (!found || found == s->reading.unit) && has_prototypes)
        global = bake_scene_prototype_find(s, tree, node, text, length);
    if (global || found)
        return global ? global : found;
    if (s->incomplete || !bake_scene_claim_base(s, tree, node))
        return NULL;
    if (has_prototypes && report_old(s, tree, node, path, text, length))
        return NULL;
    bake_scene_report(s, tree, node, "base", path, "unknown prefab \"%.*s\"",
                      (int)(length < 100 ? length : 100), text);
    hint_units(s, has_prototypes ? &s->prototypes : &s->prefabs, home, text, length, 0);
    return NULL;
}

scene_unit *bake_scene_find_scene(const bake_scenes *s, const scene_unit *like, const char *text,
                                  size_t length)
{
    /* Called for every reference to another scene, so names that fit into `small` need no
     * allocation. */
    char small[256], *name = small;
    scene_unit *found = bake_scene_unit_find(&s->scenes, NULL, text, length);
    const char *slash = memchr(like->name, '/', like->length);
    size_t kind = slash ? (size_t)(slash - like->name) + 1 : 0;
    if (!found && kind + length > sizeof small)
        name = bake_alloc(kind + length);
    if (found || !name)
        return found;
    memcpy(name, like->name, kind);
    memcpy(name + kind, text, length);
    found = bake_scene_unit_find(&s->scenes, NULL, name, kind + length);
    if (name != small)
        bake_free(name);
    return found;
}

void bake_scene_hint_scenes(bake_scenes *s, const scene_unit *like, const char *text, size_t length)
{
    const char *slash = memchr(like->name, '/', like->length);
    bool is_id = slash && !memchr(text, '/', length);
    hint_units(s, &s->scenes, NULL, text, length, is_id ? (size_t)(slash - like->name) + 1 : 0);
}

scene_unit *bake_scene_named_scene(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                   const scene_path *path)
{
    size_t length;
    const char *text = bake_scene_text(s, tree, node, path, "the name of a scene", &length);
    scene_unit *found = text ? bake_scene_find_scene(s, s->reading.unit, text, length) : NULL;
    if (found || !text || s->incomplete)
        return found;
    bake_scene_report(s, tree, node, "scene", path, "unknown scene \"%.*s\"",
                      (int)(length < 100 ? length : 100), text);
    bake_scene_hint_scenes(s, s->reading.unit, text, length);
    return NULL;
}

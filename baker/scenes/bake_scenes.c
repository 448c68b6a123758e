/* Collects the scene documents of a run and resolves them. All prefabs and scenes are entered in
 * the tables before any is resolved, so the order of files does not matter. */
#include "scene_info.h"

#include "bake_memory.h"
#include "scene_entity.h"

#include <string.h>

bake_scenes *bake_scenes_create(const bake_schema *schema, bake_diagnostics *diagnostics)
{
    bake_scenes *s = bake_alloc_array(1, sizeof *s);
    if (!s)
        return NULL;
    s->schema = schema;
    s->diagnostics = diagnostics;
    s->work_max = BAKE_SCENE_WORK_MIN;
    s->reading.group_base = BAKE_NODE_NONE;
    if (bake_scene_components_init(&s->components, schema, &s->store))
        return s;
    bake_scenes_destroy(s);
    return NULL;
}

void bake_scenes_destroy(bake_scenes *s)
{
    if (!s)
        return;
    bake_scene_tables_fini(s);
    bake_scene_infos_fini(s);
    bake_free(s->uses);
    bake_store_fini(&s->store);
    bake_free(s);
}

static void report_duplicate(bake_scenes *s, const scene_unit *first, const scene_unit *again)
{
    bake_mark mark = bake_node_mark(first->tree, first->named_at);
    bake_scene_report(s, again->tree, again->named_at, "duplicate", NULL,
                      "the prefab \"%.*s\" is already defined at %s:%u:%u",
                      (int)(again->length < 100 ? again->length : 100), again->name,
                      bake_diagnostics_source_name(s->diagnostics, mark.source), mark.line,
                      mark.column);
    bake_related(s->diagnostics, mark, "defined here");
}

/* Adds the prefabs of a mapping. They are visible only in the scene `home`, or everywhere if it is
 * NULL. */
static void add_prefabs(bake_scenes *s, const bake_scene_document *in, bake_node_id node,
                        const scene_unit *home)
{
    const bake_tree *tree = in->tree;
    if (bake_node_is_null(tree, node) ||
        !bake_scene_expect(s, tree, node, BAKE_NODE_MAPPING, NULL, "a mapping of names to prefabs"))
        return;
    for (bake_iterator it = bake_iterator_begin(tree, node);
         !s->out_of_memory && bake_iterator_next(&it);) {
        scene_unit unit = {.tree = tree,
                           .node = it.value,
                           .named_at = it.key,
                           .home = home,
                           .input = in->input,
                           .is_shared = true};
        const char *text = bake_node_text(tree, it.key, &unit.length);
        unit.name = bake_store_text(&s->store, text, unit.length);
        if (!unit.name) {
            bake_scene_no_memory(s);
            return;
        }
        const scene_unit *first = bake_scene_unit_find(&s->prefabs, home, unit.name, unit.length);
        if (first) {
            report_duplicate(s, first, &unit);
            continue;
        }
        unit.is_abstract = bake_scene_read_abstract(s, tree, it.value);
        bake_scene_unit_add(s, &s->prefabs, &unit);
    }
}

bool bake_scenes_add(bake_scenes *s, const bake_scene_document *document, size_t bytes)
{
    scene_unit unit = {.tree = document->tree,
                       .node = document->node,
                       .named_at = document->node,
                       .rule = document->rule,
                       .is_scene = true,
                       .input = document->input,
                       .name = document->name,
                       .length = document->name_length};
    /* The limit grows with the input, so that large valid inputs stay below it. */
    s->work_max += BAKE_SCENE_WORK_PER_BYTE * (uint64_t)bytes;
    if (!document->name) {
        add_prefabs(s, document, document->node, NULL);
        return !s->out_of_memory;
    }
    const scene_unit *scene = bake_scene_unit_add(s, &s->scenes, &unit);
    if (!scene)
        return false;
    bake_node_id prefabs = bake_node_find(unit.tree, unit.node, "prefabs", 7);
    if (prefabs != BAKE_NODE_NONE)
        add_prefabs(s, document, prefabs, scene);
    return !s->out_of_memory;
}

void bake_scenes_prepare(bake_scenes *s, uint64_t work, bool keeps_uses)
{
    s->work_max = s->work_max > work ? s->work_max : work;
    s->keeps_uses = keeps_uses;
}

uint64_t bake_scenes_work_max(const bake_scenes *s)
{
    return s->work_max;
}

const bake_scene_use *bake_scenes_uses(const bake_scenes *s, size_t *ret_count)
{
    *ret_count = s->use_count;
    return s->uses;
}

bool bake_scenes_resolve(bake_scenes *s, bool incomplete)
{
    const scene_table *tables[] = {&s->prefabs, &s->scenes};
    s->incomplete = incomplete;
    /* Resolve unused units as well, so that all errors are reported. */
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < tables[t]->count && !s->stopped && !s->out_of_memory; i++) {
            scene_unit *unit = tables[t]->units[i];
            bake_scene_unit_shape(s, unit, unit->tree, unit->named_at, NULL);
        }
    return !s->out_of_memory;
}

/* How scenes are written, which a rule of the schema may say, and by which words their components
 * are known then. */
#include "scene_reader.h"

#include "bake_memory.h"
#include "bake_text.h"

#include <string.h>

const bake_scene_words bake_scene_words_default = {.entities = "entities",
                                                   .name = "name",
                                                   .base = "base",
                                                   .components = "components",
                                                   .remove = "remove",
                                                   .children = "children",
                                                   .drop = "drop",
                                                   .abstract = "abstract",
                                                   .way = "way",
                                                   .prefab_type = KILN_TYPE_NONE};

const bake_file_rule bake_scene_rule_of_kinds = {
    .shape = BAKE_SHAPE_SCENE, .type = KILN_TYPE_NONE, .parent_type = KILN_TYPE_NONE};

const bake_scene_words *bake_scene_words_of(const bake_scenes *s)
{
    const bake_file_rule *rule = s->unit ? s->unit->rule : NULL;
    return rule && rule->words ? rule->words : &bake_scene_words_default;
}

const char *bake_schema_scene_kind(const bake_schema *schema, const char *name, size_t length)
{
    static const char usual[] = "Scene";
    const char *found = NULL;
    for (size_t i = 0; i < schema->rule_count; i++) {
        const bake_file_rule *rule = &schema->rules[i];
        const char *kind = rule->shape == BAKE_SHAPE_SCENE ? rule->kind : NULL;
        if (kind && bake_text_is(name, length, kind))
            return kind;
        if (kind && length == sizeof usual - 1 && memcmp(name, usual, length) == 0)
            found = usual;
    }
    return found;
}

static void hint_members(bake_scenes *s, const kiln_type *of, const char *text, size_t length)
{
    if (bake_diagnostics_errors(s->diagnostics) > SCENE_HINTS_MAX)
        return;
    const char **names = bake_alloc_array(of->member_count, sizeof *names);
    /* A hint is worth no failure. */
    for (uint32_t i = 0; names && i < of->member_count; i++)
        names[i] = of->members[i].name;
    if (names)
        bake_hint_similar(s->diagnostics, text, length, names, of->member_count);
    bake_free(names);
}

uint32_t bake_scene_alternative_find(bake_scenes *s, const bake_scene_words *words,
                                     const bake_tree *tree, bake_node_id node, const scene_way *way)
{
    const kiln_type *of = kiln_types_get(s->schema->types, words->prefab_union);
    uint32_t length;
    bool was;
    const char *text = bake_scalar_text(tree, node, &length);
    const kiln_member *member =
        bake_schema_member(s->schema, words->prefab_union, text, length, &was);
    int cut = (int)(length < 100 ? length : 100);
    if (!member) {
        /* Of an asset it is told where that is baked. */
        if (s->unit->is_prototype)
            return UINT32_MAX;
        bake_scene_report(s, tree, node, "component", way, "%s has no alternative \"%.*s\"",
                          of->name, cut, text);
        hint_members(s, of, text, length);
        return UINT32_MAX;
    }
    const uint32_t *by_type = s->components.by_type;
    uint32_t found = member->type == KILN_TYPE_NONE ? UINT32_MAX : by_type[member->type];
    if (found == UINT32_MAX && member->type != KILN_TYPE_NONE)
        found = by_type[bake_type_unwrapped(s->schema->types, member->type)];
    if (found == UINT32_MAX)
        bake_scene_report(s, tree, node, "component", way,
                          "\"%.*s\" is no component: its struct has no `component: row`", cut,
                          text);
    return found;
}

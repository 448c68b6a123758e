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

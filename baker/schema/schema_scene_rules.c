/* Reads `keys`, `groups` and `prefabs` of a file rule for scenes: the names of keys, and the assets
 * that are prefabs. A rule with any of these attributes has its own bake_scene_words; all other
 * rules share the default. */
#include "schema_reader.h"

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
                                                   .path = "path",
                                                   .prefab_type = KILN_TYPE_NONE};

const bake_file_rule bake_scene_rule_of_kinds = {
    .shape = BAKE_SHAPE_SCENE, .type = KILN_TYPE_NONE, .parent_type = KILN_TYPE_NONE};

static bool refuse(schema_reader *reader, const schema_file *file, bake_node_id node,
                   const char *message)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "%s", message);
}

/* Reads `keys`. */
static void read_keys(schema_reader *reader, const schema_file *file, bake_node_id node,
                      bake_scene_words *words)
{
    /* Keys 1 to KEYS_END - 1 are keys of an entity and must be distinct. */
    static const char *const names[] = {"entities", "name", "base", "components", "remove",
                                        "children", "drop", "by",   "none"};
    enum { COUNT = sizeof names / sizeof *names, KEYS_END = COUNT - 2 };
    const char **into[COUNT] = {&words->entities,   &words->name,   &words->base,
                                &words->components, &words->remove, &words->children,
                                &words->drop,       &words->by,     &words->none};
    bake_node_id values[COUNT];
    if (node == BAKE_NODE_NONE ||
        !bake_schema_read_attributes(reader, file, node, "files", names, COUNT, values))
        return;
    for (int i = 0; i < COUNT; i++) {
        const char *text =
            values[i] == BAKE_NODE_NONE
                ? NULL
                : bake_schema_read_text(reader, file, values[i], "files", "a key", NULL);
        if (text)
            *into[i] = text;
    }
    for (int i = 2; i < KEYS_END; i++)
        for (int j = 1; j < i; j++)
            if (strcmp(*into[i], *into[j]) == 0) {
                bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema",
                            "files", "`%s` and `%s` of an entity cannot both have the key \"%s\"",
                            names[j], names[i], *into[i]);
                return;
            }
}

static void read_groups(schema_reader *reader, const schema_file *file, bake_node_id node,
                        bake_scene_words *words)
{
    static const char *const names[] = {"base", "entities"};
    bake_node_id values[2];
    if (node == BAKE_NODE_NONE ||
        !bake_schema_read_attributes(reader, file, node, "files", names, 2, values))
        return;
    for (int i = 0; i < 2; i++)
        if (values[i] == BAKE_NODE_NONE) {
            refuse(reader, file, node,
                   i == 0 ? "missing `base` in `groups`: the key with the base of a group"
                          : "missing `entities` in `groups`: the key with the entities of a group");
            return;
        }
    words->group_base = bake_schema_read_text(reader, file, values[0], "files", "a key", NULL);
    words->group_entities = bake_schema_read_text(reader, file, values[1], "files", "a key", NULL);
}

/* Reads `prefabs`, the list of components of an asset type whose assets are prefabs:
 * `game.Prototype.components`. */
static void read_prefabs(schema_reader *reader, const schema_file *file, bake_node_id node,
                         bake_scene_words *words)
{
    if (node == BAKE_NODE_NONE)
        return;
    const char *text =
        bake_schema_read_text(reader, file, node, "files", "a field of an asset", NULL);
    const char *dot = text ? strrchr(text, '.') : NULL;
    uint32_t type =
        dot ? bake_schema_look_up(reader, file, text, (size_t)(dot - text)) : KILN_TYPE_NONE;
    const kiln_type *of = type != KILN_TYPE_NONE ? &reader->types[type] : NULL;
    uint32_t member = of && bake_schema_is_asset(reader, type)
                          ? bake_schema_find_member(reader, type, dot + 1)
                          : UINT32_MAX;
    uint32_t list = member != UINT32_MAX ? bake_schema_unwrapped(reader, of->members[member].type)
                                         : KILN_TYPE_NONE;
    uint32_t element = list != KILN_TYPE_NONE && reader->types[list].kind == KILN_KIND_ARRAY
                           ? reader->types[list].element
                           : KILN_TYPE_NONE;
    if (element != KILN_TYPE_NONE && reader->types[element].kind == KILN_KIND_UNION &&
        (reader->extras[element].forms & BAKE_BY_KEY)) {
        words->prefab_type = type;
        words->prefab_member = member;
        words->prefab_union = element;
        return;
    }
    if (text)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "expected a field of an asset type (Type.field) that is a list of unions `by: "
                    "{key: ...}`, found \"%s\"",
                    text);
}

void bake_schema_read_scene_words(schema_reader *reader, const schema_file *file, bake_node_id keys,
                                  bake_node_id groups, bake_node_id prefabs, bake_file_rule *rule)
{
    bake_node_id any = keys != BAKE_NODE_NONE ? keys : groups != BAKE_NODE_NONE ? groups : prefabs;
    if (any == BAKE_NODE_NONE)
        return;
    if (rule->shape != BAKE_SHAPE_SCENE) {
        refuse(reader, file, any,
               "`keys`, `groups` and `prefabs` are only for rules of shape scene");
        return;
    }
    bake_scene_words *words = bake_store_alloc(reader->store, 1, sizeof *words);
    if (!words)
        return;
    *words = bake_scene_words_default;
    words->path = NULL;
    read_keys(reader, file, keys, words);
    read_groups(reader, file, groups, words);
    read_prefabs(reader, file, prefabs, words);
    rule->words = words;
    const bake_scene_words *other = reader->schema->prototype_words;
    if (words->prefab_type == KILN_TYPE_NONE)
        return;
    if (!other)
        reader->schema->prototype_words = words;
    else if (other->prefab_type != words->prefab_type ||
             other->prefab_member != words->prefab_member)
        refuse(reader, file, prefabs, "all rules with `prefabs` must name the same field");
}

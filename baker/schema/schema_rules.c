/* How input files are laid out. */
#include "schema_reader.h"

#include <string.h>

static const char *const rule_names[] = {"match",  "shape",  "type",    "id",     "kind",
                                         "parent", "by",     "keys",    "groups", "prefabs",
                                         "tag",    "head",   "head_id", "patch",  "import",
                                         "key",    "suffix", "whole",   "paths"};
enum {
    RULE_MATCH,
    RULE_SHAPE,
    RULE_TYPE,
    RULE_ID,
    RULE_KIND,
    RULE_PARENT,
    RULE_BY,
    RULE_KEYS,
    RULE_GROUPS,
    RULE_PREFABS,
    RULE_TAG,
    RULE_HEAD,
    RULE_HEAD_ID,
    RULE_PATCH,
    RULE_IMPORT,
    RULE_KEY,
    RULE_SUFFIX,
    RULE_WHOLE,
    RULE_PATHS,
    RULE_ATTRIBUTES
};

static const char *const shape_names[] = {"kinds",   "map",     "list",    "one",      "scene",
                                          "prefabs", "objects", "renames", "accepted", "guids"};
enum { SHAPES = sizeof shape_names / sizeof *shape_names };

/* The key by which values say what they are. */
static void read_by(schema_reader *reader, const schema_file *file, bake_node_id node,
                    bake_file_rule *ret)
{
    if (node == BAKE_NODE_NONE)
        return;
    if (ret->shape != BAKE_SHAPE_LIST && ret->shape != BAKE_SHAPE_MAP &&
        ret->shape != BAKE_SHAPE_OBJECTS)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`by` is for rules of shape list, map and objects");
    else
        ret->by = bake_schema_read_text(reader, file, node, "files", "a key", NULL);
    /* One report is enough. */
    if (!ret->by)
        ret->by = "";
}

static void read_rule_type(schema_reader *reader, const schema_file *file, bake_node_id rule,
                           bake_node_id node, bake_file_rule *ret)
{
    ret->type = KILN_TYPE_NONE;
    if (ret->shape == BAKE_SHAPE_GUIDS) {
        if (node != BAKE_NODE_NONE)
            ret->type = bake_schema_asset_type(reader, file, node);
        return;
    }
    if (ret->shape == BAKE_SHAPE_KINDS ||
        (ret->shape >= BAKE_SHAPE_SCENE && ret->shape != BAKE_SHAPE_RENAMES)) {
        if (node != BAKE_NODE_NONE)
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                        "with `shape: %s` the file itself says the types", shape_names[ret->shape]);
        return;
    }
    if (ret->by && node != BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "with `by` the values themselves say their types");
    if (ret->by)
        return;
    if (node == BAKE_NODE_NONE) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, rule), "schema", "files",
                    ret->shape == BAKE_SHAPE_ONE || ret->shape == BAKE_SHAPE_RENAMES
                        ? "a rule of shape %s needs a `type`"
                        : "a rule of shape %s needs a `type`, or a `by`, "
                          "the key that names each type",
                    shape_names[ret->shape]);
        return;
    }
    ret->type = bake_schema_asset_type(reader, file, node);
}

static void read_list_id(schema_reader *reader, const schema_file *file, bake_node_id node,
                         const char *text, bake_file_rule *ret)
{
    if (ret->by)
        ret->id = text;
    if (ret->type == KILN_TYPE_NONE)
        return;
    const kiln_type *type = &reader->types[ret->type];
    const char *own = reader->extras[ret->type].id;
    if (own && strcmp(own, text) == 0)
        ret->id = text;
    if (!(type->flags & KILN_TYPE_TRANSPARENT) &&
        bake_schema_find_member(reader, ret->type, text) != UINT32_MAX)
        ret->id = text;
    if (ret->id)
        return;
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                "\"%s\" has no field \"%s\" to take ids from", type->name, text);
    bake_schema_hint_members(reader, ret->type, text);
}

static void read_rule_id(schema_reader *reader, const schema_file *file, bake_node_id rule,
                         bake_node_id node, bake_file_rule *ret)
{
    /* A scene's file is most often called after its shape too: `cave.scene.yaml`. Objects of many
     * files have the same numbers. */
    ret->id_source = ret->shape == BAKE_SHAPE_SCENE     ? BAKE_ID_SHORT
                     : ret->shape == BAKE_SHAPE_OBJECTS ? BAKE_ID_FILE
                                                        : BAKE_ID_STEM;
    if (node == BAKE_NODE_NONE) {
        bool is_list = ret->shape == BAKE_SHAPE_LIST;
        if (is_list && ret->by)
            ret->id = "id";
        else if (is_list && ret->type != KILN_TYPE_NONE)
            ret->id = reader->extras[ret->type].id;
        if (is_list && !ret->id)
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, rule), "schema", "files",
                        "a rule of shape list needs an `id`, the field that gives each id");
        return;
    }
    const char *text = bake_schema_read_text(reader, file, node, "files", "an id", NULL);
    if (!text)
        return;
    if (ret->shape == BAKE_SHAPE_LIST)
        read_list_id(reader, file, node, text, ret);
    else if (ret->shape == BAKE_SHAPE_ONE || ret->shape == BAKE_SHAPE_SCENE ||
             ret->shape == BAKE_SHAPE_OBJECTS ||
             (ret->shape == BAKE_SHAPE_GUIDS && ret->type != KILN_TYPE_NONE))
        bake_schema_id_source(reader, file, node, text, &ret->id_source, &ret->id);
    else if (ret->shape == BAKE_SHAPE_PREFABS)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "prefabs are no assets and have no id");
    else if (ret->shape == BAKE_SHAPE_GUIDS)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "without a `type` a rule of shape guids has no assets, and these have no id");
    else
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "with this shape the keys are the ids");
}

/* Whether a scene alone may have the attribute, or it is not there. */
static bool is_for_scene(schema_reader *reader, const schema_file *file, bake_node_id node,
                         const char *name, const bake_file_rule *ret)
{
    if (node == BAKE_NODE_NONE)
        return false;
    if (ret->shape == BAKE_SHAPE_SCENE)
        return true;
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "`%s` is for rules of shape scene", name);
}

static bool may_have_kind(schema_reader *reader, const schema_file *file, bake_node_id node,
                          const bake_file_rule *ret)
{
    if (node == BAKE_NODE_NONE || ret->shape == BAKE_SHAPE_SCENE || ret->shape == BAKE_SHAPE_GUIDS)
        return node != BAKE_NODE_NONE;
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "`kind` is for rules of shape scene and guids");
}

/* Names of assets, of scenes and of files that guids name are told apart by what they begin with.
 */
static void check_kind(schema_reader *reader, bake_mark mark, const bake_file_rule *rule,
                       bool is_said)
{
    const bake_schema *schema = reader->schema;
    const bake_kind *same = bake_schema_kind(schema, rule->kind, strlen(rule->kind));
    bool is_guids = rule->shape == BAKE_SHAPE_GUIDS;
    /* All rules of guids have one kind, of which the first is told. */
    if (is_guids && schema->file_kind)
        return;
    bool is_taken = !is_guids && bake_schema_is_file_kind(schema, rule->kind, strlen(rule->kind));
    for (size_t i = 0; is_guids && schema->rules + i < rule; i++)
        is_taken = is_taken || (schema->rules[i].shape == BAKE_SHAPE_SCENE &&
                                strcmp(schema->rules[i].kind, rule->kind) == 0);
    const char *of = is_guids ? "scenes" : "files that guids name";
    if (same)
        bake_report(reader->diagnostics, BAKE_ERROR, mark, "duplicate", "files",
                    "the kind \"%s\" is that of the type \"%s\" already", rule->kind,
                    reader->extras[same->type].name);
    else if (is_taken)
        bake_report(reader->diagnostics, BAKE_ERROR, mark, "duplicate", "files",
                    "the kind \"%s\" is that of %s already", rule->kind, of);
    if (same || is_taken)
        bake_hint(reader->diagnostics, "give one of them another `kind`%s%s",
                  is_said ? "" : "; that of this rule, which says none, is ",
                  is_said ? "" : rule->kind);
}

static void read_kind(schema_reader *reader, const schema_file *file, bake_node_id rule,
                      bake_node_id node, bake_file_rule *ret)
{
    if (ret->shape == BAKE_SHAPE_SCENE)
        ret->kind = "Scene";
    else if (ret->shape == BAKE_SHAPE_GUIDS)
        ret->kind = "File";
    if (may_have_kind(reader, file, node, ret)) {
        const char *text = bake_schema_read_text(reader, file, node, "files", "a kind", NULL);
        if (text && !bake_schema_is_kind_name(text))
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "name", "files",
                        "a kind has letters, digits, `_`, `-` and `.`, unlike \"%s\"", text);
        else if (text && strcmp(text, "SceneChunks") == 0)
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "duplicate",
                        "files", "the kind \"%s\" is that of what scenes are made of", text);
        else if (text)
            ret->kind = text;
    }
    if (ret->kind)
        check_kind(reader, schema_mark(file, node == BAKE_NODE_NONE ? rule : node), ret,
                   node != BAKE_NODE_NONE);
}

/* `game.Parent.of`: the field of a component. */
static void read_parent(schema_reader *reader, const schema_file *file, bake_node_id node,
                        bake_file_rule *ret)
{
    size_t length;
    ret->parent_type = KILN_TYPE_NONE;
    if (!is_for_scene(reader, file, node, "parent", ret))
        return;
    const char *text =
        bake_schema_read_text(reader, file, node, "files", "a component's field", &length);
    const char *dot = text ? strrchr(text, '.') : NULL;
    uint32_t type =
        dot ? bake_schema_look_up(reader, file, text, (size_t)(dot - text)) : KILN_TYPE_NONE;
    if (type != KILN_TYPE_NONE && reader->extras[type].has_row)
        type = bake_schema_row_of(reader, type);
    const kiln_type *of = type != KILN_TYPE_NONE ? &reader->types[type] : NULL;
    uint32_t member = of && of->kind == KILN_KIND_STRUCT
                          ? bake_schema_find_member(reader, type, dot + 1)
                          : UINT32_MAX;
    uint32_t field = member != UINT32_MAX ? of->members[member].type : KILN_TYPE_NONE;
    if (field != KILN_TYPE_NONE && reader->types[field].kind == KILN_KIND_ENTITY) {
        ret->parent_type = type;
        ret->parent_member = member;
        return;
    }
    if (text)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "\"%s\" is no field of type entity of a struct, written as Type.field", text);
}

static void read_tag(schema_reader *reader, const schema_file *file, bake_node_id rule,
                     bake_node_id node, bake_file_rule *ret)
{
    if (ret->shape != BAKE_SHAPE_OBJECTS && node != BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`tag` is for rules of shape objects");
    else if (ret->shape == BAKE_SHAPE_OBJECTS && node == BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, rule), "schema", "files",
                    "a rule of shape objects needs a `tag`, what stands before the class's number");
    if (node != BAKE_NODE_NONE)
        ret->tag = bake_schema_read_text(reader, file, node, "files", "a tag", NULL);
    if (!ret->tag)
        ret->tag = "";
}

static bool read_shape(schema_reader *reader, const schema_file *file, bake_node_id rule,
                       bake_node_id node, bake_shape *ret_shape)
{
    if (node == BAKE_NODE_NONE)
        return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, rule), "schema",
                           "files",
                           "a rule needs a `shape`: kinds, map, list, one, scene, prefabs, "
                           "objects, renames, accepted or guids");
    size_t length;
    const char *text = bake_schema_read_text(reader, file, node, "files", "a shape", &length);
    if (!text)
        return false;
    for (int i = 0; i < SHAPES; i++) {
        if (strcmp(shape_names[i], text) == 0) {
            *ret_shape = (bake_shape)i;
            return true;
        }
    }
    bake_report(
        reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
        "a shape is kinds, map, list, one, scene, prefabs, objects, renames, accepted or guids, "
        "not \"%s\"",
        text);
    bake_hint_similar(reader->diagnostics, text, length, shape_names, SHAPES);
    return false;
}

static void read_rule(schema_reader *reader, const schema_file *file, bake_node_id node,
                      bake_file_rule *ret)
{
    bake_node_id values[RULE_ATTRIBUTES];
    if (!bake_schema_read_attributes(reader, file, node, "files", rule_names, RULE_ATTRIBUTES,
                                     values))
        return;
    ret->match = "**";
    ret->type = ret->parent_type = KILN_TYPE_NONE;
    if (values[RULE_MATCH] != BAKE_NODE_NONE) {
        const char *match =
            bake_schema_read_text(reader, file, values[RULE_MATCH], "files", "a pattern", NULL);
        ret->match = match ? match : ret->match;
    }
    if (!read_shape(reader, file, node, values[RULE_SHAPE], &ret->shape))
        return;
    if (ret->shape == BAKE_SHAPE_RENAMES || ret->shape == BAKE_SHAPE_ACCEPTED)
        reader->schema->has_links = true;
    read_by(reader, file, values[RULE_BY], ret);
    read_rule_type(reader, file, node, values[RULE_TYPE], ret);
    if (values[RULE_ID] != BAKE_NODE_NONE || !bake_schema_has_path_id(file, values[RULE_PATCH]))
        read_rule_id(reader, file, node, values[RULE_ID], ret);
    read_kind(reader, file, node, values[RULE_KIND], ret);
    read_parent(reader, file, values[RULE_PARENT], ret);
    bake_schema_read_scene_words(reader, file, values[RULE_KEYS], values[RULE_GROUPS],
                                 values[RULE_PREFABS], ret);
    read_tag(reader, file, node, values[RULE_TAG], ret);
    bake_schema_read_whole(reader, file, values[RULE_WHOLE], ret);
    bake_schema_read_guids(reader, file, node, values[RULE_KEY], values[RULE_SUFFIX], ret);
    bake_schema_read_patch(reader, file, values[RULE_PATCH], values[RULE_HEAD], values[RULE_PATHS],
                           ret);
    if (values[RULE_IMPORT] != BAKE_NODE_NONE)
        ret->importer = bake_schema_rule_importer(reader, file, values[RULE_IMPORT]);
    bake_schema_read_heads(reader, file, values[RULE_HEAD], values[RULE_HEAD_ID], ret);
}

void bake_schema_read_rules(schema_reader *reader)
{
    bake_schema *schema = reader->schema;
    size_t total = 0;
    for (size_t i = 0; i < reader->file_count; i++) {
        const schema_file *file = reader->files[i];
        if (file->rules == BAKE_NODE_NONE)
            continue;
        schema->has_rules = true;
        if (bake_node_kind_of(file->tree, file->rules) == BAKE_NODE_SEQUENCE)
            total += bake_node_count(file->tree, file->rules);
        else
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, file->rules), "schema",
                        "files", "expected a list of rules");
    }
    bake_file_rule *rules = bake_store_alloc(reader->store, total, sizeof *rules);
    if (!rules)
        return;
    schema->rules = rules;
    for (size_t i = 0; i < reader->file_count; i++) {
        const schema_file *file = reader->files[i];
        if (file->rules == BAKE_NODE_NONE ||
            bake_node_kind_of(file->tree, file->rules) != BAKE_NODE_SEQUENCE)
            continue;
        for (bake_walk walk = bake_walk_begin(file->tree, file->rules); bake_walk_next(&walk);)
            read_rule(reader, file, walk.value, &rules[schema->rule_count++]);
    }
}

/* File rules: the layout of input files. Attributes are read in order of dependency: the shape
 * first, then `by`, the type and the id. An attribute that does not fit the shape is reported and
 * ignored, so each error is reported once. */
#include "schema_reader.h"

#include "bake_text.h"
#include "path_match.h"
#include "scalar_parse.h"

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

static bool refuse(schema_reader *reader, const schema_file *file, bake_node_id node,
                   const char *text)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "%s", text);
}

/* ---- types of assets, ids from paths, heads ---- */

static uint32_t asset_type(schema_reader *reader, const schema_file *file, bake_node_id node)
{
    size_t length;
    const char *name = bake_schema_read_text(reader, file, node, "files", "a type's name", &length);
    if (!name)
        return KILN_TYPE_NONE;
    uint32_t type = bake_schema_look_up(reader, file, name, length);
    if (type == KILN_TYPE_NONE) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "type", "files",
                    "unknown type \"%s\"", name);
        bake_schema_hint_types(reader, file, name, length);
    } else if (!bake_schema_is_asset(reader, type)) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "type", "files",
                    "\"%s\" is not an asset; give it `asset: true`", name);
        type = KILN_TYPE_NONE;
    }
    return type;
}

static void read_id_source(schema_reader *reader, const schema_file *file, bake_node_id node,
                           const char *text, bake_id_source *ret_source, const char **ret_id)
{
    static const char *const sources[] = {"stem", "name", "path", "file", "short"};
    enum { SOURCES = sizeof sources / sizeof *sources };
    for (int i = 0; i < SOURCES; i++) {
        if (strcmp(sources[i], text) == 0) {
            *ret_source = (bake_id_source)i;
            return;
        }
    }
    if (text[0] == '=' && text[1]) {
        *ret_source = BAKE_ID_TEXT;
        *ret_id = text + 1;
        return;
    }
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                "an id must be `stem`, `name`, `path`, `file`, `short` or `=text`, not \"%s\"",
                text);
    bake_hint_similar(reader->diagnostics, text, strlen(text), sources, SOURCES);
}

static bool may_have_head(schema_reader *reader, const schema_file *file, bake_node_id node,
                          bake_shape shape)
{
    if (shape == BAKE_SHAPE_MAP || shape == BAKE_SHAPE_KINDS || shape == BAKE_SHAPE_ONE ||
        shape == BAKE_SHAPE_SCENE)
        return true;
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "`head` is only for rules of shape kinds, map, one and scene");
}

static void read_heads(schema_reader *reader, const schema_file *file, bake_node_id node,
                       bake_node_id id, bake_file_rule *ret)
{
    if (id != BAKE_NODE_NONE && node == BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, id), "schema", "files",
                    "`head_id` requires `head`");
    if (node == BAKE_NODE_NONE || !may_have_head(reader, file, node, ret->shape))
        return;
    if (bake_node_kind_of(file->tree, node) != BAKE_NODE_MAPPING) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`head` must be a mapping of keys to types");
        return;
    }
    bake_head *heads =
        bake_store_alloc(reader->store, bake_node_count(file->tree, node), sizeof *heads);
    for (bake_iterator it = bake_iterator_begin(file->tree, node);
         heads && bake_iterator_next(&it);) {
        heads[ret->head_count].key = bake_schema_name(reader, file, it.key);
        heads[ret->head_count++].type = asset_type(reader, file, it.value);
    }
    ret->heads = heads;
    const char *text = id == BAKE_NODE_NONE
                           ? NULL
                           : bake_schema_read_text(reader, file, id, "files", "an id", NULL);
    if (text)
        read_id_source(reader, file, id, text, &ret->head_source, &ret->head_id);
}

/* ---- patches: rules for files that change assets of other files ---- */

static bool has_path_id(const schema_file *file, bake_node_id patch)
{
    return patch != BAKE_NODE_NONE && bake_node_kind_of(file->tree, patch) == BAKE_NODE_MAPPING &&
           bake_node_find(file->tree, patch, "id", 2) != BAKE_NODE_NONE;
}

/* `{path: KEY, value: KEY, id: KEY}`: each element of a list is one change. */
static void read_single_path_patch(schema_reader *reader, const schema_file *file,
                                   bake_node_id node, bake_file_rule *ret)
{
    static const char *const names[] = {"path", "value", "id"};
    const char *keys[3] = {NULL, NULL, NULL};
    bake_node_id values[3];
    ret->patches = ret->has_paths = true;
    if (!bake_schema_read_attributes(reader, file, node, "files", names, 3, values))
        return;
    for (int i = 0; i < 3; i++)
        if (values[i] != BAKE_NODE_NONE)
            keys[i] = bake_schema_read_text(reader, file, values[i], "files", "a key", NULL);
    if (values[0] == BAKE_NODE_NONE || values[1] == BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`patch` must be true or have the keys `path` and `value`");
    if (ret->shape != BAKE_SHAPE_LIST)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`patch` can only have keys in rules of shape list");
    ret->path_key = keys[0];
    ret->value_key = keys[1];
    ret->path_id = keys[2];
}

static void read_patch(schema_reader *reader, const schema_file *file, bake_node_id node,
                       bake_node_id head, bake_node_id paths, bake_file_rule *ret)
{
    if (node != BAKE_NODE_NONE && bake_node_kind_of(file->tree, node) == BAKE_NODE_MAPPING)
        read_single_path_patch(reader, file, node, ret);
    else
        ret->patches = bake_schema_read_bool(reader, file, node, "files", "patch");
    bool has_paths = bake_schema_read_bool(reader, file, paths, "files", "paths");
    if (has_paths && (!ret->patches || ret->path_key))
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, paths), "schema", "files",
                    "`paths` requires `patch: true`");
    ret->has_paths = ret->has_paths || has_paths;
    if (!ret->patches)
        return;
    if (ret->shape != BAKE_SHAPE_LIST && ret->shape != BAKE_SHAPE_MAP &&
        ret->shape != BAKE_SHAPE_KINDS)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`patch` is only for rules of shape kinds, map and list");
    else if (head != BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, head), "schema", "files",
                    "a rule with `patch` cannot have a `head`");
}

/* ---- rules of shape guids: each document assigns a guid to another file ---- */

/* Whether the attribute is given. Unless the rule has shape `shape`, reports the attribute and
 * returns false. */
static bool given_for_shape(schema_reader *reader, const schema_file *file, bake_node_id node,
                            const bake_file_rule *rule, bake_shape shape, const char *otherwise)
{
    if (node == BAKE_NODE_NONE || rule->shape == shape)
        return node != BAKE_NODE_NONE;
    return refuse(reader, file, node, otherwise);
}

/* Reads the suffix of guid documents. The default is the file extension of the pattern. */
static void read_suffix(schema_reader *reader, const schema_file *file, bake_node_id rule,
                        bake_node_id node, bake_file_rule *ret)
{
    ret->suffix = bake_path_suffix(ret->match);
    if (node != BAKE_NODE_NONE) {
        const char *text = bake_schema_read_text(reader, file, node, "files", "a suffix", NULL);
        ret->suffix = text ? text : "";
        if (text && (!*text || strchr(text, '/')))
            refuse(reader, file, node, "`suffix` must be the end of a file name, such as `.meta`");
    } else if (!*ret->suffix) {
        refuse(reader, file, rule,
               "missing `suffix` in a rule of shape guids whose `match` has no file extension");
    }
}

static void read_guids(schema_reader *reader, const schema_file *file, bake_node_id rule,
                       bake_node_id key, bake_node_id suffix, bake_file_rule *ret)
{
    bake_schema *schema = reader->schema;
    bool has_key = given_for_shape(reader, file, key, ret, BAKE_SHAPE_GUIDS,
                                   "`key` is only for rules of shape guids");
    given_for_shape(reader, file, suffix, ret, BAKE_SHAPE_GUIDS,
                    "`suffix` is only for rules of shape guids");
    if (ret->shape != BAKE_SHAPE_GUIDS)
        return;
    ret->key = has_key ? bake_schema_read_text(reader, file, key, "files", "a key", NULL) : NULL;
    if (!has_key)
        refuse(reader, file, rule, "missing `key` in a rule of shape guids: the key with the guid");
    read_suffix(reader, file, rule, suffix, ret);
    schema->has_links = true;
    if (schema->file_kind && strcmp(schema->file_kind, ret->kind) != 0)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, rule), "schema", "files",
                    "all rules of shape guids must have the same kind; another rule has \"%s\"",
                    schema->file_kind);
    schema->file_kind = ret->kind;
}

static void read_whole(schema_reader *reader, const schema_file *file, bake_node_id node,
                       bake_file_rule *ret)
{
    size_t length;
    if (!given_for_shape(reader, file, node, ret, BAKE_SHAPE_OBJECTS,
                         "`whole` is only for rules of shape objects"))
        return;
    const char *text = bake_schema_read_text(reader, file, node, "files", "a number", &length);
    if (text && (bake_parse_integer(KILN_KIND_I64, text, length, &ret->whole) || ret->whole == 0))
        refuse(reader, file, node, "`whole` must be an integer other than 0");
}

/* ---- rules ---- */

/* Reads `by`: the key with the kind of each value, or, for objects, the path of the scalar that is
 * appended to the kind. */
static void read_by(schema_reader *reader, const schema_file *file, bake_node_id node,
                    bake_file_rule *ret)
{
    if (node == BAKE_NODE_NONE)
        return;
    if (ret->shape != BAKE_SHAPE_LIST && ret->shape != BAKE_SHAPE_MAP &&
        ret->shape != BAKE_SHAPE_OBJECTS)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`by` is only for rules of shape list, map and objects");
    else
        ret->by = bake_schema_read_text(reader, file, node, "files", "a key", NULL);
    /* Avoids a second error about a missing type. */
    if (!ret->by)
        ret->by = "";
}

static void read_rule_type(schema_reader *reader, const schema_file *file, bake_node_id rule,
                           bake_node_id node, bake_file_rule *ret)
{
    ret->type = KILN_TYPE_NONE;
    if (ret->shape == BAKE_SHAPE_GUIDS) {
        if (node != BAKE_NODE_NONE)
            ret->type = asset_type(reader, file, node);
        return;
    }
    if (ret->shape == BAKE_SHAPE_KINDS ||
        (ret->shape >= BAKE_SHAPE_SCENE && ret->shape != BAKE_SHAPE_RENAMES)) {
        if (node != BAKE_NODE_NONE)
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                        "`type` is not allowed with `shape: %s`", shape_names[ret->shape]);
        return;
    }
    if (ret->by && node != BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`type` is not allowed with `by`, because the values name their types");
    if (ret->by)
        return;
    if (node == BAKE_NODE_NONE) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, rule), "schema", "files",
                    ret->shape == BAKE_SHAPE_ONE || ret->shape == BAKE_SHAPE_RENAMES
                        ? "missing `type` in a rule of shape %s"
                        : "missing `type` in a rule of shape %s, or `by` with the key that names "
                          "the type of each value",
                    shape_names[ret->shape]);
        return;
    }
    ret->type = asset_type(reader, file, node);
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
                "\"%s\" has no field \"%s\" for the ids", type->name, text);
    bake_schema_hint_members(reader, ret->type, text);
}

static void read_rule_id(schema_reader *reader, const schema_file *file, bake_node_id rule,
                         bake_node_id node, bake_file_rule *ret)
{
    /* Scene files often have a double extension: `cave.scene.yaml`. Objects of different files can
     * have the same numbers, so their ids need the whole file name. */
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
            bake_report(
                reader->diagnostics, BAKE_ERROR, schema_mark(file, rule), "schema", "files",
                "missing `id` in a rule of shape list: the field with the id of each value");
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
        read_id_source(reader, file, node, text, &ret->id_source, &ret->id);
    else if (ret->shape == BAKE_SHAPE_PREFABS)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`id` is not allowed with shape prefabs, because prefabs are not assets");
    else if (ret->shape == BAKE_SHAPE_GUIDS)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`id` in a rule of shape guids requires a `type`");
    else
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`id` is not allowed with this shape");
}

/* Whether the attribute is given. Unless the rule has shape scene, reports the attribute and
 * returns false. */
static bool given_for_scene(schema_reader *reader, const schema_file *file, bake_node_id node,
                            const char *name, const bake_file_rule *ret)
{
    if (node == BAKE_NODE_NONE)
        return false;
    if (ret->shape == BAKE_SHAPE_SCENE)
        return true;
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "`%s` is only for rules of shape scene", name);
}

static bool may_have_kind(schema_reader *reader, const schema_file *file, bake_node_id node,
                          const bake_file_rule *ret)
{
    if (node == BAKE_NODE_NONE || ret->shape == BAKE_SHAPE_SCENE || ret->shape == BAKE_SHAPE_GUIDS)
        return node != BAKE_NODE_NONE;
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "`kind` is only for rules of shape scene and guids");
}

/* Checks that types, scenes and files with guids have different kinds, because nothing else
 * distinguishes their names. */
static void check_kind(schema_reader *reader, bake_mark mark, const bake_file_rule *rule,
                       bool is_given)
{
    const bake_schema *schema = reader->schema;
    const bake_kind *same = bake_schema_kind(schema, rule->kind, strlen(rule->kind));
    bool is_guids = rule->shape == BAKE_SHAPE_GUIDS;
    /* All rules of shape guids have the same kind, so checking the first one is enough. */
    if (is_guids && schema->file_kind)
        return;
    bool is_taken = !is_guids && bake_schema_is_file_kind(schema, rule->kind, strlen(rule->kind));
    for (size_t i = 0; is_guids && schema->rules + i < rule; i++)
        is_taken = is_taken || (schema->rules[i].shape == BAKE_SHAPE_SCENE &&
                                strcmp(schema->rules[i].kind, rule->kind) == 0);
    const char *of = is_guids ? "scenes" : "files with guids";
    if (same)
        bake_report(reader->diagnostics, BAKE_ERROR, mark, "duplicate", "files",
                    "the kind \"%s\" is already used by the type \"%s\"", rule->kind,
                    reader->extras[same->type].name);
    else if (is_taken)
        bake_report(reader->diagnostics, BAKE_ERROR, mark, "duplicate", "files",
                    "the kind \"%s\" is already used by %s", rule->kind, of);
    if (same || is_taken)
        bake_hint(reader->diagnostics, "give one of them another `kind`%s%s",
                  is_given ? "" : "; the default of this rule is ", is_given ? "" : rule->kind);
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
                        "invalid kind \"%s\"; use only letters, digits, `_`, `-` and `.`", text);
        else if (text && strcmp(text, "SceneChunks") == 0)
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "duplicate",
                        "files", "the kind \"%s\" is reserved for the parts of scenes", text);
        else if (text && bake_schema_is_plan_kind(text))
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "duplicate",
                        "files", "the kind \"%s\" is reserved for cluster plans", text);
        else if (text)
            ret->kind = text;
    }
    if (ret->kind)
        check_kind(reader, schema_mark(file, node == BAKE_NODE_NONE ? rule : node), ret,
                   node != BAKE_NODE_NONE);
}

/* Reads `parent`, a field of a component: `game.Parent.of`. */
static void read_parent(schema_reader *reader, const schema_file *file, bake_node_id node,
                        bake_file_rule *ret)
{
    size_t length;
    ret->parent_type = KILN_TYPE_NONE;
    if (!given_for_scene(reader, file, node, "parent", ret))
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
                    "expected a struct field of type entity (Type.field), found \"%s\"", text);
}

static void read_tag(schema_reader *reader, const schema_file *file, bake_node_id rule,
                     bake_node_id node, bake_file_rule *ret)
{
    if (ret->shape != BAKE_SHAPE_OBJECTS && node != BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`tag` is only for rules of shape objects");
    else if (ret->shape == BAKE_SHAPE_OBJECTS && node == BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, rule), "schema", "files",
                    "missing `tag` in a rule of shape objects: the prefix of tags before the "
                    "number of the class");
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
                           "missing `shape` in a rule: kinds, map, list, one, scene, prefabs, "
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
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                "unknown shape \"%s\"; use kinds, map, list, one, scene, prefabs, objects, "
                "renames, accepted or guids",
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
    if (values[RULE_ID] != BAKE_NODE_NONE || !has_path_id(file, values[RULE_PATCH]))
        read_rule_id(reader, file, node, values[RULE_ID], ret);
    read_kind(reader, file, node, values[RULE_KIND], ret);
    read_parent(reader, file, values[RULE_PARENT], ret);
    bake_schema_read_scene_words(reader, file, values[RULE_KEYS], values[RULE_GROUPS],
                                 values[RULE_PREFABS], ret);
    read_tag(reader, file, node, values[RULE_TAG], ret);
    read_whole(reader, file, values[RULE_WHOLE], ret);
    read_guids(reader, file, node, values[RULE_KEY], values[RULE_SUFFIX], ret);
    read_patch(reader, file, values[RULE_PATCH], values[RULE_HEAD], values[RULE_PATHS], ret);
    if (values[RULE_IMPORT] != BAKE_NODE_NONE)
        ret->importer = bake_schema_rule_importer(reader, file, values[RULE_IMPORT]);
    read_heads(reader, file, values[RULE_HEAD], values[RULE_HEAD_ID], ret);
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
        for (bake_iterator it = bake_iterator_begin(file->tree, file->rules);
             bake_iterator_next(&it);)
            read_rule(reader, file, it.value, &rules[schema->rule_count++]);
    }
}

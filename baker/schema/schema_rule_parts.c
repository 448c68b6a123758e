/* Parts of rules: types of assets, ids from paths, heads, patches, and names of files by guids. */
#include "schema_reader.h"

#include "bake_text.h"
#include "path_match.h"
#include "scalar_parse.h"

#include <string.h>

uint32_t bake_schema_asset_type(schema_reader *reader, const schema_file *file, bake_node_id node)
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
                    "\"%s\" is no asset; give it `asset: true`", name);
        type = KILN_TYPE_NONE;
    }
    return type;
}

void bake_schema_id_source(schema_reader *reader, const schema_file *file, bake_node_id node,
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
                "an id is `stem`, `name`, `path`, `file`, `short` or `=text`, not \"%s\"", text);
    bake_hint_similar(reader->diagnostics, text, strlen(text), sources, SOURCES);
}

static bool may_have_head(schema_reader *reader, const schema_file *file, bake_node_id node,
                          bake_shape shape)
{
    if (shape == BAKE_SHAPE_MAP || shape == BAKE_SHAPE_KINDS || shape == BAKE_SHAPE_ONE ||
        shape == BAKE_SHAPE_SCENE)
        return true;
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "a head is for rules of shape kinds, map, one and scene");
}

void bake_schema_read_heads(schema_reader *reader, const schema_file *file, bake_node_id node,
                            bake_node_id id, bake_file_rule *ret)
{
    if (id != BAKE_NODE_NONE && node == BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, id), "schema", "files",
                    "`head_id` says where the ids of a `head` come from, and there is none");
    if (node == BAKE_NODE_NONE || !may_have_head(reader, file, node, ret->shape))
        return;
    if (bake_node_kind_of(file->tree, node) != BAKE_NODE_MAPPING) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "a head is a mapping of keys to types");
        return;
    }
    bake_head *heads =
        bake_store_alloc(reader->store, bake_node_count(file->tree, node), sizeof *heads);
    for (bake_walk walk = bake_walk_begin(file->tree, node); heads && bake_walk_next(&walk);) {
        heads[ret->head_count].key = bake_schema_name(reader, file, walk.key);
        heads[ret->head_count++].type = bake_schema_asset_type(reader, file, walk.value);
    }
    ret->heads = heads;
    const char *text = id == BAKE_NODE_NONE
                           ? NULL
                           : bake_schema_read_text(reader, file, id, "files", "an id", NULL);
    if (text)
        bake_schema_id_source(reader, file, id, text, &ret->head_source, &ret->head_id);
}

/* ---- rules of files that change assets of others ---- */

bool bake_schema_has_path_id(const schema_file *file, bake_node_id patch)
{
    return patch != BAKE_NODE_NONE && bake_node_kind_of(file->tree, patch) == BAKE_NODE_MAPPING &&
           bake_node_find(file->tree, patch, "id", 2) != BAKE_NODE_NONE;
}

/* `{path: KEY, value: KEY, id: KEY}`: each element of a list changes one thing. */
static void read_paths_apart(schema_reader *reader, const schema_file *file, bake_node_id node,
                             bake_file_rule *ret)
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
                    "`patch` is true, or has the keys `path` and `value`");
    if (ret->shape != BAKE_SHAPE_LIST)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "paths that stand apart from their values are for rules of shape list");
    ret->path_key = keys[0];
    ret->value_key = keys[1];
    ret->path_id = keys[2];
}

void bake_schema_read_patch(schema_reader *reader, const schema_file *file, bake_node_id node,
                            bake_node_id head, bake_node_id paths, bake_file_rule *ret)
{
    if (node != BAKE_NODE_NONE && bake_node_kind_of(file->tree, node) == BAKE_NODE_MAPPING)
        read_paths_apart(reader, file, node, ret);
    else
        ret->patches = bake_schema_read_bool(reader, file, node, "files", "patch");
    bool has_paths = bake_schema_read_bool(reader, file, paths, "files", "paths");
    if (has_paths && (!ret->patches || ret->path_key))
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, paths), "schema", "files",
                    "`paths` goes with `patch: true`");
    ret->has_paths = ret->has_paths || has_paths;
    if (!ret->patches)
        return;
    if (ret->shape != BAKE_SHAPE_LIST && ret->shape != BAKE_SHAPE_MAP &&
        ret->shape != BAKE_SHAPE_KINDS)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                    "`patch` is for rules of shape kinds, map and list");
    else if (head != BAKE_NODE_NONE)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, head), "schema", "files",
                    "a file of patches has no head");
}

/* ---- rules of files that name other files by a text, and of files that are so named ---- */

static bool report(schema_reader *reader, const schema_file *file, bake_node_id node,
                   const char *text)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "files",
                       "%s", text);
}

/* Whether the attribute is there, and the rule of that shape. */
static bool is_for(schema_reader *reader, const schema_file *file, bake_node_id node,
                   const bake_file_rule *rule, bake_shape shape, const char *otherwise)
{
    if (node == BAKE_NODE_NONE || rule->shape == shape)
        return node != BAKE_NODE_NONE;
    return report(reader, file, node, otherwise);
}

/* What the names of files end in that the pattern fits, unless the rule says it. */
static void read_suffix(schema_reader *reader, const schema_file *file, bake_node_id rule,
                        bake_node_id node, bake_file_rule *ret)
{
    ret->suffix = bake_path_ending(ret->match);
    if (node != BAKE_NODE_NONE) {
        const char *text = bake_schema_read_text(reader, file, node, "files", "a suffix", NULL);
        ret->suffix = text ? text : "";
        if (text && (!*text || strchr(text, '/')))
            report(reader, file, node, "a suffix is the end of a file's name, as `.meta`");
    } else if (!*ret->suffix) {
        report(reader, file, rule,
               "a rule of shape guids needs a `suffix`, what its files are called behind the name "
               "of the file that they are beside");
    }
}

void bake_schema_read_guids(schema_reader *reader, const schema_file *file, bake_node_id rule,
                            bake_node_id key, bake_node_id suffix, bake_file_rule *ret)
{
    bake_schema *schema = reader->schema;
    bool has_key =
        is_for(reader, file, key, ret, BAKE_SHAPE_GUIDS, "`key` is for rules of shape guids");
    is_for(reader, file, suffix, ret, BAKE_SHAPE_GUIDS, "`suffix` is for rules of shape guids");
    if (ret->shape != BAKE_SHAPE_GUIDS)
        return;
    ret->key = has_key ? bake_schema_read_text(reader, file, key, "files", "a key", NULL) : NULL;
    if (!has_key)
        report(reader, file, rule,
               "a rule of shape guids needs a `key`, whose value names the file beside");
    read_suffix(reader, file, rule, suffix, ret);
    schema->has_links = true;
    if (schema->file_kind && strcmp(schema->file_kind, ret->kind) != 0)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, rule), "schema", "files",
                    "the files that guids name have the kind \"%s\" already", schema->file_kind);
    schema->file_kind = ret->kind;
}

void bake_schema_read_whole(schema_reader *reader, const schema_file *file, bake_node_id node,
                            bake_file_rule *ret)
{
    size_t length;
    if (!is_for(reader, file, node, ret, BAKE_SHAPE_OBJECTS,
                "`whole` is for rules of shape objects"))
        return;
    const char *text = bake_schema_read_text(reader, file, node, "files", "a number", &length);
    if (text && (bake_parse_integer(KILN_KIND_I64, text, length, &ret->whole) || ret->whole == 0))
        report(reader, file, node, "`whole` is the number that means the file itself, and not 0");
}

bool bake_schema_is_file_kind(const bake_schema *schema, const char *name, size_t length)
{
    const char *kind = schema->file_kind;
    return kind && bake_text_is(name, length, kind);
}

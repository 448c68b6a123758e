#include "bake_documents.h"

#include "bake_memory.h"
#include "similar.h"

#include <kiln/index.h>
#include <string.h>

/* What no rule fits is read by kinds, which is also how kiln-inspect writes assets as YAML. */
static const bake_file_rule by_kind = {.match = "**",
                                       .shape = BAKE_SHAPE_KINDS,
                                       .type = KILN_TYPE_NONE,
                                       .parent_type = KILN_TYPE_NONE};

typedef struct documents {
    bake_inputs *inputs;
    uint32_t input;
    const bake_inputs_def *def;
    const bake_schema *schema;
    bake_diagnostics *diagnostics;
    const bake_tree *tree;
    bool out_of_memory;
} documents;

/* NULL after a report, or when memory ran out. */
static bake_asset *add_asset_of_kind(documents *d, const char *kind, uint32_t type, const char *id,
                                     size_t id_length, bake_node_id node, bake_node_id named_at)
{
    size_t prefix = strlen(kind);
    char *name = bake_store_alloc(&d->inputs->store, prefix + id_length + 2, 1);
    bake_asset *assets = bake_grow(d->inputs->assets, &d->inputs->asset_capacity,
                                   d->inputs->asset_count + 1, sizeof *assets);
    if (assets)
        d->inputs->assets = assets;
    if (!assets || !name) {
        d->out_of_memory = true;
        return NULL;
    }
    memcpy(name, kind, prefix);
    name[prefix] = '/';
    memcpy(name + prefix + 1, id, id_length);
    if (!kiln_asset_name_is_valid(name, prefix + 1 + id_length)) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, named_at), "id", NULL,
                    "an id is not empty and has no control characters");
        return NULL;
    }
    bake_asset *asset = &d->inputs->assets[d->inputs->asset_count++];
    asset->name = name;
    asset->name_length = prefix + 1 + id_length;
    asset->type = type;
    asset->input = d->input;
    asset->node = node;
    asset->named_at = named_at;
    asset->is_scene = false;
    d->inputs->inputs[d->input].asset_count++;
    return asset;
}

static void add_asset(documents *d, uint32_t type, const char *id, size_t id_length,
                      bake_node_id node, bake_node_id named_at)
{
    add_asset_of_kind(d, d->schema->info[type].kind, type, id, id_length, node, named_at);
}

static const char *found_word(const bake_tree *tree, bake_node_id node)
{
    if (bake_node_is_null(tree, node))
        return "null";
    bake_node_kind kind = bake_node_kind_of(tree, node);
    return kind == BAKE_NODE_SCALAR     ? "a scalar"
           : kind == BAKE_NODE_SEQUENCE ? "a list"
                                        : "a mapping";
}

/* The mappings and lists around assets have no type that a tag could agree with but their own. */
static bool expect(documents *d, bake_node_id node, bake_node_kind kind, const char *what)
{
    static const char core[] = "tag:yaml.org,2002:";
    const char *tag = bake_node_tag(d->tree, node);
    const char *word = kind == BAKE_NODE_MAPPING ? "map" : "seq";
    if (bake_node_is_placeholder(d->tree, node))
        return false;
    if (bake_node_kind_of(d->tree, node) != kind)
        return bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "type", NULL,
                           "expected %s, found %s", what, found_word(d->tree, node));
    if (tag && (strncmp(tag, core, sizeof core - 1) != 0 || strcmp(tag + sizeof core - 1, word)))
        return bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "tag", NULL,
                           "unknown tag %s", tag);
    return true;
}

static void read_ids(documents *d, bake_node_id node, uint32_t type)
{
    char expected[200];
    if (bake_node_is_null(d->tree, node))
        return;
    const char *name = kiln_types_get(d->schema->types, type)->name;
    size_t length = strlen(name) < 100 ? strlen(name) : 100;
    static const char before[] = "a mapping of ids to values of ";
    memcpy(expected, before, sizeof before - 1);
    memcpy(expected + sizeof before - 1, name, length);
    expected[sizeof before - 1 + length] = '\0';
    if (!expect(d, node, BAKE_NODE_MAPPING, expected))
        return;
    for (bake_walk walk = bake_walk_begin(d->tree, node);
         !d->out_of_memory && bake_walk_next(&walk);) {
        const char *id = bake_node_text(d->tree, walk.key, &length);
        add_asset(d, type, id, length, walk.value, walk.key);
    }
}

/* A kind that is none is often a file that some rule was meant to fit. */
static void hint_kinds(documents *d, const char *text, size_t length, bool by_rule)
{
    const char **names = bake_alloc_array(d->schema->kind_count, sizeof *names);
    for (size_t k = 0; names && k < d->schema->kind_count; k++)
        names[k] = d->schema->kinds[k].name;
    if (names && (by_rule || !d->schema->has_rules ||
                  bake_most_similar(text, length, names, d->schema->kind_count)))
        bake_hint_similar(d->diagnostics, text, length, names, d->schema->kind_count);
    else
        bake_hint(d->diagnostics, "no rule of the schema's `files` fits \"%s\"",
                  d->inputs->inputs[d->input].relative);
    bake_free(names);
}

static void read_kinds(documents *d, bake_node_id node, bool by_rule)
{
    if (!expect(d, node, BAKE_NODE_MAPPING, "a mapping of kinds to assets"))
        return;
    for (bake_walk walk = bake_walk_begin(d->tree, node); bake_walk_next(&walk);) {
        size_t length;
        const char *text = bake_node_text(d->tree, walk.key, &length);
        const bake_kind *kind = bake_schema_kind(d->schema, text, length);
        if (kind) {
            read_ids(d, walk.value, kind->type);
            continue;
        }
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, walk.key), "kind", NULL,
                    "\"%.*s\" is no kind of asset", (int)length, text);
        hint_kinds(d, text, length, by_rule);
    }
}

static void read_list(documents *d, bake_node_id node, const bake_file_rule *rule)
{
    if (!expect(d, node, BAKE_NODE_SEQUENCE, "a list"))
        return;
    for (bake_walk walk = bake_walk_begin(d->tree, node);
         !d->out_of_memory && bake_walk_next(&walk);) {
        bake_node_id element = walk.value, id = BAKE_NODE_NONE;
        if (bake_node_is_placeholder(d->tree, element))
            continue;
        if (bake_node_kind_of(d->tree, element) == BAKE_NODE_MAPPING)
            id = bake_node_find(d->tree, element, rule->id, strlen(rule->id));
        if (id == BAKE_NODE_NONE || bake_node_kind_of(d->tree, id) != BAKE_NODE_SCALAR ||
            bake_node_is_null(d->tree, id)) {
            bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, element), "id", NULL,
                        "expected a mapping with the field \"%s\", which gives the id", rule->id);
            continue;
        }
        size_t length;
        const char *text = bake_node_text(d->tree, id, &length);
        add_asset(d, rule->type, text, length, element, id);
    }
}

/* The id that the rule takes from the path; false after a report. */
static bool read_id(documents *d, bake_node_id node, const bake_file_rule *rule,
                    const char **ret_id, size_t *ret_length)
{
    const bake_input *input = &d->inputs->inputs[d->input];
    const char *path = input->relative, *id = path;
    size_t stem_length, length = strlen(path);
    const char *stem = bake_path_stem(path, &stem_length);
    if ((rule->id_source == BAKE_ID_PATH || rule->id_source == BAKE_ID_FILE) &&
        !input->has_relative) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "id", NULL,
                    "the id comes from the path, but the file does not lie below the base");
        bake_hint(d->diagnostics, "give -C with a folder that it lies in");
        return false;
    }
    switch (rule->id_source) {
    case BAKE_ID_STEM:
        id = stem;
        length = stem_length;
        break;
    case BAKE_ID_NAME:
        id = stem;
        length = strlen(stem);
        break;
    case BAKE_ID_PATH:
        length = (size_t)(stem - path) + stem_length;
        break;
    case BAKE_ID_FILE:
        break;
    case BAKE_ID_SHORT:
        id = stem;
        /* A name that begins with a dot has no other beginning. */
        length = *stem == '.' ? stem_length : strcspn(stem, ".");
        break;
    case BAKE_ID_TEXT:
        id = rule->id;
        length = strlen(id);
        break;
    }
    *ret_id = id;
    *ret_length = length;
    return true;
}

static void read_one(documents *d, bake_node_id node, const bake_file_rule *rule)
{
    const char *id;
    size_t length;
    if (read_id(d, node, rule, &id, &length))
        add_asset(d, rule->type, id, length, node, node);
}

/* A scene, or prefabs, which are no asset. */
static void read_entities(documents *d, bake_node_id node, const bake_file_rule *rule)
{
    bake_inputs *inputs = d->inputs;
    bake_scene_document document = {d->tree, node, rule, NULL, 0};
    const char *id;
    size_t length;
    if (!inputs->scenes)
        inputs->scenes = bake_scenes_create(d->schema, d->diagnostics);
    if (!inputs->scenes) {
        d->out_of_memory = true;
        return;
    }
    if (rule->shape == BAKE_SHAPE_SCENE) {
        bake_asset *asset =
            read_id(d, node, rule, &id, &length)
                ? add_asset_of_kind(d, rule->kind, KILN_TYPE_NONE, id, length, node, node)
                : NULL;
        if (!asset)
            return;
        asset->is_scene = true;
        document.name = asset->name;
        document.name_length = asset->name_length;
    }
    if (!bake_scenes_add(inputs->scenes, &document, inputs->inputs[d->input].size))
        d->out_of_memory = true;
}

static void read_document(documents *d, bake_node_id node, const bake_file_rule *rule)
{
    switch (rule->shape) {
    case BAKE_SHAPE_KINDS:
        read_kinds(d, node, rule != &by_kind);
        break;
    case BAKE_SHAPE_MAP:
        read_ids(d, node, rule->type);
        break;
    case BAKE_SHAPE_LIST:
        read_list(d, node, rule);
        break;
    case BAKE_SHAPE_ONE:
        read_one(d, node, rule);
        break;
    case BAKE_SHAPE_SCENE:
    case BAKE_SHAPE_PREFABS:
        read_entities(d, node, rule);
        break;
    }
}

static const bake_file_rule *find_rule(const bake_schema *schema, const char *path)
{
    for (size_t i = 0; i < schema->rule_count; i++)
        if (bake_path_matches(schema->rules[i].match, path))
            return &schema->rules[i];
    return &by_kind;
}

bool bake_documents_read(bake_inputs *inputs, uint32_t number, const bake_inputs_def *def)
{
    const bake_input *input = &inputs->inputs[number];
    documents d = {inputs, number, def, def->schema, def->diagnostics, input->tree, false};
    const bake_file_rule *rule = find_rule(def->schema, input->relative);
    for (uint32_t i = 0; i < bake_tree_document_count(input->tree) && !d.out_of_memory; i++) {
        bake_node_id root = bake_tree_document(input->tree, i);
        if (root == BAKE_NODE_NONE)
            continue;
        read_document(&d, root, rule);
    }
    return !d.out_of_memory;
}

/* Finds the assets in each shape of document: kinds, maps, lists, one asset per document, scenes,
 * and engine objects. A mistake in one asset does not stop the others from being read. */
#include "bake_documents.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "document_reader.h"
#include "node_words.h"

#include <stdio.h>
#include <string.h>

/* ---- one asset, or entities ---- */

/* Reads a top-level entry that the rule declares as a head, which becomes a separate asset.
 * Returns false for any other entry. */
static bool read_head(document_reader *d, bake_node_id key, bake_node_id value)
{
    const bake_file_rule *rule = d->rule;
    const char *id;
    size_t length;
    if (!rule || rule->head_count == 0)
        return false;
    const char *text = bake_node_text(d->tree, key, &length);
    const bake_head *head = bake_schema_head(rule, text, length);
    if (!head || bake_node_is_null(d->tree, value) ||
        !bake_document_path_id(d, key, rule->head_source, rule->head_id, &id, &length))
        return head != NULL;
    bake_asset *asset =
        bake_document_add(d, d->schema->info[head->type].kind, head->type, id, length, value, key);
    /* Keys that the rule defines for assets, such as the id, do not apply to heads. */
    if (asset)
        asset->rule = NULL;
    return true;
}

static void read_heads(document_reader *d, bake_node_id node)
{
    if (d->rule->head_count == 0 || bake_node_kind_of(d->tree, node) != BAKE_NODE_MAPPING)
        return;
    for (bake_iterator it = bake_iterator_begin(d->tree, node);
         !d->out_of_memory && bake_iterator_next(&it);)
        read_head(d, it.key, it.value);
}

/* Reads one asset per document. The id comes from the path; from the second document of a file on,
 * `#` and the document's number are appended. */
static void read_one(document_reader *d, bake_node_id node)
{
    const bake_file_rule *rule = d->rule;
    const char *id;
    size_t length;
    read_heads(d, node);
    if (!bake_document_path_id(d, node, rule->id_source, rule->id, &id, &length))
        return;
    if (d->document > 0) {
        char number[16];
        int digits = snprintf(number, sizeof number, "%u", (unsigned)d->document + 1);
        char *name = bake_store_alloc(&d->inputs->store, length + 1 + (size_t)digits, 1);
        if (!name) {
            d->out_of_memory = true;
            return;
        }
        memcpy(name, id, length);
        name[length] = '#';
        memcpy(name + length + 1, number, (size_t)digits);
        id = name;
        length += 1 + (size_t)digits;
    }
    bake_document_add(d, d->schema->info[d->rule->type].kind, d->rule->type, id, length, node,
                      node);
}

static void add_entities(document_reader *d, const bake_scene_document *document)
{
    bake_inputs *inputs = d->inputs;
    /* The size of the files limits the work on scenes, so count each file once, even if it contains
     * several scenes. */
    size_t bytes = d->has_scene ? 0 : inputs->inputs[d->input].size;
    d->has_scene = true;
    if (!inputs->scenes)
        inputs->scenes = bake_scenes_create(d->schema, d->diagnostics);
    if (!inputs->scenes || !bake_scenes_add(inputs->scenes, document, bytes))
        d->out_of_memory = true;
}

/* Adds a scene that is read by `rule`; the name is as in bake_document_add. */
static void read_scene(document_reader *d, const bake_file_rule *rule, const char *kind,
                       const char *id, size_t id_length, bake_node_id node, bake_node_id named_at)
{
    bake_asset *asset = bake_document_add(d, kind, KILN_TYPE_NONE, id, id_length, node, named_at);
    if (!asset)
        return;
    asset->is_scene = true;
    bake_scene_document document = {d->tree, node, rule, asset->name, asset->name_length, d->input};
    add_entities(d, &document);
}

/* Reads a scene, which is an asset, or a file of prefabs, which is not. */
static void read_entities(document_reader *d, bake_node_id node)
{
    const bake_file_rule *rule = d->rule;
    bake_scene_document prefabs = {d->tree, node, rule, NULL, 0, d->input};
    const char *id;
    size_t length;
    if (rule->shape != BAKE_SHAPE_SCENE) {
        add_entities(d, &prefabs);
        return;
    }
    read_heads(d, node);
    if (bake_document_path_id(d, node, rule->id_source, rule->id, &id, &length))
        read_scene(d, rule, rule->kind, id, length, node, node);
}

/* ---- mappings of ids to assets: of one type, grouped by kind, or each naming its kind ---- */

/* Only rules with `patches` reach this function, so bake_document_add appends a patch. */
static void delete_asset(document_reader *d, uint32_t type, const char *id, size_t id_length,
                         bake_node_id named_at)
{
    if (bake_document_add(d, d->schema->info[type].kind, type, id, id_length, named_at, named_at))
        d->inputs->patches[d->inputs->patch_count - 1].deletes = true;
}

/* `has_heads`: the mapping is the whole document, so its keys may be heads. */
static void read_ids(document_reader *d, bake_node_id node, uint32_t type, bool has_heads)
{
    char expected[200];
    size_t length;
    if (bake_node_is_null(d->tree, node))
        return;
    snprintf(expected, sizeof expected, "a mapping of ids to values of %.100s",
             kiln_types_get(d->schema->types, type)->name);
    if (!bake_document_expect(d, node, BAKE_NODE_MAPPING, expected))
        return;
    for (bake_iterator it = bake_iterator_begin(d->tree, node);
         !d->out_of_memory && bake_iterator_next(&it);) {
        const char *id = bake_node_text(d->tree, it.key, &length);
        if (has_heads && read_head(d, it.key, it.value))
            continue;
        if (d->rule && d->rule->patches && bake_node_is_null(d->tree, it.value))
            delete_asset(d, type, id, length, it.key);
        else
            bake_document_add(d, d->schema->info[type].kind, type, id, length, it.value, it.key);
    }
}

/* The kind that a mapping names at the rule's key `by`; NULL after a report. */
static const bake_kind *kind_by(document_reader *d, bake_node_id node)
{
    const char *by = d->rule->by;
    bake_node_id named = bake_node_find(d->tree, node, by, strlen(by));
    if (named != BAKE_NODE_NONE && bake_node_kind_of(d->tree, named) == BAKE_NODE_SCALAR &&
        !bake_node_is_null(d->tree, named))
        return bake_document_kind(d, named);
    if (named != BAKE_NODE_NONE)
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, named), "kind", NULL,
                    "expected the name of a kind, found %s", bake_node_word(d->tree, named));
    else
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "kind", NULL,
                    "expected a mapping with the key \"%s\", which names the kind", by);
    return NULL;
}

/* Adds the scenes of a kind. Returns false if the key is not a kind of scenes. Patches cannot
 * change scenes. */
static bool read_scenes(document_reader *d, bake_node_id key, bake_node_id value)
{
    size_t length;
    const char *text = bake_node_text(d->tree, key, &length);
    const char *kind = bake_schema_scene_kind(d->schema, text, length);
    if (!kind || bake_schema_kind(d->schema, text, length) || (d->rule && d->rule->patches))
        return false;
    if (bake_node_is_null(d->tree, value) ||
        !bake_document_expect(d, value, BAKE_NODE_MAPPING, "a mapping of ids to scenes"))
        return true;
    for (bake_iterator it = bake_iterator_begin(d->tree, value);
         !d->out_of_memory && bake_iterator_next(&it);) {
        const char *id = bake_node_text(d->tree, it.key, &length);
        read_scene(d, &bake_scene_rule_of_kinds, kind, id, length, it.value, it.key);
    }
    return true;
}

/* Adds the accepted or renamed ids of a dump. Returns false if the key names neither list, if the
 * schema has a kind of this name, which takes precedence, or if the rule has `patches`. */
static bool read_links(document_reader *d, bake_node_id key, bake_node_id value)
{
    size_t length;
    const char *text = bake_node_text(d->tree, key, &length);
    bool is_accepted = bake_text_is(text, length, "accepted");
    if ((!is_accepted && !bake_text_is(text, length, "renames")) ||
        bake_schema_kind(d->schema, text, length) || (d->rule && d->rule->patches))
        return false;
    if (is_accepted)
        bake_document_accepted(d, value);
    else
        bake_document_renames(d, value);
    return true;
}

/* Whether the document is a schema that was passed as data, judged by its top-level keys. If `kiln`
 * is a kind of the schema in use or a head of the rule, the document counts as data. */
static bool is_schema(const document_reader *d, bake_node_id node)
{
    return bake_node_find(d->tree, node, "kiln", 4) != BAKE_NODE_NONE &&
           (bake_node_find(d->tree, node, "types", 5) != BAKE_NODE_NONE ||
            bake_node_find(d->tree, node, "include", 7) != BAKE_NODE_NONE) &&
           !bake_schema_kind(d->schema, "kiln", 4) && !bake_schema_head(d->rule, "kiln", 4);
}

/* Whether a document that no rule matches has none of the keys of shape `kinds`, and no similar
 * ones. Then its folder or its rule is wrong, and not its keys. */
static bool is_unmatched(const document_reader *d, bake_node_id node)
{
    if (d->rule || !d->schema->has_rules || bake_node_is_null(d->tree, node))
        return false;
    if (bake_node_kind_of(d->tree, node) != BAKE_NODE_MAPPING)
        return true;
    /* A search for similar kinds takes long, and the first keys are enough for it. */
    enum { SIMILAR_MAX = 1000 };
    size_t length = 0, count = 0;
    bool found = false;
    for (bake_iterator it = bake_iterator_begin(d->tree, node);
         !found && bake_iterator_next(&it);) {
        const char *text = bake_node_text(d->tree, it.key, &length);
        found = bake_schema_scene_kind(d->schema, text, length) ||
                bake_text_is(text, length, "accepted") || bake_text_is(text, length, "renames") ||
                (count++ < SIMILAR_MAX ? bake_document_is_like_kind(d, text, length)
                                       : bake_schema_kind(d->schema, text, length) != NULL);
    }
    return !found && bake_node_count(d->tree, node) > 0;
}

static void add_unmatched(document_reader *d)
{
    bake_inputs *inputs = d->inputs;
    size_t count = inputs->unmatched_count;
    inputs->incomplete = true;
    if (count > 0 && inputs->unmatched[count - 1] == d->input)
        return;
    uint32_t *unmatched = bake_grow(inputs->unmatched, &inputs->unmatched_capacity, count + 1,
                                    sizeof *inputs->unmatched);
    if (!unmatched) {
        d->out_of_memory = true;
        return;
    }
    inputs->unmatched = unmatched;
    unmatched[inputs->unmatched_count++] = d->input;
}

static void read_kinds(document_reader *d, bake_node_id node)
{
    if (!bake_node_is_placeholder(d->tree, node) && !is_schema(d, node) && is_unmatched(d, node)) {
        add_unmatched(d);
        return;
    }
    if (!bake_document_expect(d, node, BAKE_NODE_MAPPING, "a mapping of kinds to assets"))
        return;
    if (is_schema(d, node)) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "kind", NULL,
                    "this file is a schema, not data");
        bake_hint(d->diagnostics, "pass schemas with -s, and keep them outside the data folders");
        return;
    }
    for (bake_iterator it = bake_iterator_begin(d->tree, node); bake_iterator_next(&it);) {
        if (read_head(d, it.key, it.value) || read_scenes(d, it.key, it.value) ||
            read_links(d, it.key, it.value))
            continue;
        const bake_kind *kind = bake_document_kind(d, it.key);
        if (kind)
            read_ids(d, it.value, kind->type, false);
    }
}

/* Reads a mapping in which each value names its kind. */
static void read_by(document_reader *d, bake_node_id node)
{
    size_t length;
    if (bake_node_is_null(d->tree, node) ||
        !bake_document_expect(d, node, BAKE_NODE_MAPPING, "a mapping of ids to assets"))
        return;
    for (bake_iterator it = bake_iterator_begin(d->tree, node);
         !d->out_of_memory && bake_iterator_next(&it);) {
        const char *id = bake_node_text(d->tree, it.key, &length);
        if (read_head(d, it.key, it.value))
            continue;
        const bake_kind *kind =
            bake_node_is_placeholder(d->tree, it.value) ? NULL : kind_by(d, it.value);
        if (kind)
            bake_document_add(d, kind->name, kind->type, id, length, it.value, it.key);
    }
}

static void read_map(document_reader *d, bake_node_id node)
{
    if (d->rule->by)
        read_by(d, node);
    else
        read_ids(d, node, d->rule->type, true);
}

/* ---- lists of assets, each of which contains its id ---- */

/* The scalar with the asset's id; BAKE_NODE_NONE after a report. */
static bake_node_id find_id(document_reader *d, bake_node_id element, const bake_kind *kind)
{
    const bake_file_rule *rule = d->rule;
    const char *key = rule->path_id ? rule->path_id
                      : kind        ? bake_schema_id_key(d->schema, rule, kind->type)
                                    : rule->id;
    bake_node_id id = bake_node_find(d->tree, element, key, strlen(key));
    if (id != BAKE_NODE_NONE && bake_node_kind_of(d->tree, id) == BAKE_NODE_SCALAR &&
        !bake_node_is_null(d->tree, id))
        return id;
    if (kind)
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, element), "id", kind->name,
                    "expected the key \"%s\", which gives the id", key);
    else
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, element), "id", NULL,
                    "expected a mapping with the field \"%s\", which gives the id", key);
    return BAKE_NODE_NONE;
}

/* Reads `- delete: sword`, an element that deletes an asset. Returns false for any other
 * element. */
static bool read_delete(document_reader *d, bake_node_id element, uint32_t type)
{
    static const char word[] = "delete";
    bake_node_id id = bake_node_find(d->tree, element, word, sizeof word - 1);
    size_t length;
    if (id == BAKE_NODE_NONE)
        return false;
    if (bake_node_kind_of(d->tree, id) != BAKE_NODE_SCALAR || bake_node_is_null(d->tree, id)) {
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, id), "id", NULL,
                    "expected the id of the asset to delete");
        return true;
    }
    if (bake_node_count(d->tree, element) > (d->rule->by ? 2 : 1))
        bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, element), "unknown-key",
                    NULL, "an element that deletes an asset cannot set its fields");
    const char *text = bake_node_text(d->tree, id, &length);
    delete_asset(d, type, text, length, id);
    return true;
}

static void read_element(document_reader *d, bake_node_id element)
{
    const bake_kind *kind = NULL;
    uint32_t type = d->rule->type;
    size_t length;
    if (d->rule->by) {
        kind = kind_by(d, element);
        if (!kind)
            return;
        type = kind->type;
    }
    if (d->rule->patches && read_delete(d, element, type))
        return;
    bake_node_id id = find_id(d, element, kind);
    if (id == BAKE_NODE_NONE)
        return;
    const char *text = bake_node_text(d->tree, id, &length);
    bake_document_add(d, d->schema->info[type].kind, type, text, length, element, id);
}

static void read_list(document_reader *d, bake_node_id node)
{
    if (!bake_document_expect(d, node, BAKE_NODE_SEQUENCE, "a list"))
        return;
    for (bake_iterator it = bake_iterator_begin(d->tree, node);
         !d->out_of_memory && bake_iterator_next(&it);)
        if (!bake_node_is_placeholder(d->tree, it.value))
            read_element(d, it.value);
}

/* ---- engine objects: the tag contains the class number and the anchor contains the object number.
 * The root maps the class name to the value ---- */

/* The maximum length of a class name, which bounds a stack buffer. */
enum { CLASS_MAX = 200 };

static void refuse(document_reader *d, bake_node_id node, const char *rule, const char *what)
{
    bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), rule, NULL, "%s", what);
}

static bool check_tag(document_reader *d, bake_node_id node)
{
    const char *tag = bake_node_tag(d->tree, node), *prefix = d->rule->tag;
    size_t length = strlen(prefix);
    const char *number = tag && strncmp(tag, prefix, length) == 0 ? tag + length : "";
    if (*number && strspn(number, "0123456789") == strlen(number))
        return true;
    bake_report(d->diagnostics, BAKE_ERROR, bake_node_mark(d->tree, node), "tag", NULL,
                "expected an object with the tag %sNUMBER", prefix);
    return false;
}

/* Finds the scalar at the path `by`, such as `m_Script.guid`. Returns false if there is none. */
static bool find_part(const document_reader *d, bake_node_id node, const char **ret_text,
                      size_t *ret_length)
{
    const char *step = d->rule->by;
    for (;;) {
        size_t length = strcspn(step, ".");
        if (bake_node_kind_of(d->tree, node) != BAKE_NODE_MAPPING)
            return false;
        node = bake_node_find(d->tree, node, step, length);
        if (node == BAKE_NODE_NONE)
            return false;
        if (!step[length])
            break;
        step += length + 1;
    }
    if (bake_node_kind_of(d->tree, node) != BAKE_NODE_SCALAR)
        return false;
    *ret_text = bake_node_text(d->tree, node, ret_length);
    return true;
}

static const bake_kind *find_kind(const document_reader *d, const char *name, size_t length,
                                  const char *part, size_t part_length)
{
    char full[2 * CLASS_MAX + 2];
    if (length > CLASS_MAX || part_length > CLASS_MAX)
        return NULL;
    memcpy(full, name, length);
    full[length] = '.';
    memcpy(full + length + 1, part, part_length);
    return bake_schema_kind(d->schema, full, length + 1 + part_length);
}

/* The kind of an object: `Class.stripped` if it is stripped, else `Class.part` with the scalar at
 * the path `by`, else `Class`. NULL after a report. */
static const bake_kind *kind_of(document_reader *d, const bake_iterator *entry, bool is_stripped)
{
    static const char stripped[] = "stripped";
    size_t length, part_length;
    const char *name = bake_node_text(d->tree, entry->key, &length), *part;
    const bake_kind *kind = NULL;
    if (is_stripped)
        kind = find_kind(d, name, length, stripped, sizeof stripped - 1);
    else if (d->rule->by && find_part(d, entry->value, &part, &part_length))
        kind = find_kind(d, name, length, part, part_length);
    return kind ? kind : bake_document_kind(d, entry->key);
}

/* The id is `path#anchor`, because anchors are only unique within their file. */
static void add_object(document_reader *d, uint32_t number, const bake_kind *kind,
                       const bake_iterator *entry)
{
    const char *anchor = bake_tree_document_anchor(d->tree, number), *path;
    size_t length, anchor_length = strlen(anchor);
    if (!bake_document_path_id(d, entry->key, d->rule->id_source, d->rule->id, &path, &length))
        return;
    char *id = bake_alloc(length + 1 + anchor_length);
    if (!id) {
        d->out_of_memory = true;
        return;
    }
    memcpy(id, path, length);
    id[length] = '#';
    memcpy(id + length + 1, anchor, anchor_length);
    bake_document_add(d, kind->name, kind->type, id, length + 1 + anchor_length, entry->value,
                      entry->key);
    bake_free(id);
}

static void read_object(document_reader *d, bake_node_id node, uint32_t number)
{
    if (!check_tag(d, node))
        return;
    if (bake_node_kind_of(d->tree, node) != BAKE_NODE_MAPPING ||
        bake_node_count(d->tree, node) != 1) {
        refuse(d, node, "type", "expected a mapping with one key, the name of the object's class");
        return;
    }
    if (!bake_tree_document_anchor(d->tree, number)) {
        refuse(d, node, "id", "missing anchor: expected `&` and the number of the object");
        return;
    }
    bake_iterator entry = bake_iterator_begin(d->tree, node);
    bake_iterator_next(&entry);
    const bake_kind *kind = kind_of(d, &entry, bake_tree_document_is_stripped(d->tree, number));
    if (kind)
        add_object(d, number, kind, &entry);
}

/* ---- all shapes ---- */

static void read_document(document_reader *d, bake_node_id node, uint32_t number)
{
    /* A file that no rule matches is read as shape `kinds`, the shape of the dumps that
     * kiln-inspect writes. */
    switch (d->rule ? d->rule->shape : BAKE_SHAPE_KINDS) {
    case BAKE_SHAPE_KINDS:
        read_kinds(d, node);
        break;
    case BAKE_SHAPE_MAP:
        read_map(d, node);
        break;
    case BAKE_SHAPE_LIST:
        read_list(d, node);
        break;
    case BAKE_SHAPE_ONE:
        read_one(d, node);
        break;
    case BAKE_SHAPE_SCENE:
    case BAKE_SHAPE_PREFABS:
        read_entities(d, node);
        break;
    case BAKE_SHAPE_RENAMES:
        bake_document_renames(d, node);
        break;
    case BAKE_SHAPE_ACCEPTED:
        bake_document_accepted(d, node);
        break;
    case BAKE_SHAPE_OBJECTS:
        read_object(d, node, number);
        break;
    case BAKE_SHAPE_GUIDS:
        if (bake_document_guids(d, node) && d->rule->type != KILN_TYPE_NONE)
            read_one(d, node);
        break;
    }
}

bool bake_documents_read(bake_inputs *inputs, uint32_t number, const bake_inputs_def *def)
{
    const bake_input *input = &inputs->inputs[number];
    document_reader d = {.inputs = inputs,
                         .input = number,
                         .def = def,
                         .schema = def->schema,
                         .diagnostics = def->diagnostics,
                         .tree = input->tree,
                         .rule = input->rule};
    for (uint32_t i = 0; i < bake_tree_document_count(input->tree) && !d.out_of_memory; i++) {
        bake_node_id root = bake_tree_document(input->tree, i);
        d.document = i;
        if (root != BAKE_NODE_NONE)
            read_document(&d, root, i);
    }
    return !d.out_of_memory;
}

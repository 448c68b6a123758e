/* A collection is written in two steps. When it opens, its header is written with a count of 0;
 * when it closes, the count and the end are filled in. Until then, its frame holds the state.
 *
 * `weight` counts nodes with aliases expanded. It is checked before any pass expands an alias, so
 * every later pass takes time linear in the limit. `height` limits the depth of aliased collections
 * in the same way. */
#include "tree_builder.h"

#include "bake_table.h"
#include "tree_store.h"

#include <inttypes.h>
#include <stddef.h>

#define TAG_LENGTH_MAX 255

/* The maximum length in bytes of a name in a message. */
#define SHOWN_MAX 64

/* ---- anchors ---- */

/* A hint considers only the most recent anchors, because they are most likely to be meant. */
#define HINT_NAMES_MAX 64

typedef struct anchor_list {
    const bake_anchor *items;
    const char *text; /* of the tree */
} anchor_list;

static bool has_name(anchor_list list, uint32_t number, text_key name)
{
    const bake_anchor *item = &list.items[number];
    return item->name_length == name.length &&
           memcmp(list.text + item->name, name.text, name.length) == 0;
}

HASH_TABLE(anchors_by_name, anchor_list, text_key, hash_of_text, has_name)

/* Adds an anchor, which replaces an earlier one with the same name. Returns false if memory runs
 * out. */
static bool record_anchor(bake_anchors *anchors, bake_tree *tree, const char *name, size_t length,
                          bake_anchor added, size_t *ret_number)
{
    bake_anchor *items = bake_table_grow_rows(&anchors->by_name, anchors->items, &anchors->capacity,
                                              anchors->count, sizeof *items);
    if (!items)
        return false;
    anchors->items = items;
    if (!bake_tree_add_text(tree, name, length, &added.name))
        return false;
    added.name_length = (uint32_t)length;
    hash_slot *slot = anchors_by_name_slot(&anchors->by_name, (anchor_list){items, tree->text},
                                           (text_key){name, length});
    if (hash_slot_is_empty(slot))
        hash_table_put(&anchors->by_name, slot, (uint32_t)anchors->count);
    else
        hash_slot_set_number(slot, (uint32_t)anchors->count);
    *ret_number = anchors->count;
    items[anchors->count++] = added;
    return true;
}

static bake_anchor *find_anchor(const bake_anchors *anchors, const bake_tree *tree,
                                const char *name, size_t length)
{
    uint32_t number = anchors_by_name_find(
        &anchors->by_name, (anchor_list){anchors->items, tree->text}, (text_key){name, length});
    return number == HASH_TABLE_NONE ? NULL : &anchors->items[number];
}

/* Adds a hint if an anchor has a name similar to `name`. */
static void hint_anchors(const bake_anchors *anchors, const bake_tree *tree,
                         bake_diagnostics *diagnostics, const char *name, size_t length)
{
    const char *names[HINT_NAMES_MAX];
    size_t count = 0;
    for (size_t i = anchors->count; i > 0 && count < HINT_NAMES_MAX; i--)
        names[count++] = tree->text + anchors->items[i - 1].name;
    bake_hint_similar(diagnostics, name, length, names, count);
}

/* ---- the builder ---- */

void bake_builder_init(bake_builder *b, bake_tree *tree, bake_diagnostics *diagnostics)
{
    /* Zero only the first frame: the frames are large, and each is filled when its collection
     * opens. */
    memset(b, 0, offsetof(bake_builder, frames) + sizeof *b->frames);
    memset(b->tags, 0, sizeof b->tags);
    b->tree = tree;
    b->diagnostics = diagnostics;
    b->directives = bake_directives_find(tree->source_text, tree->source_size);
    b->weight_max = BAKE_TREE_EXPANDED_MIN + (uint64_t)16 * tree->source_size;
}

void bake_builder_fini(bake_builder *b)
{
    bake_free(b->anchors.items);
    bake_table_fini(&b->anchors.by_name);
    bake_free(b->scratch.items);
}

static bake_mark mark_at(const bake_builder *b, uint32_t place, uint32_t end)
{
    bake_point from = bake_tree_point(b->tree, place), to = bake_tree_point(b->tree, end);
    bake_mark mark = {b->tree->source, from.line, from.column, 1};
    if (to.line == from.line && to.column > from.column)
        mark.length = to.column - from.column;
    return mark;
}

static bool add_tag(bake_builder *b, const bake_properties *properties, uint32_t *ret_tag)
{
    const char *tag = properties->tag;
    uint32_t hash = 0;
    *ret_tag = 0;
    if (!tag)
        return true;
    for (size_t i = 0; i < properties->tag_length; i++)
        hash = hash * 31 + (unsigned char)tag[i];
    uint32_t *cached = &b->tags[hash % BAKE_TAG_CACHE_SIZE];
    if (*cached == 0 || strncmp(b->tree->text + *cached - 1, tag, properties->tag_length) != 0 ||
        b->tree->text[*cached - 1 + properties->tag_length] != '\0') {
        uint32_t offset;
        if (!bake_tree_add_text(b->tree, tag, properties->tag_length, &offset))
            return false;
        *cached = offset + 1;
    }
    *ret_tag = *cached;
    return true;
}

/* Checks the length of the tag. Returns false if building must stop. */
static bool check_tag(bake_builder *b, bake_properties *properties, uint32_t end)
{
    if (properties->tag_length <= TAG_LENGTH_MAX)
        return true;
    if (!b->diagnostics)
        return false;
    bake_report(b->diagnostics, BAKE_ERROR, mark_at(b, properties->place, end), "tag", NULL,
                "the tag has %zu bytes, more than the maximum of %d", properties->tag_length,
                TAG_LENGTH_MAX);
    properties->tag = NULL;
    return true;
}

/* Counts a new node in its frame. At the top level, it becomes the document's root. */
static void attach(bake_builder *b, bake_node_id node)
{
    bake_frame *top = &b->frames[b->depth];
    top->count++;
    if (!b->depth)
        b->tree->documents[b->tree->document_count - 1].root = node;
}

static bool add_anchor(bake_builder *b, const bake_properties *properties, bake_node_id node,
                       bool open, size_t *ret_number)
{
    *ret_number = SIZE_MAX;
    bake_tree *tree = b->tree;
    bake_anchor anchor = {.node = node, .weight = 1, .open = open};
    if (!properties->anchor)
        return true;
    if (!record_anchor(&b->anchors, tree, properties->anchor, properties->anchor_length, anchor,
                       ret_number))
        return false;
    if (b->depth == 0) {
        bake_document *document = &tree->documents[tree->document_count - 1];
        const char *source = tree->source_text;
        document->anchor = b->anchors.items[*ret_number].name + 1;
        document->is_stripped =
            b->directives.size > 0 &&
            bake_is_stripped_at(source, source + properties->place, source + tree->source_size);
    }
    return true;
}

bake_build bake_builder_document(bake_builder *b)
{
    bake_tree *tree = b->tree;
    b->anchors.count = 0;
    bake_table_reset(&b->anchors.by_name);
    bake_document *grown = bake_grow(tree->documents, &tree->document_capacity,
                                     tree->document_count + 1, sizeof *grown);
    if (!grown)
        return BAKE_BUILD_NO_MEMORY;
    tree->documents = grown;
    grown[tree->document_count++] = (bake_document){.root = BAKE_NODE_NONE};
    return BAKE_BUILD_OK;
}

/* Copies a scalar whose bytes differ from the source, after a header and aligned to a word. */
static bool copy_scalar(bake_tree *tree, const bake_scalar *scalar, uint32_t *ret_words)
{
    uint32_t head[2] = {(uint32_t)scalar->length, scalar->end};
    static const char zeros[4] = "";
    uint32_t offset, ignored;
    size_t gap = (0 - tree->text_size) & 3;
    if ((gap && !bake_tree_add_text(tree, zeros, gap - 1, &ignored)) ||
        !bake_tree_add_text(tree, (const char *)head, sizeof head - 1, &offset))
        return false;
    memcpy(tree->text + offset, head, sizeof head);
    *ret_words = offset / 4;
    return offset / 4 <= BAKE_SIZE_MAX &&
           bake_tree_add_text(tree, scalar->text, scalar->length, &ignored);
}

static uint32_t clamp_place(uint32_t place)
{
    return place < BAKE_PLACE_MAX ? place : BAKE_PLACE_MAX;
}

bake_build bake_builder_scalar(bake_builder *b, const bake_properties *properties,
                               const bake_scalar *scalar)
{
    bake_tree *tree = b->tree;
    bake_properties own = *properties;
    bool has_properties = own.tag || own.anchor;
    bake_form form = scalar->form;
    uint32_t size = (uint32_t)scalar->length, tag;
    size_t anchor;
    if (!b->depth && form == BAKE_FORM_PLAIN && scalar->length == 0 && !own.tag)
        return BAKE_BUILD_OK;
    if (!check_tag(b, &own, scalar->end))
        return BAKE_BUILD_STOPPED;
    if (form <= BAKE_FORM_QUOTED && scalar->length > BAKE_SIZE_MAX)
        form = form == BAKE_FORM_PLAIN ? BAKE_FORM_FOLDED : BAKE_FORM_COPIED;
    if (!bake_tree_grow_words(tree, 4) || !add_tag(b, &own, &tag) ||
        (form >= BAKE_FORM_COPIED && !copy_scalar(tree, scalar, &size)))
        return BAKE_BUILD_NO_MEMORY;
    bake_node_id id = (bake_node_id)tree->word_count;
    uint32_t *words = tree->words + id;
    words[0] = (uint32_t)BAKE_NODE_SCALAR << BAKE_PLACE_BITS | clamp_place(own.place);
    words[1] = (uint32_t)form << 30 | (has_properties ? BAKE_PROPERTIES : 0) | size;
    words[2] = tag;
    words[3] = form < BAKE_FORM_COPIED ? scalar->place : 0;
    tree->word_count += has_properties ? 4 : 2;
    b->weight++;
    if (bake_builder_at_key(b) && bake_tree_is_merge_key(tree, id))
        b->frames[b->depth].special = true;
    if (!add_anchor(b, &own, id, false, &anchor))
        return BAKE_BUILD_NO_MEMORY;
    attach(b, id);
    return BAKE_BUILD_OK;
}

/* Reports a key that is not a scalar. Returns false if building must stop. */
static bool refuse_key(bake_builder *b, uint32_t place, uint32_t end)
{
    b->frames[b->depth].special = true;
    if (!b->diagnostics)
        return false;
    bake_report(b->diagnostics, BAKE_ERROR, mark_at(b, place, end), "key", NULL,
                "a key must be a single value, not a list or mapping");
    return true;
}

static bool add_collection(bake_builder *b, bake_node_kind kind, const bake_properties *properties,
                           uint32_t flags)
{
    bake_tree *tree = b->tree;
    uint32_t tag;
    if (!bake_tree_grow_words(tree, 4) || !add_tag(b, properties, &tag))
        return false;
    uint32_t *words = tree->words + tree->word_count;
    words[0] = (uint32_t)kind << BAKE_PLACE_BITS | clamp_place(properties->place);
    words[1] = flags | (tag ? BAKE_PROPERTIES : 0);
    words[2] = (uint32_t)tree->word_count + 3;
    words[3] = tag;
    tree->word_count += tag ? 4 : 3;
    b->weight++;
    return true;
}

bake_build bake_builder_open(bake_builder *b, bake_node_kind kind,
                             const bake_properties *properties)
{
    bake_properties own = *properties;
    bake_node_id id = (bake_node_id)b->tree->word_count;
    bake_frame opened = {.node = id, .is_mapping = kind == BAKE_NODE_MAPPING};
    if (bake_builder_at_key(b) && !refuse_key(b, own.place, own.place))
        return BAKE_BUILD_STOPPED;
    if (b->depth == BAKE_TREE_DEPTH_MAX) {
        if (b->diagnostics)
            bake_report(b->diagnostics, BAKE_ERROR, mark_at(b, own.place, own.place), "depth", NULL,
                        "values are nested deeper than %d levels", BAKE_TREE_DEPTH_MAX);
        return BAKE_BUILD_STOPPED;
    }
    if (!check_tag(b, &own, own.place))
        return BAKE_BUILD_STOPPED;
    opened.weight_then = b->weight;
    if (!add_collection(b, kind, &own, 0) || !add_anchor(b, &own, id, true, &opened.anchor))
        return BAKE_BUILD_NO_MEMORY;
    attach(b, id);
    b->frames[++b->depth] = opened;
    return BAKE_BUILD_OK;
}

bake_build bake_builder_close(bake_builder *b)
{
    bake_frame closed = b->frames[b->depth--];
    bake_tree *tree = b->tree;
    bake_build result = BAKE_BUILD_OK;
    if (closed.is_mapping) {
        result = bake_tree_end_mapping(tree, b->diagnostics, closed.node, closed.count / 2,
                                       closed.special, &b->scratch);
    } else {
        tree->words[closed.node + 1] |= closed.count;
        tree->words[closed.node + 2] = (uint32_t)tree->word_count;
    }
    bake_frame *top = &b->frames[b->depth];
    uint32_t height = closed.height + 1;
    if (closed.anchor != SIZE_MAX) {
        bake_anchor *anchor = &b->anchors.items[closed.anchor];
        anchor->weight = b->weight - closed.weight_then;
        anchor->height = height;
        anchor->open = false;
    }
    if (top->height < height)
        top->height = height;
    return result;
}

/* Replaces a rejected alias with an empty sequence: as a key it is dropped, and as the value of a
 * merge key it adds nothing. */
static bake_build add_placeholder(bake_builder *b, uint32_t place)
{
    bake_properties none = {.place = place};
    bake_node_id id = (bake_node_id)b->tree->word_count;
    if (bake_builder_at_key(b))
        b->frames[b->depth].special = true;
    if (!add_collection(b, BAKE_NODE_SEQUENCE, &none, BAKE_PLACEHOLDER))
        return BAKE_BUILD_NO_MEMORY;
    attach(b, id);
    return BAKE_BUILD_OK;
}

/* Reports an alias that is undefined or refers to a collection that contains it. */
static bake_build refuse_alias(bake_builder *b, const bake_anchor *anchor, const char *name,
                               size_t length, uint32_t place, uint32_t end)
{
    if (!b->diagnostics)
        return BAKE_BUILD_STOPPED;
    bake_mark mark = mark_at(b, place, end);
    int shown = (int)(length < SHOWN_MAX ? length : SHOWN_MAX);
    if (anchor) {
        bake_report(b->diagnostics, BAKE_ERROR, mark, "alias", NULL,
                    "the alias *%.*s contains itself", shown, name);
        bake_mark around = bake_node_mark(b->tree, anchor->node);
        bake_hint(b->diagnostics, "its anchor is on line %" PRIu32, around.line);
        bake_related(b->diagnostics, around, "its anchor");
    } else {
        bake_report(b->diagnostics, BAKE_ERROR, mark, "alias", NULL, "undefined alias *%.*s", shown,
                    name);
        hint_anchors(&b->anchors, b->tree, b->diagnostics, name, length);
    }
    return add_placeholder(b, place);
}

/* Whether the tree with this alias expanded is within the limits of size and depth. */
static bool check_alias(bake_builder *b, const bake_anchor *anchor, uint32_t place, uint32_t end)
{
    b->weight += anchor->weight;
    bool too_deep = b->depth + anchor->height > BAKE_TREE_DEPTH_MAX;
    if (!too_deep && b->weight <= b->weight_max)
        return true;
    if (b->diagnostics && too_deep)
        bake_report(b->diagnostics, BAKE_ERROR, mark_at(b, place, end), "depth", NULL,
                    "with this alias, values are nested deeper than %d levels",
                    BAKE_TREE_DEPTH_MAX);
    else if (b->diagnostics)
        bake_report(b->diagnostics, BAKE_ERROR, mark_at(b, place, end), "alias-bomb", NULL,
                    "with aliases expanded, the file has more than %" PRIu64 " values",
                    b->weight_max);
    return false;
}

bake_build bake_builder_alias(bake_builder *b, const char *name, size_t length, uint32_t place,
                              uint32_t end)
{
    bake_tree *tree = b->tree;
    const bake_anchor *anchor = find_anchor(&b->anchors, tree, name, length);
    bake_frame *top = &b->frames[b->depth];
    if (!anchor || anchor->open)
        return refuse_alias(b, anchor, name, length, place, end);
    if (!check_alias(b, anchor, place, end))
        return BAKE_BUILD_STOPPED;
    if (bake_builder_at_key(b)) {
        bool scalar = bake_word_kind(tree, anchor->node) == BAKE_NODE_SCALAR;
        if (!scalar && !refuse_key(b, place, end))
            return BAKE_BUILD_STOPPED;
        top->special = top->special || !scalar || bake_tree_is_merge_key(tree, anchor->node);
    }
    if (top->height < anchor->height)
        top->height = anchor->height;
    bake_node_id target = anchor->node, id = (bake_node_id)tree->word_count;
    if (!bake_tree_grow_words(tree, 2))
        return BAKE_BUILD_NO_MEMORY;
    tree->words[id] = (uint32_t)BAKE_WORD_ALIAS << BAKE_PLACE_BITS | clamp_place(place);
    tree->words[id + 1] = target;
    tree->word_count += 2;
    attach(b, id);
    return BAKE_BUILD_OK;
}

#include "tree_store.h"

#include "bake_memory.h"
#include "tree_problem.h"

#include <inttypes.h>

#define SIZE_LIMIT ((size_t)1 << 30)
#define TAG_LENGTH_MAX 255
#define TAG_CACHE_SIZE 64
#define MARK_LENGTH_MAX ((1u << 28) - 1)

/* An open collection. */
typedef struct frame {
    bake_node_id node;
    bool is_mapping;
    bool has_merge_key;
    uint32_t height; /* levels of collections in its children */
    size_t base;     /* where its children begin in `pending` */
    size_t anchor;   /* number of its anchor; SIZE_MAX: none */
    uint64_t weight; /* nodes in it so far, aliases counted as copies */
} frame;

/* Everything that is needed only while events come in. */
typedef struct builder {
    bake_tree *tree;
    bake_diagnostics *diagnostics;
    bake_anchors anchors;
    uint32_t *pending; /* children of open collections, in order */
    size_t pending_count;
    size_t pending_capacity;
    uint64_t weight; /* nodes so far, aliases counted as copies */
    uint64_t weight_max;
    size_t depth;
    frame frames[BAKE_TREE_DEPTH_MAX];
    uint32_t tags[TAG_CACHE_SIZE]; /* as bake_node.tag; by hash, the latest */
} builder;

static bake_mark mark_of(const builder *b, yaml_mark_t start, yaml_mark_t end)
{
    bake_mark mark = {b->tree->source, (uint32_t)start.line + 1, (uint32_t)start.column + 1, 1};
    if (end.line == start.line && end.column > start.column)
        mark.length = (uint32_t)(end.column - start.column);
    else if (end.line > start.line)
        mark.length = BAKE_MARK_TO_LINE_END;
    return mark;
}

static frame *top_of(builder *b)
{
    return b->depth ? &b->frames[b->depth - 1] : NULL;
}

static bool is_at_key(const builder *b)
{
    const frame *top = b->depth ? &b->frames[b->depth - 1] : NULL;
    return top && top->is_mapping && (b->pending_count - top->base) % 2 == 0;
}

static bool add_tag(builder *b, const char *tag, bake_mark mark, uint32_t *ret_tag)
{
    *ret_tag = 0;
    if (!tag)
        return true;
    uint32_t hash = 0;
    size_t length = 0;
    while (tag[length])
        hash = hash * 31 + (unsigned char)tag[length++];
    if (length > TAG_LENGTH_MAX) {
        bake_report(b->diagnostics, BAKE_ERROR, mark, "tag", NULL,
                    "a tag of %zu bytes; at most %d are read", length, TAG_LENGTH_MAX);
        return true;
    }
    uint32_t *cached = &b->tags[hash % TAG_CACHE_SIZE];
    if (*cached == 0 || strcmp(b->tree->text + *cached - 1, tag) != 0) {
        uint32_t offset;
        if (!bake_tree_add_text(b->tree, tag, length, &offset))
            return false;
        *cached = offset + 1;
    }
    *ret_tag = *cached;
    return true;
}

/* Adds a node without content; NULL when there is no memory. */
static bake_node *add_node(builder *b, bake_node_kind kind, bake_mark mark, const char *tag)
{
    bake_tree *tree = b->tree;
    if (tree->node_count == tree->node_capacity) {
        bake_node *grown =
            bake_tree_fits(tree->node_count, 1)
                ? bake_grow(tree->nodes, &tree->node_capacity, tree->node_count + 1, sizeof *grown)
                : NULL;
        if (!grown)
            return NULL;
        tree->nodes = grown;
    }
    uint32_t tag_offset;
    if (!add_tag(b, tag, mark, &tag_offset))
        return NULL;
    bool to_line_end = mark.length > MARK_LENGTH_MAX;
    bake_node *node = &tree->nodes[tree->node_count++];
    node->line = mark.line;
    node->column = mark.column;
    node->length = (to_line_end ? 0 : mark.length) & MARK_LENGTH_MAX;
    node->kind = (unsigned)kind & 3u;
    node->plain = 0;
    node->is_merge_key = 0;
    node->count = 0;
    node->content = 0;
    node->tag = tag_offset;
    b->weight++;
    return node;
}

/* Hands a complete node, or one just opened, to the collection or document around it. */
static bool attach(builder *b, bake_node_id node, uint64_t weight, uint32_t height)
{
    frame *top = top_of(b);
    if (!top) {
        b->tree->documents[b->tree->document_count - 1] = node;
        return true;
    }
    if (b->pending_count == b->pending_capacity) {
        uint32_t *grown =
            bake_grow(b->pending, &b->pending_capacity, b->pending_count + 1, sizeof *grown);
        if (!grown)
            return false;
        b->pending = grown;
    }
    b->pending[b->pending_count++] = node;
    top->weight += weight;
    if (top->height < height)
        top->height = height;
    return true;
}

static bool add_anchor(builder *b, const yaml_char_t *name, bake_node_id node, bool open,
                       size_t *ret_number)
{
    *ret_number = SIZE_MAX;
    bake_anchor anchor = {.node = node, .weight = 1, .open = open};
    return !name || bake_anchors_add(&b->anchors, b->tree, (const char *)name, anchor, ret_number);
}

static bake_build on_document(builder *b)
{
    bake_tree *tree = b->tree;
    bake_anchors_next_document(&b->anchors);
    uint32_t *grown = bake_grow(tree->documents, &tree->document_capacity, tree->document_count + 1,
                                sizeof *grown);
    if (!grown)
        return BAKE_BUILD_NO_MEMORY;
    tree->documents = grown;
    grown[tree->document_count++] = BAKE_NODE_NONE;
    return BAKE_BUILD_OK;
}

static bool is_merge_key(const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    const char *tag = (const char *)event->data.scalar.tag;
    return event->data.scalar.length == 2 && text[0] == '<' && text[1] == '<' &&
           event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (!tag || strcmp(tag, "tag:yaml.org,2002:merge") == 0);
}

static bake_build on_scalar(builder *b, const yaml_event_t *event)
{
    size_t length = event->data.scalar.length;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const char *tag = (const char *)event->data.scalar.tag;
    if (!b->depth && plain && length == 0 && !tag)
        return BAKE_BUILD_OK;
    bake_mark mark = mark_of(b, event->start_mark, event->end_mark);
    bake_node *node = add_node(b, BAKE_NODE_SCALAR, mark, tag);
    if (!node || !bake_tree_add_text(b->tree, (const char *)event->data.scalar.value, length,
                                     &node->content))
        return BAKE_BUILD_NO_MEMORY;
    node->count = (uint32_t)length;
    node->plain = plain;
    if (is_at_key(b) && is_merge_key(event)) {
        node->is_merge_key = 1;
        top_of(b)->has_merge_key = true;
    }
    bake_node_id id = (bake_node_id)(b->tree->node_count - 1);
    size_t anchor;
    if (!add_anchor(b, event->data.scalar.anchor, id, false, &anchor) || !attach(b, id, 1, 0))
        return BAKE_BUILD_NO_MEMORY;
    return BAKE_BUILD_OK;
}

static void report_key(builder *b, bake_mark mark)
{
    bake_report(b->diagnostics, BAKE_ERROR, mark, "key", NULL,
                "a key must be a single value, not a list or mapping");
}

static bake_build on_collection_start(builder *b, bake_node_kind kind, const yaml_char_t *anchor,
                                      const yaml_char_t *tag, yaml_mark_t start)
{
    bake_mark mark = mark_of(b, start, start);
    if (is_at_key(b))
        report_key(b, mark);
    if (b->depth == BAKE_TREE_DEPTH_MAX) {
        bake_report(b->diagnostics, BAKE_ERROR, mark, "depth", NULL, "nested deeper than %d levels",
                    BAKE_TREE_DEPTH_MAX);
        return BAKE_BUILD_STOPPED;
    }
    if (!add_node(b, kind, mark, (const char *)tag))
        return BAKE_BUILD_NO_MEMORY;
    /* The parent learns weight and height at the end. */
    bake_node_id id = (bake_node_id)(b->tree->node_count - 1);
    frame opened = {.node = id, .is_mapping = kind == BAKE_NODE_MAPPING, .weight = 1};
    if (!add_anchor(b, anchor, id, true, &opened.anchor) || !attach(b, id, 0, 0))
        return BAKE_BUILD_NO_MEMORY;
    opened.base = b->pending_count;
    b->frames[b->depth++] = opened;
    return BAKE_BUILD_OK;
}

static bake_build finish_sequence(builder *b, bake_node_id id, const uint32_t *elements,
                                  size_t count)
{
    size_t content;
    if (!bake_tree_add_links(b->tree, count, &content))
        return BAKE_BUILD_NO_MEMORY;
    if (count)
        memcpy(b->tree->links + content, elements, count * sizeof *elements);
    b->tree->nodes[id].content = (uint32_t)content;
    b->tree->nodes[id].count = (uint32_t)count;
    return BAKE_BUILD_OK;
}

static bake_build on_collection_end(builder *b)
{
    frame closed = b->frames[--b->depth];
    size_t count = b->pending_count - closed.base;
    const uint32_t *children = b->pending ? b->pending + closed.base : NULL;
    bake_build result = closed.is_mapping
                            ? bake_tree_finish_mapping(b->tree, b->diagnostics, closed.node,
                                                       children, count / 2, closed.has_merge_key)
                            : finish_sequence(b, closed.node, children, count);
    b->pending_count = closed.base;
    uint32_t height = closed.height + 1;
    if (closed.anchor != SIZE_MAX) {
        bake_anchor *anchor = &b->anchors.items[closed.anchor];
        anchor->weight = closed.weight;
        anchor->height = height;
        anchor->open = false;
    }
    frame *top = top_of(b);
    if (top) {
        top->weight += closed.weight;
        top->height = top->height < height ? height : top->height;
    }
    return result;
}

/* Stands where an alias leads nowhere; an empty sequence, so that as a key it is dropped and as the
 * value of a merge key it brings nothing. */
static bake_build add_placeholder(builder *b, bake_mark mark)
{
    bake_node *node = add_node(b, BAKE_NODE_SEQUENCE, mark, NULL);
    if (!node)
        return BAKE_BUILD_NO_MEMORY;
    node->plain = 1;
    if (!attach(b, (bake_node_id)(b->tree->node_count - 1), 1, 1))
        return BAKE_BUILD_NO_MEMORY;
    return BAKE_BUILD_OK;
}

static bake_build on_alias(builder *b, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    bake_mark mark = mark_of(b, event->start_mark, event->end_mark);
    const bake_anchor *anchor = bake_anchors_find(&b->anchors, b->tree, name);
    if (!anchor) {
        bake_report(b->diagnostics, BAKE_ERROR, mark, "alias", NULL,
                    "no anchor &%.64s stands before this alias", name);
        bake_anchors_hint(&b->anchors, b->tree, b->diagnostics, name);
        return add_placeholder(b, mark);
    }
    if (anchor->open) {
        bake_report(b->diagnostics, BAKE_ERROR, mark, "alias", NULL,
                    "the alias *%.64s contains itself", name);
        bake_hint(b->diagnostics, "its anchor stands on line %" PRIu32,
                  b->tree->nodes[anchor->node].line);
        return add_placeholder(b, mark);
    }
    if (b->depth + anchor->height > BAKE_TREE_DEPTH_MAX) {
        bake_report(b->diagnostics, BAKE_ERROR, mark, "depth", NULL,
                    "with this alias, nested deeper than %d levels", BAKE_TREE_DEPTH_MAX);
        return BAKE_BUILD_STOPPED;
    }
    b->weight += anchor->weight;
    if (b->weight > b->weight_max) {
        bake_report(b->diagnostics, BAKE_ERROR, mark, "alias-bomb", NULL,
                    "with aliases written out, more than %" PRIu64 " values", b->weight_max);
        return BAKE_BUILD_STOPPED;
    }
    if (is_at_key(b) && b->tree->nodes[anchor->node].kind != BAKE_NODE_SCALAR)
        report_key(b, mark);
    return attach(b, anchor->node, anchor->weight, anchor->height) ? BAKE_BUILD_OK
                                                                   : BAKE_BUILD_NO_MEMORY;
}

static bake_build on_event(builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(b, event);
    case YAML_MAPPING_START_EVENT:
        return on_collection_start(b, BAKE_NODE_MAPPING, event->data.mapping_start.anchor,
                                   event->data.mapping_start.tag, event->start_mark);
    case YAML_SEQUENCE_START_EVENT:
        return on_collection_start(b, BAKE_NODE_SEQUENCE, event->data.sequence_start.anchor,
                                   event->data.sequence_start.tag, event->start_mark);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return on_collection_end(b);
    case YAML_ALIAS_EVENT:
        return on_alias(b, event);
    case YAML_DOCUMENT_START_EVENT:
        return on_document(b);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
    return BAKE_BUILD_OK;
}

static bake_build read_events(builder *b, const char *text, size_t size, size_t skipped)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return BAKE_BUILD_NO_MEMORY;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text + skipped, size - skipped);
    bake_build result = BAKE_BUILD_OK;
    for (bool done = false; !done && result == BAKE_BUILD_OK;) {
        yaml_event_t event;
        if (yaml_parser_parse(&parser, &event)) {
            done = event.type == YAML_STREAM_END_EVENT;
            result = on_event(b, &event);
            yaml_event_delete(&event);
        } else if (parser.error == YAML_MEMORY_ERROR) {
            result = BAKE_BUILD_NO_MEMORY;
        } else {
            bake_report_yaml(b->diagnostics, b->tree->source, text, size, skipped, &parser);
            result = BAKE_BUILD_STOPPED;
        }
    }
    yaml_parser_delete(&parser);
    return result;
}

/* Refuses what libyaml should not even see. */
static bool check_text(bake_diagnostics *diagnostics, uint32_t source, const char *text,
                       size_t size)
{
    bake_mark whole = {.source = source, .length = 1};
    if (size > SIZE_LIMIT)
        return bake_report(diagnostics, BAKE_ERROR, whole, "size", NULL,
                           "the text is larger than 1 GiB");
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        bake_report(diagnostics, BAKE_ERROR, whole, "encoding", NULL, "the text is UTF-16");
        bake_hint(diagnostics, "save the file as UTF-8");
        return false;
    }
    return true;
}

/* Guesses from the input's size what will be needed; small, as memory never touched costs little
 * but is not free everywhere. */
static bool reserve(bake_tree *tree, size_t size)
{
    size_t guess = size < ((size_t)1 << 24) ? size : (size_t)1 << 24;
    tree->text = bake_grow(NULL, &tree->text_capacity, guess + 64, 1);
    tree->nodes = bake_grow(NULL, &tree->node_capacity, guess / 16 + 16, sizeof *tree->nodes);
    tree->links = bake_grow(NULL, &tree->link_capacity, guess / 16 + 16, sizeof *tree->links);
    return tree->text && tree->nodes && tree->links;
}

bake_tree *bake_tree_read(bake_diagnostics *diagnostics, uint32_t source, const char *text,
                          size_t size)
{
    bake_tree *tree = bake_alloc_array(1, sizeof *tree);
    builder *b = bake_alloc_array(1, sizeof *b);
    bake_build result = tree && b ? BAKE_BUILD_OK : BAKE_BUILD_NO_MEMORY;
    if (result == BAKE_BUILD_OK && check_text(diagnostics, source, text, size)) {
        tree->source = source;
        b->tree = tree;
        b->diagnostics = diagnostics;
        b->weight_max = BAKE_TREE_EXPANDED_MIN + (uint64_t)16 * size;
        size_t skipped = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        result = reserve(tree, size) ? read_events(b, text, size, skipped) : BAKE_BUILD_NO_MEMORY;
        tree->complete = result == BAKE_BUILD_OK;
    }
    if (b) {
        bake_anchors_fini(&b->anchors);
        bake_free(b->pending);
    }
    bake_free(b);
    if (result != BAKE_BUILD_NO_MEMORY)
        return tree;
    bake_report_no_memory(diagnostics);
    bake_tree_destroy(tree);
    return NULL;
}

/* Access to the nodes of a tree: documents, scalars and source locations.
 *
 * A node stores an offset into the source. Its line and column are computed only for reports. The
 * position of every 2 KiB boundary is computed once, in order, and cached. After that, a report
 * scans at most 2 KiB. */
#include "tree_store.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "utf8.h"

#include <pthread.h>

void bake_tree_destroy(bake_tree *tree)
{
    if (!tree)
        return;
    if (tree->word_capacity || !tree->spool)
        bake_block_free(tree->words, tree->word_capacity * sizeof *tree->words);
    if (tree->text_capacity || !tree->spool)
        bake_block_free(tree->text, tree->text_capacity);
    bake_free(tree->documents);
    bake_free(tree->points);
    bake_free(tree);
}

void bake_tree_set_source(bake_tree *tree, uint32_t source)
{
    tree->source = source;
}

void bake_tree_spool(bake_tree *tree, bake_spool *spool)
{
    size_t size = tree->word_count * sizeof *tree->words;
    tree->spool = spool;
    bake_spool_touch(spool, tree->source_size);
    const void *words = bake_spool_put(spool, tree->words, size, sizeof *tree->words);
    if (words) {
        bake_block_free(tree->words, tree->word_capacity * sizeof *tree->words);
        tree->words = (uint32_t *)(uintptr_t)words;
        tree->word_capacity = 0;
    }
    const void *text = bake_spool_put(spool, tree->text, tree->text_size, sizeof(uint32_t));
    if (text) {
        bake_block_free(tree->text, tree->text_capacity);
        tree->text = (char *)(uintptr_t)text;
        tree->text_capacity = 0;
    }
}

void bake_tree_touch(const bake_tree *tree)
{
    bake_spool_touch(tree->spool, tree->word_count * sizeof *tree->words);
}

void bake_node_touch(const bake_tree *tree, bake_node_id node)
{
    if (!tree->spool || node >= tree->word_count)
        return;
    size_t words = bake_node_end(tree, node) - node;
    /* A word stands for at most a few bytes of the source, except in long texts. The node is in
     * three places: words, text and source. */
    bake_spool_touch(tree->spool, words * 2 * sizeof *tree->words + 3 * BAKE_SPOOL_AROUND);
}

bool bake_tree_add_text(bake_tree *tree, const char *text, size_t length, uint32_t *ret_offset)
{
    if (!bake_tree_fits(tree->text_size, length))
        return false;
    size_t end = tree->text_size + length + 1;
    if (end > tree->text_capacity) {
        char *grown = bake_block_grow(tree->text, &tree->text_capacity, end, 1);
        if (!grown)
            return false;
        tree->text = grown;
    }
    char *copy = tree->text + tree->text_size;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    *ret_offset = (uint32_t)tree->text_size;
    tree->text_size = end;
    return true;
}

bool bake_tree_grow_words(bake_tree *tree, size_t count)
{
    if (!bake_tree_fits(tree->word_count, count))
        return false;
    uint32_t *grown = bake_block_grow(tree->words, &tree->word_capacity, tree->word_count + count,
                                      sizeof *tree->words);
    if (grown)
        tree->words = grown;
    return grown != NULL;
}

bool bake_tree_is_complete(const bake_tree *tree)
{
    return tree->complete;
}

uint32_t bake_tree_document_count(const bake_tree *tree)
{
    return (uint32_t)tree->document_count;
}

bake_node_id bake_tree_document(const bake_tree *tree, uint32_t i)
{
    assert(i < tree->document_count);
    return tree->documents[i].root;
}

const char *bake_tree_document_anchor(const bake_tree *tree, uint32_t i)
{
    assert(i < tree->document_count);
    uint32_t anchor = tree->documents[i].anchor;
    return anchor ? tree->text + anchor - 1 : NULL;
}

bool bake_tree_document_is_stripped(const bake_tree *tree, uint32_t i)
{
    assert(i < tree->document_count);
    return tree->documents[i].is_stripped != 0;
}

const char *bake_tree_copied(const bake_tree *tree, bake_node_id node, uint32_t *ret_length,
                             uint32_t *ret_end)
{
    const char *copied = tree->text + (size_t)(tree->words[node + 1] & BAKE_SIZE_MAX) * 4;
    memcpy(ret_length, copied, 4);
    memcpy(ret_end, copied + 4, 4);
    return copied + 8;
}

bool bake_node_is_plain(const bake_tree *tree, bake_node_id node)
{
    const uint32_t *words = bake_words_at(tree, node);
    uint32_t form = words[1] >> 30;
    return words[0] >> BAKE_PLACE_BITS == BAKE_NODE_SCALAR &&
           (form == BAKE_FORM_PLAIN || form == BAKE_FORM_FOLDED);
}

bool bake_node_is_placeholder(const bake_tree *tree, bake_node_id node)
{
    const uint32_t *words = bake_words_at(tree, node);
    return words[0] >> BAKE_PLACE_BITS == BAKE_NODE_SEQUENCE && (words[1] & BAKE_PLACEHOLDER);
}

/* ---- lines and columns ---- */

/* The maximum number of bytes that a mark covers. No more is ever printed, and the limit bounds the
 * time for one long scalar with many aliases, which may get many reports. */
#define LENGTH_MAX 1024
/* The marks of scalars longer than this are cached. */
#define LENGTH_LONG 64

bake_points *bake_points_create(size_t size)
{
    bake_points *points =
        bake_alloc_array(1, sizeof *points + (size / BAKE_POINT_DISTANCE + 1) * sizeof *points->at);
    if (points) {
        points->count = 1;
        points->at[0] = (bake_point){1, 1};
        points->last = points->at[0];
    }
    return points;
}

/* Whether a line ends with the byte at `at`: LF, CR without LF, NEL, LS, PS. */
static bool ends_line(const unsigned char *text, size_t size, size_t at)
{
    switch (text[at]) {
    case '\n':
        return true;
    case '\r':
        return at + 1 >= size || text[at + 1] != '\n';
    case 0x85:
        return at >= 1 && text[at - 1] == 0xc2;
    case 0xa8:
    case 0xa9:
        return at >= 2 && text[at - 1] == 0x80 && text[at - 2] == 0xe2;
    default:
        return false;
    }
}

/* Advances a point over the bytes [from, to). A BOM at the start of the source has no column. */
static void advance(const bake_tree *tree, bake_point *point, size_t from, size_t to)
{
    const char *text = tree->source_text;
    for (size_t at = from; at < to; at++) {
        if (ends_line((const unsigned char *)text, tree->source_size, at)) {
            point->line++;
            point->column = 1;
        } else if (!utf8_is_inside(text[at])) {
            point->column++;
        }
    }
    if (from == 0 && to >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 && point->line == 1)
        point->column--;
}

bake_point bake_tree_point(const bake_tree *tree, uint32_t place)
{
    bake_points *points = tree->points;
    size_t number = place / BAKE_POINT_DISTANCE;
    while (points->count <= number) {
        bake_point next = points->at[points->count - 1];
        size_t from = (points->count - 1) * BAKE_POINT_DISTANCE;
        advance(tree, &next, from, from + BAKE_POINT_DISTANCE);
        points->at[points->count++] = next;
    }
    size_t from = number * BAKE_POINT_DISTANCE;
    bake_point point = points->at[number];
    if (points->last_place > from && points->last_place <= place) {
        from = points->last_place;
        point = points->last;
    }
    advance(tree, &point, from, place);
    points->last_place = place;
    points->last = point;
    return point;
}

/* The offset after a scalar in the source. */
static size_t end_of(const bake_tree *tree, bake_node_id node)
{
    uint32_t length, end;
    uint32_t form = tree->words[node + 1] >> 30;
    if (form >= BAKE_FORM_COPIED) {
        bake_tree_copied(tree, node, &length, &end);
        return end;
    }
    const char *text = bake_scalar_text(tree, node, &length);
    return (size_t)(text - tree->source_text) + length + form;
}

static bake_mark scalar_mark(const bake_tree *tree, uint32_t place, size_t end)
{
    bake_point point = bake_tree_point(tree, place), last = point;
    bake_mark mark = {tree->source, point.line, point.column, 1};
    if (end - place > LENGTH_MAX)
        end = place + LENGTH_MAX;
    for (size_t at = place; at < end && last.line == point.line; at++)
        advance(tree, &last, at, at + 1);
    if (last.line > point.line)
        mark.length = BAKE_MARK_TO_LINE_END;
    else if (last.column > point.column)
        mark.length = last.column - point.column;
    return mark;
}

static bake_mark node_mark(const bake_tree *tree, bake_node_id node)
{
    uint32_t place = tree->words[node] & BAKE_PLACE_MAX;
    if (bake_word_kind(tree, node) != BAKE_NODE_SCALAR) {
        bake_point point = bake_tree_point(tree, place);
        bake_mark mark = {tree->source, point.line, point.column, 1};
        return mark;
    }
    size_t end = end_of(tree, node), slot = node % BAKE_POINT_MARKS;
    if (end - place <= LENGTH_LONG)
        return scalar_mark(tree, place, end);
    if (tree->points->marks[slot].node != (uint64_t)node + 1) {
        tree->points->marks[slot].node = (uint64_t)node + 1;
        tree->points->marks[slot].mark = scalar_mark(tree, place, end);
    }
    return tree->points->marks[slot].mark;
}

/* Guards the caches of all trees. One lock is enough, because only reports and source maps need
 * marks. */
static pthread_mutex_t marks_lock = PTHREAD_MUTEX_INITIALIZER;

bake_mark bake_node_mark(const bake_tree *tree, bake_node_id node)
{
    pthread_mutex_lock(&marks_lock);
    bake_mark mark = node_mark(tree, node);
    pthread_mutex_unlock(&marks_lock);
    return mark;
}

bake_mark bake_iterator_alias(const bake_iterator *it, bake_node_id collection)
{
    const bake_tree *tree = it->tree;
    uint32_t at = it->next - 2;
    bake_mark mark = {tree->source, 0, 0, 1};
    if (bake_word_kind(tree, at) != BAKE_WORD_ALIAS || tree->words[at + 1] != it->value)
        return mark;
    uint32_t place = tree->words[at] & BAKE_PLACE_MAX;
    /* A mapping with merge keys has a separate list of all entries, whose values may be in the
     * mapping itself. */
    if (place == 0 && it->value > collection && it->value < bake_node_end(tree, collection))
        return mark;
    if (place == 0)
        place = tree->words[collection] & BAKE_PLACE_MAX;
    pthread_mutex_lock(&marks_lock);
    bake_point point = bake_tree_point(tree, place);
    pthread_mutex_unlock(&marks_lock);
    mark.line = point.line;
    mark.column = point.column;
    return mark;
}

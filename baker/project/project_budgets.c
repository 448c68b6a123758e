#include "project_budgets.h"

#include "bake_text.h"

#include <string.h>

static const char *const keys[] = {"bundle", "types", "scenes", "clusters", "assets", "warn"};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

_Static_assert(KEY_COUNT == BAKE_BUDGET_KINDS + 1, "one key for each kind, and `warn`");

typedef struct budget_reading {
    bake_project_reader *reader;
    bake_budget_layer *layer;
    size_t capacity;
    bool is_of_bundle;
} budget_reading;

static void add(budget_reading *r, const bake_budget *budget)
{
    bake_budget *items = bake_store_grow(r->reader->store, r->layer->items, &r->capacity,
                                         r->layer->count + 1, sizeof *items);
    if (!items) {
        r->reader->no_memory = true;
        return;
    }
    r->layer->items = items;
    items[r->layer->count++] = *budget;
}

/* Returns the index of the word that a key is; `count` after a report. */
static size_t find_key(budget_reading *r, bake_node_id key, const char *path,
                       const char *const *words, size_t count)
{
    size_t length, i = 0;
    const char *text = bake_node_text(r->reader->tree, key, &length);
    while (i < count && !bake_text_is(text, length, words[i]))
        i++;
    if (i == count)
        bake_project_unknown_key(r->reader, key, path, words, count);
    return i;
}

/* Reads limits such as `{disk: 64 MiB, load: none}`. */
static void read_limits(budget_reading *r, bake_node_id node, const char *path,
                        bake_budget_kind kind, const char *pattern)
{
    const bake_tree *tree = r->reader->tree;
    if (!bake_project_is_mapping(r->reader, node, path))
        return;
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);) {
        size_t measure = find_key(r, it.key, path, bake_measure_words, BAKE_MEASURES);
        const char *inner = bake_project_join(r->reader, path, it.key);
        const char *text = measure < BAKE_MEASURES
                               ? bake_project_text(r->reader, it.value, inner, "a number of bytes")
                               : NULL;
        bake_budget budget = {.kind = kind,
                              .measure = (bake_measure)measure,
                              .pattern = pattern,
                              .limit = BAKE_BUDGET_NONE,
                              .mark = bake_node_mark(tree, it.value),
                              .is_of_bundle = r->is_of_bundle};
        if (!text)
            continue;
        if (strcmp(text, "none") == 0 || bake_budget_parse_size(text, &budget.limit))
            add(r, &budget);
        else
            bake_project_report(
                r->reader, it.value, inner,
                "expected a number of bytes, such as 500000, 64 MiB or 1.5 GiB, or none, found "
                "\"%.200s\"",
                text);
    }
}

static void read_patterns(budget_reading *r, bake_node_id node, const char *path,
                          bake_budget_kind kind)
{
    const bake_tree *tree = r->reader->tree;
    if (!bake_project_is_mapping(r->reader, node, path))
        return;
    if (bake_node_count(tree, node) > BAKE_PROJECT_PATTERNS_MAX) {
        bake_project_report(r->reader, node, path, "more than %d entries",
                            BAKE_PROJECT_PATTERNS_MAX);
        return;
    }
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);) {
        const char *pattern = bake_project_text(r->reader, it.key, path, "a pattern");
        if (pattern)
            read_limits(r, it.value, bake_project_join(r->reader, path, it.key), kind, pattern);
    }
}

static void read_warn(budget_reading *r, bake_node_id node, const char *path)
{
    const char *text = bake_project_text(r->reader, node, path, "a percentage");
    if (text && !bake_budget_parse_percent(text, &r->layer->warn))
        bake_project_report(r->reader, node, path,
                            "expected a percentage from 1%% to 100%%, found \"%.200s\"", text);
}

const bake_budget_layer *bake_project_budgets_read(bake_project_reader *reader, bake_node_id node,
                                                   const char *path, bool is_of_bundle)
{
    budget_reading r = {reader, bake_store_alloc(reader->store, 1, sizeof *r.layer), 0,
                        is_of_bundle};
    reader->no_memory = reader->no_memory || !r.layer;
    if (!r.layer || bake_node_is_null(reader->tree, node))
        return r.layer;
    if (!bake_project_is_mapping(reader, node, path))
        return NULL;
    for (bake_iterator it = bake_iterator_begin(reader->tree, node); bake_iterator_next(&it);) {
        size_t key = find_key(&r, it.key, path, keys, KEY_COUNT);
        const char *inner = bake_project_join(reader, path, it.key);
        if (key == BAKE_BUDGET_BUNDLE)
            read_limits(&r, it.value, inner, BAKE_BUDGET_BUNDLE, "*");
        else if (key < BAKE_BUDGET_KINDS)
            read_patterns(&r, it.value, inner, (bake_budget_kind)key);
        else if (key < KEY_COUNT)
            read_warn(&r, it.value, inner);
    }
    return r.layer;
}

#include "schema_meaning.h"

#include "bake_memory.h"
#include "node_meaning.h"

#include <kiln/asset_id.h>
#include <stdlib.h>
#include <string.h>

/* The declaration of a type. */
typedef struct declaration {
    const bake_tree *tree;
    bake_node_id node;
    kiln_id name_hash; /* of the name without namespace; declarations are sorted by it */
    kiln_hash128 own;  /* of the whole declaration */
    kiln_hash128 head; /* of what a reference depends on */
    size_t first_use, use_count;
} declaration;

/* That a declaration contains the name of another. */
typedef struct declaration_use {
    uint32_t number;
    bool is_target; /* only in `ref<...>` */
} declaration_use;

typedef struct meaning_maker {
    const bake_schema *schema;
    declaration *all;
    size_t count;
    declaration_use *uses;
    size_t use_count, use_capacity;
    uint32_t *seen;  /* by declaration: the last search that found it */
    uint32_t *stack; /* declarations whose uses are not followed yet */
    size_t used;
    uint32_t search;
    bool no_memory;
} meaning_maker;

static void mix(kiln_hash128 *hash, kiln_hash128 next)
{
    const kiln_hash128 pair[2] = {*hash, next};
    *hash = kiln_content_hash(pair, sizeof pair);
}

static kiln_hash128 hash_words(const char *text, size_t length)
{
    return kiln_content_hash(text, length);
}

static bake_node_id root_of(const bake_tree *tree)
{
    return bake_tree_document_count(tree) ? bake_tree_document(tree, 0) : BAKE_NODE_NONE;
}

static bake_node_id find(const bake_tree *tree, bake_node_id node, const char *key)
{
    return node != BAKE_NODE_NONE && bake_node_kind_of(tree, node) == BAKE_NODE_MAPPING
               ? bake_node_find(tree, node, key, strlen(key))
               : BAKE_NODE_NONE;
}

static const char *name_space(const bake_tree *tree, size_t *ret_length)
{
    bake_node_id node = find(tree, root_of(tree), "namespace");
    *ret_length = 0;
    return node == BAKE_NODE_NONE ? "" : bake_node_text(tree, node, ret_length);
}

/* ---- the declarations ---- */

/* Paths of `!file` and of programs are relative to this folder. */
static kiln_hash128 hash_of_folder(const bake_schema *schema, size_t tree)
{
    const char *path = schema->tree_paths[tree], *slash = strrchr(path, '/');
    return hash_words(path, slash ? (size_t)(slash - path) + 1 : 0);
}

static void add_declaration(meaning_maker *m, size_t number, bake_node_id key, bake_node_id node)
{
    static const char *const heads[] = {"asset", "kind", "struct", "wrap"};
    size_t length, name_length;
    const bake_tree *tree = m->schema->trees[number];
    declaration *d = &m->all[m->count++];
    const char *space = name_space(tree, &length);
    *d = (declaration){.tree = tree, .node = node};
    const char *name = bake_node_text(tree, key, &name_length);
    d->name_hash = kiln_asset_id(name, name_length);
    d->head = hash_words(space, length);
    mix(&d->head, hash_words(name, name_length));
    d->own = d->head;
    mix(&d->own, hash_of_folder(m->schema, number));
    mix(&d->own, bake_node_meaning_in_order(tree, node));
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        bake_node_id head = find(tree, node, heads[i]);
        bool is_value = head != BAKE_NODE_NONE && i < 2;
        const kiln_hash128 none = {head == BAKE_NODE_NONE, i};
        mix(&d->head, is_value ? bake_node_meaning_in_order(tree, head) : none);
    }
}

static int compare_declarations(const void *a, const void *b)
{
    const declaration *left = a, *right = b;
    return (left->name_hash > right->name_hash) - (left->name_hash < right->name_hash);
}

static size_t count_declarations(const bake_schema *schema)
{
    size_t count = 0;
    for (size_t i = 0; i < schema->tree_count; i++) {
        bake_node_id types = find(schema->trees[i], root_of(schema->trees[i]), "types");
        count += types == BAKE_NODE_NONE ? 0 : bake_node_count(schema->trees[i], types);
    }
    return count;
}

static bool list_declarations(meaning_maker *m)
{
    size_t count = count_declarations(m->schema);
    m->all = bake_alloc_array(count + 1, sizeof *m->all);
    m->seen = bake_alloc_array(count + 1, sizeof *m->seen);
    m->stack = bake_alloc_array(count + 1, sizeof *m->stack);
    if (!m->all || !m->seen || !m->stack)
        return false;
    for (size_t i = 0; i < m->schema->tree_count; i++) {
        const bake_tree *tree = m->schema->trees[i];
        bake_node_id types = find(tree, root_of(tree), "types");
        if (types == BAKE_NODE_NONE || bake_node_kind_of(tree, types) != BAKE_NODE_MAPPING)
            continue;
        for (bake_iterator it = bake_iterator_begin(tree, types); bake_iterator_next(&it);)
            add_declaration(m, i, it.key, it.value);
    }
    return true;
}

static void sort_declarations(meaning_maker *m)
{
    if (m->count > 1)
        qsort(m->all, m->count, sizeof *m->all, compare_declarations);
}

/* Everything outside of the declarations. */
static kiln_hash128 hash_of_rest(const bake_schema *schema)
{
    kiln_hash128 rest = {schema->tree_count, 0};
    for (size_t i = 0; i < schema->tree_count; i++) {
        const bake_tree *tree = schema->trees[i];
        mix(&rest, hash_of_folder(schema, i));
        for (bake_iterator it = bake_iterator_begin(tree, root_of(tree));
             bake_iterator_next(&it);) {
            size_t length;
            const char *key = bake_node_text(tree, it.key, &length);
            bool is_types = length == 5 && memcmp(key, "types", 5) == 0;
            mix(&rest, hash_words(key, length));
            if (!is_types)
                mix(&rest, bake_node_meaning_in_order(tree, it.value));
        }
    }
    return rest;
}

/* ---- the declarations that a declaration depends on ---- */

/* The first declaration whose name has this hash or a greater one. */
static size_t first_named(const meaning_maker *m, kiln_id hash)
{
    size_t first = 0, end = m->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (m->all[middle].name_hash < hash)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static void add_word(meaning_maker *m, const char *word, size_t length, bool is_target)
{
    kiln_id hash = kiln_asset_id(word, length);
    for (size_t i = first_named(m, hash); i < m->count && m->all[i].name_hash == hash; i++) {
        declaration_use *uses =
            bake_grow(m->uses, &m->use_capacity, m->use_count + 1, sizeof *uses);
        m->no_memory = m->no_memory || !uses;
        if (!uses)
            return;
        m->uses = uses;
        uses[m->use_count++] = (declaration_use){(uint32_t)i, is_target};
    }
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Adds all words of a text. Those between `ref<` and `>` are targets of references. */
static void add_text(meaning_maker *m, const char *text, size_t length)
{
    bool is_target = false;
    for (size_t at = 0; at < length;) {
        size_t first = at;
        while (at < length && is_word(text[at]))
            at++;
        size_t size = at - first;
        bool is_ref = size == 3 && memcmp(text + first, "ref", 3) == 0;
        if (size)
            add_word(m, text + first, size, is_target);
        while (at < length && text[at] == ' ')
            at++;
        if (is_ref && at < length && text[at] == '<')
            is_target = true;
        else if (at < length && text[at] == '>')
            is_target = false;
        at += at < length && !is_word(text[at]);
    }
}

static void add_words(meaning_maker *m, const bake_tree *tree, bake_node_id node)
{
    size_t length;
    if (bake_node_kind_of(tree, node) == BAKE_NODE_SCALAR) {
        const char *text = bake_node_text(tree, node, &length);
        add_text(m, text, length);
        return;
    }
    bool is_mapping = bake_node_kind_of(tree, node) == BAKE_NODE_MAPPING;
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);) {
        if (is_mapping)
            add_words(m, tree, it.key);
        add_words(m, tree, it.value);
    }
}

static bool list_uses(meaning_maker *m)
{
    for (size_t i = 0; i < m->count && !m->no_memory; i++) {
        m->all[i].first_use = m->use_count;
        add_words(m, m->all[i].tree, m->all[i].node);
        m->all[i].use_count = m->use_count - m->all[i].first_use;
    }
    return !m->no_memory;
}

static void push(meaning_maker *m, uint32_t number)
{
    if (m->seen[number] == m->search)
        return;
    m->seen[number] = m->search;
    m->stack[m->used++] = number;
}

/* Adds up the hashes, because a sum does not depend on the order of the declarations. */
static kiln_hash128 hash_of_kind(meaning_maker *m, const bake_kind *kind)
{
    const char *full = kiln_types_get(m->schema->types, kind->type)->name;
    const char *dot = strrchr(full, '.'), *name = dot ? dot + 1 : full;
    kiln_id hash = kiln_asset_id(name, strlen(name));
    kiln_hash128 sum = hash_words(full, strlen(full));
    m->search++;
    for (size_t i = first_named(m, hash); i < m->count && m->all[i].name_hash == hash; i++)
        push(m, (uint32_t)i);
    while (m->used > 0) {
        const declaration *d = &m->all[m->stack[--m->used]];
        sum.low += d->own.low;
        sum.high += d->own.high;
        for (size_t i = d->first_use; i < d->first_use + d->use_count; i++) {
            if (!m->uses[i].is_target) {
                push(m, m->uses[i].number);
                continue;
            }
            sum.low += m->all[m->uses[i].number].head.low * 3;
            sum.high += m->all[m->uses[i].number].head.high * 3;
        }
    }
    return sum;
}

bool bake_schema_meaning_init(bake_schema_meaning *meaning, const bake_schema *schema)
{
    meaning_maker m = {.schema = schema};
    memset(meaning, 0, sizeof *meaning);
    meaning->kinds = bake_alloc_array(schema->kind_count + 1, sizeof *meaning->kinds);
    bool done = meaning->kinds && list_declarations(&m);
    for (size_t i = 0; i < m.count && done; i++)
        mix(&meaning->types, m.all[i].own);
    sort_declarations(&m);
    done = done && list_uses(&m);
    if (done) {
        meaning->rest = hash_of_rest(schema);
        for (size_t i = 0; i < schema->kind_count; i++)
            meaning->kinds[i] = hash_of_kind(&m, &schema->kinds[i]);
    }
    bake_free(m.all);
    bake_free(m.uses);
    bake_free(m.seen);
    bake_free(m.stack);
    if (!done)
        bake_schema_meaning_fini(meaning);
    return done;
}

void bake_schema_meaning_fini(bake_schema_meaning *meaning)
{
    bake_free(meaning->kinds);
    memset(meaning, 0, sizeof *meaning);
}

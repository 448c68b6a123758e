#include "infer_groups.h"

#include <stdlib.h>
#include <string.h>

enum { CLUSTERS_MAX = 256, KEYS_LOOKED_AT = 200, COMPARED_MAX = 48 };

typedef enum root_kind {
    ROOT_NONE,
    ROOT_SCALAR,
    ROOT_LIST,
    ROOT_MAPPING,
    ROOT_OBJECT,
    ROOT_MIXED
} root_kind;

/* What a file looks like from far: the keys at the top, and those one step below. */
typedef struct outline {
    root_kind kind;
    uint32_t documents;
    infer_table top;            /* of mappings: their keys */
    infer_table below;          /* keys of what is in the list, or in the mapping */
    uint32_t children, records; /* what is in it, and how much of that is mappings */
    bool has_kinds;             /* they say what they are */
    const char *kind_key;       /* where the documents themselves do */
    uint32_t kind_key_length;
} outline;

typedef struct cluster {
    outline all;
    uint32_t *inputs;
    uint32_t count;
    size_t capacity;
} cluster;

typedef struct grouping {
    bake_store *store;
    const bake_inputs *inputs;
    cluster *clusters;
    uint32_t count;
} grouping;

static bool note_keys(infer_table *table, bake_store *store, const bake_tree *tree,
                      bake_node_id mapping)
{
    infer_place nowhere = {0, 0};
    uint32_t left = KEYS_LOOKED_AT;
    for (bake_walk walk = bake_walk_begin(tree, mapping); left-- > 0 && bake_walk_next(&walk);) {
        size_t length;
        const char *text = bake_node_text(tree, walk.key, &length);
        if (table->count >= KEYS_LOOKED_AT * 4 &&
            !bake_infer_table_find(table, text, (uint32_t)length))
            continue;
        infer_entry *entry = bake_infer_table_need(table, store, text, (uint32_t)length, nowhere);
        if (!entry)
            return false;
        entry->count++;
        /* What stands there, as bits: a place says that as well as a number. */
        entry->first.node |= 1u << bake_node_kind_of(tree, walk.value);
    }
    return true;
}

static bool outline_children(outline *o, bake_store *store, const bake_tree *tree,
                             bake_node_id root)
{
    uint32_t left = 40;
    bake_node_id key, value;
    for (bake_walk walk = bake_walk_begin(tree, root); left-- > 0 && bake_walk_next(&walk);) {
        o->children++;
        if (bake_node_is_placeholder(tree, walk.value) ||
            bake_node_kind_of(tree, walk.value) != BAKE_NODE_MAPPING)
            continue;
        o->records++;
        if (bake_infer_kind_of(tree, walk.value, NULL, &key, &value))
            o->has_kinds = true;
        if (!note_keys(&o->below, store, tree, walk.value))
            return false;
    }
    return true;
}

/* Whether a document is an object of an engine: a tag that ends in the number of a class, an
 * anchor, and the class's name as the one key. */
static bool is_object(const bake_tree *tree, uint32_t document, bake_node_id root, outline *o)
{
    const char *tag = bake_node_tag(tree, root);
    size_t length = tag ? strlen(tag) : 0, end = length;
    while (end > 0 && tag[end - 1] >= '0' && tag[end - 1] <= '9')
        end--;
    if (end == length || end == 0 || bake_node_kind_of(tree, root) != BAKE_NODE_MAPPING ||
        bake_node_count(tree, root) != 1 || !bake_tree_document_anchor(tree, document))
        return false;
    bake_walk walk = bake_walk_begin(tree, root);
    bake_walk_next(&walk);
    const char *name = bake_node_text(tree, walk.key, &length);
    if (!(bake_infer_read_text(name, (uint32_t)length).flags & INFER_WORD) ||
        (o->kind_key && (o->kind_key_length != end || memcmp(o->kind_key, tag, end) != 0)))
        return false;
    o->kind_key = tag;
    o->kind_key_length = (uint32_t)end;
    return true;
}

static bool draw_outline(outline *o, bake_store *store, const bake_tree *tree)
{
    memset(o, 0, sizeof *o);
    for (uint32_t i = 0; i < bake_tree_document_count(tree); i++) {
        bake_node_id root = bake_tree_document(tree, i), key, value;
        if (root == BAKE_NODE_NONE || bake_node_is_placeholder(tree, root))
            continue;
        static const root_kind kinds[] = {ROOT_SCALAR, ROOT_LIST, ROOT_MAPPING};
        root_kind kind =
            is_object(tree, i, root, o) ? ROOT_OBJECT : kinds[bake_node_kind_of(tree, root)];
        o->kind = o->kind == ROOT_NONE || o->kind == kind ? kind : ROOT_MIXED;
        if (o->documents++ >= 40)
            continue;
        if (kind == ROOT_MAPPING && !note_keys(&o->top, store, tree, root))
            return false;
        if (kind == ROOT_OBJECT)
            continue;
        if (kind == ROOT_MAPPING && o->documents == 1 &&
            bake_infer_kind_of(tree, root, NULL, &key, &value)) {
            size_t length;
            o->kind_key = bake_node_text(tree, key, &length);
            o->kind_key_length = (uint32_t)length;
        }
        if (kind != ROOT_SCALAR && !outline_children(o, store, tree, root))
            return false;
    }
    return true;
}

/* How many keys of `a` are in `b`, with the same kind of value. */
static uint32_t count_shared(const infer_table *a, infer_table *b)
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const infer_entry *other =
            bake_infer_table_find(b, a->entries[i].name, a->entries[i].length);
        shared += other && (other->first.node & a->entries[i].first.node) != 0;
    }
    return shared;
}

/* Keys in at least a third of the files of a cluster: those that tell what it is. */
static uint32_t count_core(const infer_table *table, uint32_t files)
{
    uint32_t core = 0;
    for (uint32_t i = 0; i < table->count; i++)
        core += table->entries[i].count * 3 >= files;
    return core ? core : 1;
}

static double likeness(const infer_table *own, cluster *c, infer_table *theirs)
{
    if (own->count == 0 || theirs->count == 0)
        return 0;
    uint32_t shared = count_shared(own, theirs), core = count_core(theirs, c->count);
    uint32_t larger = own->count > core ? own->count : core;
    return (double)shared / larger;
}

static bool is_map_like(const outline *o)
{
    return o->kind == ROOT_MAPPING && o->children > 0 && o->records * 10 >= o->children * 9 &&
           o->below.count >= 2;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool same_folder(const char *a, const char *b)
{
    size_t a_length = (size_t)(last_part(a) - a), b_length = (size_t)(last_part(b) - b);
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool belongs(const grouping *g, const outline *o, const char *path, cluster *c)
{
    const outline *all = &c->all;
    const char *other = g->inputs->inputs[c->inputs[c->count - 1]].relative;
    bool same_name = strcmp(last_part(path), last_part(other)) == 0;
    bool beside = same_folder(path, other);
    if (o->kind != all->kind)
        return false;
    if (o->kind == ROOT_SCALAR || o->kind == ROOT_MIXED)
        return true;
    if (o->kind == ROOT_OBJECT)
        return o->kind_key_length == all->kind_key_length &&
               memcmp(o->kind_key, all->kind_key, o->kind_key_length) == 0;
    if (o->kind == ROOT_LIST) {
        if (o->children == 0 || all->children == 0)
            return true;
        if ((o->records > 0) != (all->records > 0))
            return false;
        if (o->records == 0)
            return same_name || (beside && c->count > 2);
        return (o->has_kinds && all->has_kinds) ||
               likeness(&o->below, c, &c->all.below) >= (same_name || beside ? 0.25 : 0.4);
    }
    if (o->kind_key && all->kind_key && o->kind_key_length == all->kind_key_length &&
        memcmp(o->kind_key, all->kind_key, o->kind_key_length) == 0)
        return true;
    double top = likeness(&o->top, c, &c->all.top);
    if (top >= (same_name ? 0.2 : beside ? 0.34 : 0.5))
        return true;
    return is_map_like(o) && is_map_like(all) &&
           likeness(&o->below, c, &c->all.below) >= (beside ? 0.4 : 0.6);
}

static bool add_keys(infer_table *into, bake_store *store, const infer_table *from)
{
    infer_place nowhere = {0, 0};
    for (uint32_t i = 0; i < from->count; i++) {
        if (into->count >= KEYS_LOOKED_AT * 8)
            break;
        infer_entry *entry = bake_infer_table_need(into, store, from->entries[i].name,
                                                   from->entries[i].length, nowhere);
        if (!entry)
            return false;
        entry->count++;
        entry->first.node |= from->entries[i].first.node;
    }
    return true;
}

static bool join(grouping *g, cluster *c, uint32_t input, const outline *o)
{
    uint32_t *inputs =
        bake_store_grow(g->store, c->inputs, &c->capacity, (size_t)c->count + 1, sizeof *inputs);
    if (!inputs)
        return false;
    c->inputs = inputs;
    c->inputs[c->count++] = input;
    c->all.kind = o->kind;
    c->all.children += o->children;
    c->all.records += o->records;
    c->all.has_kinds = c->all.has_kinds || o->has_kinds;
    if (!c->all.kind_key) {
        c->all.kind_key = o->kind_key;
        c->all.kind_key_length = o->kind_key_length;
    }
    c->all.documents += o->documents;
    return add_keys(&c->all.top, g->store, &o->top) && add_keys(&c->all.below, g->store, &o->below);
}

static bool place_input(grouping *g, uint32_t input)
{
    outline o;
    const bake_input *file = &g->inputs->inputs[input];
    if (!draw_outline(&o, g->store, file->tree))
        return false;
    if (o.kind == ROOT_NONE)
        return true;
    /* Those met last are the likeliest, since they lie near; beyond so many, whatever fits at all.
     */
    for (uint32_t i = g->count, looked = 0; i > 0; i--, looked++) {
        cluster *c = &g->clusters[i - 1];
        bool full = g->count == CLUSTERS_MAX;
        if (looked < COMPARED_MAX || full) {
            if (belongs(g, &o, file->relative, c) || (full && c->all.kind == o.kind && i == 1))
                return join(g, c, input, &o);
        }
    }
    if (g->count == CLUSTERS_MAX) {
        for (uint32_t i = 0; i < g->count; i++)
            if (g->clusters[i].all.kind == o.kind)
                return join(g, &g->clusters[i], input, &o);
        return join(g, &g->clusters[0], input, &o);
    }
    cluster *made = &g->clusters[g->count++];
    memset(made, 0, sizeof *made);
    return join(g, made, input, &o);
}

/* Whether two clusters of which files have the same name are one kind of file, of which each has
 * but some of the keys. */
static bool are_one_kind(cluster *a, cluster *b)
{
    outline *less = a->all.top.count < b->all.top.count ? &a->all : &b->all;
    outline *more = less == &a->all ? &b->all : &a->all;
    if (a->all.kind != ROOT_MAPPING || b->all.kind != ROOT_MAPPING || is_map_like(&a->all) ||
        is_map_like(&b->all) || !a->all.kind_key != !b->all.kind_key || less->top.count == 0)
        return false;
    return count_shared(&less->top, &more->top) * 2 >= less->top.count;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Puts all of a cluster into another. */
static bool absorb(grouping *g, cluster *into, cluster *from)
{
    uint32_t count = into->count + from->count;
    uint32_t *inputs = bake_store_alloc(g->store, count, sizeof *inputs);
    if (!inputs)
        return false;
    memcpy(inputs, into->inputs, into->count * sizeof *inputs);
    memcpy(inputs + into->count, from->inputs, from->count * sizeof *inputs);
    qsort(inputs, count, sizeof *inputs, compare_numbers);
    into->inputs = inputs;
    into->count = count;
    into->capacity = count;
    into->all.documents += from->all.documents;
    into->all.children += from->all.children;
    into->all.records += from->all.records;
    from->count = 0;
    return add_keys(&into->all.top, g->store, &from->all.top) &&
           add_keys(&into->all.below, g->store, &from->all.below);
}

/* Files of one name in many folders are told apart by nothing else than their folders, so those
 * that could be one kind are. */
static bool join_by_name(grouping *g)
{
    infer_table names;
    infer_place nowhere = {0, 0};
    memset(&names, 0, sizeof names);
    for (uint32_t c = 0; c < g->count; c++) {
        cluster *from = &g->clusters[c];
        for (uint32_t i = 0; i < from->count; i++) {
            const char *name = last_part(g->inputs->inputs[from->inputs[i]].relative);
            infer_entry *entry =
                bake_infer_table_need(&names, g->store, name, (uint32_t)strlen(name), nowhere);
            if (!entry)
                return false;
            cluster *into = entry->count ? &g->clusters[entry->count - 1] : from;
            bool joins = into != from && into->count && are_one_kind(into, from);
            if (!into->count || into == from)
                entry->count = c + 1;
            if (!joins)
                continue;
            if (!absorb(g, into, from))
                return false;
            break;
        }
    }
    uint32_t kept = 0;
    for (uint32_t c = 0; c < g->count; c++)
        if (g->clusters[c].count)
            g->clusters[kept++] = g->clusters[c];
    g->count = kept;
    return true;
}

bool bake_infer_groups_make(infer_groups *groups, bake_store *store, const bake_inputs *inputs)
{
    grouping g = {store, inputs, NULL, 0};
    bake_store scratch;
    memset(&scratch, 0, sizeof scratch);
    g.store = &scratch;
    g.clusters = bake_store_alloc(&scratch, CLUSTERS_MAX, sizeof *g.clusters);
    bool ok = g.clusters != NULL;
    for (uint32_t i = 0; i < inputs->count && ok; i++)
        ok = place_input(&g, i);
    ok = ok && join_by_name(&g);
    groups->count = g.count;
    groups->groups = ok ? bake_store_alloc(store, g.count + 1, sizeof *groups->groups) : NULL;
    ok = groups->groups != NULL;
    for (uint32_t i = 0; i < g.count && ok; i++) {
        infer_group *group = &groups->groups[i];
        uint32_t *numbers = bake_store_alloc(store, g.clusters[i].count, sizeof *numbers);
        ok = numbers != NULL;
        if (!ok)
            break;
        memcpy(numbers, g.clusters[i].inputs, g.clusters[i].count * sizeof *numbers);
        group->inputs = numbers;
        group->input_count = g.clusters[i].count;
        group->document_count = g.clusters[i].all.documents;
        if (g.clusters[i].all.kind == ROOT_OBJECT)
            group->tag = bake_store_text(store, g.clusters[i].all.kind_key,
                                         g.clusters[i].all.kind_key_length);
        group->has_many = group->document_count > group->input_count;
    }
    bake_store_fini(&scratch);
    return ok;
}

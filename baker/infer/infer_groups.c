/* Clusters files by their outlines in path order, joins clusters with a common file name, and
 * splits groups whose folders contain different kinds of things. */
#include "infer_groups.h"

#include <stdlib.h>
#include <string.h>

/* Limits on the numbers of clusters, compared clusters and sampled keys. They bound the work. */
enum { CLUSTERS_MAX = 256, KEYS_SAMPLED_MAX = 200, COMPARED_MAX = 48 };

typedef enum root_kind {
    ROOT_NONE,
    ROOT_SCALAR,
    ROOT_LIST,
    ROOT_MAPPING,
    ROOT_OBJECT,
    ROOT_MIXED
} root_kind;

/* The outline of a file: the keys of the top two levels. */
typedef struct outline {
    root_kind kind;
    uint32_t documents;
    infer_table top;   /* keys of root mappings */
    infer_table below; /* keys of mappings inside the root list or mapping */
    uint32_t children,
        records;    /* number of values in the root, and how many of them are mappings */
    bool has_kinds; /* some of these mappings name their kind */
    const char
        *kind_key; /* the key with the kind of documents, or the tag prefix of objects; or NULL */
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

static bool add_sampled_keys(infer_table *table, bake_store *store, const bake_tree *tree,
                             bake_node_id mapping)
{
    infer_place nowhere = {0, 0};
    uint32_t left = KEYS_SAMPLED_MAX;
    for (bake_iterator it = bake_iterator_begin(tree, mapping);
         left-- > 0 && bake_iterator_next(&it);) {
        size_t length;
        const char *text = bake_node_text(tree, it.key, &length);
        if (table->count >= KEYS_SAMPLED_MAX * 4 &&
            !bake_infer_table_find(table, text, (uint32_t)length))
            continue;
        infer_entry *entry =
            bake_infer_table_find_or_add(table, store, text, (uint32_t)length, nowhere);
        if (!entry)
            return false;
        entry->count++;
        /* `first` is otherwise unused in outlines, so its node stores the kinds of values as
         * bits. */
        entry->first.node |= 1u << bake_node_kind_of(tree, it.value);
    }
    return true;
}

static bool outline_children(outline *o, bake_store *store, const bake_tree *tree,
                             bake_node_id root)
{
    uint32_t left = 40;
    bake_node_id key, value;
    for (bake_iterator it = bake_iterator_begin(tree, root);
         left-- > 0 && bake_iterator_next(&it);) {
        o->children++;
        if (bake_node_is_placeholder(tree, it.value) ||
            bake_node_kind_of(tree, it.value) != BAKE_NODE_MAPPING)
            continue;
        o->records++;
        if (bake_infer_kind_of(tree, it.value, NULL, &key, &value))
            o->has_kinds = true;
        if (!add_sampled_keys(&o->below, store, tree, it.value))
            return false;
    }
    return true;
}

/* Whether a document is an engine object: a tag that ends in a number, an anchor, and a mapping
 * with one key, the class. */
static bool is_object(const bake_tree *tree, uint32_t document, bake_node_id root, outline *o)
{
    const char *tag = bake_node_tag(tree, root);
    size_t length = tag ? strlen(tag) : 0, end = length;
    while (end > 0 && tag[end - 1] >= '0' && tag[end - 1] <= '9')
        end--;
    if (end == length || end == 0 || bake_node_kind_of(tree, root) != BAKE_NODE_MAPPING ||
        bake_node_count(tree, root) != 1 || !bake_tree_document_anchor(tree, document))
        return false;
    bake_iterator it = bake_iterator_begin(tree, root);
    bake_iterator_next(&it);
    const char *name = bake_node_text(tree, it.key, &length);
    if (!(bake_infer_read_text(name, (uint32_t)length).flags & INFER_WORD) ||
        (o->kind_key && (o->kind_key_length != end || memcmp(o->kind_key, tag, end) != 0)))
        return false;
    o->kind_key = tag;
    o->kind_key_length = (uint32_t)end;
    return true;
}

static bool make_outline(outline *o, bake_store *store, const bake_tree *tree)
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
        if (kind == ROOT_MAPPING && !add_sampled_keys(&o->top, store, tree, root))
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

/* Counts the keys of `a` that `b` also has, with the same kind of value. */
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

/* Counts the typical keys of a cluster: those in at least a third of its files. Returns at least
 * 1. */
static uint32_t count_core(const infer_table *table, uint32_t files)
{
    uint32_t core = 0;
    for (uint32_t i = 0; i < table->count; i++)
        core += table->entries[i].count * 3 >= files;
    return core ? core : 1;
}

static double similarity(const infer_table *own, cluster *c, infer_table *theirs)
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

/* Whether a file belongs to a cluster. The thresholds are heuristics, and lower for files with the
 * same name or folder. */
static bool belongs(const grouping *g, const outline *o, const char *path, cluster *c)
{
    const outline *all = &c->all;
    const char *other = g->inputs->inputs[c->inputs[c->count - 1]].relative;
    bool same_name = strcmp(last_part(path), last_part(other)) == 0;
    bool in_same_folder = same_folder(path, other);
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
            return same_name || (in_same_folder && c->count > 2);
        return (o->has_kinds && all->has_kinds) || similarity(&o->below, c, &c->all.below) >=
                                                       (same_name || in_same_folder ? 0.25 : 0.4);
    }
    if (o->kind_key && all->kind_key && o->kind_key_length == all->kind_key_length &&
        memcmp(o->kind_key, all->kind_key, o->kind_key_length) == 0)
        return true;
    double top = similarity(&o->top, c, &c->all.top);
    if (top >= (same_name ? 0.2 : in_same_folder ? 0.34 : 0.5))
        return true;
    return is_map_like(o) && is_map_like(all) &&
           similarity(&o->below, c, &c->all.below) >= (in_same_folder ? 0.4 : 0.6);
}

static bool add_keys(infer_table *into, bake_store *store, const infer_table *from)
{
    infer_place nowhere = {0, 0};
    for (uint32_t i = 0; i < from->count; i++) {
        if (into->count >= KEYS_SAMPLED_MAX * 8)
            break;
        infer_entry *entry = bake_infer_table_find_or_add(into, store, from->entries[i].name,
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

static bool assign_input(grouping *g, uint32_t input)
{
    outline o;
    const bake_input *file = &g->inputs->inputs[input];
    if (!make_outline(&o, g->store, file->tree))
        return false;
    if (o.kind == ROOT_NONE)
        return true;
    /* Files are sorted by path, so the newest clusters are from nearby folders. Try them first. */
    for (uint32_t i = g->count, compared = 0; i > 0; i--, compared++) {
        cluster *c = &g->clusters[i - 1];
        bool full = g->count == CLUSTERS_MAX;
        if (compared < COMPARED_MAX || full) {
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

/* Whether two clusters with a common file name are one kind of file, whose keys are mostly
 * optional. */
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

/* Moves all files of a cluster into another. */
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

/* Joins clusters with a common file name if they can be one kind. If they stayed separate, patterns
 * could distinguish them only by listing folders. */
static bool join_by_name(grouping *g)
{
    infer_table names;
    infer_place nowhere = {0, 0};
    memset(&names, 0, sizeof names);
    for (uint32_t c = 0; c < g->count; c++) {
        cluster *from = &g->clusters[c];
        for (uint32_t i = 0; i < from->count; i++) {
            const char *name = last_part(g->inputs->inputs[from->inputs[i]].relative);
            infer_entry *entry = bake_infer_table_find_or_add(&names, g->store, name,
                                                              (uint32_t)strlen(name), nowhere);
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
        ok = assign_input(&g, i);
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

/* ---- splits groups whose folders contain different kinds of things, such as `items` and `spells`
 * ---- */

/* With fewer files, the keys of a folder are not significant. The other limits bound the work. */
enum { FOLDERS_MAX = 64, FILES_MIN = 3, ELEMENTS_SAMPLED_MAX = 40 };

typedef struct folder {
    const char *path;
    size_t length;
    uint32_t files;
    infer_table keys; /* with the number of files that have them */
    uint32_t part;
} folder;

typedef struct splitter {
    bake_store *store;
    const bake_inputs *inputs;
    folder folders[FOLDERS_MAX];
    uint32_t count, parts;
    bool skip_split; /* the files name their kinds, are too few, or have too many folders */
} splitter;

static folder *folder_of(splitter *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->folders[i].length == length && memcmp(s->folders[i].path, path, length) == 0)
            return &s->folders[i];
    if (s->count == FOLDERS_MAX)
        return NULL;
    folder *added = &s->folders[s->count++];
    memset(added, 0, sizeof *added);
    added->path = path;
    added->length = length;
    return added;
}

/* Counts each key once per file. */
static bool add_folder_keys(splitter *s, folder *f, uint32_t input, bake_node_id mapping)
{
    const bake_tree *tree = s->inputs->inputs[input].tree;
    bake_node_id key, value;
    uint32_t left = KEYS_SAMPLED_MAX;
    if (bake_infer_kind_of(tree, mapping, NULL, &key, &value))
        s->skip_split = true;
    for (bake_iterator it = bake_iterator_begin(tree, mapping);
         left-- > 0 && bake_iterator_next(&it);) {
        size_t length;
        infer_place place = {UINT32_MAX, 0};
        const char *text = bake_node_text(tree, it.key, &length);
        infer_entry *entry =
            bake_infer_table_find_or_add(&f->keys, s->store, text, (uint32_t)length, place);
        if (!entry)
            return false;
        entry->count += entry->first.input != input;
        entry->first.input = input;
    }
    return true;
}

static bool add_file(splitter *s, uint32_t input)
{
    const bake_tree *tree = s->inputs->inputs[input].tree;
    folder *f = folder_of(s, s->inputs->inputs[input].relative);
    s->skip_split = s->skip_split || !f;
    for (uint32_t d = 0; d < bake_tree_document_count(tree) && !s->skip_split; d++) {
        bake_node_id root = bake_tree_document(tree, d);
        if (root == BAKE_NODE_NONE || bake_node_is_placeholder(tree, root))
            continue;
        if (bake_node_kind_of(tree, root) == BAKE_NODE_MAPPING) {
            if (!add_folder_keys(s, f, input, root))
                return false;
            continue;
        }
        uint32_t left = ELEMENTS_SAMPLED_MAX;
        for (bake_iterator it = bake_iterator_begin(tree, root);
             left-- > 0 && bake_iterator_next(&it);)
            if (!bake_node_is_placeholder(tree, it.value) &&
                bake_node_kind_of(tree, it.value) == BAKE_NODE_MAPPING &&
                !add_folder_keys(s, f, input, it.value))
                return false;
    }
    if (f)
        f->files++;
    return true;
}

/* Sets `*ret_all` to the number of keys that at least four in five files of `a` have. Returns how
 * many of these keys no file of `b` has. */
static uint32_t count_own(const folder *a, const folder *b, uint32_t *ret_all)
{
    uint32_t own = 0;
    infer_table others = b->keys;
    *ret_all = 0;
    for (uint32_t i = 0; i < a->keys.count; i++) {
        const infer_entry *entry = &a->keys.entries[i];
        if (entry->count * 5 < (uint64_t)a->files * 4)
            continue;
        ++*ret_all;
        own += !bake_infer_table_find(&others, entry->name, entry->length);
    }
    return own;
}

/* Whether two folders contain different kinds of things. Each must have typical keys that the other
 * lacks. Together, these must be at least a quarter as many as all typical keys of the folder with
 * fewer typical keys. */
static bool differ(const folder *a, const folder *b)
{
    uint32_t all_of_a, all_of_b;
    uint32_t own_a = count_own(a, b, &all_of_a), own_b = count_own(b, a, &all_of_b);
    uint32_t fewer = all_of_a < all_of_b ? all_of_a : all_of_b;
    return own_a > 0 && own_b > 0 && (own_a + own_b) * 4 >= fewer;
}

/* Puts similar folders into one part. Folders with few files join the first part. */
static void make_parts(splitter *s)
{
    s->parts = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        folder *f = &s->folders[i];
        uint32_t k = 0;
        f->part = 0;
        if (f->files < FILES_MIN)
            continue;
        while (k < i && (s->folders[k].files < FILES_MIN || differ(f, &s->folders[k])))
            k++;
        f->part = k < i ? s->folders[k].part : s->parts++;
    }
}

static bool extract_part(splitter *s, const infer_group *from, uint32_t part, infer_group *into)
{
    uint32_t *numbers = bake_store_alloc(s->store, from->input_count, sizeof *numbers);
    memset(into, 0, sizeof *into);
    if (!numbers)
        return false;
    for (uint32_t i = 0; i < from->input_count; i++) {
        const bake_input *input = &s->inputs->inputs[from->inputs[i]];
        if (folder_of(s, input->relative)->part != part)
            continue;
        numbers[into->input_count++] = from->inputs[i];
        for (uint32_t d = 0; d < bake_tree_document_count(input->tree); d++)
            into->document_count += bake_tree_document(input->tree, d) != BAKE_NODE_NONE;
    }
    into->inputs = numbers;
    into->is_apart = true;
    into->has_many = into->document_count > into->input_count;
    return true;
}

bool bake_infer_groups_split(infer_groups *groups, bake_store *store, const bake_inputs *inputs)
{
    for (uint32_t g = 0, count = groups->count; g < count; g++) {
        const infer_group group = groups->groups[g];
        splitter *s = bake_store_alloc(store, 1, sizeof *s);
        if (!s)
            return false;
        s->store = store;
        s->inputs = inputs;
        s->skip_split = group.tag || group.input_count < 2 * FILES_MIN;
        for (uint32_t i = 0; i < group.input_count && !s->skip_split; i++)
            if (!add_file(s, group.inputs[i]))
                return false;
        if (!s->skip_split)
            make_parts(s);
        if (s->parts < 2)
            continue;
        infer_group *more = bake_store_alloc(store, (size_t)groups->count + s->parts, sizeof *more);
        if (!more)
            return false;
        memcpy(more, groups->groups, groups->count * sizeof *more);
        for (uint32_t part = 0; part < s->parts; part++)
            if (!extract_part(s, &group, part, part == 0 ? &more[g] : &more[groups->count++]))
                return false;
        groups->groups = more;
    }
    return true;
}

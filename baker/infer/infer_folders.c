/* Files of folders that plainly hold different things are groups of their own, however much these
 * have in common: `items` and `spells` beside one another. */
#include "infer_groups.h"

#include <string.h>

enum { FOLDERS_MAX = 64, FILES_MIN = 3, KEYS_LOOKED_AT = 200, ELEMENTS_LOOKED_AT = 40 };

typedef struct folder {
    const char *path;
    size_t length;
    uint32_t files;
    infer_table keys; /* each with the number of files that have it */
    uint32_t part;
} folder;

typedef struct splitter {
    bake_store *store;
    const bake_inputs *inputs;
    folder folders[FOLDERS_MAX];
    uint32_t count, parts;
    bool is_told; /* what is in the files says its kind, or there is nothing to go by */
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

/* Counts each key once for each file. */
static bool note_keys(splitter *s, folder *f, uint32_t input, bake_node_id mapping)
{
    const bake_tree *tree = s->inputs->inputs[input].tree;
    bake_node_id key, value;
    uint32_t left = KEYS_LOOKED_AT;
    if (bake_infer_kind_of(tree, mapping, NULL, &key, &value))
        s->is_told = true;
    for (bake_walk walk = bake_walk_begin(tree, mapping); left-- > 0 && bake_walk_next(&walk);) {
        size_t length;
        infer_place place = {UINT32_MAX, 0};
        const char *text = bake_node_text(tree, walk.key, &length);
        infer_entry *entry =
            bake_infer_table_need(&f->keys, s->store, text, (uint32_t)length, place);
        if (!entry)
            return false;
        entry->count += entry->first.input != input;
        entry->first.input = input;
    }
    return true;
}

static bool note_file(splitter *s, uint32_t input)
{
    const bake_tree *tree = s->inputs->inputs[input].tree;
    folder *f = folder_of(s, s->inputs->inputs[input].relative);
    s->is_told = s->is_told || !f;
    for (uint32_t d = 0; d < bake_tree_document_count(tree) && !s->is_told; d++) {
        bake_node_id root = bake_tree_document(tree, d);
        if (root == BAKE_NODE_NONE || bake_node_is_placeholder(tree, root))
            continue;
        if (bake_node_kind_of(tree, root) == BAKE_NODE_MAPPING) {
            if (!note_keys(s, f, input, root))
                return false;
            continue;
        }
        uint32_t left = ELEMENTS_LOOKED_AT;
        for (bake_walk walk = bake_walk_begin(tree, root); left-- > 0 && bake_walk_next(&walk);)
            if (!bake_node_is_placeholder(tree, walk.value) &&
                bake_node_kind_of(tree, walk.value) == BAKE_NODE_MAPPING &&
                !note_keys(s, f, input, walk.value))
                return false;
    }
    if (f)
        f->files++;
    return true;
}

/* Keys that nearly all files of `a` have, and those of these that none of `b` has. */
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

static bool differ(const folder *a, const folder *b)
{
    uint32_t all_of_a, all_of_b;
    uint32_t own_a = count_own(a, b, &all_of_a), own_b = count_own(b, a, &all_of_b);
    uint32_t fewer = all_of_a < all_of_b ? all_of_a : all_of_b;
    return own_a > 0 && own_b > 0 && (own_a + own_b) * 4 >= fewer;
}

/* Folders of the same things are one part; those of a few files go with the first. */
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

static bool take_part(splitter *s, const infer_group *from, uint32_t part, infer_group *into)
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
        s->is_told = group.tag || group.input_count < 2 * FILES_MIN;
        for (uint32_t i = 0; i < group.input_count && !s->is_told; i++)
            if (!note_file(s, group.inputs[i]))
                return false;
        if (!s->is_told)
            make_parts(s);
        if (s->parts < 2)
            continue;
        infer_group *more = bake_store_alloc(store, (size_t)groups->count + s->parts, sizeof *more);
        if (!more)
            return false;
        memcpy(more, groups->groups, groups->count * sizeof *more);
        for (uint32_t part = 0; part < s->parts; part++)
            if (!take_part(s, &group, part, part == 0 ? &more[g] : &more[groups->count++]))
                return false;
        groups->groups = more;
    }
    return true;
}

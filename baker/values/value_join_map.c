/* Joins the maps of several layers: all keys, each with the value of the topmost layer that has it.
 *
 * Keys are compared by value: 1 and 0x1 are the same key. So all keys except strings are baked
 * before entries are compared. An entry with an invalid key has already been reported; it counts as
 * distinct, so that the length is still checked. */
#include "value_paths.h"

#include "bake_memory.h"
#include "origin_record.h"

#include <string.h>

typedef struct joined_map {
    bake_values *b;
    uint32_t type;
    const kiln_type *map, *key;
    value_joined *entries;
    size_t count, kept;
    unsigned char *keys; /* by entry; unused for strings */
    uint8_t *states;     /* by entry */
    hash_table by_key;
    const value_changes *changes; /* by entry; NULL: none */
    const value_step *step;
} joined_map;

enum { ENTRY_KEPT, ENTRY_DROPPED, ENTRY_BAD };

static const void *key_bytes(const joined_map *j, size_t i, size_t *ret_size)
{
    const value_joined *entry = &j->entries[i];
    if (j->key->kind == KILN_KIND_STRING)
        return bake_node_text(entry->from.layer->tree, entry->key, ret_size);
    *ret_size = j->key->size;
    return j->keys + i * j->key->size;
}

static bool is_key(const joined_map *j, uint32_t number, text_key key)
{
    size_t size;
    const void *bytes = key_bytes(j, number, &size);
    return size == key.length && memcmp(bytes, key.text, size) == 0;
}

HASH_TABLE(entries_by_key, const joined_map *, text_key, hash_of_text, is_key)

/* Drops entry `i`, which has the same key as entry `first`. An entry of a lower layer is
 * overridden; an entry of the same layer is an error. */
static void drop(joined_map *j, size_t i, size_t first)
{
    bake_values *b = j->b;
    const value_joined *entry = &j->entries[i], *other = &j->entries[first];
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    j->states[i] = ENTRY_DROPPED;
    if (entry->from.layer != other->from.layer)
        return;
    value_saved before = bake_value_enter_layer(b, &entry->from);
    bake_mark mark = value_mark(b, other->key);
    const char *text = bake_node_text(b->tree, other->key, &length);
    bake_value_report(b, BAKE_ERROR, value_mark(b, entry->key), "duplicate", j->step,
                      "duplicate key: it equals %s at %u:%u", bake_value_quote(quote, text, length),
                      mark.line, mark.column);
    bake_value_leave_layer(b, &entry->from, &before);
}

/* Bakes the key of an entry into `keys`. Strings stay in their tree until bake_kept writes them. */
static void read_key(joined_map *j, size_t i)
{
    bake_values *b = j->b;
    const value_joined *entry = &j->entries[i];
    if (j->key->kind == KILN_KIND_STRING)
        return;
    value_saved before = bake_value_enter_layer(b, &entry->from);
    value_step inner = bake_value_key_step(b, entry->key, j->key->kind, j->step);
    if (!bake_value_key(b, entry->key, j->type, j->keys + i * j->key->size, &inner))
        j->states[i] = ENTRY_BAD;
    bake_value_leave_layer(b, &entry->from, &before);
}

/* Finds the entries to keep. Returns false if memory runs out. */
static bool find_kept(joined_map *j)
{
    kiln_allocator allocator = bake_memory_allocator();
    for (size_t i = 0; i < j->count && !j->b->stopped; i++) {
        text_key key;
        read_key(j, i);
        if (j->states[i] == ENTRY_BAD) {
            j->kept++;
            continue;
        }
        if (!hash_table_reserve(&j->by_key, &allocator))
            return false;
        key.text = key_bytes(j, i, &key.length);
        hash_slot *slot = entries_by_key_slot(&j->by_key, j, key);
        if (hash_slot_is_empty(slot)) {
            hash_table_put(&j->by_key, slot, (uint32_t)i);
            j->kept++;
        } else {
            drop(j, i, hash_slot_number(slot));
        }
    }
    return true;
}

/* Finds the entry whose key has these bytes, or returns HASH_TABLE_NONE. */
static uint32_t find_entry(const joined_map *j, const void *bytes, size_t size)
{
    return entries_by_key_find(&j->by_key, j, (text_key){bytes, size});
}

/* Adds a hint with keys similar to the step. Copies the keys, which are not NUL-terminated; only
 * the first NAMES_MAX keys are considered. */
static void hint_keys(const joined_map *j, const bake_path *s)
{
    enum { NAMES_MAX = 1000 };
    char **names = bake_alloc_array(NAMES_MAX, sizeof *names);
    size_t count = 0, length;
    for (size_t i = 0; names && i < j->count && count < NAMES_MAX; i++) {
        const value_joined *entry = &j->entries[i];
        const char *text = bake_node_text(entry->from.layer->tree, entry->key, &length);
        names[count] = bake_copy_text(text, length);
        count += names[count] != NULL;
    }
    if (names)
        bake_hint_similar(j->b->report.to, s->text, s->length, (const char *const *)names, count);
    while (count > 0)
        bake_free(names[--count]);
    bake_free(names);
}

static void change_entry(const joined_map *j, const value_layer *from, const bake_path *s,
                         value_changes *changes)
{
    bake_values *b = j->b;
    bool is_string = j->key->kind == KILN_KIND_STRING;
    unsigned char *key = is_string ? NULL : bake_alloc_array(1, j->key->size);
    char quote[VALUE_QUOTE_SIZE];
    uint32_t entry = HASH_TABLE_NONE;
    value_saved before = bake_value_enter_layer(b, from);
    if (!s->is_bracket)
        bake_value_path_report(b, from, s, j->step, "expected a map key in brackets");
    else if (is_string)
        entry = find_entry(j, s->text, s->length);
    else if (!key)
        bake_fail_memory(b->failure);
    else if (bake_value_key_text(b, s->key, s->text, s->length, j->type, key, j->step))
        entry = find_entry(j, key, j->key->size);
    else
        s = NULL;
    if (entry != HASH_TABLE_NONE) {
        bake_value_change(b, changes, entry, from, s);
    } else if (s && s->is_bracket) {
        bake_value_path_report(b, from, s, j->step, "the map has no key %s",
                               bake_value_quote(quote, s->text, s->length));
        if (is_string && value_path_is_reported(b, from) && bake_hints_wanted(b->report.to))
            hint_keys(j, s);
    }
    bake_value_leave_layer(b, from, &before);
    bake_free(key);
}

static void find_changes(joined_map *j, const value_over *over, value_changes *changes)
{
    if (!bake_value_changes_init(j->b, changes, (uint32_t)j->count))
        return;
    j->changes = changes;
    for (size_t i = over->count; i-- > 0;)
        for (const bake_path *s = over->layers[i].path->steps; s; s = s->next)
            change_entry(j, &over->layers[i], s, changes);
}

/* Writes the kept entries. String keys are baked only here, since their relative field must be in
 * the entry. */
static void bake_kept(joined_map *j, unsigned char *to)
{
    bake_values *b = j->b;
    for (size_t i = 0; i < j->count && !b->stopped; i++) {
        const value_joined *entry = &j->entries[i];
        if (j->states[i] == ENTRY_DROPPED)
            continue;
        value_saved before = bake_value_enter_layer(b, &entry->from);
        value_step inner = bake_value_key_step(b, entry->key, j->key->kind, j->step);
        if (j->key->kind == KILN_KIND_STRING)
            bake_value_key(b, entry->key, j->type, to, &inner);
        else
            memcpy(to, j->keys + i * j->key->size, j->key->size);
        origin_key key;
        bool has_key_step = b->origins && j->key->kind != KILN_KIND_STRING;
        if (has_key_step)
            bake_origin_push_key(b, &key, &inner, j->map->key, to);
        if (b->origins)
            bake_origin_key(b, entry->key);
        bake_value_leave_layer(b, &entry->from, &before);
        if (j->changes && j->changes->heads[i])
            bake_value_changed(b, j->changes, (uint32_t)i, &entry->from, 1, j->map->element,
                               to + j->map->value_offset, &inner, VALUE_REPLACE);
        else
            bake_value_one(b, &entry->from, j->map->element, NULL, to + j->map->value_offset,
                           &inner);
        if (has_key_step)
            bake_origin_pop_key(b, &key);
        to += j->map->entry_size;
    }
}

static void bake_joined(joined_map *j, const value_layer *at, const kiln_member *field, void *dst)
{
    bake_values *b = j->b;
    value_saved before = bake_value_enter_layer(b, at);
    bake_value_check_length(b, at->node, field, j->kept, "entry", j->step);
    bool is_entered =
        j->kept > 0 && !b->stopped &&
        bake_value_size_fits(b, at->node, j->step, (uint64_t)j->kept * j->map->entry_size) &&
        value_enter(b, at->node, j->step);
    bake_value_leave_layer(b, at, &before);
    if (!is_entered)
        return;
    unsigned char *data = kiln_builder_array(b->builder, dst, (uint32_t)j->kept, j->map->entry_size,
                                             j->map->entry_align);
    if (data)
        bake_kept(j, data);
    else
        value_stop(b);
    value_leave(b);
}

void bake_value_join_entries(bake_values *b, const value_layer *at, value_joined *entries,
                             size_t count, uint32_t type, const kiln_member *field, void *dst,
                             const value_step *step, const value_over *over)
{
    kiln_allocator allocator = bake_memory_allocator();
    value_changes changes = {.heads = NULL};
    joined_map j = {.b = b,
                    .type = type,
                    .map = value_type(b, type),
                    .entries = entries,
                    .count = count,
                    .step = step};
    j.key = value_type(b, j.map->key);
    j.keys = bake_alloc_array(count, j.key->size);
    j.states = bake_alloc_array(count, 1);
    if (j.keys && j.states && find_kept(&j)) {
        if (over && !b->stopped)
            find_changes(&j, over, &changes);
        bake_joined(&j, at, field, dst);
    } else {
        value_no_memory(b);
    }
    bake_value_changes_fini(&changes);
    bake_free(j.keys);
    bake_free(j.states);
    kiln_hash_table_fini(&j.by_key, &allocator);
}

/* Appends the entries of a layer. Returns false if memory runs out. */
static bool add_layer(bake_values *b, const value_layer *from, uint32_t type,
                      const value_step *step, value_joined **entries, size_t *count,
                      size_t *capacity)
{
    const bake_tree *tree = from->layer->tree;
    value_saved before = bake_value_enter_layer(b, from);
    bool is_map = bake_node_kind_of(tree, from->node) == BAKE_NODE_MAPPING;
    if (!is_map && !bake_node_is_placeholder(tree, from->node))
        bake_value_unexpected(b, from->node, type, step);
    is_map = is_map && bake_value_check_tag(b, from->node, type, step);
    bake_value_leave_layer(b, from, &before);
    if (!is_map)
        return true;
    value_joined *all =
        bake_grow(*entries, capacity, *count + bake_node_count(tree, from->node) + 1, sizeof *all);
    if (!all)
        return false;
    *entries = all;
    for (bake_iterator it = bake_iterator_begin(tree, from->node); bake_iterator_next(&it);) {
        value_joined entry = {*from, it.key};
        entry.from.node = it.value;
        all[(*count)++] = entry;
    }
    return true;
}

void bake_value_join_maps(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                          const kiln_member *field, void *dst, const value_step *step,
                          const value_over *over)
{
    value_joined *entries = NULL;
    size_t entry_count = 0, capacity = 0;
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = add_layer(b, &layers[i], type, step, &entries, &entry_count, &capacity);
    if (ok) {
        bake_value_join_entries(b, &layers[0], entries, entry_count, type, field, dst, step, over);
    } else {
        value_no_memory(b);
    }
    bake_free(entries);
}

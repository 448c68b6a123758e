/* Maps: entries whose keys must differ in value, not just in spelling.
 *
 * Entries are baked into one array in source order; the builder sorts them at the end. Keys are
 * then compared as bytes, so every key value must have a unique representation. An entry with an
 * invalid key stays in the array but is not compared, because the run has failed and writes no
 * output. */
#include "value_compose.h"

#include "bake_memory.h"
#include "origin_record.h"
#include "value_scalar.h"
#include "value_words.h"

#include <string.h>

/* Up to this many entries, comparing all pairs is faster than a hash table. */
enum { PAIRS_MAX = 8 };

/* Gives equal keys equal bytes: -0 becomes 0. Rejects NaN, which is not equal to itself. */
static bool normalize_floats(bake_values *b, bake_node_id node, const kiln_type *of, uint32_t count,
                             unsigned char *data, const value_step *step)
{
    for (uint32_t i = 0; i < count; i++, data += of->size) {
        double wide;
        float narrow;
        if (of->kind == KILN_KIND_F32) {
            memcpy(&narrow, data, sizeof narrow);
            wide = narrow;
        } else {
            memcpy(&wide, data, sizeof wide);
        }
        if (wide != wide)
            return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "key", step,
                                     "NaN cannot be a key");
        if (wide == 0)
            memset(data, 0, of->size);
    }
    return true;
}

static bool string_key(bake_values *b, bake_node_id node, const char *text, size_t length,
                       kiln_string *dst, const value_step *step)
{
    if (memchr(text, 0, length))
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "text", step,
                                 "the string contains NUL (U+0000), which is not allowed");
    if (length > KILN_MAP_KEY_MAX)
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "key", step,
                                 "the key has %zu bytes, more than the maximum of %d", length,
                                 KILN_MAP_KEY_MAX);
    if (length == 0 || !value_enter(b, node, step))
        return length == 0;
    bool ok = kiln_builder_string(b->builder, dst, text, length);
    if (!ok)
        value_stop(b);
    value_leave(b);
    return ok;
}

bool bake_value_key(bake_values *b, bake_node_id node, uint32_t map, unsigned char *dst,
                    const value_step *step)
{
    uint32_t type = value_type(b, map)->key;
    const kiln_type *of = value_type(b, type);
    size_t length;
    if (b->words && (b->schema->info[map].forms & BAKE_ENTITY))
        return bake_value_entity_key(b, node, dst, step);
    const char *text = bake_node_text(b->tree, node, &length);
    /* A key is never null, so a null tag does not match any type. */
    if (!bake_value_check_tag(b, node, type, step))
        return false;
    if (of->kind == KILN_KIND_STRING)
        return string_key(b, node, text, length, (kiln_string *)(void *)dst, step);
    return bake_value_key_text(b, node, text, length, map, dst, step);
}

bool bake_value_key_text(bake_values *b, bake_node_id node, const char *text, size_t length,
                         uint32_t map, unsigned char *dst, const value_step *step)
{
    uint32_t type = value_type(b, map)->key;
    const kiln_type *of = value_type(b, type);
    if (!bake_value_text(b, node, text, length, type, NULL, dst, step))
        return false;
    if (kiln_kind_is_float(of->kind))
        return normalize_floats(b, node, of, 1, dst, step);
    if (of->kind == KILN_KIND_FIXED && kiln_kind_is_float(value_type(b, of->element)->kind))
        return normalize_floats(b, node, value_type(b, of->element), of->count, dst, step);
    return true;
}

typedef struct entries {
    bake_values *b;
    bake_node_id node;
    size_t chosen; /* scratch offset of value_entry elements; SIZE_MAX: iterate over `node` */
    uint32_t count;
    uint32_t type;
    const kiln_type *map, *key;
    const unsigned char *data;
    bool *bad; /* by entry: its key is invalid; NULL: all keys are valid */
    const value_step *step;
} entries;

static value_entry chosen_entry(const entries *e, uint32_t i)
{
    value_entry entry;
    memcpy(&entry, e->b->scratch.bytes + e->chosen + (size_t)i * sizeof entry, sizeof entry);
    return entry;
}

/* Puts all entries on the scratch stack for access by index. Returns false if memory runs out. */
static bool push_all(entries *e)
{
    e->chosen = bake_value_push(e->b, e->count * sizeof(value_entry));
    if (e->chosen == SIZE_MAX)
        return false;
    unsigned char *to = e->b->scratch.bytes + e->chosen;
    for (bake_iterator it = bake_iterator_begin(e->b->tree, e->node); bake_iterator_next(&it);) {
        value_entry entry = {it.key, it.value};
        memcpy(to, &entry, sizeof entry);
        to += sizeof entry;
    }
    return true;
}

static bool same_keys(const entries *e, uint32_t i, uint32_t n)
{
    const unsigned char *base = e->data;
    size_t size = e->map->entry_size;
    return memcmp(base + i * size, base + n * size, e->key->size) == 0;
}

static bool is_bad(const entries *e, uint32_t i)
{
    return e->bad && e->bad[i];
}

static void report_duplicate(const entries *e, uint32_t i, uint32_t n)
{
    bake_values *b = e->b;
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    bake_node_id later = chosen_entry(e, i).key, earlier = chosen_entry(e, n).key;
    bake_mark mark = value_mark(b, earlier);
    const char *text = bake_node_text(b->tree, earlier, &length);
    bake_value_report(b, BAKE_ERROR, value_mark(b, later), "duplicate", e->step,
                      "duplicate key: it equals %s at %u:%u", bake_value_quote(quote, text, length),
                      mark.line, mark.column);
    bake_related(b->report.to, mark, "first given here");
}

/* Returns false if memory runs out. */
static bool note_bad_key(entries *e, uint32_t i)
{
    if (!e->bad)
        e->bad = bake_alloc_array(e->count, sizeof *e->bad);
    if (e->bad) {
        e->bad[i] = true;
    } else {
        value_no_memory(e->b);
    }
    return e->bad != NULL;
}

static void check_pairs(const entries *e)
{
    for (uint32_t i = 1; i < e->count; i++) {
        uint32_t n = 0;
        while (n < i && (is_bad(e, i) || is_bad(e, n) || !same_keys(e, i, n)))
            n++;
        if (n < i)
            report_duplicate(e, i, n);
    }
}

static bool is_key(const entries *e, uint32_t number, text_key key)
{
    return memcmp(e->data + (size_t)number * e->map->entry_size, key.text, key.length) == 0;
}

HASH_TABLE(entries_by_key, const entries *, text_key, hash_of_text, is_key)

/* The table is seeded (hash_table.h), so input cannot force collisions. */
static void check_hashed(const entries *e)
{
    kiln_allocator allocator = bake_memory_allocator();
    hash_table by_key = {.slots = NULL};
    for (uint32_t i = 0; i < e->count; i++) {
        const void *bytes = e->data + (size_t)i * e->map->entry_size;
        if (is_bad(e, i))
            continue;
        if (!hash_table_reserve(&by_key, &allocator)) {
            value_no_memory(e->b);
            break;
        }
        hash_slot *slot = entries_by_key_slot(&by_key, e, (text_key){bytes, e->key->size});
        if (hash_slot_is_empty(slot))
            hash_table_put(&by_key, slot, i);
        else
            report_duplicate(e, i, hash_slot_number(slot));
    }
    kiln_hash_table_fini(&by_key, &allocator);
}

/* String keys need no check: the tree already rejects duplicate keys. */
static void check_distinct(const entries *e)
{
    if (e->key->kind == KILN_KIND_STRING)
        return;
    if (e->count <= PAIRS_MAX)
        check_pairs(e);
    else
        check_hashed(e);
}

/* A number of up to 18 digits cannot overflow 64 bits. Other keys are shown as text. */
value_step bake_value_key_step(const bake_values *b, bake_node_id key, kiln_kind kind,
                               const value_step *up)
{
    value_step step = {up, STEP_KEY, NULL, 0, 0};
    step.text = bake_node_text(b->tree, key, &step.length);
    if (!kiln_kind_is_integer(kind) || step.length == 0 || step.length > 18)
        return step;
    for (size_t i = 0; i < step.length; i++) {
        if (step.text[i] < '0' || step.text[i] > '9')
            return step;
        step.number = step.number * 10 + (uint64_t)(step.text[i] - '0');
    }
    step.kind = STEP_NUMBER;
    return step;
}

static void bake_entry(entries *e, uint32_t i, value_entry from, unsigned char *to)
{
    bake_values *b = e->b;
    value_step inner = bake_value_key_step(b, from.key, e->key->kind, e->step);
    if (!bake_value_key(b, from.key, e->type, to, &inner) && !b->stopped && !note_bad_key(e, i))
        return;
    origin_key key;
    bool has_key_step = b->origins && e->key->kind != KILN_KIND_STRING;
    if (b->origins)
        bake_origin_key(b, from.key);
    if (has_key_step)
        bake_origin_push_key(b, &key, &inner, e->map->key, to);
    bake_value_any(b, from.value, e->map->element, NULL, to + e->map->value_offset, &inner);
    if (has_key_step)
        bake_origin_pop_key(b, &key);
}

/* Keys other than strings may be duplicates, and the report then needs the earlier entry. So their
 * entries are put on the scratch stack for access by index. String keys are read on the fly. */
static void bake_entries(entries *e, unsigned char *to)
{
    bake_values *b = e->b;
    bake_iterator it;
    if (e->key->kind != KILN_KIND_STRING && e->chosen == SIZE_MAX && !push_all(e))
        return;
    if (e->chosen == SIZE_MAX)
        it = bake_iterator_begin(b->tree, e->node);
    for (uint32_t i = 0; i < e->count && !b->stopped; i++, to += e->map->entry_size) {
        value_entry entry;
        if (e->chosen != SIZE_MAX) {
            entry = chosen_entry(e, i);
        } else {
            bake_iterator_next(&it);
            if (b->origins)
                bake_origin_via(b, e->node, &it);
            entry.key = it.key;
            entry.value = it.value;
        }
        bake_entry(e, i, entry, to);
    }
    if (!b->stopped)
        check_distinct(e);
}

void bake_value_map_entries(bake_values *b, bake_node_id node, size_t chosen, uint32_t count,
                            uint32_t type, void *dst, const value_step *step)
{
    const kiln_type *map = value_type(b, type);
    if (count == 0 || !bake_value_size_fits(b, node, step, (uint64_t)count * map->entry_size) ||
        !value_enter(b, node, step))
        return;
    unsigned char *data =
        kiln_builder_array(b->builder, dst, count, map->entry_size, map->entry_align);
    if (data) {
        size_t used = b->scratch.used;
        entries e = {b, node, chosen, count, type, map, value_type(b, map->key), data, NULL, step};
        bake_entries(&e, data);
        bake_free(e.bad);
        b->scratch.used = used;
    } else {
        value_stop(b);
    }
    value_leave(b);
}

void bake_value_map(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                    void *dst, const value_step *step)
{
    uint32_t count = 0;
    if (!bake_value_is_null(b, node)) {
        if (bake_node_kind_of(b->tree, node) != BAKE_NODE_MAPPING) {
            bake_value_unexpected(b, node, type, step);
            return;
        }
        count = bake_node_count(b->tree, node);
    }
    bake_value_check_length(b, node, field, count, "entry", step);
    bake_value_map_entries(b, node, SIZE_MAX, count, type, dst, step);
}

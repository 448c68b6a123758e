#include "infer_text.h"

#include "bake_text.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LINEAR_MAX = 6 };

/* What texts may be of which one says that it is a text. */
#define TEXT_FLAGS ((uint32_t)(INFER_WORD | INFER_ID | INFER_QUOTED | INFER_TEXT))

uint32_t bake_infer_hash(const char *text, size_t length)
{
    return (uint32_t)XXH3_64bits(text, length);
}

static bool is_value(const infer_value *value, const char *text, uint32_t length, uint32_t hash)
{
    return value->hash == hash && value->length == length && memcmp(value->text, text, length) == 0;
}

/* The slot of a text, or the free one where it belongs. */
static uint32_t *slot_of(const infer_texts *texts, const char *text, uint32_t length, uint32_t hash)
{
    uint32_t mask = texts->slot_count - 1, at = hash & mask;
    while (texts->slots[at] && !is_value(&texts->values[texts->slots[at] - 1], text, length, hash))
        at = (at + 1) & mask;
    return &texts->slots[at];
}

static infer_value *find(const infer_texts *texts, const char *text, uint32_t length, uint32_t hash)
{
    if (texts->slots) {
        uint32_t number = *slot_of(texts, text, length, hash);
        return number ? &texts->values[number - 1] : NULL;
    }
    for (uint32_t i = 0; i < texts->value_count; i++)
        if (is_value(&texts->values[i], text, length, hash))
            return &texts->values[i];
    return NULL;
}

const infer_value *bake_infer_texts_find(const infer_texts *texts, const char *text,
                                         uint32_t length)
{
    return find(texts, text, length, bake_infer_hash(text, length));
}

static bool grow(infer_texts *texts, bake_store *store)
{
    infer_value *values = bake_store_grow(store, texts->values, &texts->value_capacity,
                                          (size_t)texts->value_count + 1, sizeof *values);
    if (!values)
        return false;
    texts->values = values;
    if (texts->value_capacity <= LINEAR_MAX)
        return true;
    texts->slot_count = (uint32_t)texts->value_capacity * 2;
    texts->slots = bake_store_alloc(store, texts->slot_count, sizeof *texts->slots);
    if (!texts->slots) {
        texts->slot_count = 0;
        return false;
    }
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &values[i];
        *slot_of(texts, value->text, value->length, value->hash) = i + 1;
    }
    return true;
}

/* What a text that was not seen before adds to what is known of all. */
static void note(infer_texts *texts, const infer_reading *reading, uint32_t length, bool first)
{
    uint32_t flags = reading->flags;
    texts->all = first ? flags : texts->all & flags;
    if (flags & INFER_NUMBER) {
        bool number_before = (texts->some & INFER_NUMBER) != 0;
        if (!number_before || reading->number < texts->least)
            texts->least = reading->number;
        if (!number_before || reading->number > texts->most)
            texts->most = reading->number;
    }
    if (flags & INFER_INT) {
        if (reading->negative && reading->magnitude > texts->lowest)
            texts->lowest = reading->magnitude;
        if (!reading->negative && reading->magnitude > texts->highest)
            texts->highest = reading->magnitude;
    }
    if (flags & INFER_VECTOR)
        texts->dimensions = !(texts->some & INFER_VECTOR)              ? reading->dimensions
                            : texts->dimensions == reading->dimensions ? reading->dimensions
                                                                       : 0;
    if (flags & INFER_HEX)
        texts->digits = !(texts->some & INFER_HEX)         ? reading->digits
                        : texts->digits == reading->digits ? reading->digits
                                                           : 0;
    if (flags & INFER_UNIT) {
        if (!(texts->some & INFER_UNIT)) {
            texts->units = reading->units;
            texts->unit = reading->unit;
        } else if (texts->units != reading->units) {
            texts->units = INFER_UNITS_MIXED;
        } else if (bake_infer_unit_is_vague(texts->unit) &&
                   !bake_infer_unit_is_vague(reading->unit)) {
            texts->unit = reading->unit;
        }
    }
    texts->some |= flags;
    if (length > texts->longest)
        texts->longest = length;
}

bool bake_infer_texts_add(infer_texts *texts, bake_store *store, const char *text, uint32_t length,
                          infer_place place, uint32_t extra, uint32_t count)
{
    uint32_t hash = bake_infer_hash(text, length);
    infer_value *value = find(texts, text, length, hash);
    bool first = texts->count == 0;
    texts->count += count;
    if (extra & INFER_QUOTED)
        texts->quoted += count;
    if (extra & INFER_TEXT)
        texts->forced = true;
    if (value) {
        texts->repeats = texts->repeats || (texts->list && value->list == texts->list);
        value->list = texts->list;
        value->count += count;
        texts->some |= extra;
        texts->all &= extra | ~(uint32_t)(INFER_QUOTED | INFER_BINARY | INFER_TEXT);
        texts->all &= texts->forced ? TEXT_FLAGS : ~0u;
        return true;
    }
    infer_reading reading = bake_infer_read_text(text, length);
    reading.flags |= extra;
    note(texts, &reading, length, first);
    texts->all &= texts->forced ? TEXT_FLAGS : ~0u;
    if (texts->value_count == INFER_VALUES_MAX) {
        texts->many = true;
        return true;
    }
    if (texts->value_count == texts->value_capacity && !grow(texts, store))
        return false;
    infer_value added = {text, length, hash, count, reading.flags, texts->list, place};
    texts->values[texts->value_count++] = added;
    if (texts->slots)
        *slot_of(texts, text, length, hash) = texts->value_count;
    return true;
}

bool bake_infer_texts_merge(infer_texts *texts, bake_store *store, const infer_texts *from)
{
    uint64_t count = texts->count + from->count, quoted = texts->quoted + from->quoted;
    texts->list = 0;
    texts->repeats = texts->repeats || from->repeats;
    for (uint32_t i = 0; i < from->value_count; i++) {
        const infer_value *value = &from->values[i];
        if (!bake_infer_texts_add(texts, store, value->text, value->length, value->first,
                                  (value->flags | (from->some & INFER_TEXT)) &
                                      (INFER_QUOTED | INFER_BINARY | INFER_TEXT),
                                  value->count))
            return false;
    }
    if (from->many) {
        texts->many = true;
        texts->all &= from->all;
        texts->some |= from->some;
        texts->highest = texts->highest > from->highest ? texts->highest : from->highest;
        texts->lowest = texts->lowest > from->lowest ? texts->lowest : from->lowest;
        texts->least = texts->least < from->least ? texts->least : from->least;
        texts->most = texts->most > from->most ? texts->most : from->most;
        texts->dimensions = texts->dimensions == from->dimensions ? texts->dimensions : 0;
        texts->digits = texts->digits == from->digits ? texts->digits : 0;
        texts->units = texts->units == from->units ? texts->units : INFER_UNITS_MIXED;
        texts->longest = texts->longest > from->longest ? texts->longest : from->longest;
    }
    texts->count = count;
    texts->quoted = quoted;
    return true;
}

const infer_value *bake_infer_texts_most(const infer_texts *texts)
{
    const infer_value *most = NULL;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        if (!most || value->count > most->count) {
            most = value;
        } else if (value->count == most->count) {
            if (bake_compare_text(value->text, value->length, most->text, most->length) < 0)
                most = value;
        }
    }
    return most;
}

/* Encodes the words of rows for a file: the inverse of scene_words.c.
 *
 * An entity becomes its number in the file, or the number of an import. A reference becomes the
 * number of the asset in the scene's list, and a data word the number of its value. Many words are
 * equal, so hash tables find assets and values by word. A word that refers to a destroyed entity or
 * a removed asset becomes null. */
#include "scene_save.h"

#include "asset_entry.h"
#include "asset_lock.h"

#include <kiln/index.h>
#include <stdio.h>
#include <string.h>

/* The rows whose words are encoded. */
typedef struct encoding {
    saving *s;
    const save_component *component;
    unsigned char *rows;
    uint32_t count;
} encoding;

typedef kiln_status encode_word(saving *s, uint64_t word, uint32_t list, uint64_t *ret_word);

/* ---- one word ---- */

static uint64_t entity_word(uint32_t number, uint32_t source)
{
    kiln_entity entity = {number, source};
    uint64_t word;
    memcpy(&word, &entity, sizeof word);
    return word;
}

static kiln_status encode_entity(saving *s, uint64_t word, uint32_t list, uint64_t *ret_word)
{
    kiln_entity entity;
    (void)list;
    memcpy(&entity, &word, sizeof entity);
    *ret_word = 0;
    if (!kiln_entity_exists(s->world, entity))
        return KILN_OK;
    uint32_t number = save_number_of(s, entity.index), import = 0;
    if (number) {
        *ret_word = entity_word(number - 1, KILN_SCENE_LOCAL);
        return KILN_OK;
    }
    kiln_status status = kiln_save_find_import(s, entity.index, &import);
    if (import)
        *ret_word = entity_word(0, KILN_SCENE_IMPORT + import - 1);
    return status;
}

/* Finds the cell of a key, or adds it. */
static kiln_status cell_of(kiln_key_table *table, uint64_t key, uint32_t *ret_cell)
{
    uint32_t cell = kiln_key_table_find(table, key);
    if (cell == KILN_KEY_NONE) {
        kiln_status status = kiln_key_table_reserve(table, 1);
        if (status)
            return status;
        cell = kiln_key_table_put(table, key);
    }
    *ret_cell = cell;
    return KILN_OK;
}

static kiln_status add_asset(saving *s, kiln_ref ref, uint64_t *ret_word)
{
    const char *name = NULL;
    /* A reference to a removed asset is saved as null. A word that was never a reference is an
     * error. */
    kiln_ref_state state = kiln_ref_check(s->assets, ref.bits);
    *ret_word = 0;
    if (state == KILN_REF_IS_STALE)
        return KILN_OK;
    kiln_asset_lock(s->assets);
    const asset_entry *entry = kiln_asset_entry_of(s->assets, ref);
    if (entry) {
        name = entry->name;
    } else if (kiln_ref_get_form(ref) == KILN_REF_POINTER) {
        const asset_blob *older = kiln_asset_blob_at(s->assets, ref);
        name = older ? older->name : NULL;
    }
    /* Another thread may have removed the asset after the check. */
    kiln_status status = name || state == KILN_REF_IS_GOOD ? KILN_OK : KILN_DEAD;
    size_t length = name ? strlen(name) : 0;
    if (name && length == 0)
        status = KILN_NOT_FOUND;
    if (name && !status)
        status = kiln_file_writer_import(s->file, name);
    if (name && !status)
        status = kiln_scene_writer_add_asset(s->writer, kiln_asset_id(name, length), ret_word);
    kiln_asset_unlock(s->assets);
    return status;
}

static kiln_status encode_asset(saving *s, uint64_t word, uint32_t list, uint64_t *ret_word)
{
    uint32_t cell;
    kiln_ref ref = {word};
    (void)list;
    *ret_word = 0;
    if (word == 0)
        return KILN_OK;
    if (!s->assets)
        return KILN_BAD_ARGUMENT;
    kiln_status status = cell_of(&s->asset_words, word, &cell);
    if (status)
        return status;
    *ret_word = kiln_key_table_note(&s->asset_words, cell);
    if (*ret_word == 0) {
        status = add_asset(s, ref, ret_word);
        kiln_key_table_set_note(&s->asset_words, cell, (uint32_t)*ret_word);
    }
    return status;
}

static kiln_status encode_data(saving *s, uint64_t word, uint32_t number, uint64_t *ret_word)
{
    save_list *list = &s->lists[number];
    uint32_t cell;
    *ret_word = 0;
    if (word == 0)
        return KILN_OK;
    kiln_status status = cell_of(&list->numbers, word, &cell);
    if (status)
        return status;
    uint32_t note = kiln_key_table_note(&list->numbers, cell);
    if (note == 0) {
        uint64_t *place = kiln_list_push(&s->allocator, &list->words, sizeof *place);
        if (!place)
            return KILN_NO_MEMORY;
        *place = word;
        note = list->words.count;
        kiln_key_table_set_note(&list->numbers, cell, note);
    }
    *ret_word = note;
    return KILN_OK;
}

/* ---- rows ---- */

static kiln_status encode_words(const encoding *t, uint32_t place, uint32_t list,
                                encode_word *encode, uint32_t *ret_row)
{
    uint32_t size = t->component->desc->size;
    unsigned char *at = t->rows + place;
    for (uint32_t i = 0; i < t->count; i++, at += size) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        kiln_status status = encode(t->s, word, list, &word);
        *ret_row = i;
        if (status)
            return status;
        memcpy(at, &word, sizeof word);
    }
    return KILN_OK;
}

/* Padding in memory can contain anything; see mask_value. */
static void clear_padding(const encoding *t)
{
    const unsigned char *mask = t->component->mask;
    uint32_t size = t->component->desc->size;
    for (uint32_t i = 0; mask && i < t->count; i++)
        for (uint32_t k = 0; k < size; k++)
            t->rows[(size_t)i * size + k] &= mask[k];
}

static kiln_status fail_at(const encoding *t, kiln_status status, uint32_t index)
{
    char path[KILN_PATH_SIZE];
    snprintf(path, sizeof path, "entity %lu.%s", (unsigned long)index, t->component->desc->name);
    return kiln_fail(t->s->reterr, status, 0, path);
}

kiln_status kiln_save_words(saving *s, const save_component *component, unsigned char *rows,
                            const save_piece *piece, uint32_t row, uint32_t count)
{
    encoding t = {s, component, rows, count};
    const kiln_component_desc *desc = component->desc;
    kiln_status status = KILN_OK;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < desc->entity_count && !status; i++)
        status = encode_words(&t, desc->entity_places[i], 0, encode_entity, &failed);
    for (uint32_t i = 0; i < desc->asset_count && !status; i++)
        status = encode_words(&t, desc->asset_places[i], 0, encode_asset, &failed);
    for (uint32_t i = 0; i < component->field_count && !status; i++)
        status = encode_words(&t, component->fields[i],
                              component->fields[component->field_count + i], encode_data, &failed);
    clear_padding(&t);
    return status ? fail_at(&t, status, kiln_chunk_index(piece->chunk, row + failed)) : KILN_OK;
}

void kiln_save_words_fini(saving *s)
{
    kiln_key_table_fini(&s->asset_words);
    for (uint32_t i = 0; i < s->list_count; i++) {
        kiln_key_table_fini(&s->lists[i].numbers);
        kiln_list_fini(&s->allocator, &s->lists[i].words, sizeof(uint64_t));
    }
    save_free(s, s->lists, s->list_count * sizeof *s->lists);
}

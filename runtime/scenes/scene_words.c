/* Resolves the words of rows, column by column.
 *
 * The number in each word is always checked against its limit, at every verification level. The
 * check costs little compared with the memory access, and a word of an unverified file must not
 * refer to anything outside its list. Consecutive words usually refer to entities of the same span,
 * so the last span is tried first. */
#include "scene_words.h"

#include "asset_marks.h"
#include "asset_slots.h"
#include "world_object.h"

#include <kiln/convert.h>
#include <stdio.h>
#include <string.h>

/* A field of a column: its address in the first row, and the distance between rows. */
typedef struct field {
    unsigned char *at;
    uint32_t step, count;
} field;

/* A null word stays unchanged: it is zero in the file and in memory. */
static bool resolve_entities(const scene_word_rows *rows, field f, uint32_t *ret_row)
{
    const scene_ids *ids = rows->ids;
    uint32_t import_count = rows->source->view.scene->imports.count;
    scene_span near = {0, 0, 0, 0, 0, 0};
    for (uint32_t row = 0; row < f.count; row++, f.at += f.step) {
        kiln_entity word;
        memcpy(&word, f.at, sizeof word);
        uint32_t number = word.index, source = word.version;
        if (source == KILN_SCENE_LOCAL && number < ids->count) {
            if (number - near.start >= near.count)
                near = *scene_span_of(ids, number);
            word = scene_span_entity(ids, &near, number);
        } else if (source >= KILN_SCENE_IMPORT && number == 0 &&
                   source - KILN_SCENE_IMPORT < import_count) {
            word = rows->imports[source - KILN_SCENE_IMPORT];
        } else if (source == KILN_SCENE_NULL && number == 0) {
            continue;
        } else {
            *ret_row = row;
            return false;
        }
        memcpy(f.at, &word, sizeof word);
    }
    return true;
}

static bool resolve_assets(const scene_word_rows *rows, field f, uint32_t *ret_row)
{
    const scene_asset *assets = rows->source->held;
    uint32_t count = rows->source->held_count;
    for (uint32_t row = 0; row < f.count; row++, f.at += f.step) {
        uint64_t word;
        memcpy(&word, f.at, sizeof word);
        if (word == 0)
            continue;
        if (word > count) {
            *ret_row = row;
            return false;
        }
        memcpy(f.at, &assets[word - 1].word, sizeof word);
    }
    return true;
}

/* `new_value` is the default for fields that the file's rows do not have. */
static bool resolve_data(const scene_list *list, field f, const void *new_value, uint32_t *ret_row)
{
    for (uint32_t row = 0; row < f.count; row++, f.at += f.step) {
        uint64_t word;
        memcpy(&word, f.at, sizeof word);
        if (word == 0)
            continue;
        if (word == KILN_DATA_DEFAULT && new_value) {
            word = (uint64_t)(uintptr_t)new_value;
            memcpy(f.at, &word, sizeof word);
            continue;
        }
        if (word > list->count) {
            *ret_row = row;
            return false;
        }
        word = (uint64_t)(uintptr_t)(list->first + (size_t)(word - 1) * list->size);
        memcpy(f.at, &word, sizeof word);
    }
    return true;
}

static kiln_status fail_at(const scene_word_rows *rows, const scene_column *column, uint32_t row,
                           kiln_status status, kiln_error *reterr)
{
    char path[KILN_PATH_SIZE];
    snprintf(path, sizeof path, "entity %lu.%s", (unsigned long)rows->entity + row,
             column->desc->name);
    return kiln_fail(reterr, status, 0, path);
}

kiln_status kiln_scene_resolve_words(const scene_word_rows *rows, const scene_column *column,
                                     kiln_error *reterr)
{
    /* For a field without a list in the scene's data: only null words are valid. */
    static const scene_list none = {NULL, 0, 0};
    const kiln_component_desc *desc = column->desc;
    uint32_t row = 0;
    for (uint32_t i = 0; i < desc->entity_count; i++) {
        field f = {rows->bytes + desc->entity_places[i], column->size, rows->count};
        if (!resolve_entities(rows, f, &row))
            return fail_at(rows, column, row, KILN_S_ENTITY, reterr);
    }
    for (uint32_t i = 0; i < desc->asset_count; i++) {
        field f = {rows->bytes + desc->asset_places[i], column->size, rows->count};
        if (!resolve_assets(rows, f, &row))
            return fail_at(rows, column, row, KILN_S_ASSET, reterr);
    }
    for (uint32_t i = 0; i < column->field_count; i++) {
        field f = {rows->bytes + column->field_places[i], column->size, rows->count};
        uint32_t number = column->field_lists[i];
        const scene_list *list = number == KILN_TYPE_NONE ? &none : &rows->source->lists[number];
        const void *new_value = column->field_defaults ? column->field_defaults[i] : NULL;
        if (!resolve_data(list, f, new_value, &row))
            return fail_at(rows, column, row, KILN_S_DATA, reterr);
    }
    return KILN_OK;
}

/* ---- slots ---- */

void kiln_scene_pin_words(const kiln_world *world, const kiln_scene_source *source)
{
    if (world->traced_for == source->assets)
        return;
    for (uint32_t i = 0; i < source->held_count; i++)
        if (source->held[i].word)
            kiln_asset_marks_pin(source->assets,
                                 kiln_asset_entry_of_handle(source->assets, source->held[i].held),
                                 PIN_WORLD);
}

/* Resolves the 64-bit words in the rows of a scene.
 *
 * A word is an index into a list of the scene: entities, imports, assets, or the elements of a list
 * in its data. Rows may be unverified, so every index is checked. For a word that is out of range,
 * nothing is printed and the rule that it breaks (S6 to S8) is returned. */
#include "insp_scene_word.h"

#include "insp_print.h"
#include "insp_scalar.h"
#include "lower_bound.h"

#include <string.h>

static uint64_t read_word(const unsigned char *word)
{
    uint64_t bits;
    memcpy(&bits, word, sizeof bits);
    return bits;
}

kiln_status insp_word_entity(const insp_words *words, const unsigned char *word,
                             insp_entity *ret_entity)
{
    const insp_scene *scene = words->scene;
    const kiln_scene_import *imports = insp_scene_list(&scene->scene->imports);
    insp_entity entity = {.is_null = false};
    uint32_t number, source;
    memcpy(&number, word, sizeof number);
    memcpy(&source, word + 4, sizeof source);
    if (source == KILN_SCENE_LOCAL) {
        if (number >= scene->view.entities)
            return KILN_S_ENTITY;
        entity.number = number;
        entity.name = insp_scene_name(scene, number);
    } else {
        if (number || (source && source - KILN_SCENE_IMPORT >= scene->scene->imports.count))
            return KILN_S_ENTITY;
        entity.is_null = source == KILN_SCENE_NULL;
        entity.is_import = !entity.is_null;
        if (entity.is_import) {
            entity.scene = insp_scene_text(&imports[source - KILN_SCENE_IMPORT].scene);
            entity.name = insp_scene_text(&imports[source - KILN_SCENE_IMPORT].entity);
        }
    }
    *ret_entity = entity;
    return KILN_OK;
}

kiln_status insp_print_entity(insp_printer *p, const unsigned char *word)
{
    insp_entity entity;
    kiln_status status = insp_word_entity(p->words, word, &entity);
    if (!status && insp_spend(p, (entity.name.length + entity.scene.length) / INSP_TEXT_UNIT))
        p->format->entity(p, &entity);
    return status;
}

kiln_status insp_word_asset(const insp_words *words, const unsigned char *word,
                            kiln_value *ret_reference, insp_word *ret_word)
{
    kiln_value assets;
    uint64_t bits = read_word(word);
    *ret_word = bits ? INSP_WORD_SHOWN : INSP_WORD_NULL;
    if (!bits)
        return KILN_OK;
    if (bits > words->scene->scene->assets.count ||
        kiln_value_field(&words->scene->value, "assets", 6, &assets) != KILN_OK ||
        kiln_value_at(&assets, (uint32_t)(bits - 1), ret_reference) != KILN_OK)
        return KILN_S_ASSET;
    return KILN_OK;
}

kiln_status insp_print_asset(insp_printer *p, const unsigned char *word, insp_word *ret_word)
{
    const insp_name *name;
    kiln_value asset;
    kiln_status status = insp_word_asset(p->words, word, &asset, ret_word);
    if (status || *ret_word != INSP_WORD_SHOWN)
        return status;
    name = insp_ref_name(p, &asset);
    if (insp_spend(p, name ? name->name.length / INSP_TEXT_UNIT : 0))
        p->format->scalar(p, &asset);
    return KILN_OK;
}

static bool field_is_below(const void *fields, size_t at, const void *place)
{
    return ((const kiln_scene_field *)fields)[at].place < *(const uint32_t *)place;
}

static const kiln_scene_field *field_at(const kiln_scene_component *component, uint32_t place)
{
    const kiln_scene_field *fields = insp_scene_list(&component->fields);
    size_t at = lower_bound(fields, 0, component->fields.count, field_is_below, &place);
    return at < component->fields.count && fields[at].place == place ? &fields[at] : NULL;
}

kiln_status insp_word_data(const insp_words *words, uint32_t place, const unsigned char *word,
                           kiln_value *ret_element, insp_word *ret_word)
{
    const kiln_scene_field *field = field_at(words->component, place);
    kiln_value list;
    uint64_t bits = read_word(word);
    insp_text name;
    *ret_word = bits ? INSP_WORD_SHOWN : INSP_WORD_NULL;
    if (!bits)
        return KILN_OK;
    if (!field)
        return KILN_S_TYPE;
    if (!words->scene->data.of && words->scene->parts[INSP_SCENE_DATA].id) {
        *ret_word = INSP_WORD_NUMBER;
        return KILN_OK;
    }
    name = insp_scene_text(&field->name);
    if (!words->scene->data.of ||
        kiln_value_field(&words->scene->data, name.data, name.length, &list) != KILN_OK ||
        list.of->kind != KILN_KIND_ARRAY || bits > UINT32_MAX ||
        kiln_value_at(&list, (uint32_t)(bits - 1), ret_element) != KILN_OK)
        return KILN_S_DATA;
    return KILN_OK;
}

kiln_status insp_print_data(insp_printer *p, uint32_t place, const unsigned char *word,
                            insp_word *ret_word)
{
    const insp_words *words = p->words;
    kiln_value element;
    kiln_status status = insp_word_data(words, place, word, &element, ret_word);
    if (status || *ret_word != INSP_WORD_SHOWN)
        return status;
    /* The data is an ordinary blob, so words in it are not words of a row. */
    p->words = NULL;
    p->depth++;
    insp_print(p, &element);
    p->depth--;
    p->words = words;
    return KILN_OK;
}

kiln_status insp_print_row_word(insp_printer *p, const kiln_value *value)
{
    insp_word word = INSP_WORD_SHOWN;
    kiln_status status;
    switch (value->of->kind) {
    case KILN_KIND_ENTITY:
        return insp_print_entity(p, value->data);
    case KILN_KIND_DATA:
        /* The root of the value is the row, so the offset of the word is relative to the
         * component. */
        status = insp_print_data(p, (uint32_t)kiln_value_offset(value), value->data, &word);
        break;
    default:
        status = insp_print_asset(p, value->data, &word);
    }
    if (word == INSP_WORD_NULL)
        p->format->null(p, value);
    if (word == INSP_WORD_NUMBER)
        p->format->scalar(p, value);
    return status;
}

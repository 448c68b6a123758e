/* Resolves the words of rows: numbers in a file become handles, references and addresses. */
#ifndef KILN_SCENE_WORDS_H
#define KILN_SCENE_WORDS_H

#include "scene_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* A column for `count` consecutive entities, from number `entity` on, whose words are to be
 * resolved. */
typedef struct scene_word_rows {
    const kiln_scene_source *source;
    const scene_ids *ids;
    const kiln_entity *imports;
    unsigned char *bytes;
    uint32_t count;
    uint32_t entity;
} scene_word_rows;

/* Replaces entity numbers with entities, asset numbers with references, and value numbers with
 * addresses. A number out of range is an error: KILN_S_ENTITY, KILN_S_ASSET, KILN_S_DATA.
 */
kiln_status kiln_scene_resolve_words(const scene_word_rows *rows, const scene_column *column,
                                     kiln_error *reterr);
/* Prevents reuse of the slots to which words of the scene refer, unless a collector reads the rows
 * of the world. */
void kiln_scene_pin_words(const kiln_world *world, const kiln_scene_source *source);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

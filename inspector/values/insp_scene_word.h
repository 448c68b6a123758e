/* Prints the targets of words in rows of a scene: entities, assets, and values in the scene's data.
 * Each word is checked before it is used. */
#ifndef INSP_SCENE_WORD_H
#define INSP_SCENE_WORD_H

#include "insp_printer.h"

/* The function for `print` of insp_words. */
insp_print_word insp_print_row_word;

typedef enum insp_word {
    INSP_WORD_SHOWN,
    INSP_WORD_NULL,  /* null or empty; there is nothing to print */
    INSP_WORD_NUMBER /* an index into a list that is not in the file; nothing was printed */
} insp_word;

/* Find the target of a word: an entity, a reference to an asset, a value in the scene's data. A
 * data word is found by `place`, its offset in the component. They return the rule that the word
 * breaks, or KILN_OK; a target is set only if `ret_word` is INSP_WORD_SHOWN. */
kiln_status insp_word_entity(const insp_words *words, const unsigned char *word,
                             insp_entity *ret_entity);
kiln_status insp_word_asset(const insp_words *words, const unsigned char *word,
                            kiln_value *ret_reference, insp_word *ret_word);
kiln_status insp_word_data(const insp_words *words, uint32_t place, const unsigned char *word,
                           kiln_value *ret_element, insp_word *ret_word);

/* Like insp_print_row_word, for words of components whose type is not in the file. */
kiln_status insp_print_entity(insp_printer *p, const unsigned char *word);
kiln_status insp_print_asset(insp_printer *p, const unsigned char *word, insp_word *ret_word);
kiln_status insp_print_data(insp_printer *p, uint32_t place, const unsigned char *word,
                            insp_word *ret_word);

#endif

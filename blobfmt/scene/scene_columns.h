/* Columns of stored chunks, and other functions that the scene reader, checker and writer share.
 * The functions are in scene_view.c and scene_component.c. */
#ifndef KILN_SCENE_COLUMNS_H
#define KILN_SCENE_COLUMNS_H

#include <kiln/scene.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The bytes that a column of `rows` rows takes, up to the next column. */
static inline uint32_t scene_column_bytes(uint32_t size, uint32_t rows)
{
    return (size * rows + (KILN_COLUMN_ALIGN - 1)) & ~(uint32_t)(KILN_COLUMN_ALIGN - 1);
}

/* Computes the offsets of columns of `rows` rows, one after the other, and returns their total size
 * in bytes. `ret_offsets` may be NULL. */
static inline uint32_t scene_place_columns(const uint32_t *sizes, uint32_t count, uint32_t rows,
                                           uint32_t *ret_offsets)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (ret_offsets)
            ret_offsets[i] = end;
        end += scene_column_bytes(sizes[i], rows);
    }
    return end;
}

/* Reads a word of a row. An entity word has its number in the low half, and its source in the high
 * half. */
static inline uint64_t scene_read_word(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint32_t scene_word_number(uint64_t word)
{
    return (uint32_t)word;
}

static inline uint32_t scene_word_source(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

/* Compares two strings in the order of FORMAT.md section 5. */
int kiln_scene_compare_texts(const char *a, size_t a_length, const char *b, size_t b_length);

/* scene_component.c: whether the component, which is valid without data words, may have data words
 * at these offsets. The offsets are `stride` bytes apart in memory. */
bool kiln_scene_data_places_are_valid(const kiln_component_desc *component, const void *places,
                                      size_t stride, uint32_t count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif

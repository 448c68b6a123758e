#include "bake_text.h"

#include <stdlib.h>

/* Orders like bake_compare_text. Computes the length of a name only if the name begins with `text`,
 * because most names in a search differ in their first bytes. */
static int compare(const char *name, const char *text, size_t length)
{
    int order = strncmp(name, text, length);
    /* strncmp stops at a NUL, which `text` may contain, so the lengths must be compared, too. */
    size_t own = order ? 0 : strlen(name);
    return order ? order : (own > length) - (own < length);
}

size_t bake_find_text(const void *list, bake_text_at *text_at, size_t first, size_t end,
                      const char *text, size_t length)
{
    while (first < end) {
        size_t middle = first + (end - first) / 2, own_length;
        const char *own = text_at(list, middle, &own_length);
        int order = bake_compare_text(own, own_length, text, length);
        if (order == 0)
            return middle;
        if (order < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return SIZE_MAX;
}

size_t bake_find_name(const void *rows, size_t count, size_t size, const char *text, size_t length)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const void *row = (const unsigned char *)rows + middle * size;
        int order = compare(*(const char *const *)row, text, length);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return count;
}

static int compare_items(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void bake_sort_texts(void *items, size_t count)
{
    const char *const *texts = items;
    size_t sorted = 1;
    while (sorted < count && strcmp(texts[sorted - 1], texts[sorted]) <= 0)
        sorted++;
    if (sorted < count)
        qsort(items, count, sizeof *texts, compare_items);
}

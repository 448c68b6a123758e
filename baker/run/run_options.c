#include "run_options.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *const bake_dictionary_words[] = {"type", "all", "none", NULL};
const char *const bake_dangling_words[] = {"error", "warn", NULL};
const char *const bake_resource_words[] = {"schema", "error", "warn", "accept", NULL};

void bake_list_words(char *text, size_t room, const char *const *words)
{
    size_t at = 0;
    for (size_t i = 0; words[i] && at < room; i++) {
        const char *between = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        at += (size_t)snprintf(text + at, room - at, "%s%s", between, words[i]);
    }
}

bool bake_parse_size(const char *text, size_t *ret_size)
{
    size_t size = 0, shift = 0;
    const char *at = text;
    bool fits = true;
    for (; *at >= '0' && *at <= '9'; at++) {
        size_t digit = (size_t)(*at - '0');
        fits = fits && size <= (SIZE_MAX - digit) / 10;
        size = fits ? size * 10 + digit : size;
    }
    bool has_digits = at > text;
    if (has_digits && *at && strchr("KMG", *at))
        shift = *at++ == 'K' ? 10 : at[-1] == 'M' ? 20 : 30;
    if (!has_digits || *at || !fits || size > SIZE_MAX >> shift)
        return false;
    *ret_size = size << shift;
    return true;
}

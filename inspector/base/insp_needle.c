/* Searches the rarest byte of the string with memchr, which the C library vectorizes, and compares
 * the whole string at each hit. In files, zeros, spaces and frequent letters are common, so a rough
 * order of frequencies is enough to avoid most hits. */
#include "insp_needle.h"

#include <stdint.h>
#include <string.h>

/* From frequent to rare; bytes that are not in the list are rarer. */
static const char frequent[] = " etaoinsrhldcumfpgwybvk_.-/0123456789xjqz";

static size_t rank_of(char c)
{
    const char *at = c ? strchr(frequent, c) : frequent;
    return at ? (size_t)(at - frequent) : sizeof frequent;
}

insp_needle insp_needle_make(const char *text, size_t length)
{
    insp_needle needle = {text, length, 0};
    size_t i;
    for (i = 1; i < length; i++)
        if (rank_of(text[i]) > rank_of(text[needle.rare]))
            needle.rare = i;
    return needle;
}

bool insp_needle_is_in(const insp_needle *needle, const void *data, size_t size)
{
    const char *at = data, *end;
    if (!needle->length)
        return true;
    if (size < needle->length)
        return false;
    /* The rare byte can be at any place that leaves room for the bytes before and after it. */
    end = at + size - (needle->length - 1 - needle->rare);
    at += needle->rare;
    while (at < end) {
        at = memchr(at, needle->text[needle->rare], (size_t)(end - at));
        if (!at)
            return false;
        if (memcmp(at - needle->rare, needle->text, needle->length) == 0)
            return true;
        at++;
    }
    return false;
}

/* Greedy matching with a single backtracking point.
 *
 * After a mismatch, only the last `*` is retried, one byte further on. Retrying an earlier `*`
 * finds nothing new, because the last one can skip the same bytes. The time is at most pattern
 * length times text length. The usual recursion over all stars takes exponential time, and both
 * pattern and text may be hostile. */
#include "insp_glob.h"

#include <string.h>

bool insp_glob(const char *pattern, const char *text, size_t length)
{
    const char *star = NULL;
    size_t i = 0, star_at = 0;
    while (i < length) {
        if (*pattern == '*') {
            star = ++pattern;
            star_at = i;
        } else if (*pattern && (*pattern == '?' || *pattern == text[i])) {
            pattern++;
            i++;
        } else if (star) {
            pattern = star;
            i = ++star_at;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool insp_glob_asset(const char *pattern, const char *name, size_t length)
{
    const char *slash = length && !strchr(pattern, '/') ? memchr(name, '/', length) : NULL;
    if (insp_glob(pattern, name, length))
        return true;
    return slash && insp_glob(pattern, slash + 1, length - (size_t)(slash + 1 - name));
}

bool insp_glob_is_pattern(const char *text)
{
    return strpbrk(text, "*?") != NULL;
}

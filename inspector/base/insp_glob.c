/* Greedy matching with one point of return.
 *
 * After a mismatch only the last `*` is retried, one byte further on. An earlier `*` need not be
 * retried: the last one can skip the same bytes, so a longer match of an earlier one finds nothing
 * new. The time is at most pattern times text, and linear with a single `*`. The usual recursion
 * over all stars is exponential, and both pattern and text can be hostile. */
#include "insp_glob.h"

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

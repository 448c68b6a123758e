#include "insp_glob.h"

/* After a mismatch only the last star is tried again, one byte further: linear for all but unusual
 * patterns, never exponential. */
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

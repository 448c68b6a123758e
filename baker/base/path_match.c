/* Glob matching without recursion. Only the last `*` and the last `**` need to be tried again: a
 * match that needed an earlier star to take more could as well let the later one take it, because
 * the text between them has matched at its earliest place. So the time is at most the product of
 * both lengths, whatever the pattern. */
#include "path_match.h"

#include <string.h>

/* On a mismatch the last `*` takes one more byte, which is not a slash; if it cannot, the last `**`
 * takes one more, and the `*` after it starts again. */
static bool matches(const char *pattern, const char *path)
{
    const char *begin = path;
    const char *star = NULL, *star_path = NULL, *deep = NULL, *deep_path = NULL;
    for (;;) {
        if (pattern[0] == '*' && pattern[1] == '*') {
            pattern += 2;
            /* `**` and a slash also match no folder at all. */
            deep = pattern;
            deep_path = path;
            star = NULL;
            if (*pattern == '/' && (path == begin || path[-1] == '/'))
                pattern++;
            continue;
        }
        if (*pattern == '*') {
            star = ++pattern;
            star_path = path;
            continue;
        }
        if (*path == '\0' && *pattern == '\0')
            return true;
        if (*path != '\0' && (*pattern == *path || (*pattern == '?' && *path != '/'))) {
            pattern++;
            path++;
            continue;
        }
        if (star && *star_path && *star_path != '/') {
            pattern = star;
            path = ++star_path;
        } else if (deep && *deep_path) {
            star = NULL;
            pattern = deep;
            path = ++deep_path;
            /* With `**` and a slash, what follows has to begin a part of the path. */
            while (*pattern == '/' && *path && path[-1] != '/' && *path != '/')
                path = ++deep_path;
            if (*pattern == '/' && path[-1] == '/')
                pattern++;
        } else {
            return false;
        }
    }
}

bool bake_path_matches(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (*pattern == '/' && *path != '/')
        return matches(pattern + 1, path);
    if (!strchr(pattern, '/') && slash)
        path = slash + 1;
    return matches(pattern, path);
}

const char *bake_path_ending(const char *pattern)
{
    const char *slash = strrchr(pattern, '/');
    const char *tail = slash ? slash + 1 : pattern;
    for (const char *at = tail; *at; at++)
        if (*at == '*' || *at == '?')
            tail = at + 1;
    return strchr(tail, '.') ? tail : "";
}

const char *bake_path_stem(const char *path, size_t *ret_length)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    *ret_length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    return name;
}

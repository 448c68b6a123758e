/* Glob matching without recursion. A mismatch backtracks only to the last `*` and the last `**`.
 * That is enough: the part between two stars has matched at its earliest position, so the later
 * star can match whatever an earlier one could. The time is thus at most proportional to the length
 * of the pattern times the square of the length of the path. */
#include "path_match.h"

#include <stdint.h>
#include <string.h>

/* On a mismatch, the last `*` consumes one more byte unless that byte is a slash. Otherwise the
 * last `**` consumes one more byte, and any `*` after it starts over. */
bool bake_path_matches_whole(const char *pattern, const char *path)
{
    const char *begin = path;
    const char *star = NULL, *star_path = NULL, *deep = NULL, *deep_path = NULL;
    for (;;) {
        if (pattern[0] == '*' && pattern[1] == '*') {
            pattern += 2;
            /* `**` followed by a slash also matches zero folders. */
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
            /* After `**` and a slash, the rest must match from the start of a path component. */
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
        return bake_path_matches_whole(pattern + 1, path);
    if (!strchr(pattern, '/') && slash)
        path = slash + 1;
    return bake_path_matches_whole(pattern, path);
}

/* Compares one component, without `**`. */
static bool part_matches(const char *pattern, size_t length, const char *text, size_t size)
{
    size_t at = 0, p = 0, star = SIZE_MAX, star_at = 0;
    while (at < size || p < length) {
        if (p < length && pattern[p] == '*') {
            star = ++p;
            star_at = at;
        } else if (p < length && at < size && (pattern[p] == '?' || pattern[p] == text[at])) {
            p++;
            at++;
        } else if (star != SIZE_MAX && star_at < size) {
            p = star;
            at = ++star_at;
        } else {
            return false;
        }
    }
    return true;
}

/* Components before the first `**` correspond to those of the path. */
bool bake_path_may_match_below(const char *pattern, const char *path)
{
    for (;;) {
        size_t length = strcspn(pattern, "/"), size = strcspn(path, "/");
        const char *deep = strstr(pattern, "**");
        if (deep && deep < pattern + length)
            return true;
        if (pattern[length] == '\0' || !part_matches(pattern, length, path, size))
            return false;
        pattern += length + 1;
        if (path[size] == '\0')
            return true;
        path += size + 1;
    }
}

const char *bake_path_suffix(const char *pattern)
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

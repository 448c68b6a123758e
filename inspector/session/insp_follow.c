/* A path consists of parts, with `->` between them. Each part is followed in one asset. */
#include "insp_follow.h"

#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_redirects.h"
#include "insp_stop.h"
#include "insp_walk.h"

#include <kiln/path.h>
#include <string.h>

/* The end of the part that begins at `at`: the next `->` outside quotes, or the end of the path. */
static const char *part_end(const char *at)
{
    bool quoted = false;
    for (; *at; at++) {
        if (quoted && at[0] == '\\' && at[1])
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && at[0] == '-' && at[1] == '>')
            break;
    }
    return at;
}

/* A NUL-terminated copy; NULL if memory runs out. */
static char *copy(const char *from, const char *end)
{
    char *made = insp_alloc((size_t)(end - from) + 1, 1);
    if (made)
        memcpy(made, from, (size_t)(end - from));
    return made;
}

/* Finds the asset in the last file that has one. A name that only redirects contain leads to the
 * current asset. */
static insp_mounted find_asset(insp_run *run, const insp_mounts *mounts, const char *path,
                               const char **ret_rest)
{
    insp_mounted found = {NULL, NULL};
    uint32_t i;
    for (i = mounts->count; i-- > 0 && !found.asset;)
        found = (insp_mounted){mounts->files[i], insp_split_path(mounts->files[i], path, ret_rest)};
    for (i = mounts->count; i-- > 0 && !found.asset;)
        if (insp_split_redirect(mounts->files[i], path, ret_rest))
            found = (insp_mounted){mounts->files[i],
                                   insp_find_path(run, mounts->files[i], path, ret_rest)};
    return found;
}

/* Finds the asset with which the path begins. Names may contain `->`, so the whole path is tried
 * first. */
static int find_first(insp_run *run, const insp_mounts *mounts, const char *path,
                      insp_mounted *ret_found, const char **ret_rest)
{
    const char *end = part_end(path), *rest;
    char *first;
    int result = INSP_OK;
    *ret_found = find_asset(run, mounts, path, ret_rest);
    if (ret_found->asset)
        return INSP_OK;
    first = copy(path, end);
    if (!first)
        return insp_no_memory(run);
    if (*end)
        *ret_found = find_asset(run, mounts, first, &rest);
    if (ret_found->asset)
        *ret_rest = path + (rest - first);
    else
        result = insp_no_such_asset(run, mounts->files[0], first, true);
    insp_free(first);
    return result;
}

static int explain(insp_run *run, const insp_mounts *mounts, const insp_found *found,
                   insp_stop stop)
{
    return insp_complain_stop(run, mounts, found->at.file, &stop);
}

/* Follows the part from `at` to `end` in the value of `found`. */
static int follow_part(insp_run *run, const insp_mounts *mounts, const char *path, const char *at,
                       const char *end, bool is_one_asset, insp_found *found)
{
    const char *begin = at + (*at == '.' && at < end);
    char *part = copy(begin, end);
    kiln_error error = {.status = KILN_OK};
    insp_stop stop = {.path = path, .length = strlen(path), .is_one_asset = is_one_asset};
    kiln_value to;
    size_t done;
    if (!part)
        return insp_no_memory(run);
    stop.status = kiln_path_follow(&found->value, part, &to, &error);
    done = strlen(error.path);
    /* A long path is shortened in the error, and then the last value is unknown. */
    if (stop.status && done < KILN_PATH_SIZE - 1 && strncmp(error.path, part, done) == 0) {
        part[done] = '\0';
        stop.length = (size_t)((done ? begin + done : at) - path);
        if (kiln_path_follow(&found->value, part, &stop.value, &error) != KILN_OK)
            stop.value.of = NULL;
    }
    insp_free(part);
    if (!stop.status) {
        found->value = to;
        return INSP_OK;
    }
    explain(run, mounts, found, stop);
    found->value.of = NULL;
    return INSP_BAD;
}

/* Opens the asset to which the value of `found` refers. `at` is the `->` of the path. */
static int follow_reference(insp_run *run, const insp_mounts *mounts, const char *path,
                            const char *at, insp_found *found)
{
    insp_stop stop = {.path = path, .length = (size_t)(at - path), .status = KILN_NOT_FOUND};
    insp_mounted next = {NULL, NULL};
    stop.value = found->value;
    if (insp_walk_unwrap(&stop.value) && stop.value.of->kind == KILN_KIND_REF)
        next = insp_mounts_target(mounts, kiln_value_uint(&stop.value));
    if (!next.asset) {
        explain(run, mounts, found, stop);
        found->value.of = NULL;
        return INSP_BAD;
    }
    found->at = next;
    return insp_open_asset(run, next.file, next.asset, &found->value);
}

int insp_follow(insp_run *run, const insp_mounts *mounts, const char *path, insp_found *ret_found)
{
    const char *at = path;
    int result = find_first(run, mounts, path, &ret_found->at, &at);
    ret_found->value.of = NULL;
    if (result)
        return result;
    result = insp_open_asset(run, ret_found->at.file, ret_found->at.asset, &ret_found->value);
    while (result < INSP_TROUBLE && ret_found->value.of) {
        const char *end = part_end(at);
        result = insp_worse(result, follow_part(run, mounts, path, at, end, false, ret_found));
        if (!*end || result == INSP_TROUBLE || !ret_found->value.of)
            break;
        result = insp_worse(result, follow_reference(run, mounts, path, end, ret_found));
        at = end + 2;
    }
    return result;
}

int insp_complain_path(insp_run *run, const insp_file *file, const char *path, const char *rest,
                       const kiln_value *root)
{
    insp_mounts mounts = {.files = {file}, .count = 1};
    insp_found found = {.at = {.file = file}, .value = *root};
    int result = follow_part(run, &mounts, path, rest, rest + strlen(rest), true, &found);
    if (result)
        return result;
    /* Another reader of paths may reject a path that this one accepts. */
    insp_complain(run, file->path, "no value at %.300s", path);
    return INSP_BAD;
}

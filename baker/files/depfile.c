/* Dependency files for make and ninja, in the format of gcc -MD. A missing file is not a
 * prerequisite, because make would have no rule to make it; the nearest existing folder of its path
 * is. */
#include "gateway_store.h"

#include <errno.h>
#include <string.h>

static bool write_text(bake_output *depfile, const char *text)
{
    return bake_output_write(depfile, text, strlen(text));
}

/* Escapes a name as gcc does. A space or tab, and each backslash directly before it, gets a
 * backslash; so does `#`. `$` is doubled. */
static bool write_escaped(bake_output *depfile, const char *name)
{
    size_t backslashes = 0;
    for (const char *c = name; *c; c++) {
        bool done = true;
        if (*c == '\n' || *c == '\r') {
            errno = EINVAL;
            return false;
        }
        if (*c == ' ' || *c == '\t')
            for (size_t i = 0; i <= backslashes && done; i++)
                done = write_text(depfile, "\\");
        else if (*c == '$' || *c == '#')
            done = write_text(depfile, *c == '$' ? "$" : "\\");
        if (!done || !bake_output_write(depfile, c, 1))
            return false;
        backslashes = *c == '\\' ? backslashes + 1 : 0;
    }
    return true;
}

/* Returns the next prerequisite at or after index `*i`, and advances `*i`: paths of the record,
 * then folders of missing paths. NULL if there are no more. */
static const char *next_prerequisite(const bake_gateway *gateway, size_t *i)
{
    for (; *i < gateway->used_count; (*i)++) {
        const used_path *used = &gateway->used[*i];
        bool is_needed = used->use == BAKE_USE_READ || used->use == BAKE_USE_LISTED;
        if (is_needed && !used->is_left_out && strcmp(used->path, "-") != 0)
            return gateway->used[(*i)++].path;
    }
    for (; *i - gateway->used_count < gateway->input_folder_count; (*i)++) {
        const input_folder *folder = &gateway->input_folders[*i - gateway->used_count];
        if (!folder->is_listed)
            return gateway->input_folders[(*i)++ - gateway->used_count].path;
    }
    return NULL;
}

static bool write_targets(bake_output *depfile, const char *const *targets, size_t count,
                          bool quote)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !write_text(depfile, " "))
            return false;
        if (!(quote ? write_escaped : write_text)(depfile, targets[i]))
            return false;
    }
    return write_text(depfile, ":");
}

bool bake_gateway_write_depfile(bake_gateway *gateway, bake_output *depfile,
                                const char *const *targets, size_t count, bool quote, bool phony)
{
    gateway->has_depfile = true;
    if (!bake_gateway_add_missing(gateway) || !write_targets(depfile, targets, count, quote))
        return false;
    const char *name;
    for (size_t i = 0; (name = next_prerequisite(gateway, &i)) != NULL;)
        if (!write_text(depfile, " \\\n  ") || !write_escaped(depfile, name))
            return false;
    if (!write_text(depfile, "\n"))
        return false;
    for (size_t i = 0; phony && (name = next_prerequisite(gateway, &i)) != NULL;)
        if (!write_text(depfile, "\n") || !write_escaped(depfile, name) ||
            !write_text(depfile, ":\n"))
            return false;
    return true;
}

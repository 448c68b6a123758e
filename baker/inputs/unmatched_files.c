/* Looks for the folder from which a rule would match an input: first among the folders of its path
 * below the base, then among the folders above the base. Only texts are compared; no file is looked
 * up. The name of the current folder is needed if the base is relative. */
#include "unmatched_files.h"

#include "bake_memory.h"
#include "path_match.h"
#include "similar.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEVELS_MAX = 8, NEAREST_MAX = 256 };

/* A base folder with which a rule matches. */
typedef struct other_base {
    char folder[PATH_MAX];
    char path[PATH_MAX]; /* of the input, relative to that folder */
    const bake_file_rule *rule;
} other_base;

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static bool fits(int length)
{
    return length >= 0 && length < PATH_MAX;
}

/* Tries the folders of the input's own path. */
static bool find_below(const bake_schema *schema, const char *base, const char *relative,
                       other_base *ret)
{
    for (const char *slash = strchr(relative, '/'); slash; slash = strchr(slash + 1, '/')) {
        ret->rule = bake_schema_rule(schema, slash + 1);
        bool is_plain = !base || strcmp(base, ".") == 0;
        if (ret->rule)
            return fits(snprintf(ret->folder, sizeof ret->folder, "%s%s%.*s", is_plain ? "" : base,
                                 is_plain ? "" : "/", (int)(slash - relative), relative)) &&
                   fits(snprintf(ret->path, sizeof ret->path, "%s", slash + 1));
    }
    return false;
}

/* Removes the last component of an absolute path without `.` and `..`. */
static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *(slash == path ? slash + 1 : slash) = '\0';
}

/* Writes the absolute path of the base, without `.` and `..`. */
static bool absolute_base(const char *base, char out[PATH_MAX])
{
    strcpy(out, "/");
    if (base[0] != '/' && (!getcwd(out, PATH_MAX) || out[0] != '/'))
        return false;
    for (const char *part = base; *part;) {
        size_t length = strcspn(part, "/"), used = strlen(out);
        if (length == 2 && memcmp(part, "..", 2) == 0)
            cut_last(out);
        else if (length > 0 && !(length == 1 && part[0] == '.') &&
                 !fits(snprintf(out + used, PATH_MAX - used, "%s%.*s", used > 1 ? "/" : "",
                                (int)length, part) +
                       (int)used))
            return false;
        part += length + (part[length] == '/');
    }
    return true;
}

/* Changes the base to the folder above it, as a user would write it. */
static bool go_up(char base[PATH_MAX])
{
    size_t length = strlen(base), from = folder_length(base) + (strchr(base, '/') != NULL);
    if (length == 0 || strcmp(base, ".") == 0) {
        strcpy(base, "..");
        return true;
    }
    if (strcmp(base + from, "..") == 0)
        return fits(snprintf(base + length, PATH_MAX - length, "/..") + (int)length);
    if (base[0] == '/')
        cut_last(base);
    else
        base[folder_length(base)] = '\0';
    if (!*base)
        strcpy(base, ".");
    return true;
}

/* Tries the folders above the base: each adds its name in front of the input's path. */
static bool find_above(const bake_schema *schema, const char *base, const char *relative,
                       other_base *ret)
{
    char names[PATH_MAX], longer[PATH_MAX];
    if (!fits(snprintf(ret->folder, PATH_MAX, "%s", base ? base : "")) ||
        !fits(snprintf(ret->path, PATH_MAX, "%s", relative)) ||
        !absolute_base(base ? base : "", names))
        return false;
    while (strlen(ret->folder) > 1 && ret->folder[strlen(ret->folder) - 1] == '/')
        ret->folder[strlen(ret->folder) - 1] = '\0';
    for (int i = 0; i < LEVELS_MAX && names[1]; i++) {
        const char *name = strrchr(names, '/') + 1;
        size_t length = strlen(name), size = strlen(ret->path) + 1;
        if (length + 1 + size > sizeof longer || !go_up(ret->folder))
            return false;
        memcpy(longer, name, length);
        longer[length] = '/';
        memcpy(longer + length + 1, ret->path, size);
        memcpy(ret->path, longer, length + 1 + size);
        ret->rule = bake_schema_rule(schema, ret->path);
        if (ret->rule)
            return true;
        cut_last(names);
    }
    return false;
}

/* The pattern that most probably was meant: of those whose last component matches, the one with the
 * most similar folder; otherwise a similar one, or the first. */
static const char *nearest_match(const bake_schema *schema, const char *relative)
{
    const char *names[NEAREST_MAX];
    size_t count = 0, matching = 0;
    const char *slash = strrchr(relative, '/');
    for (size_t i = 0; i < schema->rule_count && count < NEAREST_MAX; i++) {
        const char *match = schema->rules[i].match, *last = strrchr(match, '/');
        names[count++] = match;
        if (last && bake_path_matches(last + 1, slash ? slash + 1 : relative)) {
            names[count - 1] = names[matching];
            names[matching++] = match;
        }
    }
    size_t length = matching > 0 ? folder_length(relative) : strlen(relative), best = SIZE_MAX;
    const char *found = count ? names[0] : NULL;
    for (size_t i = 0; i < (matching ? matching : count); i++) {
        size_t other = matching > 0 ? folder_length(names[i]) : strlen(names[i]);
        if (length > BAKE_SIMILAR_LENGTH_MAX || other > BAKE_SIMILAR_LENGTH_MAX)
            continue;
        size_t distance = bake_edit_distance(relative, length, names[i], other, length + other);
        if (distance < best)
            found = names[i];
        best = distance < best ? distance : best;
    }
    return found;
}

static void hint(const bake_inputs_def *def, const bake_input *input, other_base *other)
{
    if (strcmp(input->path, "-") != 0 && input->has_relative &&
        (find_below(def->schema, def->base, input->relative, other) ||
         find_above(def->schema, def->base, input->relative, other))) {
        bake_hint(def->diagnostics,
                  "with -C %.300s, its path is \"%.300s\", and the rule \"%.300s\" matches",
                  other->folder, other->path, other->rule->match);
        return;
    }
    const char *nearest = nearest_match(def->schema, input->relative);
    if (nearest)
        bake_hint(def->diagnostics, "the nearest rule is for \"%.300s\"", nearest);
}

/* An unmatched input; sorted by folder, then in the order of inputs. */
typedef struct unmatched {
    const bake_input *input;
    size_t folder_length;
    uint32_t number;
} unmatched;

static bool is_same_folder(const unmatched *a, const unmatched *b)
{
    return a->folder_length == b->folder_length &&
           memcmp(a->input->relative, b->input->relative, a->folder_length) == 0;
}

static int compare(const void *left, const void *right)
{
    const unmatched *a = left, *b = right;
    size_t shorter = a->folder_length < b->folder_length ? a->folder_length : b->folder_length;
    int order = memcmp(a->input->relative, b->input->relative, shorter);
    if (order)
        return order;
    if (a->folder_length != b->folder_length)
        return a->folder_length < b->folder_length ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void report(const bake_inputs_def *def, const bake_input *input, size_t count)
{
    char more[64] = "";
    other_base other;
    if (count > 1)
        snprintf(more, sizeof more, " or %zu more file%s in its folder", count - 1,
                 count == 2 ? "" : "s");
    bake_mark mark = {input->source, 1, 1, BAKE_MARK_TO_LINE_END};
    bake_report(def->diagnostics, BAKE_ERROR, mark, "files", NULL,
                "no rule under `files` in the schema matches \"%s\"%s", input->relative, more);
    if (bake_hints_wanted(def->diagnostics))
        hint(def, input, &other);
}

bool bake_unmatched_report(const bake_inputs *inputs, const bake_inputs_def *def)
{
    size_t count = inputs->unmatched_count;
    unmatched *files = count ? bake_alloc_array(count, sizeof *files) : NULL;
    if (count && !files)
        return false;
    for (size_t i = 0; i < count; i++) {
        const bake_input *input = &inputs->inputs[inputs->unmatched[i]];
        files[i] = (unmatched){input, folder_length(input->relative), inputs->unmatched[i]};
    }
    if (count > 1)
        qsort(files, count, sizeof *files, compare);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_same_folder(&files[i], &files[end]);)
            end++;
        report(def, files[i].input, end - i);
    }
    bake_free(files);
    return true;
}

/* Finds patterns for the files of each group greedily. For each file that no pattern matches yet,
 * takes the pattern made from its path that matches the most remaining files of the group and no
 * file of a later group. Files of earlier groups can match, because their rules come first. */
#include "infer_groups.h"

#include "path_match.h"

#include <stdlib.h>
#include <string.h>

typedef struct matcher {
    infer_groups *groups;
    bake_store *store;
    const bake_inputs *inputs;
    uint32_t *group_of; /* by input: the group plus one; 0: no documents */
    uint32_t group;     /* the current group */
    bool *done;         /* by input: has a pattern */
    uint32_t *by_group; /* inputs with documents, those of the last group first */
    uint32_t input_count;
    uint32_t *names;   /* by input: offset of the file name in its path */
    infer_table known; /* tried patterns; for `count` see look_up */
} matcher;

static const char *path_of(const matcher *m, uint32_t input)
{
    return m->inputs->inputs[input].relative;
}

/* A pattern and how to match it. Most are a file name, a whole path, or a folder with everything
 * below it, which need no general pattern matching. */
typedef struct candidate {
    const char *pattern;
    size_t length; /* bytes before the first wildcard */
    bool has_slash;
    enum { CANDIDATE_NAME, CANDIDATE_PATH, CANDIDATE_FOLDER, CANDIDATE_ANY } kind;
} candidate;

static candidate candidate_of(const char *pattern)
{
    size_t length = strcspn(pattern, "*?");
    bool folder = length > 0 && pattern[length - 1] == '/' && strcmp(pattern + length, "**") == 0;
    candidate a = {pattern, length, pattern[0] != '/' && strchr(pattern, '/'), CANDIDATE_ANY};
    if (pattern[0] != '/' && pattern[length] == '\0')
        a.kind = strchr(pattern, '/') ? CANDIDATE_PATH : CANDIDATE_NAME;
    else if (pattern[0] != '/' && folder)
        a.kind = CANDIDATE_FOLDER;
    return a;
}

static bool fits(const matcher *m, const candidate *a, uint32_t input)
{
    const char *path = path_of(m, input);
    switch (a->kind) {
    case CANDIDATE_NAME:
        return strcmp(path + m->names[input], a->pattern) == 0;
    case CANDIDATE_PATH:
        return strcmp(path, a->pattern) == 0;
    case CANDIDATE_FOLDER:
        return strncmp(path, a->pattern, a->length) == 0;
    default:
        return (!a->has_slash || strncmp(path, a->pattern, a->length) == 0) &&
               bake_path_matches(a->pattern, path);
    }
}

/* Returns the entry of a pattern that matches a file of the current group. Its `count` is the
 * number of the last group with a matching file, plus one. NULL if memory runs out. */
static infer_entry *look_up(matcher *m, const candidate *a)
{
    infer_place nowhere = {0, 0};
    infer_entry *entry = bake_infer_table_find_or_add(&m->known, m->store, a->pattern,
                                                      (uint32_t)strlen(a->pattern), nowhere);
    if (!entry || entry->count)
        return entry;
    entry->count = m->group + 1;
    for (uint32_t i = 0; i < m->input_count; i++) {
        uint32_t input = m->by_group[i];
        if (m->group_of[input] <= m->group + 1)
            break;
        if (!fits(m, a, input))
            continue;
        entry->count = m->group_of[input];
        break;
    }
    return entry;
}

/* Returns the number of matching files that have no pattern yet. Returns 0 if a file of a later
 * group matches, or if the number is known not to exceed `least`. */
static uint32_t value_of(matcher *m, const char *pattern, uint32_t least)
{
    const infer_group *group = &m->groups->groups[m->group];
    const candidate a = candidate_of(pattern);
    infer_entry *known = look_up(m, &a);
    bool again = known && known->first.node == m->group + 1;
    uint32_t count = 0;
    /* The value of a pattern never increases while its group is matched. */
    if (!known || known->count != m->group + 1 || (again && known->first.input <= least))
        return 0;
    for (uint32_t i = 0; i < group->input_count; i++)
        count += !m->done[group->inputs[i]] && fits(m, &a, group->inputs[i]);
    known->first.node = m->group + 1;
    known->first.input = count;
    return count;
}

static char *text_of(bake_store *store, const char *a, size_t a_length, const char *b,
                     size_t b_length, const char *c)
{
    size_t c_length = strlen(c);
    char *text = bake_store_alloc(store, a_length + b_length + c_length + 1, 1);
    if (!text)
        return NULL;
    memcpy(text, a, a_length);
    memcpy(text + a_length, b, b_length);
    memcpy(text + a_length + b_length, c, c_length);
    return text;
}

/* Turns a path into a pattern. Patterns have no escapes, so `?` replaces each `*` of the path. */
static const char *escape(bake_store *store, const char *path)
{
    char *text = bake_store_text(store, path, strlen(path));
    for (char *c = text; c && *c; c++)
        if (*c == '*')
            *c = '?';
    return text;
}

static bool is_better(matcher *m, const char *pattern, uint32_t *best_value, const char **best)
{
    if (!pattern)
        return false;
    uint32_t count = value_of(m, pattern, *best_value);
    if (count > *best_value) {
        *best_value = count;
        *best = pattern;
    }
    return true;
}

/* Finds the best pattern that can be made from the name, path, folders and extensions of a file. */
static bool best_pattern(matcher *m, uint32_t input, const char **ret_best)
{
    const char *path = path_of(m, input), *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *extension = strrchr(name, '.'), *best = NULL;
    extension = extension ? extension : "";
    uint32_t best_value = 0;
    /* Specific patterns are tried first, so a more general pattern must match more files to replace
     * them. */
    const char *own_path = name == path ? text_of(m->store, "/", 1, path, strlen(path), "") : path;
    bool ok = own_path && is_better(m, escape(m->store, name), &best_value, &best) &&
              is_better(m, escape(m->store, own_path), &best_value, &best);
    for (const char *slash = strchr(path, '/'); slash && ok; slash = strchr(slash + 1, '/')) {
        size_t length = (size_t)(slash - path) + 1;
        ok = is_better(m, text_of(m->store, path, length, "**", 2, ""), &best_value, &best) &&
             is_better(m, text_of(m->store, path, length, "*", 1, extension), &best_value, &best);
        const char *from = slash;
        while (from > path && from[-1] != '/')
            from--;
        ok = ok && is_better(m, text_of(m->store, "**/", 3, from, (size_t)(slash - from), "/**"),
                             &best_value, &best);
    }
    for (const char *dot = strpbrk(name, "._-"); dot && ok; dot = strpbrk(dot + 1, "._-")) {
        ok = is_better(m, text_of(m->store, "*", 1, dot, strlen(dot), ""), &best_value, &best);
        if (ok && dot > name)
            ok = is_better(m, text_of(m->store, name, (size_t)(dot - name) + 1, "*", 1, extension),
                           &best_value, &best);
    }
    ok = ok && is_better(m, text_of(m->store, "*", 1, extension, strlen(extension), ""),
                         &best_value, &best);
    *ret_best = best ? best : escape(m->store, own_path ? own_path : path);
    return ok && *ret_best;
}

static bool add_pattern(const matcher *m, infer_group *group, const char *pattern)
{
    uint32_t count = group->pattern_count;
    if ((count & (count - 1)) == 0) {
        const char **patterns = bake_store_alloc(m->store, count ? count * 2 : 1, sizeof *patterns);
        if (!patterns)
            return false;
        if (count)
            memcpy(patterns, group->patterns, count * sizeof *patterns);
        group->patterns = patterns;
    }
    group->patterns[group->pattern_count++] = pattern;
    return true;
}

static bool match_group(matcher *m, infer_group *group)
{
    for (uint32_t i = 0; i < group->input_count; i++) {
        const char *pattern;
        if (m->done[group->inputs[i]])
            continue;
        if (!best_pattern(m, group->inputs[i], &pattern) || !add_pattern(m, group, pattern))
            return false;
        m->done[group->inputs[i]] = true;
        for (uint32_t k = i + 1; k < group->input_count; k++)
            if (bake_path_matches(pattern, path_of(m, group->inputs[k])))
                m->done[group->inputs[k]] = true;
    }
    return true;
}

/* Sorts the largest group last, because the patterns of the last group can be general. */
static int compare_groups(const void *a, const void *b)
{
    const infer_group *left = a, *right = b;
    if (left->input_count != right->input_count)
        return left->input_count < right->input_count ? -1 : 1;
    return left->inputs[0] < right->inputs[0] ? -1 : 1;
}

bool bake_infer_groups_match(infer_groups *groups, bake_store *store, const bake_inputs *inputs)
{
    matcher m = {.groups = groups, .store = store, .inputs = inputs};
    if (groups->count > 1)
        qsort(groups->groups, groups->count, sizeof *groups->groups, compare_groups);
    m.group_of = bake_store_alloc(store, inputs->count + 1, sizeof *m.group_of);
    m.done = bake_store_alloc(store, inputs->count + 1, sizeof *m.done);
    m.by_group = bake_store_alloc(store, inputs->count + 1, sizeof *m.by_group);
    m.names = bake_store_alloc(store, inputs->count + 1, sizeof *m.names);
    if (!m.group_of || !m.done || !m.by_group || !m.names)
        return false;
    for (uint32_t i = 0; i < inputs->count; i++) {
        const char *path = path_of(&m, i), *slash = strrchr(path, '/');
        m.names[i] = slash ? (uint32_t)(slash - path) + 1 : 0;
    }
    for (uint32_t g = groups->count; g > 0; g--) {
        const infer_group *group = &groups->groups[g - 1];
        for (uint32_t i = 0; i < group->input_count; i++) {
            m.group_of[group->inputs[i]] = g;
            m.by_group[m.input_count++] = group->inputs[i];
        }
    }
    for (m.group = 0; m.group < groups->count; m.group++)
        if (!match_group(&m, &groups->groups[m.group]))
            return false;
    return true;
}

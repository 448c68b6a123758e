/* Normalizes a path so that it can be compared bytewise with the paths of a source map.
 *
 * kiln_path_follow accepts several spellings of a path: a reference as `Kind/id` or as its id,
 * `true` or 1, a float with unnecessary digits, a newtype with or without its own step. A source
 * map contains only one of them. So each step is followed separately, and its spelling is rebuilt
 * from the value that it reaches. */
#include "insp_spell.h"

#include "insp_owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *insp_path_step_end(const char *at)
{
    bool quoted = false;
    const char *from = at;
    for (; *at && (quoted || at == from || (*at != '.' && *at != '[')); at++) {
        if (quoted && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            quoted = !quoted;
    }
    return at;
}

/* Enters optionals and newtypes, which add no step to a path. */
static void unwrap(kiln_value *value)
{
    kiln_value inner;
    while ((value->of->kind == KILN_KIND_OPTIONAL || (value->of->flags & KILN_TYPE_TRANSPARENT)) &&
           kiln_value_count(value) && kiln_value_at(value, 0, &inner) == KILN_OK)
        *value = inner;
}

/* Adds a step as in source maps: keys in canonical spelling, no step into a newtype. */
static void add_step(kiln_value *from, const kiln_value *to, const char *text, size_t length,
                     kiln_path *path)
{
    uint32_t i, count;
    kiln_value value, key;
    unwrap(from);
    count = kiln_value_count(from);
    for (i = 0; from->of->kind == KILN_KIND_MAP && i < count; i++)
        if (kiln_value_at(from, i, &value) == KILN_OK && value.data == to->data &&
            kiln_value_key(from, i, &key) == KILN_OK) {
            kiln_path_add_key(path, &key);
            return;
        }
    if (from->data == to->data && from->type == to->type)
        return;
    if (*text == '[')
        kiln_path_add_number(path, strtoull(text + 1, NULL, 10));
    else if (*text == '"' && kiln_value_member(from))
        kiln_path_add_name(path, kiln_value_member(from)->name,
                           strlen(kiln_value_member(from)->name));
    else if (*text != '"')
        kiln_path_add_name(path, text, length);
    for (i = 0; *text == '"' && from->of->kind == KILN_KIND_STRUCT && i < count; i++)
        if (kiln_value_at(from, i, &value) == KILN_OK && value.data == to->data &&
            value.type == to->type) {
            kiln_path_add_name(path, from->of->members[i].name, strlen(from->of->members[i].name));
            return;
        }
}

bool insp_path_normalise(const kiln_value *root, const char *rest, kiln_path *path)
{
    const char *at = *rest == '.' ? rest + 1 : rest, *next;
    kiln_value value = *root, to;
    kiln_error error = {.status = KILN_OK};
    char step[INSP_OWNER_PATH_SIZE];
    for (; *at; at = *next == '.' ? next + 1 : next) {
        next = insp_path_step_end(at);
        snprintf(step, sizeof step, "%.*s", (int)(next - at < 1000 ? next - at : 1000), at);
        if ((*next == '.' && !next[1]) || kiln_path_follow(&value, step, &to, &error))
            return false;
        add_step(&value, &to, at, strlen(step), path);
        value = to;
    }
    return true;
}

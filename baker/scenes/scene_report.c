/* Reports about scene documents, and functions that read strings and mappings in them. Every report
 * contains the path of the entity, since the faulty line may be far from the entity, for example in
 * a nested scene. */
#include "scene_report.h"

#include "bake_text.h"
#include "node_words.h"
#include "path_quote.h"
#include "scene_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 512, PATH_PART_MAX = 64, PARTS_SHOWN = 32 };

static size_t put_part(char out[PATH_SIZE], size_t length, const scene_path *path)
{
    size_t room = PATH_SIZE - length;
    bool is_first = length == 0;
    int cut = path->length < PATH_PART_MAX ? (int)path->length : PATH_PART_MAX, put;
    if (!path->name)
        put = snprintf(out + length, room, "[%u]", (unsigned)path->number);
    else if (is_first || path_is_name(path->name, path->length))
        put = snprintf(out + length, room, "%s%.*s", is_first ? "" : ".", cut, path->name);
    else
        put = snprintf(out + length, room, "[\"%.*s\"]", cut, path->name);
    return put < 0 || (size_t)put >= room ? PATH_SIZE - 1 : length + (size_t)put;
}

/* Writes `Scene/room.table.leg[2]`. Only the last parts of a deep path are shown, because they
 * matter most. */
static void path_text(const bake_scenes *s, const scene_path *path, char out[PATH_SIZE])
{
    const scene_path *parts[PARTS_SHOWN];
    size_t count = 0, length = 0;
    out[0] = '\0';
    for (; path && count < PARTS_SHOWN; path = path->up)
        parts[count++] = path;
    if (s->reading.unit) {
        scene_path unit = {NULL, s->reading.unit->name, s->reading.unit->length, 0};
        length = put_part(out, 0, &unit);
    }
    while (count > 0)
        length = put_part(out, length, parts[--count]);
}

bool bake_scene_report(bake_scenes *s, const bake_tree *tree, bake_node_id node, const char *rule,
                       const scene_path *path, const char *format, ...)
{
    char message[640], text[PATH_SIZE];
    bake_mark mark = bake_node_mark(tree, node);
    va_list arguments;
    /* A broken prefab can cause an error in every instance; errors beyond the limit need no
     * message. */
    if (bake_report_exceeds_limit(s->diagnostics, BAKE_ERROR, mark))
        return false;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    path_text(s, path, text);
    return bake_report(s->diagnostics, BAKE_ERROR, mark, rule, text[0] ? text : NULL, "%s",
                       message);
}

bool bake_scene_no_memory(bake_scenes *s)
{
    s->out_of_memory = true;
    return false;
}

bool bake_scene_work(bake_scenes *s, uint64_t amount, const bake_tree *tree, bake_node_id node)
{
    /* `work` never exceeds `work_max`, so the difference cannot wrap; a sum could. */
    if (amount <= s->work_max - s->work) {
        s->work += amount;
        return true;
    }
    if (!s->stopped)
        bake_scene_report(s, tree, node, "size", NULL,
                          "prefabs and nested scenes make more than %llu copies, the maximum for "
                          "an input of this size",
                          (unsigned long long)s->work_max);
    s->stopped = true;
    return false;
}

bool bake_scene_expect(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                       bake_node_kind kind, const scene_path *path, const char *what)
{
    if (bake_node_is_placeholder(tree, node))
        return false;
    if (bake_node_kind_of(tree, node) != kind)
        return bake_scene_report(s, tree, node, "type", path, "expected %s, found %s", what,
                                 bake_node_word(tree, node));
    if (bake_node_has_foreign_tag(tree, node))
        return bake_scene_report(s, tree, node, "tag", path, "unknown tag %.100s",
                                 bake_node_tag(tree, node));
    return true;
}

bool bake_scene_keys(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                     const scene_path *path, const char *const *names, size_t count,
                     bake_node_id *values)
{
    return bake_scene_keys_under(s, NULL, tree, node, path, names, count, values);
}

/* Adds a hint if the rule renames this default key, or if the key belongs in a group. */
static bool hint_other_word(bake_scenes *s, const char *text, size_t length)
{
    const bake_scene_words *words = bake_scene_words_of(s), *usual = &bake_scene_words_default;
    const char *const pairs[][2] = {
        {usual->entities, words->entities}, {usual->name, words->name},
        {usual->base, words->base},         {usual->components, words->components},
        {usual->remove, words->remove},     {usual->children, words->children},
        {usual->drop, words->drop}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (!bake_text_is(text, length, pairs[i][0]) || strcmp(pairs[i][0], pairs[i][1]) == 0)
            continue;
        bake_hint(s->diagnostics, "the `keys` of the file rule rename this key to \"%s\"",
                  pairs[i][1]);
        return true;
    }
    if (!words->group_entities || (!bake_text_is(text, length, words->name) &&
                                   !bake_text_is(text, length, words->components)))
        return false;
    bake_hint(s->diagnostics, "put the entities into groups: `- {%s: ..., %s: [...]}`",
              words->group_base, words->group_entities);
    return true;
}

bool bake_scene_keys_under(bake_scenes *s, const bake_file_rule *rule, const bake_tree *tree,
                           bake_node_id node, const scene_path *path, const char *const *names,
                           size_t count, bake_node_id *values)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        values[i] = BAKE_NODE_NONE;
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);) {
        size_t n = 0;
        uint32_t length;
        const char *text = bake_scalar_text(tree, it.key, &length);
        /* There are only a few names, so a linear search is fast enough. */
        while (n < count && (strlen(names[n]) != length || memcmp(names[n], text, length) != 0))
            n++;
        if (n < count) {
            values[n] = it.value;
            continue;
        }
        if (rule && bake_schema_head(rule, text, length))
            continue;
        ok = bake_scene_report(s, tree, it.key, "unknown-key", path, "unknown key \"%.*s\"",
                               (int)(length < 100 ? length : 100), text);
        if (!hint_other_word(s, text, length))
            bake_hint_similar(s->diagnostics, text, length, names, count);
    }
    return ok;
}

const char *bake_scene_text(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                            const scene_path *path, const char *what, size_t *ret_length)
{
    *ret_length = 0;
    if (bake_node_is_null(tree, node)) {
        bake_scene_report(s, tree, node, "type", path, "expected %s, found null", what);
        return NULL;
    }
    if (!bake_scene_expect(s, tree, node, BAKE_NODE_SCALAR, path, what))
        return NULL;
    const char *text = bake_node_text(tree, node, ret_length);
    if (*ret_length > 0)
        return text;
    bake_scene_report(s, tree, node, "type", path, "expected %s, found an empty string", what);
    return NULL;
}

bool bake_scene_claim_base(bake_scenes *s, const bake_tree *tree, bake_node_id node)
{
    if (s->reading.bad_base_tree == tree && s->reading.bad_base == node)
        return false;
    s->reading.bad_base_tree = tree;
    s->reading.bad_base = node;
    return true;
}

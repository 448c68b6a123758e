#include "project_values.h"

#include "node_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool bake_project_report(bake_project_reader *reader, bake_node_id node, const char *path,
                         const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return bake_report(reader->diagnostics, BAKE_ERROR, bake_node_mark(reader->tree, node),
                       "project", path, "%s", text);
}

/* Tags have no meaning in a project file, but ignoring them would hide a pattern such as `!a*`
 * without quotes. Aliases that were rejected are already reported. */
static bool is_usable(bake_project_reader *reader, bake_node_id node, const char *path)
{
    if (bake_node_is_placeholder(reader->tree, node))
        return false;
    const char *tag = bake_node_tag(reader->tree, node);
    if (!tag)
        return true;
    bake_project_report(reader, node, path, "tags are not allowed in a project file");
    if (tag[0] == '!')
        bake_hint(reader->diagnostics, "quote a pattern that begins with `!`: \"%.200s\"", tag);
    return false;
}

bool bake_project_is_mapping(bake_project_reader *reader, bake_node_id node, const char *path)
{
    if (!is_usable(reader, node, path))
        return false;
    return bake_node_kind_of(reader->tree, node) == BAKE_NODE_MAPPING ||
           bake_project_report(reader, node, path, "expected a mapping, found %s",
                               bake_node_word(reader->tree, node));
}

const char *bake_project_join(bake_project_reader *reader, const char *path, bake_node_id key)
{
    size_t length;
    const char *text = bake_node_text(reader->tree, key, &length);
    const char *name = bake_store_text(reader->store, text, length);
    const char *joined = name ? bake_store_join(reader->store, path, '.', name) : NULL;
    reader->no_memory = reader->no_memory || !joined;
    return joined ? joined : path;
}

const char *bake_project_text(bake_project_reader *reader, bake_node_id node, const char *path,
                              const char *what)
{
    size_t length;
    if (!is_usable(reader, node, path))
        return NULL;
    if (bake_node_kind_of(reader->tree, node) != BAKE_NODE_SCALAR ||
        bake_node_is_null(reader->tree, node)) {
        bake_project_report(reader, node, path, "expected %s, found %s", what,
                            bake_node_word(reader->tree, node));
        return NULL;
    }
    const char *text = bake_node_text(reader->tree, node, &length);
    if (length == 0 || memchr(text, 0, length)) {
        bake_project_report(reader, node, path, "expected %s, found %s", what,
                            length ? "a string that contains NUL" : "an empty string");
        return NULL;
    }
    const char *copy = bake_store_text(reader->store, text, length);
    reader->no_memory = reader->no_memory || !copy;
    return copy;
}

bool bake_project_bool(bake_project_reader *reader, bake_node_id node, const char *path,
                       bool *ret_value)
{
    const char *text = bake_project_text(reader, node, path, "true or false");
    if (!text)
        return false;
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return bake_project_report(reader, node, path, "expected true or false, found \"%s\"",
                                   text);
    *ret_value = *text == 't';
    return true;
}

/* Returns why the path has the wrong form, or NULL. Each file has one spelling only, apart from
 * links, so that equal paths can be found by comparing strings. */
static const char *path_error(const char *text, bake_path_form form)
{
    bool was_up = true;
    for (const char *at = text; form == BAKE_PATH_OUTPUT && *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return "the path of an output must not contain a control character";
    if (strcmp(text, ".") == 0 && form == BAKE_PATH_PLAIN)
        return NULL;
    if (!*text || strcmp(text, "/") == 0)
        return "a path must name a file";
    if (*text == '/')
        text++;
    for (;;) {
        size_t length = strcspn(text, "/");
        bool up = length == 2 && text[0] == '.' && text[1] == '.';
        if (length == 0)
            return "a path must not end with `/` or contain `//`";
        if (length == 1 && text[0] == '.')
            return "a path must not contain `.` as a component";
        if (up && !was_up)
            return "a path can contain `..` only at its start";
        was_up = up;
        if (!text[length])
            break;
        text += length + 1;
    }
    return was_up ? "a path must not end with `..`" : NULL;
}

bool bake_project_path_read(bake_project_reader *reader, bake_node_id node, const char *path,
                            bake_path_form form, bake_project_path *ret_path)
{
    bool is_pattern = form == BAKE_PATH_PATTERN || form == BAKE_PATH_SOURCE;
    const char *text =
        bake_project_text(reader, node, path, is_pattern ? "a path or pattern" : "a path");
    if (!text)
        return false;
    bool excludes = form == BAKE_PATH_SOURCE && *text == '!';
    const char *error = path_error(text + excludes, form);
    if (error) {
        bake_project_report(reader, node, path, "%s: \"%s\"", error, text);
        text += excludes;
        if (strncmp(text, "./", 2) == 0 && text[2] && !path_error(text + 2, form))
            bake_hint(reader->diagnostics, "write \"%s%.200s\"", excludes ? "!" : "", text + 2);
        return false;
    }
    ret_path->text = text;
    ret_path->mark = bake_node_mark(reader->tree, node);
    return true;
}

bool bake_project_paths_read(bake_project_reader *reader, bake_node_id node, const char *path,
                             bake_path_form form, bake_project_paths *ret_paths)
{
    bool is_list = bake_node_kind_of(reader->tree, node) == BAKE_NODE_SEQUENCE;
    size_t count = is_list ? bake_node_count(reader->tree, node) : 1;
    size_t errors = bake_diagnostics_errors(reader->diagnostics);
    bake_project_path *items = bake_store_alloc(reader->store, count + 1, sizeof *items);
    reader->no_memory = reader->no_memory || !items;
    if (!items || (is_list && !is_usable(reader, node, path)))
        return false;
    ret_paths->items = items;
    ret_paths->count = 0;
    if (!is_list)
        ret_paths->count += bake_project_path_read(reader, node, path, form, items);
    else
        for (bake_iterator it = bake_iterator_begin(reader->tree, node); bake_iterator_next(&it);)
            ret_paths->count +=
                bake_project_path_read(reader, it.value, path, form, &items[ret_paths->count]);
    return errors == bake_diagnostics_errors(reader->diagnostics);
}

void bake_project_unknown_key(bake_project_reader *reader, bake_node_id key, const char *path,
                              const char *const *names, size_t count)
{
    size_t length;
    const char *text = bake_node_text(reader->tree, key, &length);
    bake_report(reader->diagnostics, BAKE_ERROR, bake_node_mark(reader->tree, key), "unknown-key",
                path, "unknown key \"%.*s\"", (int)(length < 200 ? length : 200), text);
    bake_hint_similar(reader->diagnostics, text, length, names, count);
}

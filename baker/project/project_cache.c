#include "project_cache.h"

#include "bake_text.h"
#include "cache_settings.h"
#include "run_options.h"

#include <string.h>

static const char *const names[] = {"local", "shared", "url", "read_only", "size", "wait"};
enum { KEY_LOCAL, KEY_SHARED, KEY_URL, KEY_READ_ONLY, KEY_SIZE, KEY_WAIT, KEY_COUNT };

static void read_url(bake_project_reader *reader, bake_node_id node, bake_project_cache *ret)
{
    const char *text = bake_project_text(reader, node, "cache.url", "a URL");
    bake_mark mark = bake_node_mark(reader->tree, node), whole = {mark.source, 0, 0, 1};
    /* The URL contains a secret, so the report does not quote the line. */
    if (text && strchr(text, '@'))
        bake_report(reader->diagnostics, BAKE_ERROR, whole, "project", "cache.url",
                    "the URL in line %u must not contain a user or password; use the environment "
                    "variable KILN_CACHE_TOKEN",
                    (unsigned)mark.line);
    else
        ret->url = text;
}

static void read_size(bake_project_reader *reader, bake_node_id node, bake_project_cache *ret)
{
    const char *text = bake_project_text(reader, node, "cache.size", "a number of bytes");
    if (text && (!bake_parse_size(text, &ret->size) || ret->size == 0)) {
        ret->size = 0;
        bake_project_report(reader, node, "cache.size",
                            "expected a number of bytes, such as 500000, 64M or 4G, found \"%s\"",
                            text);
    }
}

static void read_wait(bake_project_reader *reader, bake_node_id node, bake_project_cache *ret)
{
    const char *text = bake_project_text(reader, node, "cache.wait", "a time");
    size_t wait = 0, length = text ? strlen(text) : 0;
    bool ok = length > 0 && length <= 6 && strspn(text, "0123456789") == length;
    for (size_t i = 0; ok && i < length; i++)
        wait = wait * 10 + (size_t)(text[i] - '0');
    if (ok && wait > 0 && wait <= BAKE_CACHE_WAIT_MAX)
        ret->wait = wait;
    else if (text)
        bake_project_report(reader, node, "cache.wait",
                            "expected milliseconds from 1 to %d, found \"%s\"", BAKE_CACHE_WAIT_MAX,
                            text);
}

static void read_key(bake_project_reader *reader, size_t key, bake_node_id node,
                     bake_project_cache *ret)
{
    switch (key) {
    case KEY_LOCAL:
        bake_project_path_read(reader, node, "cache.local", BAKE_PATH_PLAIN, &ret->local);
        break;
    case KEY_SHARED:
        bake_project_path_read(reader, node, "cache.shared", BAKE_PATH_PLAIN, &ret->shared);
        break;
    case KEY_URL:
        read_url(reader, node, ret);
        break;
    case KEY_READ_ONLY:
        bake_project_bool(reader, node, "cache.read_only", &ret->read_only);
        break;
    case KEY_SIZE:
        read_size(reader, node, ret);
        break;
    default:
        read_wait(reader, node, ret);
    }
}

void bake_project_cache_read(bake_project_reader *reader, bake_node_id node,
                             bake_project_cache *ret_cache)
{
    if (!bake_project_is_mapping(reader, node, "cache"))
        return;
    for (bake_iterator it = bake_iterator_begin(reader->tree, node); bake_iterator_next(&it);) {
        size_t length, key = 0;
        const char *text = bake_node_text(reader->tree, it.key, &length);
        while (key < KEY_COUNT && !bake_text_is(text, length, names[key]))
            key++;
        if (key == KEY_COUNT)
            bake_project_unknown_key(reader, it.key, "cache", names, KEY_COUNT);
        else
            read_key(reader, key, it.value, ret_cache);
    }
}

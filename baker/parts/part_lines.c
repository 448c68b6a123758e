#include "part_lines.h"

#include "bake_memory.h"
#include "hash.h"
#include "record_bytes.h"

#include <errno.h>
#include <kiln/version.h>
#include <string.h>

enum { FOOTER_SIZE = 24 };
static const unsigned char magic[8] = {'K', 'I', 'L', 'N', 'L', 'I', 'N', 'E'};

static void put_string(record_writer *w, const char *text)
{
    record_put_text(w, text, strlen(text));
}

bool bake_part_lines_write(const bake_part_lines *lines,
                           bool (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
    unsigned char footer[FOOTER_SIZE];
    record_writer w = {0};
    put_string(&w, kiln_version());
    record_put(&w, lines->path_count);
    for (size_t i = 0; i < lines->path_count; i++)
        put_string(&w, lines->paths[i]);
    record_put(&w, lines->count);
    for (size_t i = 0; i < lines->count; i++) {
        put_string(&w, lines->items[i].name);
        record_put(&w, lines->items[i].path);
        record_put(&w, lines->items[i].line);
        record_put(&w, lines->items[i].column);
    }
    record_store(footer, w.size);
    record_store(footer + 8, w.failed ? 0 : kiln_hash64(w.data, w.size, 0));
    memcpy(footer + 16, magic, sizeof magic);
    errno = ENOMEM;
    bool ok = !w.failed && write(ctx, w.data, w.size) && write(ctx, footer, sizeof footer);
    int error = errno;
    bake_free(w.data);
    errno = error;
    return ok;
}

size_t bake_part_lines_find(const void *data, size_t size, const unsigned char **ret_body,
                            size_t *ret_body_size)
{
    const unsigned char *bytes = data;
    *ret_body = NULL;
    *ret_body_size = 0;
    if (size < FOOTER_SIZE || memcmp(bytes + size - sizeof magic, magic, sizeof magic) != 0)
        return size;
    record_reader footer = {.next = bytes + size - FOOTER_SIZE, .left = FOOTER_SIZE};
    uint64_t body = record_get(&footer), hash = record_get(&footer);
    if (body > size - FOOTER_SIZE)
        return size;
    const unsigned char *at = bytes + size - FOOTER_SIZE - (size_t)body;
    if (kiln_hash64(at, (size_t)body, 0) != hash)
        return size;
    *ret_body = at;
    *ret_body_size = (size_t)body;
    return (size_t)(at - bytes);
}

bool bake_part_lines_read(const unsigned char *body, size_t size, bake_store *store,
                          bake_part_lines *ret_lines)
{
    record_reader r = {.next = body, .left = size, .store = store};
    r.failed = strcmp(record_get_string(&r), kiln_version()) != 0 || r.failed;
    size_t path_count = record_get_count(&r);
    const char **paths = record_get_rows(&r, path_count + 1, sizeof *paths);
    for (size_t i = 0; i < path_count && paths && !r.failed; i++)
        paths[i] = record_get_string(&r);
    size_t count = record_get_count(&r);
    bake_part_line *items = record_get_rows(&r, count + 1, sizeof *items);
    for (size_t i = 0; i < count && items && !r.failed; i++) {
        items[i].name = record_get_string(&r);
        items[i].path = (uint32_t)record_get_below(&r, path_count);
        items[i].line = (uint32_t)record_get_below(&r, UINT32_MAX);
        items[i].column = (uint32_t)record_get_below(&r, UINT32_MAX);
    }
    r.failed = r.failed || r.left != 0;
    errno = store->failed ? ENOMEM : EINVAL;
    if (r.failed || store->failed)
        return false;
    *ret_lines = (bake_part_lines){paths, path_count, items, count};
    return true;
}

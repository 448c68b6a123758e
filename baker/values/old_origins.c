#include "old_origins.h"

#include "bake_memory.h"
#include "bake_store.h"
#include "bake_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct old_asset {
    const char *name;
    size_t name_length;
    const char *begin, *end; /* of its records, including the `A` record */
} old_asset;

typedef struct old_file {
    const char *name;
    uint32_t number;
} old_file;

struct bake_old_origins {
    bake_store store;
    const char **files;
    size_t file_capacity;
    old_file *by_name;
    uint32_t file_count, asset_count;
    old_asset *assets;
    size_t asset_capacity;
};

static const char first_line[] = "kiln-source-map\t3\n";

/* Reads a decimal number without leading zeros. Returns the end; NULL if there is none below
 * 2^32. */
static const char *read_number(const char *at, const char *end, uint32_t *ret_number)
{
    uint64_t number = 0;
    const char *begin = at;
    for (; at < end && *at >= '0' && *at <= '9' && number <= UINT32_MAX; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    if (at == begin || number > UINT32_MAX || (*begin == '0' && at > begin + 1))
        return NULL;
    *ret_number = (uint32_t)number;
    return at;
}

/* The first byte after the tab that ends a field; NULL if there is none. */
static const char *after_tab(const char *at, const char *end)
{
    const char *tab = memchr(at, '\t', (size_t)(end - at));
    return tab ? tab + 1 : NULL;
}

/* ---- opening ---- */

/* The record of a file: its number, which is the next one, and its name. */
static bool add_file(bake_old_origins *old, const char *line, const char *end)
{
    uint32_t number;
    const char *at = after_tab(line, end);
    at = at ? read_number(at, end, &number) : NULL;
    if (!at || at == end || *at != '\t' || number != old->file_count)
        return false;
    size_t length = (size_t)(end - at) - 1;
    if (memchr(at + 1, '\0', length))
        return false;
    const char **files =
        bake_grow(old->files, &old->file_capacity, (size_t)number + 1, sizeof *files);
    if (!files)
        return false;
    old->files = files;
    files[number] = bake_store_text(&old->store, at + 1, length);
    old->file_count++;
    return files[number] && old->file_count < UINT32_MAX;
}

static bool add_asset(bake_old_origins *old, const char *line, const char *end)
{
    const char *name = line + 2;
    if (end - line < 2 || line[1] != '\t' || old->asset_count == UINT32_MAX - 1)
        return false;
    size_t length = (size_t)(end - name);
    if (old->asset_count) {
        const old_asset *last = &old->assets[old->asset_count - 1];
        if (bake_compare_text(last->name, last->name_length, name, length) >= 0)
            return false;
    }
    old_asset *assets =
        bake_grow(old->assets, &old->asset_capacity, (size_t)old->asset_count + 1, sizeof *assets);
    if (!assets)
        return false;
    old->assets = assets;
    assets[old->asset_count++] = (old_asset){name, length, line, end + 1};
    return true;
}

/* Whether a line begins the records of a part of the last asset, a scene, which follow its own. */
static bool is_part(const bake_old_origins *old, const char *line, const char *end)
{
    static const char *const kinds[] = {"A\tSceneData", "A\tSceneChunks"};
    const old_asset *last = old->asset_count ? &old->assets[old->asset_count - 1] : NULL;
    const char *id = last ? memchr(last->name, '/', last->name_length) : NULL;
    size_t length = id ? last->name_length - (size_t)(id - last->name) : 0;
    for (size_t i = 0; id && i < sizeof kinds / sizeof *kinds; i++) {
        size_t kind = strlen(kinds[i]);
        if ((size_t)(end - line) == kind + length && memcmp(line, kinds[i], kind) == 0 &&
            memcmp(line + kind, id, length) == 0)
            return true;
    }
    return false;
}

/* Adds a line to the files, the assets or the records of the last asset. */
static bool add_line(bake_old_origins *old, const char *line, const char *end, bool *is_inside)
{
    bool is_asset = line < end && *line == 'A' && !(*is_inside && is_part(old, line, end));
    bool is_file = line < end && *line == 'F', is_hash = line < end && *line == 'H';
    if (is_asset && !add_asset(old, line, end))
        return false;
    if (is_file && !add_file(old, line, end))
        return false;
    if (is_asset || is_file || is_hash) {
        *is_inside = is_asset;
        return true;
    }
    if (!*is_inside)
        return false;
    old->assets[old->asset_count - 1].end = end + 1;
    return true;
}

static bool read_lines(bake_old_origins *old, const char *text, size_t size)
{
    const char *at = text + sizeof first_line - 1, *end = text + size;
    bool is_inside = false;
    if (size < sizeof first_line - 1 || memcmp(text, first_line, sizeof first_line - 1) != 0)
        return false;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end || !add_line(old, at, line_end, &is_inside))
            return false;
        at = line_end + 1;
    }
    return true;
}

static int compare_files(const void *a, const void *b)
{
    const old_file *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static bool sort_files(bake_old_origins *old)
{
    old->by_name = bake_alloc_array((size_t)old->file_count + 1, sizeof *old->by_name);
    if (!old->by_name)
        return false;
    for (uint32_t i = 0; i < old->file_count; i++)
        old->by_name[i] = (old_file){old->files[i], i};
    if (old->file_count > 1)
        qsort(old->by_name, old->file_count, sizeof *old->by_name, compare_files);
    for (uint32_t i = 1; i < old->file_count; i++)
        if (compare_files(&old->by_name[i - 1], &old->by_name[i]) == 0)
            return false;
    return true;
}

bake_old_origins *bake_old_origins_open(const char *text, size_t size)
{
    bake_old_origins *old = bake_alloc_array(1, sizeof *old);
    if (!old || (read_lines(old, text, size) && sort_files(old)))
        return old;
    bake_old_origins_close(old);
    return NULL;
}

void bake_old_origins_close(bake_old_origins *old)
{
    if (!old)
        return;
    bake_store_fini(&old->store);
    bake_free(old->files);
    bake_free(old->by_name);
    bake_free(old->assets);
    bake_free(old);
}

/* ---- files and assets ---- */

uint32_t bake_old_origins_file_count(const bake_old_origins *old)
{
    return old->file_count;
}

const char *bake_old_origins_file(const bake_old_origins *old, uint32_t file)
{
    return old->files[file];
}

uint32_t bake_old_origins_find_file(const bake_old_origins *old, const char *name)
{
    const old_file wanted = {name, 0};
    const old_file *found = old->file_count ? bsearch(&wanted, old->by_name, old->file_count,
                                                      sizeof wanted, compare_files)
                                            : NULL;
    return found ? found->number : BAKE_OLD_ORIGINS_NONE;
}

static const char *name_at(const void *list, size_t number, size_t *ret_length)
{
    const bake_old_origins *old = list;
    *ret_length = old->assets[number].name_length;
    return old->assets[number].name;
}

uint32_t bake_old_origins_find(const bake_old_origins *old, const char *name, size_t length)
{
    size_t found = bake_find_text(old, name_at, 0, old->asset_count, name, length);
    return found == SIZE_MAX ? BAKE_OLD_ORIGINS_NONE : (uint32_t)found;
}

/* ---- records ---- */

bake_old_cursor bake_old_origins_begin(const bake_old_origins *old, uint32_t asset)
{
    return (bake_old_cursor){old->assets[asset].begin, old->assets[asset].end};
}

/* Finds the place of a record, which is the first field after the letter, or after the path of a
 * value. */
static bool split(const bake_old_origins *old, bake_old_record *record, const char *end)
{
    const char *at = after_tab(record->text, end);
    if (at && *record->text == 'V')
        at = after_tab(at, end);
    if (!at)
        return false;
    record->text_size = (size_t)(at - record->text);
    record->has_place = true;
    at = read_number(at, end, &record->file);
    if (!at || at == end || *at != ':' || record->file >= old->file_count)
        return false;
    at = read_number(at + 1, end, &record->line);
    if (!at || at == end || *at != ':')
        return false;
    record->rest = at;
    record->rest_size = (size_t)(end - at);
    return true;
}

bool bake_old_origins_next(const bake_old_origins *old, bake_old_cursor *cursor,
                           bake_old_record *ret_record)
{
    if (cursor->at == cursor->end)
        return false;
    /* Each line of an asset ends with a line break. */
    const char *line = cursor->at;
    const char *end = (const char *)memchr(line, '\n', (size_t)(cursor->end - line)) + 1;
    *ret_record = (bake_old_record){.text = line, .text_size = (size_t)(end - line)};
    bool has_place = *line == 'V' || *line == 'K' || *line == 'L';
    if (has_place ? !split(old, ret_record, end) : *line != 'A' && *line != 'D')
        return false;
    cursor->at = end;
    return true;
}

bool bake_old_origins_can_copy(const bake_old_origins *old, uint32_t asset,
                               bake_old_origins_move *move, void *ctx)
{
    bake_old_record record;
    bake_old_cursor cursor = bake_old_origins_begin(old, asset);
    while (bake_old_origins_next(old, &cursor, &record))
        if (record.has_place && !move(ctx, record.file, &record.line))
            return false;
    return cursor.at == cursor.end;
}

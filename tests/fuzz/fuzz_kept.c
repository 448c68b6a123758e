/* Files that the baker keeps or passes on: an earlier source map, the result of an importer, a file
 * of budgets, or the notes of a part. The lowest two bits of the first byte select one of these
 * kinds; the rest is the file. If the next two bits are not zero, its sizes and hashes are
 * corrected first, so that the reader sees a forged file and not only a damaged one. What is
 * accepted is used, and must have the same bytes when it is written again. */
#include "fuzz_target.h"
#include "memory_gateway.h"

#include "budget_file.h"
#include "file_part.h"
#include "folder_tree.h"
#include "hash.h"
#include "kept_results.h"
#include "link_messages.h"
#include "old_origins.h"
#include "part_notes.h"
#include "value_origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a file. */
typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static volatile unsigned used;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void use(const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        used += ((const unsigned char *)data)[i];
}

static bool append(void *ctx, const void *data, size_t size)
{
    bytes *file = ctx;
    unsigned char *grown = realloc(file->data, file->size + size + 1);
    require(grown != NULL, "no memory");
    if (size)
        memcpy(grown + file->size, data, size);
    file->data = grown;
    file->size += size;
    return true;
}

static void store(bytes file, size_t at, uint64_t number)
{
    for (size_t i = 0; i < sizeof number && at + i < file.size; i++)
        file.data[at + i] = (unsigned char)(number >> 8 * i);
}

static void require_same(bytes a, bytes b)
{
    require(a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0),
            "what was read is written differently");
}

/* ---- source maps ---- */

typedef struct mover {
    const bake_old_origins *old;
    uint32_t by;
} mover;

/* Names in quotes are not those of files, and a new map writes other names in quotes than an old
 * one may. With `by`, every fifth line is gone, and the others move. */
static bool move(void *ctx, uint32_t file, uint32_t *line)
{
    const mover *m = ctx;
    const char *name = bake_old_origins_file(m->old, file);
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return false;
    *line = *line < UINT32_MAX - m->by ? *line + m->by : *line;
    return *name != '"' && (m->by == 0 || (file + *line) % 5 != 0);
}

/* Copies the records of all assets that can be copied. The names are those in the lines of the
 * file. */
static bytes copy_map(const bake_old_origins *old, bytes file, uint32_t by)
{
    bytes copy = {NULL, 0};
    mover m = {old, by};
    uint32_t first = 0;
    bake_diagnostics *sources = bake_diagnostics_create();
    bake_origins *origins = sources ? bake_origins_create(sources, append, &copy) : NULL;
    require(origins && bake_origins_reuse(origins, old), "no memory");
    const char *at = (const char *)file.data, *end = at + file.size;
    for (const char *next; at < end; at = next) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        next = line_end ? line_end + 1 : end;
        if (!line_end || line_end - at < 2 || at[0] != 'A' || at[1] != '\t')
            continue;
        uint32_t asset = bake_old_origins_find(old, at + 2, (size_t)(line_end - at) - 2);
        /* The parts of a scene can belong to the records of the scene. */
        bool is_part =
            strncmp(at + 2, "SceneData/", 10) == 0 || strncmp(at + 2, "SceneChunks/", 12) == 0;
        require(asset != BAKE_OLD_ORIGINS_NONE || is_part, "an asset is not found by its name");
        /* A name can occur several times among the parts. */
        bool is_next = asset != BAKE_OLD_ORIGINS_NONE && asset >= first;
        first = is_next ? asset + 1 : first;
        if (is_next && bake_old_origins_can_copy(old, asset, move, &m))
            require(bake_origins_copy(origins, asset, move, &m) == BAKE_ORIGINS_OK, "no memory");
    }
    require(bake_origins_bind(origins, 7) == BAKE_ORIGINS_OK, "no memory");
    bake_origins_destroy(origins);
    bake_diagnostics_destroy(sources);
    return copy;
}

static void read_map(bytes file)
{
    bake_old_origins *old = bake_old_origins_open((const char *)file.data, file.size);
    if (!old)
        return;
    for (uint32_t i = 0; i < bake_old_origins_file_count(old); i++)
        require(bake_old_origins_find_file(old, bake_old_origins_file(old, i)) == i,
                "a file is not found by its name");
    bytes moved = copy_map(old, file, 3), once = copy_map(old, file, 0);
    bake_old_origins_close(old);
    old = bake_old_origins_open((const char *)once.data, once.size);
    require(old != NULL, "a copied map cannot be read");
    bytes twice = copy_map(old, once, 0);
    require_same(once, twice);
    bake_old_origins_close(old);
    free(moved.data);
    free(once.data);
    free(twice.data);
}

/* ---- results of importers ---- */

/* Where the header has the key, and the hash and size of the output (kept_results.h). */
enum { RESULT_KEY = 16, RESULT_HASH = 48, RESULT_SIZE = 64, RESULT_HEADER = 72 };

/* The only file of the disk. */
static bytes disk;

__typeof__(bake_file_open) __wrap_bake_file_open;
__typeof__(bake_file_close) __wrap_bake_file_close;
__typeof__(bake_file_read_part) __wrap_bake_file_read_part;
__typeof__(bake_make_folders) __wrap_bake_make_folders;
__typeof__(bake_free_bytes) __wrap_bake_free_bytes;
__typeof__(bake_remove_file) __wrap_bake_remove_file;

int __wrap_bake_file_open(const char *path, uint64_t *ret_size)
{
    (void)path;
    *ret_size = disk.size;
    return 3;
}

void __wrap_bake_file_close(int file)
{
    (void)file;
}

bool __wrap_bake_file_read_part(int file, uint64_t at, void *to, size_t size)
{
    (void)file;
    if (at > disk.size || size > disk.size - at)
        return false;
    if (size)
        memcpy(to, disk.data + at, size);
    return true;
}

bool __wrap_bake_make_folders(const char *path)
{
    (void)path;
    return true;
}

uint64_t __wrap_bake_free_bytes(const char *folder)
{
    (void)folder;
    return UINT64_MAX;
}

bake_removal __wrap_bake_remove_file(const char *path)
{
    (void)path;
    return BAKE_REMOVAL_ABSENT;
}

static void fit_result(bytes file)
{
    if (file.size < RESULT_HEADER)
        return;
    kiln_hash128 hash = kiln_content_hash(file.data + RESULT_HEADER, file.size - RESULT_HEADER);
    store(file, RESULT_HASH, hash.low);
    store(file, RESULT_HASH + 8, hash.high);
    store(file, RESULT_SIZE, file.size - RESULT_HEADER);
}

static void read_result(bytes file)
{
    bake_run_key key;
    bake_program_end end = {.kind = BAKE_PROGRAM_REFUSED};
    bake_kept_results *results = bake_kept_results_create("k", true);
    const bake_run_results *functions = bake_kept_results_get(results);
    require(results != NULL, "no memory");
    memset(&key, 0, sizeof key);
    if (file.size >= RESULT_HASH)
        memcpy(&key, file.data + RESULT_KEY, sizeof key);
    disk = file;
    memory_gateway_reset();
    if (functions->find(functions->ctx, &key, SIZE_MAX, &end)) {
        char path[64];
        bytes again = {NULL, 0};
        require(file.size >= RESULT_HEADER && end.kind == BAKE_PROGRAM_EXITED && end.code == 0 &&
                    end.size == file.size - RESULT_HEADER && end.output[end.size] == '\0',
                "a result is incomplete");
        functions->keep(functions->ctx, &key, &end);
        snprintf(path, sizeof path, "k/%016llx%016llx", (unsigned long long)key.command.high,
                 (unsigned long long)key.command.low);
        const unsigned char *data = memory_gateway_output(path, &again.size);
        require(data != NULL, "a result is not kept");
        require_same((bytes){(unsigned char *)(uintptr_t)data, again.size}, file);
        bake_program_end_fini(&end);
    }
    bake_kept_results_destroy(results);
}

/* ---- budgets ---- */

enum { BUDGETS_HASH = 8, BUDGETS_HEADER = 16 };

static void fit_budgets(bytes file)
{
    if (file.size > BUDGETS_HEADER)
        store(file, BUDGETS_HASH,
              kiln_hash64(file.data + BUDGETS_HEADER, file.size - BUDGETS_HEADER, 0));
}

static void read_budgets(bytes file)
{
    bake_store kept = {0};
    bytes written = {NULL, 0};
    const bake_budgets *budgets = bake_budgets_read(file.data, file.size, &kept);
    if (budgets) {
        use(budgets->text, budgets->size);
        for (size_t i = 0; i < budgets->count; i++)
            use(budgets->items[i].pattern, strlen(budgets->items[i].pattern));
        require(bake_budgets_write(budgets, append, &written), "no memory");
        require_same(written, file);
    }
    free(written.data);
    bake_store_fini(&kept);
}

/* ---- notes ---- */

enum { NOTES_FOOTER = 24 };

/* The whole file becomes the body of its notes. */
static void fit_notes(bytes *file)
{
    unsigned char footer[NOTES_FOOTER];
    bytes end = {footer, sizeof footer};
    memcpy(footer + 16, "KILNNOTE", 8);
    store(end, 0, file->size);
    store(end, 8, kiln_hash64(file->data, file->size, 0));
    append(file, footer, sizeof footer);
}

/* Reports the warnings, as if this were the only part of a bundle. */
static void report(const bake_part_notes *notes)
{
    static const bake_options options = {.max_errors = 100};
    bake_part_names names = {.names = NULL};
    bake_run run = {.options = &options, .diagnostics = bake_diagnostics_create()};
    bytes printed = {NULL, 0};
    const bake_run_end end = {0, NULL};
    require(run.diagnostics && bake_link_report(&run, &names, notes, 1) &&
                bake_diagnostics_write_json(run.diagnostics, &end, append, &printed),
            "no memory");
    free(printed.data);
    bake_diagnostics_destroy(run.diagnostics);
    bake_store_fini(&run.store);
}

static void read_notes(bytes file)
{
    const unsigned char *body;
    bake_store kept = {0};
    bytes written = {NULL, 0}, tail;
    bake_part_notes notes;
    size_t size, begin = bake_part_notes_find(file.data, file.size, &body, &size);
    if (body && bake_part_notes_read(body, size, &kept, &notes)) {
        for (size_t i = 0; i < notes.frame_count; i++)
            require(bake_part_notes_frames(&notes, notes.frames[i].content) == notes.frames[i].size,
                    "frames are not found");
        report(&notes);
        require(bake_part_notes_write(&notes, append, &written), "no memory");
        tail = (bytes){file.data + begin, file.size - begin};
        require_same(written, tail);
    }
    free(written.data);
    bake_store_fini(&kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAP, RESULT, BUDGETS, NOTES };
    if (size == 0)
        return 0;
    bool fits = data[0] >> 2 & 3;
    /* In a block of exactly its size. */
    bytes file = {malloc(size - 1 + (size == 1)), size - 1};
    require(file.data != NULL, "no memory");
    if (file.size)
        memcpy(file.data, data + 1, file.size);
    switch (data[0] & 3) {
    case MAP:
        read_map(file);
        break;
    case RESULT:
        if (fits)
            fit_result(file);
        read_result(file);
        break;
    case BUDGETS:
        if (fits)
            fit_budgets(file);
        read_budgets(file);
        break;
    default:
        if (fits)
            fit_notes(&file);
        read_notes(file);
    }
    free(file.data);
    return 0;
}

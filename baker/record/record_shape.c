#include "record_shape.h"

#include "bake_memory.h"
#include "bake_table.h"
#include "hash_ahead.h"
#include "record_bytes.h"
#include "record_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- paths ---- */

const char *bake_shape_relative(const char *path, const char *prefix)
{
    size_t length = strlen(prefix);
    if (length == 0)
        return *path == '/' ? NULL : path;
    if (strncmp(path, prefix, length) == 0)
        return path + length;
    /* The folder itself. */
    return strlen(path) + 1 == length && memcmp(path, prefix, length - 1) == 0 ? "." : NULL;
}

static void put_path(record_writer *w, const char *path, const char *prefix)
{
    const char *inside = bake_shape_relative(path, prefix);
    record_put(w, inside ? 1u : 0u);
    record_put_string(w, inside ? inside : path);
}

/* Returns the path from the current folder; NULL after a mistake or if memory runs out. */
static const char *get_path(record_reader *r, const char *prefix)
{
    size_t length = strlen(prefix);
    bool is_inside = record_get_bool(r);
    const char *path = record_get_string(r);
    if (!is_inside || length == 0 || r->failed)
        return r->failed ? NULL : path;
    if (strcmp(path, ".") == 0)
        return bake_store_text(r->store, prefix, length - 1);
    char *joined = bake_store_alloc(r->store, length + strlen(path) + 1, 1);
    if (joined) {
        memcpy(joined, prefix, length);
        memcpy(joined + length, path, strlen(path) + 1);
    }
    return joined;
}

/* ---- questions ---- */

void *bake_shape_make(const bake_record *record, const char *prefix, size_t *ret_size)
{
    record_writer w = {0};
    record_put(&w, record->path_count);
    for (size_t i = 0; i < record->path_count; i++) {
        record_put(&w, (uint64_t)(record->paths[i].execution != BAKE_EXECUTION_ANY) << 1 |
                           record->paths[i].is_read);
        put_path(&w, record->paths[i].path, prefix);
    }
    record_put(&w, record->list_count);
    for (size_t i = 0; i < record->list_count; i++) {
        const bake_input_list *list = &record->lists[i];
        size_t suffixes = 0;
        while (list->suffixes[suffixes])
            suffixes++;
        put_path(&w, list->path, prefix);
        record_put(&w, list->most);
        record_put(&w, suffixes);
        for (size_t s = 0; s < suffixes; s++)
            record_put_string(&w, list->suffixes[s]);
    }
    record_put(&w, record->variable_count);
    for (size_t i = 0; i < record->variable_count; i++)
        record_put_string(&w, record->variables[i].name);
    if (w.failed) {
        bake_free(w.data);
        return NULL;
    }
    *ret_size = w.size;
    return w.data;
}

static void get_paths(record_reader *r, bake_record *record, const char *prefix)
{
    size_t count = record_get_count(r);
    record->paths = record_get_rows(r, count, sizeof *record->paths);
    for (size_t i = 0; i < count && record->paths && !r->failed; i++) {
        uint64_t use = record_get_below(r, 4);
        record->paths[i].is_read = use & 1;
        record->paths[i].execution = use >> 1 ? BAKE_EXECUTION_DENIED : BAKE_EXECUTION_ANY;
        record->paths[i].path = get_path(r, prefix);
    }
    record->path_count = count;
}

static void get_lists(record_reader *r, bake_record *record, const char *prefix)
{
    size_t count = record_get_count(r);
    record->lists = record_get_rows(r, count, sizeof *record->lists);
    for (size_t i = 0; i < count && record->lists && !r->failed; i++) {
        bake_input_list *list = &record->lists[i];
        list->path = get_path(r, prefix);
        list->most = (size_t)record_get_below(r, SIZE_MAX);
        size_t suffixes = record_get_count(r);
        const char **texts = record_get_rows(r, suffixes + 1, sizeof *texts);
        for (size_t s = 0; s < suffixes && texts; s++)
            texts[s] = record_get_string(r);
        list->suffixes = texts;
    }
    record->list_count = count;
}

static bool is_in(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* A hostile shape must not bring a secret into keys and records. */
static void get_variables(record_reader *r, bake_record *record, const bake_record_def *def)
{
    size_t count = record_get_count(r);
    record->variables = record_get_rows(r, count, sizeof *record->variables);
    for (size_t i = 0; i < count && record->variables && !r->failed; i++) {
        const char *name = record_get_string(r);
        record->variables[i].name = name;
        if (!is_in(def->variables, name))
            r->failed = true;
    }
    record->variable_count = count;
}

/* Reads the shape; the record keeps a copy of its texts. Returns false with errno set. */
static bool get_shape(bake_record *record, kiln_span shape, const char *prefix,
                      const bake_record_def *def)
{
    char *bytes = bake_store_text(&record->store, shape.data, shape.size);
    record_reader r = {(const unsigned char *)bytes, shape.size, !bytes, &record->store};
    get_paths(&r, record, prefix);
    get_lists(&r, record, prefix);
    get_variables(&r, record, def);
    errno = record->store.failed ? ENOMEM : EINVAL;
    return !r.failed && r.left == 0 && !record->store.failed;
}

/* ---- answers ---- */

bool bake_shape_hash_answers(const bake_record *record, kiln_hash128 *ret_hash)
{
    record_writer w = {0};
    for (size_t i = 0; i < record->path_count; i++) {
        const record_path *path = &record->paths[i];
        record_put(&w, (uint64_t)path->kind);
        record_put(&w, (uint64_t)path->execution);
        record_put(&w, path->is_read ? path->hash.low : 0);
        record_put(&w, path->is_read ? path->hash.high : 0);
    }
    for (size_t i = 0; i < record->list_count; i++) {
        record_put(&w, record->lists[i].is_listed ? 1u : 0u);
        record_put_text(&w, record->lists[i].names, record->lists[i].size);
    }
    for (size_t i = 0; i < record->variable_count; i++) {
        const char *value = record->variables[i].value;
        record_put(&w, value ? 1u : 0u);
        record_put_string(&w, value ? value : "");
    }
    if (!w.failed)
        *ret_hash = kiln_content_hash(w.data ? w.data : "", w.size);
    bake_free(w.data);
    return !w.failed;
}

/* A file that was hashed, or could not be. */
/* Larger files are not hashed ahead, in bytes. So threads read at most so many bytes for each path,
 * even if all paths are names of one file. */
enum { EARLY_MAX = 1 << 15 };

typedef struct shape_file {
    const char *path;
    bool is_read;
    bool is_too_large; /* not read, because that is too much work */
    bake_file_state state;
    kiln_hash128 hash;
} shape_file;

static bool has_path(const bake_shape_files *files, uint32_t number, text_key path)
{
    return strcmp(files->items[number].path, path.text) == 0;
}

HASH_TABLE(files_by_path, const bake_shape_files *, text_key, hash_of_text, has_path)

/* Files that were read: a file can have many paths. */
static bool has_state(const bake_shape_files *files, uint32_t number, const bake_file_state *state)
{
    return bake_file_state_is_equal(&files->items[number].state, state);
}

static uint32_t hash_of_state(const hash_table *table, const bake_file_state *state)
{
    return hash_of_number(table, state->inode);
}

HASH_TABLE(files_by_identity, const bake_shape_files *, const bake_file_state *, hash_of_state,
           has_state)

void bake_shape_files_fini(bake_shape_files *files)
{
    bake_free(files->items);
    bake_free(files->buffer);
    bake_table_fini(&files->by_path);
    bake_table_fini(&files->by_identity);
    bake_store_fini(&files->store);
    memset(files, 0, sizeof *files);
}

/* The bytes that may still be read. */
static uint64_t work_left(const bake_shape_files *files)
{
    uint64_t most = files->most ? files->most : (uint64_t)BAKE_SHAPE_WORK * BAKE_SHAPE_UNIT;
    return files->done < most ? most - files->done : 0;
}

/* Counts so many paths or names. Returns false if that is too much. */
static bool count_work(bake_shape_files *files, size_t units)
{
    bool is_enough = units <= work_left(files) / BAKE_SHAPE_UNIT;
    files->done = is_enough ? files->done + (uint64_t)units * BAKE_SHAPE_UNIT : UINT64_MAX;
    return is_enough;
}

static bool is_known(void *ctx, const bake_file_state *state, kiln_hash128 *ret_hash)
{
    const bake_shape_files *files = ctx;
    uint32_t number = files_by_identity_find(&files->by_identity, files, state);
    if (number != HASH_TABLE_NONE)
        *ret_hash = files->items[number].hash;
    return number != HASH_TABLE_NONE;
}

/* Uses a file that was hashed ahead. */
static void adopt_file(bake_shape_files *files, const shape_file *early, shape_file *file)
{
    kiln_hash128 hash;
    uint64_t left = work_left(files), size = early->state.size;
    bool is_new = !is_known(files, &early->state, &hash);
    file->state = early->state;
    file->hash = is_new ? early->hash : hash;
    file->is_too_large = is_new && size > left;
    file->is_read = !file->is_too_large;
    files->done += is_new ? (size < left ? size : left) : 0;
}

/* Hashes a file, unless it was hashed under another path. */
static void hash_file(bake_shape_files *files, bake_finder *finder, shape_file *file)
{
    uint64_t before = work_left(files), left = before;
    const bake_hash_def def = {finder, file->path, files->buffer, &left, is_known, files};
    file->is_read = bake_file_hash_some(&def, &file->state, &file->hash);
    file->is_too_large = !file->is_read && errno == EFBIG;
    files->done += before - left;
}

/* Finds or hashes the file at a path; NULL if memory runs out. `early` is the result of hashing it
 * ahead; NULL: none. */
static const shape_file *find_file(bake_shape_files *files, bake_finder *finder, const char *path,
                                   const shape_file *early)
{
    shape_file *items = bake_table_grow_rows(&files->by_path, files->items, &files->capacity,
                                             files->count, sizeof *items);
    if (items)
        files->items = items;
    if (items && !files->buffer)
        files->buffer = bake_alloc(BAKE_FILE_BUFFER_SIZE);
    if (!items || !files->buffer || !bake_table_reserve(&files->by_identity))
        return NULL;
    hash_slot *slot = files_by_path_slot(&files->by_path, files, (text_key){path, strlen(path)});
    if (!hash_slot_is_empty(slot))
        return &items[hash_slot_number(slot)];
    shape_file *file = &items[files->count];
    *file = (shape_file){.path = bake_store_text(&files->store, path, strlen(path))};
    if (!file->path)
        return NULL;
    if (early)
        adopt_file(files, early, file);
    else
        hash_file(files, finder, file);
    hash_slot *identity =
        file->is_read ? files_by_identity_slot(&files->by_identity, files, &file->state) : NULL;
    if (identity && hash_slot_is_empty(identity))
        hash_table_put(&files->by_identity, identity, (uint32_t)files->count);
    hash_table_put(&files->by_path, slot, (uint32_t)files->count++);
    return file;
}

/* Returns 0, or an error. */
static int answer_paths(bake_record *record, bake_shape_files *files, bake_finder *finder,
                        bake_hash_ahead *ahead)
{
    for (size_t i = 0; i < record->path_count; i++) {
        record_path *path = &record->paths[i];
        bake_file_state state;
        shape_file early;
        bool is_early = bake_hash_ahead_take(ahead, i, &early.state, &early.hash);
        if (!count_work(files, 1))
            return EFBIG;
        if (path->execution)
            path->execution = bake_file_execution(path->path);
        if (!path->is_read) {
            path->kind = bake_file_look(finder, path->path, &state);
            if (path->kind == BAKE_PATH_UNKNOWN)
                return ENOENT;
            continue;
        }
        const shape_file *file = find_file(files, finder, path->path, is_early ? &early : NULL);
        if (!file || !file->is_read)
            return !file ? ENOMEM : file->is_too_large ? EFBIG : ENOENT;
        path->kind = BAKE_PATH_FILE;
        path->state = file->state;
        path->hash = file->hash;
    }
    return 0;
}

static int answer_lists(bake_record *record, bake_shape_files *files)
{
    for (size_t i = 0; i < record->list_count; i++) {
        bake_input_list *list = &record->lists[i];
        char *names = NULL;
        if (!count_work(files, 1))
            return EFBIG;
        if (!bake_list_names(list, &names))
            return ENOMEM;
        list->names = bake_store_text(&record->store, names ? names : "", list->size);
        bake_free(names);
        if (!list->names)
            return ENOMEM;
        if (!count_work(files, list->scanned))
            return EFBIG;
    }
    return 0;
}

static int answer_variables(bake_record *record)
{
    for (size_t i = 0; i < record->variable_count; i++) {
        const char *value = getenv(record->variables[i].name);
        record->variables[i].value =
            value ? bake_store_text(&record->store, value, strlen(value)) : NULL;
        if (value && !record->variables[i].value)
            return ENOMEM;
    }
    return 0;
}

bake_record *bake_shape_answer(const void *shape, size_t size, const char *prefix,
                               const bake_record_def *def, bake_shape_files *files)
{
    bake_record *record = bake_record_create();
    bake_finder finder = bake_finder_begin();
    int error = ENOMEM;
    if (record) {
        if (!files->began)
            files->began = bake_file_time_now();
        record->began = files->began;
        bake_record_copy_options(record, def);
        error = get_shape(record, (kiln_span){shape, size}, prefix, def) ? 0 : errno;
        bake_hash_ahead *ahead =
            error || files->count > 0 ? NULL : bake_hash_ahead_begin(record, EARLY_MAX, def->jobs);
        error = error ? error : answer_paths(record, files, &finder, ahead);
        bake_hash_ahead_end(ahead);
        error = error ? error : answer_lists(record, files);
        error = error ? error : answer_variables(record);
    }
    bake_finder_end(&finder);
    if (!error)
        return record;
    bake_record_destroy(record);
    errno = error;
    return NULL;
}

bool bake_shape_complete(bake_record *record, const bake_gateway *gateway,
                         const bake_record_result *result)
{
    record->warnings = result->warnings;
    for (int form = 0; form < BAKE_MESSAGE_FORMS; form++) {
        record->messages[form].size = result->sizes[form];
        record->messages[form].text =
            bake_store_text(&record->store, result->texts[form], result->sizes[form]);
    }
    return bake_record_copy_outputs(record, gateway) && !record->store.failed;
}

/* Updates the record of a run after a later run that used only the changed paths. */
#include "record.h"

#include "hash.h"
#include "hash_equal.h"
#include "record_store.h"

#include <string.h>

static record_path *find(record_path *paths, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(paths[i].path, path) == 0)
            return &paths[i];
    return NULL;
}

static bool is_one_of(const char *path, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(path, list[i]) == 0)
            return true;
    return false;
}

/* Finds a path in the record. Runs use paths in nearly the same order, so the search begins at
 * `*next`, after the last path that was found. */
static record_path *find_next(bake_record *record, const char *path, size_t *next)
{
    for (size_t i = 0; i < record->path_count; i++) {
        size_t at = (*next + i) % record->path_count;
        if (strcmp(record->paths[at].path, path) == 0) {
            *next = at + 1;
            return &record->paths[at];
        }
    }
    return NULL;
}

/* Whether a path was used in another way than before. */
static bool is_other(const record_path *path, const bake_input_path *input)
{
    return path->kind != input->kind || path->execution != input->execution ||
           path->is_read != (input->use == BAKE_USE_READ);
}

/* Replaces state and hash of a path that was read. All users of a changed path have used it again.
 */
static bool update_path(bake_record *record, record_path *path, const bake_input_path *input,
                        const bake_record_update *update)
{
    if (!input->is_stable || input->has_unknown)
        return false;
    if (is_other(path, input) && is_one_of(path->path, update->changed, update->changed_count))
        return bake_record_copy_path(record, input, path);
    if (path->kind != input->kind)
        return false;
    if (input->use != BAKE_USE_READ)
        return true;
    if (!input->has_hash || (path->is_read && !bake_hash_equal(path->hash, input->hash) &&
                             !is_one_of(input->path, update->changed, update->changed_count)))
        return false;
    path->is_read = true;
    if (input->execution != BAKE_EXECUTION_ANY)
        path->execution = input->execution;
    path->state = input->state;
    path->hash = input->hash;
    return true;
}

static void remove_paths(bake_record *record, const bake_record_update *update)
{
    size_t count = 0;
    for (size_t i = 0; i < record->path_count && update->removed_count; i++)
        if (!is_one_of(record->paths[i].path, update->removed, update->removed_count))
            record->paths[count++] = record->paths[i];
    if (update->removed_count)
        record->path_count = count;
}

/* An added file must be new to the record, because any other use of it is unknown. */
static bool are_new(bake_record *record, const bake_record_update *update)
{
    size_t next = 0;
    for (size_t i = 0; i < update->added_count; i++)
        if (find_next(record, update->added[i], &next))
            return false;
    return true;
}

/* Returns false if memory runs out. */
static bool append_paths(bake_record *record, const record_path *more, size_t count)
{
    record_path *paths =
        bake_store_alloc(&record->store, record->path_count + count, sizeof *paths);
    if (!paths)
        return false;
    if (record->path_count)
        memcpy(paths, record->paths, record->path_count * sizeof *paths);
    memcpy(paths + record->path_count, more, count * sizeof *paths);
    record->paths = paths;
    record->path_count += count;
    return true;
}

/* Updates the paths of the record, and adds those that only the new run used. */
static bool merge_paths(bake_record *record, const bake_record_update *update)
{
    size_t used = bake_gateway_use_count(update->gateway), next = 0, count = 0;
    record_path *more = bake_store_alloc(&record->store, used + 1, sizeof *more);
    if (!more)
        return false;
    for (size_t i = 0; i < used; i++) {
        bake_input_path input = bake_gateway_input_path(update->gateway, i);
        record_path *path = find_next(record, input.path, &next);
        if (path ? !update_path(record, path, &input, update)
                 : !bake_record_copy_path(record, &input, &more[count]))
            return false;
        count += !path;
    }
    return count == 0 || append_paths(record, more, count);
}

static const bake_input_variable *find_variable(const bake_record *record, const char *name)
{
    for (size_t i = 0; i < record->variable_count; i++)
        if (strcmp(record->variables[i].name, name) == 0)
            return &record->variables[i];
    return NULL;
}

/* Adds the variables that only the new run read, such as the path of the first importer. Returns
 * false if a known one has another value, or memory runs out. */
static bool merge_variables(bake_record *record, const bake_gateway *gateway)
{
    size_t used = bake_gateway_input_variable_count(gateway), count = record->variable_count;
    bake_input_variable *all = bake_store_alloc(&record->store, count + used + 1, sizeof *all);
    if (!all)
        return false;
    if (count)
        memcpy(all, record->variables, count * sizeof *all);
    for (size_t i = 0; i < used; i++) {
        const bake_input_variable now = bake_gateway_input_variable(gateway, i);
        const bake_input_variable *known = find_variable(record, now.name);
        if (!known)
            all[count++] = bake_record_copy_variable(record, &now);
        else if (!known->value != !now.value || (now.value && strcmp(known->value, now.value) != 0))
            return false;
    }
    record->variables = all;
    record->variable_count = count;
    return !record->store.failed;
}

bool bake_record_only_hints(const bake_record *record, const char *folder)
{
    bool found = false;
    for (size_t i = 0; i < record->list_count; i++) {
        if (strcmp(record->lists[i].path, folder) != 0)
            continue;
        if (record->lists[i].most == 0)
            return false;
        found = true;
    }
    return found;
}

/* Replaces the names for hints. Returns false if the run listed a folder, or memory runs out. */
static bool replace_hints(bake_record *record, const bake_gateway *gateway)
{
    size_t used = bake_gateway_input_list_count(gateway), count = 0;
    bake_input_list *lists =
        bake_store_alloc(&record->store, record->list_count + used, sizeof *lists);
    if (!lists)
        return false;
    for (size_t i = 0; i < record->list_count; i++)
        if (record->lists[i].most == 0)
            lists[count++] = record->lists[i];
    for (size_t i = 0; i < used; i++) {
        const bake_input_list list = bake_gateway_input_list(gateway, i);
        if (list.most == 0)
            return false;
        lists[count++] = bake_record_copy_list(record, list);
    }
    record->lists = lists;
    record->list_count = count;
    return !record->store.failed;
}

static bool has_options(const bake_record *record, const bake_record_def *def)
{
    bool same =
        record->option_count == def->option_count && strcmp(record->version, def->version) == 0;
    for (size_t i = 0; i < def->option_count && same; i++)
        same = strcmp(record->options[i].name, def->options[i].name) == 0 &&
               strcmp(record->options[i].value, def->options[i].value) == 0;
    return same;
}

bool bake_record_update_paths(bake_record *record, const bake_record_update *update)
{
    if (!merge_variables(record, update->gateway))
        return false;
    remove_paths(record, update);
    if (!replace_hints(record, update->gateway) || !are_new(record, update) ||
        !merge_paths(record, update))
        return false;
    if (!has_options(record, update->def))
        bake_record_copy_options(record, update->def);
    record->began = record->checked;
    return !record->store.failed;
}

bool bake_record_update_outputs(bake_record *record, const bake_gateway *gateway)
{
    for (size_t i = 0; i < bake_gateway_output_file_count(gateway); i++) {
        bake_output_file file = bake_gateway_output_file(gateway, i);
        record_path *output =
            file.path ? find(record->outputs, record->output_count, file.path) : NULL;
        if (!file.is_committed)
            continue;
        if (!output)
            return false;
        output->state = file.state;
        output->hash = file.hash;
    }
    return true;
}

/* ---- the key ---- */

/* Bytes to be hashed, because a stream is slow for short texts. */
typedef struct key_bytes {
    hash_stream stream;
    size_t used;
    char bytes[8192];
} key_bytes;

static void add(key_bytes *key, const void *data, size_t size)
{
    if (size > sizeof key->bytes - key->used) {
        kiln_hash_stream_add(&key->stream, key->bytes, key->used);
        key->used = 0;
    }
    if (size > sizeof key->bytes) {
        kiln_hash_stream_add(&key->stream, data, size);
        return;
    }
    memcpy(key->bytes + key->used, data, size);
    key->used += size;
}

static void add_text(key_bytes *key, const char *text)
{
    add(key, text, strlen(text) + 1);
}

static void add_paths(key_bytes *key, const record_path *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char kind[3] = {(unsigned char)paths[i].kind, paths[i].is_read,
                                 (unsigned char)paths[i].execution};
        add_text(key, paths[i].path);
        add(key, kind, sizeof kind);
        if (paths[i].is_read)
            add(key, &paths[i].hash, sizeof paths[i].hash);
    }
    /* No path is empty, so this ends the list. */
    add_text(key, "");
}

kiln_hash128 bake_record_key(const bake_record *record)
{
    key_bytes key;
    key.used = 0;
    kiln_hash_stream_begin(&key.stream);
    add_text(&key, record->version);
    for (size_t i = 0; i < record->option_count; i++) {
        add_text(&key, record->options[i].name);
        add_text(&key, record->options[i].value);
    }
    add_text(&key, "");
    add_paths(&key, record->paths, record->path_count);
    add_paths(&key, record->outputs, record->output_count);
    kiln_hash_stream_add(&key.stream, key.bytes, key.used);
    return kiln_hash_stream_end128(&key.stream);
}

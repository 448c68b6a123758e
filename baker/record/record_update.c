/* Updates the record of a run after a run that used only some of its paths. */
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

/* Replaces state and hash of a path that was read. */
static bool update_path(bake_record *record, const bake_input_path *input,
                        const char *const *changed, size_t count)
{
    record_path *path = find(record->paths, record->path_count, input->path);
    bool is_read = input->use == BAKE_USE_READ;
    if (!path || !input->is_stable || path->kind != input->kind || path->is_read != is_read)
        return false;
    if (!is_read)
        return true;
    if (!input->has_hash ||
        (!bake_hash_equal(path->hash, input->hash) && !is_one_of(input->path, changed, count)))
        return false;
    path->state = input->state;
    path->hash = input->hash;
    return true;
}

static bool has_variable(const bake_record *record, const bake_input_variable *variable)
{
    for (size_t i = 0; i < record->variable_count; i++) {
        const bake_input_variable *known = &record->variables[i];
        if (strcmp(known->name, variable->name) == 0)
            return !known->value == !variable->value &&
                   (!known->value || strcmp(known->value, variable->value) == 0);
    }
    return false;
}

bool bake_record_update_paths(bake_record *record, const bake_gateway *gateway,
                              const char *const *changed, size_t count)
{
    for (size_t i = 0; i < bake_gateway_use_count(gateway); i++) {
        bake_input_path input = bake_gateway_input_path(gateway, i);
        if (!update_path(record, &input, changed, count))
            return false;
    }
    for (size_t i = 0; i < bake_gateway_input_variable_count(gateway); i++) {
        bake_input_variable variable = bake_gateway_input_variable(gateway, i);
        if (!has_variable(record, &variable))
            return false;
    }
    record->began = record->checked;
    return bake_gateway_input_list_count(gateway) == 0;
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
        unsigned char kind[2] = {(unsigned char)paths[i].kind, paths[i].is_read};
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

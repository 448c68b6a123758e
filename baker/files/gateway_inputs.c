/* The details of a gateway's record. gateway.c and the parts that read, list, run and write call
 * the functions that keep them. */
#include "gateway_inputs.h"

#include "gateway_store.h"

#include "bake_memory.h"
#include "hash_equal.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool bake_gateway_keep_details(bake_gateway *gateway)
{
    if (gateway->keeps_details)
        return true;
    assert(!gateway->base && gateway->used_count == 0);
    gateway->buffer = bake_alloc(BAKE_FILE_BUFFER_SIZE);
    if (!gateway->buffer) {
        errno = ENOMEM;
        return false;
    }
    gateway->keeps_details = true;
    gateway->began = bake_file_time_now();
    return true;
}

int64_t bake_gateway_began(const bake_gateway *gateway)
{
    return gateway->began;
}

void bake_gateway_free_details(bake_gateway *gateway)
{
    for (size_t i = 0; i < gateway->list_count; i++) {
        bake_free(gateway->lists[i].path);
        bake_free_suffixes(gateway->lists[i].suffixes);
        bake_free(gateway->lists[i].names);
    }
    bake_free(gateway->lists);
    for (size_t i = 0; i < gateway->variable_count; i++) {
        bake_free(gateway->variables[i].name);
        bake_free(gateway->variables[i].value);
    }
    bake_free(gateway->variables);
    bake_free(gateway->path_uses);
    bake_free(gateway->buffer);
}

/* ---- paths ---- */

void bake_gateway_note_kind(used_path *used, bake_path_kind kind)
{
    if (used->kind != BAKE_PATH_UNKNOWN && used->kind != kind)
        used->is_unstable = true;
    used->kind = kind;
}

static void note_hash(used_path *used, const bake_file_state *state, kiln_hash128 hash)
{
    if (used->has_hash && !bake_hash_equal(used->hash, hash))
        used->is_unstable = true;
    /* Keep the state that is older than both contents. */
    if (!used->has_hash)
        used->state = *state;
    used->hash = hash;
    used->has_hash = true;
}

void bake_gateway_note_content(const bake_gateway *gateway, used_path *used,
                               const struct stat *status, const void *data, size_t size)
{
    bake_path_kind kind = bake_path_kind_of(status);
    bake_gateway_note_kind(used, kind);
    if (!gateway->keeps_details || kind != BAKE_PATH_FILE)
        return;
    bake_file_state state = bake_file_state_of(status);
    note_hash(used, &state, kiln_content_hash(data, size));
}

void bake_gateway_note_early(used_path *used, const used_path *early)
{
    bake_gateway_note_kind(used, early->kind);
    if (early->has_hash)
        note_hash(used, &early->state, early->hash);
}

void bake_gateway_note_file(const bake_gateway *gateway, used_path *used)
{
    bake_file_state state;
    kiln_hash128 hash;
    if (bake_file_hash(NULL, used->path, gateway->buffer, &state, &hash))
        note_hash(used, &state, hash);
    else
        used->is_unstable = true;
}

bake_input_path bake_gateway_input_path(const bake_gateway *gateway, size_t i)
{
    const used_path *used = &gateway->used[i];
    bake_input_path path = {.path = used->path,
                            .use = used->use,
                            .kind = used->kind,
                            .is_stable = !used->is_unstable,
                            .is_left_out = used->is_left_out,
                            .has_unknown = used->has_unknown,
                            .is_used_again = used->is_used_again,
                            .has_hash = used->has_hash,
                            .execution = used->execution,
                            .state = used->state,
                            .hash = used->hash};
    return path;
}

void bake_gateway_begin_uses(bake_gateway *gateway)
{
    for (size_t i = 0; i < gateway->used_count; i++)
        gateway->used[i].is_used_again = false;
}

/* ---- lists of names ---- */

bool bake_gateway_keep_list(bake_gateway *gateway, const bake_input_list *list, char *names)
{
    name_list *lists =
        bake_grow(gateway->lists, &gateway->list_capacity, gateway->list_count + 1, sizeof *lists);
    if (lists)
        gateway->lists = lists;
    name_list kept = {.path = lists ? bake_copy_text(list->path, strlen(list->path)) : NULL,
                      .list = *list,
                      .names = names};
    kept.suffixes = kept.path ? bake_copy_suffixes(list->suffixes) : NULL;
    if (!kept.suffixes) {
        bake_free(kept.path);
        bake_free(names);
        errno = ENOMEM;
        return false;
    }
    kept.list.path = kept.path;
    kept.list.suffixes = (const char *const *)kept.suffixes;
    kept.list.names = names;
    lists[gateway->list_count++] = kept;
    return true;
}

size_t bake_gateway_input_list_count(const bake_gateway *gateway)
{
    return gateway->list_count;
}

bake_input_list bake_gateway_input_list(const bake_gateway *gateway, size_t i)
{
    return gateway->lists[i].list;
}

/* ---- environment variables ---- */

bool bake_gateway_getenv(bake_gateway *gateway, const char *name, const char **ret_value)
{
    for (size_t i = 0; i < gateway->variable_count; i++)
        if (strcmp(gateway->variables[i].name, name) == 0) {
            *ret_value = gateway->variables[i].value;
            return true;
        }
    const char *value = getenv(name);
    kept_variable *variables = bake_grow(gateway->variables, &gateway->variable_capacity,
                                         gateway->variable_count + 1, sizeof *variables);
    if (variables)
        gateway->variables = variables;
    kept_variable kept = {.name = variables ? bake_copy_text(name, strlen(name)) : NULL};
    kept.value = kept.name && value ? bake_copy_text(value, strlen(value)) : NULL;
    if (!kept.name || (value && !kept.value)) {
        bake_free(kept.name);
        errno = ENOMEM;
        return false;
    }
    variables[gateway->variable_count++] = kept;
    *ret_value = kept.value;
    return true;
}

size_t bake_gateway_input_variable_count(const bake_gateway *gateway)
{
    return gateway->variable_count;
}

bake_input_variable bake_gateway_input_variable(const bake_gateway *gateway, size_t i)
{
    bake_input_variable variable = {gateway->variables[i].name, gateway->variables[i].value};
    return variable;
}

/* ---- outputs ---- */

size_t bake_gateway_output_file_count(const bake_gateway *gateway)
{
    return gateway->place_count;
}

bake_output_file bake_gateway_output_file(const bake_gateway *gateway, size_t i)
{
    const output_place *place = &gateway->places[i];
    bake_output_file file = {place->path, place->is_committed, place->state, place->hash};
    return file;
}

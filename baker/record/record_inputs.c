#include "record_inputs.h"

#include "bake_memory.h"
#include "hash.h"
#include "record_store.h"

#include <string.h>

static const char *copy(bake_record *record, const char *text)
{
    return bake_store_text(&record->store, text, strlen(text));
}

/* A folder that could not be listed. */
static void add_unlisted(bake_record *record, const char *path)
{
    static const char *const none[] = {NULL};
    record->lists[record->list_count++] = (bake_input_list){.path = path, .suffixes = none};
}

static void add_path(bake_record *record, const bake_input_path *input)
{
    record_path *path = &record->paths[record->path_count];
    *path = (record_path){.path = copy(record, input->path),
                          .kind = input->kind,
                          .is_read = input->has_hash,
                          .state = input->state,
                          .hash = input->hash,
                          .execution = input->execution,
                          .is_unstable = !input->is_stable};
    if (!path->path)
        return;
    if (input->has_hash) {
        path->kind = BAKE_PATH_FILE;
    } else if (input->use == BAKE_USE_READ || input->kind == BAKE_PATH_UNKNOWN ||
               (input->use == BAKE_USE_MISSING && input->kind != BAKE_PATH_MISSING)) {
        path->kind = bake_file_look(NULL, path->path, &path->state);
        path->has_state = path->kind == BAKE_PATH_FILE;
        if (path->kind == BAKE_PATH_FOLDER && input->kind == BAKE_PATH_UNKNOWN)
            add_unlisted(record, path->path);
    }
    record->path_count++;
}

static void add_lists(bake_record *record, const bake_gateway *gateway)
{
    size_t count = bake_gateway_input_list_count(gateway);
    for (size_t i = 0; i < count; i++) {
        bake_input_list list = bake_gateway_input_list(gateway, i);
        list.path = copy(record, list.path);
        list.suffixes = bake_record_copy_suffixes(record, list.suffixes);
        list.names = bake_store_text(&record->store, list.names ? list.names : "", list.size);
        record->lists[record->list_count++] = list;
    }
}

bake_record *bake_record_make_inputs(const bake_gateway *gateway)
{
    bake_record *record = bake_record_create();
    if (!record)
        return NULL;
    size_t paths = bake_gateway_use_count(gateway);
    size_t lists = bake_gateway_input_list_count(gateway);
    record->began = bake_gateway_began(gateway);
    record->paths = bake_store_alloc(&record->store, paths, sizeof *record->paths);
    /* Each path may be a folder that could not be listed. */
    record->lists = bake_store_alloc(&record->store, lists + paths, sizeof *record->lists);
    if (record->paths && record->lists)
        add_lists(record, gateway);
    for (size_t i = 0; i < paths && !record->store.failed; i++) {
        bake_input_path input = bake_gateway_input_path(gateway, i);
        bool is_stdin = strcmp(input.path, "-") == 0;
        if (!is_stdin && (input.use != BAKE_USE_LISTED || !input.is_stable))
            add_path(record, &input);
    }
    if (!record->store.failed)
        return record;
    bake_record_destroy(record);
    return NULL;
}

size_t bake_record_path_count(const bake_record *record)
{
    return record->path_count;
}

const char *bake_record_path_at(const bake_record *record, size_t i)
{
    return record->paths[i].path;
}

size_t bake_record_folder_count(const bake_record *record)
{
    return record->list_count;
}

const char *bake_record_folder_at(const bake_record *record, size_t i,
                                  const char *const **ret_suffixes)
{
    *ret_suffixes = record->lists[i].most ? NULL : record->lists[i].suffixes;
    return record->lists[i].path;
}

static void add_state(hash_stream *stream, bake_finder *finder, const char *path)
{
    bake_file_state state = {0};
    unsigned char kind = (unsigned char)bake_file_look(finder, path, &state);
    kiln_hash_stream_add(stream, &kind, 1);
    kiln_hash_stream_add(stream, &state, sizeof state);
}

uint64_t bake_record_hash_states(const bake_record *record)
{
    hash_stream stream;
    bake_finder finder = bake_finder_begin();
    kiln_hash_stream_begin(&stream);
    for (size_t i = 0; i < record->path_count; i++)
        add_state(&stream, &finder, record->paths[i].path);
    for (size_t i = 0; i < record->list_count; i++)
        add_state(&stream, &finder, record->lists[i].path);
    bake_finder_end(&finder);
    return kiln_hash_stream_end(&stream);
}

void bake_record_list_add(bake_record_list *list, bake_record *record)
{
    bake_record **items =
        record ? bake_grow(list->items, &list->capacity, list->count + 1, sizeof(bake_record *))
               : NULL;
    if (!items) {
        list->failed = true;
        bake_record_destroy(record);
        return;
    }
    list->items = items;
    items[list->count++] = record;
}

void bake_record_list_fini(bake_record_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        bake_record_destroy(list->items[i]);
    bake_free(list->items);
    *list = (bake_record_list){0};
}

#include "memory_gateway.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 16, OUTPUTS_MAX = 8, PATH_ROOM = 64 };

typedef struct memory_file {
    char path[PATH_ROOM];
    char *data;
    size_t size;
} memory_file;

struct bake_output {
    char path[PATH_ROOM];
    unsigned char *data;
    size_t size, capacity;
    bool is_committed;
};

static memory_file files[FILES_MAX];
static size_t file_count;
/* The memory of outputs is reused, because most executions write one output. */
static bake_output outputs[OUTPUTS_MAX];
static size_t output_count;
static const bake_program_end *program;
static const char *kept_path, *kept_text;
static size_t kept_size;

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void end(void)
{
    memory_gateway_reset();
    for (size_t i = 0; i < OUTPUTS_MAX; i++)
        free(outputs[i].data);
}

void memory_gateway_reset(void)
{
    static bool is_prepared;
    if (!is_prepared)
        require(atexit(end) == 0);
    is_prepared = true;
    for (size_t i = 0; i < file_count; i++)
        free(files[i].data);
    file_count = output_count = 0;
    program = NULL;
}

void memory_gateway_put(const char *path, const void *data, size_t size)
{
    require(file_count < FILES_MAX && strlen(path) < PATH_ROOM);
    memory_file *file = &files[file_count++];
    strcpy(file->path, path);
    file->size = size;
    file->data = malloc(size + 1);
    require(file->data != NULL);
    if (size)
        memcpy(file->data, data, size);
    file->data[size] = '\0';
}

void memory_gateway_keep(const char *path, const char *text, size_t size)
{
    kept_path = path;
    kept_text = text;
    kept_size = size;
}

const unsigned char *memory_gateway_output(const char *path, size_t *ret_size)
{
    for (size_t i = 0; i < output_count; i++) {
        if (!outputs[i].is_committed || strcmp(outputs[i].path, path) != 0)
            continue;
        *ret_size = outputs[i].size;
        return outputs[i].data;
    }
    return NULL;
}

void memory_gateway_set_program(const bake_program_end *as)
{
    program = as;
}

static const memory_file *find(const char *path)
{
    for (size_t i = 0; i < file_count; i++)
        if (strcmp(files[i].path, path) == 0)
            return &files[i];
    errno = ENOENT;
    return NULL;
}

/* ---- replacements of the gateway's functions ---- */

__typeof__(bake_gateway_read) __wrap_bake_gateway_read;
__typeof__(bake_gateway_first_name) __wrap_bake_gateway_first_name;
__typeof__(bake_gateway_list) __wrap_bake_gateway_list;
__typeof__(bake_gateway_list_some) __wrap_bake_gateway_list_some;
__typeof__(bake_gateway_names) __wrap_bake_gateway_names;
__typeof__(bake_gateway_is_regular) __wrap_bake_gateway_is_regular;
__typeof__(bake_gateway_path_kind) __wrap_bake_gateway_path_kind;
__typeof__(bake_gateway_run) __wrap_bake_gateway_run;
__typeof__(bake_output_begin) __wrap_bake_output_begin;
__typeof__(bake_output_write) __wrap_bake_output_write;
__typeof__(bake_gateway_commit) __wrap_bake_gateway_commit;
__typeof__(bake_gateway_discard_outputs) __wrap_bake_gateway_discard_outputs;

const char *__wrap_bake_gateway_read(bake_gateway *gateway, const char *path, size_t *ret_size)
{
    (void)gateway;
    if (kept_path && strcmp(kept_path, path) == 0) {
        *ret_size = kept_size;
        return kept_text;
    }
    const memory_file *file = find(path);
    if (file && ret_size)
        *ret_size = file->size;
    return file ? file->data : NULL;
}

const char *__wrap_bake_gateway_first_name(const bake_gateway *gateway, const char *path)
{
    (void)gateway;
    return path;
}

/* Whether a listing enters all folders of a file below the folder, which has this length. */
static bool are_entered(const bake_listing_def *def, const char *path, size_t length)
{
    char folder[PATH_ROOM];
    for (const char *slash = strchr(path + length, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t size = (size_t)(slash - path);
        memcpy(folder, path, size);
        folder[size] = '\0';
        if (def->enters && size > length && !def->enters(def->ctx, folder))
            return false;
    }
    return true;
}

/* The folder `.` contains all files, and every other folder those whose paths begin with it. */
const char *const *__wrap_bake_gateway_list_some(bake_gateway *gateway, const bake_listing_def *def,
                                                 size_t *ret_count, const char **reterr_path)
{
    static const char *paths[FILES_MAX];
    size_t length = strcmp(def->folder, ".") == 0 ? 0 : strlen(def->folder);
    bool is_there = false;
    (void)gateway;
    *ret_count = 0;
    for (size_t i = 0; i < file_count; i++) {
        const char *path = files[i].path;
        if (length > 0 && (strncmp(path, def->folder, length) != 0 || path[length] != '/'))
            continue;
        is_there = true;
        if (are_entered(def, path, length))
            paths[(*ret_count)++] = path;
    }
    if (is_there)
        return paths;
    *reterr_path = def->folder;
    errno = ENOTDIR;
    return NULL;
}

const char *const *__wrap_bake_gateway_list(bake_gateway *gateway, const char *folder,
                                            const char *const *endings, size_t *ret_count,
                                            const char **reterr_path)
{
    const bake_listing_def def = {.folder = folder, .suffixes = endings};
    return __wrap_bake_gateway_list_some(gateway, &def, ret_count, reterr_path);
}

const char *const *__wrap_bake_gateway_names(bake_gateway *gateway, const char *folder, size_t most,
                                             size_t *ret_count)
{
    static const char *names[FILES_MAX];
    (void)gateway;
    if (strcmp(folder, ".") != 0 || file_count > most) {
        errno = strcmp(folder, ".") != 0 ? ENOENT : EFBIG;
        return NULL;
    }
    for (size_t i = 0; i < file_count; i++)
        names[i] = files[i].path;
    *ret_count = file_count;
    return names;
}

bool __wrap_bake_gateway_is_regular(bake_gateway *gateway, const char *path)
{
    (void)gateway;
    return find(path) != NULL;
}

bake_path_kind __wrap_bake_gateway_path_kind(bake_gateway *gateway, const char *path)
{
    (void)gateway;
    if (strcmp(path, ".") == 0)
        return BAKE_PATH_FOLDER;
    return find(path) ? BAKE_PATH_FILE : BAKE_PATH_MISSING;
}

const bake_program_end *__wrap_bake_gateway_run(bake_gateway *gateway,
                                                const bake_program_call *call)
{
    static const bake_program_end refused = {.kind = BAKE_PROGRAM_REFUSED};
    (void)gateway;
    if (!find(call->source))
        return NULL;
    return program ? program : &refused;
}

bake_output *__wrap_bake_output_begin(bake_gateway *gateway, const char *path)
{
    (void)gateway;
    require(output_count < OUTPUTS_MAX && strlen(path) < PATH_ROOM);
    for (size_t i = 0; i < output_count; i++)
        if (strcmp(outputs[i].path, path) == 0) {
            errno = EEXIST;
            return NULL;
        }
    bake_output *output = &outputs[output_count++];
    strcpy(output->path, path);
    output->size = 0;
    output->is_committed = false;
    return output;
}

bool __wrap_bake_output_write(void *ctx, const void *data, size_t size)
{
    bake_output *output = ctx;
    if (size > output->capacity - output->size) {
        size_t capacity = (output->size + size) * 2;
        unsigned char *grown = realloc(output->data, capacity);
        require(grown != NULL);
        output->data = grown;
        output->capacity = capacity;
    }
    if (size)
        memcpy(output->data + output->size, data, size);
    output->size += size;
    return true;
}

bool __wrap_bake_gateway_commit(bake_gateway *gateway, bool durable, bool if_changed,
                                const char **ret_path)
{
    (void)gateway;
    (void)durable;
    (void)if_changed;
    (void)ret_path;
    for (size_t i = 0; i < output_count; i++)
        outputs[i].is_committed = true;
    return true;
}

void __wrap_bake_gateway_discard_outputs(bake_gateway *gateway)
{
    size_t kept = 0;
    (void)gateway;
    while (kept < output_count && outputs[kept].is_committed)
        kept++;
    output_count = kept;
}

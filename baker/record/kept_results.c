/* All members of the header are compared with expected values, so it needs no hash of its own. */
#define _POSIX_C_SOURCE 200809L

#include "kept_results.h"

#include "bake_memory.h"
#include "file_part.h"
#include "folder_tree.h"
#include "hash_equal.h"
#include "path_join.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, NAME_LENGTH = 32 };
static const char magic[8] = {'K', 'I', 'L', 'N', 'R', 'U', 'N', 'S'};

/* A result is kept only if so many bytes remain free: the outputs of the bake come first. */
#define REMAINS_FREE ((uint64_t)64 << 20)

typedef struct result_header {
    char magic[8];
    uint32_t version, zero;
    bake_run_key key;
    kiln_hash128 hash; /* of the output */
    KILN_ALIGNAS(8) uint64_t size;
} result_header;

_Static_assert(sizeof(result_header) == 72, "kept_results.h: header");

/* A run that failed. */
typedef struct failed_run {
    bake_run_key key;
    bake_program_end end; /* without output */
} failed_run;

struct bake_kept_results {
    bake_run_results functions;
    char *folder;
    bool finds;
    char (*used)[NAME_LENGTH + 1]; /* the names of files that were found or kept */
    size_t used_count, used_capacity;
    failed_run *failed;
    size_t failed_count, failed_capacity;
    bool is_incomplete; /* `used` lacks names, because memory ran out */
};

static void name_of(const bake_run_key *key, char ret[NAME_LENGTH + 1])
{
    snprintf(ret, NAME_LENGTH + 1, "%016llx%016llx", (unsigned long long)key->command.high,
             (unsigned long long)key->command.low);
}

static char *use_path(bake_kept_results *results, const bake_run_key *key)
{
    char(*used)[NAME_LENGTH + 1] = bake_grow(results->used, &results->used_capacity,
                                             results->used_count + 1, sizeof *results->used);
    if (!used) {
        results->is_incomplete = true;
        return NULL;
    }
    results->used = used;
    name_of(key, used[results->used_count]);
    return bake_path_join(results->folder, used[results->used_count++]);
}

static result_header make_header(const bake_run_key *key, kiln_hash128 hash, size_t size)
{
    result_header header = {.version = VERSION, .key = *key, .hash = hash, .size = size};
    memcpy(header.magic, magic, sizeof magic);
    return header;
}

/* ---- finding ---- */

/* Reads a file of `size` bytes. Returns false if it has no valid result with this key. */
static bool read_result(int file, uint64_t size, const bake_run_key *key, size_t output_max,
                        bake_program_end *ret)
{
    result_header header;
    if (size < sizeof header || size - sizeof header > output_max ||
        !bake_file_read_part(file, 0, &header, sizeof header))
        return false;
    size_t output_size = (size_t)(size - sizeof header);
    result_header expected = make_header(key, header.hash, output_size);
    if (memcmp(&header, &expected, sizeof header) != 0)
        return false;
    char *output = bake_alloc(output_size + 1);
    if (!output)
        return false;
    if (bake_file_read_part(file, sizeof header, output, output_size) &&
        bake_hash_equal(header.hash, kiln_content_hash(output, output_size))) {
        output[output_size] = '\0';
        *ret =
            (bake_program_end){.kind = BAKE_PROGRAM_EXITED, .output = output, .size = output_size};
        return true;
    }
    bake_free(output);
    return false;
}

static bool is_same_run(const bake_run_key *a, const bake_run_key *b)
{
    return bake_hash_equal(a->command, b->command) && bake_hash_equal(a->inputs, b->inputs);
}

/* Copies a result without output. Returns false if memory runs out. */
static bool copy_failure(const bake_program_end *from, bake_program_end *ret)
{
    char *errors = from->errors ? bake_alloc(from->errors_size + 1) : NULL;
    if (from->errors && !errors)
        return false;
    if (errors) {
        memcpy(errors, from->errors, from->errors_size);
        errors[from->errors_size] = '\0';
    }
    *ret = *from;
    ret->errors = errors;
    return true;
}

static bool find_failure(const bake_kept_results *results, const bake_run_key *key,
                         bake_program_end *ret)
{
    for (size_t i = 0; i < results->failed_count; i++)
        if (is_same_run(&results->failed[i].key, key))
            return copy_failure(&results->failed[i].end, ret);
    return false;
}

static bool find(void *ctx, const bake_run_key *key, size_t output_max, bake_program_end *ret)
{
    bake_kept_results *results = ctx;
    uint64_t size;
    if (find_failure(results, key, ret))
        return true;
    char *path = use_path(results, key);
    int file = path && results->finds ? bake_file_open(path, &size) : -1;
    bool found = file >= 0 && read_result(file, size, key, output_max, ret);
    bake_file_close(file);
    bake_free(path);
    return found;
}

/* ---- keeping ---- */

static bool has_room(const char *folder, uint64_t size)
{
    uint64_t free = bake_free_bytes(folder);
    return free >= REMAINS_FREE && free - REMAINS_FREE >= size;
}

static void write_result(bake_gateway *gateway, const char *path, const result_header *header,
                         const char *output)
{
    const char *failed;
    bake_output *file = bake_output_begin(gateway, path);
    if (file && bake_output_write(file, header, sizeof *header) &&
        bake_output_write(file, output, (size_t)header->size))
        (void)bake_gateway_commit(gateway, false, false, &failed);
}

/* A program that could not be started is looked for again. */
static void keep_failure(bake_kept_results *results, const bake_run_key *key,
                         const bake_program_end *end)
{
    failed_run *failed = end->kind != BAKE_PROGRAM_NOT_STARTED
                             ? bake_grow(results->failed, &results->failed_capacity,
                                         results->failed_count + 1, sizeof *failed)
                             : NULL;
    if (!failed)
        return;
    results->failed = failed;
    failed[results->failed_count].key = *key;
    results->failed_count += copy_failure(end, &failed[results->failed_count].end);
}

static void keep(void *ctx, const bake_run_key *key, const bake_program_end *end)
{
    bake_kept_results *results = ctx;
    if (!end->output) {
        keep_failure(results, key, end);
        return;
    }
    const result_header header =
        make_header(key, kiln_content_hash(end->output, end->size), end->size);
    char name[NAME_LENGTH + 1];
    name_of(key, name);
    char *path = bake_path_join(results->folder, name);
    /* The gateway of the run may have open outputs, which must not be committed yet. */
    bake_gateway *gateway = path ? bake_gateway_create(NULL) : NULL;
    /* An output would be written to what a link or a pipe at this path leads to. */
    if (gateway && bake_make_folders(path) && has_room(results->folder, end->size) &&
        bake_remove_file(path) != BAKE_REMOVAL_FAILED)
        write_result(gateway, path, &header, end->output);
    bake_gateway_destroy(gateway);
    bake_free(path);
}

/* ---- removing ---- */

static int compare_names(const void *a, const void *b)
{
    return memcmp(a, b, NAME_LENGTH + 1);
}

static bool is_used(const bake_kept_results *results, const char *name)
{
    char key[NAME_LENGTH + 1] = {0};
    size_t length = strlen(name);
    /* Somebody else's file. */
    if (length != NAME_LENGTH || strspn(name, "0123456789abcdef") != length)
        return true;
    memcpy(key, name, length);
    return results->used && bsearch(key, results->used, results->used_count, sizeof *results->used,
                                    compare_names) != NULL;
}

void bake_kept_results_sweep(bake_kept_results *results)
{
    size_t count = 0;
    if (!results || results->is_incomplete)
        return;
    if (results->used)
        qsort(results->used, results->used_count, sizeof *results->used, compare_names);
    bake_gateway *gateway = bake_gateway_create(NULL);
    const char *const *names =
        gateway ? bake_gateway_names(gateway, results->folder, SIZE_MAX, &count) : NULL;
    for (size_t i = 0; names && i < count; i++) {
        char *path = is_used(results, names[i]) ? NULL : bake_path_join(results->folder, names[i]);
        if (path)
            (void)bake_remove_file(path);
        bake_free(path);
    }
    bake_gateway_destroy(gateway);
}

/* ---- the object ---- */

bake_kept_results *bake_kept_results_create(const char *folder, bool finds)
{
    bake_kept_results *results = bake_alloc_array(1, sizeof *results);
    if (!results)
        return NULL;
    results->functions = (bake_run_results){find, keep, results};
    results->finds = finds;
    results->folder = bake_copy_text(folder, strlen(folder));
    if (results->folder)
        return results;
    bake_kept_results_destroy(results);
    return NULL;
}

void bake_kept_results_destroy(bake_kept_results *results)
{
    if (!results)
        return;
    bake_free(results->folder);
    bake_free(results->used);
    for (size_t i = 0; i < results->failed_count; i++)
        bake_program_end_fini(&results->failed[i].end);
    bake_free(results->failed);
    bake_free(results);
}

const bake_run_results *bake_kept_results_get(const bake_kept_results *results)
{
    return results ? &results->functions : NULL;
}

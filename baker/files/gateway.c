/* The record of paths. A path is recorded as missing before its file is opened, and the record is
 * updated after the file was read. So the record of a failed run contains the file that the run
 * failed to open. */
#define _POSIX_C_SOURCE 200809L

#include "gateway_store.h"

#include "bake_memory.h"
#include "path_join.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bake_gateway *bake_gateway_create(const char *base)
{
    bake_gateway *gateway = bake_alloc_array(1, sizeof *gateway);
    if (gateway && base && !(gateway->base = bake_copy_text(base, strlen(base)))) {
        bake_free(gateway);
        return NULL;
    }
    if (gateway)
        gateway->input_max = BAKE_INPUT_MAX;
    return gateway;
}

void bake_gateway_set_timings(bake_gateway *gateway, bake_timings *timings)
{
    gateway->timings = timings;
}

bake_timings *bake_gateway_timings(const bake_gateway *gateway)
{
    return gateway->timings;
}

void bake_gateway_run_free(gateway_run *run)
{
    if (!run)
        return;
    bake_program_end_fini(&run->end);
    bake_free(run->source);
    bake_free(run);
}

static void end_runs(bake_gateway *gateway)
{
    for (size_t i = 0; i < gateway->run_count; i++)
        bake_gateway_run_free(gateway->runs[i]);
    bake_free(gateway->runs);
    bake_table_fini(&gateway->runs_by_source);
}

static void free_place(output_place *place)
{
    bake_free(place->target);
    bake_free(place->path);
}

void bake_gateway_destroy(bake_gateway *gateway)
{
    if (!gateway)
        return;
    bake_gateway_discard_outputs(gateway);
    bake_folders_free(gateway->folders);
    bake_gateway_free_folders(gateway);
    end_runs(gateway);
    for (size_t i = 0; i < gateway->used_count; i++) {
        bake_free(gateway->used[i].path);
        bake_gateway_free_text(&gateway->used[i]);
    }
    for (size_t i = 0; i < gateway->owned_count; i++)
        bake_free(gateway->owned[i]);
    bake_free(gateway->used);
    bake_table_fini(&gateway->by_path);
    bake_free(gateway->owned);
    for (size_t i = 0; i < gateway->place_count; i++)
        free_place(&gateway->places[i]);
    bake_free(gateway->places);
    bake_gateway_free_details(gateway);
    bake_free(gateway->outputs);
    bake_spool_destroy(gateway->spool);
    bake_free(gateway->spool_folder);
    bake_free(gateway->base);
    bake_free(gateway);
}

static bool has_path(const bake_gateway *gateway, uint32_t number, text_key path)
{
    return strcmp(gateway->used[number].path, path.text) == 0;
}

HASH_TABLE(uses_by_path, const bake_gateway *, text_key, hash_of_text, has_path)

static text_key path_key(const char *path)
{
    return (text_key){path, strlen(path)};
}

const used_path *bake_gateway_find(const bake_gateway *gateway, const char *path)
{
    uint32_t number = uses_by_path_find(&gateway->by_path, gateway, path_key(path));
    return number == HASH_TABLE_NONE ? NULL : &gateway->used[number];
}

void bake_gateway_use_path_again(bake_gateway *gateway, const char *path)
{
    const used_path *used = bake_gateway_find(gateway, path);
    if (used)
        bake_gateway_note_use(gateway, used);
}

size_t bake_gateway_find_use(const bake_gateway *gateway, const char *path)
{
    const used_path *used = bake_gateway_find(gateway, path);
    return used ? (size_t)(used - gateway->used) : SIZE_MAX;
}

used_path *bake_gateway_record(bake_gateway *gateway, const char *path, bake_use use)
{
    used_path *used =
        bake_table_grow_rows(&gateway->by_path, gateway->used, &gateway->used_capacity,
                             gateway->used_count, sizeof *used);
    if (!used) {
        errno = ENOMEM;
        return NULL;
    }
    gateway->used = used;
    hash_slot *slot = uses_by_path_slot(&gateway->by_path, gateway, path_key(path));
    if (hash_slot_is_empty(slot)) {
        used_path added = {
            .path = bake_copy_text(path, strlen(path)), .use = use, .kind = BAKE_PATH_UNKNOWN};
        if (!added.path) {
            errno = ENOMEM;
            return NULL;
        }
        hash_table_put(&gateway->by_path, slot, (uint32_t)gateway->used_count);
        used[gateway->used_count++] = added;
    }
    used_path *found = &used[hash_slot_number(slot)];
    /* A file that was read stays BAKE_USE_READ, whatever happens to its path later. So does a
     * listed folder, unless its path is read as a file. */
    if (found->use != BAKE_USE_READ && (found->use != BAKE_USE_LISTED || use == BAKE_USE_READ))
        found->use = use;
    found->is_left_out = false;
    bake_gateway_note_use(gateway, found);
    return found;
}

size_t bake_gateway_use_count(const bake_gateway *gateway)
{
    return gateway->used_count;
}

const char *bake_gateway_use(const bake_gateway *gateway, size_t i, bake_use *ret_use)
{
    if (ret_use)
        *ret_use = gateway->used[i].use;
    return gateway->used[i].path;
}

const char *bake_gateway_first_name(const bake_gateway *gateway, const char *path)
{
    const used_path *used = bake_gateway_find(gateway, path);
    for (size_t i = 0; used && used->is_regular && i < gateway->used_count; i++) {
        const used_path *other = &gateway->used[i];
        if (other->is_regular && other->device == used->device && other->inode == used->inode)
            return other->path;
    }
    return path;
}

bool bake_gateway_refuse(bake_gateway *gateway, int error, const char *why, ...)
{
    if (why) {
        va_list arguments;
        va_start(arguments, why);
        vsnprintf(gateway->why, sizeof gateway->why, why, arguments);
        va_end(arguments);
    } else {
        snprintf(gateway->why, sizeof gateway->why, "%s", strerror(error));
    }
    errno = error;
    return false;
}

const char *bake_gateway_reason(const bake_gateway *gateway)
{
    return gateway->why;
}

bake_result bake_fail_read(bake_failure *failure, const bake_gateway *gateway, const char *path)
{
    return bake_fail_reason(failure, "read", path, gateway->why);
}

/* Calls stat and records the path as examined or missing. Returns false with errno set. */
static bool stat_path(bake_gateway *gateway, const char *path, struct stat *ret_status)
{
    /* Do not prepend the base to an empty path: the result would be the base folder, not an
     * error. */
    char *resolved = bake_path_join(*path ? gateway->base : NULL, path);
    if (!resolved)
        return false;
    bool there = stat(resolved, ret_status) == 0;
    int error = errno;
    bake_free(resolved);
    used_path *used =
        bake_gateway_record(gateway, path, there ? BAKE_USE_EXAMINED : BAKE_USE_MISSING);
    if (!used)
        return false;
    used->is_used_again |= used->use == BAKE_USE_READ;
    bake_gateway_note_kind(used,
                           there ? bake_path_kind_of(ret_status) : bake_path_kind_of_error(error));
    errno = error;
    return there;
}

static bool stat_regular(bake_gateway *gateway, const char *path, struct stat *ret_status)
{
    if (!stat_path(gateway, path, ret_status))
        return bake_gateway_refuse(gateway, errno, NULL);
    if (S_ISREG(ret_status->st_mode))
        return true;
    if (S_ISDIR(ret_status->st_mode))
        return bake_gateway_refuse(gateway, EISDIR, NULL);
    return bake_gateway_refuse(gateway, EINVAL, "it is not a regular file");
}

bool bake_gateway_is_regular(bake_gateway *gateway, const char *path)
{
    struct stat status;
    return stat_regular(gateway, path, &status);
}

bake_path_kind bake_gateway_path_kind(bake_gateway *gateway, const char *path)
{
    struct stat status;
    return stat_path(gateway, path, &status) ? bake_path_kind_of(&status)
                                             : bake_path_kind_of_error(errno);
}

bool bake_gateway_record_file(bake_gateway *gateway, const char *path)
{
    struct stat status;
    if (!stat_regular(gateway, path, &status))
        return false;
    used_path *used = bake_gateway_record(gateway, path, BAKE_USE_MISSING);
    if (!used)
        return bake_gateway_refuse(gateway, errno, NULL);
    used->is_used_again = used->use == BAKE_USE_READ;
    used->use = BAKE_USE_READ;
    used->is_regular = true;
    used->device = status.st_dev;
    used->inode = status.st_ino;
    bake_gateway_note_kind(used, BAKE_PATH_FILE);
    if (gateway->keeps_details)
        bake_gateway_note_file(gateway, used);
    return true;
}

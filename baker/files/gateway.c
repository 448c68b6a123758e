#define _POSIX_C_SOURCE 200809L

#include "gateway_store.h"

#include "bake_memory.h"
#include "bake_slots.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

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
    bake_free(gateway->run_slots);
}

void bake_gateway_destroy(bake_gateway *gateway)
{
    if (!gateway)
        return;
    bake_gateway_discard_outputs(gateway);
    bake_folders_free(gateway->folders);
    end_runs(gateway);
    for (size_t i = 0; i < gateway->used_count; i++) {
        bake_free(gateway->used[i].path);
        bake_block_free(gateway->used[i].text, gateway->used[i].capacity);
    }
    for (size_t i = 0; i < gateway->owned_count; i++)
        bake_free(gateway->owned[i]);
    bake_free(gateway->used);
    bake_free(gateway->slots);
    bake_free(gateway->owned);
    for (size_t i = 0; i < gateway->place_count; i++)
        bake_free(gateway->places[i].target);
    bake_free(gateway->places);
    bake_free(gateway->outputs);
    bake_free(gateway->base);
    bake_free(gateway);
}

/* The slot of a path, or the free one where it belongs. */
static uint32_t *slot_of(const bake_gateway *gateway, const char *path)
{
    size_t mask = gateway->slot_count - 1;
    size_t at = (size_t)XXH3_64bits(path, strlen(path)) & mask;
    while (gateway->slots[at] && strcmp(gateway->used[gateway->slots[at] - 1].path, path) != 0)
        at = (at + 1) & mask;
    return &gateway->slots[at];
}

static const used_path *find_used(const bake_gateway *gateway, const char *path)
{
    uint32_t number = *slot_of(gateway, path);
    return number ? &gateway->used[number - 1] : NULL;
}

static bool grow_slots(bake_gateway *gateway)
{
    bool emptied;
    if (!bake_slots_grow(&gateway->slots, &gateway->slot_count, gateway->used_count, &emptied))
        return false;
    for (size_t i = 0; emptied && i < gateway->used_count; i++)
        *slot_of(gateway, gateway->used[i].path) = (uint32_t)i + 1;
    return true;
}

used_path *bake_gateway_record(bake_gateway *gateway, const char *path, bake_use use)
{
    used_path *used =
        bake_grow(gateway->used, &gateway->used_capacity, gateway->used_count + 1, sizeof *used);
    if (used)
        gateway->used = used;
    if (!used || !grow_slots(gateway)) {
        errno = ENOMEM;
        return NULL;
    }
    uint32_t *slot = slot_of(gateway, path);
    if (*slot == 0) {
        used_path added = {.path = bake_copy_text(path, strlen(path)), .use = use};
        if (!added.path) {
            errno = ENOMEM;
            return NULL;
        }
        used[gateway->used_count++] = added;
        *slot = (uint32_t)gateway->used_count;
    }
    used_path *found = &used[*slot - 1];
    if (!found->text)
        found->use = use;
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

char *bake_gateway_join(const char *a, const char *b)
{
    size_t a_length = a && *b != '/' ? strlen(a) : 0;
    size_t b_length = strlen(b);
    bool slash = a_length && a[a_length - 1] != '/';
    char *joined = bake_alloc(a_length + slash + b_length + 1);
    if (!joined) {
        errno = ENOMEM;
        return NULL;
    }
    if (a_length)
        memcpy(joined, a, a_length);
    if (slash)
        joined[a_length] = '/';
    memcpy(joined + a_length + slash, b, b_length + 1);
    return joined;
}

const char *bake_gateway_first_name(const bake_gateway *gateway, const char *path)
{
    const used_path *used = gateway->slot_count ? find_used(gateway, path) : NULL;
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

const char *bake_gateway_why(const bake_gateway *gateway)
{
    return gateway->why;
}

bake_result bake_fail_read(bake_failure *failure, const bake_gateway *gateway, const char *path)
{
    return bake_fail_why(failure, "read", path, gateway->why);
}

/* False with errno set; what is not there is recorded. */
static bool look_at(bake_gateway *gateway, const char *path, struct stat *ret_status)
{
    char *resolved = bake_gateway_join(*path ? gateway->base : NULL, path);
    if (!resolved)
        return false;
    bool there = stat(resolved, ret_status) == 0;
    int error = errno;
    bake_free(resolved);
    if (!there && !bake_gateway_record(gateway, path, BAKE_USE_MISSING))
        return false;
    errno = error;
    return there;
}

static bool look_at_regular(bake_gateway *gateway, const char *path, struct stat *ret_status)
{
    if (!look_at(gateway, path, ret_status))
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
    return look_at_regular(gateway, path, &status);
}

bake_there bake_gateway_look(bake_gateway *gateway, const char *path)
{
    struct stat status;
    if (!look_at(gateway, path, &status)) {
        bool is_absent =
            errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG;
        return is_absent ? BAKE_THERE_NOTHING : BAKE_THERE_UNKNOWN;
    }
    if (S_ISDIR(status.st_mode))
        return BAKE_THERE_FOLDER;
    return S_ISREG(status.st_mode) ? BAKE_THERE_FILE : BAKE_THERE_OTHER;
}

bool bake_gateway_record_file(bake_gateway *gateway, const char *path)
{
    struct stat status;
    if (!look_at_regular(gateway, path, &status))
        return false;
    used_path *used = bake_gateway_record(gateway, path, BAKE_USE_READ);
    if (!used)
        return bake_gateway_refuse(gateway, errno, NULL);
    used->is_regular = true;
    used->device = status.st_dev;
    used->inode = status.st_ino;
    return true;
}

#define _POSIX_C_SOURCE 200809L

#include "gateway_store.h"

#include "bake_memory.h"
#include "bake_slots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FILE_SIZE_MAX ((size_t)1 << 30)

bake_gateway *bake_gateway_create(const char *base)
{
    bake_gateway *gateway = bake_alloc_array(1, sizeof *gateway);
    if (gateway && base && !(gateway->base = bake_copy_text(base, strlen(base)))) {
        bake_free(gateway);
        return NULL;
    }
    return gateway;
}

void bake_gateway_destroy(bake_gateway *gateway)
{
    if (!gateway)
        return;
    bake_gateway_discard_outputs(gateway);
    bake_gateway_end_runs(gateway);
    for (size_t i = 0; i < gateway->used_count; i++) {
        bake_free(gateway->used[i].path);
        bake_block_free(gateway->used[i].text, gateway->used[i].capacity);
    }
    for (size_t i = 0; i < gateway->owned_count; i++)
        bake_free(gateway->owned[i]);
    bake_free(gateway->used);
    bake_free(gateway->slots);
    bake_free(gateway->owned);
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

int bake_gateway_open(const bake_gateway *gateway, const char *path, int flags)
{
    char *resolved = bake_gateway_join(*path ? gateway->base : NULL, path);
    if (!resolved)
        return -1;
    int file;
    do
        file = open(resolved, flags | O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (file < 0 && errno == EINTR);
    int error = errno;
    bake_free(resolved);
    errno = error;
    return file;
}

bool bake_read_some(int file, void *data, size_t size, size_t *ret_size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(file, (char *)data + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    *ret_size = got;
    return true;
}

/* Reads to the end, which need not be where `expected` says. */
static bool read_rest(int file, size_t expected, used_path *used)
{
    char *text = NULL;
    size_t capacity = 0;
    size_t size = 0;
    for (;;) {
        /* One byte for the NUL, and one so that the end shows without growing. */
        size_t wanted = size == 0 ? expected + 2 : size + 2;
        /* Many small files are kept together, so that each has the room that it needs. */
        bool is_known = size == 0 && expected > 0;
        char *grown =
            bake_block_grow(text, &capacity, wanted < 4096 && !is_known ? 4096 : wanted, 1);
        size_t got;
        if (!grown)
            errno = ENOMEM;
        text = grown ? grown : text;
        if (!grown || !bake_read_some(file, text + size, capacity - 1 - size, &got))
            break;
        size += got;
        if (size > FILE_SIZE_MAX) {
            errno = EFBIG;
            break;
        }
        if (size < capacity - 1) {
            text[size] = '\0';
            used->text = text;
            used->size = size;
            used->capacity = capacity;
            return true;
        }
    }
    int error = errno;
    bake_block_free(text, capacity);
    errno = error;
    return false;
}

/* False with errno set. */
static bool read_file(int file, used_path *used)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return false;
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    size_t expected = 0;
    if (S_ISREG(status.st_mode) && status.st_size > 0) {
        if ((uintmax_t)status.st_size > FILE_SIZE_MAX) {
            errno = EFBIG;
            return false;
        }
        expected = (size_t)status.st_size;
    }
    used->is_regular = S_ISREG(status.st_mode);
    used->device = status.st_dev;
    used->inode = status.st_ino;
    return read_rest(file, expected, used);
}

const char *bake_gateway_read(bake_gateway *gateway, const char *path, size_t *ret_size)
{
    used_path *used = bake_gateway_record(gateway, path, BAKE_USE_MISSING);
    if (!used)
        return NULL;
    if (!used->text) {
        bool is_stdin = strcmp(path, "-") == 0;
        int file = is_stdin ? STDIN_FILENO : bake_gateway_open(gateway, path, 0);
        if (file < 0)
            return NULL;
        bool done = read_file(file, used);
        int error = errno;
        if (!is_stdin)
            close(file);
        errno = error;
        if (!done)
            return NULL;
        used->use = BAKE_USE_READ;
    }
    if (ret_size)
        *ret_size = used->size;
    return used->text;
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

bool bake_gateway_is_folder(bake_gateway *gateway, const char *path)
{
    struct stat status;
    return strcmp(path, "-") != 0 && look_at(gateway, path, &status) && S_ISDIR(status.st_mode);
}

static bool look_at_regular(bake_gateway *gateway, const char *path, struct stat *ret_status)
{
    if (!look_at(gateway, path, ret_status))
        return false;
    if (S_ISREG(ret_status->st_mode))
        return true;
    errno = S_ISDIR(ret_status->st_mode) ? EISDIR : EINVAL;
    return false;
}

bool bake_gateway_is_regular(bake_gateway *gateway, const char *path)
{
    struct stat status;
    return look_at_regular(gateway, path, &status);
}

bake_there bake_gateway_look(bake_gateway *gateway, const char *path)
{
    struct stat status;
    if (!look_at(gateway, path, &status))
        return errno == ENOMEM ? BAKE_THERE_UNKNOWN : BAKE_THERE_NOTHING;
    if (S_ISDIR(status.st_mode))
        return BAKE_THERE_FOLDER;
    return S_ISREG(status.st_mode) ? BAKE_THERE_FILE : BAKE_THERE_OTHER;
}

bool bake_gateway_record_file(bake_gateway *gateway, const char *path)
{
    struct stat status;
    used_path *used = look_at_regular(gateway, path, &status)
                          ? bake_gateway_record(gateway, path, BAKE_USE_READ)
                          : NULL;
    if (!used)
        return false;
    used->is_regular = true;
    used->device = status.st_dev;
    used->inode = status.st_ino;
    return true;
}

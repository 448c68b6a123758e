/* Files that are too large to be kept in memory: they are hashed in parts, and parts are read again
 * when an output is written. Each read opens the file, so the number of files that an output
 * consists of is not limited. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "gateway_store.h"

#include "bake_memory.h"
#include "path_join.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Hashes a file that the record does not describe in detail. */
static bool hash_file(bake_gateway *gateway, const char *path, bake_file_state *ret_state,
                      kiln_hash128 *ret_hash)
{
    char *resolved = bake_path_join(gateway->base, path);
    unsigned char *buffer = resolved ? bake_alloc(BAKE_FILE_BUFFER_SIZE) : NULL;
    if (!buffer)
        errno = ENOMEM;
    bool done = buffer && bake_file_hash(NULL, resolved, buffer, ret_state, ret_hash);
    int error = errno;
    bake_free(buffer);
    bake_free(resolved);
    errno = error;
    return done;
}

bool bake_gateway_hash(bake_gateway *gateway, const char *path, kiln_hash128 *ret_hash,
                       uint64_t *ret_size)
{
    if (!bake_gateway_record_file(gateway, path))
        return false;
    const used_path *used = bake_gateway_find(gateway, path);
    bake_file_state state = used->state;
    kiln_hash128 hash = used->hash;
    /* With details, the record has hashed the file already. */
    if (!used->has_hash && !hash_file(gateway, path, &state, &hash))
        return bake_gateway_refuse(gateway, errno, NULL);
    *ret_hash = hash;
    *ret_size = state.size;
    return true;
}

/* Reads until `size` bytes are there. */
static bool read_all(int file, uint64_t offset, unsigned char *memory, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(file, memory + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = ESTALE;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

bool bake_gateway_read_range(const bake_gateway *gateway, const char *path, uint64_t offset,
                             void *memory, size_t size)
{
    /* O_NONBLOCK keeps open from waiting if a pipe has replaced the file. */
    int file = bake_gateway_open(gateway, path, O_NONBLOCK);
    if (file < 0)
        return false;
    bool done = read_all(file, offset, memory, size);
    int error = errno;
    close(file);
    errno = error;
    return done;
}

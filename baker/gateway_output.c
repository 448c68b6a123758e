#define _XOPEN_SOURCE 700

#include "gateway_output.h"

#include "bake_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)64 << 10)
/* Beyond these the files of earlier outputs are closed: a process may have few open. */
#define OPEN_OUTPUTS_MAX 64

bool bake_write_all(int file, const void *data, size_t size)
{
    const char *bytes = data;
    while (size > 0) {
        ssize_t n = write(file, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

void bake_output_forget(bake_output *output)
{
    bake_temporary_forget(output->temporary);
    output->temporary = NULL;
}

int bake_open_there(const char *path, int flags)
{
    int file;
    do
        file = open(path, flags | O_CLOEXEC | O_NOCTTY);
    while (file < 0 && errno == EINTR);
    return file;
}

static void output_destroy(bake_output *output)
{
    if (!output)
        return;
    int error = errno;
    if (output->file >= 0)
        close(output->file);
    if (output->temporary)
        unlink(output->temporary);
    bake_free(output->path);
    bake_output_forget(output);
    bake_free(output->target);
    bake_free(output->buffer);
    bake_free(output);
    errno = error;
}

void bake_gateway_discard_outputs(bake_gateway *gateway)
{
    for (size_t i = 0; i < gateway->output_count; i++)
        output_destroy(gateway->outputs[i]);
    gateway->output_count = 0;
}

size_t bake_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool make_temporary(bake_output *output, size_t length)
{
    output->file = bake_temporary_make(output->target, length, &output->temporary);
    return output->file >= 0;
}

static bool set_target(bake_output *output, const char *target)
{
    size_t length = strlen(target);
    if (length == 0 || target[length - 1] == '/') {
        errno = length ? EISDIR : ENOENT;
        return false;
    }
    output->target = bake_copy_text(target, length);
    if (!output->target)
        errno = ENOMEM;
    return output->target != NULL;
}

static bool set_target_behind_links(bake_output *output)
{
    char *real = realpath(output->path, NULL);
    bool done = real && set_target(output, real);
    int error = errno;
    /* realpath's memory is the C library's own. */
    free(real);
    errno = error;
    return done;
}

/* Where the bytes go: fills `target`, or leaves it NULL for what is written directly. */
static bool find_target(bake_output *output)
{
    struct stat status;
    if (strcmp(output->path, "-") == 0)
        return true;
    if (stat(output->path, &status) != 0)
        return errno == ENOENT && set_target(output, output->path);
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (!S_ISREG(status.st_mode))
        return true;
    bool is_link = lstat(output->path, &status) == 0 && S_ISLNK(status.st_mode);
    return is_link ? set_target_behind_links(output) : set_target(output, output->path);
}

/* A device may be written twice, a file or standard output may not. */
static bool is_taken(const bake_gateway *gateway, const bake_output *output)
{
    if (!output->target && strcmp(output->path, "-") != 0)
        return false;
    const char *name = output->target ? output->target : output->path;
    for (size_t i = 0; i < gateway->output_count; i++) {
        const bake_output *other = gateway->outputs[i];
        if (strcmp(other->target ? other->target : other->path, name) == 0)
            return true;
    }
    return false;
}

/* Whether the file to be replaced is one that was read. */
static bool is_input(const bake_gateway *gateway, const bake_output *output)
{
    struct stat status;
    if (!output->target || stat(output->target, &status) != 0)
        return false;
    for (size_t i = 0; i < gateway->used_count; i++) {
        const used_path *used = &gateway->used[i];
        if (used->is_regular && used->device == status.st_dev && used->inode == status.st_ino)
            return true;
    }
    return false;
}

static bool output_open(const bake_gateway *gateway, bake_output *output, const char *path)
{
    output->path = bake_copy_text(path, strlen(path));
    output->buffer = bake_alloc(BUFFER_SIZE);
    if (!output->path || !output->buffer) {
        errno = ENOMEM;
        return false;
    }
    output->capacity = BUFFER_SIZE;
    if (!find_target(output))
        return false;
    if (is_taken(gateway, output)) {
        errno = EEXIST;
        return false;
    }
    if (is_input(gateway, output)) {
        errno = EBUSY;
        return false;
    }
    if (!output->target || make_temporary(output, strlen(output->target)))
        return true;
    /* A name of full length leaves no room for the suffix. */
    return errno == ENAMETOOLONG && make_temporary(output, bake_folder_length(output->target));
}

bool bake_output_reopen(bake_output *output)
{
    if (output->file < 0)
        output->file = bake_open_there(output->temporary, O_RDWR | O_APPEND);
    return output->file >= 0;
}

bool bake_output_flush(bake_output *output)
{
    bool done = output->used == 0 || bake_write_all(output->file, output->buffer, output->used);
    if (!done)
        output->error = errno;
    output->used = 0;
    return done;
}

/* Closing is over even when a signal comes in between. */
bool bake_output_close(bake_output *output)
{
    int file = output->file;
    output->file = -1;
    return close(file) == 0 || errno == EINTR;
}

/* Frees what an output holds while others are written, at the price of opening it anew. */
static void rest(bake_output *output)
{
    if (!output->target || output->file < 0)
        return;
    if (!bake_output_flush(output) || !bake_output_close(output))
        output->error = output->error ? output->error : errno;
    bake_free(output->buffer);
    output->buffer = NULL;
    output->capacity = 0;
}

bake_output *bake_output_begin(bake_gateway *gateway, const char *path)
{
    bake_output **outputs = bake_grow(gateway->outputs, &gateway->output_capacity,
                                      gateway->output_count + 1, sizeof *outputs);
    if (outputs)
        gateway->outputs = outputs;
    bake_output *output = outputs ? bake_alloc_array(1, sizeof *output) : NULL;
    if (!output) {
        errno = ENOMEM;
        return NULL;
    }
    output->file = -1;
    if (!output_open(gateway, output, path)) {
        output_destroy(output);
        return NULL;
    }
    if (gateway->output_count >= OPEN_OUTPUTS_MAX)
        rest(outputs[gateway->output_count - OPEN_OUTPUTS_MAX]);
    outputs[gateway->output_count++] = output;
    return output;
}

static bool append(bake_output *output, const void *data, size_t size)
{
    if (!output->target && size > output->capacity - output->used) {
        if (size > SIZE_MAX - output->used) {
            errno = ENOMEM;
            return false;
        }
        char *grown = bake_grow(output->buffer, &output->capacity, output->used + size, 1);
        if (!grown) {
            errno = ENOMEM;
            return false;
        }
        output->buffer = grown;
    }
    if (output->target && size > output->capacity - output->used && !bake_output_flush(output))
        return false;
    if (output->target && size >= output->capacity)
        return bake_output_reopen(output) && bake_write_all(output->file, data, size);
    if (size)
        memcpy(output->buffer + output->used, data, size);
    output->used += size;
    return true;
}

bool bake_output_write(void *ctx, const void *data, size_t size)
{
    bake_output *output = ctx;
    if (!output->error && !append(output, data, size))
        output->error = errno;
    errno = output->error;
    return output->error == 0;
}

#define _XOPEN_SOURCE 700

#include "gateway_store.h"

#include "bake_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)64 << 10)
/* Beyond these the files of earlier outputs are closed: a process may have few open. */
#define OPEN_OUTPUTS_MAX 64

/* Staged: written through `buffer` to `temporary`, which `target` becomes. Direct (`target` NULL):
 * all bytes gather in `buffer` until commit. */
struct bake_output {
    char *path;      /* as given */
    char *target;    /* behind links; NULL: direct */
    char *temporary; /* NULL: renamed or unlinked */
    int file;        /* of the temporary; -1: closed */
    int error;       /* of the first write that failed; 0: none */
    char *buffer;    /* NULL: closed, what follows is written as it comes */
    size_t used;
    size_t capacity;
};

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

static void forget_temporary(bake_output *output)
{
    bake_temporary_forget(output->temporary);
    output->temporary = NULL;
}

/* Opens what is there, going on after interruptions; -1 with errno set. */
static int open_there(const char *path, int flags)
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
    forget_temporary(output);
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

/* The length of the path's folder with its slash; 0: the current one. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool make_temporary(bake_output *output, size_t length)
{
    output->file = bake_temporary_make(output->target, length, &output->temporary);
    return output->file >= 0;
}

/* Where the bytes go: fills `target`, or leaves it NULL for what is written directly. */
static bool find_target(bake_output *output)
{
    if (strcmp(output->path, "-") == 0)
        return true;
    struct stat status;
    char *real = NULL;
    const char *target = output->path;
    if (stat(output->path, &status) == 0) {
        if (S_ISDIR(status.st_mode)) {
            errno = EISDIR;
            return false;
        }
        if (!S_ISREG(status.st_mode))
            return true;
        if (lstat(output->path, &status) == 0 && S_ISLNK(status.st_mode)) {
            real = realpath(output->path, NULL);
            if (!real)
                return false;
            target = real;
        }
    } else if (errno != ENOENT) {
        return false;
    }
    size_t length = strlen(target);
    if (length == 0 || target[length - 1] == '/') {
        errno = length ? EISDIR : ENOENT;
        return false;
    }
    output->target = bake_copy_text(target, length);
    /* realpath's memory is the C library's own. */
    free(real);
    if (!output->target)
        errno = ENOMEM;
    return output->target != NULL;
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
    return errno == ENAMETOOLONG && make_temporary(output, folder_length(output->target));
}

static bool reopen(bake_output *output)
{
    if (output->file < 0)
        output->file = open_there(output->temporary, O_RDWR | O_APPEND);
    return output->file >= 0;
}

static bool flush(bake_output *output)
{
    bool done = output->used == 0 || bake_write_all(output->file, output->buffer, output->used);
    if (!done)
        output->error = errno;
    output->used = 0;
    return done;
}

/* Closing is over even when a signal comes in between. */
static bool close_file(bake_output *output)
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
    if (!flush(output) || !close_file(output))
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
    if (output->target && size > output->capacity - output->used && !flush(output))
        return false;
    if (output->target && size >= output->capacity)
        return reopen(output) && bake_write_all(output->file, data, size);
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

/* Whether two files hold the same bytes; false also when that cannot be found out. */
static bool is_equal(int a, const char *b_path)
{
    int b = open_there(b_path, O_RDONLY);
    if (b < 0)
        return false;
    struct stat a_status;
    struct stat b_status;
    bool equal = fstat(a, &a_status) == 0 && fstat(b, &b_status) == 0 &&
                 a_status.st_size == b_status.st_size && lseek(a, 0, SEEK_SET) == 0;
    static const size_t half = BUFFER_SIZE / 2;
    char *buffer = equal ? bake_alloc(BUFFER_SIZE) : NULL;
    equal = equal && buffer;
    for (size_t got = half; equal && got == half;) {
        size_t other = 0;
        equal = bake_read_some(a, buffer, half, &got) &&
                bake_read_some(b, buffer + half, half, &other) && got == other &&
                memcmp(buffer, buffer + half, got) == 0;
    }
    bake_free(buffer);
    close(b);
    return equal;
}

static bool sync_file(int file)
{
    int result;
    do
        result = fsync(file);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/* What stands there may have been written by a run that was not durable. */
static bool sync_standing(const char *path)
{
    int file = open_there(path, O_RDONLY);
    if (file < 0)
        return false;
    bool done = sync_file(file);
    int error = errno;
    close(file);
    errno = error;
    return done;
}

/* Brings all bytes to the temporary file; after this only renaming can fail. */
static bool stage(bake_output *output, bool durable, bool if_changed)
{
    if (output->error) {
        errno = output->error;
        return false;
    }
    if (!output->target)
        return true;
    if (!flush(output) || ((durable || if_changed) && !reopen(output)))
        return false;
    if (if_changed && is_equal(output->file, output->target)) {
        if (unlink(output->temporary) != 0)
            return false;
        forget_temporary(output);
        if (durable && !sync_standing(output->target))
            return false;
    } else if (durable && !sync_file(output->file)) {
        return false;
    }
    return output->file < 0 || close_file(output);
}

static bool write_direct(const bake_output *output)
{
    bool is_stdout = strcmp(output->path, "-") == 0;
    int file = is_stdout ? STDOUT_FILENO : open_there(output->path, O_WRONLY);
    if (file < 0)
        return false;
    struct sigaction ignore = {0};
    struct sigaction before;
    ignore.sa_handler = SIG_IGN;
    bool ignoring = sigaction(SIGPIPE, &ignore, &before) == 0;
    bool done = bake_write_all(file, output->buffer, output->used);
    int error = errno;
    if (ignoring)
        sigaction(SIGPIPE, &before, NULL);
    if (!is_stdout && close(file) != 0 && errno != EINTR && done) {
        done = false;
        error = errno;
    }
    errno = error;
    return done;
}

/* Allocates nothing: after the renaming only the disk itself may fail. */
static bool sync_folder(char *target)
{
    size_t length = folder_length(target);
    char first = target[length];
    target[length] = '\0';
    int folder = open_there(length ? target : ".", O_RDONLY | O_DIRECTORY);
    target[length] = first;
    if (folder < 0)
        return false;
    /* Some file systems cannot sync a folder and say EINVAL. */
    bool done = sync_file(folder) || errno == EINVAL;
    int error = errno;
    close(folder);
    errno = error;
    return done;
}

static bool publish(bake_output *output, bool durable)
{
    if (!output->target)
        return write_direct(output);
    if (output->temporary) {
        if (rename(output->temporary, output->target) != 0)
            return false;
        forget_temporary(output);
    }
    return !durable || sync_folder(output->target);
}

bool bake_gateway_commit(bake_gateway *gateway, bool durable, bool if_changed,
                         const char **ret_path)
{
    bake_output *failed = NULL;
    for (size_t i = 0; i < gateway->output_count && !failed; i++)
        if (!stage(gateway->outputs[i], durable, if_changed))
            failed = gateway->outputs[i];
    for (size_t i = gateway->output_count; i > 0 && !failed; i--)
        if (!publish(gateway->outputs[i - 1], durable))
            failed = gateway->outputs[i - 1];
    if (failed && ret_path) {
        /* The caller's string outlives the output. */
        int error = errno;
        *ret_path = bake_gateway_own(gateway, failed->path) ? failed->path : "output";
        if (*ret_path == failed->path)
            failed->path = NULL;
        errno = error;
    }
    bake_gateway_discard_outputs(gateway);
    return !failed;
}

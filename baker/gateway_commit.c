/* The end of outputs: what was written becomes what is there, all of it or nothing. */
#define _XOPEN_SOURCE 700

#include "gateway_output.h"

#include "bake_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMPARED_AT_ONCE = 32768 };

/* Whether two files hold the same bytes; false also when that cannot be found out. */
static bool is_equal(int a, const char *b_path)
{
    int b = bake_open_there(b_path, O_RDONLY);
    if (b < 0)
        return false;
    struct stat a_status;
    struct stat b_status;
    bool equal = fstat(a, &a_status) == 0 && fstat(b, &b_status) == 0 &&
                 a_status.st_size == b_status.st_size && lseek(a, 0, SEEK_SET) == 0;
    char *buffer = equal ? bake_alloc(2 * (size_t)COMPARED_AT_ONCE) : NULL;
    equal = equal && buffer;
    for (size_t got = COMPARED_AT_ONCE; equal && got == COMPARED_AT_ONCE;) {
        size_t other = 0;
        equal = bake_read_some(a, buffer, COMPARED_AT_ONCE, &got) &&
                bake_read_some(b, buffer + COMPARED_AT_ONCE, COMPARED_AT_ONCE, &other) &&
                got == other && memcmp(buffer, buffer + COMPARED_AT_ONCE, got) == 0;
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
    int file = bake_open_there(path, O_RDONLY);
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
    if (!bake_output_flush(output) || ((durable || if_changed) && !bake_output_reopen(output)))
        return false;
    if (if_changed && is_equal(output->file, output->target)) {
        if (unlink(output->temporary) != 0)
            return false;
        bake_output_forget(output);
        if (durable && !sync_standing(output->target))
            return false;
    } else if (durable && !sync_file(output->file)) {
        return false;
    }
    return output->file < 0 || bake_output_close(output);
}

static bool write_direct(const bake_output *output)
{
    bool is_stdout = strcmp(output->path, "-") == 0;
    int file = is_stdout ? STDOUT_FILENO : bake_open_there(output->path, O_WRONLY);
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
    size_t length = bake_folder_length(target);
    char first = target[length];
    target[length] = '\0';
    int folder = bake_open_there(length ? target : ".", O_RDONLY | O_DIRECTORY);
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
        bake_output_forget(output);
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

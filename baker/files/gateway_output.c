/* Handles outputs until they are committed: resolves their targets and writes temporary files. A
 * run may have thousands of outputs, so earlier ones are flushed, their buffers freed and their
 * files closed. */
#define _XOPEN_SOURCE 700

#include "gateway_output.h"

#include "bake_memory.h"
#include "file_part.h"
#include "gateway_temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)64 << 10)
/* With more outputs than this, the buffers of earlier ones are freed and their files closed. */
enum { BUFFERS_MAX = 64, OPEN_FILES_MAX = 4096 };

/* ---- the target of a path, and whether two paths have the same target ---- */

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

static bool set_target_behind_links(bake_output *output, const char *path)
{
    char *real = realpath(path, NULL);
    bool done = real && set_target(output, real);
    int error = errno;
    /* realpath allocates with malloc. */
    free(real);
    errno = error;
    return done;
}

/* The descriptor that a name such as /dev/stdout refers to; -1: none. The file is not replaced but
 * written from its current position, as with "-". */
static int named_descriptor(const char *path)
{
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0)
        return STDOUT_FILENO;
    for (int i = 0; i < 3; i++)
        if (strcmp(path, streams[i]) == 0)
            return i;
    for (size_t i = 0; i < 2; i++) {
        const char *number = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) != 0)
            continue;
        size_t digits = strspn(number, "0123456789");
        if (digits > 0 && digits < 8 && !number[digits])
            return atoi(number);
    }
    return -1;
}

static bool find_target(bake_output *output, const char *path)
{
    struct stat link;
    output->descriptor = named_descriptor(path);
    if (output->descriptor >= 0)
        return fstat(output->descriptor, &output->existing) == 0;
    if (stat(path, &output->existing) != 0)
        return errno == ENOENT && set_target(output, path);
    if (S_ISDIR(output->existing.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (!S_ISREG(output->existing.st_mode))
        return true;
    output->replaces = true;
    bool is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    return is_link ? set_target_behind_links(output, path) : set_target(output, path);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool stat_folder(const char *target, struct stat *ret_status)
{
    size_t length = (size_t)(base_name(target) - target);
    char *folder = length ? bake_copy_text(target, length) : NULL;
    if (length && !folder) {
        errno = ENOMEM;
        return false;
    }
    bool done = stat(folder ? folder : ".", ret_status) == 0;
    int error = errno;
    bake_free(folder);
    errno = error;
    return done;
}

/* Whether both paths are the same name in the same folder, whatever the path of the folder. Hard
 * links are different targets: each is replaced separately. Returns false with errno set if a
 * folder cannot be examined; otherwise errno is 0. */
static bool is_same_target(const char *a, const char *b)
{
    struct stat a_folder, b_folder;
    errno = 0;
    if (strcmp(a, b) == 0)
        return true;
    if (strcmp(base_name(a), base_name(b)) != 0 || !stat_folder(a, &a_folder) ||
        !stat_folder(b, &b_folder))
        return false;
    errno = 0;
    return a_folder.st_dev == b_folder.st_dev && a_folder.st_ino == b_folder.st_ino;
}

static bool is_free(const bake_gateway *gateway, const bake_output *output)
{
    const char *name = output->target ? base_name(output->target) : NULL;
    for (size_t i = 0; i < gateway->place_count; i++) {
        const output_place *other = &gateway->places[i];
        errno = 0;
        if (name ? other->target && strcmp(other->name, name) == 0 &&
                       is_same_target(other->target, output->target)
                 : output->descriptor >= 0 && other->descriptor == output->descriptor)
            errno = BAKE_OUTPUT_TAKEN;
        if (errno)
            return false;
    }
    return true;
}

bool bake_output_is_same(const char *a, const char *b)
{
    bake_output first = {.path = NULL}, second = first;
    bool same = find_target(&first, a) && find_target(&second, b);
    if (same && first.target && second.target)
        same = is_same_target(first.target, second.target);
    else if (same)
        same = first.descriptor >= 0 && first.descriptor == second.descriptor;
    bake_free(first.target);
    bake_free(second.target);
    return same;
}

static bool take_place(bake_gateway *gateway, bake_output *output)
{
    output_place *places = bake_grow(gateway->places, &gateway->place_capacity,
                                     gateway->place_count + 1, sizeof *places);
    output_place place = {.descriptor = output->descriptor};
    if (places)
        gateway->places = places;
    bool has_path = output->target && gateway->keeps_details;
    if (places && output->target)
        place.target = bake_copy_text(output->target, strlen(output->target));
    if (places && has_path)
        place.path = bake_copy_text(output->path, strlen(output->path));
    if (!places || (output->target && !place.target) || (has_path && !place.path)) {
        bake_free(place.target);
        bake_free(place.path);
        errno = ENOMEM;
        return false;
    }
    place.name = place.target ? base_name(place.target) : NULL;
    output->place = gateway->place_count;
    places[gateway->place_count++] = place;
    return true;
}

/* ---- writing ---- */

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

bool bake_write_all_at(int file, const void *data, size_t size, uint64_t at)
{
    const char *bytes = data;
    while (size > 0) {
        ssize_t n = pwrite(file, bytes, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        size -= (size_t)n;
        at += (uint64_t)n;
    }
    return true;
}

void bake_output_forget(bake_output *output)
{
    bake_temporary_unregister(output->temporary);
    output->temporary = NULL;
}

int bake_open_existing(const char *path, int flags)
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
    if (output->hash) {
        kiln_allocator allocator = bake_memory_allocator();
        allocator.free(allocator.ctx, output->hash, sizeof *output->hash);
    }
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
    for (output_folder *folder = gateway->folders; folder; folder = folder->next)
        bake_folder_unguard(folder);
}

/* Whether the output would overwrite a regular file that was read. */
static bool is_input(const bake_gateway *gateway, const bake_output *output)
{
    const struct stat *existing = &output->existing;
    if (!output->replaces && !(output->descriptor >= 0 && S_ISREG(existing->st_mode)))
        return false;
    for (size_t i = 0; i < gateway->used_count; i++) {
        const used_path *used = &gateway->used[i];
        if (used->is_regular && used->device == existing->st_dev && used->inode == existing->st_ino)
            return true;
    }
    return false;
}

static bool open_temporary(bake_gateway *gateway, bake_output *output)
{
    /* No other user may read the file until it has the mode of the file that it replaces. */
    mode_t mode = output->replaces ? 0600 : 0666;
    output->folder = bake_folder_of(&gateway->folders, output->target, gateway->only_named);
    if (!output->folder)
        return false;
    output->file = bake_folder_open_unnamed(output->folder, mode);
    if (output->file < 0 && errno == ENOTSUP)
        output->file = bake_folder_open_named(output->folder, mode, &output->temporary);
    return output->file >= 0;
}

static bool begin_hash(bake_output *output)
{
    kiln_allocator allocator = bake_memory_allocator();
    output->hash = allocator.alloc(allocator.ctx, sizeof *output->hash, _Alignof(hash_stream));
    if (output->hash)
        kiln_hash_stream_begin(output->hash);
    else
        errno = ENOMEM;
    return output->hash != NULL;
}

static bool output_open(bake_gateway *gateway, bake_output *output, const char *path)
{
    output->path = bake_copy_text(path, strlen(path));
    output->buffer = bake_alloc(BUFFER_SIZE);
    if (!output->path || !output->buffer) {
        errno = ENOMEM;
        return false;
    }
    output->capacity = BUFFER_SIZE;
    if (!find_target(output, path))
        return false;
    if (!is_free(gateway, output))
        return false;
    if (is_input(gateway, output)) {
        errno = BAKE_OUTPUT_READ;
        return false;
    }
    return (!output->target || open_temporary(gateway, output)) &&
           (!gateway->keeps_details || begin_hash(output)) && take_place(gateway, output);
}

void bake_gateway_refuse_unnamed(bake_gateway *gateway)
{
    gateway->only_named = true;
}

void bake_gateway_reserve_streams(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF) {
            int opened = open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
            if (opened > STDERR_FILENO)
                close(opened);
            if (opened != file)
                return;
        }
}

bool bake_output_reopen(bake_output *output)
{
    if (output->file < 0)
        output->file = bake_open_existing(output->temporary, O_RDWR | O_APPEND | O_NOFOLLOW);
    return output->file >= 0;
}

bool bake_output_flush(bake_output *output)
{
    bool done = output->used == 0 || bake_write_all(output->file, output->buffer, output->used);
    if (!done)
        output->error = errno;
    if (output->hash && output->used)
        kiln_hash_stream_add(output->hash, output->buffer, output->used);
    output->used = 0;
    return done;
}

/* On Linux, the descriptor is closed even if close fails with EINTR. */
bool bake_output_close(bake_output *output)
{
    int file = output->file;
    output->file = -1;
    return close(file) == 0 || errno == EINTR;
}

/* Flushes and frees the buffer; later writes go directly to the file. */
static void free_buffer(bake_output *output)
{
    if (!output->target || output->file < 0 || output->error)
        return;
    if (bake_output_flush(output)) {
        bake_free(output->buffer);
        output->buffer = NULL;
        output->capacity = 0;
    }
}

/* Closes the file, after giving it a name so that it can be reopened. */
static void free_file(bake_output *output)
{
    free_buffer(output);
    if (!output->target || output->file < 0 || output->error)
        return;
    if (!output->temporary)
        output->temporary = bake_folder_name(output->folder, output->file);
    if (!output->temporary || !bake_output_close(output))
        output->error = errno;
}

/* How many output files may stay open: OPEN_FILES_MAX, but at most half of the process's limit on
 * open files. */
static size_t open_files_max(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 2 > OPEN_FILES_MAX)
        return OPEN_FILES_MAX;
    return limit.rlim_cur < 4 ? 2 : (size_t)limit.rlim_cur / 2;
}

/* Releases resources of older outputs before the output with index `count` begins. */
static void make_room(const bake_gateway *gateway, size_t count)
{
    size_t files = open_files_max();
    if (count >= BUFFERS_MAX)
        free_buffer(gateway->outputs[count - BUFFERS_MAX]);
    if (count >= files)
        free_file(gateway->outputs[count - files]);
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
    output->file = output->descriptor = -1;
    make_room(gateway, gateway->output_count);
    if (!output_open(gateway, output, path)) {
        output_destroy(output);
        return NULL;
    }
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
    if (output->target && size >= output->capacity) {
        if (output->hash && size)
            kiln_hash_stream_add(output->hash, data, size);
        return bake_output_reopen(output) && bake_write_all(output->file, data, size);
    }
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

bool bake_is_refusal(int error)
{
    return error == EPERM || error == EACCES || error == EINVAL || error == ENOTSUP ||
           error == EOPNOTSUPP || error == ENOSYS;
}

bool bake_output_set_mode(bake_output *output, unsigned mode)
{
    return !output->target || output->replaces ||
           (bake_output_reopen(output) &&
            (fchmod(output->file, (mode_t)mode) == 0 || bake_is_refusal(errno)));
}

bool bake_output_restart(bake_output *output)
{
    bool done = !output->target || (bake_output_reopen(output) && ftruncate(output->file, 0) == 0 &&
                                    lseek(output->file, 0, SEEK_SET) == 0);
    output->used = 0;
    output->error = done ? 0 : errno;
    if (output->hash)
        kiln_hash_stream_begin(output->hash);
    return done;
}

bool bake_output_read_back(void *ctx, uint64_t at, void *to, size_t size)
{
    bake_output *output = ctx;
    errno = output->error;
    if (output->error)
        return false;
    if (!output->target) {
        memcpy(to, output->buffer + at, size);
        return true;
    }
    return bake_output_reopen(output) && bake_output_flush(output) &&
           bake_file_read_part(output->file, at, to, size);
}

/* Another process may have replaced the target after the rename. Then the state stays unknown, so a
 * later check compares the content with the hash. */
void bake_output_keep(bake_gateway *gateway, const bake_output *output,
                      const bake_file_state *staged)
{
    output_place *place = &gateway->places[output->place];
    bake_file_state state;
    place->is_committed = true;
    if (!output->hash || !output->target)
        return;
    place->hash = kiln_hash_stream_end128(output->hash);
    if (bake_file_look(NULL, output->target, &state) == BAKE_PATH_FILE &&
        state.device == staged->device && state.inode == staged->inode &&
        state.size == staged->size && state.modified == staged->modified)
        place->state = state;
}

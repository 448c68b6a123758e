/* Commits outputs in two phases. For all outputs, `stage` does everything that may fail when the
 * disk is full. Then `publish` renames or links them and writes direct outputs. So if an output
 * cannot be stored, no target has changed yet. */
/* For extended attributes. */
#define _GNU_SOURCE

#include "gateway_output.h"

#include "bake_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>
#endif

/* ---- attributes copied from the replaced file: owner, group, mode, access control list and
 * extended user attributes. The system sets security labels ---- */

#ifdef __linux__
static const char access_list[] = "system.posix_acl_access";

/* Whether another process removed the attribute or made it larger in the meantime. Such an
 * attribute is not copied. */
static bool is_changed(int error)
{
    return error == ENODATA || error == ERANGE || error == ENOENT;
}

static bool copy_one(int file, const char *target, const char *name)
{
    ssize_t size = lgetxattr(target, name, NULL, 0);
    if (size < 0)
        return is_changed(errno) || bake_is_refusal(errno);
    char *value = bake_alloc((size_t)size + 1);
    if (!value) {
        errno = ENOMEM;
        return false;
    }
    ssize_t got = lgetxattr(target, name, value, (size_t)size);
    bool done = (got >= 0 && fsetxattr(file, name, value, (size_t)got, 0) == 0) ||
                (got < 0 && is_changed(errno)) || bake_is_refusal(errno);
    int error = errno;
    bake_free(value);
    errno = error;
    return done;
}

/* Removes the access control list that a new file inherits from its folder, because the replaced
 * file has none. */
static bool remove_list(int file)
{
    ssize_t size = flistxattr(file, NULL, 0);
    return size == 0 || (size > 0 && fremovexattr(file, access_list) == 0) || errno == ENODATA ||
           bake_is_refusal(errno);
}

static bool copy_lists(int file, const char *target)
{
    ssize_t size = llistxattr(target, NULL, 0);
    if (size < 0 && errno != ENOENT && !bake_is_refusal(errno))
        return false;
    char *names = size > 0 ? bake_alloc((size_t)size) : NULL;
    if (size > 0 && !names) {
        errno = ENOMEM;
        return false;
    }
    size = names ? llistxattr(target, names, (size_t)size) : 0;
    bool done = size >= 0 || is_changed(errno) || bake_is_refusal(errno), has_list = false;
    for (const char *name = names; done && size > 0 && name < names + size;
         name += strlen(name) + 1) {
        bool is_list = strcmp(name, access_list) == 0;
        has_list = has_list || is_list;
        if (is_list || strncmp(name, "user.", 5) == 0)
            done = copy_one(file, target, name);
    }
    int error = errno;
    bake_free(names);
    errno = error;
    return done && (has_list || remove_list(file));
}
#else
static bool copy_lists(int file, const char *target)
{
    (void)file;
    (void)target;
    return true;
}
#endif

/* Only the superuser may change the owner; other users may change the group to another of their
 * groups. */
static bool copy_owner(int file, const struct stat *existing)
{
    if (fchown(file, existing->st_uid, existing->st_gid) == 0)
        return true;
    if (!bake_is_refusal(errno))
        return false;
    return fchown(file, (uid_t)-1, existing->st_gid) == 0 || bake_is_refusal(errno);
}

static bool copy_attributes(const bake_output *output)
{
    const struct stat *existing = &output->existing;
    struct stat own;
    mode_t mode = existing->st_mode & 07777;
    if (fstat(output->file, &own) != 0)
        return false;
    if ((own.st_uid != existing->st_uid || own.st_gid != existing->st_gid) &&
        (!copy_owner(output->file, existing) || fstat(output->file, &own) != 0))
        return false;
    /* If the owner or group differs, drop the setuid or setgid bit, which would grant different
     * privileges. A different group gets the permissions of "other". */
    if (own.st_uid != existing->st_uid)
        mode &= ~(mode_t)S_ISUID;
    if (own.st_gid != existing->st_gid)
        mode = (mode & ~(mode_t)(S_ISGID | S_IRWXG)) | (mode & S_IRWXO) << 3;
    if (!copy_lists(output->file, output->target))
        return false;
    return (own.st_mode & 07777) == mode || fchmod(output->file, mode) == 0 ||
           bake_is_refusal(errno);
}

/* ---- commit ---- */

enum { COMPARED_AT_ONCE = 32768 };

/* Whether two files have the same contents. Also false if one of them cannot be read. */
static bool is_equal(int a, const char *b_path)
{
    int b = bake_open_existing(b_path, O_RDONLY | O_NONBLOCK);
    if (b < 0)
        return false;
    struct stat a_status;
    struct stat b_status;
    bool equal = fstat(a, &a_status) == 0 && fstat(b, &b_status) == 0 &&
                 S_ISREG(b_status.st_mode) && a_status.st_size == b_status.st_size &&
                 lseek(a, 0, SEEK_SET) == 0;
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

/* Syncs the existing file, because the run that wrote it may not have used `durable`. */
static bool sync_existing(const char *path)
{
    int file = bake_open_existing(path, O_RDONLY | O_NONBLOCK);
    if (file < 0)
        return false;
    bool done = sync_file(file);
    int error = errno;
    close(file);
    errno = error;
    return done;
}

/* Examines the target again, because another process may have changed it since the output began. */
static void stat_existing(bake_output *output)
{
    struct stat status;
    if (lstat(output->target, &status) == 0 && S_ISREG(status.st_mode)) {
        output->replaces = true;
        output->existing = status;
    }
}

/* Removes the temporary file of an output that equals the existing file. */
static bool drop(bake_output *output)
{
    if (output->temporary) {
        if (unlink(output->temporary) != 0)
            return false;
        bake_output_forget(output);
    }
    return bake_output_close(output);
}

/* Closes a duplicate of the file, because some file systems report write errors only on close. An
 * unnamed file itself must stay open until it has a name. */
static bool close_copy(int file)
{
    int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return copy < 0 || close(copy) == 0 || errno == EINTR;
}

/* Prepares an output: writes all bytes to the temporary file and copies the attributes of the file
 * that it replaces. After this, only `publish` can fail. */
static bool stage(bake_output *output, bool durable, bool if_changed)
{
    if (output->error) {
        errno = output->error;
        return false;
    }
    if (!output->target)
        return true;
    stat_existing(output);
    if (!bake_output_flush(output) ||
        ((durable || if_changed || output->replaces) && !bake_output_reopen(output)))
        return false;
    if (if_changed && is_equal(output->file, output->target))
        return drop(output) && (!durable || sync_existing(output->target));
    if ((output->replaces && !copy_attributes(output)) || (durable && !sync_file(output->file)))
        return false;
    if (output->temporary)
        return output->file < 0 || bake_output_close(output);
    return close_copy(output->file);
}

static bool write_direct(const bake_output *output)
{
    bool is_open = output->descriptor >= 0;
    int file = is_open ? output->descriptor : bake_open_existing(output->path, O_WRONLY);
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
    if (!is_open && close(file) != 0 && errno != EINTR && done) {
        done = false;
        error = errno;
    }
    errno = error;
    return done;
}

static bool sync_folder(const char *path)
{
    int folder = bake_open_existing(*path ? path : ".", O_RDONLY | O_DIRECTORY);
    if (folder < 0)
        return false;
    /* Some file systems cannot sync a folder and fail with EINVAL. */
    bool done = sync_file(folder) || errno == EINVAL;
    int error = errno;
    close(folder);
    errno = error;
    return done;
}

/* Examines the temporary file, or the existing file if the output equals it. */
static bake_file_state staged_state(const bake_output *output)
{
    struct stat status;
    bake_file_state none = {0};
    const char *path = output->temporary ? output->temporary : output->target;
    bool known = output->file >= 0 ? fstat(output->file, &status) == 0 : stat(path, &status) == 0;
    return known ? bake_file_state_of(&status) : none;
}

static bool publish(bake_output *output, bool durable)
{
    if (!output->target)
        return write_direct(output);
    if (output->temporary) {
        if (rename(output->temporary, output->target) != 0)
            return false;
        bake_output_forget(output);
    } else if (output->file >= 0 &&
               !(bake_folder_publish(output->folder, output->file, output->target) &&
                 bake_output_close(output))) {
        return false;
    }
    return !durable || sync_folder(output->folder->path);
}

bool bake_gateway_commit(bake_gateway *gateway, bool durable, bool if_changed,
                         const char **ret_path)
{
    bake_output *failed = NULL;
    for (size_t i = 0; i < gateway->output_count && !failed; i++)
        if (!stage(gateway->outputs[i], durable, if_changed))
            failed = gateway->outputs[i];
    for (size_t i = gateway->output_count; i > 0 && !failed; i--) {
        bake_output *output = gateway->outputs[i - 1];
        bake_file_state staged = {0};
        if (gateway->keeps_details && output->target)
            staged = staged_state(output);
        if (publish(output, durable))
            bake_output_keep(gateway, output, &staged);
        else
            failed = output;
    }
    if (failed && ret_path) {
        /* The path must outlive the output. */
        int error = errno;
        *ret_path = bake_gateway_own(gateway, failed->path) ? failed->path : "output";
        if (*ret_path == failed->path)
            failed->path = NULL;
        errno = error;
    }
    bake_gateway_discard_outputs(gateway);
    if (!failed)
        bake_gateway_restore_times(gateway);
    return !failed;
}

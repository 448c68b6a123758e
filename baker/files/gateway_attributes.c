/* What an output keeps of the file that it replaces: owner, group, mode, access control list and
 * the attributes of users. Security labels are the system's own affair. */
#define _GNU_SOURCE

#include "gateway_output.h"

#include "bake_memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Whether a call failed because it is not allowed or not known here, as opposed to a fault. */
static bool is_refusal(int error)
{
    return error == EPERM || error == EACCES || error == EINVAL || error == ENOTSUP ||
           error == EOPNOTSUPP || error == ENOSYS;
}

#ifdef __linux__
#include <sys/xattr.h>

static const char access_list[] = "system.posix_acl_access";

/* What is gone meanwhile, or grew, is left out: somebody else works on it. */
static bool is_changed(int error)
{
    return error == ENODATA || error == ERANGE || error == ENOENT;
}

static bool copy_one(int file, const char *target, const char *name)
{
    ssize_t size = lgetxattr(target, name, NULL, 0);
    if (size < 0)
        return is_changed(errno) || is_refusal(errno);
    char *value = bake_alloc((size_t)size + 1);
    if (!value) {
        errno = ENOMEM;
        return false;
    }
    ssize_t got = lgetxattr(target, name, value, (size_t)size);
    bool done = (got >= 0 && fsetxattr(file, name, value, (size_t)got, 0) == 0) ||
                (got < 0 && is_changed(errno)) || is_refusal(errno);
    int error = errno;
    bake_free(value);
    errno = error;
    return done;
}

/* A folder may give new files an access list that the old one has not. */
static bool remove_list(int file)
{
    ssize_t size = flistxattr(file, NULL, 0);
    return size == 0 || (size > 0 && fremovexattr(file, access_list) == 0) || errno == ENODATA ||
           is_refusal(errno);
}

static bool copy_lists(int file, const char *target)
{
    ssize_t size = llistxattr(target, NULL, 0);
    if (size < 0 && errno != ENOENT && !is_refusal(errno))
        return false;
    char *names = size > 0 ? bake_alloc((size_t)size) : NULL;
    if (size > 0 && !names) {
        errno = ENOMEM;
        return false;
    }
    size = names ? llistxattr(target, names, (size_t)size) : 0;
    bool done = size >= 0 || is_changed(errno) || is_refusal(errno), has_list = false;
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

/* Only the superuser may give a file away, but its owner may change the group to another of his. */
static bool keep_owner(int file, const struct stat *standing)
{
    if (fchown(file, standing->st_uid, standing->st_gid) == 0)
        return true;
    if (!is_refusal(errno))
        return false;
    return fchown(file, (uid_t)-1, standing->st_gid) == 0 || is_refusal(errno);
}

bool bake_output_keep_attributes(const bake_output *output)
{
    const struct stat *standing = &output->standing;
    struct stat own;
    mode_t mode = standing->st_mode & 07777;
    if (fstat(output->file, &own) != 0)
        return false;
    if ((own.st_uid != standing->st_uid || own.st_gid != standing->st_gid) &&
        (!keep_owner(output->file, standing) || fstat(output->file, &own) != 0))
        return false;
    /* Bits that lend the owner's or group's rights do not go to another one, and another group has
     * the rights of others. */
    if (own.st_uid != standing->st_uid)
        mode &= ~(mode_t)S_ISUID;
    if (own.st_gid != standing->st_gid)
        mode = (mode & ~(mode_t)(S_ISGID | S_IRWXG)) | (mode & S_IRWXO) << 3;
    if (!copy_lists(output->file, output->target))
        return false;
    return (own.st_mode & 07777) == mode || fchmod(output->file, mode) == 0 || is_refusal(errno);
}

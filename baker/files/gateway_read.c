/* Reads inputs. Every read has a limit. Files that may block forever or have side effects are
 * rejected: devices, pseudo-terminal masters, files in /proc that wait for data. */
#define _POSIX_C_SOURCE 200809L

#include "gateway_store.h"

#include "bake_memory.h"
#include "path_join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

void bake_gateway_set_input_max(bake_gateway *gateway, size_t max)
{
    /* Leaves room for the NUL and for one byte more than the limit. */
    gateway->input_max = max > 0 && max < SIZE_MAX / 4 ? max : SIZE_MAX / 4;
}

int bake_gateway_open(const bake_gateway *gateway, const char *path, int flags)
{
    char *resolved = bake_path_join(*path ? gateway->base : NULL, path);
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

static bool is_null_device(const struct stat *status)
{
    struct stat null;
    return S_ISCHR(status->st_mode) && stat("/dev/null", &null) == 0 && S_ISCHR(null.st_mode) &&
           null.st_rdev == status->st_rdev;
}

/* isatty also returns true for the master of a pseudo-terminal. But opening /dev/ptmx creates a
 * master that no program writes to, so a read would block forever. */
static bool is_terminal(int file)
{
    unsigned number;
    return isatty(file) == 1 && ioctl(file, TIOCGPTN, &number) != 0;
}

static bool refuse_large(bake_gateway *gateway)
{
    return bake_gateway_refuse(gateway, EFBIG,
                               "it is larger than the limit of %zu byte%s (--max-input)",
                               gateway->input_max, gateway->input_max == 1 ? "" : "s");
}

/* Rejects folders, named sockets, files above the size limit, and devices except terminals and
 * /dev/null. `file` is -1 before the file is opened. */
static bool check_kind(bake_gateway *gateway, const struct stat *status, int file)
{
    if (S_ISDIR(status->st_mode))
        return bake_gateway_refuse(gateway, EISDIR, NULL);
    if (S_ISBLK(status->st_mode) ||
        (file >= 0 && S_ISCHR(status->st_mode) && !is_null_device(status) && !is_terminal(file)))
        return bake_gateway_refuse(gateway, ENODEV, "it is a device, not a file");
    if (S_ISSOCK(status->st_mode) && file < 0)
        return bake_gateway_refuse(gateway, ENXIO, "it is a socket, not a file");
    if (S_ISREG(status->st_mode) && status->st_size > 0 &&
        (uintmax_t)status->st_size > gateway->input_max)
        return refuse_large(gateway);
    return true;
}

typedef struct read_mode {
    bool is_early;  /* before its turn; only plain files are read */
    bool is_listed; /* a folder listed it as a regular file */
} read_mode;

/* Only reading such a file has no side effects and does not block. */
static bool is_plain(const struct stat *status)
{
    return S_ISREG(status->st_mode) && status->st_size > 0;
}

/* Opens a path that was a regular file when its folder was listed, without looking at it first.
 * Returns -1 if it is none now. Opening a pipe does not wait for its other end. */
static int open_listed(bake_gateway *gateway, const char *path, struct stat *ret_status)
{
    int file = bake_gateway_open(gateway, path, O_NONBLOCK);
    if (file < 0)
        return -1;
    if (fstat(file, ret_status) == 0 && is_plain(ret_status) &&
        check_kind(gateway, ret_status, file))
        return file;
    close(file);
    return -1;
}

/* Opening a device may block or have side effects. So block devices are rejected before they are
 * opened. A character device may be a terminal, which only an open file shows, so it is opened
 * without blocking. The kind is checked again afterwards, because the file may have been
 * replaced. */
static int open_input(bake_gateway *gateway, const char *path, read_mode mode,
                      struct stat *ret_status)
{
    int listed = mode.is_listed ? open_listed(gateway, path, ret_status) : -1;
    if (listed >= 0)
        return listed;
    bool is_early = mode.is_early;
    char *resolved = bake_path_join(*path ? gateway->base : NULL, path);
    bool there = resolved && stat(resolved, ret_status) == 0;
    int error = errno;
    bake_free(resolved);
    if (!there) {
        bake_gateway_refuse(gateway, error, NULL);
        return -1;
    }
    if (!check_kind(gateway, ret_status, -1) || (is_early && !is_plain(ret_status)))
        return -1;
    bool is_device = S_ISCHR(ret_status->st_mode);
    int file = bake_gateway_open(gateway, path, is_device ? O_NONBLOCK : 0);
    bool ready =
        file >= 0 && fstat(file, ret_status) == 0 && (!is_device || fcntl(file, F_SETFL, 0) == 0);
    if (!ready)
        bake_gateway_refuse(gateway, errno, NULL);
    if (ready && check_kind(gateway, ret_status, file) && (!is_early || is_plain(ret_status)))
        return file;
    error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    return -1;
}

/* Checks that a regular file of known size neither grew nor shrank while it was read. Generated
 * files, such as those in /proc, may report no size or one that is too large. */
static bool check_size(bake_gateway *gateway, int file, const struct stat *before, size_t size)
{
    struct stat after;
    size_t expected = (size_t)before->st_size;
    if (!S_ISREG(before->st_mode) || before->st_size <= 0 || size == expected)
        return true;
    if (size > expected)
        return bake_gateway_refuse(gateway, ESTALE, "it grew while it was being read");
    if (fstat(file, &after) != 0)
        return bake_gateway_refuse(gateway, errno, NULL);
    /* Standard input may have been read in part already. */
    if (after.st_size == before->st_size)
        return true;
    return bake_gateway_refuse(gateway, ESTALE, "it was truncated while it was being read");
}

static bool read_more(int file, bool may_wait, void *data, size_t size, size_t expected,
                      size_t *ret_size)
{
    if (expected > 0)
        return bake_read_sized(file, data, size, expected, ret_size);
    return may_wait ? bake_read_some(file, data, size, ret_size)
                    : bake_read_ready(file, data, size, ret_size);
}

/* Reads to the end of the file, but at most `most` + 1 bytes. The extra byte shows that the file is
 * too large. */
static bool read_rest(int file, bool may_wait, size_t expected, size_t most, used_path *used)
{
    char *text = NULL;
    size_t capacity = 0;
    size_t size = 0;
    for (;;) {
        /* One byte is for the NUL, and one lets read report the end of the file without growing the
         * block. */
        size_t wanted = size == 0 ? expected + 2 : size + 2;
        /* All inputs stay in memory, so a file of known size gets no spare room. */
        bool is_known = size == 0 && expected > 0;
        char *grown =
            bake_block_grow(text, &capacity, wanted < 4096 && !is_known ? 4096 : wanted, 1);
        size_t got, room = capacity - 1 - size, left = most + 1 - size;
        if (!grown)
            errno = ENOMEM;
        text = grown ? grown : text;
        if (!grown || !read_more(file, may_wait, text + size, room < left ? room : left,
                                 is_known ? expected : 0, &got))
            break;
        size += got;
        if (size > most || size < capacity - 1) {
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

/* Reads an open file into `used`; returns false with errno set. */
static bool read_file(bake_gateway *gateway, int file, const struct stat *status, used_path *used)
{
    bool has_size = S_ISREG(status->st_mode) && status->st_size > 0;
    size_t expected = has_size ? (size_t)status->st_size : 0;
    /* Reading a regular file of size 0, such as /proc/kmsg, may block forever. */
    bool may_wait = has_size || !S_ISREG(status->st_mode);
    if (!read_rest(file, may_wait, expected, has_size ? expected : gateway->input_max, used))
        return bake_gateway_refuse(gateway, errno,
                                   !may_wait && errno == EAGAIN ? "reading it would block" : NULL);
    bool done = check_size(gateway, file, status, used->size) &&
                (used->size <= gateway->input_max || refuse_large(gateway));
    if (!done) {
        int error = errno;
        bake_block_free(used->text, used->capacity);
        used->text = NULL;
        used->size = used->capacity = 0;
        errno = error;
        return false;
    }
    used->is_regular = S_ISREG(status->st_mode);
    used->device = status->st_dev;
    used->inode = status->st_ino;
    bake_gateway_note_content(gateway, used, status, used->text, used->size);
    bake_gateway_spool_text(gateway->spool, used);
    return true;
}

static bool read_path(bake_gateway *gateway, const char *path, read_mode mode, used_path *used)
{
    struct stat status;
    bool is_stdin = strcmp(path, "-") == 0;
    if (is_stdin && fstat(STDIN_FILENO, &status) != 0)
        return bake_gateway_refuse(gateway, errno, NULL);
    if (is_stdin)
        return check_kind(gateway, &status, STDIN_FILENO) &&
               read_file(gateway, STDIN_FILENO, &status, used);
    int file = open_input(gateway, path, mode, &status);
    if (file < 0)
        return false;
    bool done = read_file(gateway, file, &status, used);
    int error = errno;
    close(file);
    errno = error;
    return done;
}

static const char *read_in_turn(bake_gateway *gateway, const char *path, bool is_listed,
                                size_t *ret_size)
{
    used_path *used = bake_gateway_record(gateway, path, BAKE_USE_MISSING);
    if (!used) {
        bake_gateway_refuse(gateway, errno, NULL);
        return NULL;
    }
    used->is_used_again = used->use == BAKE_USE_READ;
    if (!used->text) {
        if (!read_path(gateway, path, (read_mode){.is_listed = is_listed}, used)) {
            bake_gateway_note_kind(used, bake_path_kind_of_error(errno));
            return NULL;
        }
        used->use = BAKE_USE_READ;
    }
    if (ret_size)
        *ret_size = used->size;
    return used->text;
}

const char *bake_gateway_read(bake_gateway *gateway, const char *path, size_t *ret_size)
{
    return read_in_turn(gateway, path, false, ret_size);
}

const char *bake_gateway_read_listed(bake_gateway *gateway, const char *path, size_t *ret_size)
{
    return read_in_turn(gateway, path, true, ret_size);
}

/* ---- reading early ---- */

struct bake_early_text {
    used_path used; /* its path is NULL */
};

bake_early_text *bake_gateway_read_early(const bake_gateway *gateway, const char *path,
                                         bool is_listed, const char **ret_text, size_t *ret_size)
{
    /* Receives the reason for a failure, which nobody reads. */
    bake_gateway own = {.base = gateway->base,
                        .input_max = gateway->input_max,
                        .spool = gateway->spool,
                        .keeps_details = gateway->keeps_details};
    if (strcmp(path, "-") == 0)
        return NULL;
    bake_early_text *early = bake_alloc_array(1, sizeof *early);
    if (early)
        early->used.kind = BAKE_PATH_UNKNOWN;
    if (!early || !read_path(&own, path, (read_mode){true, is_listed}, &early->used)) {
        bake_free(early);
        return NULL;
    }
    *ret_text = early->used.text;
    *ret_size = early->used.size;
    return early;
}

bool bake_gateway_adopt(bake_gateway *gateway, const char *path, bake_early_text *early)
{
    used_path *used = bake_gateway_record(gateway, path, BAKE_USE_MISSING);
    if (!used || used->text)
        return false;
    used->is_used_again = used->use == BAKE_USE_READ;
    used->text = early->used.text;
    used->size = early->used.size;
    used->capacity = early->used.capacity;
    used->is_regular = early->used.is_regular;
    used->device = early->used.device;
    used->inode = early->used.inode;
    used->use = BAKE_USE_READ;
    bake_gateway_note_early(used, &early->used);
    bake_free(early);
    return true;
}

const char *bake_early_text_get(const bake_early_text *early)
{
    return early->used.text;
}

void bake_early_text_free(bake_early_text *early)
{
    if (early)
        bake_gateway_free_text(&early->used);
    bake_free(early);
}

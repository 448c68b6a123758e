/* A library for LD_PRELOAD that counts and records the program's calls that touch files, and
 * disturbs one of them.
 *
 * KILN_CUT_RECORD is a file to which a line is appended for each call: the call, its result and its
 * arguments. disk_model.h reads these lines. KILN_CUT is `NUMBER HOW`, where calls are numbered
 * from 1. HOW says what happens at that call:
 *   kill, killed    SIGKILL before the call, after it
 *   half            the write transfers half its bytes, then SIGKILL
 *   term, termed    SIGTERM before the call, after it
 *   eio, enospc, eintr
 *                   the call fails with that error; only close still has its effect
 *   full            each call from this one on that needs disk space fails with ENOSPC
 *   short           the read or write transfers half the bytes
 *   stop, stopped   SIGSTOP before the call, after it
 *   stops           SIGSTOP after the call and after every third call that follows
 *   grow, shrink    before the read, the file grows by a byte, or shrinks to half its size
 *
 * KILN_CUT_CLOCK is a number of seconds that the clock of the day is ahead of that of the files;
 * the number can be negative.
 *
 * KILN_CUT_NAMED simulates a file system without unnamed files. fsync is recorded but not executed,
 * because only its position in the record matters.
 *
 * Only calls through the dynamic linker are intercepted, so not those that the C library makes for
 * streams. */
#define _GNU_SOURCE
/* Both names of a call with a 64-bit variant are defined here, so neither may be an alias of the
 * other. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* Above the descriptors of a program under test, so that its descriptors have the same numbers as
 * without the shim. */
#define RECORD_FILE_MIN 500

typedef enum cut_how {
    CUT_NONE,
    CUT_KILL,
    CUT_KILLED,
    CUT_HALF,
    CUT_TERM,
    CUT_TERMED,
    CUT_EIO,
    CUT_ENOSPC,
    CUT_EINTR,
    CUT_FULL,
    CUT_SHORT,
    CUT_STOP,
    CUT_STOPPED,
    CUT_STOPS,
    CUT_GROW,
    CUT_SHRINK
} cut_how;

static const char *const how_names[] = {"none",    "kill",   "killed", "half",  "term",  "termed",
                                        "eio",     "enospc", "eintr",  "full",  "short", "stop",
                                        "stopped", "stops",  "grow",   "shrink"};

typedef enum cut_verdict { CUT_CALL, CUT_FAIL, CUT_PART } cut_verdict;

static bool is_ready;
static int record_file = -1;
static unsigned long call_count;
static unsigned long cut_at;
static cut_how how;
static bool only_named;
static time_t clock_ahead;

static int (*real_openat)(int, const char *, int, ...);
static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_close)(int);
static int (*real_renameat)(int, const char *, int, const char *);
static int (*real_unlinkat)(int, const char *, int);
static int (*real_linkat)(int, const char *, int, const char *, int);
static int (*real_symlinkat)(const char *, int, const char *);
static int (*real_mkdirat)(int, const char *, mode_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_flock)(int, int);
static int (*real_fchmod)(int, mode_t);
static int (*real_fchown)(int, uid_t, gid_t);
static int (*real_clock_gettime)(clockid_t, struct timespec *);

/* POSIX allows this conversion of a function pointer; ISO C does not define it. */
static void find_real(void *pointer, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    memcpy(pointer, &found, sizeof found);
}

static void get_ready(void)
{
    if (is_ready)
        return;
    is_ready = true;
    find_real(&real_openat, "openat");
    find_real(&real_read, "read");
    find_real(&real_write, "write");
    find_real(&real_close, "close");
    find_real(&real_renameat, "renameat");
    find_real(&real_unlinkat, "unlinkat");
    find_real(&real_linkat, "linkat");
    find_real(&real_symlinkat, "symlinkat");
    find_real(&real_mkdirat, "mkdirat");
    find_real(&real_ftruncate, "ftruncate");
    find_real(&real_flock, "flock");
    find_real(&real_fchmod, "fchmod");
    find_real(&real_fchown, "fchown");
    find_real(&real_clock_gettime, "clock_gettime");
    const char *ahead = getenv("KILN_CUT_CLOCK");
    clock_ahead = ahead ? (time_t)strtol(ahead, NULL, 10) : 0;
    only_named = getenv("KILN_CUT_NAMED") != NULL;
    const char *record = getenv("KILN_CUT_RECORD");
    int file = record ? real_openat(AT_FDCWD, record, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file >= 0) {
        record_file = fcntl(file, F_DUPFD_CLOEXEC, RECORD_FILE_MIN);
        real_close(file);
    }
    const char *cut = getenv("KILN_CUT");
    char name[16] = "none";
    if (cut && sscanf(cut, "%lu %15s", &cut_at, name) != 2)
        abort();
    for (size_t i = 0; i < sizeof how_names / sizeof *how_names; i++)
        if (strcmp(name, how_names[i]) == 0)
            how = (cut_how)i;
}

static void record(const char *format, ...)
{
    char line[8192];
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        abort();
    if (record_file >= 0 && real_write(record_file, line, (size_t)length) != length)
        abort();
    errno = error;
}

/* What happens to the call that begins now. */
static cut_verdict begin_call(bool needs_room)
{
    call_count++;
    if (how == CUT_FULL && needs_room && cut_at && call_count >= cut_at) {
        errno = ENOSPC;
        return CUT_FAIL;
    }
    if (call_count != cut_at)
        return CUT_CALL;
    switch (how) {
    case CUT_KILL:
        raise(SIGKILL);
        return CUT_CALL;
    case CUT_TERM:
        raise(SIGTERM);
        return CUT_CALL;
    case CUT_STOP:
        raise(SIGSTOP);
        return CUT_CALL;
    case CUT_EIO:
        errno = EIO;
        return CUT_FAIL;
    case CUT_ENOSPC:
        errno = ENOSPC;
        return CUT_FAIL;
    case CUT_EINTR:
        errno = EINTR;
        return CUT_FAIL;
    case CUT_HALF:
    case CUT_SHORT:
        return CUT_PART;
    default:
        return CUT_CALL;
    }
}

static void end_call(void)
{
    int error = errno;
    if (call_count == cut_at && (how == CUT_KILLED || how == CUT_HALF))
        raise(SIGKILL);
    if (call_count == cut_at && how == CUT_TERMED)
        raise(SIGTERM);
    if ((call_count == cut_at && how == CUT_STOPPED) ||
        (call_count >= cut_at && how == CUT_STOPS && (call_count - cut_at) % 3 == 0))
        raise(SIGSTOP);
    errno = error;
}

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    get_ready();
    bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    if (is_unnamed && only_named) {
        errno = EOPNOTSUPP;
        return -1;
    }
    bool makes = (flags & O_CREAT) != 0;
    int file =
        begin_call(makes || is_unnamed) == CUT_FAIL ? -1 : real_openat(folder, path, flags, mode);
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    record("open %d %s%s%s%s %s\n", file, writes ? "w" : "r", makes ? "c" : "",
           flags & O_TRUNC ? "t" : "", is_unnamed ? "u" : "", path);
    end_call();
    return file;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(arguments, int) : 0;
}

#define DEFINE_OPEN(name, extra)                                                                   \
    EXPORTED int name(const char *path, int flags, ...)                                            \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = mode_of(flags, arguments);                                                   \
        va_end(arguments);                                                                         \
        return open_at(AT_FDCWD, path, flags | (extra), mode);                                     \
    }

#define DEFINE_OPENAT(name, extra)                                                                 \
    EXPORTED int name(int folder, const char *path, int flags, ...)                                \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = mode_of(flags, arguments);                                                   \
        va_end(arguments);                                                                         \
        return open_at(folder, path, flags | (extra), mode);                                       \
    }

DEFINE_OPEN(open, 0)
DEFINE_OPEN(open64, O_LARGEFILE)
DEFINE_OPENAT(openat, 0)
DEFINE_OPENAT(openat64, O_LARGEFILE)

/* The name of open in a program built with _FORTIFY_SOURCE. */
EXPORTED int __open_2(const char *path, int flags);
EXPORTED int __open_2(const char *path, int flags)
{
    return open_at(AT_FDCWD, path, flags, 0);
}

EXPORTED int __open64_2(const char *path, int flags);
EXPORTED int __open64_2(const char *path, int flags)
{
    return open_at(AT_FDCWD, path, flags | O_LARGEFILE, 0);
}

EXPORTED int creat(const char *path, mode_t mode)
{
    return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

EXPORTED int creat64(const char *path, mode_t mode)
{
    return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_LARGEFILE, mode);
}

static size_t part_of(cut_verdict verdict, size_t size)
{
    return verdict == CUT_PART && size > 1 ? size / 2 : size;
}

/* What another program may do to a file while it is read. */
static void change_size(int file)
{
    struct stat status;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int other = real_openat(AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (other < 0 || fstat(other, &status) != 0 || !S_ISREG(status.st_mode) ||
        (how == CUT_GROW ? real_write(other, "#", 1) != 1
                         : real_ftruncate(other, status.st_size / 2) != 0))
        abort();
    real_close(other);
}

EXPORTED ssize_t read(int file, void *data, size_t size)
{
    get_ready();
    cut_verdict verdict = begin_call(false);
    if (call_count == cut_at && (how == CUT_GROW || how == CUT_SHRINK))
        change_size(file);
    ssize_t n = verdict == CUT_FAIL ? -1 : real_read(file, data, part_of(verdict, size));
    record("read %zd %d\n", n, file);
    end_call();
    return n;
}

EXPORTED ssize_t write(int file, const void *data, size_t size)
{
    get_ready();
    cut_verdict verdict = begin_call(true);
    ssize_t n = verdict == CUT_FAIL ? -1 : real_write(file, data, part_of(verdict, size));
    record("write %zd %d\n", n, file);
    end_call();
    return n;
}

EXPORTED int close(int file)
{
    get_ready();
    cut_verdict verdict = begin_call(true);
    int error = errno;
    int result = real_close(file);
    if (verdict == CUT_FAIL) {
        errno = error;
        result = -1;
    }
    record("close %d %d\n", result, file);
    end_call();
    return result;
}

static int sync_file(int file)
{
    get_ready();
    int result = begin_call(true) == CUT_FAIL ? -1 : 0;
    record("fsync %d %d\n", result, file);
    end_call();
    return result;
}

EXPORTED int fsync(int file)
{
    return sync_file(file);
}

EXPORTED int fdatasync(int file)
{
    return sync_file(file);
}

static int rename_at(int from_folder, const char *from, int to_folder, const char *to)
{
    get_ready();
    int result =
        begin_call(true) == CUT_FAIL ? -1 : real_renameat(from_folder, from, to_folder, to);
    record("rename %d %s\t%s\n", result, from, to);
    end_call();
    return result;
}

EXPORTED int rename(const char *from, const char *to)
{
    return rename_at(AT_FDCWD, from, AT_FDCWD, to);
}

EXPORTED int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return rename_at(from_folder, from, to_folder, to);
}

static int unlink_at(int folder, const char *path, int flags)
{
    get_ready();
    int result = begin_call(false) == CUT_FAIL ? -1 : real_unlinkat(folder, path, flags);
    record("unlink %d %s\n", result, path);
    end_call();
    return result;
}

EXPORTED int unlink(const char *path)
{
    return unlink_at(AT_FDCWD, path, 0);
}

EXPORTED int unlinkat(int folder, const char *path, int flags)
{
    return unlink_at(folder, path, flags);
}

static int link_at(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    get_ready();
    int result =
        begin_call(true) == CUT_FAIL ? -1 : real_linkat(from_folder, from, to_folder, to, flags);
    record("link %d %s\t%s\n", result, from, to);
    end_call();
    return result;
}

EXPORTED int link(const char *from, const char *to)
{
    return link_at(AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORTED int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    return link_at(from_folder, from, to_folder, to, flags);
}

EXPORTED int flock(int file, int operation)
{
    get_ready();
    int result = begin_call(false) == CUT_FAIL ? -1 : real_flock(file, operation);
    record("flock %d %d\n", result, file);
    end_call();
    return result;
}

EXPORTED int fchmod(int file, mode_t mode)
{
    get_ready();
    int result = begin_call(false) == CUT_FAIL ? -1 : real_fchmod(file, mode);
    record("fchmod %d %d\n", result, file);
    end_call();
    return result;
}

EXPORTED int fchown(int file, uid_t owner, gid_t group)
{
    get_ready();
    int result = begin_call(false) == CUT_FAIL ? -1 : real_fchown(file, owner, group);
    record("fchown %d %d\n", result, file);
    end_call();
    return result;
}

EXPORTED int symlink(const char *target, const char *path)
{
    get_ready();
    int result = begin_call(true) == CUT_FAIL ? -1 : real_symlinkat(target, AT_FDCWD, path);
    record("symlink %d %s\t%s\n", result, target, path);
    end_call();
    return result;
}

EXPORTED int mkdir(const char *path, mode_t mode)
{
    get_ready();
    int result = begin_call(true) == CUT_FAIL ? -1 : real_mkdirat(AT_FDCWD, path, mode);
    record("mkdir %d %s\n", result, path);
    end_call();
    return result;
}

static int truncate_file(int file, off_t size)
{
    get_ready();
    int result = begin_call(true) == CUT_FAIL ? -1 : real_ftruncate(file, size);
    record("ftruncate %d %d\n", result, file);
    end_call();
    return result;
}

EXPORTED int ftruncate(int file, off_t size)
{
    return truncate_file(file, size);
}

EXPORTED int ftruncate64(int file, off64_t size)
{
    return truncate_file(file, (off_t)size);
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
    get_ready();
    int result = real_clock_gettime(clock, ret_time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        ret_time->tv_sec += clock_ahead;
    return result;
}

EXPORTED time_t time(time_t *ret_time)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (ret_time)
        *ret_time = now.tv_sec;
    return now.tv_sec;
}

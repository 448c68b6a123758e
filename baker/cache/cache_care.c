#define _XOPEN_SOURCE 700

#include "cache_care.h"

#include "bake_memory.h"
#include "cache_folder.h"
#include "cache_tier.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEX_DIGITS = 32, TEMPORARY_AGE = 3600 };
/* How long a bake waits for another process that changes the total: so many times, so many
 * nanoseconds each. */
enum { LOCK_TRIES = 20, LOCK_PAUSE = 5000000 };

typedef struct care_object {
    bake_cache_key key;
    uint64_t size;
    int64_t used; /* when it was last used, in nanoseconds since 1970 */
} care_object;

/* The objects of a folder. */
typedef struct care_scan {
    int folder; /* open */
    care_object *items;
    size_t count, capacity;
    int error; /* the first; 0: none */
} care_scan;

/* ---- names ---- */

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads 32 digits. Returns false if the name is not that of an object. */
static bool read_name(const char *name, kiln_hash128 *ret_hash)
{
    uint64_t halves[2] = {0, 0};
    if (strlen(name) != HEX_DIGITS)
        return false;
    for (size_t i = 0; i < HEX_DIGITS; i++) {
        int digit = digit_of(name[i]);
        if (digit < 0)
            return false;
        halves[i / 16] = halves[i / 16] << 4 | (uint64_t)digit;
    }
    ret_hash->high = halves[0];
    ret_hash->low = halves[1];
    return true;
}

static bool is_temporary(const char *name)
{
    static const char prefix[] = ".kiln-bake.", suffix[] = ".tmp";
    size_t length = strlen(name);
    return length > sizeof prefix + sizeof suffix &&
           strncmp(name, prefix, sizeof prefix - 1) == 0 &&
           strcmp(name + length - (sizeof suffix - 1), suffix) == 0;
}

/* ---- the scan ---- */

static void fail(care_scan *scan, int error)
{
    if (!scan->error)
        scan->error = error;
}

/* Opens a folder in a folder; NULL if there is none. */
static DIR *open_folder(care_scan *scan, int in, const char *name)
{
    int file = openat(in, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *folder = file >= 0 ? fdopendir(file) : NULL;
    if (folder)
        return folder;
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
        fail(scan, errno);
    if (file >= 0)
        close(file);
    return NULL;
}

static void add_object(care_scan *scan, bake_cache_key key, const struct stat *status)
{
    care_object *items =
        bake_grow(scan->items, &scan->capacity, scan->count + 1, sizeof *scan->items);
    if (!items) {
        fail(scan, ENOMEM);
        return;
    }
    scan->items = items;
    items[scan->count++] = (care_object){key, (uint64_t)status->st_size,
                                         (int64_t)status->st_mtim.tv_sec * 1000000000 +
                                             (int64_t)status->st_mtim.tv_nsec};
}

/* Scans one of the 256 folders of a kind, whose name is the first digits of its objects. */
static void scan_fan(care_scan *scan, int parent, const char *digits, bake_cache_kind kind,
                     bool cleans)
{
    DIR *folder = open_folder(scan, parent, digits);
    for (const struct dirent *entry; folder && (entry = readdir(folder)) && !scan->error;) {
        bake_cache_key key = {kind, {0, 0}};
        struct stat status;
        bool is_object =
            read_name(entry->d_name, &key.hash) && memcmp(entry->d_name, digits, 2) == 0;
        if ((!is_object && !(cleans && is_temporary(entry->d_name))) ||
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        if (is_object)
            add_object(scan, key, &status);
        else if (status.st_mtime < time(NULL) - TEMPORARY_AGE)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
}

/* Lists all objects. With `cleans`, removes old temporary files. Returns false with errno set. Call
 * end_scan in each case. */
static bool begin_scan(care_scan *scan, const char *path, bool cleans)
{
    static const struct {
        const char *name;
        bake_cache_kind kind;
    } kinds[] = {{"ac", BAKE_CACHE_RESULT}, {"cas", BAKE_CACHE_CONTENT}};
    memset(scan, 0, sizeof *scan);
    scan->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (scan->folder < 0)
        return false;
    for (size_t i = 0; i < 2; i++) {
        DIR *folder = open_folder(scan, scan->folder, kinds[i].name);
        for (const struct dirent *entry; folder && (entry = readdir(folder)) && !scan->error;)
            if (strlen(entry->d_name) == 2 && digit_of(entry->d_name[0]) >= 0 &&
                digit_of(entry->d_name[1]) >= 0)
                scan_fan(scan, dirfd(folder), entry->d_name, kinds[i].kind, cleans);
        if (folder)
            closedir(folder);
    }
    errno = scan->error;
    return !scan->error;
}

static void end_scan(care_scan *scan)
{
    if (scan->folder >= 0)
        close(scan->folder);
    bake_free(scan->items);
}

static void add_total(bake_cache_totals *totals, const care_object *object)
{
    totals->results += object->key.kind == BAKE_CACHE_RESULT;
    totals->contents += object->key.kind == BAKE_CACHE_CONTENT;
    totals->bytes += object->size;
}

static bake_cache_totals total_of(const care_scan *scan)
{
    bake_cache_totals totals = {0, 0, 0};
    for (size_t i = 0; i < scan->count; i++)
        add_total(&totals, &scan->items[i]);
    return totals;
}

bool bake_cache_count(const char *path, bake_cache_totals *ret_totals)
{
    care_scan scan;
    bool done = begin_scan(&scan, path, false);
    int error = errno;
    *ret_totals = total_of(&scan);
    end_scan(&scan);
    errno = error;
    return done;
}

/* ---- the bound ---- */

static int open_lock(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = folder < 0 ? -1
                          : openat(folder, "lock",
                                   O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    int error = errno;
    if (folder >= 0)
        close(folder);
    errno = error;
    return file;
}

/* Tries to lock the folder so many times; 0: until it is locked. Returns the open file; -1 with
 * errno set. */
static int lock(const char *path, int tries)
{
    const struct timespec pause = {0, LOCK_PAUSE};
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open_lock(path), error = errno;
    while (file >= 0 && fcntl(file, tries ? F_SETLK : F_SETLKW, &whole) != 0) {
        error = errno;
        bool is_busy = tries > 1 && (error == EACCES || error == EAGAIN);
        tries -= is_busy;
        if (is_busy) {
            (void)nanosleep(&pause, NULL);
        } else if (error != EINTR) {
            close(file);
            file = -1;
        }
    }
    errno = error;
    return file;
}

/* Makes the next process that locks the folder count the objects. */
static void ask_for_count(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = folder < 0 ? -1
                          : openat(folder, "recount",
                                   O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file >= 0)
        close(file);
    if (folder >= 0)
        close(folder);
}

/* Reads or writes the total in the folder. A lost total only causes another scan. */
static bool read_total(int folder, uint64_t *ret_bytes)
{
    char text[32];
    char *end;
    int file = openat(folder, "size", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    if (got <= 1)
        return false;
    text[got] = '\0';
    errno = 0;
    *ret_bytes = strtoull(text, &end, 10);
    return errno == 0 && *text >= '0' && *text <= '9' && strcmp(end, "\n") == 0;
}

static void write_total(int folder, uint64_t bytes)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%" PRIu64 "\n", bytes);
    int file = openat(folder, "size",
                      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file < 0)
        return;
    if (write(file, text, (size_t)length) != length)
        (void)unlinkat(folder, "size", 0);
    close(file);
}

static int compare_used(const void *a, const void *b)
{
    const care_object *left = a, *right = b;
    return (left->used > right->used) - (left->used < right->used);
}

/* Removes objects until at most `most` bytes are left. */
static void collect(care_scan *scan, uint64_t most, bake_cache_totals *left,
                    bake_cache_totals *removed)
{
    char name[BAKE_CACHE_NAME_SIZE];
    *left = total_of(scan);
    memset(removed, 0, sizeof *removed);
    if (scan->count > 1)
        qsort(scan->items, scan->count, sizeof *scan->items, compare_used);
    for (size_t i = 0; i < scan->count && left->bytes > most; i++) {
        const care_object *object = &scan->items[i];
        bake_cache_name(name, object->key, true);
        if (unlinkat(scan->folder, name, 0) != 0 && errno != ENOENT) {
            fail(scan, errno);
            continue;
        }
        add_total(removed, object);
        left->results -= object->key.kind == BAKE_CACHE_RESULT;
        left->contents -= object->key.kind == BAKE_CACHE_CONTENT;
        left->bytes -= object->size;
    }
}

bool bake_cache_collect(const char *path, uint64_t most, bake_cache_totals *ret_left,
                        bake_cache_totals *ret_removed)
{
    care_scan scan = {.folder = -1};
    memset(ret_left, 0, sizeof *ret_left);
    memset(ret_removed, 0, sizeof *ret_removed);
    int locked = lock(path, 0);
    if (locked < 0)
        return false;
    bool done = begin_scan(&scan, path, true);
    int error = errno;
    if (done) {
        collect(&scan, most, ret_left, ret_removed);
        write_total(scan.folder, ret_left->bytes);
        error = scan.error;
    }
    end_scan(&scan);
    close(locked);
    errno = error;
    return done && !error;
}

void bake_cache_bound(const char *path, uint64_t added, uint64_t most)
{
    uint64_t bytes;
    int locked = lock(path, LOCK_TRIES);
    if (locked < 0) {
        ask_for_count(path);
        return;
    }
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Whoever asks for a count after this has its objects counted by the next process. */
    bool is_asked = folder >= 0 && unlinkat(folder, "recount", 0) == 0;
    bool is_known =
        !is_asked && folder >= 0 && read_total(folder, &bytes) && bytes <= UINT64_MAX - added;
    if (is_known && bytes + added <= most) {
        write_total(folder, bytes + added);
    } else if (folder >= 0) {
        bake_cache_totals left, removed;
        care_scan scan;
        if (begin_scan(&scan, path, true)) {
            left = total_of(&scan);
            if (left.bytes > most)
                collect(&scan, most - most / 5, &left, &removed);
            write_total(folder, left.bytes);
        }
        end_scan(&scan);
    }
    if (folder >= 0)
        close(folder);
    close(locked);
}

/* ---- verify ---- */

static bool ignore_begin(void *ctx)
{
    (void)ctx;
    return true;
}

static bool ignore(void *ctx, const void *data, size_t size)
{
    (void)ctx;
    (void)data;
    (void)size;
    return true;
}

/* Whether the object can be read and is what its name says. `*ret_failed` is set if memory runs
 * out. A content may be large, so it is only hashed. */
static bool is_intact(cache_tier *tier, bake_cache_key key, bool *ret_failed)
{
    static const bake_cache_sink sink = {ignore_begin, ignore, NULL};
    cache_outlet outlet = {.sink = &sink};
    /* Nobody stores a larger object. */
    cache_bytes bytes = {.most = BAKE_CACHE_OBJECT_MAX + BAKE_CACHE_HEADER_SIZE};
    if (key.kind == BAKE_CACHE_CONTENT)
        bytes.outlet = &outlet;
    kiln_hash_stream_begin(&outlet.stream);
    cache_answer answer = tier->kind->get(tier, key, &bytes);
    bool ok = answer == CACHE_DONE && bake_cache_check(key, &bytes);
    *ret_failed = answer == CACHE_STOPPED;
    bake_cache_bytes_fini(&bytes);
    /* An object that was removed in the meantime is not damaged. */
    return ok || answer == CACHE_ABSENT;
}

bool bake_cache_verify(const char *path,
                       void (*on_damaged)(void *ctx, const char *name, bool is_removed), void *ctx,
                       bake_cache_totals *ret_totals)
{
    care_scan scan = {.folder = -1};
    cache_tier *tier = bake_cache_folder_create(path, true);
    bool failed = !tier;
    int error = ENOMEM;
    memset(ret_totals, 0, sizeof *ret_totals);
    if (tier && !begin_scan(&scan, path, false)) {
        failed = true;
        error = errno;
    }
    /* To check an object does not mark it as used. */
    if (tier)
        tier->is_read_only = true;
    for (size_t i = 0; i < scan.count && !failed; i++) {
        char name[BAKE_CACHE_NAME_SIZE];
        add_total(ret_totals, &scan.items[i]);
        if (is_intact(tier, scan.items[i].key, &failed) || failed)
            continue;
        bake_cache_name(name, scan.items[i].key, true);
        on_damaged(ctx, name, unlinkat(scan.folder, name, 0) == 0);
    }
    end_scan(&scan);
    if (tier)
        tier->kind->destroy(tier);
    errno = error;
    return !failed;
}

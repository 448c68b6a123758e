#define _GNU_SOURCE

#include "watch_notify.h"

#include "bake_memory.h"
#include "monotonic_clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

int64_t bake_watch_clock(void)
{
    return (int64_t)(bake_monotonic_now() / 1000000);
}

void bake_watch_sleep(int milliseconds)
{
    int64_t end = bake_watch_clock() + milliseconds;
    for (int64_t left = milliseconds; left > 0; left = end - bake_watch_clock())
        poll(NULL, 0, (int)left);
}

#ifdef __linux__
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* WRITERS_MAX: how many files that are being written are remembered. With more, nobody waits for
 * the others. */
enum { WRITERS_MAX = 64, EVENTS_SIZE = 1 << 16 };

/* A watch of inotify. Several paths can lead to the same folder. */
typedef struct watched {
    int number;
    uint32_t folder;
} watched;

/* A file that is being written. */
typedef struct writer {
    int number;
    uint64_t name;
} writer;

struct watch_notify {
    int file;
    const watch_places *places;
    watched *items; /* sorted by number */
    size_t count, capacity;
    writer writers[WRITERS_MAX];
    size_t writer_count;
    _Alignas(8) char events[EVENTS_SIZE];
};

watch_notify *bake_watch_notify_create(void)
{
    watch_notify *notify = bake_alloc_array(1, sizeof *notify);
    if (!notify) {
        errno = ENOMEM;
        return NULL;
    }
    notify->file = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (notify->file >= 0)
        return notify;
    int error = errno;
    bake_free(notify);
    errno = error;
    return NULL;
}

void bake_watch_notify_destroy(watch_notify *notify)
{
    if (!notify)
        return;
    close(notify->file);
    bake_free(notify->items);
    bake_free(notify);
}

/* ---- which folders are watched ---- */

static int compare_watched(const void *a, const void *b)
{
    const watched *x = a, *y = b;
    int order = (x->number > y->number) - (x->number < y->number);
    return order ? order : (x->folder > y->folder) - (x->folder < y->folder);
}

/* Whether the folder is on a file system that others change without events: NFS, SMB, CIFS, AFS,
 * 9P, Ceph, and FUSE, which may be one of them. The numbers are those of statfs(2). */
static bool is_remote(const char *path)
{
    static const uint32_t types[] = {0x6969,     0x517b,     0xff534d42, 0xfe534d42,
                                     0x5346414f, 0x01021997, 0x00c36400, 0x65735546};
    struct statfs status;
    if (statfs(path, &status) != 0)
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((uint32_t)status.f_type == types[i])
            return true;
    return false;
}

/* Adds the watch of a folder. A missing one is noticed by its parent. Returns false with errno set
 * if no more folders can be watched. */
static bool add_watch(watch_notify *notify, uint32_t folder, watched *items, size_t *count,
                      const char **ret_silent)
{
    const watch_folder *row = &notify->places->folders[folder];
    int number = inotify_add_watch(notify->file, row->path,
                                   IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE |
                                       IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                                       IN_ONLYDIR);
    bool is_silent = false;
    if (number >= 0) {
        items[(*count)++] = (watched){number, folder};
        is_silent = row->has_inputs && is_remote(row->path);
    } else if (errno == ENOSPC || errno == ENOMEM) {
        return false;
    } else {
        is_silent = row->has_inputs && errno == EACCES;
    }
    if (is_silent && !*ret_silent)
        *ret_silent = row->path;
    return true;
}

/* Removes the watches of `before` that are not in `items`; both are sorted. */
static void remove_others(const watch_notify *notify, const watched *before, size_t before_count)
{
    size_t k = 0;
    for (size_t i = 0; i < before_count; i++) {
        while (k < notify->count && notify->items[k].number < before[i].number)
            k++;
        bool is_used = k < notify->count && notify->items[k].number == before[i].number;
        if (!is_used && (i == 0 || before[i - 1].number != before[i].number))
            inotify_rm_watch(notify->file, before[i].number);
    }
}

bool bake_watch_notify_set(watch_notify *notify, const watch_places *places,
                           const char **ret_silent)
{
    size_t count = 0;
    bool done = true;
    watched *items = bake_alloc_array(places->folder_count + 1, sizeof *items);
    *ret_silent = NULL;
    if (!items) {
        errno = ENOMEM;
        return false;
    }
    notify->places = places;
    for (size_t i = 0; i < places->folder_count && done; i++)
        done = add_watch(notify, (uint32_t)i, items, &count, ret_silent);
    int error = errno;
    qsort(items, count, sizeof *items, compare_watched);
    watched *before = notify->items;
    size_t before_count = notify->count;
    notify->items = items;
    notify->count = count;
    remove_others(notify, before, before_count);
    bake_free(before);
    errno = error;
    return done;
}

/* ---- events ---- */

/* The first entry with this number; `count` if there is none. */
static size_t find_watched(const watch_notify *notify, int number)
{
    size_t low = 0, high = notify->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (notify->items[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < notify->count && notify->items[low].number == number ? low : notify->count;
}

/* Whether a file was just created and is still empty, so that its content is yet to come. Not so
 * for a file that got its name later, or a second one. */
static bool is_new_and_empty(const char *folder, const char *name)
{
    struct stat status;
    char path[4096];
    size_t length = strlen(folder), size = strlen(name);
    if (length + size + 2 > sizeof path)
        return false;
    memcpy(path, folder, length);
    path[length] = '/';
    memcpy(path + length + 1, name, size + 1);
    return lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0 &&
           status.st_nlink == 1;
}

/* Notes whether a program writes to the file of the event. */
static void note_writer(watch_notify *notify, const struct inotify_event *event, const char *folder)
{
    const writer seen = {event->wd, kiln_hash64(event->name, strlen(event->name), 0)};
    size_t i = 0;
    while (i < notify->writer_count &&
           (notify->writers[i].number != seen.number || notify->writers[i].name != seen.name))
        i++;
    bool is_known = i < notify->writer_count;
    bool ends = event->mask & (IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO);
    bool begins = event->mask & IN_MODIFY ||
                  (event->mask & IN_CREATE && is_new_and_empty(folder, event->name));
    if (ends && is_known)
        notify->writers[i] = notify->writers[--notify->writer_count];
    else if (!ends && begins && !is_known && notify->writer_count < WRITERS_MAX)
        notify->writers[notify->writer_count++] = seen;
}

/* Whether the event is one of an input. */
static bool matters(watch_notify *notify, const struct inotify_event *event)
{
    if (event->mask & IN_Q_OVERFLOW)
        return true;
    const watch_folder *folders = notify->places->folders;
    size_t at = find_watched(notify, event->wd);
    if (at < notify->count && event->len == 0)
        return true;
    for (; at < notify->count && notify->items[at].number == event->wd; at++) {
        uint32_t folder = notify->items[at].folder;
        if (!bake_watch_places_contain(notify->places, folder, event->name, event->mask & IN_ISDIR))
            continue;
        if (!(event->mask & IN_ISDIR))
            note_writer(notify, event, folders[folder].path);
        return true;
    }
    return false;
}

/* Reads the events that are available now. */
static size_t read_events(watch_notify *notify)
{
    size_t count = 0;
    for (;;) {
        ssize_t size = read(notify->file, notify->events, sizeof notify->events);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return count;
        for (ssize_t at = 0; at < size;) {
            const struct inotify_event *event = (const void *)(notify->events + at);
            at += (ssize_t)(sizeof *event + event->len);
            count += matters(notify, event);
        }
    }
}

size_t bake_watch_notify_wait(watch_notify *notify, int most)
{
    int64_t end = bake_watch_clock() + most;
    for (;;) {
        size_t count = read_events(notify);
        int64_t left = most < 0 ? -1 : end - bake_watch_clock();
        if (count || (most >= 0 && left <= 0))
            return count;
        struct pollfd file = {notify->file, POLLIN, 0};
        poll(&file, 1, (int)left);
    }
}

bool bake_watch_notify_is_writing(const watch_notify *notify)
{
    return notify->writer_count > 0;
}

void bake_watch_notify_forget_writers(watch_notify *notify)
{
    notify->writer_count = 0;
}

#else

watch_notify *bake_watch_notify_create(void)
{
    errno = ENOSYS;
    return NULL;
}

void bake_watch_notify_destroy(watch_notify *notify)
{
    (void)notify;
}

bool bake_watch_notify_set(watch_notify *notify, const watch_places *places,
                           const char **ret_silent)
{
    (void)notify;
    (void)places;
    *ret_silent = NULL;
    return true;
}

size_t bake_watch_notify_wait(watch_notify *notify, int most)
{
    (void)notify;
    bake_watch_sleep(most);
    return 0;
}

bool bake_watch_notify_is_writing(const watch_notify *notify)
{
    (void)notify;
    return false;
}

void bake_watch_notify_forget_writers(watch_notify *notify)
{
    (void)notify;
}
#endif

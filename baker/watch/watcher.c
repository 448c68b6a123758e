/* For access. */
#define _XOPEN_SOURCE 700

#include "watcher.h"

#include "watch_git.h"
#include "watch_notify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Milliseconds. MANY and MOST are numbers of events, after which the pause that ends a change must
 * be longer. WRITER: how long to wait for a program that writes. GONE: how long to wait for a file
 * that has disappeared. LOCK: how often to look for the lock of git, and LOCK_IDLE: how long to
 * wait for it without any event, because a killed git leaves its lock behind. LIMIT: how long a
 * change may last, and LIMIT_LOCK: with git's lock. */
enum {
    MANY = 16,
    MANY_PAUSE = 100,
    MOST = 128,
    MOST_PAUSE = 250,
    WRITER = 500,
    GONE = 200,
    LOCK = 10,
    LOCK_IDLE = 2000,
    LIMIT = 5000,
    LIMIT_LOCK = 60000
};

struct bake_watcher {
    bake_watcher_def def;
    bake_record_list records;
    watch_places places;
    watch_notify *notify;  /* NULL: look at intervals */
    int interval;          /* of looking; 0: only after events */
    bool ignores_unstable; /* paths that changed during the last bake have already caused one */
    bool is_blind;         /* the reason why there are no events was reported */
    bool has_notice;       /* and it was not taken yet */
    char notice[400];
    bake_store store;
    const char *lock; /* of git; NULL: there is no repository */
};

/* ---- looking at intervals ---- */

/* Uses intervals from now on, and remembers why. */
static void go_blind(bake_watcher *w, const char *why)
{
    if (w->interval == 0)
        w->interval = WATCH_POLL;
    w->has_notice = w->has_notice || !w->is_blind;
    if (!w->is_blind)
        snprintf(w->notice, sizeof w->notice,
                 "%s, so kiln-bake looks for changes every %d ms (see --poll)", why, w->interval);
    w->is_blind = true;
}

static void explain_error(bake_watcher *w, int error)
{
    char text[200];
    if (error == ENOSPC)
        go_blind(w, "the limit fs.inotify.max_user_watches is reached");
    else if (error == EMFILE)
        go_blind(w, "the limit fs.inotify.max_user_instances is reached");
    else if (error == ENOSYS)
        go_blind(w, "this system does not report changes of files");
    else {
        snprintf(text, sizeof text, "files cannot be watched: %s", strerror(error));
        go_blind(w, text);
    }
}

bake_watcher *bake_watcher_create(const bake_watcher_def *def)
{
    bake_watcher *w = bake_alloc_array(1, sizeof *w);
    if (!w)
        return NULL;
    w->def = *def;
    w->interval = def->poll;
    w->lock = bake_watch_git_lock(&w->store);
    if (def->poll == 0)
        w->notify = bake_watch_notify_create();
    bool no_memory = w->store.failed || (def->poll == 0 && !w->notify && errno == ENOMEM);
    if (no_memory) {
        bake_watcher_destroy(w);
        return NULL;
    }
    if (def->poll == 0 && !w->notify)
        explain_error(w, errno);
    return w;
}

void bake_watcher_destroy(bake_watcher *watcher)
{
    if (!watcher)
        return;
    bake_watch_notify_destroy(watcher->notify);
    bake_watch_places_fini(&watcher->places);
    bake_record_list_fini(&watcher->records);
    bake_store_fini(&watcher->store);
    bake_free(watcher);
}

/* ---- what is watched ---- */

static void explain_silence(bake_watcher *w, const char *folder)
{
    char text[300];
    snprintf(text, sizeof text,
             "changes in %.150s are not reported, because it is unreadable or on a network file "
             "system",
             folder);
    go_blind(w, text);
}

/* Watches the folders that exist now. Returns false if memory runs out. */
static bool update(bake_watcher *w)
{
    const char *silent = NULL;
    if (!w->notify)
        return true;
    bake_watch_places_fini(&w->places);
    if (!bake_watch_places_add(&w->places, &w->records))
        return false;
    if (!bake_watch_notify_set(w->notify, &w->places, &silent)) {
        int error = errno;
        if (error == ENOMEM)
            return false;
        bake_watch_notify_destroy(w->notify);
        w->notify = NULL;
        explain_error(w, error);
    } else if (silent) {
        explain_silence(w, silent);
    }
    return true;
}

bool bake_watcher_set(bake_watcher *watcher, bake_record_list *records)
{
    bake_record_list_fini(&watcher->records);
    watcher->records = *records;
    *records = (bake_record_list){0};
    return !watcher->records.failed && update(watcher);
}

size_t bake_watcher_path_count(const bake_watcher *watcher)
{
    size_t count = 0;
    for (size_t i = 0; i < watcher->records.count; i++)
        count += bake_record_path_count(watcher->records.items[i]);
    return count;
}

size_t bake_watcher_folder_count(const bake_watcher *watcher)
{
    return watcher->places.folder_count;
}

const char *bake_watcher_take_notice(bake_watcher *watcher)
{
    const char *notice = watcher->has_notice ? watcher->notice : NULL;
    watcher->has_notice = false;
    return notice;
}

/* ---- comparing ---- */

/* Adds the differences from the records. Returns false if memory runs out. */
static bool compare(bake_watcher *w, bool counts_unstable, bake_changes *changes)
{
    bool done = true;
    for (size_t i = 0; i < w->records.count && done; i++)
        done = bake_record_check_inputs(w->records.items[i], counts_unstable, changes) !=
               BAKE_RECORD_NO_MEMORY;
    return done;
}

static bool is_text(const char *const *texts, uint32_t number, text_key key)
{
    return strncmp(texts[number], key.text, key.length) == 0 && texts[number][key.length] == '\0';
}
HASH_TABLE(text_set, const char *const *, text_key, hash_of_text, is_text)

/* Texts that were seen before. */
typedef struct seen_texts {
    const char **items;
    size_t count, capacity;
    hash_table table;
    bake_store *store;
} seen_texts;

/* Adds a text unless it exists, and returns whether it is new; also false if memory runs out. */
static bool is_new(seen_texts *seen, const char *text)
{
    const char **items =
        bake_store_grow(seen->store, seen->items, &seen->capacity, seen->count + 1, sizeof *items);
    if (!items || !text || !bake_table_reserve_in(&seen->table, seen->store))
        return false;
    seen->items = items;
    hash_slot *slot = text_set_slot(&seen->table, items, (text_key){text, strlen(text)});
    if (!hash_slot_is_empty(slot))
        return false;
    hash_table_put(&seen->table, slot, (uint32_t)seen->count);
    items[seen->count++] = text;
    return true;
}

/* The change of the folder's names if the file at `path` is missing. NULL if memory runs out. */
static const char *missing_name(bake_store *store, const char *path)
{
    static const char between[] = ": file ", after[] = " is missing";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = slash ? (size_t)(slash - path) : 1, size = strlen(name);
    char *text = bake_store_alloc(store, length + size + sizeof between + sizeof after, 1);
    if (text)
        snprintf(text, length + size + sizeof between + sizeof after, "%.*s%s%s%s", (int)length,
                 slash ? path : ".", between, name, after);
    return text;
}

/* Keeps only the first of equal changes: several runs read the same schemas. The changes of files
 * come first; that of a missing file implies that its name is missing. Returns false if memory runs
 * out. */
static bool remove_duplicates(bake_changes *changes)
{
    bake_store *store = &changes->store;
    seen_texts seen = {.store = store};
    bake_change *kept = bake_store_alloc(store, changes->count, sizeof *kept);
    size_t count = 0;
    for (int names = 0; names < 2 && kept; names++)
        for (size_t i = 0; i < changes->count; i++) {
            const bake_change *change = &changes->items[i];
            if ((change->kind == BAKE_CHANGE_NAMES) != (names == 1) || !is_new(&seen, change->text))
                continue;
            kept[count++] = *change;
            if (!names)
                is_new(&seen, missing_name(store, change->subject));
        }
    changes->items = kept;
    changes->count = count;
    return !store->failed;
}

/* Whether a file or folder is missing now. */
static bool is_gone(const bake_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        if (changes->items[i].kind == BAKE_CHANGE_INPUT &&
            access(changes->items[i].subject, F_OK) != 0)
            return true;
    return false;
}

/* ---- waiting ---- */

static uint64_t hash_states(const bake_watcher *w)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < w->records.count; i++)
        sum = sum * 31 + bake_record_hash_states(w->records.items[i]);
    return sum;
}

/* Waits for up to `most` milliseconds. Returns the number of events, without events 1 if something
 * has changed since `*states`, which is updated. */
static size_t pause_for(bake_watcher *w, int most, uint64_t *states)
{
    if (w->notify)
        return bake_watch_notify_wait(w->notify, most);
    bake_watch_sleep(most);
    uint64_t before = *states;
    *states = hash_states(w);
    return *states != before;
}

/* How long a pause ends a change, after so many events. */
static int pause_after(const bake_watcher *w, size_t events)
{
    int pause = events > MOST ? MOST_PAUSE : events > MANY ? MANY_PAUSE : 0;
    return w->def.debounce > pause ? w->def.debounce : pause;
}

static bool is_locked(const bake_watcher *w)
{
    return w->lock && access(w->lock, F_OK) == 0;
}

/* Waits until the change that has begun ends. `events` have arrived already. */
static void settle(bake_watcher *w, size_t events)
{
    uint64_t states = w->notify ? 0 : hash_states(w);
    int64_t begin = bake_watch_clock(), latest = begin;
    for (;;) {
        int64_t now = bake_watch_clock();
        bool locked = is_locked(w);
        bool writing = w->notify && bake_watch_notify_is_writing(w->notify);
        int patience = locked ? LOCK_IDLE : writing ? WRITER : pause_after(w, events);
        int64_t left = latest + patience - now;
        if (left <= 0 || now - begin >= (locked ? LIMIT_LOCK : LIMIT))
            break;
        size_t more = pause_for(w, locked && left > LOCK ? LOCK : (int)left, &states);
        events += more;
        if (more || (locked && !is_locked(w)))
            latest = bake_watch_clock();
    }
    if (w->notify)
        bake_watch_notify_forget_writers(w->notify);
}

/* Waits for the next event, or for the next look. */
static size_t wait_for_event(bake_watcher *w)
{
    if (w->notify)
        return bake_watch_notify_wait(w->notify, w->interval ? w->interval : -1);
    bake_watch_sleep(w->interval);
    return 0;
}

/* Compares until nothing changes any more. */
static bool look(bake_watcher *w, bake_changes *changes)
{
    bake_changes_fini(changes);
    *changes = (bake_changes){0};
    return compare(w, !w->ignores_unstable, changes);
}

bool bake_watcher_wait(bake_watcher *w, bake_changes *changes)
{
    bool is_settled = false, is_current = true, has_waited = false;
    for (;;) {
        if (!look(w, changes))
            return false;
        if (changes->count && is_settled && (has_waited || !is_gone(changes)))
            break;
        if (changes->count && is_settled) {
            uint64_t states = 0;
            has_waited = true;
            pause_for(w, GONE, &states);
            settle(w, 0);
        } else if (changes->count) {
            settle(w, 0);
            is_settled = true;
        } else if (!is_current) {
            if (!update(w))
                return false;
            is_current = true;
        } else {
            size_t events = wait_for_event(w);
            if (events)
                settle(w, events);
            is_settled = events > 0;
            is_current = has_waited = false;
        }
    }
    bake_changes stable = {0};
    bool done = compare(w, false, &stable) && remove_duplicates(changes);
    w->ignores_unstable = stable.count == 0;
    bake_changes_fini(&stable);
    return done;
}

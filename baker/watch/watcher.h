/* Waits until inputs of a bake change, and until they are complete again.
 *
 * Events of the file system (watch_notify.h) only wake the watcher. Whether something has changed
 * is decided by comparing the records of the bake with the files, so neither lost nor superfluous
 * events matter, and a change during a bake is found after it:
 *
 *     bake -> bake_watcher_set -> bake_watcher_wait -> bake -> ...
 *
 * Changes that belong together are reported together. The watcher waits until no event has arrived
 * for `debounce` milliseconds, and longer
 *  - after many events, because a program that changes many files makes pauses,
 *  - while a program has an input open that it has begun to write,
 *  - while git changes the repository (watch_git.h),
 *  - if an input has disappeared, because some editors delete a file before they write it again.
 * Each of these waits has a limit, so that a program that never stops cannot prevent bakes.
 *
 * If events are not available or incomplete, the watcher looks at all inputs at intervals. One
 * thread. */
#ifndef BAKE_WATCHER_H
#define BAKE_WATCHER_H

#include "record_inputs.h"

/* WATCH_DEBOUNCE: the default. WATCH_POLL: the interval if events are not available. Both in
 * milliseconds, like WATCH_TIME_MAX, the maximum of both. */
enum { WATCH_DEBOUNCE = 20, WATCH_POLL = 1000, WATCH_TIME_MAX = 60000 };

typedef struct bake_watcher_def {
    int debounce; /* milliseconds; 0: report each change at once */
    int poll;     /* milliseconds; 0: use events */
} bake_watcher_def;

typedef struct bake_watcher bake_watcher;

/* Returns NULL if memory runs out. */
bake_watcher *bake_watcher_create(const bake_watcher_def *def);
/* Accepts NULL. */
void bake_watcher_destroy(bake_watcher *watcher);

/* Watches the inputs of these records instead of the earlier ones, and takes ownership of the
 * records; `records` is empty then. Returns false if memory runs out. */
bool bake_watcher_set(bake_watcher *watcher, bake_record_list *records);

/* The number of watched files and of folders. */
size_t bake_watcher_path_count(const bake_watcher *watcher);
size_t bake_watcher_folder_count(const bake_watcher *watcher);
/* Why the watcher looks at intervals although events were wanted, as a sentence without a full
 * stop. Returns the first reason once, then NULL. */
const char *bake_watcher_take_notice(bake_watcher *watcher);

/* Waits until inputs have changed, and adds each change once to `changes`, which is empty. Returns
 * false if memory runs out. */
bool bake_watcher_wait(bake_watcher *watcher, bake_changes *changes);

#endif

/* Waits for changes of places, with inotify of Linux. On other systems, bake_watch_notify_create
 * fails with ENOSYS, and callers look for changes at intervals instead.
 *
 * An event only means that something may have changed: names that are no inputs are skipped, but
 * the content may be the same as before. If the queue of the kernel overflows, that counts as one
 * event, and the caller must look at everything. One thread. */
#ifndef BAKE_WATCH_NOTIFY_H
#define BAKE_WATCH_NOTIFY_H

#include "watch_places.h"

typedef struct watch_notify watch_notify;

/* Returns NULL with errno set: ENOSYS without inotify, ENOMEM, or the error of the system, such as
 * EMFILE if fs.inotify.max_user_instances is reached. */
watch_notify *bake_watch_notify_create(void);
/* Accepts NULL. */
void bake_watch_notify_destroy(watch_notify *notify);

/* Watches the folders of `places`, which must live and stay in place until the next call, and no
 * others. Events of folders that were watched before remain in the queue.
 *
 * Returns false with errno set if not all folders can be watched, such as ENOSPC if
 * fs.inotify.max_user_watches is reached. `*ret_silent` receives the first folder with inputs whose
 * events are incomplete, because it cannot be read or is on a network file system; else NULL. */
bool bake_watch_notify_set(watch_notify *notify, const watch_places *places,
                           const char **ret_silent);

/* Waits at most `most` milliseconds (negative: without limit) for events that matter. Returns their
 * number, 0 after that time. */
size_t bake_watch_notify_wait(watch_notify *notify, int most);
/* Whether a program seems to be writing to an input: it has changed or created it, but not closed
 * it. */
bool bake_watch_notify_is_writing(const watch_notify *notify);
/* Forgets these programs: they take too long. */
void bake_watch_notify_forget_writers(watch_notify *notify);

/* The time of a clock that never jumps, in milliseconds. */
int64_t bake_watch_clock(void);
/* Does nothing for so many milliseconds. */
void bake_watch_sleep(int milliseconds);

#endif

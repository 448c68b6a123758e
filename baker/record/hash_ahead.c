/* Threads claim batches of consecutive paths, which are often in one folder. Results are in a ring,
 * which bounds how far ahead of the owner threads can be. */
#include "hash_ahead.h"

#include "bake_memory.h"
#include "bake_threads.h"
#include "record_store.h"

enum {
    RING = 1024, /* paths that threads may be ahead of the owner */
    BATCH = 32,
    /* By default, a record needs this many paths for each thread. Small files take 2 us each. A new
     * thread takes 0.3 ms of the processors' time, and may wait for 1 ms until it runs. */
    PATHS_EACH = 1024
};

typedef enum hashed_state { HASHED_NEW, HASHED_DONE, HASHED_LEFT } hashed_state;

typedef struct hashed_file {
    bake_file_state state;
    kiln_hash128 hash;
    atomic_int is_hashed; /* LEFT: the owner must hash the file */
} hashed_file;

struct bake_hash_ahead {
    const bake_record *record;
    uint64_t most;
    hashed_file *ring;
    unsigned char *buffers; /* one for each thread */
    size_t turn;            /* the owner's next path, or one shortly before */
    size_t next;            /* the first path that nobody has claimed */
    bake_crew crew;
};

/* Leaves files without a size to the owner, because they may have any content, like those in /proc.
 */
static bool hash_file(const bake_hash_ahead *a, bake_finder *finder, const char *path,
                      unsigned char *buffer, hashed_file *file)
{
    uint64_t left = a->most;
    const bake_hash_def def = {.finder = finder, .path = path, .buffer = buffer, .left = &left};
    return bake_file_hash_some(&def, &file->state, &file->hash) && file->state.size > 0;
}

/* Claims a batch of paths and hashes their files. */
static bool work_once(void *ctx, size_t thread)
{
    bake_hash_ahead *a = ctx;
    size_t count = a->record->path_count, first = a->next;
    size_t end = count - first < BATCH ? count : first + BATCH;
    if (a->crew.is_stopped || first == count || end > a->turn + RING)
        return false;
    a->next = end;
    pthread_mutex_unlock(&a->crew.lock);
    bake_finder finder = bake_finder_begin();
    unsigned char *buffer = a->buffers + thread * BAKE_FILE_BUFFER_SIZE;
    for (size_t i = first; i < end; i++) {
        const record_path *path = &a->record->paths[i];
        hashed_file *file = &a->ring[i % RING];
        bool done = path->is_read && hash_file(a, &finder, path->path, buffer, file);
        bake_crew_publish(&a->crew, &file->is_hashed, done ? HASHED_DONE : HASHED_LEFT);
    }
    bake_finder_end(&finder);
    pthread_mutex_lock(&a->crew.lock);
    return true;
}

static bool is_left(const void *ctx)
{
    const bake_hash_ahead *a = ctx;
    return a->next < a->record->path_count;
}

bake_hash_ahead *bake_hash_ahead_begin(const bake_record *record, uint64_t most, size_t jobs)
{
    size_t threads = bake_threads_for(jobs, record->path_count, PATHS_EACH);
    if (threads < 2)
        return NULL;
    bake_hash_ahead *a = bake_alloc_array(1, sizeof *a);
    hashed_file *ring = bake_alloc_array(RING, sizeof *ring);
    unsigned char *buffers = bake_alloc(threads * BAKE_FILE_BUFFER_SIZE);
    if (!a || !ring || !buffers ||
        !bake_crew_init(&a->crew, &(bake_crew_def){work_once, is_left, a, true})) {
        bake_free(buffers);
        bake_free(ring);
        bake_free(a);
        return NULL;
    }
    a->record = record;
    a->most = most;
    a->ring = ring;
    a->buffers = buffers;
    bake_crew_start(&a->crew, jobs, threads - 1);
    return a;
}

/* Moves the turn, and waits until there is a result. */
static void wait_for(bake_hash_ahead *a, size_t number)
{
    atomic_int *state = &a->ring[number % RING].is_hashed;
    pthread_mutex_lock(&a->crew.lock);
    bool was_full = a->next + BATCH > a->turn + RING;
    a->turn = number;
    if (was_full)
        pthread_cond_broadcast(&a->crew.changed);
    while (atomic_load(state) == HASHED_NEW)
        bake_crew_help_or_wait(&a->crew, state);
    pthread_mutex_unlock(&a->crew.lock);
}

bool bake_hash_ahead_take(bake_hash_ahead *a, size_t number, bake_file_state *ret_state,
                          kiln_hash128 *ret_hash)
{
    if (!a)
        return false;
    hashed_file *file = &a->ring[number % RING];
    if (number % BATCH == 0 || atomic_load(&file->is_hashed) == HASHED_NEW)
        wait_for(a, number);
    bool done = atomic_load(&file->is_hashed) == HASHED_DONE;
    if (done) {
        *ret_state = file->state;
        *ret_hash = file->hash;
    }
    atomic_store(&file->is_hashed, HASHED_NEW);
    return done;
}

void bake_hash_ahead_end(bake_hash_ahead *a)
{
    if (!a)
        return;
    bake_crew_end(&a->crew);
    bake_free(a->buffers);
    bake_free(a->ring);
    bake_free(a);
}

/* A thread claims one part after the other: first `check_others`, then ranges of members in file
 * order, so that the system reads the file ahead. A part ends after PART_SIZE stored bytes or
 * PART_MEMBERS members.
 *
 * Findings are collected with the number of their part. If the number of printed findings is
 * limited, only the first ones are stored, so the memory does not grow with a broken file. After
 * insp_file_list, threads only read the file, except for the memory to decompress members, which
 * each thread has. */
#include "insp_divide.h"

#include "insp_memory.h"
#include "insp_recycler.h"
#include "insp_threads.h"
#include "insp_unpack.h"

#include <pthread.h>
#include <stdlib.h>

enum { PART_SIZE = 1 << 17, PART_MEMBERS = 32, BYTES_EACH = 4 << 20 };

typedef struct found {
    uint64_t part, order; /* `order` counts all findings */
    insp_finding finding;
} found;

struct worker;

typedef struct work {
    insp_check *check;
    const insp_division *division;
    struct worker *workers;
    pthread_mutex_t lock; /* guards all of the following */
    uint64_t part;        /* the next part */
    uint32_t member;      /* the first member of the next part, except for part 0 */
    kiln_status status;
    found *found;
    size_t count, capacity;
    uint64_t order;
} work;

/* A thread. Its check has the file below. */
typedef struct worker {
    work *work;
    insp_file file;
    insp_check check;
    insp_recycler recycler;
    uint64_t part;
    uint32_t from, end; /* the members of the part */
} worker;

static int compare_found(const void *a, const void *b)
{
    const found *left = a, *right = b;
    if (left->part != right->part)
        return left->part < right->part ? -1 : 1;
    return (left->order > right->order) - (left->order < right->order);
}

static void sort_found(work *w)
{
    if (w->count)
        qsort(w->found, w->count, sizeof *w->found, compare_found);
}

/* Stores a finding. The caller has the lock. */
static void store(work *w, uint64_t part, const insp_finding *finding)
{
    uint64_t most = w->check->max_findings;
    found *grown;
    if (most && w->count / 2 >= most) {
        sort_found(w);
        w->count = (size_t)most;
    }
    grown = insp_grow(w->found, &w->capacity, w->count + 1, sizeof *w->found);
    if (!grown) {
        w->status = KILN_NO_MEMORY;
        return;
    }
    w->found = grown;
    w->found[w->count++] = (found){part, w->order++, *finding};
}

static void on_finding(void *ctx, const insp_file *file, const insp_finding *finding)
{
    worker *own = ctx;
    (void)file;
    pthread_mutex_lock(&own->work->lock);
    store(own->work, own->part, finding);
    pthread_mutex_unlock(&own->work->lock);
}

/* Returns false if no part is left. The caller has the lock. */
static bool claim(work *w, worker *own)
{
    const insp_file *file = w->check->file;
    uint64_t size = 0;
    if (w->status || (w->part > 0 && w->member == file->member_count))
        return false;
    own->part = w->part++;
    own->from = own->end = w->member;
    if (own->part == 0)
        return true;
    while (own->end < file->member_count && own->end - own->from < PART_MEMBERS && size < PART_SIZE)
        size += insp_member_at(file, own->end++)->stored_size;
    w->member = own->end;
    return true;
}

static kiln_status check_part(worker *own)
{
    const insp_division *division = own->work->division;
    kiln_status status = KILN_OK;
    uint32_t i;
    if (own->part == 0)
        return division->check_others(&own->check);
    for (i = own->from; i < own->end && !status; i++)
        status = division->check_member(&own->check, i);
    return status;
}

static void check_parts(void *ctx, size_t number)
{
    work *w = ctx;
    worker *own = &w->workers[number];
    pthread_mutex_lock(&w->lock);
    while (claim(w, own)) {
        kiln_status status;
        pthread_mutex_unlock(&w->lock);
        status = check_part(own);
        pthread_mutex_lock(&w->lock);
        w->status = w->status ? w->status : status;
    }
    w->check->findings += own->check.findings;
    w->check->untyped += own->check.untyped;
    pthread_mutex_unlock(&w->lock);
}

/* The first worker is this thread and uses the memory of the file itself. */
static kiln_status init_workers(work *w, size_t count)
{
    size_t i;
    w->workers = insp_alloc_array(count, sizeof *w->workers);
    if (!w->workers)
        return KILN_NO_MEMORY;
    for (i = 0; i < count; i++) {
        worker *own = &w->workers[i];
        own->work = w;
        own->file = *w->check->file;
        own->check = *w->check;
        own->check.file = &own->file;
        own->check.on_finding = on_finding;
        own->check.ctx = own;
        insp_recycler_init(&own->recycler);
        own->check.allocator = &own->recycler.allocator;
        own->check.findings = own->check.untyped = 0;
        if (i > 0)
            own->file.unpacking = NULL;
    }
    for (i = 1; i < count; i++) {
        w->workers[i].file.unpacking = insp_unpacking_copy(w->check->file->unpacking);
        if (!w->workers[i].file.unpacking)
            return KILN_NO_MEMORY;
    }
    return KILN_OK;
}

static void fini_workers(work *w, size_t count)
{
    size_t i;
    for (i = 0; w->workers && i < count; i++) {
        insp_recycler_fini(&w->workers[i].recycler);
        if (i > 0)
            insp_unpacking_destroy(w->workers[i].file.unpacking);
    }
    insp_free(w->workers);
}

static void report(work *w)
{
    insp_check *check = w->check;
    size_t i;
    sort_found(w);
    for (i = 0; i < w->count && check->on_finding; i++)
        check->on_finding(check->ctx, check->file, &w->found[i].finding);
}

kiln_status insp_divide(insp_check *check, const insp_division *division)
{
    work w = {.check = check, .division = division};
    size_t threads = insp_threads_for(check->jobs, check->file->size, BYTES_EACH);
    kiln_status status;
    if (pthread_mutex_init(&w.lock, NULL) != 0)
        return KILN_NO_MEMORY;
    status = init_workers(&w, threads);
    if (!status) {
        insp_threads_run(threads, check_parts, &w);
        status = w.status;
    }
    fini_workers(&w, threads);
    if (!status)
        report(&w);
    insp_free(w.found);
    pthread_mutex_destroy(&w.lock);
    return status;
}

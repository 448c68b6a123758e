/* Threads claim batches of inputs in order. A lock guards what is claimed; reading and parsing
 * happen outside of it. Each result becomes visible with its state, so the owner takes most results
 * without the lock. */
#include "read_ahead.h"

#include "bake_memory.h"
#include "bake_threads.h"

#include <string.h>

/* How many inputs threads may be ahead of the owner. This limits the number of trees that are in
 * memory before their turn. */
enum { AHEAD_MAX = 256 };
/* By default, a run needs this many inputs for each thread, because starting a thread takes as long
 * as parsing a few kilobytes. */
enum { INPUTS_EACH = 16 };
/* Threads claim so many inputs at once if there are many, because the lock costs time. Each thread
 * should claim at least BATCHES_EACH times, so that all end at nearly the same time. */
enum { BATCH_MAX = 16, BATCHES_EACH = 64 };

typedef struct early_slot {
    bake_early_input input;
    atomic_int is_done; /* there is a result, or the owner must read the input */
} early_slot;

struct bake_read_ahead {
    bake_read_ahead_def def;
    early_slot *slots; /* one for each input */
    size_t batch;
    size_t next;  /* the first input that nobody has claimed */
    size_t turn;  /* the input that the owner needs next, or one shortly before */
    size_t limit; /* the first input that must wait for an importer; the owner changes it */
    size_t helpers;
    bake_crew crew;
};

void bake_early_input_fini(bake_early_input *input)
{
    bake_tree_destroy(input->tree);
    bake_early_text_free(input->text);
    memset(input, 0, sizeof *input);
}

/* The first input at or after `from` with an importer. */
static size_t next_importer(const bake_inputs *inputs, size_t from)
{
    while (from < inputs->count &&
           !(inputs->inputs[from].rule && inputs->inputs[from].rule->importer))
        from++;
    return from;
}

static bake_early_input read_early(const bake_read_ahead_def *def, const bake_input *input)
{
    bake_early_input early = {NULL, NULL, 0};
    const char *text;
    early.text =
        bake_gateway_read_early(def->gateway, input->path, input->is_listed, &text, &early.size);
    bake_diagnostics *diagnostics = early.text ? bake_diagnostics_create() : NULL;
    if (diagnostics) {
        if (def->is_empty(input, def->schema, text, early.size))
            early.size = 0;
        early.tree = bake_tree_read(diagnostics, 0, text, early.size);
    }
    /* The owner reads a file with mistakes again, and reports them in order. */
    if (!early.tree || bake_diagnostics_errors(diagnostics) > 0 ||
        bake_diagnostics_warnings(diagnostics) > 0)
        bake_early_input_fini(&early);
    bake_diagnostics_destroy(diagnostics);
    if (early.tree)
        bake_tree_spool(early.tree, bake_gateway_spool(def->gateway));
    return early;
}

/* Claims a batch of inputs and reads them. */
static bool work_once(void *ctx, size_t thread)
{
    bake_read_ahead *a = ctx;
    (void)thread;
    if (a->crew.is_stopped || a->next >= a->limit || a->next - a->turn >= AHEAD_MAX)
        return false;
    size_t first = a->next, end = a->limit - first < a->batch ? a->limit : first + a->batch;
    a->next = end;
    pthread_mutex_unlock(&a->crew.lock);
    bake_timings *timings = bake_gateway_timings(a->def.gateway);
    for (size_t i = first; i < end; i++) {
        uint64_t begin = bake_timing_begin(timings);
        const char *path = a->def.inputs->inputs[i].path;
        a->slots[i].input = read_early(&a->def, &a->def.inputs->inputs[i]);
        bake_timing_end(timings, BAKE_TIMING_FILE, path, strlen(path), begin);
        bake_crew_publish(&a->crew, &a->slots[i].is_done, 1);
    }
    pthread_mutex_lock(&a->crew.lock);
    return true;
}

static bool is_left(const void *ctx)
{
    const bake_read_ahead *a = ctx;
    return a->next < a->def.inputs->count;
}

bake_read_ahead *bake_read_ahead_begin(const bake_read_ahead_def *def)
{
    size_t count = def->inputs->count;
    size_t threads = bake_threads_for(def->jobs, count, INPUTS_EACH);
    if (threads < 2)
        return NULL;
    bake_read_ahead *a = bake_alloc_array(1, sizeof *a);
    early_slot *slots = bake_alloc_array(count, sizeof *slots);
    if (!a || !slots || !bake_crew_init(&a->crew, &(bake_crew_def){work_once, is_left, a, true})) {
        bake_free(slots);
        bake_free(a);
        return NULL;
    }
    a->def = *def;
    a->slots = slots;
    a->batch = count / (threads * BATCHES_EACH);
    a->batch = a->batch < 1 ? 1 : a->batch > BATCH_MAX ? BATCH_MAX : a->batch;
    a->limit = next_importer(def->inputs, 0);
    a->helpers = threads - 1;
    bake_crew_start(&a->crew, def->jobs, a->helpers);
    return a;
}

void bake_read_ahead_open_spool(bake_read_ahead *a, bake_spool *spool)
{
    if (!bake_spool_wants_file(spool))
        return;
    if (a)
        bake_crew_pause(&a->crew);
    bake_spool_open(spool);
    if (a)
        bake_crew_start(&a->crew, a->def.jobs, a->helpers);
}

/* Whether the owner can take the input without the lock. At the beginning of each batch it takes
 * the lock, to move the turn. */
static bool is_ready(bake_read_ahead *a, size_t number)
{
    return number % a->batch != 0 && number <= a->limit && atomic_load(&a->slots[number].is_done);
}

/* Moves the turn, and waits until the input is done. Returns false if nobody had claimed it. */
static bool wait_for(bake_read_ahead *a, size_t number)
{
    pthread_mutex_lock(&a->crew.lock);
    bool was_full = a->next - a->turn >= AHEAD_MAX;
    a->turn = number;
    bool was_limited = number > a->limit;
    if (was_limited)
        a->limit = next_importer(a->def.inputs, number);
    if (was_limited || was_full)
        pthread_cond_broadcast(&a->crew.changed);
    bool is_claimed = a->next > number;
    if (!is_claimed)
        a->next = number + 1;
    while (is_claimed && !atomic_load(&a->slots[number].is_done))
        bake_crew_help_or_wait(&a->crew, &a->slots[number].is_done);
    pthread_mutex_unlock(&a->crew.lock);
    return is_claimed;
}

bool bake_read_ahead_take(bake_read_ahead *a, size_t number, bake_early_input *ret)
{
    /* If nobody has claimed it, the owner reads it at once, or runs its importer. */
    if (!is_ready(a, number) && !wait_for(a, number))
        return false;
    *ret = a->slots[number].input;
    memset(&a->slots[number].input, 0, sizeof a->slots[number].input);
    return ret->tree != NULL;
}

void bake_read_ahead_end(bake_read_ahead *a)
{
    if (!a)
        return;
    bake_crew_end(&a->crew);
    for (size_t i = 0; i < a->def.inputs->count; i++)
        bake_early_input_fini(&a->slots[i].input);
    bake_free(a->slots);
    bake_free(a);
}

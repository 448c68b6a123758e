/* Threads claim inputs in order. A lock guards the list of results; reading and parsing happen
 * outside of it. */
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

typedef enum early_state {
    EARLY_NEW,
    EARLY_CLAIMED, /* a thread works on it */
    EARLY_DONE     /* there is a result, or the owner must read the input */
} early_state;

typedef struct early_slot {
    bake_early_input input;
    early_state state;
} early_slot;

struct bake_read_ahead {
    bake_read_ahead_def def;
    early_slot *slots; /* one for each input */
    size_t next;       /* the first input that nobody has claimed */
    size_t turn;       /* the input that the owner needs next */
    size_t limit;      /* the first input that must wait for an importer */
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
    early.text = bake_gateway_read_early(def->gateway, input->path, &text, &early.size);
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
    return early;
}

/* Claims the next input and reads it. */
static bool work_once(void *ctx, size_t thread)
{
    bake_read_ahead *a = ctx;
    (void)thread;
    if (a->crew.is_stopped || a->next >= a->limit || a->next - a->turn >= AHEAD_MAX)
        return false;
    size_t number = a->next++;
    a->slots[number].state = EARLY_CLAIMED;
    pthread_mutex_unlock(&a->crew.lock);
    bake_timings *timings = bake_gateway_timings(a->def.gateway);
    uint64_t begin = bake_timing_begin(timings);
    const char *path = a->def.inputs->inputs[number].path;
    bake_early_input early = read_early(&a->def, &a->def.inputs->inputs[number]);
    bake_timing_end(timings, BAKE_TIMING_FILE, path, strlen(path), begin);
    pthread_mutex_lock(&a->crew.lock);
    a->slots[number].input = early;
    a->slots[number].state = EARLY_DONE;
    pthread_cond_broadcast(&a->crew.changed);
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
    if (!a || !slots || !bake_crew_init(&a->crew, &(bake_crew_def){work_once, is_left, a})) {
        bake_free(slots);
        bake_free(a);
        return NULL;
    }
    a->def = *def;
    a->slots = slots;
    a->limit = next_importer(def->inputs, 0);
    bake_crew_start(&a->crew, def->jobs, threads - 1);
    return a;
}

bool bake_read_ahead_take(bake_read_ahead *a, size_t number, bake_early_input *ret)
{
    bool is_taken = false;
    pthread_mutex_lock(&a->crew.lock);
    bool was_full = a->next - a->turn >= AHEAD_MAX;
    a->turn = number;
    bool was_limited = number > a->limit;
    if (was_limited)
        a->limit = next_importer(a->def.inputs, number);
    if (was_limited || was_full)
        pthread_cond_broadcast(&a->crew.changed);
    if (a->next <= number) {
        /* The owner reads it at once, or runs its importer. */
        a->next = number + 1;
    } else {
        while (a->slots[number].state != EARLY_DONE)
            bake_crew_help_or_wait(&a->crew);
        *ret = a->slots[number].input;
        memset(&a->slots[number].input, 0, sizeof a->slots[number].input);
        is_taken = ret->tree != NULL;
    }
    pthread_mutex_unlock(&a->crew.lock);
    return is_taken;
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

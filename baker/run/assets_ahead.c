/* Threads claim batches of consecutive assets: neighbours often inherit the same layers, and so
 * profit from the same caches. Results are in a ring, which bounds how far ahead of the owner
 * threads can be. */
#include "assets_ahead.h"

#include "asset_bases.h"
#include "asset_reading.h"
#include "bake_memory.h"
#include "bake_threads.h"

#include <string.h>

enum {
    RING = 512,          /* assets that threads may be ahead of the owner */
    BATCH_MAX = 16,      /* assets that a thread claims at once */
    BYTES_MAX = 1 << 18, /* of blobs that the owner has not taken yet */
    ASSETS_EACH = 64,    /* by default, a run needs this many assets for each thread */
    TRIED_MIN = 256,     /* assets to bake before deciding whether threads are useful */
};

typedef enum early_state { EARLY_NEW, EARLY_DONE, EARLY_LEFT } early_state;

typedef struct early_slot {
    bake_early_asset made;
    early_state state; /* LEFT: the owner must bake it */
} early_slot;

/* The state of one thread. */
typedef struct helper {
    bake_values *values;
    bake_diagnostics *diagnostics; /* for reports that nobody reads */
    bake_failure failure;
    const bake_layer **layers;
    size_t layer_capacity;
} helper;

struct bake_assets_ahead {
    bake_assets_ahead_def def;
    early_slot *ring;
    size_t batch;
    size_t turn, next, end; /* the owner's next asset, the next to claim, after the last */
    size_t bytes;           /* of blobs in the ring */
    size_t tried, left;     /* assets baked by helpers, and those among them that have no result */
    size_t busy;            /* threads that bake an asset now */
    bool is_changing;       /* the owner changes names, and helpers must wait */
    bool writes;
    bake_crew crew;
    pthread_mutex_t bases_lock;
    bake_values_guard guard;
    helper *all; /* the first belongs to the owner */
    size_t helper_count;
    helper own; /* only its list of layers is used, by the owner */
};

void bake_early_asset_fini(bake_early_asset *early)
{
    kiln_finished_asset_fini(&early->asset);
    bake_free(early->imports);
    memset(early, 0, sizeof *early);
}

/* ---- layers ---- */

static bool list_layers(bake_assets_ahead *a, helper *h, uint32_t base, bake_asset_layers *ret)
{
    pthread_mutex_lock(&a->bases_lock);
    bool ok = bake_bases_list(a->def.inputs->bases, base, ret);
    const bake_layer **layers =
        ok ? bake_grow(h->layers, &h->layer_capacity, ret->count, sizeof *layers) : NULL;
    if (layers) {
        memcpy(layers, ret->layers, ret->count * sizeof *layers);
        ret->layers = h->layers = layers;
    }
    pthread_mutex_unlock(&a->bases_lock);
    return layers != NULL;
}

bool bake_assets_ahead_list(bake_assets_ahead *a, uint32_t base, bake_asset_layers *ret_layers)
{
    return list_layers(a, &a->own, base, ret_layers);
}

bool bake_assets_ahead_release(bake_assets_ahead *a, bake_inputs *inputs, uint32_t base)
{
    bake_asset_layers layers;
    pthread_mutex_lock(&a->bases_lock);
    bool ok = bake_bases_list(inputs->bases, base, &layers);
    if (ok)
        bake_bases_release(inputs, base);
    pthread_mutex_unlock(&a->bases_lock);
    return ok;
}

/* ---- helpers ---- */

static bool helper_init(bake_assets_ahead *a, helper *h)
{
    if (h->values)
        return true;
    /* They exist already if creating `values` failed before. */
    if (!h->diagnostics)
        h->diagnostics = bake_diagnostics_create();
    h->values =
        h->diagnostics ? bake_values_create(a->def.schema, h->diagnostics, &h->failure) : NULL;
    if (!h->values)
        return false;
    bake_values_make_helper(h->values);
    bake_values_set_names(h->values, a->def.names, a->def.output);
    return true;
}

static void helper_fini(helper *h)
{
    bake_values_destroy(h->values);
    bake_diagnostics_destroy(h->diagnostics);
    bake_free(h->layers);
}

static bool copy_imports(const helper *h, bake_early_asset *made)
{
    const uint32_t *imports = bake_values_imports(h->values, &made->import_count);
    if (made->import_count == 0)
        return true;
    made->imports = bake_alloc_array(made->import_count, sizeof *made->imports);
    if (made->imports)
        memcpy(made->imports, imports, made->import_count * sizeof *imports);
    return made->imports != NULL;
}

/* Bakes an asset. Returns false if the owner must do it. */
static bool bake_early(bake_assets_ahead *a, helper *h, const bake_asset *asset, bool writes,
                       bake_early_asset *made)
{
    bake_asset_layers layers;
    bake_name name = bake_asset_name(a->def.inputs, asset);
    memset(&h->failure, 0, sizeof h->failure);
    bool inherits = asset->base != UINT32_MAX;
    if (inherits && !list_layers(a, h, asset->base, &layers))
        return false;
    if (!bake_asset_read(h->values, asset, &name, inherits ? &layers : NULL) ||
        !copy_imports(h, made))
        return false;
    return !writes || bake_values_finish_asset(h->values, &name, &made->asset);
}

static bool bake_measured(bake_assets_ahead *a, helper *h, size_t number, bool writes,
                          bake_early_asset *made)
{
    const bake_asset *asset = &a->def.inputs->assets[number];
    if (asset->is_scene || !helper_init(a, h))
        return false;
    uint64_t begin = bake_timing_begin(a->def.timings);
    bool is_made = bake_early(a, h, asset, writes, made);
    bake_timing_end(a->def.timings, BAKE_TIMING_ASSET, asset->name, asset->name_length, begin);
    return is_made;
}

/* Waits while the owner changes names. The caller has the lock. */
static void begin_asset(bake_assets_ahead *a)
{
    while (a->is_changing)
        pthread_cond_wait(&a->crew.changed, &a->crew.lock);
    a->busy++;
}

static void end_asset(bake_assets_ahead *a, size_t number, bake_early_asset *made, bool is_made)
{
    early_slot *slot = &a->ring[number % RING];
    slot->state = is_made ? EARLY_DONE : EARLY_LEFT;
    slot->made = *made;
    a->bytes += made->asset.blob.size;
    a->tried++;
    a->left += !is_made;
    a->busy--;
    /* If most assets have no result, helpers only cost time. */
    if (a->tried >= TRIED_MIN && a->left > a->tried / 2)
        a->crew.is_stopped = true;
    pthread_cond_broadcast(&a->crew.changed);
}

/* Claims a batch and bakes it. */
static bool work_once(void *ctx, size_t thread)
{
    bake_assets_ahead *a = ctx;
    helper *h = &a->all[thread];
    size_t first = a->next, end = first + a->batch < a->end ? first + a->batch : a->end;
    if (a->crew.is_stopped || first == a->end || end > a->turn + RING || a->bytes > BYTES_MAX)
        return false;
    a->next = end;
    for (size_t i = first; i < end; i++) {
        bake_early_asset made;
        memset(&made, 0, sizeof made);
        begin_asset(a);
        bool writes = a->writes, is_stopped = a->crew.is_stopped;
        pthread_mutex_unlock(&a->crew.lock);
        bool is_made = !is_stopped && bake_measured(a, h, i, writes, &made);
        if (!is_made)
            bake_early_asset_fini(&made);
        pthread_mutex_lock(&a->crew.lock);
        end_asset(a, i, &made, is_made);
    }
    return true;
}

static bool is_left(const void *ctx)
{
    const bake_assets_ahead *a = ctx;
    return a->next < a->end;
}

/* ---- the owner ---- */

static void begin_change(void *ctx)
{
    bake_assets_ahead *a = ctx;
    pthread_mutex_lock(&a->crew.lock);
    a->is_changing = true;
    while (a->busy > 0)
        pthread_cond_wait(&a->crew.changed, &a->crew.lock);
    pthread_mutex_unlock(&a->crew.lock);
}

static void end_change(void *ctx)
{
    bake_assets_ahead *a = ctx;
    pthread_mutex_lock(&a->crew.lock);
    a->is_changing = false;
    pthread_cond_broadcast(&a->crew.changed);
    pthread_mutex_unlock(&a->crew.lock);
}

static bool init_locks(bake_assets_ahead *a)
{
    if (pthread_mutex_init(&a->bases_lock, NULL) != 0)
        return false;
    if (bake_crew_init(&a->crew, &(bake_crew_def){work_once, is_left, a}))
        return true;
    pthread_mutex_destroy(&a->bases_lock);
    return false;
}

bake_assets_ahead *bake_assets_ahead_begin(const bake_assets_ahead_def *def)
{
    size_t threads = bake_threads_for(def->jobs, def->count, ASSETS_EACH);
    if (threads < 2)
        return NULL;
    bake_assets_ahead *a = bake_alloc_array(1, sizeof *a);
    if (!a)
        return NULL;
    a->ring = bake_alloc_array(RING, sizeof *a->ring);
    a->all = bake_alloc_array(threads, sizeof *a->all);
    if (!a->ring || !a->all || !init_locks(a)) {
        bake_free(a->ring);
        bake_free(a->all);
        bake_free(a);
        return NULL;
    }
    a->def = *def;
    a->helper_count = threads;
    a->batch = def->count / (threads * 4) < BATCH_MAX ? def->count / (threads * 4) : BATCH_MAX;
    a->batch += a->batch == 0;
    a->turn = a->next = def->first;
    a->end = def->first + def->count;
    a->writes = true;
    a->guard = (bake_values_guard){begin_change, end_change, a};
    bake_values_set_guard(def->values, &a->guard);
    bake_crew_start(&a->crew, def->jobs, threads - 1);
    return a;
}

bool bake_assets_ahead_take(bake_assets_ahead *a, size_t number, bool writes, bake_early_asset *ret)
{
    early_slot *slot = &a->ring[number % RING];
    pthread_mutex_lock(&a->crew.lock);
    bool was_full = a->next + a->batch > a->turn + RING || a->bytes > BYTES_MAX;
    a->turn = number;
    a->writes = a->writes && writes;
    while (slot->state == EARLY_NEW && (number < a->next || !a->crew.is_stopped))
        bake_crew_help_or_wait(&a->crew);
    bool is_made = slot->state == EARLY_DONE && (!writes || slot->made.asset.blob.data);
    *ret = slot->made;
    a->bytes -= ret->asset.blob.size;
    memset(slot, 0, sizeof *slot);
    if (was_full)
        pthread_cond_broadcast(&a->crew.changed);
    pthread_mutex_unlock(&a->crew.lock);
    if (!is_made)
        bake_early_asset_fini(ret);
    return is_made;
}

void bake_assets_ahead_end(bake_assets_ahead *a)
{
    if (!a)
        return;
    bake_crew_end(&a->crew);
    bake_values_set_guard(a->def.values, NULL);
    for (size_t i = 0; i < a->helper_count; i++)
        helper_fini(&a->all[i]);
    for (size_t i = 0; i < RING; i++)
        bake_early_asset_fini(&a->ring[i].made);
    bake_free(a->own.layers);
    bake_free(a->all);
    bake_free(a->ring);
    pthread_mutex_destroy(&a->bases_lock);
    bake_free(a);
}

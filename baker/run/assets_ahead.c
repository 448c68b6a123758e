/* Threads claim batches of consecutive assets: neighbours often inherit the same layers, and so
 * profit from the same caches. Results are in a ring, which bounds how far ahead of the owner
 * threads can be. The owner takes most results without the lock. */
#include "assets_ahead.h"

#include "asset_bases.h"
#include "asset_reading.h"
#include "bake_memory.h"
#include "bake_threads.h"

#include <string.h>

enum {
    RING_MAX = 4096,     /* assets that threads may be ahead of the owner */
    BATCH_MAX = 16,      /* assets that a thread claims at once */
    BYTES_MAX = 1 << 21, /* of blobs that the owner has not taken yet */
    ASSETS_EACH = 64,    /* by default, a run needs this many assets for each thread */
    TRIED_MIN = 256,     /* assets to bake before deciding whether threads are useful */
};

typedef enum early_state { EARLY_NEW, EARLY_DONE, EARLY_LEFT } early_state;

typedef struct early_slot {
    bake_early_asset made;
    atomic_int state; /* LEFT: the owner must bake it */
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
    size_t room; /* slots of the ring */
    size_t batch;
    size_t turn;             /* the owner's next asset, or one shortly before */
    size_t next, end;        /* the next asset to claim, after the last */
    atomic_size_t bytes;     /* of blobs in the ring */
    size_t tried, left;      /* assets baked by helpers, and those among them that have no result */
    size_t busy;             /* threads that may be baking an asset now */
    atomic_bool is_changing; /* the owner changes names, and helpers must wait */
    bool writes;             /* only the owner changes it */
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
static void become_busy(bake_assets_ahead *a)
{
    while (a->is_changing)
        pthread_cond_wait(&a->crew.changed, &a->crew.lock);
    a->busy++;
}

/* The caller has the lock. */
static void become_idle(bake_assets_ahead *a)
{
    a->busy--;
    if (a->is_changing)
        pthread_cond_broadcast(&a->crew.changed);
}

/* Lets the owner change names between two assets. */
static void let_owner_change(bake_assets_ahead *a)
{
    if (!atomic_load(&a->is_changing))
        return;
    pthread_mutex_lock(&a->crew.lock);
    become_idle(a);
    become_busy(a);
    pthread_mutex_unlock(&a->crew.lock);
}

/* Bakes claimed assets. Returns how many of them have no result. */
static size_t bake_batch(bake_assets_ahead *a, helper *h, size_t first, size_t end, bool writes)
{
    size_t left = 0;
    for (size_t i = first; i < end; i++) {
        early_slot *slot = &a->ring[i % a->room];
        let_owner_change(a);
        bool is_made = bake_measured(a, h, i, writes, &slot->made);
        if (!is_made)
            bake_early_asset_fini(&slot->made);
        left += !is_made;
        atomic_fetch_add(&a->bytes, slot->made.asset.blob.size);
        bake_crew_publish(&a->crew, &slot->state, is_made ? EARLY_DONE : EARLY_LEFT);
    }
    return left;
}

/* Claims a batch and bakes it. */
static bool work_once(void *ctx, size_t thread)
{
    bake_assets_ahead *a = ctx;
    size_t first = a->next, end = first + a->batch < a->end ? first + a->batch : a->end;
    if (a->crew.is_stopped || first == a->end || end > a->turn + a->room ||
        atomic_load(&a->bytes) > BYTES_MAX)
        return false;
    a->next = end;
    become_busy(a);
    bool writes = a->writes;
    pthread_mutex_unlock(&a->crew.lock);
    size_t left = bake_batch(a, &a->all[thread], first, end, writes);
    pthread_mutex_lock(&a->crew.lock);
    become_idle(a);
    a->tried += end - first;
    a->left += left;
    /* If most assets have no result, helpers only cost time. */
    if (a->tried >= TRIED_MIN && a->left > a->tried / 2)
        a->crew.is_stopped = true;
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
    if (bake_crew_init(&a->crew, &(bake_crew_def){work_once, is_left, a, false}))
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
    a->room = def->count < RING_MAX ? def->count : RING_MAX;
    a->ring = bake_alloc_array(a->room, sizeof *a->ring);
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

/* Whether the owner can take the asset without the lock. At the beginning of each batch it takes
 * the lock, to move the turn. */
static bool is_ready(bake_assets_ahead *a, size_t number, bool writes)
{
    return number % a->batch != 0 && writes == a->writes &&
           atomic_load(&a->ring[number % a->room].state) != EARLY_NEW;
}

/* Moves the turn, and waits until there is a result or nobody will make it. */
static void wait_for(bake_assets_ahead *a, size_t number, bool writes)
{
    atomic_int *state = &a->ring[number % a->room].state;
    pthread_mutex_lock(&a->crew.lock);
    bool was_full = a->next + a->batch > a->turn + a->room || atomic_load(&a->bytes) > BYTES_MAX;
    a->turn = number;
    a->writes = a->writes && writes;
    if (was_full)
        pthread_cond_broadcast(&a->crew.changed);
    while (atomic_load(state) == EARLY_NEW && (number < a->next || !a->crew.is_stopped))
        bake_crew_help_or_wait(&a->crew, state);
    pthread_mutex_unlock(&a->crew.lock);
}

bool bake_assets_ahead_take(bake_assets_ahead *a, size_t number, bool writes, bake_early_asset *ret)
{
    early_slot *slot = &a->ring[number % a->room];
    if (!is_ready(a, number, writes))
        wait_for(a, number, writes);
    bool is_made =
        atomic_load(&slot->state) == EARLY_DONE && (!writes || slot->made.asset.blob.data);
    *ret = slot->made;
    memset(&slot->made, 0, sizeof slot->made);
    atomic_store(&slot->state, EARLY_NEW);
    atomic_fetch_sub(&a->bytes, ret->asset.blob.size);
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
    for (size_t i = 0; i < a->room; i++)
        bake_early_asset_fini(&a->ring[i].made);
    bake_free(a->own.layers);
    bake_free(a->all);
    bake_free(a->ring);
    pthread_mutex_destroy(&a->bases_lock);
    bake_free(a);
}

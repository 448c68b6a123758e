/* The time from a change of one line of YAML until a running program reads the new value, compared
 * with the bake of that file alone. */
#define _POSIX_C_SOURCE 200809L

#include "probe_reload.h"

#include "bench_items.h"
#include "bench_process.h"
#include "bench_text.h"
#include "bench_types.h"
#include "probe.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define EDITED_YAML "edited.notes.yaml"
#define EDITED_KILN "edited.kiln"

enum { ROUNDS = 7 };

typedef struct reloading {
    const char *bake, *schema;
    probe_bytes notes; /* the YAML file, whose first line is replaced */
    uint32_t version;  /* the value in that line */
    kiln_assets *assets;
    kiln_mount mount;
    kiln_ref first; /* the note of the first line */
    struct stat last;
    atomic_bool has_baked;
    bool has_failed;
} reloading;

static bool edit(reloading *r)
{
    char name[32];
    const unsigned char *rest = memchr(r->notes.data, '\n', r->notes.size);
    FILE *file = fopen(EDITED_YAML, "wb");
    if (!rest || !file)
        return false;
    size_t size = r->notes.size - (size_t)(rest - r->notes.data);
    bench_text_note_name(name, 0);
    fprintf(file, "%s: {number: %" PRIu32 ", text: edited}", name, ++r->version);
    bool is_written = fwrite(rest, 1, size, file) == size;
    return fclose(file) == 0 && is_written;
}

static double bake(const reloading *r)
{
    process_cost cost;
    const char *const args[] = {r->bake,     "-q", "-s",        r->schema, "-o",
                                EDITED_KILN, "--", EDITED_YAML, NULL};
    return bench_process_run(args, NULL, NULL, &cost) ? cost.wall : 0;
}

static void *bake_beside(void *ctx)
{
    reloading *r = ctx;
    r->has_failed = bake(r) == 0;
    atomic_store(&r->has_baked, true);
    return NULL;
}

static bool has_changed(const reloading *r)
{
    struct stat now;
    return stat(EDITED_KILN, &now) == 0 &&
           (now.st_ino != r->last.st_ino || now.st_mtim.tv_sec != r->last.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != r->last.st_mtim.tv_nsec);
}

static bool is_seen(const reloading *r)
{
    const bench_Note *note = kiln_ref_get(kiln_assets_get_slots(r->assets), r->first);
    return note && note->number == r->version;
}

static kiln_mount_def def_of_edited(void)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.file.path = EDITED_KILN;
    return def;
}

/* Bakes, checks once per millisecond whether there is a new file, and then replaces the mounted
 * file. Returns the time in nanoseconds, or 0 on failure. */
static double bake_and_see(reloading *r)
{
    const struct timespec nap = {0, 1000000};
    pthread_t baker;
    kiln_mount_def def = def_of_edited();
    double start = bench_now();
    atomic_store(&r->has_baked, false);
    if (pthread_create(&baker, NULL, bake_beside, r) != 0)
        return 0;
    while (!has_changed(r) && !atomic_load(&r->has_baked))
        nanosleep(&nap, NULL);
    bench_items_expect(kiln_assets_replace(r->assets, r->mount, &def, NULL));
    double end = bench_now();
    pthread_join(baker, NULL);
    return is_seen(r) && !r->has_failed ? end - start : 0;
}

static void load_all(reloading *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[48] = "Note/";
        kiln_ref ref;
        bench_text_note_name(name + strlen(name), i);
        kiln_load_args load = {.name = name, .by = KILN_HERE};
        bench_items_expect(kiln_assets_load(r->assets, &load, i == 0 ? &r->first : &ref, NULL));
    }
}

static bool measure(reloading *r, bench_pair *ret_pair)
{
    double ours[ROUNDS], alone[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = edit(r) ? bake_and_see(r) : 0;
        alone[i] = edit(r) ? bake(r) : 0;
        if (ours[i] == 0 || alone[i] == 0 || stat(EDITED_KILN, &r->last) != 0)
            return false;
    }
    ret_pair->ours = bench_median(ours, ROUNDS);
    ret_pair->baseline = bench_median(alone, ROUNDS);
    return true;
}

const char *probe_reload(const char *bake_path, const char *schema, const char *notes_yaml,
                         bench_pair *ret_pair)
{
    reloading r = {.bake = bake_path, .schema = schema};
    if (!probe_read(notes_yaml, &r.notes) || !edit(&r) || bake(&r) == 0 ||
        stat(EDITED_KILN, &r.last) != 0)
        return "FAILED: the file of notes cannot be baked";
    uint32_t count = 0;
    for (size_t i = 0; i < r.notes.size; i++)
        count += r.notes.data[i] == '\n';
    kiln_mount_def def = def_of_edited();
    r.assets = bench_items_table();
    bench_items_expect(kiln_assets_mount(r.assets, &def, &r.mount, NULL));
    load_all(&r, count);
    bool good = measure(&r, ret_pair);
    kiln_assets_destroy(r.assets);
    free(r.notes.data);
    remove(EDITED_YAML);
    remove(EDITED_KILN);
    return good ? NULL : "FAILED: the new value was not read";
}

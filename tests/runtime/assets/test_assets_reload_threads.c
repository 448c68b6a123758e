/* Replaces a file repeatedly while threads read, load and take words, and a collector works. The
 * new files are truncated, have an older layout, a newer version of the format, or random changes.
 * A replacement that fails changes nothing. The files have plans of clusters, and the program forms
 * and dissolves clusters, too.
 *
 * Usage: test_assets_reload_threads [SECONDS]. Without an argument, the number of replacements is
 * fixed. KILN_SEED sets the seed. */
#include "asset_fixture.h"
#include "hash.h"
#include "test_share.h"

#include <kiln/blob_header.h>
#include <kiln/clusters.h>
#include <kiln/replaced.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    NAMES = 16,
    VERSIONS = 4, /* in place; compressed; an older layout; with half of the assets */
    READERS = 2,
    LOADERS = 2,
    REPLACEMENTS = 3000,
    UNKNOWN = VERSIONS /* a file with changes that was accepted */
};

/* How a file is changed before it replaces the mounted one. */
typedef enum damage {
    INTACT,
    NEWER_MINOR,
    NEWER_MAJOR,
    TRUNCATED,
    RANDOM,        /* some bytes */
    RANDOM_HASHED, /* some bytes of the index, whose hash is then correct */
    DAMAGES
} damage;

typedef struct shared {
    kiln_assets *assets;
    kiln_collector *collector;
    kiln_buffer types, versions[VERSIONS];
    char names[NAMES][16];
    kiln_id ids[NAMES];
    kiln_mount mount;
    uint32_t current; /* the mounted version */
    uint64_t random, cursor;
    uint64_t most_older; /* versions of the file at once */
    uint64_t clusters;   /* formed by the program */
    uint32_t accepted[DAMAGES], refused[DAMAGES];
    _Atomic(uint64_t) words[NAMES]; /* weak words that any thread may use */
    atomic_bool is_over;
    atomic_uint wrong; /* cmocka's own checks are not thread-safe */
    atomic_size_t bytes;
} shared;

static const char path[] = "reload_threads.kiln", path_of_new[] = "reload_threads.new";
static uint64_t seed = 1;
static unsigned seconds; /* 0: a fixed number of replacements */

static void *count_alloc(void *ctx, size_t size, size_t align)
{
    kiln_allocator libc = kiln_allocator_default();
    shared *t = ctx;
    void *ptr = libc.alloc(libc.ctx, size, align);
    if (ptr)
        atomic_fetch_add(&t->bytes, size);
    return ptr;
}

static void count_free(void *ctx, void *ptr, size_t size)
{
    kiln_allocator libc = kiln_allocator_default();
    shared *t = ctx;
    /* A later read finds an invalid checksum. */
    memset(ptr, 0xdd, size);
    atomic_fetch_sub(&t->bytes, size);
    libc.free(libc.ctx, ptr, size);
}

static uint32_t random_below(uint64_t *random, uint32_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*random >> 33) % below);
}

static void expect(shared *t, bool is_right)
{
    atomic_fetch_add(&t->wrong, !is_right);
}

/* ---- files ---- */

static uint32_t number_of(uint32_t version, uint32_t name)
{
    /* Every third asset has the same value in all versions. */
    return name % 3 ? 1000 * (version + 1) + name : name + 1;
}

static bool has(uint32_t version, uint32_t name)
{
    return version < VERSIONS - 1 || name % 2 == 0;
}

static kiln_buffer make_version(const shared *t, uint32_t version)
{
    scene_asset assets[NAMES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < NAMES; i++)
        if (has(version, i))
            assets[count++] =
                (scene_asset){t->names[i], number_of(version, i), t->names[(i + 2) % NAMES],
                              version == 1 ? SCENE_PACKED : SCENE_THING};
    kiln_types *types = scene_types(version == 2);
    kiln_buffer image = scene_planned_of(
        types, version == 1 ? "Thing/1:Thing/3,Thing/5" : "Thing/0:Thing/2,Thing/4,Thing/6", assets,
        count);
    kiln_types_destroy(types);
    return image;
}

static void rehash(unsigned char *file, size_t size)
{
    kiln_blob_header header;
    memcpy(&header, file, sizeof header);
    uint64_t rest = header.payload_size;
    if (rest > size - KILN_HEADER_SIZE)
        rest = size - KILN_HEADER_SIZE;
    uint64_t of_header = kiln_hash64(file, offsetof(kiln_blob_header, hash), 0);
    header.hash = kiln_hash64(file + KILN_HEADER_SIZE, (size_t)rest, of_header);
    memcpy(file, &header, sizeof header);
}

static void change_bytes(shared *t, unsigned char *file, size_t size)
{
    for (uint32_t i = 0; i <= random_below(&t->random, 6); i++) {
        size_t at = random_below(&t->random, (uint32_t)size);
        if (random_below(&t->random, 2))
            file[at] = (unsigned char)random_below(&t->random, 256);
        else
            file[at] ^= (unsigned char)(1u << random_below(&t->random, 8));
    }
}

/* Damages the file and returns its new size. */
static size_t do_damage(shared *t, damage how, unsigned char *file, size_t size)
{
    kiln_blob_header header;
    memcpy(&header, file, sizeof header);
    switch (how) {
    case NEWER_MINOR:
        file[5]++;
        rehash(file, size);
        break;
    case NEWER_MAJOR:
        file[4]++;
        rehash(file, size);
        break;
    case TRUNCATED:
        return 1 + random_below(&t->random, (uint32_t)size - 1);
    case RANDOM:
        change_bytes(t, file, size);
        break;
    case RANDOM_HASHED:
        change_bytes(t, file + KILN_HEADER_SIZE, (size_t)header.payload_size);
        rehash(file, size);
        break;
    case INTACT:
    case DAMAGES:
        break;
    }
    return size;
}

/* ---- readers ---- */

/* Whichever file was accepted, the bytes of each asset are those of one of the versions that were
 * baked. */
static void check_root(shared *t, const void *root)
{
    const test_thing *thing = root;
    if (!thing)
        return;
    expect(t, thing->check == scene_check(thing->value));
    const kiln_id *refs = kiln_relative_get(&thing->refs, thing->refs.offset);
    bool is_known = false;
    for (uint32_t i = 0; thing->refs.count == 1 && i < NAMES; i++)
        is_known = is_known || refs[0] == t->ids[i];
    expect(t, is_known);
}

static void *read_all(void *ctx)
{
    shared *t = ctx;
    kiln_assets_thread *thread = kiln_assets_thread_register(t->assets);
    const kiln_slots *slots = kiln_assets_get_slots(t->assets);
    uint64_t random = (uintptr_t)thread;
    while (!atomic_load(&t->is_over)) {
        for (uint32_t i = 0; i < NAMES; i++) {
            uint32_t name = random_below(&random, NAMES);
            check_root(t, kiln_assets_get(t->assets, t->ids[name]));
            kiln_ref word = {atomic_load(&t->words[name])}, strong = {0};
            check_root(t, kiln_ref_get(slots, word));
            if (kiln_assets_take(t->assets, word, KILN_REF_STRONG, "reader", &strong) == KILN_OK) {
                const void *root = kiln_ref_get(slots, strong);
                expect(t, root != NULL);
                check_root(t, root);
                kiln_assets_clear(t->assets, &strong);
            }
        }
        kiln_assets_thread_quiescent(thread);
    }
    kiln_assets_thread_unregister(thread);
    return NULL;
}

static void load(shared *t, uint32_t name)
{
    kiln_load_args args = {.id = t->ids[name], .by = "loader"};
    kiln_ref strong = {0}, weak = {0};
    const void *root = NULL;
    if (kiln_assets_load(t->assets, &args, &strong, NULL) != KILN_OK)
        return;
    check_root(t, kiln_ref_get(kiln_assets_get_slots(t->assets), strong));
    if (kiln_assets_take(t->assets, strong, KILN_REF_WEAK, "loader", &weak) == KILN_OK) {
        weak.bits = atomic_exchange(&t->words[name], weak.bits);
        kiln_assets_clear(t->assets, &weak);
    }
    if (kiln_assets_borrow(t->assets, strong, "loader", &root, NULL) == KILN_OK) {
        check_root(t, root);
        expect(t, kiln_assets_release(t->assets, root, "loader") == KILN_OK);
    }
    kiln_assets_clear(t->assets, &strong);
}

static void *load_all(void *ctx)
{
    shared *t = ctx;
    kiln_assets_thread *thread = kiln_assets_thread_register(t->assets);
    uint64_t random = (uintptr_t)thread;
    while (!atomic_load(&t->is_over)) {
        load(t, random_below(&random, NAMES));
        kiln_assets_thread_quiescent(thread);
    }
    kiln_assets_thread_unregister(thread);
    return NULL;
}

/* ---- replacing ---- */

/* All loaded assets have the values of the mounted version. */
static void expect_current(shared *t)
{
    for (uint32_t i = 0; i < NAMES && t->current != UNKNOWN; i++) {
        const test_thing *thing = kiln_assets_get(t->assets, t->ids[i]);
        if (kiln_assets_has(t->assets, t->ids[i]) != has(t->current, i))
            fail_msg("version %u: %s", (unsigned)t->current, t->names[i]);
        if (thing)
            assert_int_equal(number_of(t->current, i), thing->value);
    }
}

/* The last event reports a failure if and only if the call failed. */
static void expect_events(shared *t, kiln_status status, const kiln_error *error)
{
    kiln_replaced event;
    kiln_status next;
    bool has_failed = false;
    while ((next = kiln_assets_next_replaced(t->assets, &t->cursor, &event)) == KILN_OK) {
        has_failed = event.kind == KILN_REPLACED_FAILED;
        if (has_failed) {
            assert_int_equal(status, event.error.status);
            assert_string_equal(error->path, event.error.path);
        }
    }
    EXPECT_STATUS(KILN_NOT_FOUND, next);
    assert_int_equal(status != KILN_OK, has_failed);
}

/* Unchanged assets keep their bytes in files that are mapped from a path. Such a file must not
 * change, so each one is a new file. */
static void save(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path_of_new, "wb");
    assert_non_null(file);
    assert_int_equal(size, fwrite(bytes, 1, size, file));
    assert_int_equal(0, fclose(file));
    assert_int_equal(0, rename(path_of_new, path));
}

static void replace_once(shared *t)
{
    const uint32_t version = random_below(&t->random, VERSIONS);
    const damage how = random_below(&t->random, DAMAGES);
    const kiln_buffer *image = &t->versions[version];
    kiln_allocator libc = kiln_allocator_default();
    kiln_mount_def def = kiln_mount_def_default();
    kiln_error error = {0};
    unsigned char *bytes = libc.alloc(libc.ctx, image->size, 4096);
    assert_non_null(bytes);
    memcpy(bytes, image->data, image->size);
    size_t size = do_damage(t, how, bytes, image->size);
    if (random_below(&t->random, 4)) {
        save(bytes, size);
        def.file.path = path;
    } else {
        def.file.data = bytes;
        def.file.size = size;
        def.file.source = KILN_SOURCE_COPY;
    }
    def.file.level = random_below(&t->random, 2) ? KILN_VERIFY_HASH : KILN_VERIFY_DEEP;
    kiln_status status = kiln_assets_replace(t->assets, t->mount, &def, &error);
    libc.free(libc.ctx, bytes, image->size);
    if (how == NEWER_MAJOR)
        EXPECT_STATUS(KILN_H_VERSION, status);
    bool is_stuck = t->current == UNKNOWN && status == KILN_TYPE_MISMATCH;
    if (how <= NEWER_MINOR && !is_stuck)
        EXPECT_STATUS(KILN_OK, status);
    if (status == KILN_OK)
        t->current = how <= NEWER_MINOR ? version : UNKNOWN;
    *(status == KILN_OK ? &t->accepted[how] : &t->refused[how]) += 1;
    expect_events(t, status, &error);
    expect_current(t);
}

/* Replaces the file with a valid one. This may only fail if the current file is damaged and gives a
 * loaded asset a different type. The valid file is then mounted after the damaged one is unmounted.
 */
static void replace_with_a_valid_file(shared *t)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_error error = {0};
    def.file.data = t->versions[0].data;
    def.file.size = t->versions[0].size;
    def.file.source = KILN_SOURCE_COPY;
    kiln_status status = kiln_assets_replace(t->assets, t->mount, &def, &error);
    expect_events(t, status, &error);
    if (t->current == UNKNOWN && status == KILN_TYPE_MISMATCH) {
        EXPECT_STATUS(KILN_OK, kiln_assets_unmount(t->assets, t->mount, KILN_UNMOUNT_DEFER, NULL));
        status = kiln_assets_mount(t->assets, &def, &t->mount, NULL);
    }
    EXPECT_STATUS(KILN_OK, status);
    t->current = 0;
    expect_current(t);
}

/* Forms a cluster, which may contain assets of the file, or dissolves one. */
static void change_cluster(shared *t)
{
    kiln_ref word = {atomic_load(&t->words[random_below(&t->random, NAMES)])};
    kiln_cluster cluster = kiln_cluster_of(t->collector, word);
    if (!kiln_cluster_is_null(cluster))
        kiln_cluster_dissolve(t->collector, cluster);
    else if (kiln_cluster_create(t->collector, word, &cluster, NULL) == KILN_OK)
        t->clusters += !kiln_cluster_is_null(cluster);
}

static void replace_many(shared *t)
{
    const time_t end = time(NULL) + (time_t)seconds;
    for (uint32_t i = 0; seconds ? time(NULL) < end : i < test_share_of(REPLACEMENTS); i++) {
        replace_once(t);
        EXPECT_STATUS(KILN_OK, kiln_collector_step(t->collector, 20000, NULL));
        if (i % 4 == 0)
            change_cluster(t);
        if (i % 16 == 0)
            replace_with_a_valid_file(t);
        if (i % 64 == 0)
            assert_true(kiln_assets_is_valid(t->assets, NULL));
        if (i % 64 == 0)
            assert_true(kiln_collector_is_valid(t->collector, NULL));
        kiln_assets_stats stats;
        kiln_assets_get_stats(t->assets, &stats);
        if (stats.older_versions > t->most_older)
            t->most_older = stats.older_versions;
    }
}

static void begin(shared *t)
{
    static kiln_allocator allocator;
    memset(t, 0, sizeof *t);
    allocator = (kiln_allocator){count_alloc, count_free, t};
    t->random = seed;
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(t->names[i], sizeof t->names[i], "Thing/%u", (unsigned)i);
        t->ids[i] = scene_id(t->names[i]);
    }
    for (uint32_t i = 0; i < VERSIONS; i++)
        t->versions[i] = make_version(t, i);
    t->types = scene_type_table();
    kiln_assets_def def = kiln_assets_def_default();
    def.max_assets = 4096;
    def.allocator = &allocator;
    def.types = t->types.data;
    def.types_size = t->types.size;
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&def, &t->assets, NULL));
    kiln_mount_def mount = kiln_mount_def_default();
    mount.file.data = t->versions[0].data;
    mount.file.size = t->versions[0].size;
    mount.file.source = KILN_SOURCE_COPY;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(t->assets, &mount, &t->mount, NULL));
    EXPECT_STATUS(KILN_OK, kiln_assets_watch(t->assets, &t->cursor, NULL));
    kiln_collector_def collector = kiln_collector_def_default();
    collector.assets = t->assets;
    collector.start_bytes = 4096;
    EXPECT_STATUS(KILN_OK, kiln_collector_create(&collector, &t->collector, NULL));
}

static void end(shared *t)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        kiln_ref word = {atomic_load(&t->words[i])};
        kiln_assets_clear(t->assets, &word);
    }
    EXPECT_STATUS(KILN_OK, kiln_collector_run(t->collector));
    kiln_assets_stats stats;
    kiln_collector_stats collected;
    kiln_assets_get_stats(t->assets, &stats);
    kiln_collector_get_stats(t->collector, &collected);
    assert_true(t->clusters > 0 && collected.planned_clusters > 0);
    assert_int_equal(0, collected.clusters);
    assert_int_equal(0, stats.loaded);
    assert_int_equal(0, stats.deferred);
    assert_int_equal(0, stats.older_versions);
    assert_int_equal(1, stats.mounts);
    assert_true(t->most_older > 0);
    remove(path);
    kiln_collector_destroy(t->collector);
    assert_true(kiln_assets_is_valid(t->assets, NULL));
    kiln_assets_destroy(t->assets);
    assert_int_equal(0, atomic_load(&t->bytes));
    for (uint32_t i = 0; i < VERSIONS; i++)
        kiln_buffer_fini(&t->versions[i]);
    kiln_buffer_fini(&t->types);
}

static void readers_are_not_disturbed_by_any_file(void **state)
{
    (void)state;
    static shared t;
    pthread_t threads[READERS + LOADERS];
    begin(&t);
    for (uint32_t i = 0; i < READERS + LOADERS; i++)
        assert_int_equal(0,
                         pthread_create(&threads[i], NULL, i < READERS ? read_all : load_all, &t));
    replace_many(&t);
    atomic_store(&t.is_over, true);
    for (uint32_t i = 0; i < READERS + LOADERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(0, atomic_load(&t.wrong));
    uint32_t accepted = 0, refused = 0;
    for (uint32_t i = 0; i < DAMAGES; i++) {
        accepted += t.accepted[i];
        refused += t.refused[i];
        /* Truncated files and those of a newer major version are never accepted. */
        assert_int_equal(i == NEWER_MAJOR || i == TRUNCATED, t.accepted[i] == 0);
    }
    end(&t);
    print_message("seed %llu: %u replacements, %u refused\n", (unsigned long long)seed,
                  (unsigned)(accepted + refused), (unsigned)refused);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_are_not_disturbed_by_any_file),
    };
    if (getenv("KILN_SEED"))
        seed = strtoull(getenv("KILN_SEED"), NULL, 10);
    seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

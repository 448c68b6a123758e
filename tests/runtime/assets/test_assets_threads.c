/* Threads that read while another one mounts, unmounts, patches, loads and disposes. Everything
 * that they read must belong to the requested asset, or be missing. */
#include "asset_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
    NAMES = 12,
    FILES = 4, /* the last but one is compressed; the last has an older layout */
    READERS = 3,
    ROUNDS = 400,
    WORDS = 8
};

/* The number identifies an asset and its file. */
static uint32_t number_of(uint32_t file, uint32_t name)
{
    return 1000 * (file + 1) + name;
}

typedef struct shared {
    kiln_assets *assets;
    char names[NAMES][16];
    kiln_id ids[NAMES];
    kiln_buffer images[FILES], types;
    _Atomic(uint64_t) words[NAMES]; /* weak words that any thread may use */
    _Atomic(uint64_t) indirect[NAMES];
    atomic_bool is_over;
    atomic_uint wrong; /* cmocka's own checks are not thread-safe */
    atomic_size_t bytes;
} shared;

static void *count_alloc(void *ctx, size_t size, size_t align)
{
    kiln_allocator libc = kiln_allocator_default();
    shared *s = ctx;
    void *ptr = libc.alloc(libc.ctx, size, align);
    if (ptr)
        atomic_fetch_add(&s->bytes, size);
    return ptr;
}

static void count_free(void *ctx, void *ptr, size_t size)
{
    kiln_allocator libc = kiln_allocator_default();
    shared *s = ctx;
    /* A later read finds an invalid checksum. */
    memset(ptr, 0xdd, size);
    atomic_fetch_sub(&s->bytes, size);
    libc.free(libc.ctx, ptr, size);
}

static kiln_buffer make_file(const shared *s, uint32_t file)
{
    scene_asset assets[NAMES];
    uint32_t count = 0;
    /* The first file has all assets. Each refers to the asset after the next one. */
    for (uint32_t i = 0; i < NAMES; i++)
        if (file == 0 || (i + file) % 2 == 0)
            assets[count++] =
                (scene_asset){s->names[i], number_of(file, i), s->names[(i + 2) % NAMES],
                              file == FILES - 2 ? SCENE_PACKED : SCENE_THING};
    kiln_types *types = scene_types(file == FILES - 1);
    kiln_buffer image = scene_file_of(types, assets, count);
    kiln_types_destroy(types);
    return image;
}

static void begin(shared *s)
{
    static kiln_allocator allocator;
    memset(s, 0, sizeof *s);
    allocator = (kiln_allocator){count_alloc, count_free, s};
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(s->names[i], sizeof s->names[i], "Thing/%u", (unsigned)i);
        s->ids[i] = scene_id(s->names[i]);
    }
    for (uint32_t i = 0; i < FILES; i++)
        s->images[i] = make_file(s, i);
    s->types = scene_type_table();
    kiln_assets_def def = kiln_assets_def_default();
    def.max_assets = 4096; /* most slots are retired because of indirect words */
    def.allocator = &allocator;
    def.types = s->types.data;
    def.types_size = s->types.size;
    EXPECT_STATUS(KILN_OK, kiln_assets_create(&def, &s->assets, NULL));
}

static void end(shared *s)
{
    kiln_error error = {0};
    assert_int_equal(0, atomic_load(&s->wrong));
    if (!kiln_assets_is_valid(s->assets, &error))
        fail_msg("%s", error.path);
    kiln_assets_destroy(s->assets);
    assert_int_equal(0, atomic_load(&s->bytes));
    for (uint32_t i = 0; i < FILES; i++)
        kiln_buffer_fini(&s->images[i]);
    kiln_buffer_fini(&s->types);
}

static void expect(shared *s, bool is_right)
{
    atomic_fetch_add(&s->wrong, !is_right);
}

static uint32_t random_below(uint64_t *random, uint32_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*random >> 33) % below);
}

/* Checks that the value belongs to the asset, and reads all of it. */
static void check_root(shared *s, uint32_t name, const void *root)
{
    const test_thing *thing = root;
    if (!thing)
        return;
    expect(s, thing->check == scene_check(thing->value) && thing->value % 1000 == name &&
                  thing->value / 1000 >= 1 && thing->value / 1000 <= FILES);
    const kiln_id *refs = kiln_relative_get(&thing->refs, thing->refs.offset);
    expect(s, thing->refs.count == 1 && refs[0] == s->ids[(name + 2) % NAMES]);
}

/* Takes a word and reads through it. */
static void use_word(shared *s, uint32_t name, kiln_ref_form form)
{
    kiln_ref shared_word = {atomic_load(&s->words[name])}, own = {0};
    const kiln_slots *slots = kiln_assets_get_slots(s->assets);
    check_root(s, name, kiln_ref_get(slots, shared_word));
    kiln_status status = kiln_assets_take(s->assets, shared_word, form, "reader", &own);
    if (status != KILN_OK)
        return;
    const void *root = kiln_ref_get(slots, own);
    expect(s, root || form == KILN_REF_WEAK);
    check_root(s, name, root);
    kiln_assets_clear(s->assets, &own);
}

static void *read_all(void *ctx)
{
    shared *s = ctx;
    kiln_assets_thread *thread = kiln_assets_thread_register(s->assets);
    uint64_t random = (uintptr_t)thread;
    while (!atomic_load(&s->is_over)) {
        for (int i = 0; i < 64; i++) {
            uint32_t name = random_below(&random, NAMES);
            check_root(s, name, kiln_assets_get(s->assets, s->ids[name]));
            kiln_id found = kiln_assets_find(s->assets, s->names[name]);
            expect(s, found == 0 || found == s->ids[name]);
            kiln_assets_has(s->assets, s->ids[name] + 1);
            use_word(s, name, random_below(&random, 2) ? KILN_REF_WEAK : KILN_REF_STRONG);
            kiln_ref indirect = {atomic_load(&s->indirect[name])};
            check_root(s, name, kiln_ref_get(kiln_assets_get_slots(s->assets), indirect));
        }
        kiln_assets_thread_quiescent(thread);
    }
    kiln_assets_thread_unregister(thread);
    return NULL;
}

static kiln_mount mount(shared *s, uint32_t file, int32_t order)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount made = {0};
    def.file.data = s->images[file].data;
    def.file.size = s->images[file].size;
    /* Unmounted memory is overwritten, see count_free. */
    def.file.source = KILN_SOURCE_COPY;
    def.order = order;
    expect(s, kiln_assets_mount(s->assets, &def, &made, NULL) == KILN_OK);
    return made;
}

/* Replaces a mounted file with any other one. */
static void replace(shared *s, kiln_mount mounted, uint32_t file)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.file.data = s->images[file].data;
    def.file.size = s->images[file].size;
    def.file.source = KILN_SOURCE_COPY;
    kiln_status status = kiln_assets_replace(s->assets, mounted, &def, NULL);
    expect(s, status == KILN_OK || status == KILN_MISSING || status == KILN_LIMIT);
}

/* Loads an asset, publishes a weak word of it, and may dispose of it. While other threads make
 * changing calls, only registered threads may call this function, because a root stays valid only
 * for them. */
static void load(shared *s, uint32_t name, bool disposes)
{
    kiln_load_args args = {.name = s->names[name], .by = "writer"};
    kiln_ref strong = {0}, weak = {0};
    kiln_status status = kiln_assets_load(s->assets, &args, &strong, NULL);
    expect(s, status == KILN_OK || status == KILN_NOT_FOUND || status == KILN_MISSING ||
                  status == KILN_LIMIT);
    if (status != KILN_OK)
        return;
    check_root(s, name, kiln_ref_get(kiln_assets_get_slots(s->assets), strong));
    if (kiln_assets_take(s->assets, strong, KILN_REF_WEAK, "writer", &weak) == KILN_OK) {
        weak.bits = atomic_exchange(&s->words[name], weak.bits);
        kiln_assets_clear(s->assets, &weak);
    }
    kiln_ref indirect = {0};
    expect(s,
           kiln_assets_take(s->assets, strong, KILN_REF_INDIRECT, "writer", &indirect) == KILN_OK);
    atomic_store(&s->indirect[name], indirect.bits);
    if (!disposes || kiln_assets_dispose(s->assets, strong, NULL) != KILN_OK)
        kiln_assets_clear(s->assets, &strong);
}

static void change(shared *s)
{
    kiln_assets_thread *thread = kiln_assets_thread_register(s->assets);
    uint64_t random = 1;
    kiln_mount mounts[FILES] = {{0, 0}};
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t file = random_below(&random, FILES);
        if (!mounts[file].number) {
            mounts[file] = mount(s, file, (int32_t)random_below(&random, 2));
        } else if (random_below(&random, 2)) {
            replace(s, mounts[file], random_below(&random, FILES));
        } else {
            kiln_unmount how = random_below(&random, 2) ? KILN_UNMOUNT_REFUSE : KILN_UNMOUNT_DEFER;
            kiln_status status = kiln_assets_unmount(s->assets, mounts[file], how, NULL);
            expect(s, status == KILN_OK || status == KILN_HELD);
            if (status == KILN_OK)
                mounts[file].number = 0;
        }
        for (int i = 0; i < 3; i++)
            load(s, random_below(&random, NAMES), random_below(&random, 3) == 0);
        kiln_assets_thread_quiescent(thread);
    }
    kiln_assets_thread_unregister(thread);
}

static void clear_words(shared *s)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        kiln_ref word = {atomic_load(&s->words[i])};
        kiln_assets_clear(s->assets, &word);
    }
}

static void readers_get_a_correct_value_or_nothing_during_every_change(void **state)
{
    (void)state;
    static shared s;
    pthread_t threads[READERS];
    begin(&s);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, read_all, &s));
    change(&s);
    atomic_store(&s.is_over, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    clear_words(&s);
    kiln_assets_collect(s.assets);
    assert_int_equal(0, kiln_assets_list_holds(s.assets, NULL, NULL));
    assert_int_equal(0, kiln_assets_collect(s.assets));
    end(&s);
}

static void *load_all(void *ctx)
{
    shared *s = ctx;
    kiln_assets_thread *thread = kiln_assets_thread_register(s->assets);
    uint64_t random = (uintptr_t)&random;
    for (int i = 0; i < ROUNDS; i++) {
        load(s, random_below(&random, NAMES), random_below(&random, 2));
        kiln_assets_thread_quiescent(thread);
    }
    kiln_assets_thread_unregister(thread);
    return NULL;
}

static void *change_all(void *ctx)
{
    change(ctx);
    return NULL;
}

static void many_load_at_once_while_files_come_and_go(void **state)
{
    (void)state;
    static shared s;
    pthread_t threads[READERS], changer;
    begin(&s);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, i ? load_all : read_all, &s));
    assert_int_equal(0, pthread_create(&changer, NULL, change_all, &s));
    pthread_join(changer, NULL);
    atomic_store(&s.is_over, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    clear_words(&s);
    assert_int_equal(0, kiln_assets_list_holds(s.assets, NULL, NULL));
    end(&s);
}

/* Concurrent loads of an asset load it once. */
static void threads_that_load_one_asset_at_once_get_the_same_asset(void **state)
{
    (void)state;
    static shared s;
    begin(&s);
    mount(&s, 0, 0);
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, load_all, &s));
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    kiln_assets_stats stats;
    kiln_assets_get_stats(s.assets, &stats);
    /* Assets of a file cannot be disposed of. */
    assert_int_equal(NAMES, stats.loaded);
    assert_int_equal(NAMES, stats.loads);
    assert_int_equal(0, stats.strong);
    clear_words(&s);
    end(&s);
}

static void bytes_wait_for_every_thread_that_is_registered(void **state)
{
    (void)state;
    static shared s;
    begin(&s);
    kiln_mount made = mount(&s, 0, 0);
    kiln_assets_thread *one = kiln_assets_thread_register(s.assets),
                       *two = kiln_assets_thread_register(s.assets);
    load(&s, 0, false);
    clear_words(&s);
    const void *root = kiln_assets_get(s.assets, s.ids[0]);
    size_t before = atomic_load(&s.bytes);
    EXPECT_STATUS(KILN_OK, kiln_assets_unmount(s.assets, made, KILN_UNMOUNT_REFUSE, NULL));
    assert_null(kiln_assets_get(s.assets, s.ids[0]));
    check_root(&s, 0, root);
    kiln_assets_thread_quiescent(one);
    kiln_assets_collect(s.assets);
    check_root(&s, 0, root);
    assert_int_equal(0, atomic_load(&s.wrong));
    assert_true(before - atomic_load(&s.bytes) < s.images[0].size);
    kiln_assets_thread_unregister(two);
    kiln_assets_collect(s.assets);
    assert_true(before - atomic_load(&s.bytes) >= s.images[0].size);
    /* One more thread may register at any time. The table unregisters the remaining ones. */
    assert_non_null(kiln_assets_thread_register(s.assets));
    kiln_assets_stats stats;
    kiln_assets_get_stats(s.assets, &stats);
    assert_int_equal(2, stats.threads);
    kiln_assets_thread_unregister(NULL);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_get_a_correct_value_or_nothing_during_every_change),
        cmocka_unit_test(many_load_at_once_while_files_come_and_go),
        cmocka_unit_test(threads_that_load_one_asset_at_once_get_the_same_asset),
        cmocka_unit_test(bytes_wait_for_every_thread_that_is_registered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

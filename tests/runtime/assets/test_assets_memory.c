/* Refuses memory at each allocation of a history that uses everything. The call that needs the
 * memory must report the failure, the table must stay unchanged, and the history must continue to
 * the same end. */
#include "asset_fixture.h"

#include <string.h>

typedef struct run {
    scene s;
    kiln_mount base, patch;
    kiln_ref a, b, added, weak, pointer;
    const void *borrowed;
    kiln_assets_thread *thread;
    kiln_buffer images[3], blob, given;
    kiln_root_type type;
} run;

static kiln_status mount(run *r, int image, int32_t order, kiln_mount *ret_mount)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.file.data = r->images[image].data;
    def.file.size = r->images[image].size;
    def.file.source = image == 1 ? KILN_SOURCE_COPY : KILN_SOURCE_MAP;
    def.order = order;
    return kiln_assets_mount(r->s.assets, &def, ret_mount, &r->s.error);
}
static kiln_status load(run *r, const char *name, kiln_ref *ret_ref)
{
    kiln_load_args args = {.name = name, .by = "load.c:1"};
    return kiln_assets_load(r->s.assets, &args, ret_ref, &r->s.error);
}
static kiln_status add(run *r, const char *name, kiln_ref *ret_ref)
{
    kiln_add_args args = {.name = name,
                          .type = &r->type,
                          .blob = r->blob.data,
                          .size = r->blob.size,
                          .by = "add.c:1"};
    return kiln_assets_add(r->s.assets, &args, ret_ref, &r->s.error);
}

/* The steps. A failed step does nothing. */
static kiln_status mount_base(run *r)
{
    return mount(r, 0, 0, &r->base);
}
static kiln_status load_a(run *r)
{
    return load(r, "Thing/a", &r->a);
}
static kiln_status load_older(run *r)
{
    return load(r, "Thing/f", &r->b);
}
static kiln_status add_one(run *r)
{
    return add(r, "Thing/x", &r->added);
}
static void free_given(void *ctx, const void *blob, size_t size)
{
    (void)size;
    run *r = ctx;
    assert_ptr_equal(r->given.data, blob);
    kiln_buffer_fini(&r->given);
}
/* If the call fails, the program keeps the bytes. */
static kiln_status add_given(run *r)
{
    kiln_ref ref = {0};
    kiln_add_args args = {.name = "Thing/given",
                          .type = &r->type,
                          .blob = r->given.data,
                          .size = r->given.size,
                          .in_place = true,
                          .free = free_given,
                          .free_ctx = r};
    kiln_status status = kiln_assets_add(r->s.assets, &args, &ref, &r->s.error);
    kiln_assets_clear(r->s.assets, &ref);
    return status;
}
/* Adds a name and clears its handle. */
static kiln_status add_name(run *r)
{
    kiln_ref ref = {0};
    kiln_status status = add(r, "Thing/y", &ref);
    kiln_assets_clear(r->s.assets, &ref);
    return status;
}
static kiln_status register_thread(run *r)
{
    r->thread = kiln_assets_thread_register(r->s.assets);
    return r->thread ? KILN_OK : KILN_NO_MEMORY;
}
static kiln_status borrow(run *r)
{
    return kiln_assets_borrow(r->s.assets, r->a, "b.c:1", &r->borrowed, &r->s.error);
}
static kiln_status protect(run *r)
{
    return kiln_assets_protect(r->s.assets, r->a, "p.c:1", &r->s.error);
}
static kiln_status take_weak(run *r)
{
    return kiln_assets_take(r->s.assets, r->a, KILN_REF_WEAK, "w.c:1", &r->weak);
}
static kiln_status take_pointer(run *r)
{
    return kiln_assets_take(r->s.assets, r->a, KILN_REF_POINTER, "p.c:2", &r->pointer);
}
static kiln_status mount_patch(run *r)
{
    return mount(r, 1, 1, &r->patch);
}
static kiln_status mount_larger(run *r)
{
    kiln_mount larger;
    return mount(r, 2, -1, &larger);
}
static kiln_status load_c(run *r)
{
    kiln_ref ref = {0};
    kiln_status status = load(r, "Thing/c", &ref);
    kiln_assets_clear(r->s.assets, &ref);
    return status;
}
static kiln_status unmount_patch(run *r)
{
    return kiln_assets_unmount(r->s.assets, r->patch, KILN_UNMOUNT_REFUSE, &r->s.error);
}
static kiln_status unmount_base(run *r)
{
    return kiln_assets_unmount(r->s.assets, r->base, KILN_UNMOUNT_DEFER, &r->s.error);
}

static const struct step {
    const char *name;
    kiln_status (*step)(run *r);
} steps[] = {
    {"mount_base", mount_base},
    {"load_a", load_a},
    {"add_one", add_one},
    {"add_given", add_given},
    {"add_name", add_name},
    {"register", register_thread},
    {"borrow", borrow},
    {"protect", protect},
    {"take_weak", take_weak},
    {"take_pointer", take_pointer},
    {"mount_patch", mount_patch},
    {"mount_larger", mount_larger},
    {"load_c", load_c},
    {"load_older", load_older},
    {"unmount_patch", unmount_patch},
    {"unmount_base", unmount_base},
};
enum { STEPS = sizeof steps / sizeof *steps };

static void make_inputs(run *r)
{
    r->images[0] =
        SCENE_FILE({"Thing/a", 1, "Thing/b", SCENE_THING}, {"Thing/b", 2, "Thing/a", SCENE_THING},
                   {"Thing/c", 3, "Thing/d", SCENE_THING}, {"Thing/d", 4, NULL, SCENE_THING});
    r->images[1] = SCENE_FILE({"Thing/a", 11, "Thing/b Thing/e", SCENE_THING},
                              {"Thing/e", 15, "Thing/b", SCENE_PACKED});
    static const char *const names[] = {"Thing/a", "Thing/f", "Thing/g", "Thing/h", "Thing/i",
                                        "Thing/j", "Thing/k", "Thing/l", "Thing/m", "Thing/n",
                                        "Thing/o", "Thing/p", "Thing/q", "Thing/r", "Thing/s"};
    enum { LARGE = sizeof names / sizeof *names };
    scene_asset assets[LARGE];
    for (uint32_t i = 0; i < LARGE; i++)
        assets[i] = (scene_asset){names[i], 100 + i, NULL, SCENE_THING};
    kiln_types *older = scene_types(true);
    r->images[2] = scene_file_of(older, assets, LARGE);
    kiln_types_destroy(older);
    r->blob = scene_blob(77, NULL, SCENE_THING);
    r->given = scene_blob(78, NULL, SCENE_THING);
    r->type = scene_root_type(SCENE_THING);
}

static void free_inputs(run *r)
{
    for (int i = 0; i < 3; i++)
        kiln_buffer_fini(&r->images[i]);
    kiln_buffer_fini(&r->blob);
}

/* The statistics that a failed step must not change. */
static kiln_assets_stats look(run *r)
{
    kiln_assets_stats stats = scene_stats(&r->s);
    stats.bytes_waiting = 0; /* blocks that grew leave the old ones behind */
    return stats;
}

static void end(run *r)
{
    kiln_assets_thread_unregister(r->thread);
    scene_clear(&r->s, &r->a);
    scene_clear(&r->s, &r->b);
    scene_clear(&r->s, &r->weak);
    scene_clear(&r->s, &r->added);
    if (r->borrowed)
        EXPECT_STATUS(KILN_OK, kiln_assets_release(r->s.assets, r->borrowed, "b.c:1"));
    scene_clear(&r->s, &r->pointer);
}

static void expect_end(run *r)
{
    assert_int_equal(100, scene_value_named(&r->s, "Thing/a"));
    assert_int_equal(77, scene_value_named(&r->s, "Thing/x"));
    assert_int_equal(77, scene_value_named(&r->s, "Thing/y"));
    assert_int_equal(101, scene_value_of(&r->s, r->b));
    assert_int_equal(100, scene_value_of(&r->s, r->a));
    assert_int_equal(1, scene_value(r->borrowed));
    assert_int_equal(0, kiln_assets_find(r->s.assets, "Thing/c"));
    EXPECT_STATUS(KILN_OK, kiln_assets_unprotect(r->s.assets, r->a, "p.c:1"));
}

static void do_not_track(kiln_assets_def *def)
{
    def->track_takers = def->track_pointers = false;
}

/* Runs the history and fails allocation `fail_at` of `step`. Returns false if there are fewer
 * allocations. */
static bool run_with(uint32_t step, size_t fail_at, bool fail_rest, bool tracks)
{
    static run r;
    memset(&r, 0, sizeof r);
    make_inputs(&r);
    scene_begin_with(&r.s, tracks ? NULL : do_not_track);
    bool is_over = false;
    for (uint32_t i = 0; i < STEPS; i++) {
        if (i == step) {
            kiln_assets_stats before = look(&r);
            r.s.memory.failed = 0;
            r.s.memory.fail_at = r.s.memory.calls + fail_at;
            r.s.memory.fail_rest = fail_rest;
            r.s.error.offset = 0;
            kiln_status status = steps[i].step(&r);
            r.s.memory.fail_at = 0;
            /* The error has no offset in a file. */
            if (status == KILN_NO_MEMORY)
                assert_int_equal(r.s.error.offset, 0);
            scene_expect_valid(&r.s);
            is_over = r.s.memory.failed == 0;
            /* Running out of memory for the record of a taker is not an error. */
            if (is_over || !tracks || status != KILN_OK)
                EXPECT_STATUS(is_over ? KILN_OK : KILN_NO_MEMORY, status);
            if (status == KILN_OK)
                continue;
            kiln_assets_stats after = look(&r);
            assert_memory_equal(&before, &after, sizeof before);
        }
        kiln_status status = steps[i].step(&r);
        if (status != KILN_OK)
            fail_msg("%s: %s: %s", steps[i].name, kiln_status_name(status), r.s.error.path);
        scene_expect_valid(&r.s);
    }
    expect_end(&r);
    end(&r);
    scene_end(&r.s);
    free_inputs(&r);
    return !is_over;
}

static void every_failed_call_leaves_the_table_unchanged(void **state)
{
    (void)state;
    for (int rest = 0; rest < 2; rest++)
        for (uint32_t step = 0; step < STEPS; step++) {
            size_t fail_at = 1;
            while (run_with(step, fail_at, rest, false))
                fail_at++;
            for (fail_at = 1; run_with(step, fail_at, rest, true);)
                fail_at++;
        }
}

static void a_table_is_created_completely_or_not_at_all(void **state)
{
    (void)state;
    kiln_buffer types = scene_type_table();
    for (size_t fail_at = 1;; fail_at++) {
        world_memory memory;
        world_memory_init(&memory);
        kiln_assets_def def = kiln_assets_def_default();
        def.types = types.data;
        def.types_size = types.size;
        def.pages = &memory.pages;
        def.allocator = &memory.allocator;
        memory.fail_at = fail_at;
        kiln_assets *assets = NULL;
        kiln_error error = {0};
        kiln_status status = kiln_assets_create(&def, &assets, &error);
        EXPECT_STATUS(memory.failed ? KILN_NO_MEMORY : KILN_OK, status);
        assert_int_equal(status == KILN_OK, assets != NULL);
        kiln_assets_destroy(assets);
        assert_int_equal(0, memory.heap_bytes);
        assert_int_equal(0, memory.page_bytes);
        if (status == KILN_OK)
            break;
        assert_int_equal(KILN_NO_MEMORY, error.status);
    }
    kiln_buffer_fini(&types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_call_leaves_the_table_unchanged),
        cmocka_unit_test(a_table_is_created_completely_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

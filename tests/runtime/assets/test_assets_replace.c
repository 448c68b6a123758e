/* Replacing a mounted file: what the words to its assets then refer to, what keeps the old bytes,
 * and that a refused file changes nothing. */
#include "asset_fixture.h"

#include <kiln/blob_header.h>
#include <kiln/replaced.h>
#include <stdio.h>
#include <string.h>

static kiln_status replace_as(scene *s, kiln_mount mount, kiln_buffer image,
                              const kiln_file_def *file)
{
    assert_true(s->image_count < SCENE_MOUNTS);
    s->images[s->image_count++] = image;
    kiln_mount_def def = kiln_mount_def_default();
    def.file = *file;
    def.file.data = image.data;
    def.file.size = image.size;
    def.order = 77; /* ignored */
    def.name = "new";
    kiln_status status = kiln_assets_replace(s->assets, mount, &def, &s->error);
    scene_expect_valid(s);
    return status;
}

static kiln_status try_replace(scene *s, kiln_mount mount, kiln_buffer image)
{
    kiln_file_def file = kiln_file_def_default();
    return replace_as(s, mount, image, &file);
}

static void replace(scene *s, kiln_mount mount, kiln_buffer image)
{
    kiln_status status = try_replace(s, mount, image);
    if (status != KILN_OK)
        fail_msg("%s: %s", kiln_status_name(status), s->error.path);
}

static bool is_in(const scene *s, size_t image, const void *root)
{
    const unsigned char *first = s->images[image].data;
    return (const unsigned char *)root >= first &&
           (const unsigned char *)root < first + s->images[image].size;
}

static const void *root_of(scene *s, kiln_ref ref)
{
    return kiln_ref_get(kiln_assets_get_slots(s->assets), ref);
}

/* ---- what words refer to ---- */

static void words_refer_to_the_new_bytes(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(
        &s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b");
    kiln_ref weak = scene_take(&s, a, KILN_REF_WEAK),
             indirect = scene_take(&s, a, KILN_REF_INDIRECT);
    replace(&s, mount,
            SCENE_FILE({"Thing/a", 11, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}));
    assert_int_equal(11, scene_value_of(&s, a));
    assert_int_equal(11, scene_value_of(&s, weak));
    assert_int_equal(11, scene_value_of(&s, indirect));
    assert_int_equal(11, scene_value_named(&s, "Thing/a"));
    assert_int_equal(2, scene_value_of(&s, b));
    /* The old file is closed, so even the unchanged asset uses the bytes of the new file. */
    assert_true(is_in(&s, 1, root_of(&s, a)));
    assert_true(is_in(&s, 1, root_of(&s, b)));
    assert_int_equal(0, scene_stats(&s).deferred);
    assert_int_equal(1, scene_stats(&s).replaced);
    kiln_asset_info info;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s.assets, b, &info));
    assert_string_equal("Thing/b", info.name);
    assert_string_equal("test.Thing", info.type);
    assert_string_equal("new", info.mount);
    scene_clear(&s, &weak);
    scene_clear(&s, &a);
    scene_clear(&s, &b);
    scene_end(&s);
}

static void the_mount_stays_valid_and_keeps_its_order(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount low = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_mount high = scene_mount(&s, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&s, "Thing/a");
    replace(&s, low,
            SCENE_FILE({"Thing/a", 3, NULL, SCENE_THING}, {"Thing/b", 4, NULL, SCENE_THING}));
    assert_int_equal(2, scene_value_of(&s, a));
    replace(&s, high, SCENE_FILE({"Thing/a", 5, NULL, SCENE_THING}));
    assert_int_equal(5, scene_value_of(&s, a));
    scene_unmount(&s, high);
    assert_int_equal(3, scene_value_of(&s, a));
    replace(&s, low, SCENE_FILE({"Thing/a", 6, NULL, SCENE_THING}));
    assert_int_equal(6, scene_value_of(&s, a));
    assert_int_equal(0, kiln_assets_find(s.assets, "Thing/b"));
    scene_clear(&s, &a);
    scene_unmount(&s, low);
    kiln_mount_def def = kiln_mount_def_default();
    def.file.data = s.images[0].data;
    def.file.size = s.images[0].size;
    EXPECT_FAILURE(&s, KILN_DEAD, "", kiln_assets_replace(s.assets, low, &def, &s.error));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_replace(s.assets, low, NULL, NULL));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_replace(NULL, low, &def, NULL));
    def.file.types = &def;
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_replace(s.assets, low, &def, NULL));
    scene_end(&s);
}

/* A file with these assets in the older layout. */
static kiln_buffer older_file(const scene_asset *assets, size_t count)
{
    kiln_types *types = scene_types(true);
    kiln_buffer image = scene_file_of(types, assets, count);
    kiln_types_destroy(types);
    return image;
}

static void unchanged_assets_keep_their_own_memory(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    const scene_asset older[] = {{"Thing/c", 1, NULL, SCENE_THING},
                                 {"Thing/d", 2, NULL, SCENE_THING}};
    const scene_asset edited[] = {{"Thing/c", 1, NULL, SCENE_THING},
                                  {"Thing/d", 22, NULL, SCENE_THING}};
    kiln_mount packed = scene_mount(&s,
                                    SCENE_FILE({"Thing/a", 3, "Thing/c", SCENE_PACKED},
                                               {"Thing/b", 4, "Thing/c", SCENE_PACKED}),
                                    0);
    kiln_mount converted = scene_mount(&s, older_file(older, 2), 0);
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b"),
             c = scene_load(&s, "Thing/c"), d = scene_load(&s, "Thing/d");
    const void *root_a = root_of(&s, a), *root_c = root_of(&s, c);
    kiln_assets_stats before = scene_stats(&s);
    replace(&s, packed,
            SCENE_FILE({"Thing/a", 3, "Thing/c", SCENE_PACKED},
                       {"Thing/b", 44, "Thing/c", SCENE_PACKED}));
    replace(&s, converted, older_file(edited, 2));
    assert_ptr_equal(root_a, root_of(&s, a));
    assert_ptr_equal(root_c, root_of(&s, c));
    assert_int_equal(44, scene_value_of(&s, b));
    assert_int_equal(22, scene_value_of(&s, d));
    assert_int_equal(before.unpacked + 1, scene_stats(&s).unpacked);
    assert_int_equal(before.conversions + 1, scene_stats(&s).conversions);
    assert_int_equal(0, scene_stats(&s).deferred);
    kiln_asset_info info;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s.assets, a, &info));
    assert_string_equal("test.Thing", info.type);
    assert_int_equal(KILN_ASSET_UNPACKED, info.memory);
    for (kiln_ref *ref[] = {&a, &b, &c, &d, NULL}, **at = ref; *at; at++)
        scene_clear(&s, *at);
    scene_end(&s);
}

static void assets_that_shared_a_member_can_part(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount =
        scene_mount(&s,
                    SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 1, NULL, SCENE_THING},
                               {"Thing/c", 1, NULL, SCENE_THING}),
                    0);
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b"),
             c = scene_load(&s, "Thing/c");
    assert_ptr_equal(root_of(&s, a), root_of(&s, b));
    replace(&s, mount,
            SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING},
                       {"Thing/c", 1, NULL, SCENE_THING}));
    assert_int_equal(1, scene_value_of(&s, a));
    assert_int_equal(2, scene_value_of(&s, b));
    assert_ptr_equal(root_of(&s, a), root_of(&s, c));
    /* The first two assets have equal values again. */
    replace(&s, mount,
            SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING},
                       {"Thing/c", 1, NULL, SCENE_THING}));
    assert_int_equal(2, scene_value_of(&s, a));
    assert_ptr_equal(root_of(&s, a), root_of(&s, b));
    assert_int_equal(0, scene_stats(&s).deferred);
    for (kiln_ref *ref[] = {&a, &b, &c, NULL}, **at = ref; *at; at++)
        scene_clear(&s, *at);
    scene_end(&s);
}

static void assets_to_which_a_changed_one_refers_are_loaded(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    scene_mount(&s, SCENE_FILE({"Thing/z", 9, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&s, "Thing/a");
    assert_int_equal(1, scene_stats(&s).loaded);
    replace(&s, mount,
            SCENE_FILE({"Thing/a", 2, "Thing/b", SCENE_THING},
                       {"Thing/b", 3, "Thing/z", SCENE_THING}, {"Thing/c", 4, NULL, SCENE_THING}));
    assert_int_equal(3, scene_stats(&s).loaded);
    assert_int_equal(3, scene_value_named(&s, "Thing/b"));
    assert_int_equal(9, scene_value_named(&s, "Thing/z"));
    assert_true(kiln_assets_has(s.assets, scene_id("Thing/c")));
    assert_int_equal(0, scene_value_named(&s, "Thing/c"));
    scene_clear(&s, &a);
    scene_end(&s);
}

static void a_missing_asset_comes_from_the_file_below_or_stays_while_it_is_held(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"Thing/a", 100, NULL, SCENE_THING}), -1);
    kiln_mount mount = scene_mount(
        &s,
        SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING},
                   {"Thing/c", 3, NULL, SCENE_THING}, {"Thing/d", 4, NULL, SCENE_THING}),
        0);
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b"),
             c = scene_load(&s, "Thing/c"), d = scene_load(&s, "Thing/d");
    kiln_ref weak = scene_take(&s, c, KILN_REF_WEAK);
    EXPECT_STATUS(KILN_OK, kiln_assets_protect(s.assets, d, "keeper", NULL));
    scene_clear(&s, &c);
    scene_clear(&s, &d);
    replace(&s, mount, SCENE_FILE({"Thing/x", 5, NULL, SCENE_THING}));
    assert_int_equal(100, scene_value_of(&s, a));
    assert_int_equal(2, scene_value_of(&s, b));
    assert_int_equal(0, scene_value_of(&s, weak));
    assert_int_equal(0, kiln_assets_find(s.assets, "Thing/b"));
    assert_int_equal(0, kiln_assets_find(s.assets, "Thing/d"));
    assert_int_equal(3, scene_stats(&s).loaded);
    assert_int_equal(1, scene_stats(&s).deferred);
    /* The names can be used again. */
    replace(&s, mount, SCENE_FILE({"Thing/b", 22, NULL, SCENE_THING}));
    kiln_ref other = scene_load(&s, "Thing/b");
    assert_int_equal(22, scene_value_of(&s, other));
    assert_int_equal(2, scene_value_of(&s, b));
    scene_clear(&s, &b);
    assert_int_equal(1, scene_stats(&s).deferred);
    kiln_ref first = kiln_assets_next(s.assets, (kiln_ref){0});
    for (; first.bits; first = kiln_assets_next(s.assets, first))
        if (kiln_assets_unprotect(s.assets, first, "keeper") == KILN_OK)
            break;
    assert_int_equal(0, scene_stats(&s).deferred);
    scene_clear(&s, &weak);
    scene_clear(&s, &other);
    scene_clear(&s, &a);
    scene_end(&s);
}

/* The table has the removed asset until the file is replaced, but must not count it as present. */
static void a_new_reference_to_a_removed_asset_is_missing(void **state)
{
    (void)state;
    for (int is_loaded = 0; is_loaded < 2; is_loaded++) {
        scene s;
        scene_begin(&s);
        kiln_mount mount = scene_mount(
            &s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}),
            0);
        kiln_ref a = scene_load(&s, "Thing/a"), b = {0};
        if (is_loaded)
            b = scene_load(&s, "Thing/b");
        EXPECT_FAILURE(&s, KILN_MISSING, "Thing/a > Thing/b",
                       try_replace(&s, mount, SCENE_FILE({"Thing/a", 11, "Thing/b", SCENE_THING})));
        assert_int_equal(1, scene_value_of(&s, a));
        scene_clear(&s, &b);
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

/* An asset of another file, or a changed asset of the same file, refers to an asset that has a new
 * name in the new file. */
static void references_to_a_renamed_asset_lead_to_it_at_once(void **state)
{
    (void)state;
    for (int is_same_file = 0; is_same_file < 2; is_same_file++) {
        scene s;
        scene_begin(&s);
        scene_mount(&s, SCENE_FILE({"Level/one", 5, "Thing/b", SCENE_THING}), 0);
        kiln_mount mount = scene_mount(
            &s,
            SCENE_FILE({"Thing/a", 1, "Thing/b", SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING}),
            0);
        kiln_ref root = scene_load(&s, is_same_file ? "Thing/a" : "Level/one");
        kiln_ref b = scene_load(&s, "Thing/b");
        replace(&s, mount,
                SCENE_RENAMED("Thing/b>Thing/c", {"Thing/a", 11, "Thing/b", SCENE_THING},
                              {"Thing/c", 3, "Thing/d", SCENE_THING},
                              {"Thing/d", 4, NULL, SCENE_THING}));
        assert_int_equal(3, scene_value_named(&s, "Thing/b"));
        assert_int_equal(3, scene_value_named(&s, "Thing/c"));
        assert_int_equal(4, scene_value_named(&s, "Thing/d"));
        assert_int_equal(2, scene_value_of(&s, b));
        scene_clear(&s, &b);
        scene_clear(&s, &root);
        scene_end(&s);
    }
}

/* ---- what keeps the old bytes ---- */

static const struct {
    const char *name;
    scene_type type;
} kinds[] = {{"in place", SCENE_THING}, {"unpacked", SCENE_PACKED}};

static void borrowed_bytes_stay_until_they_are_released(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint32_t value = 1; value <= 2; value++) { /* unchanged; changed */
            scene s;
            scene_begin(&s);
            kiln_mount mount =
                scene_mount(&s, SCENE_FILE({"Thing/a", 1, "Thing/a", kinds[i].type}), 0);
            kiln_ref a = scene_load(&s, "Thing/a");
            const void *old = NULL;
            EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s.assets, a, "reader", &old, NULL));
            replace(&s, mount, SCENE_FILE({"Thing/a", value, "Thing/a", kinds[i].type}));
            assert_int_equal(value, scene_value_of(&s, a));
            assert_ptr_not_equal(old, root_of(&s, a));
            assert_int_equal(1, scene_value(old));
            assert_int_equal(1, scene_stats(&s).deferred);
            EXPECT_STATUS(KILN_OK, kiln_assets_release(s.assets, old, "reader"));
            assert_int_equal(0, scene_stats(&s).deferred);
            scene_clear(&s, &a);
            scene_end(&s);
        }
}

static void tracked_pointer_words_keep_the_old_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        scene s;
        scene_begin(&s);
        kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/a", 1, "Thing/a", kinds[i].type}), 0);
        kiln_ref a = scene_load(&s, "Thing/a"), pointer = scene_take(&s, a, KILN_REF_POINTER);
        replace(&s, mount, SCENE_FILE({"Thing/a", 2, "Thing/a", kinds[i].type}));
        assert_int_equal(2, scene_value_of(&s, a));
        assert_int_equal(1, scene_value_of(&s, pointer));
        assert_int_equal(1, scene_stats(&s).deferred);
        assert_int_equal(0, s.report_count);
        scene_clear(&s, &pointer);
        assert_int_equal(0, scene_stats(&s).deferred);
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

static void a_root_stays_valid_until_its_reader_is_quiescent(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_file_def file = kiln_file_def_default();
    file.source = KILN_SOURCE_COPY;
    kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/z", 1, NULL, SCENE_THING}), 0);
    EXPECT_STATUS(KILN_OK, replace_as(&s, mount,
                                      SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING},
                                                 {"Thing/b", 2, NULL, SCENE_THING}),
                                      &file));
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b");
    kiln_assets_thread *thread = kiln_assets_thread_register(s.assets);
    const void *old = root_of(&s, a), *same = root_of(&s, b);
    EXPECT_STATUS(KILN_OK, replace_as(&s, mount,
                                      SCENE_FILE({"Thing/a", 3, NULL, SCENE_THING},
                                                 {"Thing/b", 2, NULL, SCENE_THING}),
                                      &file));
    size_t before = s.memory.heap_bytes;
    /* Freed memory is overwritten, so freed bytes would give wrong values. */
    assert_int_equal(1, scene_value(old));
    assert_int_equal(2, scene_value(same));
    kiln_assets_thread_quiescent(thread);
    kiln_assets_collect(s.assets);
    assert_true(before - s.memory.heap_bytes > s.images[1].size);
    kiln_assets_thread_unregister(thread);
    scene_clear(&s, &a);
    scene_clear(&s, &b);
    scene_end(&s);
}

static void old_files_do_not_accumulate(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_buffer images[2] = {
        SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, "Thing/a", SCENE_PACKED},
                   {"Thing/c", 3, NULL, SCENE_THING}),
        SCENE_FILE({"Thing/a", 11, NULL, SCENE_THING}, {"Thing/b", 2, "Thing/a", SCENE_PACKED},
                   {"Thing/d", 4, NULL, SCENE_THING})};
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount;
    def.file.source = KILN_SOURCE_COPY;
    def.file.data = images[0].data;
    def.file.size = images[0].size;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(s.assets, &def, &mount, &s.error));
    kiln_ref a = scene_load(&s, "Thing/a"), b = scene_load(&s, "Thing/b");
    const void *unpacked = root_of(&s, b);
    size_t memory = 0;
    for (uint32_t i = 1; i <= 1000; i++) {
        def.file.data = images[i % 2].data;
        def.file.size = images[i % 2].size;
        EXPECT_STATUS(KILN_OK, kiln_assets_replace(s.assets, mount, &def, &s.error));
        assert_int_equal(i % 2 ? 11 : 1, scene_value_of(&s, a));
        if (i == 20)
            memory = s.memory.heap_bytes;
    }
    assert_int_equal(memory, s.memory.heap_bytes);
    assert_int_equal(0, scene_stats(&s).deferred);
    assert_int_equal(1, scene_stats(&s).mounts);
    assert_ptr_equal(unpacked, root_of(&s, b));
    scene_clear(&s, &a);
    scene_clear(&s, &b);
    scene_end(&s);
    kiln_buffer_fini(&images[0]);
    kiln_buffer_fini(&images[1]);
}

/* ---- files that are refused ---- */

/* Everything that a program can see of a table with the assets below, as text. */
typedef struct dump {
    char text[4096];
    size_t length;
} dump;

static void add_line(dump *d, const char *name, uint64_t a, uint64_t b)
{
    int written = snprintf(d->text + d->length, sizeof d->text - d->length, "%s %llx %llx\n", name,
                           (unsigned long long)a, (unsigned long long)b);
    d->length += (size_t)written;
    assert_true(d->length < sizeof d->text);
}

static void dump_table(scene *s, dump *d)
{
    static const char *const names[] = {"Thing/a", "Thing/b", "Thing/c", "Thing/d", "Thing/x"};
    kiln_assets_stats stats = scene_stats(s);
    d->length = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_line(d, names[i], kiln_assets_has(s->assets, scene_id(names[i])),
                 (uintptr_t)kiln_assets_get(s->assets, scene_id(names[i])));
    for (kiln_ref at = {0}; (at = kiln_assets_next(s->assets, at)).bits;) {
        kiln_asset_info info;
        EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s->assets, at, &info));
        add_line(d, info.name, at.bits, (uintptr_t)info.root);
        add_line(d, info.type, info.id, info.size);
        add_line(d, info.mount, info.strong, info.borrowed);
        add_line(d, "memory", info.memory, scene_value(info.root));
    }
    add_line(d, "known", stats.known, stats.loaded);
    add_line(d, "bytes", stats.bytes_owned, stats.mounts);
    add_line(d, "slots", stats.slots, stats.free_slots);
    add_line(d, "words", stats.strong, stats.weak);
    add_line(d, "deferred", stats.deferred, stats.bytes_waiting);
    add_line(d, "replaced", stats.replaced, stats.loads);
}

typedef struct refusal {
    scene s;
    kiln_mount mount;
    kiln_ref a, b;
    dump before;
} refusal;

static void begin_refusal(refusal *r)
{
    scene_begin(&r->s);
    scene_mount(&r->s, SCENE_FILE({"Plate/y", 8, NULL, SCENE_PLATE}), 0);
    r->mount = scene_mount(
        &r->s,
        SCENE_FILE({"Thing/a", 1, "Thing/b", SCENE_THING}, {"Thing/b", 2, "Thing/b", SCENE_PACKED},
                   {"Thing/c", 3, NULL, SCENE_THING}, {CLASHED_NAME, 4, NULL, SCENE_THING}),
        0);
    r->a = scene_load(&r->s, "Thing/a");
    r->b = scene_load(&r->s, "Thing/b");
    dump_table(&r->s, &r->before);
}

static void expect_as_before(refusal *r)
{
    dump now;
    scene_expect_valid(&r->s);
    dump_table(&r->s, &now);
    assert_string_equal(r->before.text, now.text);
    assert_int_equal(1, scene_value_of(&r->s, r->a));
    assert_int_equal(2, scene_value_of(&r->s, r->b));
}

static void end_refusal(refusal *r)
{
    scene_clear(&r->s, &r->a);
    scene_clear(&r->s, &r->b);
    scene_end(&r->s);
}

#define TWO                                                                                        \
    {"Thing/a", 11, "Thing/b", SCENE_THING},                                                       \
    {                                                                                              \
        "Thing/b", 2, "Thing/b", SCENE_PACKED                                                      \
    }

static void a_file_that_does_not_fit_changes_nothing(void **state)
{
    (void)state;
    const struct {
        kiln_status status;
        const char *path;
        kiln_buffer image;
    } rows[] = {
        {KILN_TYPE_MISMATCH, "Thing/a",
         SCENE_FILE({"Thing/a", 1, NULL, SCENE_PLATE}, {"Thing/b", 2, "Thing/b", SCENE_PACKED})},
        {KILN_TYPE_MISMATCH, "Plate/y", SCENE_FILE(TWO, {"Plate/y", 8, NULL, SCENE_THING})},
        {KILN_MISSING, "Thing/a > Thing/nobody",
         SCENE_FILE({"Thing/a", 1, "Thing/nobody", SCENE_THING},
                    {"Thing/b", 2, "Thing/b", SCENE_PACKED})},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        refusal r;
        begin_refusal(&r);
        EXPECT_FAILURE(&r.s, rows[i].status, rows[i].path,
                       try_replace(&r.s, r.mount, rows[i].image));
        expect_as_before(&r);
        /* A valid file is then accepted. */
        replace(&r.s, r.mount, SCENE_FILE(TWO));
        assert_int_equal(11, scene_value_of(&r.s, r.a));
        end_refusal(&r);
    }
}

static void a_name_with_the_id_of_another_one_is_refused(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(&s, SCENE_FILE({CLASHED_NAME, 4, NULL, SCENE_THING}), 0);
    kiln_ref ref = scene_load(&s, CLASHED_NAME);
    EXPECT_FAILURE(&s, KILN_NAME_CLASH, CLASHING_NAME ", " CLASHED_NAME,
                   try_replace(&s, mount, SCENE_FILE({CLASHING_NAME, 4, NULL, SCENE_THING})));
    assert_int_equal(4, scene_value_of(&s, ref));
    scene_clear(&s, &ref);
    scene_end(&s);
}

static void a_truncated_file_changes_nothing(void **state)
{
    (void)state;
    refusal r;
    begin_refusal(&r);
    kiln_buffer whole = SCENE_FILE(TWO);
    kiln_allocator libc = kiln_allocator_default();
    for (size_t size = 1; size < whole.size; size++) {
        unsigned char *part = libc.alloc(libc.ctx, size, 4096);
        assert_non_null(part);
        memcpy(part, whole.data, size);
        kiln_mount_def def = kiln_mount_def_default();
        def.file.data = part;
        def.file.size = size;
        assert_true(kiln_assets_replace(r.s.assets, r.mount, &def, &r.s.error) != KILN_OK);
        libc.free(libc.ctx, part, size);
    }
    expect_as_before(&r);
    kiln_buffer_fini(&whole);
    end_refusal(&r);
}

/* Whichever byte is damaged, the file is refused and nothing changes, or it is accepted with the
 * values of the undamaged file. */
static void a_damaged_file_is_refused_or_harmless(void **state)
{
    (void)state;
    kiln_buffer whole = SCENE_FILE(TWO);
    for (size_t at = 0; at < whole.size * 2; at++) {
        refusal r;
        begin_refusal(&r);
        kiln_buffer image = SCENE_FILE(TWO);
        image.data[at / 2] ^= at % 2 ? 0x81 : 0xff;
        if (try_replace(&r.s, r.mount, image) != KILN_OK) {
            expect_as_before(&r);
        } else {
            assert_int_equal(11, scene_value_of(&r.s, r.a));
            assert_int_equal(2, scene_value_of(&r.s, r.b));
        }
        end_refusal(&r);
    }
    kiln_buffer_fini(&whole);
}

static void a_table_without_room_for_new_assets_is_unchanged(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref a = scene_load(&s, "Thing/a"), added[63];
    for (uint32_t i = 0; i < 63; i++)
        added[i] = scene_add(&s, NULL, 1000 + i);
    EXPECT_STATUS(KILN_LIMIT, try_replace(&s, mount,
                                          SCENE_FILE({"Thing/a", 2, "Thing/b", SCENE_THING},
                                                     {"Thing/b", 3, NULL, SCENE_THING})));
    assert_int_equal(1, scene_value_of(&s, a));
    for (uint32_t i = 0; i < 63; i++)
        scene_clear(&s, &added[i]);
    scene_clear(&s, &a);
    scene_end(&s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool has_failed = true;
    for (size_t fail_at = 1; has_failed; fail_at++) {
        refusal r;
        begin_refusal(&r);
        kiln_ref c = scene_load(&r.s, "Thing/c"), weak = scene_take(&r.s, c, KILN_REF_WEAK);
        uint64_t cursor = 0;
        EXPECT_STATUS(KILN_OK, kiln_assets_watch(r.s.assets, &cursor, NULL));
        dump_table(&r.s, &r.before);
        r.s.memory.fail_at = r.s.memory.calls + fail_at;
        kiln_buffer image = SCENE_FILE(TWO, {"Thing/d", 5, NULL, SCENE_THING});
        kiln_status status = try_replace(&r.s, r.mount, image);
        r.s.memory.fail_at = 0;
        has_failed = r.s.memory.failed > 0;
        EXPECT_STATUS(has_failed ? KILN_NO_MEMORY : KILN_OK, status);
        if (has_failed)
            expect_as_before(&r);
        assert_int_equal(3, scene_value_of(&r.s, c));
        scene_clear(&r.s, &weak);
        scene_clear(&r.s, &c);
        end_refusal(&r);
    }
}

enum { NEW_IDS = 60 };

static uint32_t named(const scene *s, const char *name)
{
    return scene_value(kiln_assets_get(s->assets, scene_id(name)));
}

/* The new version lacks a loaded asset, whose id then leads to another one; changes where an
 * earlier id leads; overrides a loaded asset of a lower file; and has many new ids. Returns whether
 * an allocation failed. */
static bool replace_much(size_t fail_at)
{
    scene s;
    char names[NEW_IDS][16];
    scene_asset assets[NEW_IDS + 2] = {{"Thing/a", 11, NULL, SCENE_THING},
                                       {"Thing/s", 12, NULL, SCENE_THING}};
    for (int i = 0; i < NEW_IDS; i++) {
        snprintf(names[i], sizeof names[i], "New/%d", i);
        assets[i + 2] = (scene_asset){names[i], 13, NULL, SCENE_THING};
    }
    scene_begin(&s);
    scene_mount(&s,
                SCENE_FILE({"Thing/s", 1, NULL, SCENE_THING}, {"Thing/t", 2, NULL, SCENE_THING},
                           {"Thing/u", 3, NULL, SCENE_THING}),
                0);
    kiln_mount mount =
        scene_mount(&s,
                    SCENE_RENAMED("Thing/x>Thing/a", {"Thing/a", 4, NULL, SCENE_THING},
                                  {"Thing/gone", 5, NULL, SCENE_THING}),
                    1);
    kiln_ref a = scene_load(&s, "Thing/a"), lost = scene_load(&s, "Thing/gone"),
             shared = scene_load(&s, "Thing/s");
    kiln_buffer image = scene_renamed("Thing/x>Thing/u Thing/gone>Thing/t", assets, NEW_IDS + 2);
    s.memory.fail_at = fail_at ? s.memory.calls + fail_at : 0;
    kiln_status status = try_replace(&s, mount, image);
    s.memory.fail_at = 0;
    const bool has_failed = s.memory.failed > 0;
    EXPECT_STATUS(has_failed ? KILN_NO_MEMORY : KILN_OK, status);
    assert_int_equal(has_failed ? 4 : 11, named(&s, "Thing/a"));
    assert_int_equal(has_failed ? 4 : 3, named(&s, "Thing/x"));
    assert_int_equal(has_failed ? 5 : 2, named(&s, "Thing/gone"));
    assert_int_equal(has_failed ? 1 : 12, named(&s, "Thing/s"));
    assert_int_equal(has_failed, kiln_assets_find(s.assets, "New/7") == 0);
    scene_clear(&s, &a);
    scene_clear(&s, &lost);
    scene_clear(&s, &shared);
    scene_end(&s);
    return has_failed;
}

static void every_allocation_of_a_replacement_with_many_changes_may_fail(void **state)
{
    (void)state;
    assert_false(replace_much(0));
    for (size_t fail_at = 1; replace_much(fail_at); fail_at++)
        continue;
}

/* ---- forged indexes ---- */

static kiln_index_member *member_of(const kiln_buffer *image, const char *name)
{
    kiln_index *index = (void *)(image->data + KILN_HEADER_SIZE);
    uint32_t number = kiln_index_find(index, scene_id(name));
    return (kiln_index_member *)(uintptr_t)kiln_index_member_at(
        index, kiln_index_asset_at(index, number)->member);
}

/* Makes the index valid again after a change. */
static void rehash(const kiln_buffer *image)
{
    kiln_blob_header header;
    memcpy(&header, image->data, sizeof header);
    kiln_header_write(image->data, header.flags, header.payload_size, header.layout);
}

/* The new index states that the asset has its old content, but its bytes are different. */
static void a_stated_content_hash_is_not_trusted_for_bytes_in_place(void **state)
{
    (void)state;
    for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
        scene s;
        scene_begin(&s);
        kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/a", 1, "Thing/a", SCENE_THING}), 0);
        kiln_ref a = scene_load(&s, "Thing/a");
        kiln_buffer image = SCENE_FILE({"Thing/a", 2, "Thing/a", SCENE_THING});
        kiln_index_member *member = member_of(&image, "Thing/a");
        member->content = member_of(&s.images[0], "Thing/a")->content;
        rehash(&image);
        if (is_damaged)
            image.data[member->place + KILN_HEADER_SIZE] ^= 0xff;
        kiln_status status = try_replace(&s, mount, image);
        assert_true((status != KILN_OK) == is_damaged);
        assert_int_equal(is_damaged ? 1 : 2, scene_value_of(&s, a));
        scene_clear(&s, &a);
        scene_end(&s);
    }
}

/* Bytes that were verified less thoroughly than the new file requires are verified again. */
static void a_deeper_level_verifies_unchanged_assets_again(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_buffer images[3];
    for (int i = 0; i < 3; i++) {
        images[i] = SCENE_FILE({"Thing/a", 1, "Thing/a", SCENE_THING});
        images[i].data[member_of(&images[i], "Thing/a")->place + KILN_HEADER_SIZE + 8] ^= 1;
    }
    kiln_file_def file = kiln_file_def_default();
    kiln_mount mount = scene_mount(&s, SCENE_FILE({"Thing/z", 1, NULL, SCENE_THING}), 0);
    file.level = KILN_VERIFY_NONE;
    EXPECT_STATUS(KILN_OK, replace_as(&s, mount, images[0], &file));
    kiln_ref a = scene_load(&s, "Thing/a");
    const void *root = root_of(&s, a);
    EXPECT_STATUS(KILN_OK, replace_as(&s, mount, images[1], &file));
    assert_ptr_not_equal(root, root_of(&s, a));
    root = root_of(&s, a);
    file.level = KILN_VERIFY_HASH;
    EXPECT_STATUS(KILN_H_HASH, replace_as(&s, mount, images[2], &file));
    assert_ptr_equal(root, root_of(&s, a));
    scene_clear(&s, &a);
    scene_end(&s);
}

/* A file with a damaged name must be replaceable while the asset is loaded. */
static void a_name_that_is_damaged_in_the_old_index_can_be_corrected(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_buffer image = SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING});
    kiln_index *index = (void *)(image.data + KILN_HEADER_SIZE);
    char *name = (char *)(uintptr_t)kiln_string_get(&kiln_index_asset_at(index, 0)->name);
    assert_string_equal("Thing/a", name);
    name[0]++;
    rehash(&image);
    kiln_mount mount = scene_mount(&s, image, 0);
    const kiln_load_args args = {.id = scene_id("Thing/a"), .by = "test"};
    kiln_ref a = {0};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(s.assets, &args, &a, &s.error));
    kiln_asset_info info;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s.assets, a, &info));
    assert_string_equal("", info.name);
    replace(&s, mount, SCENE_FILE({"Thing/a", 2, NULL, SCENE_THING}));
    assert_int_equal(2, scene_value_of(&s, a));
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(s.assets, a, &info));
    assert_string_equal("Thing/a", info.name);
    kiln_assets_clear_by(s.assets, &a, "test");
    scene_end(&s);
}

/* A collector follows edges without checking them again. */
static void invalid_edges_are_refused_even_of_assets_that_are_not_loaded(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_mount mount = scene_mount(
        &s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, "Thing/a", SCENE_THING}),
        0);
    kiln_buffer image =
        SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, "Thing/a", SCENE_THING});
    kiln_index *index = (void *)(image.data + KILN_HEADER_SIZE);
    *(uint32_t *)(uintptr_t)kiln_relative_get(&index->edges, index->edges.offset) = 7;
    rehash(&image);
    EXPECT_FAILURE(&s, KILN_I_EDGES, "Thing/b: edges[0]", try_replace(&s, mount, image));
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_refer_to_the_new_bytes),
        cmocka_unit_test(the_mount_stays_valid_and_keeps_its_order),
        cmocka_unit_test(unchanged_assets_keep_their_own_memory),
        cmocka_unit_test(assets_that_shared_a_member_can_part),
        cmocka_unit_test(assets_to_which_a_changed_one_refers_are_loaded),
        cmocka_unit_test(a_missing_asset_comes_from_the_file_below_or_stays_while_it_is_held),
        cmocka_unit_test(a_new_reference_to_a_removed_asset_is_missing),
        cmocka_unit_test(references_to_a_renamed_asset_lead_to_it_at_once),
        cmocka_unit_test(borrowed_bytes_stay_until_they_are_released),
        cmocka_unit_test(tracked_pointer_words_keep_the_old_bytes),
        cmocka_unit_test(a_root_stays_valid_until_its_reader_is_quiescent),
        cmocka_unit_test(old_files_do_not_accumulate),
        cmocka_unit_test(a_file_that_does_not_fit_changes_nothing),
        cmocka_unit_test(a_name_with_the_id_of_another_one_is_refused),
        cmocka_unit_test(a_truncated_file_changes_nothing),
        cmocka_unit_test(a_damaged_file_is_refused_or_harmless),
        cmocka_unit_test(a_table_without_room_for_new_assets_is_unchanged),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_of_a_replacement_with_many_changes_may_fail),
        cmocka_unit_test(a_stated_content_hash_is_not_trusted_for_bytes_in_place),
        cmocka_unit_test(a_deeper_level_verifies_unchanged_assets_again),
        cmocka_unit_test(a_name_that_is_damaged_in_the_old_index_can_be_corrected),
        cmocka_unit_test(invalid_edges_are_refused_even_of_assets_that_are_not_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

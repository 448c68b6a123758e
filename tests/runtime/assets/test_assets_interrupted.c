/* Actions of another thread while one thread, without the lock, prepares the assets that it loads.
 * The allocator, which is called at that moment, performs them, so that the interruption happens
 * every time. */
#include "asset_fixture.h"

#include "asset_entry.h"
#include "asset_lock.h"
#include "asset_takers.h"
#include "assets_object.h"

#include <string.h>

typedef struct interrupted {
    scene s;
    kiln_allocator inner; /* the scene's allocator */
    void (*step)(struct interrupted *i);
    uint32_t times; /* remaining number of times */
    kiln_mount mount, other;
    kiln_ref by_other; /* a handle taken by the step */
    kiln_buffer patch;
} interrupted;

static interrupted now;

static bool is_unlocked(void)
{
    if (pthread_mutex_trylock(&now.s.assets->lock) != 0)
        return false;
    pthread_mutex_unlock(&now.s.assets->lock);
    return true;
}

static void *alloc(void *ctx, size_t size, size_t align)
{
    void (*step)(interrupted *) = now.step;
    if (step && now.times && is_unlocked()) {
        now.times--;
        now.step = NULL; /* the step itself is not interrupted */
        step(&now);
        now.step = step;
    }
    return now.inner.alloc(ctx, size, align);
}

static void begin(const scene_asset *assets, size_t count)
{
    memset(&now, 0, sizeof now);
    scene_begin(&now.s);
    now.mount = scene_mount(&now.s, scene_file(assets, count), 0);
    now.inner = now.s.assets->allocator;
    now.s.assets->allocator.alloc = alloc;
}

/* The scene takes ownership. */
static kiln_buffer add_image(kiln_buffer image)
{
    now.s.images[now.s.image_count++] = image;
    return image;
}

static void end(void)
{
    scene_end(&now.s);
}

static const scene_asset pair[] = {{"Thing/a", 1, "Thing/b", SCENE_PACKED},
                                   {"Thing/b", 2, NULL, SCENE_THING}};

static kiln_status load_interrupted(void (*step)(interrupted *), uint32_t times, kiln_ref *ret_ref)
{
    kiln_load_args args = {.name = "Thing/a", .by = "the first"};
    now.step = step;
    now.times = times;
    kiln_status status = kiln_assets_load(now.s.assets, &args, ret_ref, &now.s.error);
    now.step = NULL;
    assert_int_equal(0, now.times);
    scene_expect_valid(&now.s);
    return status;
}

static void load_too(interrupted *i)
{
    i->by_other = scene_load(&i->s, "Thing/a");
}

static void the_first_thread_to_publish_wins(void **state)
{
    (void)state;
    kiln_ref ref = {0};
    begin(pair, 2);
    EXPECT_STATUS(KILN_OK, load_interrupted(load_too, 1, &ref));
    assert_int_equal(now.by_other.bits, ref.bits);
    assert_int_equal(2, scene_stats(&now.s).loaded);
    assert_int_equal(2, scene_stats(&now.s).loads);
    assert_int_equal(2, scene_stats(&now.s).strong);
    scene_clear(&now.s, &ref);
    scene_clear(&now.s, &now.by_other);
    end();
}

static void unmount(interrupted *i)
{
    scene_unmount(&i->s, i->mount);
    assert_int_equal(1, scene_stats(&i->s).deferred); /* it is being read */
}

static void a_file_that_is_unmounted_meanwhile_is_closed_afterwards(void **state)
{
    (void)state;
    kiln_ref ref = {0};
    begin(pair, 2);
    EXPECT_FAILURE(&now.s, KILN_NOT_FOUND, "Thing/a", load_interrupted(unmount, 1, &ref));
    assert_int_equal(0, ref.bits);
    assert_int_equal(0, scene_stats(&now.s).deferred);
    assert_int_equal(0, scene_stats(&now.s).loaded);
    end();
}

static void mount_patch(interrupted *i)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.file.data = i->patch.data;
    def.file.size = i->patch.size;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(i->s.assets, &def, &i->other, NULL));
}

static void a_patch_mounted_meanwhile_is_loaded(void **state)
{
    (void)state;
    kiln_ref ref = {0};
    begin(pair, 2);
    now.patch = add_image(SCENE_FILE({"Thing/a", 11, NULL, SCENE_THING}));
    EXPECT_STATUS(KILN_OK, load_interrupted(mount_patch, 1, &ref));
    assert_int_equal(11, scene_value_of(&now.s, ref));
    assert_int_equal(1, scene_stats(&now.s).loaded);
    scene_clear(&now.s, &ref);
    end();
}

/* Mounts the patch, or unmounts it if it is mounted. */
static void come_or_go(interrupted *i)
{
    if (i->other.number) {
        EXPECT_STATUS(KILN_OK, scene_try_unmount(&i->s, i->other, KILN_UNMOUNT_REFUSE));
        i->other.number = 0;
    } else {
        mount_patch(i);
    }
}

static void repeated_mounts_cannot_delay_a_load_forever(void **state)
{
    (void)state;
    for (uint32_t times = 1;; times++) {
        kiln_ref ref = {0};
        begin(pair, 2);
        now.patch = add_image(SCENE_FILE({"Thing/a", 11, NULL, SCENE_THING}));
        kiln_load_args args = {.name = "Thing/a", .by = "the first"};
        now.step = come_or_go;
        now.times = times;
        EXPECT_STATUS(KILN_OK, kiln_assets_load(now.s.assets, &args, &ref, NULL));
        now.step = NULL;
        assert_int_equal(now.other.number ? 11 : 1, scene_value_of(&now.s, ref));
        bool is_held_off = now.times > 0;
        scene_clear(&now.s, &ref);
        end();
        if (is_held_off)
            break;
    }
}

static void dispose_of_b(interrupted *i)
{
    EXPECT_STATUS(KILN_OK, scene_dispose(&i->s, kiln_ref_move(&i->by_other)));
}

static void targets_disposed_of_meanwhile_are_loaded_again(void **state)
{
    (void)state;
    static const scene_asset assets[] = {{"Thing/a", 1, "Thing/b", SCENE_THING},
                                         {"Thing/b", 2, "Thing/b", SCENE_PACKED}};
    kiln_ref ref = {0};
    begin(assets, 2);
    now.by_other = scene_load(&now.s, "Thing/b");
    EXPECT_STATUS(KILN_OK, load_interrupted(dispose_of_b, 1, &ref));
    assert_int_equal(1, scene_value_of(&now.s, ref));
    assert_int_equal(2, scene_value_named(&now.s, "Thing/b"));
    scene_clear(&now.s, &ref);
    end();
}

/* The second call gets a larger `own`, as if a handle had been cleared in between. */
static void handles_cleared_meanwhile_are_not_reported(void **state)
{
    (void)state;
    static const scene_asset assets[] = {{"Thing/a", 1, NULL, SCENE_THING}};
    char text[HOLDERS_TEXT_SIZE] = "not written";
    begin(assets, 1);
    kiln_ref ref = scene_load(&now.s, "Thing/a");
    kiln_asset_lock(now.s.assets);
    const asset_entry *entry = kiln_asset_entry_of(now.s.assets, ref);
    assert_true(kiln_asset_entry_has_strong(now.s.assets, entry, 0, text));
    assert_string_not_equal("not written", text);
    strcpy(text, "not written");
    assert_false(kiln_asset_entry_has_strong(now.s.assets, entry, 1, text));
    assert_string_equal("not written", text);
    kiln_asset_takers_text(NULL, true, 0, text);
    assert_string_equal("", text);
    kiln_asset_unlock(now.s.assets);
    scene_clear(&now.s, &ref);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_thread_to_publish_wins),
        cmocka_unit_test(a_file_that_is_unmounted_meanwhile_is_closed_afterwards),
        cmocka_unit_test(a_patch_mounted_meanwhile_is_loaded),
        cmocka_unit_test(repeated_mounts_cannot_delay_a_load_forever),
        cmocka_unit_test(targets_disposed_of_meanwhile_are_loaded_again),
        cmocka_unit_test(handles_cleared_meanwhile_are_not_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

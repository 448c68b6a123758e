/* Actions of another thread while one thread opens a scene. The allocator performs them, so that
 * the interruption happens every time. */
#include "town.h"

#include "asset_blob.h"
#include "asset_keep.h"

static void (*at_alloc)(void); /* NULL afterwards */
static town now;
static kiln_mount_def other;
static kiln_mount mounted;
static kiln_ref held;

/* Acts once. Returns whether it did. */
static bool act(void (**action)(void))
{
    void (*act_now)(void) = *action;
    *action = NULL;
    if (act_now)
        act_now();
    return act_now != NULL;
}

/* ---- interrupted by the allocator ---- */

static kiln_allocator inner;
static bool fails;

static void *alloc_interrupted(void *ctx, size_t size, size_t align)
{
    bool is_unlocked = pthread_mutex_trylock(&now.assets->lock) == 0;
    if (is_unlocked)
        pthread_mutex_unlock(&now.assets->lock);
    return is_unlocked && act(&at_alloc) && fails ? NULL : inner.alloc(ctx, size, align);
}

static void mount_other(void)
{
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(now.assets, &other, &mounted, NULL));
}

/* The files change, but that does not matter: the source is opened, or memory has run out. */
static void only_other_failures_are_tried_again(void **state)
{
    (void)state;
    static const struct {
        bool fails;
        kiln_status status;
    } rows[] = {{false, KILN_OK}, {true, KILN_NO_MEMORY}};
    for (size_t i = 0; i < 2; i++) {
        kiln_scene_source *source = NULL;
        town_begin(&now, &(town_def){.count = 40});
        kiln_buffer image = town_file(&(town_def){.count = 4, .name = "Scene/other"});
        other = kiln_mount_def_default();
        other.file.data = image.data;
        other.file.size = image.size;
        other.order = -1;
        inner = now.assets->allocator;
        now.assets->allocator.alloc = alloc_interrupted;
        at_alloc = mount_other;
        fails = rows[i].fails;
        const kiln_scene_source_args args = {
            .assets = now.assets, .name = "Scene/town", .by = KILN_HERE};
        EXPECT_STATUS(rows[i].status, kiln_scene_source_open(&args, &source, &now.error));
        assert_null(at_alloc);
        assert_int_equal(rows[i].status == KILN_OK, source != NULL);
        now.assets->allocator.alloc = inner.alloc;
        kiln_scene_source_close(source);
        town_end(&now);
        kiln_buffer_fini(&image);
    }
}

/* ---- the record of borrowed bytes ---- */

static void replace_file(void)
{
    EXPECT_STATUS(KILN_OK, kiln_assets_replace(now.assets, now.mount, &other, &now.error));
}

static void remove_asset(void)
{
    kiln_assets_clear(now.assets, &held);
    EXPECT_STATUS(KILN_OK,
                  kiln_assets_unmount(now.assets, now.mount, KILN_UNMOUNT_DEFER, &now.error));
}

static kiln_ref load_thing(kiln_ref *ret_weak)
{
    kiln_ref ref = {0};
    const kiln_load_args args = {.name = "Thing/a"};
    EXPECT_STATUS(KILN_OK, kiln_assets_load(now.assets, &args, &ref, NULL));
    EXPECT_STATUS(KILN_OK, kiln_assets_take(now.assets, ref, KILN_REF_WEAK, NULL, ret_weak));
    return ref;
}

/* The file is replaced several times by the same bytes, so that several records have the same root,
 * or the asset is removed. The borrowed record stays. */
static void the_record_belongs_to_the_borrowed_bytes(void **state)
{
    (void)state;
    void (*const actions[])(void) = {replace_file, remove_asset};
    for (size_t i = 0; i < 2; i++) {
        const asset_blob *blob = NULL;
        kiln_ref weak;
        town_begin(&now, &(town_def){.count = 40});
        kiln_buffer image = town_file(&(town_def){.count = 40});
        other = kiln_mount_def_default();
        other.file.data = image.data;
        other.file.size = image.size;
        replace_file();
        held = load_thing(&weak);
        EXPECT_STATUS(KILN_OK, kiln_asset_borrow(now.assets, weak, "me", &blob));
        const void *root = blob->root;
        const uint64_t hash = blob->hash;
        for (int round = 0; round < (i == 0 ? 3 : 1); round++)
            actions[i]();
        assert_ptr_equal(root, blob->root);
        assert_int_equal(hash, blob->hash);
        assert_int_equal(1, blob->borrowed.total);
        EXPECT_STATUS(KILN_OK, kiln_assets_release(now.assets, root, "me"));
        kiln_assets_clear(now.assets, &held);
        kiln_assets_clear(now.assets, &weak);
        town_end(&now);
        kiln_buffer_fini(&image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_other_failures_are_tried_again),
        cmocka_unit_test(the_record_belongs_to_the_borrowed_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

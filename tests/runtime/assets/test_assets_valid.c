/* States that no program can produce through the API: damage to a table, and a slot that reaches
 * its last version. */
#include "asset_fixture.h"

#include "asset_blob.h"
#include "asset_layers.h"
#include "asset_redirects.h"
#include "asset_slots.h"

#include <string.h>

/* A table with a base, a patch, an added asset with two names, a free slot, and an asset for each
 * way of holding one. */
typedef struct whole {
    scene s;
    kiln_mount base, patch, deferred;
    kiln_ref a, added, alias, held;
    const void *borrowed;
} whole;

static void begin(whole *w)
{
    scene *s = &w->s;
    scene_begin(s);
    w->base =
        scene_mount(s,
                    SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}, {"Thing/b", 2, NULL, SCENE_THING},
                               {"Thing/c", 3, NULL, SCENE_THING}),
                    0);
    w->deferred = scene_mount(s, SCENE_FILE({"Thing/held", 9, NULL, SCENE_THING}), 0);
    w->held = scene_load(s, "Thing/held");
    EXPECT_STATUS(KILN_OK, scene_try_unmount(s, w->deferred, KILN_UNMOUNT_DEFER));
    w->a = scene_load(s, "Thing/a");
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s->assets, w->a, "b", &w->borrowed, NULL));
    w->patch = scene_mount(
        s, SCENE_FILE({"Thing/a", 11, NULL, SCENE_THING}, {"Thing/d", 4, NULL, SCENE_THING}), 1);
    w->added = scene_add(s, "Thing/added", 5);
    w->alias = scene_add(s, "Thing/alias", 5);
    EXPECT_STATUS(KILN_OK, scene_dispose(s, scene_add(s, NULL, 6)));
}

static void end(whole *w)
{
    EXPECT_STATUS(KILN_OK, kiln_assets_release(w->s.assets, w->borrowed, "b"));
    scene_clear(&w->s, &w->a);
    scene_clear(&w->s, &w->added);
    scene_clear(&w->s, &w->alias);
    scene_clear(&w->s, &w->held);
    scene_end(&w->s);
}

static asset_entry *entry_named(const whole *w, kiln_ref ref)
{
    return entry_at(w->s.assets, kiln_ref_slot_number(ref));
}

static uint32_t cell_named(const whole *w, const char *name)
{
    uint32_t cell = kiln_key_table_find(&w->s.assets->ids, scene_id(name));
    assert_true(cell != KILN_KEY_NONE);
    return cell;
}

static asset_known *known_named(const whole *w, const char *name)
{
    return known_at(w->s.assets, asset_ids_known(w->s.assets, cell_named(w, name)));
}

/* Sets a field to `value` and expects is_valid to report `what`. */
static void expect_damage(whole *w, void *field, size_t size, uint64_t value, const char *what)
{
    uint64_t was = 0;
    kiln_error error = {0};
    memcpy(&was, field, size);
    assert_true(was != value);
    memcpy(field, &value, size);
    assert_false(kiln_assets_is_valid(w->s.assets, &error));
    memcpy(field, &was, size);
    assert_memory_equal(what, error.path, strlen(what));
    scene_expect_valid(&w->s);
}
#define DAMAGE(field, value, what)                                                                 \
    expect_damage(&w, (void *)(uintptr_t) & (field), sizeof(field), (uint64_t)(value), what)

static void wrong_ids_are_detected(void **state)
{
    (void)state;
    whole w;
    begin(&w);
    kiln_assets *assets = w.s.assets;
    uint32_t slot = kiln_ref_slot_number(w.a), free = assets->first_free;
    DAMAGE(known_named(&w, "Thing/a")->slot, free, "an id refers to a free slot");
    DAMAGE(known_named(&w, "Thing/a")->slot, 1000, "an id refers to a free slot");
    DAMAGE(known_named(&w, "Thing/a")->slot, kiln_ref_slot_number(w.added),
           "an id refers to another asset: Thing/added");
    DAMAGE(entry_named(&w, w.added)->aliases[0].id, 1, "an id refers to another asset");
    DAMAGE(entry_at(assets, slot)->is_detached, true, "an id refers to another asset");
    DAMAGE(known_named(&w, "Thing/d")->provider, ASSET_NONE, "an id has no provider");
    uint32_t cell = cell_named(&w, "Thing/a");
    uint64_t value = kiln_key_table_value(&assets->ids, cell);
    kiln_key_table_set(&assets->ids, cell, value + 4);
    kiln_error error = {0};
    assert_false(kiln_assets_is_valid(assets, &error));
    assert_string_equal("the root of an id differs from that of its asset: Thing/a", error.path);
    kiln_key_table_set(&assets->ids, cell, value);
    DAMAGE(assets->ids.live, assets->ids.live + 1,
           "the count of ids differs from the cells in `ids`");
    end(&w);
}

static void wrong_providers_and_counts_are_detected(void **state)
{
    (void)state;
    whole w;
    begin(&w);
    kiln_assets *assets = w.s.assets;
    asset_provider *best = provider_at(assets, known_named(&w, "Thing/a")->provider);
    assert_true(best->below != ASSET_NONE);
    DAMAGE(best->below, assets->providers.count, "a provider's number is out of range");
    DAMAGE(best->below, known_named(&w, "Thing/a")->provider, "provider");
    DAMAGE(best->below, ASSET_NONE, "the base is missing from the providers of an id");
    DAMAGE(best->number, best->number + 1, "a provider refers to another asset of its file");
    DAMAGE(best->mount, 1000, "a provider's file is not mounted");
    asset_mount *patch = assets->mounts[w.patch.number - 1],
                *base = assets->mounts[w.base.number - 1];
    DAMAGE(patch->order, -1, "providers are out of order");
    DAMAGE(patch->is_unmounted, true, "a provider's file is not mounted");
    DAMAGE(patch->number, patch->number + 1, "a");
    DAMAGE(base->blobs, base->blobs + 1,
           "a file's count of blobs or borrows differs from its blobs");
    DAMAGE(base->borrowed, 0, "a file's count of blobs or borrows differs from its blobs");
    DAMAGE(assets->mounted, assets->mounted + 1,
           "the count of files differs from the mounted files in `mounts`");
    DAMAGE(assets->providers.free_count, assets->providers.free_count + 1,
           "the count of `providers` differs from the lists of the ids");
    DAMAGE(assets->known.count, assets->known.count + 1,
           "the count of `known` differs from the ids in `ids`");
    end(&w);
}

static void wrong_blobs_are_detected(void **state)
{
    (void)state;
    whole w;
    begin(&w);
    kiln_assets *assets = w.s.assets;
    asset_entry *a = entry_named(&w, w.a);
    DAMAGE(a->blob->root, (uintptr_t)a->blob->root + 4, "the root of an id differs");
    DAMAGE(a->blob->entries, 0, "a blob is not in use");
    DAMAGE(a->blob->key, a->blob->key + 1, "a blob's key or entries do not match `contents`");
    DAMAGE(a->blob->key, 0, "a blob's key or entries do not match `contents`");
    DAMAGE(a->before_of_blob, (uintptr_t)a, "an entry does not match its blob");
    DAMAGE(assets->slots.slots[a->slot].address, 0, "an entry does not match its blob");
    DAMAGE(assets->stats.bytes_owned, 1, "the count of bytes or borrows differs from the blobs");
    DAMAGE(assets->borrowed, 0, "the count of bytes or borrows differs from the blobs");
    uint64_t bytes = atomic_load(&assets->blob_bytes);
    DAMAGE(assets->blob_bytes, bytes - 1, "the count of bytes or borrows differs from the blobs");
    DAMAGE(assets->blob_bytes_ever, bytes - 1,
           "the count of bytes or borrows differs from the blobs");
    assert_int_equal(1, assets->orphans); /* the bytes that the patch has replaced */
    DAMAGE(assets->orphans, 0, "the count of bytes or borrows differs from the blobs");
    asset_blob *orphan = kiln_asset_blob_with_root(assets, w.borrowed);
    assert_null(orphan->entries);
    DAMAGE(orphan->is_orphan, false, "a blob's note `is_orphan` is wrong");
    DAMAGE(a->blob->is_orphan, true, "a blob's note `is_orphan` is wrong");
    end(&w);
}

static void inconsistent_slots_are_detected(void **state)
{
    (void)state;
    whole w;
    begin(&w);
    kiln_assets *assets = w.s.assets;
    asset_entry *a = entry_named(&w, w.a), *free = entry_at(assets, assets->first_free);
    DAMAGE(a->slot, a->slot + 1, "an");
    DAMAGE(a->strong, 0, "an entry does not match its slot: Thing/a");
    DAMAGE(a->weak, 0, "an entry does not match its slot: Thing/a");
    DAMAGE(free->strong, free->strong + 1, "an entry does not match its slot");
    DAMAGE(free->weak, 0, "an entry does not match its slot");
    DAMAGE(assets->slots.slots[free->slot].address, (uintptr_t)a,
           "an entry does not match its slot");
    DAMAGE(assets->slots.slots[free->slot].handle, 2, "an entry does not match its slot");
    DAMAGE(assets->slots.slots[a->slot].handle, 0, "an id refers to a free slot");
    DAMAGE(assets->slots.slots[a->slot].handle,
           assets->slots.slots[a->slot].handle ^ KILN_REF_STRONG_BIT,
           "an entry does not match its slot: Thing/a");
    DAMAGE(assets->slots.addresses[free->slot], (uintptr_t)a, "an entry does not match its slot");
    DAMAGE(assets->slots.addresses[a->slot], 0, "an entry does not match its slot: Thing/a");
    DAMAGE(free->next_free, free->slot, "the list of free slots is corrupted");
    DAMAGE(assets->first_free, a->slot, "the list of free slots is corrupted");
    DAMAGE(assets->first_free, ASSET_NONE,
           "the counts of slots differ from the slots and their lists");
    DAMAGE(assets->last_free, a->slot, "the counts of slots differ from the slots and their lists");
    DAMAGE(assets->free_slots, 0, "the counts of slots differ from the slots and their lists");
    DAMAGE(assets->retired_slots, 1, "the counts of slots differ from the slots and their lists");
    DAMAGE(assets->stale_slots, 1, "the counts of slots differ from the slots and their lists");
    DAMAGE(free->has_indirect, true, "a slot with indirect words is free");
    DAMAGE(a->takers[0].noted.total, 9, "the notes about takers do not match the counts");
    DAMAGE(a->takers[0].noted.list[0].count, 0, "the notes about takers do not match the counts");
    DAMAGE(assets->detached, 0, "the counts of slots differ from the slots and their lists");
    DAMAGE(entry_named(&w, w.held)->is_detached, false, "the list of deferred assets is corrupted");
    end(&w);
}

/* ---- versions ---- */

static void a_slot_is_not_reused_after_its_last_version(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_ref first = scene_add(&s, NULL, 1);
    uint32_t number = kiln_ref_slot_number(first);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, first));
    asset_entry *entry = entry_at(s.assets, number);
    const uint64_t before_last = UINT32_MAX - 1;
    atomic_store(&entry->strong, before_last << 32);
    atomic_store(&entry->weak, before_last << 32);
    kiln_ref last = scene_add(&s, "Thing/last", 2);
    assert_int_equal(number, kiln_ref_slot_number(last));
    assert_int_equal(UINT32_MAX, kiln_ref_version(last));
    assert_int_equal(2, scene_value_of(&s, last));
    kiln_ref weak = scene_take(&s, last, KILN_REF_WEAK);
    kiln_ref indirect = scene_take(&s, last, KILN_REF_INDIRECT);
    EXPECT_STATUS(KILN_OK, scene_dispose(&s, last));
    assert_int_equal(1, scene_stats(&s).retired_slots);
    assert_int_equal(0, scene_stats(&s).stale_slots);
    assert_int_equal(0, scene_stats(&s).loaded);
    assert_int_equal(0, scene_value_of(&s, weak));
    assert_int_equal(0, scene_value_of(&s, kiln_ref_from_handle(number, 0, false)));
    assert_int_equal(KILN_REF_IS_STALE, kiln_ref_check(s.assets, weak.bits));
    assert_int_equal(KILN_REF_IS_STALE, kiln_ref_check(s.assets, first.bits));
    assert_int_equal(KILN_REF_IS_STALE, kiln_ref_check(s.assets, indirect.bits));
    assert_int_equal(1, scene_stats(&s).weak);
    scene_clear(&s, &weak);
    assert_int_equal(0, scene_stats(&s).weak);
    for (uint32_t i = 0; i < 3; i++) {
        kiln_ref other = scene_add(&s, NULL, 3 + i);
        assert_int_not_equal(number, kiln_ref_slot_number(other));
        scene_clear(&s, &other);
    }
    scene_end(&s);
}

/* Refuses every allocation above one mebibyte, and records the largest one. */
static kiln_allocator inner;
static size_t largest;

static void *alloc_small(void *ctx, size_t size, size_t align)
{
    largest = size > largest ? size : largest;
    return size > 1 << 20 ? NULL : inner.alloc(ctx, size, align);
}

/* No file has that many redirects, but many files together may. The list claims to have more
 * entries than it has; they are not read, because there is no memory for them. */
static void a_merged_list_has_at_most_as_many_redirects_as_numbers(void **state)
{
    (void)state;
    const uint64_t most = ASSET_NONE - UINT64_C(1);
    for (uint64_t count = most - 1; count <= most + 1; count++) {
        scene s;
        const asset_view view = {0};
        asset_redirects *made = NULL;
        scene_begin(&s);
        scene_mount(&s, SCENE_RENAMED("It/x>It/a It/y>It/a", {"It/a", 1, NULL, SCENE_THING}), 0);
        kiln_mount large =
            scene_mount(&s, SCENE_RENAMED("It/z>It/a", {"It/b", 1, NULL, SCENE_THING}), 0);
        asset_mount *mount = s.assets->mounts[large.number - 1];
        const kiln_redirects *list = mount->redirects.list;
        const kiln_redirects forged = {{1, (uint32_t)(count - 2)}};
        mount->redirects.list = &forged;
        inner = s.assets->allocator;
        s.assets->allocator.alloc = alloc_small;
        largest = 0;
        EXPECT_STATUS(KILN_NO_MEMORY, kiln_asset_redirects_create(s.assets, &view, &made));
        assert_null(made);
        const bool fits = count <= most && count <= SIZE_MAX / sizeof(asset_redirect);
        if (fits)
            assert_true(largest == (size_t)count * sizeof(asset_redirect));
        else
            assert_int_equal(0, largest);
        s.assets->allocator.alloc = inner.alloc;
        mount->redirects.list = list;
        scene_end(&s);
    }
}

static void a_deleted_id_that_another_file_has_is_not_deleted(void **state)
{
    (void)state;
    scene s;
    const kiln_id x = scene_id("It/x"), y = scene_id("It/y");
    scene_begin(&s);
    assert_false(kiln_asset_redirects_is_deleted(s.assets, x));
    assert_null(kiln_asset_redirects_name(s.assets, x));
    scene_mount(&s, SCENE_RENAMED("It/x>", {"It/a", 1, NULL, SCENE_THING}), 0);
    assert_true(kiln_asset_redirects_is_deleted(s.assets, x));
    assert_false(kiln_asset_redirects_is_deleted(s.assets, y));
    assert_string_equal("It/x", kiln_asset_redirects_name(s.assets, x));
    assert_null(kiln_asset_redirects_name(s.assets, y));
    kiln_mount real = scene_mount(&s, SCENE_FILE({"It/x", 2, NULL, SCENE_THING}), 0);
    assert_false(kiln_asset_redirects_is_deleted(s.assets, x));
    scene_unmount(&s, real);
    assert_true(kiln_asset_redirects_is_deleted(s.assets, x));
    scene_end(&s);
}

static void ids_and_providers_have_32_bit_numbers(void **state)
{
    (void)state;
    static const uint64_t rows[][2] = {
        {ASSET_NONE, 0},        {0, ASSET_NONE},        {ASSET_NONE - UINT64_C(1), 1},
        {UINT64_C(1) << 32, 0}, {0, UINT64_C(1) << 32}, {UINT64_MAX, 1}};
    scene s;
    scene_begin(&s);
    inner = s.assets->allocator;
    s.assets->allocator.alloc = alloc_small;
    largest = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        EXPECT_STATUS(KILN_NO_MEMORY, kiln_asset_ids_reserve(s.assets, rows[i][0], rows[i][1]));
    assert_int_equal(0, largest);
    EXPECT_STATUS(KILN_NO_MEMORY, kiln_asset_ids_reserve(s.assets, 0, ASSET_NONE - UINT64_C(1)));
    assert_true(largest > 0 || SIZE_MAX <= UINT32_MAX);
    EXPECT_STATUS(KILN_OK, kiln_asset_ids_reserve(s.assets, 2, 3));
    s.assets->allocator.alloc = inner.alloc;
    scene_end(&s);
}

static void a_count_at_its_limit_is_not_incremented(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    kiln_ref ref = scene_add(&s, "Thing/a", 1), none = {0};
    asset_entry *entry = entry_at(s.assets, kiln_ref_slot_number(ref));
    uint64_t strong = atomic_load(&entry->strong), weak = atomic_load(&entry->weak);
    atomic_store(&entry->strong, strong | UINT32_MAX);
    atomic_store(&entry->weak, weak | UINT32_MAX);
    kiln_ref_form forms[] = {KILN_REF_STRONG, KILN_REF_WEAK};
    for (int i = 0; i < 2; i++)
        EXPECT_STATUS(KILN_LIMIT, kiln_assets_take(s.assets, ref, forms[i], "me", &none));
    EXPECT_STATUS(KILN_LIMIT, scene_try_load(&s, "Thing/a", &none));
    assert_int_equal(0, none.bits);
    atomic_store(&entry->strong, strong);
    atomic_store(&entry->weak, weak);
    scene_clear(&s, &ref);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_ids_are_detected),
        cmocka_unit_test(wrong_providers_and_counts_are_detected),
        cmocka_unit_test(wrong_blobs_are_detected),
        cmocka_unit_test(inconsistent_slots_are_detected),
        cmocka_unit_test(a_slot_is_not_reused_after_its_last_version),
        cmocka_unit_test(a_merged_list_has_at_most_as_many_redirects_as_numbers),
        cmocka_unit_test(a_deleted_id_that_another_file_has_is_not_deleted),
        cmocka_unit_test(ids_and_providers_have_32_bit_numbers),
        cmocka_unit_test(a_count_at_its_limit_is_not_incremented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

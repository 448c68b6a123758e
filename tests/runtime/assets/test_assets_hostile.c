/* Files with all kinds of damage: mounting or loading them is refused without changing the table,
 * or is harmless. */
#include "asset_fixture.h"

#include <kiln/blob_header.h>
#include <string.h>

static const kiln_verify_level levels[] = {KILN_VERIFY_NONE, KILN_VERIFY_HASH, KILN_VERIFY_DEEP};

typedef struct hostile {
    scene s;
    kiln_ref held; /* an asset of another file, which the hostile file also has */
    kiln_buffer image;
    kiln_assets_stats before;
    bool is_older; /* the image has an older layout and is converted, which requires verification */
} hostile;

static void begin_with(hostile *h, bool is_older)
{
    h->is_older = is_older;
    scene_begin(&h->s);
    scene_mount(&h->s,
                SCENE_FILE({"Thing/a", 1, "Thing/b", SCENE_THING},
                           {"Thing/b", 2, NULL, SCENE_THING}, {"Thing/z", 3, NULL, SCENE_THING}),
                0);
    h->held = scene_load(&h->s, "Thing/a");
    const scene_asset assets[] = {
        {"Thing/a", 11, "Thing/c Thing/b", SCENE_THING},
        {"Thing/c", 12, "Thing/a Thing/nobody", is_older ? SCENE_THING : SCENE_PACKED},
        {"Plate/d", 13, NULL, SCENE_PLATE}};
    kiln_types *types = scene_types(is_older);
    h->image = scene_file_of(types, assets, 3);
    kiln_types_destroy(types);
    h->before = scene_stats(&h->s);
}

static void begin(hostile *h)
{
    begin_with(h, false);
}

static void end(hostile *h)
{
    scene_clear(&h->s, &h->held);
    scene_end(&h->s);
    kiln_buffer_fini(&h->image);
}

static void expect_as_before(hostile *h)
{
    kiln_assets_stats stats = scene_stats(&h->s);
    assert_int_equal(h->before.known, stats.known);
    assert_int_equal(h->before.loaded, stats.loaded);
    assert_int_equal(h->before.mounts, stats.mounts);
    assert_int_equal(h->before.deferred, stats.deferred);
    assert_int_equal(h->before.strong, stats.strong);
    assert_int_equal(h->before.bytes_owned, stats.bytes_owned);
    assert_int_equal(1, scene_value_of(&h->s, h->held));
}

/* Reads a whole root whose bytes were verified. */
static void read_root(const void *root, bool is_checked)
{
    const test_thing *thing = root;
    if (!thing || !is_checked)
        return;
    const volatile kiln_id *refs = kiln_relative_get(&thing->refs, thing->refs.offset);
    for (uint32_t i = 0; i < thing->refs.count; i++)
        (void)refs[i];
}

/* Loads everything. Whatever the result, the table must be valid. */
static void use(hostile *h, const char *name, bool is_checked)
{
    kiln_load_args args = {.name = name, .allow_missing = true, .by = "use"};
    kiln_ref ref = {0};
    kiln_assets_stats before = scene_stats(&h->s);
    if (kiln_assets_load(h->s.assets, &args, &ref, &h->s.error) != KILN_OK) {
        assert_int_equal(before.loaded, scene_stats(&h->s).loaded);
        assert_int_equal(0, ref.bits);
    }
    read_root(kiln_ref_get(kiln_assets_get_slots(h->s.assets), ref), is_checked);
    read_root(kiln_assets_get(h->s.assets, scene_id(name)), is_checked);
    kiln_assets_clear(h->s.assets, &ref);
    scene_expect_valid(&h->s);
}

/* Mounts the image above the other file, reads everything, and unmounts it. */
static void try_image(hostile *h, const void *data, size_t size, kiln_verify_level level)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount = {0};
    bool is_checked = level == KILN_VERIFY_DEEP || h->is_older;
    def.file.data = data;
    def.file.size = size;
    def.file.level = level;
    def.order = 1;
    kiln_status status = kiln_assets_mount(h->s.assets, &def, &mount, &h->s.error);
    scene_expect_valid(&h->s);
    if (status == KILN_OK) {
        use(h, "Thing/c", is_checked);
        use(h, "Plate/d", is_checked);
        use(h, "Thing/z", is_checked);
        read_root(kiln_ref_get(kiln_assets_get_slots(h->s.assets), h->held), is_checked);
        EXPECT_STATUS(KILN_OK, scene_try_unmount(&h->s, mount, KILN_UNMOUNT_REFUSE));
        /* Assets to which the held one refers may have been loaded. */
        h->before.loaded = scene_stats(&h->s).loaded;
    }
    expect_as_before(h);
}

static void every_truncation_leaves_the_table_unchanged(void **state)
{
    (void)state;
    hostile h;
    begin(&h);
    for (size_t level = 0; level < 3; level++)
        for (size_t size = 0; size < h.image.size; size += size < 600 ? 1 : 13) {
            try_image(&h, h.image.data, size, levels[level]);
            assert_int_equal(1, scene_stats(&h.s).mounts);
        }
    end(&h);
}

/* The zeros between members are not checked here, so bits in gaps are not changed. */
static bool is_gap(const kiln_buffer *image, size_t at)
{
    if (image->data[at])
        return false;
    size_t from = at & ~(size_t)63;
    for (size_t i = from; i < from + 64 && i < image->size; i++)
        if (image->data[i])
            return false;
    return true;
}

/* Flips one bit at a time. With `rehash`, the hash of the index is corrected after a change of the
 * index. All other hashes stay wrong. */
static void flip_every_bit(bool rehash, bool is_older)
{
    hostile h;
    begin_with(&h, is_older);
    kiln_allocator libc = kiln_allocator_default();
    unsigned char *copy = libc.alloc(libc.ctx, h.image.size, 4096);
    assert_non_null(copy);
    const kiln_blob_header *header = (const void *)h.image.data;
    size_t index_end = KILN_HEADER_SIZE + header->payload_size;
    for (size_t at = 0; at < h.image.size; at++)
        for (int bit = 0; bit < 8 && !is_gap(&h.image, at); bit += rehash ? 3 : 2) {
            memcpy(copy, h.image.data, h.image.size);
            copy[at] ^= (unsigned char)(1 << bit);
            if (rehash && at >= KILN_HEADER_SIZE && at < index_end)
                kiln_header_write(copy, header->flags, header->payload_size, header->layout);
            try_image(&h, copy, h.image.size, levels[(at + (size_t)bit) % 3]);
        }
    libc.free(libc.ctx, copy, h.image.size);
    end(&h);
}

static void every_flipped_bit_is_harmless(void **state)
{
    (void)state;
    flip_every_bit(false, false);
}

static void every_flipped_bit_under_a_right_hash_is_harmless(void **state)
{
    (void)state;
    flip_every_bit(true, false);
}

/* An asset is verified before conversion, at every verification level. */
static void every_flipped_bit_of_an_older_layout_is_harmless(void **state)
{
    (void)state;
    flip_every_bit(false, true);
}

/* ---- forged indexes ---- */

static kiln_index *index_of(const kiln_buffer *image)
{
    return (void *)(image->data + KILN_HEADER_SIZE);
}

static void rehash_index(unsigned char *data)
{
    kiln_blob_header header;
    memcpy(&header, data, sizeof header);
    kiln_header_write(data, header.flags, header.payload_size, header.layout);
}

static uint32_t *edges_of(const kiln_buffer *image, const char *name, uint32_t *ret_count)
{
    kiln_index *index = index_of(image);
    uint32_t number = kiln_index_find(index, scene_id(name));
    assert_true(number != KILN_ASSET_NONE);
    const uint32_t *edges = kiln_index_edges(index, number, ret_count);
    assert_true(*ret_count > 0);
    return (uint32_t *)(uintptr_t)edges;
}

static void forged_edges_are_reported_with_the_asset(void **state)
{
    (void)state;
    for (size_t level = 0; level < 3; level++)
        for (int how = 0; how < 2; how++) {
            hostile h;
            kiln_ref ref = {0};
            kiln_mount mount = {0};
            begin(&h);
            uint32_t count;
            uint32_t *edges = edges_of(&h.image, "Thing/c", &count);
            if (how)
                edges[1] = edges[0];
            else
                edges[count - 1] = UINT32_MAX;
            rehash_index(h.image.data);
            kiln_mount_def def = kiln_mount_def_default();
            def.file.data = h.image.data;
            def.file.size = h.image.size;
            def.file.level = levels[level];
            def.order = -1;
            EXPECT_STATUS(KILN_OK, kiln_assets_mount(h.s.assets, &def, &mount, NULL));
            h.before = scene_stats(&h.s);
            EXPECT_STATUS(KILN_I_EDGES, scene_try_load(&h.s, "Thing/c", &ref));
            assert_memory_equal("Thing/c: edges[", h.s.error.path, 15);
            expect_as_before(&h);
            end(&h);
        }
}

/* A missing asset is reported even if its name is invalid. */
static void forged_names_of_imports_are_not_reported(void **state)
{
    (void)state;
    hostile h;
    kiln_ref ref = {0};
    begin(&h);
    kiln_index *index = index_of(&h.image);
    uint32_t nobody = index->imports.count;
    for (uint32_t i = 0; i < index->imports.count; i++)
        if (kiln_index_import_at(index, i)->id == scene_id("Thing/nobody"))
            nobody = i;
    assert_true(nobody < index->imports.count);
    kiln_index_import *import = (kiln_index_import *)(uintptr_t)kiln_index_import_at(index, nobody);
    import->name.length++;
    rehash_index(h.image.data);
    kiln_buffer image = h.image;
    h.image = (kiln_buffer){0};
    scene_mount(&h.s, image, -1);
    EXPECT_FAILURE(&h.s, KILN_MISSING, "Thing/c > ?", scene_try_load(&h.s, "Thing/c", &ref));
    end(&h);
}

/* Ids that are 0, duplicate or out of order are accepted only at the level `none`. */
static void unordered_ids_only_hide_assets(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++)
        for (int larger = 0; larger < 2; larger++) {
            hostile h;
            begin(&h);
            kiln_index *index = index_of(&h.image);
            kiln_id *ids = (kiln_id *)(uintptr_t)kiln_relative_get(&index->ids, index->ids.offset);
            kiln_id first = ids[0];
            if (how == 0)
                ids[0] = 0;
            else if (how == 1)
                ids[0] = ids[1];
            else if (how == 2)
                ids[0] = ids[2], ids[2] = first;
            else
                ids[0] = ids[1] = ids[2] = 0;
            rehash_index(h.image.data);
            kiln_mount other = {0};
            if (larger)
                other = scene_mount(
                    &h.s,
                    SCENE_FILE({"Thing/1", 1, NULL, SCENE_THING}, {"Thing/2", 1, NULL, SCENE_THING},
                               {"Thing/3", 1, NULL, SCENE_THING}, {"Thing/4", 1, NULL, SCENE_THING},
                               {"Thing/5", 1, NULL, SCENE_THING}, {"Thing/6", 1, NULL, SCENE_THING},
                               {"Thing/7", 1, NULL, SCENE_THING}, {"Thing/8", 1, NULL, SCENE_THING},
                               {"Thing/9", 1, NULL, SCENE_THING}),
                    0);
            h.before = scene_stats(&h.s);
            try_image(&h, h.image.data, h.image.size, KILN_VERIFY_NONE);
            if (larger)
                scene_unmount(&h.s, other);
            end(&h);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_leaves_the_table_unchanged),
        cmocka_unit_test(every_flipped_bit_is_harmless),
        cmocka_unit_test(every_flipped_bit_under_a_right_hash_is_harmless),
        cmocka_unit_test(every_flipped_bit_of_an_older_layout_is_harmless),
        cmocka_unit_test(forged_edges_are_reported_with_the_asset),
        cmocka_unit_test(forged_names_of_imports_are_not_reported),
        cmocka_unit_test(unordered_ids_only_hide_assets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which parts of two versions of a file count as equal, for honest files and for indexes that were
 * forged after the file was opened. A check that accepts too much would let assets be replaced by
 * bytes that nobody has verified, or read outside the index. */
#include "asset_fixture.h"

#include "asset_versions.h"
#include "file_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each version is in a separate table, because one table refuses different types for an id. */
typedef struct pair {
    scene of_old, of_fresh;
    asset_mount *old, *fresh;
    asset_versions versions;
} pair;

static asset_mount *mount_file(scene *s, kiln_buffer image)
{
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount = {0};
    def.file.data = image.data;
    def.file.size = image.size;
    def.file.level = KILN_VERIFY_NONE;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(s->assets, &def, &mount, &s->error));
    s->images[s->image_count++] = image;
    return s->assets->mounts[mount.number - 1];
}

/* Compares the files, which may have changed since they were opened. */
static void compare(pair *p)
{
    const kiln_allocator *allocator = &p->of_old.memory.allocator;
    kiln_asset_versions_fini(&p->versions, allocator);
    EXPECT_STATUS(KILN_OK, kiln_asset_versions_init(&p->versions, allocator, p->old, p->fresh));
}

static void begin(pair *p, kiln_buffer old, kiln_buffer fresh)
{
    memset(p, 0, sizeof *p);
    scene_begin(&p->of_old);
    scene_begin(&p->of_fresh);
    p->old = mount_file(&p->of_old, old);
    p->fresh = mount_file(&p->of_fresh, fresh);
    compare(p);
}

static void end(pair *p)
{
    kiln_asset_versions_fini(&p->versions, &p->of_old.memory.allocator);
    scene_end(&p->of_old);
    scene_end(&p->of_fresh);
}

static bool is_aligned(pair *p)
{
    compare(p);
    return p->versions.is_aligned;
}

static kiln_index_asset *asset_of(const asset_mount *mount, uint32_t number)
{
    return (kiln_index_asset *)(uintptr_t)kiln_index_asset_at(mount->file->index, number);
}

static kiln_index_member *member_of(const asset_mount *mount, uint32_t number)
{
    uint32_t member = kiln_index_asset_at(mount->file->index, number)->member;
    return (kiln_index_member *)(uintptr_t)kiln_index_member_at(mount->file->index, member);
}

/* ---- alignment ---- */

enum { ASSETS_MAX = 3 };

static kiln_buffer file_of(const scene_asset *assets)
{
    size_t count = 0;
    while (count < ASSETS_MAX && assets[count].name)
        count++;
    return scene_file(assets, count);
}

/* A name whose id has this highest bit. */
static const char *name_with_top_bit(uint64_t bit)
{
    static const char *const names[] = {"Th/a", "Th/b", "Th/c", "Th/d", "Th/e",
                                        "Th/f", "Th/g", "Th/h", "Th/i", "Th/j"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (scene_id(names[i]) >> 63 == bit)
            return names[i];
    fail_msg("no name has such an id");
    return NULL;
}

static void files_are_aligned_only_if_they_have_the_same_assets(void **state)
{
    (void)state;
    const char *low = name_with_top_bit(0), *high = name_with_top_bit(1);
    const scene_asset thing = {low, 1, NULL, SCENE_THING}, plate = {low, 1, NULL, SCENE_PLATE},
                      second = {high, 2, NULL, SCENE_THING},
                      second_plate = {high, 2, NULL, SCENE_PLATE};
    const struct {
        scene_asset old[ASSETS_MAX], fresh[ASSETS_MAX];
        bool is_aligned;
    } rows[] = {
        {{thing}, {thing}, true},
        {{thing, second}, {{low, 3, NULL, SCENE_THING}, {high, 4, low, SCENE_THING}}, true},
        {{thing, second_plate}, {thing, second_plate}, true},
        {{thing}, {{"Th/other", 1, NULL, SCENE_THING}}, false},
        {{thing}, {thing, second}, false},
        {{thing, second}, {thing}, false},
        {{thing}, {plate}, false},
        {{thing, second}, {thing, second_plate}, false},
        {{thing, second_plate}, {thing, second}, false},
        {{plate, second}, {thing, second}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair p;
        begin(&p, file_of(rows[i].old), file_of(rows[i].fresh));
        if (is_aligned(&p) != rows[i].is_aligned)
            fail_msg("row %u", (unsigned)i);
        end(&p);
    }
}

/* Changes one number of an index and expects that the files are no longer aligned. */
static void expect_unaligned(pair *p, uint32_t *number, uint32_t value)
{
    uint32_t was = *number;
    assert_true(is_aligned(p));
    *number = value;
    assert_false(is_aligned(p));
    *number = was;
}

static void forged_names_types_and_directories_are_not_aligned(void **state)
{
    (void)state;
    pair p;
    begin(&p, SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}, {"Th/b", 1, NULL, SCENE_THING}),
          SCENE_FILE({"Th/a", 2, NULL, SCENE_THING}, {"Th/b", 2, NULL, SCENE_THING}));
    asset_mount *const mounts[] = {p.old, p.fresh};
    for (size_t i = 0; i < 2; i++) {
        kiln_index_asset *asset = asset_of(mounts[i], 1);
        const kiln_array *directory = &mounts[i]->file->index->directory;
        expect_unaligned(&p, &asset->type, INT32_MAX);
        expect_unaligned(&p, &asset->member, INT32_MAX);
        expect_unaligned(&p, &asset->name.length, asset->name.length - 1);
        expect_unaligned(&p, &asset->name.length, INT32_MAX);
        expect_unaligned(&p, &asset->name.offset, INT32_MAX);
        uint32_t *last = (uint32_t *)(uintptr_t)kiln_relative_get(directory, directory->offset) + 1;
        expect_unaligned(&p, last, *last + 1);
        char *name = (char *)(uintptr_t)kiln_string_get(&asset->name);
        name[3] ^= 1;
        assert_false(is_aligned(&p));
        name[3] ^= 1;
    }
    end(&p);
}

/* The files are equal, so the bytes after the name are equal, too. */
static void names_that_end_after_the_index_are_not_aligned(void **state)
{
    (void)state;
    const scene_asset asset = {"Th/a", 1, NULL, SCENE_THING};
    pair p;
    begin(&p, scene_file(&asset, 1), scene_file(&asset, 1));
    kiln_string *old = &asset_of(p.old, 0)->name, *fresh = &asset_of(p.fresh, 0)->name;
    const kiln_index_frame *frame = &p.old->file->frame;
    const uint32_t at = (uint32_t)((const char *)old - (const char *)frame->file) + old->offset;
    old->length = fresh->length = (uint32_t)frame->index_size - at - 1; /* with the NUL */
    assert_true(is_aligned(&p));
    old->length = ++fresh->length;
    assert_false(is_aligned(&p));
    end(&p);
}

/* ---- equality ---- */

static bool are_equal(pair *p)
{
    compare(p);
    return kiln_asset_versions_are_equal(&p->versions, 0, 0);
}

static void only_equal_records_are_equal(void **state)
{
    (void)state;
    pair p;
    begin(&p, SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}),
          SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}));
    kiln_index_member *member = member_of(p.fresh, 0);
    const kiln_index_member was = *member;
    for (int field = 0; field < 4; field++) {
        assert_true(are_equal(&p));
        if (field == 0)
            member->content.low ^= 1;
        else if (field == 1)
            member->content.high ^= 1;
        else if (field == 2)
            member->size++;
        else
            member->align_log2++;
        assert_false(are_equal(&p));
        *member = was;
    }
    end(&p);
}

/* If the assets have the same members, all members are compared at once; otherwise one by one. */
static void assets_are_equal_whatever_the_numbers_of_their_members(void **state)
{
    (void)state;
    enum { COUNT = 130 };
    static char names[COUNT][8];
    static scene_asset old[COUNT], fresh[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "Th/%u", (unsigned)i);
        old[i] = fresh[i] = (scene_asset){names[i], 1000 + i, NULL, SCENE_THING};
    }
    for (uint32_t changed = 0; changed < COUNT; changed += 43)
        for (int is_shared = 0; is_shared < 2; is_shared++) {
            pair p;
            const scene_asset was = fresh[changed];
            /* With the value of another asset, it shares the member of that asset. */
            fresh[changed].value = is_shared ? 1000 + (changed + 1) % COUNT : 9;
            begin(&p, scene_file(old, COUNT), scene_file(fresh, COUNT));
            assert_true(p.versions.is_aligned);
            assert_int_equal(!is_shared, p.versions.differs != NULL);
            for (uint32_t i = 0; i < COUNT; i++) {
                bool is_changed = kiln_index_id(p.old->file->index, i) == scene_id(was.name);
                assert_int_equal(!is_changed, kiln_asset_versions_are_equal(&p.versions, i, i));
            }
            fresh[changed] = was;
            end(&p);
        }
}

static void a_comparison_without_memory_fails(void **state)
{
    (void)state;
    pair p;
    begin(&p, SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}),
          SCENE_FILE({"Th/a", 2, NULL, SCENE_THING}));
    world_memory *memory = &p.of_old.memory;
    kiln_asset_versions_fini(&p.versions, &memory->allocator);
    memory->fail_at = memory->calls + 1;
    EXPECT_STATUS(KILN_NO_MEMORY,
                  kiln_asset_versions_init(&p.versions, &memory->allocator, p.old, p.fresh));
    memory->fail_at = 0;
    end(&p);
}

/* The second call for a type returns the cached result. */
static void types_are_compared_by_name_and_layout(void **state)
{
    (void)state;
    static const struct {
        scene_type type;
        bool has_layout; /* the layout hash in the index is forged */
        bool is_equal;
    } rows[] = {
        {SCENE_THING, false, true}, {SCENE_PLATE, false, false}, {SCENE_PLATE, true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair p;
        begin(&p, SCENE_FILE({"Th/a", 1, NULL, SCENE_THING}),
              SCENE_FILE({"Th/a", 1, NULL, rows[i].type}));
        const kiln_index_member *old = member_of(p.old, 0);
        kiln_index_member *fresh = member_of(p.fresh, 0);
        fresh->content = old->content;
        assert_int_equal(old->size, fresh->size);
        kiln_index_type *type =
            (kiln_index_type *)(uintptr_t)kiln_index_type_at(p.fresh->file->index, 0);
        if (rows[i].has_layout)
            type->layout = kiln_index_type_at(p.old->file->index, 0)->layout;
        compare(&p);
        for (int again = 0; again < 2; again++)
            assert_int_equal(rows[i].is_equal, kiln_asset_versions_are_equal(&p.versions, 0, 0));
        end(&p);
    }
}

/* ---- bytes ---- */

/* A copy whose address is a multiple of 16, but not of 32. */
static kiln_buffer moved(kiln_buffer image, unsigned char **ret_memory)
{
    unsigned char *memory = malloc(image.size + 128);
    assert_non_null(memory);
    unsigned char *at = memory + (64 - (uintptr_t)memory % 64) + 16;
    memcpy(at, image.data, image.size);
    *ret_memory = memory;
    kiln_buffer copy = image;
    copy.data = at;
    return copy;
}

static void only_equal_bytes_in_place_are_used(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    const scene_asset assets[COUNT] = {
        {"Th/a", 1, NULL, SCENE_THING},   {"Th/b", 2, "Th/a Th/c", SCENE_THING},
        {"Th/c", 3, NULL, SCENE_THING},   {"Th/d", 4, "Th/a Th/b", SCENE_THING},
        {"Th/e", 5, "Th/a", SCENE_THING}, {"Th/f", 6, "Th/c Th/d", SCENE_THING}};
    pair p;
    unsigned char *memory;
    begin(&p, scene_file(assets, COUNT), scene_file(assets, COUNT));
    kiln_buffer image = scene_file(assets, COUNT), copy = moved(image, &memory);
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount = {0};
    def.file.data = copy.data;
    def.file.size = copy.size;
    def.file.level = KILN_VERIFY_NONE;
    EXPECT_STATUS(KILN_OK, kiln_assets_mount(p.of_fresh.assets, &def, &mount, &p.of_fresh.error));
    p.fresh = p.of_fresh.assets->mounts[mount.number - 1];
    compare(&p);
    uint32_t moved_members = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        kiln_index_member *member = member_of(p.fresh, i);
        const kiln_index_member was = *member;
        unsigned char *bytes = copy.data + member->place;
        const kiln_index_member *other = member_of(p.old, i);
        const asset_blob blob = {.bytes = kiln_file_member_bytes(p.old->file, other),
                                 .size = (size_t)other->size};
        const void *root = kiln_asset_versions_same_bytes(&p.versions, &blob, i);
        assert_ptr_equal(bytes + KILN_HEADER_SIZE, root);
        bytes[member->size - 1] ^= 1;
        assert_null(kiln_asset_versions_same_bytes(&p.versions, &blob, i));
        bytes[member->size - 1] ^= 1;
        member->compression = KILN_COMPRESSION_ZSTD;
        assert_null(kiln_asset_versions_same_bytes(&p.versions, &blob, i));
        *member = was;
        member->size--;
        member->stored_size--;
        assert_null(kiln_asset_versions_same_bytes(&p.versions, &blob, i));
        *member = was;
        member->place = copy.size;
        assert_null(kiln_asset_versions_same_bytes(&p.versions, &blob, i));
        *member = was;
        /* The offset is a multiple of 32, but the address is not. */
        if (member->place % 32 == 0) {
            moved_members++;
            member->align_log2 = 5;
            assert_null(kiln_asset_versions_same_bytes(&p.versions, &blob, i));
            *member = was;
        }
        assert_ptr_equal(root, kiln_asset_versions_same_bytes(&p.versions, &blob, i));
    }
    assert_true(moved_members > 0);
    EXPECT_STATUS(KILN_OK, kiln_assets_unmount(p.of_fresh.assets, mount, KILN_UNMOUNT_REFUSE,
                                               &p.of_fresh.error));
    end(&p);
    kiln_buffer_fini(&image);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_aligned_only_if_they_have_the_same_assets),
        cmocka_unit_test(forged_names_types_and_directories_are_not_aligned),
        cmocka_unit_test(names_that_end_after_the_index_are_not_aligned),
        cmocka_unit_test(only_equal_records_are_equal),
        cmocka_unit_test(assets_are_equal_whatever_the_numbers_of_their_members),
        cmocka_unit_test(a_comparison_without_memory_fails),
        cmocka_unit_test(types_are_compared_by_name_and_layout),
        cmocka_unit_test(only_equal_bytes_in_place_are_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

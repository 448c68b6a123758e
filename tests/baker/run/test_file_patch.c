/* Files that are written again with other values: equal to files that are baked, or refused. */
#include "bake_call.h"

#include "file_patch.h"

#include <kiln/blob_header.h>
#include <kiln/index.h>

enum { ASSETS_MAX = 8 };
#define SCHEMA                                                                                     \
    "kiln: 1\ntypes:\n"                                                                            \
    "  T: {struct: {n: u32, s: {type: string, default: x}, to: \"ref<T>[]\"}, asset: true%s}\n"

typedef struct baked {
    char *data;
    size_t size;
    const kiln_index *index;
} baked;

static baked bake(const char *data, const char *options)
{
    char arguments[128], *err;
    baked b;
    fixture_write("d.yaml", data);
    snprintf(arguments, sizeof arguments, "-q -s s.yaml -o x.kiln d.yaml %s", options);
    if (bake_code(arguments, &err) != 0)
        fail_msg("%s", err);
    free(err);
    b.data = fixture_read("x.kiln", &b.size);
    assert_non_null(b.data);
    b.index = (const kiln_index *)(const void *)(b.data + KILN_HEADER_SIZE);
    return b;
}

/* All assets of a file, with blobs and references that belong to the file and to `refs`. */
static size_t list_assets(const baked *b, bake_patched_asset *assets, kiln_id refs[][ASSETS_MAX])
{
    uint32_t count = kiln_index_asset_count(b->index), edge_count;
    assert_true(count <= ASSETS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(b->index, i);
        const kiln_index_member *member = kiln_index_member_at(b->index, asset->member);
        const uint32_t *edges = kiln_index_edges(b->index, i, &edge_count);
        memset(&assets[i], 0, sizeof assets[i]);
        assets[i].name = kiln_relative_get(&asset->name, asset->name.offset);
        assets[i].name_length = asset->name.length;
        assets[i].type = "T";
        assets[i].asset.blob.data = (unsigned char *)b->data + member->place;
        assets[i].asset.blob.size = (size_t)member->size;
        assets[i].asset.content = member->content;
        assets[i].asset.refs = refs[i];
        for (uint32_t e = 0; edges && e < edge_count; e++)
            refs[i][assets[i].asset.ref_count++] = kiln_index_edge_id(b->index, edges[e]);
    }
    return count;
}

typedef struct sink {
    char *data;
    size_t size, capacity;
} sink;

static bool collect(void *ctx, const void *data, size_t size)
{
    sink *to = ctx;
    if (size > to->capacity - to->size)
        return false;
    memcpy(to->data + to->size, data, size);
    to->size += size;
    return true;
}

/* Whether `old` can be patched with the assets of `now`. The result must then be `now`. */
static bool is_patched(const baked *old, const baked *now)
{
    bake_patched_asset assets[ASSETS_MAX];
    kiln_id refs[ASSETS_MAX][ASSETS_MAX];
    size_t count = list_assets(now, assets, refs);
    char *file = malloc(old->size);
    assert_non_null(file);
    memcpy(file, old->data, old->size);
    bake_file_patch *patch = bake_file_patch_make(file, old->size, assets, count);
    if (!patch) {
        assert_memory_equal(file, old->data, old->size);
        free(file);
        return false;
    }
    sink to = {malloc(now->size + 1), 0, now->size};
    assert_true(bake_file_patch_write(patch, collect, &to));
    assert_int_equal(to.size, now->size);
    assert_memory_equal(to.data, now->data, now->size);
    assert_int_equal(bake_file_patch_size(patch), now->size);
    assert_int_equal(bake_file_patch_counts(patch).assets, now->index->assets.count);
    assert_int_equal(bake_file_patch_counts(patch).types, now->index->types.count);
    assert_int_equal(bake_file_patch_counts(patch).members, now->index->members.count);
    bool is_same = old->size == now->size && memcmp(old->data, now->data, now->size) == 0;
    assert_int_equal(bake_file_patch_is_empty(patch), is_same);
    /* A write that fails ends the patch. */
    to = (sink){to.data, 0, now->size - 1};
    assert_false(bake_file_patch_write(patch, collect, &to));
    free(to.data);
    bake_file_patch_destroy(patch);
    free(file);
    return true;
}

static void write_schema(const char *more)
{
    char text[300];
    snprintf(text, sizeof text, SCHEMA, more);
    fixture_write("s.yaml", text);
}

static void a_patch_gives_the_bytes_of_a_bake_or_is_refused(void **state)
{
#define THREE "T: {a: {n: 1, to: [b, c]}, b: {n: 2}, c: {n: 3, s: three}}\n"
    static const struct {
        const char *old, *now, *options;
        bool is_possible;
    } rows[] = {
        {THREE, THREE, "", true},
        {THREE, "T: {a: {n: 9, to: [b, c]}, b: {n: 2}, c: {n: 3, s: three}}\n", "", true},
        {THREE, "T: {a: {n: 1, to: [c, b]}, b: {n: 2}, c: {n: 3, s: three}}\n", "", true},
        {THREE, "T: {a: {n: 1, to: [c, b, c]}, b: {n: 2}, c: {n: 3, s: three}}\n", "", true},
        {THREE, "T: {a: {n: 1, to: [b, c]}, b: {n: 7, s: much longer than before}, c: {n: 3}}\n",
         "", true},
        {THREE, "T: {a: {n: 4, s: '', to: [b, c]}, b: {n: 5}, c: {n: 6}}\n", "--no-types", true},
        {"T: {a: {n: 1}, b: {n: 2}}\n", "T: {a: {n: 1}, b: {n: 3}}\n", "", true},
        {"T: {a: {n: 1}}\n", "T: {a: {n: 2}}\n", "", true},
        /* references */
        {THREE, "T: {a: {n: 1, to: [b]}, b: {n: 2}, c: {n: 3, s: three}}\n", "", false},
        {THREE, "T: {a: {n: 1, to: [b, a]}, b: {n: 2}, c: {n: 3, s: three}}\n", "", false},
        {THREE, "T: {a: {n: 1, to: [b, c]}, b: {n: 2, to: [a]}, c: {n: 3}}\n", "", false},
        {"T: {a: {n: 1}}\n", "T: {a: {n: 1, to: [a]}}\n", "", false},
        /* shared blobs */
        {"T: {a: {n: 1}, b: {n: 2}}\n", "T: {a: {n: 1}, b: {n: 1}}\n", "", false},
        {"T: {a: {n: 1}, b: {n: 2}}\n", "T: {a: {n: 3}, b: {n: 3}}\n", "", false},
        {"T: {a: {n: 1}, b: {n: 1}}\n", "T: {a: {n: 1}, b: {n: 2}}\n", "", false},
        {"T: {a: {n: 1}, b: {n: 1}}\n", "T: {a: {n: 2}, b: {n: 2}}\n", "", false},
        {"T: {a: {n: 1}, b: {n: 2}}\n", "T: {a: {n: 2}, b: {n: 1}}\n", "", true},
        {"T: {a: {n: 1}, b: {n: 1}, c: {n: 2}}\n", "T: {a: {n: 1}, b: {n: 1}, c: {n: 3}}\n", "",
         true},
        /* names */
        {"T: {a: {n: 1}, b: {n: 2}}\n", "T: {a: {n: 1}, c: {n: 2}}\n", "", false},
        {"T: {a: {n: 1}}\n", "T: {a: {n: 1}, b: {n: 2}}\n", "", false},
        /* compressed members */
        {"T: {a: {n: 1, s: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}\n",
         "T: {a: {n: 2, s: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}\n",
         "--compress 3", false},
    };
    (void)state;
    write_schema("");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        baked old = bake(rows[i].old, rows[i].options), now = bake(rows[i].now, rows[i].options);
        if (is_patched(&old, &now) != rows[i].is_possible)
            fail_msg("%s -> %s", rows[i].old, rows[i].now);
        free(old.data);
        free(now.data);
    }
}

static void another_type_is_refused(void **state)
{
    (void)state;
    write_schema("");
    baked old = bake("T: {a: {n: 1}}\n", "");
    bake_patched_asset assets[ASSETS_MAX];
    kiln_id refs[ASSETS_MAX][ASSETS_MAX];
    size_t count = list_assets(&old, assets, refs);
    assets[0].type = "U";
    assert_null(bake_file_patch_make(old.data, old.size, assets, count));
    assets[0].type = "T";
    bake_file_patch *patch = bake_file_patch_make(old.data, old.size, assets, count);
    assert_non_null(patch);
    bake_file_patch_destroy(patch);
    free(old.data);
}

/* Patches damaged bytes with the assets of `now`, and writes the result. */
static void use(const char *data, size_t size, const baked *now)
{
    bake_patched_asset assets[ASSETS_MAX];
    kiln_id refs[ASSETS_MAX][ASSETS_MAX];
    size_t count = list_assets(now, assets, refs);
    char *file = malloc(size + !size);
    assert_non_null(file);
    memcpy(file, data, size);
    bake_file_patch *patch = bake_file_patch_make(file, size, assets, count);
    sink to = {malloc(2 * size + now->size + 65536), 0, 2 * size + now->size + 65536};
    assert_non_null(to.data);
    if (patch)
        (void)bake_file_patch_write(patch, collect, &to);
    bake_file_patch_destroy(patch);
    free(to.data);
    free(file);
}

static void damaged_files_are_refused_or_safe(void **state)
{
    (void)state;
    write_schema("");
    baked old = bake(THREE, "--no-types");
    baked now = bake("T: {a: {n: 4, to: [b, c]}, b: {n: 5}, c: {n: 6}}\n", "--no-types");
    for (size_t left = 0; left < old.size; left++) {
        char *copy = malloc(left + !left);
        assert_non_null(copy);
        memcpy(copy, old.data, left);
        use(copy, left, &now);
        free(copy);
    }
    for (size_t bit = 0; bit < old.size * 8; bit++) {
        old.data[bit / 8] = (char)(old.data[bit / 8] ^ (1 << bit % 8));
        use(old.data, old.size, &now);
        old.data[bit / 8] = (char)(old.data[bit / 8] ^ (1 << bit % 8));
    }
    assert_true(is_patched(&old, &now));
    free(old.data);
    free(now.data);
}

/* A gap before a member is written from zeros of the greatest alignment. */
static void members_with_too_great_an_alignment_are_refused(void **state)
{
    enum { LOG2 = KILN_ALIGN_LOG2_MAX + 1, PLACE = 1 << LOG2 };
    (void)state;
    write_schema("");
    baked old = bake("T: {a: {n: 1}, b: {n: 2}}\n", "--no-types");
    baked now = bake("T: {a: {n: 3}, b: {n: 2}}\n", "--no-types");
    for (int log2 = LOG2 - 1; log2 <= LOG2; log2++) {
        bake_patched_asset assets[ASSETS_MAX];
        kiln_id refs[ASSETS_MAX][ASSETS_MAX];
        char *copy = calloc(1, 2 * PLACE);
        assert_non_null(copy);
        assert_true(old.size < PLACE / 2);
        memcpy(copy, old.data, old.size);
        kiln_index *index = (kiln_index *)(void *)(copy + KILN_HEADER_SIZE);
        size_t at = (size_t)((const char *)kiln_index_member_at(index, 1) - copy);
        kiln_index_member *last = (kiln_index_member *)(void *)(copy + at);
        memcpy(copy + (1 << log2), copy + last->place, (size_t)last->size);
        last->place = UINT64_C(1) << log2;
        last->align_log2 = (uint8_t)log2;
        index->file_size = last->place + last->size;
        size_t count = list_assets(&now, assets, refs);
        const bake_patched_asset *a =
            strcmp(assets[0].name, "T/a") == 0 ? &assets[0] : &assets[count - 1];
        bake_file_patch *patch = bake_file_patch_make(copy, (size_t)index->file_size, a, 1);
        assert_int_equal(patch != NULL, log2 < LOG2);
        bake_file_patch_destroy(patch);
        free(copy);
    }
    free(old.data);
    free(now.data);
}

static void any_allocation_can_fail(void **state)
{
    (void)state;
    write_schema("");
    baked old = bake(THREE, "");
    bake_patched_asset assets[ASSETS_MAX];
    kiln_id refs[ASSETS_MAX][ASSETS_MAX];
    size_t count = list_assets(&old, assets, refs);
    bake_file_patch *patch = NULL;
    for (long n = 0; !patch; n++) {
        assert_true(n < 10);
        bake_memory_fail_after(n);
        patch = bake_file_patch_make(old.data, old.size, assets, count);
        bake_memory_fail_after(-1);
    }
    bake_file_patch_destroy(patch);
    free(old.data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_patch_gives_the_bytes_of_a_bake_or_is_refused),
        TEST(another_type_is_refused),
        TEST(damaged_files_are_refused_or_safe),
        TEST(members_with_too_great_an_alignment_are_refused),
        TEST(any_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

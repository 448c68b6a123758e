/* Blobs made in memory, the holders that keep them, and when kiln_assets_dispose refuses to remove
 * them. */
#include "asset_fixture.h"

#include <kiln/blob_header.h>
#include <string.h>

typedef struct adding {
    scene s;
    kiln_root_type type;
    kiln_buffer blob, other;
    int frees;
} adding;

static void count_free(void *ctx, const void *blob, size_t size)
{
    adding *a = ctx;
    assert_ptr_equal(a->blob.data, blob);
    assert_int_equal(a->blob.size, size);
    a->frees++;
}

typedef enum ownership { COPIED, GIVEN, FOREIGN } ownership;

static kiln_add_args args_of(adding *a, const char *name, ownership whose)
{
    kiln_add_args args = {.name = name,
                          .type = &a->type,
                          .blob = a->blob.data,
                          .size = a->blob.size,
                          .in_place = whose != COPIED,
                          .free = whose == GIVEN ? count_free : NULL,
                          .free_ctx = a,
                          .by = "add.c:1"};
    return args;
}

static kiln_status add(adding *a, const char *name, ownership whose, kiln_ref *ret_ref)
{
    kiln_add_args args = args_of(a, name, whose);
    kiln_status status = kiln_assets_add(a->s.assets, &args, ret_ref, &a->s.error);
    scene_expect_valid(&a->s);
    return status;
}

static void begin(adding *a)
{
    memset(a, 0, sizeof *a);
    scene_begin(&a->s);
    a->type = scene_root_type(SCENE_THING);
    a->blob = scene_blob(5, "Thing/nobody", SCENE_THING);
    a->other = scene_blob(6, NULL, SCENE_THING);
}

static void end(adding *a)
{
    scene_end(&a->s);
    kiln_buffer_fini(&a->blob);
    kiln_buffer_fini(&a->other);
}

static void bytes_are_copied_owned_or_foreign(void **state)
{
    (void)state;
    static const struct {
        ownership whose;
        kiln_asset_memory memory;
        bool is_in_place;
        int frees;
        kiln_status disposed;
    } rows[] = {{COPIED, KILN_ASSET_OWNED, false, 0, KILN_OK},
                {GIVEN, KILN_ASSET_OWNED, true, 1, KILN_OK},
                {FOREIGN, KILN_ASSET_FOREIGN, true, 0, KILN_FOREIGN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        adding a;
        kiln_ref ref = {0};
        kiln_asset_info info;
        begin(&a);
        EXPECT_STATUS(KILN_OK, add(&a, "Thing/a", rows[i].whose, &ref));
        EXPECT_STATUS(KILN_OK, kiln_assets_get_info(a.s.assets, ref, &info));
        assert_int_equal(rows[i].memory, info.memory);
        assert_int_equal(rows[i].is_in_place, info.root == a.blob.data + KILN_HEADER_SIZE);
        assert_int_equal(rows[i].whose == FOREIGN ? 0 : a.blob.size, scene_stats(&a.s).bytes_owned);
        assert_int_equal(5, scene_value_named(&a.s, "Thing/a"));
        EXPECT_STATUS(rows[i].disposed, scene_dispose(&a.s, ref));
        if (rows[i].disposed != KILN_OK) {
            assert_string_equal("Thing/a, by add.c:1", a.s.error.path);
            scene_clear(&a.s, &ref);
        } else {
            assert_int_equal(0, kiln_assets_find(a.s.assets, "Thing/a"));
        }
        assert_int_equal(rows[i].frees, a.frees);
        end(&a);
        assert_int_equal(rows[i].frees, a.frees);
    }
}

static void remaining_bytes_are_freed_at_the_end(void **state)
{
    (void)state;
    adding a;
    kiln_ref ref = {0};
    begin(&a);
    EXPECT_STATUS(KILN_OK, add(&a, NULL, GIVEN, &ref));
    scene_clear(&a.s, &ref);
    assert_int_equal(0, a.frees);
    end(&a);
    assert_int_equal(1, a.frees);
}

static void equal_content_is_one_asset_with_several_names(void **state)
{
    (void)state;
    adding a;
    kiln_ref first = {0}, same = {0}, none = {0};
    begin(&a);
    EXPECT_STATUS(KILN_OK, add(&a, NULL, COPIED, &first));
    static const char *const names[] = {"Thing/a", "Thing/b", "Thing/b", NULL, "Thing/c"};
    for (int i = 0; i < 5; i++) {
        EXPECT_STATUS(KILN_OK, add(&a, names[i], GIVEN, &same));
        assert_int_equal(first.bits, same.bits);
        assert_int_equal(i + 1, a.frees);
        kiln_assets_clear(a.s.assets, &same);
    }
    assert_int_equal(1, scene_stats(&a.s).loaded);
    assert_int_equal(3, scene_stats(&a.s).known);
    for (int i = 0; i < 5; i++)
        if (names[i])
            assert_int_equal(5, scene_value_named(&a.s, names[i]));
    kiln_asset_info info;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(a.s.assets, first, &info));
    assert_string_equal("Thing/a", info.name);
    /* Different content for one of the asset's names. */
    kiln_add_args args = args_of(&a, "Thing/b", COPIED);
    args.blob = a.other.data;
    args.size = a.other.size;
    EXPECT_FAILURE(&a.s, KILN_DUPLICATE, "Thing/b",
                   kiln_assets_add(a.s.assets, &args, &none, &a.s.error));
    assert_int_equal(0, none.bits);
    assert_int_equal(1, scene_stats(&a.s).loaded);
    EXPECT_STATUS(KILN_OK, scene_dispose(&a.s, first));
    for (int i = 0; i < 5; i++)
        if (names[i])
            assert_int_equal(0, kiln_assets_find(a.s.assets, names[i]));
    end(&a);
}

/* A type with the same layout: the program decides which type it is. */
static void equal_bytes_of_two_types_are_two_assets(void **state)
{
    (void)state;
    adding a;
    kiln_ref first = {0}, other = {0};
    begin(&a);
    EXPECT_STATUS(KILN_OK, add(&a, "Thing/a", COPIED, &first));
    const kiln_root_type twin = {"test.Twin", a.type.layout};
    kiln_add_args args = args_of(&a, "Thing/b", COPIED);
    args.type = &twin;
    EXPECT_STATUS(KILN_NO_TYPES, kiln_assets_add(a.s.assets, &args, &other, &a.s.error));
    args.is_trusted = true;
    EXPECT_STATUS(KILN_OK, kiln_assets_add(a.s.assets, &args, &other, &a.s.error));
    assert_int_not_equal(first.bits, other.bits);
    assert_non_null(kiln_assets_root(a.s.assets, other, &twin, NULL));
    assert_null(kiln_assets_root(a.s.assets, other, &a.type, NULL));
    scene_clear(&a.s, &first);
    scene_clear(&a.s, &other);
    end(&a);
}

static void a_name_of_another_asset_is_a_duplicate(void **state)
{
    (void)state;
    adding a;
    kiln_ref first = {0}, none = {0};
    begin(&a);
    scene_mount(&a.s, SCENE_FILE({"Thing/file", 1, NULL, SCENE_THING}), 0);
    for (int added = 0; added < 2; added++) {
        EXPECT_FAILURE(&a.s, KILN_DUPLICATE, "Thing/file", add(&a, "Thing/file", GIVEN, &none));
        assert_int_equal(0, a.frees);
        assert_int_equal(0, none.bits);
        if (!added)
            EXPECT_STATUS(KILN_OK, add(&a, CLASHED_NAME, COPIED, &first));
    }
    EXPECT_STATUS(KILN_DUPLICATE, add(&a, CLASHING_NAME, COPIED, &none));
    scene_clear(&a.s, &first);
    end(&a);
}

static void a_file_may_contain_an_asset_with_an_added_name(void **state)
{
    (void)state;
    adding a;
    kiln_ref ref = {0};
    begin(&a);
    EXPECT_STATUS(KILN_OK, add(&a, "Thing/a", COPIED, &ref));
    kiln_mount mount = scene_mount(&a.s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 9);
    assert_int_equal(5, scene_value_named(&a.s, "Thing/a"));
    EXPECT_STATUS(KILN_OK, scene_dispose(&a.s, ref));
    assert_int_equal(0, scene_value_named(&a.s, "Thing/a"));
    ref = scene_load(&a.s, "Thing/a");
    assert_int_equal(1, scene_value_of(&a.s, ref));
    scene_clear(&a.s, &ref);
    scene_unmount(&a.s, mount);
    end(&a);
}

static void invalid_blobs_are_rejected(void **state)
{
    (void)state;
    adding a;
    begin(&a);
    kiln_root_type other_layout = {a.type.name, a.type.layout + 1}, unknown = {"test.None", 1};
    static const char *const malformed[] = {"", "Thing", "Thing/", "/a", "Thing/a\n"};
    kiln_ref none = {0};
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        EXPECT_STATUS(KILN_BAD_ARGUMENT, add(&a, malformed[i], COPIED, &none));
    const kiln_add_args right = args_of(&a, "Thing/a", COPIED);
    struct {
        kiln_status expected;
        kiln_add_args args;
    } rows[9];
    for (size_t i = 0; i < 9; i++)
        rows[i].args = right;
    rows[0].expected = KILN_BAD_ARGUMENT, rows[0].args.type = NULL;
    rows[1].expected = KILN_BAD_ARGUMENT, rows[1].args.blob = NULL;
    rows[2].expected = KILN_BAD_ARGUMENT, rows[2].args.free = count_free; /* requires in_place */
    rows[3].expected = KILN_H_TRUNCATED, rows[3].args.size = KILN_HEADER_SIZE - 1;
    rows[4].expected = KILN_H_TRUNCATED, rows[4].args.size--;
    rows[5].expected = KILN_TYPE_MISMATCH, rows[5].args.type = &other_layout;
    rows[6].expected = KILN_TYPE_MISMATCH, rows[6].args.type = &unknown;
    rows[7].expected = KILN_H_MAGIC, rows[7].args.blob = a.blob.data + KILN_HEADER_SIZE;
    rows[7].args.size -= KILN_HEADER_SIZE;
    rows[8].expected = KILN_OK, rows[8].args.is_trusted = true;
    for (size_t i = 0; i < 9; i++) {
        kiln_ref ref = {0};
        kiln_status status = kiln_assets_add(a.s.assets, &rows[i].args, &ref, &a.s.error);
        EXPECT_STATUS(rows[i].expected, status);
        assert_int_equal(status == KILN_OK, scene_stats(&a.s).loaded);
        assert_int_equal(status == KILN_OK, ref.bits != 0);
        scene_clear(&a.s, &ref);
    }
    end(&a);
}

static void values_are_checked_unless_they_are_trusted(void **state)
{
    (void)state;
    adding a;
    kiln_ref ref = {0};
    begin(&a);
    a.blob.data[a.blob.size - 1] ^= 1;
    EXPECT_STATUS(KILN_H_HASH, add(&a, "Thing/a", COPIED, &ref));
    kiln_add_args args = args_of(&a, "Thing/a", COPIED);
    args.is_trusted = true;
    EXPECT_STATUS(KILN_OK, kiln_assets_add(a.s.assets, &args, &ref, NULL));
    /* Different bytes with equal hashes make two assets. */
    a.blob.data[a.blob.size - 1] ^= 1;
    kiln_ref other = {0};
    EXPECT_STATUS(KILN_OK, add(&a, "Thing/b", COPIED, &other));
    assert_int_not_equal(ref.bits, other.bits);
    scene_clear(&a.s, &ref);
    scene_clear(&a.s, &other);
    end(&a);
}

/* ---- what keeps an asset alive ---- */

static void an_asset_without_holders_can_be_disposed_of(void **state)
{
    (void)state;
    adding a;
    kiln_ref ref = {0}, second;
    const void *root = NULL;
    begin(&a);
    scene *s = &a.s;
    EXPECT_STATUS(KILN_OK, add(&a, "Thing/a", COPIED, &ref));
    kiln_ref weak = scene_take(s, ref, KILN_REF_WEAK);
    EXPECT_STATUS(KILN_OK, kiln_assets_protect(s->assets, ref, "protect.c:1", NULL));
    EXPECT_STATUS(KILN_OK, kiln_assets_protect(s->assets, ref, "protect.c:1", NULL));
    EXPECT_STATUS(KILN_OK, kiln_assets_borrow(s->assets, weak, "borrow.c:1", &root, NULL));
    EXPECT_STATUS(KILN_OK,
                  kiln_assets_take(s->assets, weak, KILN_REF_STRONG, "second.c:1", &second));
    EXPECT_FAILURE(s, KILN_PROTECTED, "Thing/a, by protect.c:1 (2 times)", scene_dispose(s, ref));
    EXPECT_STATUS(KILN_NOT_FOUND, kiln_assets_unprotect(s->assets, ref, "another.c:1"));
    EXPECT_STATUS(KILN_OK, kiln_assets_unprotect(s->assets, ref, "protect.c:1"));
    EXPECT_STATUS(KILN_PROTECTED, scene_dispose(s, ref));
    EXPECT_STATUS(KILN_OK, kiln_assets_unprotect(s->assets, ref, "protect.c:1"));
    EXPECT_STATUS(KILN_NOT_FOUND, kiln_assets_unprotect(s->assets, ref, "protect.c:1"));
    EXPECT_FAILURE(s, KILN_BORROWED, "Thing/a, by borrow.c:1", scene_dispose(s, ref));
    EXPECT_STATUS(KILN_NOT_FOUND, kiln_assets_release(s->assets, root, "another.c:1"));
    EXPECT_STATUS(KILN_NOT_FOUND, kiln_assets_release(s->assets, NULL, "borrow.c:1"));
    EXPECT_STATUS(KILN_OK, kiln_assets_release(s->assets, root, "borrow.c:1"));
    EXPECT_STATUS(KILN_NOT_FOUND, kiln_assets_release(s->assets, root, "borrow.c:1"));
    EXPECT_FAILURE(s, KILN_HELD, "Thing/a, by add.c:1, second.c:1; this handle is one of them",
                   scene_dispose(s, ref));
    scene_clear(s, &second);
    /* One handle is left, which only its taker may clear. */
    EXPECT_FAILURE(s, KILN_HELD, "Thing/a, by add.c:1", scene_dispose(s, weak));
    EXPECT_STATUS(KILN_OK, scene_dispose(s, ref));
    EXPECT_STATUS(KILN_DEAD, scene_dispose(s, ref));
    EXPECT_STATUS(KILN_DEAD, scene_dispose(s, weak));
    EXPECT_STATUS(KILN_DEAD, kiln_assets_protect(s->assets, weak, "p", NULL));
    EXPECT_STATUS(KILN_DEAD, kiln_assets_unprotect(s->assets, weak, "p"));
    EXPECT_STATUS(KILN_DEAD, kiln_assets_borrow(s->assets, weak, "b", &root, NULL));
    assert_int_equal(1, scene_stats(s).disposed);
    scene_clear(s, &weak);
    end(&a);
}

static void bytes_of_a_file_are_not_disposed_of(void **state)
{
    (void)state;
    adding a;
    begin(&a);
    scene_mount(&a.s, SCENE_FILE({"Thing/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref ref = scene_load(&a.s, "Thing/a");
    EXPECT_FAILURE(&a.s, KILN_MAPPED, "Thing/a, by file 0", scene_dispose(&a.s, ref));
    scene_clear(&a.s, &ref);
    end(&a);
}

static void an_asset_without_a_name_is_reported_as_such(void **state)
{
    (void)state;
    adding a;
    kiln_ref ref = {0};
    begin(&a);
    EXPECT_STATUS(KILN_OK, add(&a, NULL, FOREIGN, &ref));
    EXPECT_FAILURE(&a.s, KILN_FOREIGN, "(no name), by add.c:1", scene_dispose(&a.s, ref));
    scene_clear(&a.s, &ref);
    end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_copied_owned_or_foreign),
        cmocka_unit_test(remaining_bytes_are_freed_at_the_end),
        cmocka_unit_test(equal_content_is_one_asset_with_several_names),
        cmocka_unit_test(equal_bytes_of_two_types_are_two_assets),
        cmocka_unit_test(a_name_of_another_asset_is_a_duplicate),
        cmocka_unit_test(a_file_may_contain_an_asset_with_an_added_name),
        cmocka_unit_test(invalid_blobs_are_rejected),
        cmocka_unit_test(values_are_checked_unless_they_are_trusted),
        cmocka_unit_test(an_asset_without_holders_can_be_disposed_of),
        cmocka_unit_test(bytes_of_a_file_are_not_disposed_of),
        cmocka_unit_test(an_asset_without_a_name_is_reported_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

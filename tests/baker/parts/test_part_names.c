/* Names files: what is written is read again, and hostile bytes are rejected or harmless. */
#include "bytes_fixture.h"

#include "hash.h"
#include "part_names.h"

enum { HEADER_SIZE = 32 };

/* a needs b, b needs c; d is context. */
static const uint32_t b_number[] = {1}, c_number[] = {2};
static bake_part_input inputs[] = {
    {.path = "in/a", .argument = "a", .needs = b_number, .need_count = 1},
    {.path = "in/b", .argument = "b", .needs = c_number, .need_count = 1, .is_listed = true},
    {.path = "in/c", .argument = "c"},
    {.path = "in/d", .argument = "d", .is_context = true},
    {.path = "in/e", .argument = "e"},
};
static bake_part_name all_names[] = {
    {.name = "Item/a", .length = 6, .type = "Item", .type_length = 4},
    {.name = "Item/b", .length = 6, .type = "Item", .type_length = 4, .is_abstract = true},
    {.name = "Scene/s", .length = 7, .type = "kiln.Scene", .type_length = 10, .is_scene = true},
};
static bake_rest_guid guids[] = {{.guid = "0a", .length = 2, .path = "x.png", .is_input = true}};

static bytes written(void)
{
    bytes file = {.size = 0};
    const bake_part_names names = {.names = all_names,
                                   .name_count = 3,
                                   .inputs = inputs,
                                   .input_count = 5,
                                   .guids = guids,
                                   .guid_count = 1,
                                   .scene_work = 77,
                                   .has_scenes = true,
                                   .has_clusters = true};
    assert_true(bake_part_names_write(&names, bytes_append, &file));
    return file;
}

static void a_written_file_is_read_again(void **state)
{
    bytes file = written(), again = {.size = 0};
    (void)state;
    bake_part_names *names = bake_part_names_read(file.data, file.size);
    assert_non_null(names);
    assert_int_equal(names->name_count, 3);
    assert_string_equal(names->names[1].name, "Item/b");
    assert_true(names->names[1].is_abstract && names->names[2].is_scene);
    assert_int_equal(names->scene_work, 77);
    assert_true(names->has_scenes && names->has_clusters && !names->has_redirects);
    assert_true(bake_part_names_write(names, bytes_append, &again));
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.data, file.data, file.size);
    bake_part_names_destroy(names);
}

static void needs_are_transitive_and_include_context(void **state)
{
    static const struct {
        const char *argument;
        bool wanted[5];
    } rows[] = {
        {"a", {true, true, true, true, false}},
        {"b", {false, true, true, true, false}},
        {"d", {false, false, false, true, false}},
        {"e", {false, false, false, true, true}},
    };
    bytes file = written();
    (void)state;
    bake_part_names *names = bake_part_names_read(file.data, file.size);
    assert_non_null(names);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool wanted[5] = {false};
        uint32_t number = bake_part_names_find(names, rows[i].argument, 0);
        for (size_t first = 1; first <= 5; first++)
            assert_int_equal(bake_part_names_find(names, rows[i].argument, first), number);
        wanted[number] = true;
        assert_true(bake_part_names_close(names, wanted));
        assert_memory_equal(wanted, rows[i].wanted, sizeof wanted);
    }
    assert_int_equal(bake_part_names_find(names, "in/a", 1), UINT32_MAX);
    bake_part_names_destroy(names);
}

static void check_rejected(const void *data, size_t size)
{
    errno = 0;
    assert_null(bake_part_names_read(data, size));
    assert_int_equal(errno, EINVAL);
}

static void every_truncation_and_changed_bit_is_rejected(void **state)
{
    bytes file = written();
    (void)state;
    for (size_t size = 0; size < file.size; size++) {
        unsigned char *exact = malloc(size + !size);
        assert_non_null(exact);
        memcpy(exact, file.data, size);
        check_rejected(exact, size);
        free(exact);
    }
    check_rejected(file.data, file.size + 1);
    for (size_t bit = 0; bit < file.size * 8; bit++) {
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        check_rejected(file.data, file.size);
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

/* Corrects the hash after each change, so that the reader of the body sees it. */
static void forged_bodies_are_rejected_or_harmless(void **state)
{
    static const unsigned char values[] = {0, 1, 2, 6, 0x7f, 0x80, 0xff};
    bytes file = written();
    size_t accepted = 0, rejected = 0;
    (void)state;
    for (size_t at = HEADER_SIZE; at < file.size; at++)
        for (size_t v = 0; v < sizeof values; v++) {
            unsigned char *exact = malloc(file.size);
            assert_non_null(exact);
            memcpy(exact, file.data, file.size);
            exact[at] = values[v];
            uint64_t hash = kiln_hash64(exact + HEADER_SIZE, file.size - HEADER_SIZE, 0);
            for (int i = 0; i < 8; i++)
                exact[24 + i] = (unsigned char)(hash >> 8 * i);
            bake_part_names *names = bake_part_names_read(exact, file.size);
            if (names) {
                bool wanted[8] = {true};
                assert_true(names->input_count < sizeof wanted);
                assert_true(bake_part_names_close(names, wanted));
                (void)bake_part_names_find(names, "e", 0);
            }
            accepted += names != NULL;
            rejected += names == NULL;
            bake_part_names_destroy(names);
            free(exact);
        }
    assert_true(accepted > 0 && rejected > 0);
}

static void failed_writes_and_allocations_are_errors(void **state)
{
    bytes file = written(), full = {.refuses = true};
    bool failed = true;
    (void)state;
    bake_part_names *names = bake_part_names_read(file.data, file.size);
    assert_non_null(names);
    errno = 0;
    assert_false(bake_part_names_write(names, bytes_append, &full));
    assert_int_equal(errno, ENOSPC);
    for (long n = 0; failed; n++) {
        bytes again = {.size = 0};
        bool wanted[5] = {true};
        bake_memory_fail_after(n);
        errno = 0;
        bake_part_names *other = bake_part_names_read(file.data, file.size);
        assert_true(other || errno == ENOMEM);
        bool is_written = bake_part_names_write(names, bytes_append, &again);
        assert_true(is_written || errno == ENOMEM);
        bool is_closed = bake_part_names_close(names, wanted);
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        assert_true(failed || (other && is_written && is_closed));
        bake_part_names_destroy(other);
    }
    bake_part_names_destroy(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_file_is_read_again),
        cmocka_unit_test(needs_are_transitive_and_include_context),
        cmocka_unit_test(every_truncation_and_changed_bit_is_rejected),
        cmocka_unit_test(forged_bodies_are_rejected_or_harmless),
        cmocka_unit_test(failed_writes_and_allocations_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Notes behind a part: what is written is read again, and hostile bytes are
 * rejected or harmless. */
#include "bytes_fixture.h"

#include "part_notes.h"

enum { FOOTER_SIZE = 24 };

static const char *const paths[] = {"s.yaml", "data/a.yaml"};
static const bake_part_line lines[] = {{"Item/a", {1, 2, 3, 4}},
                                       {"Item/b", {0, UINT32_MAX - 1, 1, BAKE_MARK_TO_LINE_END}},
                                       {"Scene/s", {1, 0, 1, 1}}};
static const bake_mark places[] = {{1, 7, 8, 9}, {0, 1, 1, 1}};
static const char *const hints[] = {"a hint", ""};
static const bake_part_warning warnings[] = {
    {.rule = "reference",
     .path = "Item/a.x",
     .message = "unknown",
     .text = "line\0!",
     .text_size = 6,
     .is_counted = true,
     .places = places,
     .place_count = 2,
     .hints = hints,
     .hint_count = 2},
    {.rule = "deprecated",
     .path = "",
     .message = "old",
     .places = places,
     .place_count = 1,
     .related = hints,
     .related_places = places,
     .related_count = 1},
};
static const bake_part_frames frames[] = {{{7, 1}, 4096}, {{8, 1}, 65536}, {{0, 2}, 4194304}};
static const bake_part_notes all = {.paths = paths,
                                    .path_count = 2,
                                    .lines = lines,
                                    .line_count = 3,
                                    .warnings = warnings,
                                    .warning_count = 2,
                                    .hidden = 5,
                                    .frames = frames,
                                    .frame_count = 3};

static bytes written(void)
{
    bytes file = {.size = 0};
    assert_true(bytes_append(&file, "kiln file", 9));
    assert_true(bake_part_notes_write(&all, bytes_append, &file));
    return file;
}

static bool read_body(const unsigned char *body, size_t size)
{
    /* In a block of its own, so that sanitizers find reads behind it. */
    unsigned char *copy = malloc(size + !size);
    bake_store store = {0};
    bake_part_notes notes;
    memcpy(copy, body, size);
    bool ok = bake_part_notes_read(copy, size, &store, &notes);
    if (!ok)
        assert_int_equal(errno, EINVAL);
    for (size_t i = 0; ok && i < notes.line_count; i++)
        assert_true(notes.lines[i].mark.source < notes.path_count);
    for (size_t i = 0; ok && i < notes.warning_count; i++)
        for (size_t k = 0; k < notes.warnings[i].place_count; k++)
            assert_true(notes.warnings[i].places[k].source < notes.path_count);
    bake_store_fini(&store);
    free(copy);
    return ok;
}

static void written_notes_are_read_again(void **state)
{
    (void)state;
    bytes file = written(), again = {.size = 0};
    const unsigned char *body;
    size_t size;
    bake_store store = {0};
    bake_part_notes notes;
    assert_int_equal(bake_part_notes_find(file.data, file.size, &body, &size), 9);
    assert_true(bake_part_notes_read(body, size, &store, &notes));
    assert_int_equal(notes.path_count, 2);
    assert_int_equal(notes.line_count, 3);
    assert_int_equal(notes.lines[0].mark.column, 3);
    assert_int_equal(notes.warning_count, 2);
    assert_int_equal(notes.hidden, 5);
    assert_memory_equal(notes.warnings[0].text, "line\0!", 6);
    assert_null(notes.warnings[1].text);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(bake_part_notes_frames(&notes, frames[i].content), frames[i].size);
    assert_int_equal(bake_part_notes_frames(&notes, (kiln_hash128){7, 2}), 0);
    assert_true(bytes_append(&again, "kiln file", 9));
    assert_true(bake_part_notes_write(&notes, bytes_append, &again));
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.data, file.data, file.size);
    bake_store_fini(&store);
}

static void a_part_without_intact_notes_is_a_kiln_file_as_a_whole(void **state)
{
    (void)state;
    bytes file = written();
    const unsigned char *body;
    size_t size;
    for (size_t cut = 0; cut < file.size; cut++) {
        unsigned char *copy = malloc(cut + !cut);
        memcpy(copy, file.data, cut);
        assert_int_equal(bake_part_notes_find(copy, cut, &body, &size), cut);
        assert_null(body);
        free(copy);
    }
    for (size_t i = 9; i < file.size; i++) {
        file.data[i] ^= 1;
        assert_int_equal(bake_part_notes_find(file.data, file.size, &body, &size), file.size);
        file.data[i] ^= 1;
    }
    memset(file.data + file.size - FOOTER_SIZE, 0xff, 8);
    assert_int_equal(bake_part_notes_find(file.data, file.size, &body, &size), file.size);
}

static void malformed_bodies_are_rejected(void **state)
{
    (void)state;
    bytes file = written();
    const unsigned char *body;
    size_t size;
    bake_part_notes_find(file.data, file.size, &body, &size);
    for (size_t cut = 0; cut < size; cut++)
        assert_false(read_body(body, cut));
    assert_false(read_body(body, size + 1));
    /* Any single byte may be wrong, with a correct hash. */
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 1; bit < 256; bit *= 4) {
            file.data[9 + i] ^= (unsigned char)bit;
            (void)read_body(body, size);
            file.data[9 + i] ^= (unsigned char)bit;
        }
}

static void wrong_frames_are_rejected(void **state)
{
    static const bake_part_frames rows[][2] = {
        {{{1, 1}, 4096}, {{1, 1}, 4096}}, {{{2, 1}, 4096}, {{1, 1}, 4096}},
        {{{1, 2}, 4096}, {{2, 1}, 4096}}, {{{1, 1}, 4096}, {{2, 1}, 2048}},
        {{{1, 1}, 4096}, {{2, 1}, 4097}}, {{{1, 1}, 4096}, {{2, 1}, 8388608}},
        {{{1, 1}, 0}, {{2, 1}, 4096}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bake_part_notes notes = {.frames = rows[i], .frame_count = 2};
        bytes file = {.size = 0};
        const unsigned char *body;
        size_t size;
        assert_true(bake_part_notes_write(&notes, bytes_append, &file));
        bake_part_notes_find(file.data, file.size, &body, &size);
        assert_false(read_body(body, size));
    }
}

static void failing_writes_and_allocations_are_reported(void **state)
{
    (void)state;
    bytes file = {.refuses = true};
    assert_false(bake_part_notes_write(&all, bytes_append, &file));
    assert_int_equal(errno, ENOSPC);
    file = written();
    const unsigned char *body;
    size_t size;
    bake_part_notes_find(file.data, file.size, &body, &size);
    bool failed = true;
    for (long n = 0; failed; n++) {
        bytes again = {.size = 0};
        bake_store store = {0};
        bake_part_notes notes;
        bake_memory_fail_after(n);
        errno = 0;
        bool is_written = bake_part_notes_write(&all, bytes_append, &again);
        assert_true(is_written || errno == ENOMEM);
        bool is_read = bake_part_notes_read(body, size, &store, &notes);
        assert_true(is_read || errno == ENOMEM);
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        assert_true(failed || (is_written && is_read));
        bake_store_fini(&store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_notes_are_read_again),
        cmocka_unit_test(a_part_without_intact_notes_is_a_kiln_file_as_a_whole),
        cmocka_unit_test(malformed_bodies_are_rejected),
        cmocka_unit_test(wrong_frames_are_rejected),
        cmocka_unit_test(failing_writes_and_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

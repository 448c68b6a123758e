/* kiln_assets_borrow_payload: data in an asset table, which outlive a reload. */
#include "asset_fixture.h"

#include <kiln/payloads.h>
#include <string.h>

enum { SIZE = 50000, FRAME = 4096 };

static unsigned char texts[2][SIZE];

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE; i++) {
        texts[0][i] = (unsigned char)("grass and stone "[i % 16] + i / FRAME);
        texts[1][i] = (unsigned char)("water and sand  "[i % 16] + i / FRAME);
    }
    return 0;
}

static bool read_text(void *ctx, uint64_t offset, void *memory, size_t size)
{
    memcpy(memory, (const unsigned char *)ctx + offset, size);
    return true;
}

/* A file with one payload: one of the texts, plain or in frames. */
static kiln_buffer payload_file(int text, uint32_t frame_size, int level,
                                char ret_name[KILN_PAYLOAD_NAME_SIZE])
{
    kiln_types *types = NULL;
    kiln_file_writer *writer = NULL;
    kiln_buffer file = {0};
    kiln_hash128 content;
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_payload_args args = {
        .read = read_text, .ctx = texts[text], .size = SIZE, .frame_size = frame_size};
    EXPECT_STATUS(KILN_OK, kiln_types_with_payloads(NULL, NULL, &types, NULL));
    def.types = types;
    EXPECT_STATUS(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_compress(writer, level, NULL));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_payload(writer, &args, &content, NULL));
    EXPECT_STATUS(KILN_OK, kiln_file_writer_finish_buffer(writer, &file, NULL));
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    kiln_payload_name(content, ret_name);
    return file;
}

static void check_data(const kiln_payload_data *data, int text)
{
    static unsigned char memory[SIZE];
    EXPECT_STATUS(KILN_OK, kiln_payload_read(data, 0, memory, SIZE, NULL));
    assert_memory_equal(memory, texts[text], SIZE);
    if (data->data)
        assert_memory_equal(data->data, texts[text], SIZE);
}

static void borrowed_data_outlive_replacing_and_unmounting(void **state)
{
    (void)state;
    static const struct {
        uint32_t frame_size;
        int level;
    } rows[] = {{0, 0}, {FRAME, 0}, {0, 19}, {FRAME, 19}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene s;
        char name[KILN_PAYLOAD_NAME_SIZE], later[KILN_PAYLOAD_NAME_SIZE];
        kiln_payload_data data, fresh;
        scene_begin(&s);
        kiln_mount mount =
            scene_mount(&s, payload_file(0, rows[i].frame_size, rows[i].level, name), 0);
        kiln_ref ref = scene_load(&s, name);
        EXPECT_STATUS(KILN_OK, kiln_assets_borrow_payload(s.assets, ref, "test", &data, NULL));
        scene_clear(&s, &ref);
        check_data(&data, 0);
        kiln_mount_def def = kiln_mount_def_default();
        kiln_buffer image = payload_file(1, rows[i].frame_size, rows[i].level, later);
        def.file.data = image.data;
        def.file.size = image.size;
        EXPECT_STATUS(KILN_OK, kiln_assets_replace(s.assets, mount, &def, &s.error));
        check_data(&data, 0);
        ref = scene_load(&s, later);
        EXPECT_STATUS(KILN_OK, kiln_assets_borrow_payload(s.assets, ref, "test", &fresh, NULL));
        scene_clear(&s, &ref);
        EXPECT_STATUS(KILN_OK, kiln_assets_unmount(s.assets, mount, KILN_UNMOUNT_DEFER, NULL));
        check_data(&data, 0);
        check_data(&fresh, 1);
        EXPECT_STATUS(KILN_OK, kiln_assets_release(s.assets, data.root, "test"));
        EXPECT_STATUS(KILN_OK, kiln_assets_release(s.assets, fresh.root, "test"));
        scene_end(&s);
        kiln_buffer_fini(&image);
    }
}

static void other_assets_and_dead_words_are_refused(void **state)
{
    (void)state;
    scene s;
    kiln_payload_data data = {.size = 77};
    scene_begin(&s);
    scene_mount(&s, SCENE_FILE({"It/a", 1, NULL, SCENE_THING}), 0);
    kiln_ref ref = scene_load(&s, "It/a"), added = scene_add(&s, "It/b", 2);
    EXPECT_STATUS(KILN_TYPE_MISMATCH,
                  kiln_assets_borrow_payload(s.assets, ref, "test", &data, NULL));
    EXPECT_STATUS(KILN_NOT_FOUND, kiln_assets_borrow_payload(s.assets, added, "test", &data, NULL));
    EXPECT_STATUS(KILN_DEAD,
                  kiln_assets_borrow_payload(s.assets, (kiln_ref){0}, "test", &data, NULL));
    EXPECT_STATUS(KILN_BAD_ARGUMENT, kiln_assets_borrow_payload(NULL, ref, "test", &data, NULL));
    assert_int_equal(data.size, 77);
    scene_clear(&s, &ref);
    scene_clear(&s, &added);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borrowed_data_outlive_replacing_and_unmounting),
        cmocka_unit_test(other_assets_and_dead_words_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

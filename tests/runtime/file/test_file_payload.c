/* kiln_payload_open and kiln_payload_read: data in place, ranges of frames, and damaged files. */
#include "file_fixture.h"
#include "scratch_folder.h"

#include <kiln/blob_header.h>
#include <kiln/payload.h>
#include <kiln/payloads.h>
#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 200001, FRAME = 8192 };

static unsigned char data[SIZE];

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (unsigned char)("sound of waves "[i % 15] + i / FRAME);
    return scratch_folder_enter("kiln-payload", SCRATCH_DISK) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return scratch_folder_leave() ? 0 : -1;
}

static bool read_data(void *ctx, uint64_t offset, void *memory, size_t size)
{
    (void)ctx;
    memcpy(memory, data + offset, size);
    return true;
}

/* A file with `count` payloads: the first `sizes[i]` bytes of the data. */
static kiln_buffer make_of(kiln_payload_args args, const uint64_t *sizes, size_t count, int level)
{
    kiln_types *types = NULL;
    kiln_file_writer *writer = NULL;
    kiln_buffer file = {0};
    kiln_file_writer_def def = kiln_file_writer_def_default();
    args.read = read_data;
    assert_int_equal(KILN_OK, kiln_types_with_payloads(NULL, NULL, &types, NULL));
    def.types = types;
    assert_int_equal(KILN_OK, kiln_file_writer_create(&def, &writer, NULL));
    assert_int_equal(KILN_OK, kiln_file_writer_compress(writer, level, NULL));
    for (size_t i = 0; i < count; i++) {
        args.size = sizes[i];
        assert_int_equal(KILN_OK, kiln_file_writer_payload(writer, &args, NULL, NULL));
    }
    assert_int_equal(KILN_OK, kiln_file_writer_finish_buffer(writer, &file, NULL));
    kiln_file_writer_destroy(writer);
    kiln_types_destroy(types);
    return file;
}

static kiln_buffer make(uint32_t alignment, uint32_t frame_size, uint64_t size, int level)
{
    return make_of((kiln_payload_args){.alignment = alignment, .frame_size = frame_size}, &size, 1,
                   level);
}

static void write_file(const kiln_buffer *file)
{
    FILE *to = fopen("payload.kiln", "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(file->data, 1, file->size, to), file->size);
    assert_int_equal(fclose(to), 0);
}

static kiln_file *open_file(kiln_source source, kiln_verify_level level)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    def.path = "payload.kiln";
    def.source = source;
    def.level = level;
    assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
    return file;
}

static void plain_data_are_in_place_and_aligned(void **state)
{
    (void)state;
    static const uint32_t alignments[] = {16, 4096, 16384, 65536};
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        kiln_buffer bytes = make(alignments[i], 0, SIZE, 0);
        write_file(&bytes);
        for (int source = KILN_SOURCE_MAP; source <= KILN_SOURCE_COPY; source++) {
            kiln_file *file = open_file((kiln_source)source, KILN_VERIFY_DEEP);
            kiln_payload_data payload;
            assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
            assert_int_equal(KILN_OK,
                             kiln_payload_open(file, kiln_file_asset_at(file, 0), &payload, NULL));
            assert_int_equal(payload.size, SIZE);
            assert_int_equal(payload.frame_size, 0);
            assert_int_equal((uintptr_t)payload.data % alignments[i], 0);
            assert_memory_equal(payload.data, data, SIZE);
            kiln_file_close(file);
        }
        kiln_buffer_fini(&bytes);
    }
}

static void memory_of_the_program_must_be_aligned(void **state)
{
    (void)state;
    kiln_buffer bytes = make(65536, 0, 100, 0);
    unsigned char *room = aligned_alloc(65536, (bytes.size + 131071) / 65536 * 65536);
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    kiln_error error = {0};
    memcpy(room, bytes.data, bytes.size);
    def.data = room;
    def.size = bytes.size;
    assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
    kiln_file_close(file);
    file = NULL;
    memmove(room + 4096, room, bytes.size);
    def.data = room + 4096;
    assert_int_equal(KILN_H_MISALIGNED, kiln_file_open(&def, &file, &error));
    assert_int_equal(error.offset, 65536);
    free(room);
    kiln_buffer_fini(&bytes);
}

static void ranges_of_frames_have_the_right_bytes(void **state)
{
    (void)state;
    static const struct {
        uint64_t offset;
        size_t size;
    } rows[] = {
        {0, SIZE},      {0, 0},         {SIZE, 0},     {1, 1},     {FRAME - 1, 2},
        {FRAME, FRAME}, {3, 3 * FRAME}, {SIZE - 1, 1}, {FRAME, 1}, {24 * FRAME, SIZE - 24 * FRAME}};
    static unsigned char memory[SIZE + 1];
    for (int packed = 0; packed < 2; packed++) {
        kiln_buffer bytes = make(16, packed ? FRAME : 0, SIZE, packed ? 19 : 0);
        write_file(&bytes);
        kiln_file *file = open_file(KILN_SOURCE_MAP, KILN_VERIFY_DEEP);
        kiln_payload_data payload;
        assert_int_equal(KILN_OK,
                         kiln_payload_open(file, kiln_file_asset_at(file, 0), &payload, NULL));
        assert_int_equal(payload.data == NULL, packed);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            memset(memory, 0xee, sizeof memory);
            assert_int_equal(
                KILN_OK, kiln_payload_read(&payload, rows[i].offset, memory, rows[i].size, NULL));
            assert_memory_equal(memory, data + rows[i].offset, rows[i].size);
            assert_int_equal(memory[rows[i].size], 0xee);
        }
        assert_int_equal(KILN_BAD_ARGUMENT, kiln_payload_read(&payload, SIZE, memory, 1, NULL));
        assert_int_equal(KILN_BAD_ARGUMENT,
                         kiln_payload_read(&payload, UINT64_MAX, memory, 2, NULL));
        assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
        kiln_file_close(file);
        kiln_buffer_fini(&bytes);
    }
}

/* Damages byte `at` of the payload member's bytes, opens the file, and reads all data. */
static kiln_status read_damaged(uint32_t frame_size, uint64_t at, kiln_verify_level level,
                                kiln_status *ret_verified)
{
    kiln_buffer bytes = make(16, frame_size, SIZE, 0);
    static unsigned char memory[SIZE];
    const kiln_index_frame none = {0};
    kiln_index_frame frame = none;
    kiln_file_head head = {bytes.data, bytes.size, bytes.size};
    assert_int_equal(KILN_OK, kiln_index_frame_read(&head, true, &frame, NULL));
    uint32_t last = frame.index->members.count - 1;
    bytes.data[kiln_index_member_at(frame.index, last)->place + at] ^= 0x20;
    write_file(&bytes);
    kiln_buffer_fini(&bytes);
    kiln_file *file = open_file(KILN_SOURCE_MAP, level);
    kiln_payload_data payload;
    kiln_status status = kiln_payload_open(file, kiln_file_asset_at(file, 0), &payload, NULL);
    if (status)
        assert_int_equal(status,
                         kiln_payload_open(file, kiln_file_asset_at(file, 0), &payload, NULL));
    else
        status = kiln_payload_read(&payload, 0, memory, SIZE, NULL);
    *ret_verified = kiln_file_verify(file, KILN_VERIFY_HASH, NULL);
    kiln_file_close(file);
    return status;
}

static void damaged_data_are_refused_as_the_level_requires(void **state)
{
    (void)state;
    kiln_status verified;
    assert_int_equal(KILN_I_CONTENT, read_damaged(0, 5, KILN_VERIFY_HASH, &verified));
    assert_int_equal(KILN_I_CONTENT, verified);
    assert_int_equal(KILN_I_CONTENT, read_damaged(0, SIZE - 1, KILN_VERIFY_DEEP, &verified));
    assert_int_equal(KILN_OK, read_damaged(0, 5, KILN_VERIFY_NONE, &verified));
    assert_int_equal(KILN_I_CONTENT, verified);
    assert_int_equal(KILN_I_FRAME, read_damaged(FRAME, 0, KILN_VERIFY_NONE, &verified));
    assert_int_equal(KILN_I_STORED, verified);
    kiln_status status = read_damaged(FRAME, 60, KILN_VERIFY_HASH, &verified);
    assert_true(status == KILN_I_FRAME || status == KILN_P_HASH);
}

/* Damage to the payload asset is found when a payload is opened, and when the file is verified. */
static void damaged_payload_assets_are_refused(void **state)
{
    (void)state;
    kiln_buffer bytes = make(16, FRAME, SIZE, 0);
    kiln_file_head head = {bytes.data, bytes.size, bytes.size};
    kiln_index_frame frame;
    kiln_payload_data payload;
    assert_int_equal(KILN_OK, kiln_index_frame_read(&head, true, &frame, NULL));
    const kiln_index_member *member =
        kiln_index_member_at(frame.index, kiln_index_asset_at(frame.index, 0)->member);
    const uint64_t size_at = member->place + KILN_HEADER_SIZE + offsetof(kiln_payload, size);
    unsigned char *blob = bytes.data + member->place;
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    bytes.data[size_at] ^= 1;
    for (int is_forged = 0; is_forged < 2; is_forged++) {
        /* A forger computes the hash again. */
        const kiln_status status = is_forged ? KILN_P_MEMBER : KILN_H_HASH;
        if (is_forged)
            kiln_header_write(blob, header.flags, header.payload_size, header.layout);
        write_file(&bytes);
        kiln_file *file = open_file(KILN_SOURCE_MAP, KILN_VERIFY_HASH);
        kiln_error error = {.status = KILN_OK};
        assert_int_equal(status,
                         kiln_payload_open(file, kiln_file_asset_at(file, 0), &payload, &error));
        assert_true(error.offset >= member->place && error.offset <= size_at);
        assert_int_equal(status, kiln_file_verify(file, KILN_VERIFY_HASH, NULL));
        kiln_file_close(file);
    }
    kiln_buffer_fini(&bytes);
}

static void deep_verification_reads_the_data(void **state)
{
    (void)state;
    kiln_buffer bytes = make(16, 0, SIZE, 0);
    bytes.data[bytes.size - 1] ^= 1;
    write_file(&bytes);
    kiln_buffer_fini(&bytes);
    kiln_file *file = open_file(KILN_SOURCE_MAP, KILN_VERIFY_NONE);
    assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_NONE, NULL));
    assert_int_equal(KILN_I_CONTENT, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
    kiln_file_close(file);
}

static void other_assets_are_not_payloads(void **state)
{
    (void)state;
    kiln_buffer bytes = make(16, 0, SIZE, 0);
    const kiln_index *index = NULL;
    kiln_types *builtin = NULL;
    assert_int_equal(KILN_OK, kiln_types_create_builtin(NULL, &builtin, NULL));
    kiln_file_head head = {bytes.data, bytes.size, bytes.size};
    assert_int_equal(KILN_OK, kiln_index_check(builtin, NULL, &head, &index, NULL));
    kiln_types_destroy(builtin);
    const char *type = kiln_string_get(&kiln_index_type_at(index, 0)->name);
    memcpy(bytes.data + (type - (const char *)bytes.data), "kiln.Other", 10);
    write_file(&bytes);
    kiln_buffer_fini(&bytes);
    kiln_file *file = open_file(KILN_SOURCE_MAP, KILN_VERIFY_NONE);
    kiln_payload_data payload;
    assert_int_equal(KILN_TYPE_MISMATCH,
                     kiln_payload_open(file, kiln_file_asset_at(file, 0), &payload, NULL));
    assert_int_equal(KILN_NOT_FOUND, kiln_payload_open(file, (kiln_asset){0}, &payload, NULL));
    assert_int_equal(KILN_NOT_FOUND, kiln_payload_open(file, (kiln_asset){9}, &payload, NULL));
    kiln_file_close(file);
}

/* A file with two plain payloads; asset `ret_forged` claims the payload member of the other asset,
 * `ret_right`, as its blob. The data contain the layout of its type where a header has it. */
static void write_forged_member(uint32_t *ret_right, uint32_t *ret_forged)
{
    static const uint64_t sizes[] = {SIZE, 40};
    const uint64_t layout = KILN_PAYLOAD_LAYOUT;
    unsigned char *at = data + offsetof(kiln_blob_header, layout), before[sizeof layout];
    kiln_index_frame frame;
    kiln_blob_header header;
    memcpy(before, at, sizeof before);
    memcpy(at, &layout, sizeof layout);
    kiln_buffer bytes = make_of((kiln_payload_args){.size = 0}, sizes, 2, 0);
    memcpy(at, before, sizeof before);
    kiln_file_head head = {bytes.data, bytes.size, bytes.size};
    assert_int_equal(KILN_OK, kiln_index_frame_read(&head, true, &frame, NULL));
    const uint32_t last = frame.index->members.count - 1;
    char name[KILN_PAYLOAD_NAME_SIZE];
    kiln_payload_name(kiln_index_member_at(frame.index, last)->content, name);
    *ret_right = kiln_index_find_name(frame.index, name, sizeof name - 1);
    *ret_forged = 1 - *ret_right;
    memcpy(&header, bytes.data, sizeof header);
    memcpy(bytes.data + kiln_header_payload_at(&header) + offsetof(kiln_index, assets) +
               frame.index->assets.offset + *ret_forged * sizeof(kiln_index_asset) +
               offsetof(kiln_index_asset, member),
           &last, sizeof last);
    kiln_header_write(bytes.data, header.flags, header.payload_size, header.layout);
    write_file(&bytes);
    kiln_buffer_fini(&bytes);
}

/* Opening a file does not check all of its index, so an asset can claim the member of a payload. */
static void checked_data_are_never_taken_for_a_blob(void **state)
{
    (void)state;
    const kiln_root_type type = {KILN_PAYLOAD_TYPE_NAME, KILN_PAYLOAD_LAYOUT};
    uint32_t right, forged;
    write_forged_member(&right, &forged);
    for (int level = KILN_VERIFY_NONE; level <= KILN_VERIFY_DEEP; level++)
        for (int is_forged_first = 0; is_forged_first < 2; is_forged_first++) {
            kiln_file *file = open_file(KILN_SOURCE_MAP, (kiln_verify_level)level);
            kiln_payload_data payload;
            for (int i = 0; i < 4; i++) {
                const bool is_forged = i % 2 != is_forged_first;
                const kiln_asset asset = kiln_file_asset_at(file, is_forged ? forged : right);
                kiln_error error = {.status = KILN_OK};
                const kiln_status status = kiln_payload_open(file, asset, &payload, NULL);
                assert_int_equal(status, is_forged ? KILN_I_COMPRESSION : KILN_OK);
                if (is_forged)
                    assert_null(kiln_file_root(file, asset, &type, &error));
                assert_int_equal(error.status, is_forged ? KILN_I_COMPRESSION : KILN_OK);
            }
            assert_int_equal(KILN_I_COMPRESSION, kiln_file_verify(file, KILN_VERIFY_NONE, NULL));
            kiln_file_close(file);
        }
}

static void data_without_bytes_can_be_opened(void **state)
{
    (void)state;
    kiln_buffer bytes = make(16, FRAME, 0, 0);
    write_file(&bytes);
    kiln_buffer_fini(&bytes);
    kiln_file *file = open_file(KILN_SOURCE_MAP, KILN_VERIFY_DEEP);
    kiln_payload_data payload;
    assert_int_equal(KILN_OK, kiln_payload_open(file, kiln_file_asset_at(file, 0), &payload, NULL));
    assert_true(payload.size == 0 && !payload.data && !payload.frame_size);
    assert_int_equal(KILN_OK, kiln_payload_read(&payload, 0, NULL, 0, NULL));
    assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
    kiln_file_close(file);
}

/* The name of a payload asset contains the content hash. */
static void an_asset_with_an_invalid_name_is_refused(void **state)
{
    (void)state;
    kiln_buffer bytes = make(16, 0, SIZE, 0);
    kiln_file_head head = {bytes.data, bytes.size, bytes.size};
    kiln_index_frame frame;
    kiln_payload_data payload;
    assert_int_equal(KILN_OK, kiln_index_frame_read(&head, true, &frame, NULL));
    const char *name = kiln_index_asset_name(&frame, 0);
    assert_non_null(name);
    bytes.data[(const unsigned char *)name - bytes.data] ^= 1;
    write_file(&bytes);
    kiln_file *file = open_file(KILN_SOURCE_MAP, KILN_VERIFY_NONE);
    kiln_error error = {.status = KILN_OK};
    assert_int_equal(KILN_I_NAME,
                     kiln_payload_open(file, kiln_file_asset_at(file, 0), &payload, &error));
    assert_int_equal(KILN_I_NAME, error.status);
    kiln_file_close(file);
    kiln_buffer_fini(&bytes);
}

/* A file is opened without a check of the numbers in its index. */
static void an_asset_with_an_invalid_type_is_refused(void **state)
{
    (void)state;
    kiln_buffer bytes = make(16, 0, SIZE, 0);
    kiln_file_head head = {bytes.data, bytes.size, bytes.size};
    kiln_index_frame frame;
    kiln_payload_data payload;
    assert_int_equal(KILN_OK, kiln_index_frame_read(&head, true, &frame, NULL));
    const uint32_t none = frame.index->types.count;
    const kiln_index_asset *asset = kiln_index_asset_at(frame.index, 0);
    memcpy(bytes.data + ((const unsigned char *)&asset->type - bytes.data), &none, sizeof none);
    write_file(&bytes);
    kiln_file *file = open_file(KILN_SOURCE_MAP, KILN_VERIFY_NONE);
    assert_int_equal(KILN_I_NUMBER, kiln_payload_open(file, (kiln_asset){1}, &payload, NULL));
    kiln_file_close(file);
    kiln_buffer_fini(&bytes);
}

static void verification_reads_the_data_of_every_payload(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {SIZE, 40, 1000};
    kiln_buffer bytes = make_of((kiln_payload_args){.size = 0}, sizes, 3, 0);
    kiln_file_head head = {bytes.data, bytes.size, bytes.size};
    kiln_index_frame frame;
    assert_int_equal(KILN_OK, kiln_index_frame_read(&head, true, &frame, NULL));
    const uint32_t count = frame.index->members.count;
    for (uint32_t i = count - 3; i < count; i++) {
        const uint64_t place = kiln_index_member_at(frame.index, i)->place;
        bytes.data[place] ^= 1;
        write_file(&bytes);
        bytes.data[place] ^= 1;
        kiln_file *file = open_file(KILN_SOURCE_MAP, KILN_VERIFY_NONE);
        assert_int_equal(KILN_I_CONTENT, kiln_file_verify(file, KILN_VERIFY_DEEP, NULL));
        kiln_file_close(file);
    }
    kiln_buffer_fini(&bytes);
}

/* Opens a payload and reads part of a frame and a whole one, while allocation `fail_at` fails.
 * Returns false if there were fewer allocations. */
static bool reads_without_memory(size_t fail_at)
{
    static unsigned char part[2 * FRAME];
    counting_allocator counting;
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    kiln_payload_data payload;
    counting_allocator_init(&counting);
    def.allocator = &counting.allocator;
    def.path = "payload.kiln";
    assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
    const size_t before = counting.calls;
    counting.fail_at = before + fail_at;
    kiln_error error = {.status = KILN_OK};
    kiln_status status = kiln_payload_open(file, kiln_file_asset_at(file, 0), &payload, &error);
    if (status == KILN_OK)
        status = kiln_payload_read(&payload, 5, part, sizeof part, &error);
    const bool is_reached = counting.calls >= before + fail_at;
    assert_int_equal(is_reached ? KILN_NO_MEMORY : KILN_OK, status);
    assert_int_equal(status, error.status);
    /* Running out of memory is not a verdict. */
    counting.fail_at = 0;
    assert_int_equal(KILN_OK, kiln_payload_open(file, kiln_file_asset_at(file, 0), &payload, NULL));
    assert_int_equal(KILN_OK, kiln_payload_read(&payload, 5, part, sizeof part, NULL));
    assert_memory_equal(part, data + 5, sizeof part);
    kiln_file_close(file);
    assert_int_equal(0, counting.bytes);
    return is_reached;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (int is_compressed = 0; is_compressed < 2; is_compressed++) {
        kiln_buffer bytes = make(16, FRAME, SIZE, is_compressed ? 3 : 0);
        write_file(&bytes);
        kiln_buffer_fini(&bytes);
        size_t fail_at = 1;
        while (reads_without_memory(fail_at))
            fail_at++;
        assert_true(fail_at > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_data_are_in_place_and_aligned),
        cmocka_unit_test(memory_of_the_program_must_be_aligned),
        cmocka_unit_test(ranges_of_frames_have_the_right_bytes),
        cmocka_unit_test(damaged_data_are_refused_as_the_level_requires),
        cmocka_unit_test(damaged_payload_assets_are_refused),
        cmocka_unit_test(deep_verification_reads_the_data),
        cmocka_unit_test(other_assets_are_not_payloads),
        cmocka_unit_test(checked_data_are_never_taken_for_a_blob),
        cmocka_unit_test(data_without_bytes_can_be_opened),
        cmocka_unit_test(an_asset_with_an_invalid_name_is_refused),
        cmocka_unit_test(an_asset_with_an_invalid_type_is_refused),
        cmocka_unit_test(verification_reads_the_data_of_every_payload),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* Rules I22 and P1 to P4, I6, I7, I12, I14, I16 and I17 for payload members. */
#include "payload_files.h"

/* ---- the index ---- */

typedef struct index_case {
    const char *path;
    uint64_t number;
    kiln_status status;
    const char *where;
} index_case;

/* Changes a number of the index of `file`, and checks the verdict. */
static void check_change(const kiln_buffer *file, const index_case *c)
{
    kiln_error error = {0};
    patched copy = patched_copy(file->data, file->size);
    uint32_t type = kiln_types_find(builtin, "kiln.Index");
    const kiln_index *index = NULL;
    patch_value(copy.data, builtin, type, c->path, c->number);
    kiln_file_head head = {copy.data, copy.size, copy.size};
    assert_int_equal(kiln_index_check(builtin, NULL, &head, &index, &error), c->status);
    assert_string_equal(error.path, c->where ? c->where : c->path);
    patched_fini(&copy);
}

static void rule_i6_and_i7_members_have_valid_places_and_sizes(void **state)
{
    (void)state;
    static const index_case plain[] = {
        {"members[1].size", 5001, KILN_I_COMPRESSION, "members[1]"},
        {"members[1].size", 0, KILN_I_COMPRESSION, "members[1]"},
        {"members[1].stored.high", 1, KILN_I_COMPRESSION, "members[1]"},
        {"members[1].dictionary", 1, KILN_I_COMPRESSION, "members[1]"},
        {"members[1].reserved", 1, KILN_I_COMPRESSION, "members[1]"},
        {"members[1].compression", 4, KILN_I_COMPRESSION, "members[1]"},
        {"members[1].align_log2", 17, KILN_I_PLACE, "members[1].place"},
        {"members[1].align_log2", 3, KILN_I_PLACE, "members[1].place"},
        {"members[1].align_log2", 16, KILN_I_PLACE, "members[1].place"},
        {"members[0].compression", 2, KILN_I_COMPRESSION, "members[0]"},
        {"type_table", 2, KILN_I_COMPRESSION, "members[1]"},
        {"assets[0].member", 1, KILN_I_COMPRESSION, "members[1]"},
    };
    static const index_case packed[] = {
        {"members[1].dictionary", 1, KILN_I_COMPRESSION, "members[1]"},
        {"members[1].size", 0, KILN_I_COMPRESSION, "members[1]"},
        {"members[1].size", UINT64_C(1) << 40, KILN_I_COMPRESSION, "members[1]"},
        {"members[1].align_log2", 17, KILN_I_PLACE, "members[1].place"},
        {"members[1].compression", 2, KILN_I_COMPRESSION, "members[1]"},
    };
    kiln_buffer file = write_one(text, 5000, 4096, 0);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        check_change(&file, &plain[i]);
    kiln_buffer_fini(&file);
    file = write_one(text, 50000, 4096, 4096);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        check_change(&file, &packed[i]);
    kiln_buffer_fini(&file);
}

static void rule_i14_members_have_a_payload_asset(void **state)
{
    (void)state;
    kiln_buffer file = write_one(text, 5000, 4096, 0);
    check_change(&file, &(index_case){"members[1].content.low", 1, KILN_I_UNUSED, "members[1]"});
    /* The name of the type in the index; the new name has the same length. */
    kiln_error error = {0};
    const kiln_index *index = index_of(&file);
    patched copy = patched_copy(file.data, file.size);
    const char *name = kiln_string_get(&kiln_index_type_at(index, 0)->name);
    memcpy(copy.data + (name - (const char *)file.data), "kiln.Fayload", 12);
    patched_rehash(copy.data);
    kiln_file_head head = {copy.data, copy.size, copy.size};
    assert_int_equal(kiln_index_check(builtin, NULL, &head, &index, &error), KILN_I_UNUSED);
    patched_fini(&copy);
    kiln_buffer_fini(&file);
}

static void rule_i22_payload_members_are_last_and_ascending(void **state)
{
    (void)state;
    kiln_buffer file = write_two();
    const kiln_index *index = index_of(&file);
    const kiln_hash128 first = kiln_index_member_at(index, 2)->content;
    const index_case rows[] = {
        {"members[3].compression", 0, KILN_I_PAYLOADS, "members[3].content"},
        {"members[3].content.high", first.high - 1, KILN_I_PAYLOADS, "members[3].content"},
        {"members[2].content.high", UINT64_MAX, KILN_I_PAYLOADS, "members[3].content"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_change(&file, &rows[i]);
    /* Equal hashes. */
    patched copy = patched_copy(file.data, file.size);
    uint32_t type = kiln_types_find(builtin, "kiln.Index");
    patch_value(copy.data, builtin, type, "members[3].content.high", first.high);
    patch_value(copy.data, builtin, type, "members[3].content.low", first.low);
    kiln_file_head head = {copy.data, copy.size, copy.size};
    assert_int_equal(kiln_index_check(builtin, NULL, &head, &index, NULL), KILN_I_PAYLOADS);
    patched_fini(&copy);
    kiln_buffer_fini(&file);
}

/* ---- payload assets ---- */

/* A number of the payload asset that is changed before it is compared with a file. */
typedef struct asset_case {
    const char *path;
    uint64_t number;
    kiln_status status;
    const char *where;
} asset_case;

static void check_asset(const kiln_buffer *file, const asset_case *c)
{
    const kiln_index *index = index_of(file);
    kiln_span blob = blob_of(file, index, 0);
    patched copy = patched_copy(blob.data, blob.size);
    uint32_t type = kiln_types_find(types, KILN_PAYLOAD_TYPE_NAME);
    kiln_index_frame frame = frame_of(file);
    kiln_payload_view view = {.member = 77};
    kiln_error error = {0};
    patch_value(copy.data, types, type, c->path, c->number);
    assert_int_equal(kiln_payload_view_read((kiln_span){copy.data, copy.size},
                                            &(kiln_payload_read_args){&frame, NULL, NULL}, &view,
                                            &error),
                     c->status);
    assert_error(&error, c->status, 0, c->where ? c->where : c->path);
    assert_int_equal(view.member, 77);
    patched_fini(&copy);
}

static void rule_p1_names_contain_the_hash(void **state)
{
    (void)state;
    kiln_buffer file = write_one(text, 5000, 16, 0);
    const kiln_index *index = index_of(&file);
    kiln_index_frame frame = frame_of(&file);
    const char *right = kiln_string_get(&kiln_index_asset_at(index, 0)->name);
    char wrong[KILN_PAYLOAD_NAME_SIZE];
    kiln_payload_view view;
    kiln_error error = {0};
    kiln_span blob = blob_of(&file, index, 0);
    assert_int_equal(strlen(right), KILN_PAYLOAD_NAME_SIZE - 1);
    assert_int_equal(
        kiln_payload_view_read(blob, &(kiln_payload_read_args){&frame, right, NULL}, &view, NULL),
        KILN_OK);
    for (size_t i = 0; i < sizeof wrong - 1; i++) {
        memcpy(wrong, right, sizeof wrong);
        wrong[i] ^= 1;
        assert_int_equal(kiln_payload_view_read(
                             blob, &(kiln_payload_read_args){&frame, wrong, NULL}, &view, &error),
                         KILN_P_NAME);
    }
    assert_error(&error, KILN_P_NAME, 0, wrong);
    kiln_buffer_fini(&file);
}

static void rule_p2_payloads_match_their_members(void **state)
{
    (void)state;
    static const asset_case plain[] = {
        {"content_low", 5, KILN_P_MEMBER, NULL},
        {"content_high", 5, KILN_P_MEMBER, "content_low"},
        {"size", 4999, KILN_P_MEMBER, NULL},
        {"size", 0, KILN_P_MEMBER, NULL},
        {"frame_size", 4096, KILN_P_MEMBER, NULL},
    };
    static const asset_case empty[] = {
        {"size", 1, KILN_P_MEMBER, "content_low"},
        {"content_low", 1, KILN_P_MEMBER, "size"},
        {"frame_size", 4096, KILN_P_MEMBER, "size"},
    };
    static const asset_case packed = {"frame_size", 0, KILN_P_MEMBER, NULL};
    kiln_buffer file = write_one(text, 5000, 16, 0);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        check_asset(&file, &plain[i]);
    kiln_buffer_fini(&file);
    file = write_one(text, 0, 16, 0);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        check_asset(&file, &empty[i]);
    kiln_buffer_fini(&file);
    file = write_one(text, 50000, 16, 4096);
    check_asset(&file, &packed);
    kiln_buffer_fini(&file);
}

static void rule_p3_frames_fit_the_data_and_the_member(void **state)
{
    (void)state;
    kiln_buffer file = write_one(text, 50000, 16, 4096);
    const kiln_payload_view view = view_of(&file);
    const uint64_t stored = view.stored_size;
    const asset_case rows[] = {
        {"frame_size", 2048, KILN_P_FRAMES, NULL},
        {"frame_size", 8388608, KILN_P_FRAMES, NULL},
        {"frame_size", 4097, KILN_P_FRAMES, NULL},
        {"frame_size", 8192, KILN_P_FRAMES, "frames"},
        {"frames[0].place", 1, KILN_P_FRAMES, NULL},
        {"frames[1].place", 0, KILN_P_FRAMES, "frames[0].place"},
        {"frames[1].place", 15, KILN_P_FRAMES, "frames[0].place"},
        {"frames[2].place", 17, KILN_P_FRAMES, "frames[1].place"},
        {"frames[5].place", UINT64_MAX, KILN_P_FRAMES, "frames[4].place"},
        {"frames[12].place", stored, KILN_P_FRAMES, NULL},
        {"frames[12].place", stored + 1, KILN_P_FRAMES, "frames[11].place"},
    };
    assert_int_equal(view.payload->frames.count, 13);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asset_case row = rows[i];
        if (row.number == stored)
            row.where = "frames[12].place";
        check_asset(&file, &row);
    }
    kiln_buffer_fini(&file);
}

/* Changes the index of a file with one payload, then its asset, and reads the asset. */
static kiln_status read_forged(const kiln_buffer *file, const index_case *changes, size_t count,
                               const asset_case *asset, kiln_payload_view *ret_view)
{
    uint32_t index_type = kiln_types_find(builtin, "kiln.Index");
    uint32_t type = kiln_types_find(types, KILN_PAYLOAD_TYPE_NAME);
    const kiln_index *index = index_of(file);
    kiln_index_frame frame;
    kiln_file_head head = {file->data, file->size, file->size};
    for (size_t i = 0; i < count; i++)
        patch_value(file->data, builtin, index_type, changes[i].path, changes[i].number);
    for (; asset && asset->path; asset++)
        patch_value(file->data + kiln_index_member_at(index, 0)->place, types, type, asset->path,
                    asset->number);
    assert_int_equal(kiln_index_frame_read(&head, true, &frame, NULL), KILN_OK);
    return kiln_payload_view_read(blob_of(file, index, 0),
                                  &(kiln_payload_read_args){&frame, NULL, NULL}, ret_view, NULL);
}

static void forged_indexes_are_refused_when_a_payload_is_read(void **state)
{
    (void)state;
    const kiln_hash128 empty = kiln_content_hash(NULL, 0);
    const index_case outside[] = {{.path = "members[1].size", .number = 1 << 20},
                                  {.path = "members[1].stored_size", .number = 1 << 20}};
    const asset_case large[] = {{.path = "size", .number = 1 << 20}, {0}};
    const index_case hidden[] = {{.path = "members[1].content.low", .number = empty.low},
                                 {.path = "members[1].content.high", .number = empty.high}};
    const asset_case none[] = {{.path = "size", .number = 0},
                               {.path = "content_low", .number = empty.low},
                               {.path = "content_high", .number = empty.high},
                               {0}};
    kiln_payload_view view;
    kiln_buffer file = write_one(text, 5000, 16, 0);
    assert_int_equal(read_forged(&file, outside, 2, large, &view), KILN_I_PLACE);
    kiln_buffer_fini(&file);
    file = write_one(text, 5000, 16, 0);
    assert_int_equal(read_forged(&file, hidden, 2, none, &view), KILN_P_MEMBER);
    kiln_buffer_fini(&file);
}

static void the_hash_of_all_frames_is_checked(void **state)
{
    (void)state;
    const index_case other[] = {{.path = "members[1].content.low", .number = 1}};
    const asset_case same[] = {{.path = "content_low", .number = 1}, {0}};
    kiln_payload_view view;
    kiln_buffer file = write_one(text, 50000, 16, 4096);
    const kiln_index *index = index_of(&file);
    assert_int_equal(read_forged(&file, other, 1, same, &view), KILN_OK);
    assert_int_equal(kiln_payload_check(&view, index, file.data, NULL, NULL), KILN_I_CONTENT);
    kiln_buffer_fini(&file);
}

/* A builder makes what no writer writes: frames of data that are stored plain. */
static void plain_data_have_no_frames(void **state)
{
    (void)state;
    kiln_buffer file = write_one(text, 5000, 16, 0), blob = {0};
    kiln_index_frame frame = frame_of(&file);
    kiln_payload_view view = view_of(&file);
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_error error = {0};
    def.types = types;
    assert_int_equal(kiln_builder_create(&def, &builder), KILN_OK);
    kiln_payload *root = kiln_builder_root(builder, sizeof *root, _Alignof(kiln_payload));
    root->content_low = view.payload->content_low;
    root->content_high = view.payload->content_high;
    root->size = 5000;
    kiln_builder_array(builder, &root->frames, 1, sizeof(kiln_payload_frame), 8);
    assert_int_equal(kiln_builder_finish(builder, kiln_types_find(types, KILN_PAYLOAD_TYPE_NAME), 0,
                                         &blob, NULL),
                     KILN_OK);
    assert_int_equal(kiln_payload_view_read(kiln_buffer_span(&blob),
                                            &(kiln_payload_read_args){&frame, NULL, NULL}, &view,
                                            &error),
                     KILN_P_FRAMES);
    assert_error(&error, KILN_P_FRAMES, 0, "frames");
    kiln_builder_destroy(builder);
    kiln_buffer_fini(&blob);
    kiln_buffer_fini(&file);
}

static void rule_p4_the_data_of_each_frame_match_their_hash(void **state)
{
    (void)state;
    kiln_buffer file = write_one(text, 50000, 16, 4096);
    const kiln_index *index = index_of(&file);
    uint32_t type = kiln_types_find(types, KILN_PAYLOAD_TYPE_NAME);
    kiln_error error = {0};
    patch_value((unsigned char *)file.data + kiln_index_member_at(index, 0)->place, types, type,
                "frames[3].hash", 1);
    kiln_payload_view view = view_of(&file);
    assert_int_equal(kiln_payload_check(&view, index, file.data, NULL, &error), KILN_P_HASH);
    const kiln_payload_frame *frames =
        kiln_relative_get(&view.payload->frames, view.payload->frames.offset);
    assert_error(&error, KILN_P_HASH, view.place + frames[3].place, "");
    kiln_buffer_fini(&file);
}

static void damaged_data_are_found(void **state)
{
    (void)state;
    for (uint32_t frame_size = 0; frame_size <= 4096; frame_size += 4096) {
        kiln_buffer file = write_one(text, 20000, 16, frame_size);
        const kiln_index *index = index_of(&file);
        kiln_payload_view view = view_of(&file);
        for (uint64_t at = 0; at < view.stored_size; at += 1 + view.stored_size / 400) {
            kiln_error error = {0};
            file.data[view.place + at] ^= 4;
            kiln_status status = kiln_payload_check(&view, index, file.data, NULL, &error);
            assert_int_equal(status, frame_size ? KILN_I_STORED : KILN_I_CONTENT);
            assert_int_equal(error.offset, view.place);
            file.data[view.place + at] ^= 4;
        }
        kiln_buffer_fini(&file);
    }
}

/* Damage that a forger has hidden from the hash of the stored bytes. */
static void frames_are_safe_if_the_stored_hash_is_forged(void **state)
{
    (void)state;
    kiln_buffer file = write_one(text, 20000, 16, 4096);
    kiln_payload_view view = view_of(&file);
    kiln_decompressor *decompressor = NULL;
    unsigned char memory[4096];
    assert_int_equal(kiln_decompressor_create(NULL, &decompressor), KILN_OK);
    for (uint64_t at = 0; at < view.stored_size; at++) {
        unsigned refused = 0;
        file.data[view.place + at] ^= 0x10;
        for (uint32_t f = 0; f < view.payload->frames.count; f++) {
            kiln_status status = kiln_payload_unpack(
                &view, f, &(kiln_payload_unpack_args){file.data, decompressor, false}, memory,
                NULL);
            assert_true(status == KILN_OK || status == KILN_I_FRAME || status == KILN_P_HASH);
            refused += status != KILN_OK;
        }
        assert_true(refused <= 1); /* an unused bit of a zstd header may have no meaning */
        file.data[view.place + at] ^= 0x10;
    }
    kiln_decompressor_destroy(decompressor);
    kiln_buffer_fini(&file);
}

static void every_bit_of_a_small_file_is_protected(void **state)
{
    (void)state;
    kiln_buffer file = write_one(text, 8200, 16, 4096);
    for (size_t bit = 0; bit < file.size * 8; bit++) {
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_true(check_all(&file, NULL) != KILN_OK);
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_int_equal(check_all(&file, NULL), KILN_OK);
    kiln_buffer_fini(&file);
}

static void every_truncation_of_a_payload_asset_is_refused(void **state)
{
    (void)state;
    kiln_buffer file = write_one(text, 8200, 16, 4096);
    kiln_span blob = blob_of(&file, index_of(&file), 0);
    kiln_index_frame frame = frame_of(&file);
    kiln_payload_view view;
    for (size_t size = 0; size < blob.size; size++) {
        patched cut = patched_copy(blob.data, size);
        assert_true(kiln_payload_view_read((kiln_span){cut.data, size},
                                           &(kiln_payload_read_args){&frame, NULL, NULL}, &view,
                                           NULL) != KILN_OK);
        patched_fini(&cut);
    }
    kiln_buffer_fini(&file);
}

/* Only the index and the payload asset of such a file exist here. */
static void data_above_four_gibibytes_are_accepted(void **state)
{
    (void)state;
    const uint64_t size = (UINT64_C(5) << 30) + 1;
    kiln_buffer file = write_one(text, 5000, 16, 0);
    const kiln_index *index = index_of(&file);
    uint32_t type = kiln_types_find(builtin, "kiln.Index");
    uint64_t place = kiln_index_member_at(index, 1)->place;
    patch_value(file.data, builtin, type, "members[1].size", size);
    patch_value(file.data, builtin, type, "members[1].stored_size", size);
    patch_value(file.data, builtin, type, "file_size", place + size);
    kiln_file_head head = {file.data, file.size, place + size};
    assert_int_equal(kiln_index_check(builtin, NULL, &head, &index, NULL), KILN_OK);
    patch_value(file.data + kiln_index_member_at(index, 0)->place, types,
                kiln_types_find(types, KILN_PAYLOAD_TYPE_NAME), "size", size);
    kiln_index_frame frame;
    kiln_payload_view view;
    assert_int_equal(kiln_index_frame_read(&head, true, &frame, NULL), KILN_OK);
    assert_int_equal(kiln_payload_view_read(blob_of(&file, index, 0),
                                            &(kiln_payload_read_args){&frame, NULL, NULL}, &view,
                                            NULL),
                     KILN_OK);
    assert_true(view.stored_size == size);
    kiln_buffer_fini(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_i6_and_i7_members_have_valid_places_and_sizes),
        cmocka_unit_test(rule_i14_members_have_a_payload_asset),
        cmocka_unit_test(rule_i22_payload_members_are_last_and_ascending),
        cmocka_unit_test(rule_p1_names_contain_the_hash),
        cmocka_unit_test(rule_p2_payloads_match_their_members),
        cmocka_unit_test(rule_p3_frames_fit_the_data_and_the_member),
        cmocka_unit_test(forged_indexes_are_refused_when_a_payload_is_read),
        cmocka_unit_test(the_hash_of_all_frames_is_checked),
        cmocka_unit_test(plain_data_have_no_frames),
        cmocka_unit_test(rule_p4_the_data_of_each_frame_match_their_hash),
        cmocka_unit_test(damaged_data_are_found),
        cmocka_unit_test(frames_are_safe_if_the_stored_hash_is_forged),
        cmocka_unit_test(every_bit_of_a_small_file_is_protected),
        cmocka_unit_test(every_truncation_of_a_payload_asset_is_refused),
        cmocka_unit_test(data_above_four_gibibytes_are_accepted),
    };
    return cmocka_run_group_tests(tests, payload_set_up, payload_tear_down);
}

#define _POSIX_C_SOURCE 200809L

/* Errors in the stored bytes of compressed members: hashes find them before a member is used, and
 * without hashes they are harmless. */
#include "packed_fixture.h"

#include <kiln/blob_header.h>
#include <stdlib.h>
#include <string.h>

static void every_bit_flip_is_found(void **state)
{
    (void)state;
    static const size_t steps[] = {1, 23};
    for (int i = 0; i < 2; i++) {
        const kiln_buffer *image = i ? &trained_image : &packed_image;
        unsigned char *copy = packed_copy(image);
        for (size_t bit = 0; bit < image->size * 8; bit += steps[i]) {
            copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
            if (fixture_reads_well(copy, image->size,
                                   bit % 5 ? KILN_VERIFY_HASH : KILN_VERIFY_DEEP))
                fail_msg("the change of bit %u is not detected", (unsigned)bit);
            copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        free(copy);
    }
}

/* No hash detects the change here; reading only has to be safe. */
static void bit_flips_of_stored_bytes_are_survived_without_hashes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const kiln_buffer *image = i ? &trained_image : &packed_image;
        unsigned char *copy = packed_copy(image);
        const kiln_index *index = packed_index(copy);
        uint64_t first = kiln_index_member_at(index, 1)->place;
        for (size_t bit = first * 8; bit < image->size * 8; bit += i ? 11 : 1) {
            copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
            kiln_file *file = packed_open(copy, image->size, KILN_VERIFY_NONE, NULL);
            kiln_error error;
            for (uint32_t k = 0; k < kiln_file_asset_count(file); k++)
                kiln_file_root(file, kiln_file_asset_at(file, k), &packed_item_type, &error);
            kiln_file_close(file);
            copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        free(copy);
    }
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for (size_t size = 0; size < packed_image.size; size++) {
        unsigned char *copy = NULL;
        assert_int_equal(0, posix_memalign((void **)&copy, 4096, size ? size : 1));
        memcpy(copy, packed_image.data, size);
        assert_false(fixture_reads_well(copy, size, packed_levels[size % 3]));
        free(copy);
    }
}

/* Corrects everything that the index contains about a member's stored bytes. */
static void restate(unsigned char *image, kiln_index_member *member)
{
    member->stored = kiln_content_hash(image + member->place, (size_t)member->stored_size);
    fixture_rehash(image);
}

/* The verdicts on the root and on the whole file after a change of `image`. */
static void expect(const unsigned char *image, size_t size, const char *name,
                   kiln_verify_level level, kiln_status status, uint64_t at)
{
    kiln_file *file = packed_open(image, size, level, NULL);
    for (int again = 0; again < 3; again++) {
        kiln_error error = {.status = KILN_OK};
        assert_true((status == KILN_OK) == (packed_root(file, name, &error) != NULL));
        if (error.status != status)
            fail_msg("%s, not %s", kiln_status_name(error.status), kiln_status_name(status));
        if (status != KILN_OK)
            assert_int_equal(at, error.offset);
        if (status != KILN_OK)
            assert_int_equal(
                status,
                kiln_file_prepare(file, (kiln_asset[]){kiln_file_find(file, name)}, 1, NULL));
    }
    kiln_file_close(file);
}

static void stored_bytes_that_are_not_a_frame_are_rejected(void **state)
{
    (void)state;
    unsigned char *copy = packed_copy(&packed_image);
    kiln_index_member *lamp = packed_entry(copy, "Item/lamp");
    copy[lamp->place] ^= 1;
    expect(copy, packed_image.size, "Item/lamp", KILN_VERIFY_NONE, KILN_I_FRAME, lamp->place);
    expect(copy, packed_image.size, "Item/lamp", KILN_VERIFY_HASH, KILN_I_STORED, lamp->place);
    expect(copy, packed_image.size, "Item/lamp", KILN_VERIFY_DEEP, KILN_I_STORED, lamp->place);
    restate(copy, lamp);
    for (int i = 0; i < 3; i++) {
        expect(copy, packed_image.size, "Item/lamp", packed_levels[i], KILN_I_FRAME, lamp->place);
        expect(copy, packed_image.size, "Item/oil", packed_levels[i], KILN_OK, 0);
        kiln_file *file = packed_open(copy, packed_image.size, packed_levels[i], NULL);
        kiln_error error;
        assert_int_equal(KILN_I_FRAME, kiln_file_verify(file, KILN_VERIFY_NONE, &error));
        assert_int_equal(lamp->place, error.offset);
        kiln_file_close(file);
    }
    free(copy);
}

static void a_size_that_differs_from_the_frame_is_rejected(void **state)
{
    (void)state;
    for (int more = -1; more <= 1; more += 2) {
        unsigned char *copy = packed_copy(&packed_image);
        kiln_index_member *lamp = packed_entry(copy, "Item/lamp");
        lamp->size += (uint64_t)more;
        fixture_rehash(copy);
        for (int i = 0; i < 3; i++)
            expect(copy, packed_image.size, "Item/lamp", packed_levels[i], KILN_I_FRAME,
                   lamp->place);
        lamp->size = 256 * lamp->stored_size + 1;
        fixture_rehash(copy);
        uint64_t at = (uint64_t)((unsigned char *)lamp - copy);
        for (int i = 0; i < 3; i++)
            expect(copy, packed_image.size, "Item/lamp", packed_levels[i], KILN_I_COMPRESSION, at);
        free(copy);
    }
}

/* The frame is valid, but its content is not the blob described in the index. */
static void the_blob_of_another_member_is_rejected(void **state)
{
    (void)state;
    unsigned char *copy = packed_copy(&packed_image);
    kiln_index_member *lamp = packed_entry(copy, "Item/lamp"),
                      *oil = packed_entry(copy, "Item/oil");
    oil->align_log2 = 5;
    fixture_rehash(copy);
    for (int i = 0; i < 3; i++)
        expect(copy, packed_image.size, "Item/oil", packed_levels[i], KILN_I_MEMBER, oil->place);
    expect(copy, packed_image.size, "Item/lamp", KILN_VERIFY_DEEP, KILN_OK, 0);
    oil->align_log2 = 4;
    oil->content = lamp->content;
    fixture_rehash(copy);
    expect(copy, packed_image.size, "Item/oil", KILN_VERIFY_DEEP, KILN_OK, 0);
    kiln_file *file = packed_open(copy, packed_image.size, KILN_VERIFY_DEEP, NULL);
    kiln_error error;
    assert_int_equal(KILN_I_CONTENT, kiln_file_verify(file, KILN_VERIFY_DEEP, &error));
    assert_int_equal(oil->place, error.offset);
    kiln_file_close(file);
    free(copy);
}

static void overlapping_members_are_not_decompressed(void **state)
{
    (void)state;
    unsigned char *copy = packed_copy(&trained_image);
    kiln_index_member *member = packed_entry(copy, "Item/5");
    assert_int_equal(KILN_COMPRESSION_ZSTD, member[0].compression);
    assert_int_equal(KILN_COMPRESSION_ZSTD, member[1].compression);
    member[1].place = member[0].place;
    fixture_rehash(copy);
    uint64_t at = (uint64_t)((unsigned char *)&member[1].place - copy);
    for (int i = 0; i < 3; i++) {
        expect(copy, trained_image.size, "Item/5", packed_levels[i], KILN_I_PLACE, at);
        expect(copy, trained_image.size, "Item/9", packed_levels[i], KILN_I_PLACE, at);
    }
    free(copy);
}

static void a_member_outside_the_file_prevents_decompression(void **state)
{
    (void)state;
    unsigned char *copy = packed_copy(&trained_image);
    kiln_index_member *member = packed_entry(copy, "Item/9");
    uint64_t at = (uint64_t)((unsigned char *)&member->place - copy);
    member->place += UINT64_C(1) << 40;
    fixture_rehash(copy);
    for (int i = 0; i < 3; i++) {
        expect(copy, trained_image.size, "Item/5", packed_levels[i], KILN_I_PLACE, at);
        expect(copy, trained_image.size, "Item/9", packed_levels[i], KILN_I_PLACE, at);
    }
    free(copy);
}

typedef enum harm {
    HARM_HEADER,
    HARM_HASH,
    HARM_TABLES,
    HARM_KIND,
    HARM_NUMBER,
    HARM_PACKED,
    HARM_PLACE
} harm;

static void an_invalid_dictionary_affects_only_its_members(void **state)
{
    (void)state;
    static const kiln_status found[] = {KILN_H_MAGIC, KILN_H_HASH,   KILN_I_DICTIONARY,
                                        KILN_H_KIND,  KILN_I_NUMBER, KILN_I_COMPRESSION,
                                        KILN_I_PLACE};
    for (int way = HARM_HEADER; way <= HARM_PLACE; way++) {
        unsigned char *copy = packed_copy(&trained_image);
        const kiln_index *index = packed_index(copy);
        const uint32_t *numbers =
            kiln_relative_get(&index->dictionaries, index->dictionaries.offset);
        kiln_index_member *member =
            (void *)fixture_writable(copy, kiln_index_member_at(index, numbers[0]));
        unsigned char *blob = copy + member->place;
        uint64_t at = member->place;
        switch ((harm)way) {
        case HARM_HEADER:
            blob[0] ^= 1;
            break;
        case HARM_HASH:
            blob[KILN_HEADER_SIZE + 30] ^= 1;
            at += 24;
            break;
        case HARM_TABLES:
            memset(blob + KILN_HEADER_SIZE + 8, 0xff, 100);
            fixture_rehash(blob);
            break;
        case HARM_KIND:
            blob[6] &= 0x1f;
            fixture_rehash(blob);
            at += 6;
            break;
        case HARM_NUMBER:
            *(uint32_t *)(void *)fixture_writable(copy, numbers) = index->members.count;
            at = (uint64_t)((const unsigned char *)numbers - copy);
            break;
        case HARM_PACKED:
            member->compression = KILN_COMPRESSION_ZSTD;
            break;
        case HARM_PLACE:
            member->place += UINT64_C(1) << 40;
            at = (uint64_t)((unsigned char *)&member->place - copy);
            break;
        }
        fixture_rehash(copy);
        for (int i = 0; i < 3; i++) {
            expect(copy, trained_image.size, "Item/5", packed_levels[i], found[way], at);
            expect(copy, trained_image.size, "Item/6", packed_levels[i], found[way], at);
            expect(copy, trained_image.size, "Page/intro", packed_levels[i], KILN_OK, 0);
            kiln_file *file = packed_open(copy, trained_image.size, packed_levels[i], NULL);
            assert_true(kiln_file_verify(file, KILN_VERIFY_DEEP, NULL) != KILN_OK);
            kiln_file_close(file);
        }
        free(copy);
    }
}

static void an_unknown_dictionary_number_is_rejected(void **state)
{
    (void)state;
    unsigned char *copy = packed_copy(&trained_image);
    kiln_index_member *member = packed_entry(copy, "Item/5");
    uint64_t at = (uint64_t)((unsigned char *)member - copy);
    member->dictionary = 2;
    fixture_rehash(copy);
    expect(copy, trained_image.size, "Item/5", KILN_VERIFY_NONE, KILN_I_COMPRESSION, at);
    /* A frame made with a dictionary is invalid without it. */
    member->dictionary = 0;
    fixture_rehash(copy);
    expect(copy, trained_image.size, "Item/5", KILN_VERIFY_NONE, KILN_I_FRAME, member->place);
    free(copy);
}

static void a_compressed_member_has_one_type(void **state)
{
    (void)state;
    unsigned char *copy = packed_copy(&packed_image);
    const kiln_index *index = packed_index(copy);
    uint32_t tar = kiln_index_find(index, kiln_asset_id("Item/tar", 8));
    kiln_index_asset *asset = (void *)fixture_writable(copy, kiln_index_asset_at(index, tar));
    asset->type = 1; /* test.Page */
    fixture_rehash(copy);
    for (int i = 0; i < 12; i++) {
        kiln_file *file = packed_open(copy, packed_image.size, packed_levels[i % 3], NULL);
        kiln_error error;
        if (i / 3 % 2)
            assert_non_null(packed_root(file, "Item/oil", &error));
        if (i / 6)
            assert_int_equal(KILN_H_LAYOUT, kiln_file_verify(file, KILN_VERIFY_NONE, &error));
        for (int again = 0; again < 2; again++) {
            assert_null(
                kiln_file_root(file, kiln_file_find(file, "Item/tar"), &packed_page_type, &error));
            assert_int_equal(KILN_H_LAYOUT, error.status);
            assert_int_equal(packed_entry(copy, "Item/oil")->place + 16, error.offset);
        }
        assert_non_null(packed_root(file, "Item/oil", &error));
        kiln_file_close(file);
    }
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_flip_is_found),
        cmocka_unit_test(bit_flips_of_stored_bytes_are_survived_without_hashes),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(stored_bytes_that_are_not_a_frame_are_rejected),
        cmocka_unit_test(a_size_that_differs_from_the_frame_is_rejected),
        cmocka_unit_test(the_blob_of_another_member_is_rejected),
        cmocka_unit_test(overlapping_members_are_not_decompressed),
        cmocka_unit_test(a_member_outside_the_file_prevents_decompression),
        cmocka_unit_test(an_invalid_dictionary_affects_only_its_members),
        cmocka_unit_test(an_unknown_dictionary_number_is_rejected),
        cmocka_unit_test(a_compressed_member_has_one_type),
    };
    return cmocka_run_group_tests(tests, packed_set_up, packed_tear_down);
}

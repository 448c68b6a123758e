#define _POSIX_C_SOURCE 200809L

/* Files whose members are stored compressed: they read as the plain ones do, and whatever is wrong
 * with what is stored is found before it is used. */
#include "file_fixture.h"
#include "file_member.h"
#include "file_unpack.h"

#include <kiln/blob_header.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const kiln_tier tiers[] = {KILN_TIER_NONE, KILN_TIER_HASH, KILN_TIER_DEEP};

static kiln_buffer plain, packed, trained; /* the last with a dictionary */
static kiln_root_type item_type, page_type;

static int make_images(void **state)
{
    (void)state;
    item_type = fixture_root_type("test.Item");
    page_type = fixture_root_type("test.Page");
    plain = fixture_packed_file(false);
    packed = fixture_packed_file(true);
    trained = fixture_dictionary_file();
    return 0;
}

static int remove_images(void **state)
{
    (void)state;
    kiln_buffer_fini(&plain);
    kiln_buffer_fini(&packed);
    kiln_buffer_fini(&trained);
    return 0;
}

static const kiln_index *index_of(const unsigned char *image)
{
    return (const void *)(image + KILN_HEADER_SIZE);
}

static kiln_index_member *entry_of(unsigned char *image, const char *name)
{
    const kiln_index *index = index_of(image);
    uint32_t asset = kiln_index_find_name(index, name, strlen(name));
    assert_true(asset != KILN_ASSET_NONE);
    return (void *)fixture_writable(
        image, kiln_index_member_at(index, kiln_index_asset_at(index, asset)->member));
}

/* A copy of an image, in a block of its size, to be changed. */
static unsigned char *copy_of(const kiln_buffer *image)
{
    unsigned char *copy = aligned_alloc(4096, (image->size + 4095) / 4096 * 4096);
    assert_non_null(copy);
    memcpy(copy, image->data, image->size);
    return copy;
}

static kiln_file *open_file(const unsigned char *image, size_t size, kiln_tier tier,
                            const kiln_allocator *allocator)
{
    kiln_file_def def = kiln_file_def_default();
    def.data = image;
    def.size = size;
    def.tier = tier;
    def.allocator = allocator;
    kiln_file *file = NULL;
    kiln_error error;
    if (kiln_file_open(&def, &file, &error) != KILN_OK)
        fail_msg("%s at %u", kiln_status_name(error.status), (unsigned)error.offset);
    return file;
}

static const void *root_of(kiln_file *file, const char *name, kiln_error *reterr)
{
    const kiln_root_type *type = name[0] == 'I' ? &item_type : &page_type;
    return kiln_file_root(file, kiln_file_find(file, name), type, reterr);
}

static void the_images_are_what_they_should_be(void **state)
{
    (void)state;
    const kiln_index *index = index_of(packed.data);
    uint32_t compressed = 0, with_dictionary = 0;
    assert_true(packed.size < plain.size);
    assert_int_equal(0, index->dictionaries.count);
    for (uint32_t i = 0; i < index->members.count; i++)
        compressed += kiln_index_member_at(index, i)->compression == KILN_COMPRESSION_ZSTD;
    assert_true(compressed >= 3 && compressed < index->members.count);
    index = index_of(trained.data);
    assert_int_equal(1, index->dictionaries.count);
    for (uint32_t i = 0; i < index->members.count; i++)
        with_dictionary += kiln_index_member_at(index, i)->dictionary == 1;
    assert_true(with_dictionary > PACKED_ITEMS / 2);
}

static void packed_assets_are_those_that_were_packed(void **state)
{
    (void)state;
    kiln_file *file = open_file(plain.data, plain.size, KILN_TIER_DEEP, NULL);
    uint64_t expected = fixture_read_all(file);
    kiln_file_close(file);
    kiln_buffer table = fixture_type_table(LAYOUT_NOW);
    for (int i = 0; i < 18; i++) {
        kiln_file_def def = kiln_file_def_default();
        kiln_error error = {.status = KILN_OK};
        def.data = packed.data;
        def.size = packed.size;
        def.tier = tiers[i % 3];
        if (i >= 9)
            def.types = table.data, def.types_size = table.size;
        assert_int_equal(KILN_OK, kiln_file_open(&def, &file, NULL));
        if (i / 3 % 3 == 0)
            assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_TIER_NONE, &error));
        assert_int_equal(expected, fixture_read_all(file));
        if (i / 3 % 3 == 1)
            assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_TIER_HASH, &error));
        const void *root = root_of(file, "Page/intro", &error);
        assert_int_equal(0, (uintptr_t)root % PAGE_ALIGN);
        assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_TIER_DEEP, &error));
        assert_int_equal(expected, fixture_read_all(file));
        assert_ptr_equal(root, root_of(file, "Page/intro", &error));
        kiln_file_close(file);
    }
    kiln_buffer_fini(&table);
}

static void assets_that_need_a_dictionary_are_read(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        kiln_file *file = open_file(trained.data, trained.size, tiers[i / 2], NULL);
        kiln_error error = {.status = KILN_OK};
        if (i % 2)
            assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_TIER_NONE, &error));
        for (unsigned k = 0; k < PACKED_ITEMS; k++) {
            char name[32], begin[32];
            snprintf(name, sizeof name, "Item/%u", k);
            snprintf(begin, sizeof begin, "Number %u:", k);
            const test_item *item = root_of(file, name, &error);
            assert_non_null(item);
            assert_memory_equal(begin, kiln_string_get(&item->name), strlen(begin));
        }
        assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_TIER_DEEP, &error));
        kiln_file_close(file);
    }
}

/* True when opening, reading and verifying what is at `image` accepted it. */
static bool reads_well(const unsigned char *image, size_t size, kiln_tier tier)
{
    kiln_file *file = NULL;
    kiln_error error = {.status = KILN_OK};
    kiln_status status = fixture_open(image, size, tier, &file, &error);
    if (status == KILN_OK) {
        fixture_read_all(file);
        status = kiln_file_verify(file, tier, &error);
    }
    assert_int_equal(status, error.status);
    kiln_file_close(file);
    return status == KILN_OK;
}

static void every_bit_flip_is_found(void **state)
{
    (void)state;
    static const size_t steps[] = {1, 23};
    for (int i = 0; i < 2; i++) {
        const kiln_buffer *image = i ? &trained : &packed;
        unsigned char *copy = copy_of(image);
        for (size_t bit = 0; bit < image->size * 8; bit += steps[i]) {
            copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
            if (reads_well(copy, image->size, bit % 5 ? KILN_TIER_HASH : KILN_TIER_DEEP))
                fail_msg("bit %u is not found", (unsigned)bit);
            copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        free(copy);
    }
}

/* Without hashes that find them: nothing but that they are safe. */
static void bit_flips_of_stored_bytes_are_survived_without_hashes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const kiln_buffer *image = i ? &trained : &packed;
        unsigned char *copy = copy_of(image);
        const kiln_index *index = index_of(copy);
        uint64_t first = kiln_index_member_at(index, 1)->place;
        for (size_t bit = first * 8; bit < image->size * 8; bit += i ? 11 : 1) {
            copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
            kiln_file *file = open_file(copy, image->size, KILN_TIER_NONE, NULL);
            kiln_error error;
            for (uint32_t k = 0; k < kiln_file_asset_count(file); k++)
                kiln_file_root(file, kiln_file_asset_at(file, k), &item_type, &error);
            kiln_file_close(file);
            copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        free(copy);
    }
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for (size_t size = 0; size < packed.size; size++) {
        unsigned char *copy = NULL;
        assert_int_equal(0, posix_memalign((void **)&copy, 4096, size ? size : 1));
        memcpy(copy, packed.data, size);
        assert_false(reads_well(copy, size, tiers[size % 3]));
        free(copy);
    }
}

/* Makes all that the index says of a member's stored bytes right. */
static void restate(unsigned char *image, kiln_index_member *member)
{
    member->stored = kiln_content_hash(image + member->place, (size_t)member->stored_size);
    fixture_rehash(image);
}

/* What the root and the whole are like once `image` was changed. */
static void expect(const unsigned char *image, size_t size, const char *name, kiln_tier tier,
                   kiln_status status, uint64_t at)
{
    kiln_file *file = open_file(image, size, tier, NULL);
    for (int again = 0; again < 3; again++) {
        kiln_error error = {.status = KILN_OK};
        assert_true((status == KILN_OK) == (root_of(file, name, &error) != NULL));
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

static void stored_bytes_that_are_no_frame_are_refused(void **state)
{
    (void)state;
    unsigned char *copy = copy_of(&packed);
    kiln_index_member *lamp = entry_of(copy, "Item/lamp");
    copy[lamp->place] ^= 1;
    expect(copy, packed.size, "Item/lamp", KILN_TIER_NONE, KILN_I_FRAME, lamp->place);
    expect(copy, packed.size, "Item/lamp", KILN_TIER_HASH, KILN_I_STORED, lamp->place);
    expect(copy, packed.size, "Item/lamp", KILN_TIER_DEEP, KILN_I_STORED, lamp->place);
    restate(copy, lamp);
    for (int i = 0; i < 3; i++) {
        expect(copy, packed.size, "Item/lamp", tiers[i], KILN_I_FRAME, lamp->place);
        expect(copy, packed.size, "Item/oil", tiers[i], KILN_OK, 0);
        kiln_file *file = open_file(copy, packed.size, tiers[i], NULL);
        kiln_error error;
        assert_int_equal(KILN_I_FRAME, kiln_file_verify(file, KILN_TIER_NONE, &error));
        assert_int_equal(lamp->place, error.offset);
        kiln_file_close(file);
    }
    free(copy);
}

static void a_size_that_is_not_the_frames_is_refused(void **state)
{
    (void)state;
    for (int more = -1; more <= 1; more += 2) {
        unsigned char *copy = copy_of(&packed);
        kiln_index_member *lamp = entry_of(copy, "Item/lamp");
        lamp->size += (uint64_t)more;
        fixture_rehash(copy);
        for (int i = 0; i < 3; i++)
            expect(copy, packed.size, "Item/lamp", tiers[i], KILN_I_FRAME, lamp->place);
        lamp->size = 256 * lamp->stored_size + 1;
        fixture_rehash(copy);
        uint64_t at = (uint64_t)((unsigned char *)lamp - copy);
        for (int i = 0; i < 3; i++)
            expect(copy, packed.size, "Item/lamp", tiers[i], KILN_I_COMPRESSION, at);
        free(copy);
    }
}

/* The frame is one, and what it holds is not the blob that the index says. */
static void a_blob_that_is_anothers_is_refused(void **state)
{
    (void)state;
    unsigned char *copy = copy_of(&packed);
    kiln_index_member *lamp = entry_of(copy, "Item/lamp"), *oil = entry_of(copy, "Item/oil");
    oil->align_log2 = 5;
    fixture_rehash(copy);
    for (int i = 0; i < 3; i++)
        expect(copy, packed.size, "Item/oil", tiers[i], KILN_I_MEMBER, oil->place);
    expect(copy, packed.size, "Item/lamp", KILN_TIER_DEEP, KILN_OK, 0);
    oil->align_log2 = 4;
    oil->content = lamp->content;
    fixture_rehash(copy);
    expect(copy, packed.size, "Item/oil", KILN_TIER_DEEP, KILN_OK, 0);
    kiln_file *file = open_file(copy, packed.size, KILN_TIER_DEEP, NULL);
    kiln_error error;
    assert_int_equal(KILN_I_CONTENT, kiln_file_verify(file, KILN_TIER_DEEP, &error));
    assert_int_equal(oil->place, error.offset);
    kiln_file_close(file);
    free(copy);
}

static void members_that_overlap_are_not_unpacked(void **state)
{
    (void)state;
    unsigned char *copy = copy_of(&trained);
    kiln_index_member *member = entry_of(copy, "Item/5");
    assert_int_equal(KILN_COMPRESSION_ZSTD, member[0].compression);
    assert_int_equal(KILN_COMPRESSION_ZSTD, member[1].compression);
    member[1].place = member[0].place;
    fixture_rehash(copy);
    uint64_t at = (uint64_t)((unsigned char *)&member[1].place - copy);
    for (int i = 0; i < 3; i++) {
        expect(copy, trained.size, "Item/5", tiers[i], KILN_I_PLACE, at);
        expect(copy, trained.size, "Item/9", tiers[i], KILN_I_PLACE, at);
    }
    free(copy);
}

typedef enum harm { HARM_HEADER, HARM_HASH, HARM_TABLES, HARM_KIND, HARM_NUMBER, HARM_PACKED } harm;

static void a_dictionary_that_is_none_stops_who_needs_it(void **state)
{
    (void)state;
    static const kiln_status found[] = {KILN_H_MAGIC,  KILN_H_HASH,   KILN_I_DICTIONARY,
                                        KILN_I_MEMBER, KILN_I_NUMBER, KILN_I_COMPRESSION};
    for (int way = HARM_HEADER; way <= HARM_PACKED; way++) {
        unsigned char *copy = copy_of(&trained);
        const kiln_index *index = index_of(copy);
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
            break;
        case HARM_NUMBER:
            *(uint32_t *)(void *)fixture_writable(copy, numbers) = index->members.count;
            at = (uint64_t)((const unsigned char *)numbers - copy);
            break;
        case HARM_PACKED:
            member->compression = KILN_COMPRESSION_ZSTD;
            break;
        }
        fixture_rehash(copy);
        for (int i = 0; i < 3; i++) {
            expect(copy, trained.size, "Item/5", tiers[i], found[way], at);
            expect(copy, trained.size, "Item/6", tiers[i], found[way], at);
            expect(copy, trained.size, "Page/intro", tiers[i], KILN_OK, 0);
            kiln_file *file = open_file(copy, trained.size, tiers[i], NULL);
            assert_true(kiln_file_verify(file, KILN_TIER_DEEP, NULL) != KILN_OK);
            kiln_file_close(file);
        }
        free(copy);
    }
}

static void a_number_of_no_dictionary_is_refused(void **state)
{
    (void)state;
    unsigned char *copy = copy_of(&trained);
    kiln_index_member *member = entry_of(copy, "Item/5");
    uint64_t at = (uint64_t)((unsigned char *)member - copy);
    member->dictionary = 2;
    fixture_rehash(copy);
    expect(copy, trained.size, "Item/5", KILN_TIER_NONE, KILN_I_COMPRESSION, at);
    /* What was made with a dictionary is no frame without. */
    member->dictionary = 0;
    fixture_rehash(copy);
    expect(copy, trained.size, "Item/5", KILN_TIER_NONE, KILN_I_FRAME, member->place);
    free(copy);
}

static void preparing_does_all_that_can_be_done(void **state)
{
    (void)state;
    unsigned char *copy = copy_of(&packed);
    kiln_index_member *lamp = entry_of(copy, "Item/lamp");
    copy[lamp->place + 10] ^= 1;
    kiln_file *file = open_file(copy, packed.size, KILN_TIER_DEEP, NULL);
    kiln_asset assets[] = {kiln_file_find(file, "Item/oil"),
                           kiln_file_find(file, "Item/lamp"),
                           {0},
                           kiln_file_find(file, "Page/intro")};
    kiln_error error = {.status = KILN_OK};
    assert_int_equal(KILN_OK, kiln_file_prepare(file, NULL, 0, &error));
    assert_int_equal(KILN_OK, kiln_file_prepare(file, assets, 1, &error));
    assert_int_equal(KILN_OK, error.status);
    assert_int_equal(KILN_I_STORED, kiln_file_prepare(file, assets, 4, &error));
    assert_int_equal(KILN_I_STORED, error.status);
    assert_int_equal(lamp->place, error.offset);
    assert_int_equal(KILN_NOT_FOUND, kiln_file_prepare(file, assets + 2, 2, &error));
    /* What is prepared needs what is stored no more. */
    memset(copy + lamp->place, 0, packed.size - (size_t)lamp->place);
    assert_non_null(root_of(file, "Item/oil", &error));
    assert_non_null(root_of(file, "Page/intro", &error));
    assert_null(root_of(file, "Item/wick", &error));
    kiln_file_close(file);
    free(copy);
}

static void verifying_keeps_no_blob(void **state)
{
    (void)state;
    counting_allocator counting;
    counting_allocator_init(&counting);
    kiln_file *file = open_file(trained.data, trained.size, KILN_TIER_DEEP, &counting.allocator);
    kiln_error error;
    assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_TIER_DEEP, &error));
    size_t before = counting.bytes;
    assert_int_equal(KILN_OK, kiln_file_verify(file, KILN_TIER_DEEP, &error));
    assert_int_equal(before, counting.bytes);
    assert_non_null(root_of(file, "Item/7", &error));
    assert_int_equal(before + entry_of(trained.data, "Item/7")->size, counting.bytes);
    kiln_file_close(file);
    assert_int_equal(0, counting.bytes);
}

/* Everything that decompresses, with memory that is refused. */
static kiln_status use_all(const kiln_allocator *allocator)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    kiln_unpacked unpacked = {NULL, 0};
    def.data = trained.data;
    def.size = trained.size;
    def.allocator = allocator;
    kiln_error error = {.status = KILN_OK};
    kiln_status status = kiln_file_open(&def, &file, &error);
    if (status != KILN_OK)
        return status;
    kiln_asset asset = kiln_file_find(file, "Item/3");
    if (!kiln_file_root(file, asset, &item_type, &error))
        status = error.status;
    if (status == KILN_OK)
        status =
            kiln_file_unpack(file, asset.number - 1, LEVEL_VALUES, allocator, &unpacked, &error);
    if (unpacked.blob)
        allocator->free(allocator->ctx, unpacked.blob, unpacked.size);
    if (status == KILN_OK)
        status = kiln_file_verify(file, KILN_TIER_DEEP, &error);
    /* Having had none is no verdict: with memory it works. */
    counting_allocator *counting = allocator->ctx;
    counting->fail_at = 0;
    assert_non_null(kiln_file_root(file, asset, &item_type, NULL));
    kiln_file_close(file);
    return status;
}

static void memory_that_is_refused_is_no_verdict(void **state)
{
    (void)state;
    size_t failures = 0;
    for (int rest = 0; rest <= 1; rest++) {
        for (size_t at = 1;; at++) {
            counting_allocator counting;
            counting_allocator_init(&counting);
            counting.fail_at = at;
            counting.fail_rest = rest;
            kiln_status status = use_all(&counting.allocator);
            assert_int_equal(0, counting.bytes);
            if (status == KILN_OK)
                break;
            assert_int_equal(KILN_NO_MEMORY, status);
            failures++;
        }
    }
    assert_true(failures > 20);
}

static void unpacking_gives_memory_of_the_callers(void **state)
{
    (void)state;
    static const kiln_file_level levels[] = {LEVEL_HEADER, LEVEL_HASH, LEVEL_VALUES};
    for (int i = 0; i < 9; i++) {
        counting_allocator counting;
        counting_allocator_init(&counting);
        kiln_file *file = open_file(trained.data, trained.size, tiers[i / 3], NULL);
        kiln_asset asset = kiln_file_find(file, "Page/intro");
        kiln_index_member *member = entry_of(trained.data, "Page/intro");
        kiln_unpacked one = {NULL, 0}, two = {NULL, 0};
        kiln_error error;
        assert_int_equal(KILN_OK, kiln_file_unpack(file, asset.number - 1, levels[i % 3],
                                                   &counting.allocator, &one, &error));
        assert_int_equal(KILN_OK, kiln_file_unpack(file, asset.number - 1, levels[i % 3],
                                                   &counting.allocator, &two, &error));
        assert_int_equal(member->size, one.size);
        assert_int_equal(2 * one.size, counting.bytes);
        assert_int_equal(0, (uintptr_t)one.blob % PAGE_ALIGN);
        assert_memory_equal(one.blob, two.blob, one.size);
        assert_null(
            kiln_file_blob(file, kiln_index_asset_at(file->index, asset.number - 1)->member));
        const unsigned char *root = root_of(file, "Page/intro", &error);
        assert_memory_equal(root, one.blob + PAGE_ALIGN, one.size - PAGE_ALIGN);
        counting.allocator.free(&counting, one.blob, one.size);
        counting.allocator.free(&counting, two.blob, two.size);
        kiln_file_close(file);
        assert_int_equal(0, counting.bytes);
    }
}

static void unpacking_what_is_bad_or_plain_gives_nothing(void **state)
{
    (void)state;
    unsigned char *copy = copy_of(&packed);
    kiln_index_member *lamp = entry_of(copy, "Item/lamp");
    kiln_allocator libc = kiln_allocator_default();
    copy[lamp->place + 8] ^= 1;
    kiln_file *file = open_file(copy, packed.size, KILN_TIER_DEEP, NULL);
    kiln_unpacked none = {NULL, 7};
    uint32_t number = kiln_file_find(file, "Item/lamp").number - 1;
    for (int i = 0; i < 4; i++) {
        kiln_error error;
        if (i == 2)
            assert_null(root_of(file, "Item/lamp", NULL));
        assert_int_equal(KILN_I_STORED,
                         kiln_file_unpack(file, number, LEVEL_VALUES, &libc, &none, &error));
        assert_int_equal(lamp->place, error.offset);
        assert_int_equal(7, none.size);
    }
    kiln_file_close(file);
    file = open_file(plain.data, plain.size, KILN_TIER_DEEP, NULL);
    assert_int_equal(KILN_BAD_ARGUMENT,
                     kiln_file_unpack(file, 0, LEVEL_VALUES, &libc, &none, NULL));
    kiln_file_close(file);
    free(copy);
}

static void a_packed_member_has_one_type(void **state)
{
    (void)state;
    unsigned char *copy = copy_of(&packed);
    const kiln_index *index = index_of(copy);
    uint32_t tar = kiln_index_find(index, kiln_asset_id("Item/tar", 8));
    kiln_index_asset *asset = (void *)fixture_writable(copy, kiln_index_asset_at(index, tar));
    asset->type = 1; /* test.Page */
    fixture_rehash(copy);
    for (int i = 0; i < 12; i++) {
        kiln_file *file = open_file(copy, packed.size, tiers[i % 3], NULL);
        kiln_error error;
        if (i / 3 % 2)
            assert_non_null(root_of(file, "Item/oil", &error));
        if (i / 6)
            assert_int_equal(KILN_I_MEMBER, kiln_file_verify(file, KILN_TIER_NONE, &error));
        for (int again = 0; again < 2; again++) {
            assert_null(kiln_file_root(file, kiln_file_find(file, "Item/tar"), &page_type, &error));
            assert_int_equal(KILN_I_MEMBER, error.status);
            assert_int_equal(entry_of(copy, "Item/oil")->place, error.offset);
        }
        assert_non_null(root_of(file, "Item/oil", &error));
        kiln_file_close(file);
    }
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_images_are_what_they_should_be),
        cmocka_unit_test(packed_assets_are_those_that_were_packed),
        cmocka_unit_test(assets_that_need_a_dictionary_are_read),
        cmocka_unit_test(every_bit_flip_is_found),
        cmocka_unit_test(bit_flips_of_stored_bytes_are_survived_without_hashes),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(stored_bytes_that_are_no_frame_are_refused),
        cmocka_unit_test(a_size_that_is_not_the_frames_is_refused),
        cmocka_unit_test(a_blob_that_is_anothers_is_refused),
        cmocka_unit_test(members_that_overlap_are_not_unpacked),
        cmocka_unit_test(a_dictionary_that_is_none_stops_who_needs_it),
        cmocka_unit_test(a_number_of_no_dictionary_is_refused),
        cmocka_unit_test(preparing_does_all_that_can_be_done),
        cmocka_unit_test(verifying_keeps_no_blob),
        cmocka_unit_test(memory_that_is_refused_is_no_verdict),
        cmocka_unit_test(unpacking_gives_memory_of_the_callers),
        cmocka_unit_test(unpacking_what_is_bad_or_plain_gives_nothing),
        cmocka_unit_test(a_packed_member_has_one_type),
    };
    return cmocka_run_group_tests(tests, make_images, remove_images);
}

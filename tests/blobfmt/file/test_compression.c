/* Frames and dictionaries on their own: compressed data is restored exactly, and invalid data is
 * refused. */
#include "counting_allocator.h"
#include "failing_memory.h"
#include "guarded.h"
#include "small_file.h"
#include "verdict.h"

#include <kiln/blob_header.h>
#include <kiln/compression.h>
#include <kiln/index.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 20, WORDS = 400, SAMPLES = 200, DICTIONARY_ROOM = 4096 };

static unsigned char plain[ROOM], stored[ROOM + 4096], again[ROOM];

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Writes random words of a fixed list, so that the bytes are similar for all seeds. */
static size_t fill_words(unsigned char *to, size_t size, uint32_t seed)
{
    for (size_t at = 0; at < size;) {
        uint32_t word = next_random(&seed) % WORDS, letters = word;
        for (uint32_t i = 0; i < 3 + word % 9 && at < size; i++)
            to[at++] = (unsigned char)('a' + next_random(&letters) % 26);
        if (at < size)
            to[at++] = ' ';
    }
    return size;
}

static unsigned char samples[SAMPLES * 512];
static size_t sample_sizes[SAMPLES];

/* Makes a dictionary for the bytes of fill_words. */
static size_t make_dictionary(unsigned char *dictionary)
{
    size_t at = 0, size = 0;
    for (uint32_t i = 0; i < SAMPLES; i++)
        at += sample_sizes[i] = fill_words(samples + at, 200 + i, 1000 + i);
    assert_int_equal(kiln_dictionary_train(&(kiln_dictionary_args){.level = 3,
                                                                   .samples = samples,
                                                                   .sizes = sample_sizes,
                                                                   .count = SAMPLES},
                                           dictionary, DICTIONARY_ROOM, &size),
                     KILN_OK);
    return size;
}

static size_t compress(int level, const void *dictionary, size_t dictionary_size, size_t size)
{
    kiln_compressor *compressor = NULL;
    size_t made = 0;
    assert_int_equal(kiln_compressor_create(NULL, level, dictionary, dictionary_size, &compressor),
                     KILN_OK);
    assert_int_equal(
        kiln_compress(compressor, (kiln_span){plain, size}, stored, sizeof stored, &made), KILN_OK);
    kiln_compressor_destroy(compressor);
    return made;
}

/* Decompresses a frame of `made` bytes to `size` bytes. Bytes after the frame must not be read. */
static kiln_status open_frame(const unsigned char *frame, size_t made, size_t size,
                              const void *dictionary, size_t dictionary_size)
{
    kiln_decompressor *decompressor = NULL;
    kiln_dictionary *digested = NULL;
    unsigned char *out = malloc(size ? size : 1);
    guarded copy = guarded_copy(frame, made);
    assert_int_equal(kiln_decompressor_create(NULL, &decompressor), KILN_OK);
    if (dictionary)
        assert_int_equal(kiln_dictionary_create(NULL, dictionary, dictionary_size, &digested),
                         KILN_OK);
    kiln_status status =
        kiln_decompress(decompressor, digested, (kiln_span){copy.data, made}, out, size);
    if (status == KILN_OK)
        memcpy(again, out, size);
    kiln_dictionary_destroy(digested);
    kiln_decompressor_destroy(decompressor);
    guarded_fini(&copy);
    free(out);
    return status;
}

static void every_level_restores_the_bytes(void **state)
{
    (void)state;
    static unsigned char dictionary[DICTIONARY_ROOM];
    size_t dictionary_size = make_dictionary(dictionary);
    static const size_t sizes[] = {33, 200, 1500, 40000};
    for (int level = 1; level <= KILN_COMPRESSION_LEVEL_MAX; level++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            fill_words(plain, sizes[i], (uint32_t)i);
            for (int with = 0; with <= 1; with++) {
                const void *used = with ? dictionary : NULL;
                size_t made = compress(level, used, dictionary_size, sizes[i]);
                memset(again, 0, sizes[i]);
                assert_int_equal(open_frame(stored, made, sizes[i], used, dictionary_size),
                                 KILN_OK);
                assert_memory_equal(plain, again, sizes[i]);
            }
        }
    }
}

static void a_higher_level_makes_smaller_frames(void **state)
{
    (void)state;
    static unsigned char dictionary[DICTIONARY_ROOM];
    size_t dictionary_size = make_dictionary(dictionary);
    fill_words(plain, 40000, 6);
    for (int with = 0; with <= 1; with++) {
        const void *used = with ? dictionary : NULL;
        assert_true(compress(19, used, dictionary_size, 40000) <
                    compress(1, used, dictionary_size, 40000));
    }
}

static void invalid_levels_are_refused(void **state)
{
    (void)state;
    static const int levels[] = {0, -1, KILN_COMPRESSION_LEVEL_MAX + 1, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        kiln_compressor *compressor = NULL;
        size_t size;
        assert_int_equal(kiln_compressor_create(NULL, levels[i], NULL, 0, &compressor),
                         KILN_BAD_ARGUMENT);
        assert_null(compressor);
        assert_int_equal(kiln_dictionary_train(&(kiln_dictionary_args){.level = levels[i],
                                                                       .samples = samples,
                                                                       .sizes = sample_sizes,
                                                                       .count = SAMPLES},
                                               stored, DICTIONARY_ROOM, &size),
                         KILN_BAD_ARGUMENT);
    }
    kiln_compressor_destroy(NULL);
    kiln_decompressor_destroy(NULL);
    kiln_dictionary_destroy(NULL);
}

static void a_frame_fits_its_buffer_or_is_not_made(void **state)
{
    (void)state;
    kiln_compressor *compressor = NULL;
    fill_words(plain, 3000, 5);
    size_t made = compress(3, NULL, 0, 3000), size = 77;
    assert_int_equal(kiln_compressor_create(NULL, 3, NULL, 0, &compressor), KILN_OK);
    for (size_t room = 0; room < made; room += 1 + room / 8) {
        assert_int_equal(kiln_compress(compressor, (kiln_span){plain, 3000}, stored, room, &size),
                         KILN_NO_ROOM);
        assert_int_equal(size, 77);
    }
    assert_int_equal(kiln_compress(compressor, (kiln_span){plain, 3000}, stored, 2999, &size),
                     KILN_OK);
    assert_int_equal(open_frame(stored, size, 3000, NULL, 0), KILN_OK);
    kiln_compressor_destroy(compressor);
}

static void no_frame_is_smaller_than_the_ratio_allows(void **state)
{
    (void)state;
    static unsigned char dictionary[DICTIONARY_ROOM];
    size_t dictionary_size = make_dictionary(dictionary);
    for (size_t size = 1000; size <= ROOM; size = size * 3 / 2 + 1) {
        for (int repeated = 0; repeated <= 1; repeated++) {
            fill_words(plain, size, 9);
            for (size_t i = 0; i < size; i++)
                plain[i] = repeated ? plain[i % 7] : 0;
            for (int level = 1; level <= 19; level += 9) {
                for (int with = 0; with <= 1; with++) {
                    const void *used = with ? dictionary : NULL;
                    size_t made = compress(level, used, dictionary_size, size);
                    assert_true(size <= KILN_COMPRESSION_RATIO * made);
                    assert_true(made <= size / 40);
                    assert_int_equal(open_frame(stored, made, size, used, dictionary_size),
                                     KILN_OK);
                    assert_memory_equal(plain, again, size);
                }
            }
        }
    }
}

static void a_context_gives_the_same_bytes_after_any_history(void **state)
{
    (void)state;
    kiln_compressor *compressor = NULL;
    static unsigned char first[8192];
    size_t made, size;
    fill_words(plain, 4000, 1);
    made = compress(7, NULL, 0, 4000);
    memcpy(first, stored, made);
    assert_int_equal(kiln_compressor_create(NULL, 7, NULL, 0, &compressor), KILN_OK);
    /* The same compressor makes a frame with small blocks, fails twice, and then succeeds. */
    memset(plain, 0, ROOM);
    assert_int_equal(
        kiln_compress(compressor, (kiln_span){plain, ROOM}, stored, sizeof stored, &size), KILN_OK);
    assert_int_equal(kiln_compress(compressor, (kiln_span){plain, ROOM}, stored, 1000, &size),
                     KILN_NO_ROOM);
    fill_words(plain, 4000, 1);
    assert_int_equal(kiln_compress(compressor, (kiln_span){plain, 4000}, stored, 10, &size),
                     KILN_NO_ROOM);
    assert_int_equal(
        kiln_compress(compressor, (kiln_span){plain, 4000}, stored, sizeof stored, &size), KILN_OK);
    assert_int_equal(size, made);
    assert_memory_equal(stored, first, made);
    kiln_compressor_destroy(compressor);
}

/* Memory filled with one byte value. */
static void *filled_alloc(void *ctx, size_t size, size_t align)
{
    (void)align;
    void *block = malloc(size);
    assert_non_null(block);
    return memset(block, *(const unsigned char *)ctx, size);
}

static void filled_free(void *ctx, void *block, size_t size)
{
    (void)ctx;
    (void)size;
    free(block);
}

static void a_frame_does_not_depend_on_uninitialized_memory(void **state)
{
    (void)state;
    enum { SIZE = 200000 }; /* more than one libzstd block */
    static const unsigned char fills[] = {0, 1, 0xa5};
    static unsigned char dictionary[DICTIONARY_ROOM], first[SIZE];
    size_t dictionary_size = make_dictionary(dictionary), first_size = 0;
    fill_words(plain, SIZE, 11);
    for (size_t i = 0; i < sizeof fills; i++) {
        kiln_allocator allocator = {filled_alloc, filled_free, (void *)(uintptr_t)&fills[i]};
        kiln_compressor *compressor = NULL;
        size_t size = 0;
        assert_int_equal(
            kiln_compressor_create(&allocator, 1, dictionary, dictionary_size, &compressor),
            KILN_OK);
        assert_int_equal(kiln_compress(compressor, (kiln_span){plain, SIZE}, stored, SIZE, &size),
                         KILN_OK);
        kiln_compressor_destroy(compressor);
        if (i == 0)
            memcpy(first, stored, first_size = size);
        assert_int_equal(size, first_size);
        assert_memory_equal(stored, first, size);
    }
}

/* Hand-written frames with 40 bytes of content: magic, descriptor, sizes, blocks. */
#define MAGIC 0x28, 0xb5, 0x2f, 0xfd
#define RLE_40 0x43, 0x01, 0x00, 'x'

static void rule_i17_stored_bytes_that_are_not_one_frame_of_the_size_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        unsigned char bytes[40];
        size_t size;
        kiln_status status;
    } rows[] = {
        {"40 times the same byte", {MAGIC, 0x20, 40, RLE_40}, 10, KILN_OK},
        {"a window larger than needed", {MAGIC, 0x80, 0x00, 40, 0, 0, 0, RLE_40}, 14, KILN_OK},
        {"a window of 1 GiB", {MAGIC, 0x80, 20 << 3, 40, 0, 0, 0, RLE_40}, 14, KILN_OK},
        {"a window of 4 GiB", {MAGIC, 0x80, 22 << 3, 40, 0, 0, 0, RLE_40}, 14, KILN_I_FRAME},
        {"the dictionary id 0", {MAGIC, 0x21, 0, 40, RLE_40}, 11, KILN_OK},
        {"nothing", {0}, 0, KILN_I_FRAME},
        {"only the magic", {MAGIC}, 4, KILN_I_FRAME},
        {"a wrong magic", {0x28, 0xb5, 0x2f, 0xfc, 0x20, 40, RLE_40}, 10, KILN_I_FRAME},
        {"an older format", {0x27, 0xb5, 0x2f, 0xfd, 0x20, 40, RLE_40}, 10, KILN_I_FRAME},
        {"a valid frame of an older format",
         {0x27, 0xb5, 0x2f, 0xfd, 0x20, 40, 0x80, 0, 40, 'x', 0xc0, 0, 0},
         13,
         KILN_I_FRAME},
        {"a content size that is too small", {MAGIC, 0x20, 39, RLE_40}, 10, KILN_I_FRAME},
        {"a content size that is too large", {MAGIC, 0x20, 41, RLE_40}, 10, KILN_I_FRAME},
        {"no content size", {MAGIC, 0x00, 0x00, RLE_40}, 10, KILN_I_FRAME},
        {"a block larger than the content size",
         {MAGIC, 0x20, 40, 0x4b, 0x01, 0, 'x'},
         10,
         KILN_I_FRAME},
        {"a block smaller than the content size",
         {MAGIC, 0x20, 40, 0x3b, 0x01, 0, 'x'},
         10,
         KILN_I_FRAME},
        {"a byte after the frame", {MAGIC, 0x20, 40, RLE_40, 0}, 11, KILN_I_FRAME},
        {"a missing byte", {MAGIC, 0x20, 40, RLE_40}, 9, KILN_I_FRAME},
        {"no last block", {MAGIC, 0x20, 40, 0x42, 0x01, 0, 'x'}, 10, KILN_I_FRAME},
        {"a reserved block", {MAGIC, 0x20, 40, 0x47, 0x01, 0, 'x'}, 10, KILN_I_FRAME},
        {"a reserved bit", {MAGIC, 0x28, 40, RLE_40}, 10, KILN_I_FRAME},
        {"a wrong checksum", {MAGIC, 0x24, 40, RLE_40, 1, 2, 3, 4}, 14, KILN_I_FRAME},
        {"a missing dictionary", {MAGIC, 0x21, 7, 40, RLE_40}, 11, KILN_I_FRAME},
        {"an empty second frame",
         {MAGIC, 0x20, 40, RLE_40, MAGIC, 0x20, 0, 1, 0, 0},
         19,
         KILN_I_FRAME},
        {"an empty first frame",
         {MAGIC, 0x20, 0, 1, 0, 0, MAGIC, 0x20, 40, RLE_40},
         19,
         KILN_I_FRAME},
        {"a skippable frame", {0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2}, 10, KILN_I_FRAME},
        {"a skippable frame after the frame",
         {MAGIC, 0x20, 40, RLE_40, 0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0},
         18,
         KILN_I_FRAME},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_status status = open_frame(rows[i].bytes, rows[i].size, 40, NULL, 0);
        if (status != rows[i].status)
            fail_msg("%s: %s", rows[i].what, kiln_status_name(status));
    }
}

static void a_wrong_dictionary_never_causes_an_overrun(void **state)
{
    (void)state;
    static unsigned char dictionary[DICTIONARY_ROOM], other[DICTIONARY_ROOM];
    size_t size = make_dictionary(dictionary);
    fill_words(plain, 2000, 4);
    size_t made = compress(19, dictionary, size, 2000);
    assert_int_equal(open_frame(stored, made, 2000, NULL, 0), KILN_I_FRAME);
    /* Raw dictionaries that contain none, some or all of the bytes of the frame's dictionary. */
    for (size_t cut = 0; cut < size; cut += 101) {
        memset(other, 'q', sizeof other);
        memcpy(other, dictionary + cut, size - cut);
        other[0] = 'q';
        open_frame(stored, made, 2000, other, size - cut);
        open_frame(stored, made, 2000, other, cut);
    }
}

static void every_bit_flip_and_truncation_of_a_frame_is_survived(void **state)
{
    (void)state;
    static unsigned char dictionary[DICTIONARY_ROOM], frame[4096];
    size_t dictionary_size = make_dictionary(dictionary), refused = 0;
    fill_words(plain, 600, 4);
    for (int with = 0; with <= 1; with++) {
        const void *used = with ? dictionary : NULL;
        size_t made = compress(19, used, dictionary_size, 600);
        memcpy(frame, stored, made);
        for (size_t size = 0; size < made; size++)
            assert_int_equal(open_frame(frame, size, 600, used, dictionary_size), KILN_I_FRAME);
        for (size_t bit = 0; bit < made * 8; bit++) {
            frame[bit / 8] ^= (unsigned char)(1u << bit % 8);
            refused += open_frame(frame, made, 600, used, dictionary_size) == KILN_I_FRAME;
            frame[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
    assert_true(refused > 100);
}

static void rule_i18_trained_dictionary_that_is_malformed_is_refused(void **state)
{
    (void)state;
    static unsigned char dictionary[DICTIONARY_ROOM];
    size_t size = make_dictionary(dictionary), refused = 0;
    kiln_dictionary *digested = NULL;
    kiln_compressor *compressor = NULL;
    assert_memory_equal(dictionary, "\x37\xa4\x30\xec", 4);
    /* The tables of a truncated dictionary have no end. */
    for (size_t cut = 8; cut < 100; cut += 7) {
        unsigned char *copy = malloc(cut);
        memcpy(copy, dictionary, cut);
        assert_int_equal(kiln_dictionary_create(NULL, copy, cut, &digested), KILN_I_DICTIONARY);
        assert_null(digested);
        assert_int_equal(kiln_compressor_create(NULL, 3, copy, cut, &compressor),
                         KILN_I_DICTIONARY);
        assert_null(compressor);
        free(copy);
    }
    for (size_t bit = 32; bit < 1600; bit++) {
        dictionary[bit / 8] ^= (unsigned char)(1u << bit % 8);
        kiln_status status = kiln_dictionary_create(NULL, dictionary, size, &digested);
        assert_true(status == KILN_OK || status == KILN_I_DICTIONARY);
        refused += status == KILN_I_DICTIONARY;
        if (status == KILN_OK)
            kiln_dictionary_destroy(digested);
        digested = NULL;
        dictionary[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_true(refused > 0);
}

/* Fewer than 8 bytes cannot be a trained dictionary, even if they begin with its magic. */
static void dictionaries_of_fewer_than_8_bytes_are_raw(void **state)
{
    (void)state;
    static const unsigned char magic[8] = {0x37, 0xa4, 0x30, 0xec};
    for (size_t size = 1; size <= sizeof magic; size++) {
        kiln_dictionary *digested = NULL;
        assert_int_equal(kiln_dictionary_create(NULL, magic, size, &digested),
                         size < 8 ? KILN_OK : KILN_I_DICTIONARY);
        kiln_dictionary_destroy(digested);
    }
}

static void a_trained_dictionary_may_have_the_number_0(void **state)
{
    (void)state;
    static unsigned char dictionary[DICTIONARY_ROOM];
    size_t size = make_dictionary(dictionary);
    kiln_dictionary *digested = NULL;
    memset(dictionary + 4, 0, 4);
    assert_int_equal(kiln_dictionary_create(NULL, dictionary, size, &digested), KILN_OK);
    kiln_dictionary_destroy(digested);
}

static void any_other_bytes_are_a_dictionary(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 7, 8, 9, 255, 1000};
    fill_words(plain, 2000, 2);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t made = compress(3, plain + 100, sizes[i], 1000);
        memset(again, 0, 1000);
        assert_int_equal(open_frame(stored, made, 1000, plain + 100, sizes[i]), KILN_OK);
        assert_memory_equal(plain, again, 1000);
    }
}

static void training_gives_the_same_dictionary_or_none(void **state)
{
    (void)state;
    static unsigned char one[DICTIONARY_ROOM], two[DICTIONARY_ROOM];
    size_t size = make_dictionary(one), second = 0;
    assert_int_equal(size, make_dictionary(two));
    assert_memory_equal(one, two, size);
    assert_int_equal(kiln_dictionary_train(&(kiln_dictionary_args){.level = 19,
                                                                   .samples = samples,
                                                                   .sizes = sample_sizes,
                                                                   .count = SAMPLES},
                                           two, DICTIONARY_ROOM, &second),
                     KILN_OK);
    assert_true(second <= DICTIONARY_ROOM);
    assert_int_equal(kiln_dictionary_train(
                         &(kiln_dictionary_args){
                             .level = 3, .samples = samples, .sizes = sample_sizes, .count = 0},
                         two, DICTIONARY_ROOM, &size),
                     KILN_NOT_FOUND);
    assert_int_equal(kiln_dictionary_train(
                         &(kiln_dictionary_args){
                             .level = 3, .samples = samples, .sizes = sample_sizes, .count = 2},
                         two, DICTIONARY_ROOM, &size),
                     KILN_NOT_FOUND);
    assert_int_equal(kiln_dictionary_train(&(kiln_dictionary_args){.level = 3,
                                                                   .samples = samples,
                                                                   .sizes = sample_sizes,
                                                                   .count = SAMPLES},
                                           two, 100, &size),
                     KILN_NOT_FOUND);
}

static void rule_i16_stored_hash_that_does_not_match_is_refused(void **state)
{
    (void)state;
    kiln_buffer file = small_file(verdict_types, false);
    kiln_index *index = (void *)(file.data + KILN_HEADER_SIZE);
    kiln_index_member *member = (kiln_index_member *)(uintptr_t)kiln_index_member_at(index, 2);
    kiln_error error;
    member->compression = KILN_COMPRESSION_ZSTD;
    member->stored = member->content;
    assert_int_equal(kiln_index_check_stored(index, 2, file.data, &error), KILN_OK);
    for (int half = 0; half <= 1; half++) {
        uint64_t *word = half ? &member->stored.high : &member->stored.low;
        *word ^= UINT64_C(1) << 63;
        assert_int_equal(kiln_index_check_stored(index, 2, file.data, &error), KILN_I_STORED);
        assert_error(&error, KILN_I_STORED, member->place, "");
        *word ^= UINT64_C(1) << 63;
    }
    file.data[member->place + member->stored_size - 1] ^= 1;
    assert_int_equal(kiln_index_check_stored(index, 2, file.data, NULL), KILN_I_STORED);
    kiln_buffer_fini(&file);
}

static unsigned char known[DICTIONARY_ROOM];
static size_t known_size;

/* Calls every function once. */
static kiln_status use_all(const kiln_allocator *allocator, kiln_error *reterr)
{
    kiln_compressor *compressor = NULL;
    kiln_decompressor *decompressor = NULL;
    kiln_dictionary *digested = NULL;
    size_t small, made;
    kiln_status status = kiln_compressor_create(allocator, 5, known, known_size, &compressor);
    if (!status)
        status = kiln_compress(compressor, (kiln_span){plain, 3000}, stored, sizeof stored, &small);
    if (!status)
        status = kiln_compress(compressor, (kiln_span){plain, ROOM}, stored, sizeof stored, &made);
    if (!status)
        status = kiln_dictionary_create(allocator, known, known_size, &digested);
    if (!status)
        status = kiln_decompressor_create(allocator, &decompressor);
    if (!status)
        status = kiln_decompress(decompressor, digested, (kiln_span){stored, made}, again, ROOM);
    kiln_dictionary_destroy(digested);
    kiln_decompressor_destroy(decompressor);
    kiln_compressor_destroy(compressor);
    return status ? kiln_fail(reterr, status, 0, NULL) : KILN_OK;
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    known_size = make_dictionary(known);
    memset(plain, 0, ROOM);
    fill_words(plain, 3000, 3);
    assert_true(check_each_failure(use_all) > 10);
}

static void a_malformed_dictionary_without_memory_gives_either_status(void **state)
{
    (void)state;
    static unsigned char dictionary[DICTIONARY_ROOM];
    make_dictionary(dictionary);
    for (size_t at = 1;; at++) {
        counting_allocator counter = {.fail_from = at};
        kiln_allocator allocator = counting_allocator_of(&counter);
        kiln_dictionary *digested = NULL;
        kiln_status status = kiln_dictionary_create(&allocator, dictionary, 40, &digested);
        assert_int_equal(counter.live_blocks, 0);
        assert_int_equal(status, counter.calls < at ? KILN_I_DICTIONARY : KILN_NO_MEMORY);
        if (counter.calls < at)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_restores_the_bytes),
        cmocka_unit_test(a_higher_level_makes_smaller_frames),
        cmocka_unit_test(invalid_levels_are_refused),
        cmocka_unit_test(a_frame_fits_its_buffer_or_is_not_made),
        cmocka_unit_test(no_frame_is_smaller_than_the_ratio_allows),
        cmocka_unit_test(a_context_gives_the_same_bytes_after_any_history),
        cmocka_unit_test(a_frame_does_not_depend_on_uninitialized_memory),
        cmocka_unit_test(rule_i16_stored_hash_that_does_not_match_is_refused),
        cmocka_unit_test(rule_i17_stored_bytes_that_are_not_one_frame_of_the_size_are_refused),
        cmocka_unit_test(a_wrong_dictionary_never_causes_an_overrun),
        cmocka_unit_test(every_bit_flip_and_truncation_of_a_frame_is_survived),
        cmocka_unit_test(rule_i18_trained_dictionary_that_is_malformed_is_refused),
        cmocka_unit_test(any_other_bytes_are_a_dictionary),
        cmocka_unit_test(dictionaries_of_fewer_than_8_bytes_are_raw),
        cmocka_unit_test(a_trained_dictionary_may_have_the_number_0),
        cmocka_unit_test(training_gives_the_same_dictionary_or_none),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
        cmocka_unit_test(a_malformed_dictionary_without_memory_gives_either_status),
    };
    return cmocka_run_group_tests(tests, verdict_set_up, verdict_tear_down);
}

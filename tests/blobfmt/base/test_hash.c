/* The hashes of blobfmt equal those of the xxHash library on every machine, for every length. */
#include "hash.h"
#include "hash_wide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <xxhash.h>

static const uint64_t seeds[] = {0, 1, UINT64_C(0x9e3779b97f4a7c15), UINT64_MAX};
enum { SEEDS = sizeof seeds / sizeof *seeds, LARGEST = 70000 };

static unsigned char *bytes;

static int set_up(void **state)
{
    (void)state;
    bytes = malloc(LARGEST + 8);
    for (size_t i = 0; bytes && i < LARGEST + 8; i++)
        bytes[i] = (unsigned char)(i * i >> 3 ^ i);
    return bytes ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    free(bytes);
    return 0;
}

/* All lengths up to a few XXH3 blocks, then with increasing gaps. */
static size_t next_size(size_t size)
{
    return size < 2200 ? size + 1 : size + size / 3;
}

static void assert_hashes_are_the_librarys(uint64_t (*hash64)(const void *, size_t, uint64_t),
                                           kiln_hash128 (*hash128)(const void *, size_t))
{
    for (size_t size = 0; size < LARGEST; size = next_size(size)) {
        const unsigned char *data = bytes + size % 8;
        for (int i = 0; i < SEEDS; i++)
            assert_true(hash64(data, size, seeds[i]) == XXH3_64bits_withSeed(data, size, seeds[i]));
        XXH128_hash_t wanted = XXH3_128bits(data, size);
        kiln_hash128 found = hash128(data, size);
        assert_true(found.low == wanted.low64 && found.high == wanted.high64);
    }
}

static void hashes_equal_those_of_the_library(void **state)
{
    (void)state;
    assert_hashes_are_the_librarys(kiln_hash64, kiln_content_hash);
}

static void wide_registers_give_the_same_hashes(void **state)
{
    (void)state;
    if (HASH_WIDE_IS_BUILT && !hash_wide_is_supported())
        skip();
    assert_hashes_are_the_librarys(kiln_hash_wide64, kiln_hash_wide128);
}

static void hashing_in_parts_equals_hashing_the_whole(void **state)
{
    (void)state;
    for (size_t size = 0; size < LARGEST; size = next_size(size)) {
        hash_stream stream;
        kiln_hash_stream_begin(&stream);
        kiln_hash_stream_add(&stream, bytes, size / 3);
        kiln_hash_stream_add(&stream, bytes + size / 3, size - size / 3);
        assert_true(kiln_hash_stream_end(&stream) == XXH3_64bits(bytes, size));
        kiln_hash128 wanted = kiln_content_hash(bytes, size);
        kiln_hash128 found = kiln_hash_stream_end128(&stream);
        assert_true(found.low == wanted.low && found.high == wanted.high);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_equal_those_of_the_library),
        cmocka_unit_test(wide_registers_give_the_same_hashes),
        cmocka_unit_test(hashing_in_parts_equals_hashing_the_whole),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

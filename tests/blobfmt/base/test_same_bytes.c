/* Short byte strings are compared with overlapping words. At every length, every byte must affect
 * the result. */
#include "verdict.h"

#include <same_bytes.h>

enum { LONGEST = 40 };

static void bytes_are_equal_only_if_all_are_equal(void **state)
{
    (void)state;
    for (uint32_t size = 0; size <= LONGEST; size++) {
        unsigned char a[LONGEST], b[LONGEST];
        for (uint32_t i = 0; i < LONGEST; i++)
            a[i] = b[i] = (unsigned char)(i * 7);
        assert_true(same_bytes(a, b, size));
        for (uint32_t i = 0; i < LONGEST; i++) {
            b[i] ^= 0x80;
            assert_int_equal(same_bytes(a, b, size), i >= size);
            b[i] ^= 0x80;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_equal_only_if_all_are_equal),
    };
    return cmocka_run_group_tests_name("short bytes", tests, NULL, NULL);
}

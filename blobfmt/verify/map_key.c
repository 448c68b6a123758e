/* Rule V14. NaNs are unordered, so a map with a NaN key could not be searched. -0 equals 0 as a
 * number but not as bytes, so equal maps could have different bytes. */
#include "map_key.h"

#include "type_list.h"

#include <string.h>

/* Whether the float is a NaN or -0. The bits of an f32 are moved to the upper half of `bits`, so
 * that one constant works for both sizes. */
static bool key_is_invalid_float(kiln_kind kind, const unsigned char *at)
{
    double number;
    uint64_t bits = 0;
    float single;
    if (kind == KILN_KIND_F32) {
        uint32_t word;
        memcpy(&single, at, sizeof single);
        memcpy(&word, at, sizeof word);
        number = (double)single;
        bits = (uint64_t)word << 32;
    } else {
        memcpy(&number, at, sizeof number);
        memcpy(&bits, at, sizeof bits);
    }
    return number != number || bits == UINT64_C(1) << 63;
}

bool kiln_map_key_is_valid(const kiln_value *key)
{
    const kiln_type *of = key->of;
    if (of->kind == KILN_KIND_STRING) {
        uint32_t length;
        memcpy(&length, key->data + 4, sizeof length);
        return length <= KILN_MAP_KEY_MAX;
    }
    uint32_t count = of->kind == KILN_KIND_FIXED ? of->count : 1;
    const kiln_type *number = of->kind == KILN_KIND_FIXED ? type_at(key->types, of->element) : of;
    if (!kiln_kind_is_float(number->kind))
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (key_is_invalid_float(number->kind, key->data + (size_t)i * number->size))
            return false;
    return true;
}

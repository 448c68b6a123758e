#include "grouped_number.h"

#include <stdio.h>

const char *bake_grouped(char out[32], uint64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

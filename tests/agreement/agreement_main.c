/* Reads and rebuilds the values of random schemas with the calls of their generated headers.
 * agreement_main_cpp.cpp compiles this file as C++. */
#include "agreement_run.h"

#include <stdio.h>
#include <string.h>

#include "agreement.inc"

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc != 2)
        return 2;
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        long count = agreement_check(schemas[i], argv[1]);
        if (count < 0)
            failed = 1;
        printf("%s: seed %s, %ld assets\n", count < 0 ? "FAILED" : "agrees", schemas[i]->name + 1,
               count);
    }
    return failed;
}

/* Runs a harness under AFL++: many inputs in one process, each in shared memory. */
#include "fuzz_target.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef __AFL_FUZZ_TESTCASE_LEN
#error "build with afl-clang-fast or afl-clang-lto; fuzz_replay.c runs a harness without AFL++"
#endif

/* AFL++'s macros are GNU C. */
#pragma clang diagnostic ignored "-Wpedantic"
#pragma clang diagnostic ignored "-Wshorten-64-to-32"
#pragma clang diagnostic ignored "-Wgnu-statement-expression"
#pragma clang diagnostic ignored "-Wextra-semi"

__AFL_FUZZ_INIT();

/* So that what a harness keeps from one input to the next cannot grow without end. */
enum { INPUTS_A_PROCESS = 20000 };

int main(void)
{
    /* afl-fuzz leaves a stopped process behind otherwise, which still locks its folder. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* What a harness makes at its first input is there before AFL++ looks. */
    static const uint8_t first[] = {0, 0, '\n'};
    LLVMFuzzerTestOneInput(first, sizeof first);
    __AFL_INIT();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    unsigned char *data = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(INPUTS_A_PROCESS)) {
        size_t size = (size_t)__AFL_FUZZ_TESTCASE_LEN;
        /* In a block of exactly the size, so that a sanitizer sees the first byte behind. */
        unsigned char *exact = malloc(size ? size : 1);
        if (!exact)
            abort();
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    return 0;
}

/* Runs a harness in AFL++: many inputs in one process, each in shared memory. */
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

/* Limits the growth of caches that a harness keeps between inputs. */
enum { INPUTS_A_PROCESS = 20000 };

int main(void)
{
    /* If afl-fuzz ends, so does this process. A stopped one would keep afl-fuzz's folder locked. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Run one input first, so that everything created on first use exists before AFL++ forks. */
    static const uint8_t first[] = {0, 0, '\n'};
    LLVMFuzzerTestOneInput(first, sizeof first);
    __AFL_INIT();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    unsigned char *data = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(INPUTS_A_PROCESS)) {
        size_t size = (size_t)__AFL_FUZZ_TESTCASE_LEN;
        /* In a block of exactly its size, so that a sanitizer catches overreads. */
        unsigned char *exact = malloc(size ? size : 1);
        if (!exact)
            abort();
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    return 0;
}

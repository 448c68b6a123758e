/* Shared by the programs that run random histories: parses which ones to run. */
#ifndef RANDOM_HISTORIES_H
#define RANDOM_HISTORIES_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test_share.h"

typedef struct random_histories {
    uint64_t seed, operations; /* the number of operations of each history */
} random_histories;

/* KILN_SEED sets the seed. The program's argument or KILN_OPERATIONS sets the number of operations;
 * the argument takes precedence. Otherwise it is the share of the default that KILN_TEST_SHARE asks
 * for. */
static inline void random_histories_ask(random_histories *asked, int argc, char **argv)
{
    const char *seed = getenv("KILN_SEED"), *operations = getenv("KILN_OPERATIONS");
    if (argc > 1)
        operations = argv[1];
    if (seed)
        asked->seed = strtoull(seed, NULL, 10);
    if (operations)
        asked->operations = strtoull(operations, NULL, 10);
    else
        asked->operations = test_share_of(asked->operations);
}

static inline void random_histories_print(const random_histories *asked, const char *name)
{
    print_message("seed %" PRIu64 ", %" PRIu64 " operations: %s\n", asked->seed, asked->operations,
                  name);
}

/* A test that calls the program's run_history on one of its defs. */
#define HISTORY_TEST(name, number)                                                                 \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        run_history(&defs[number]);                                                                \
    }

#endif

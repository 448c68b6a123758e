/* A lock-free set of names that a signal handler can read at any time. So signals are blocked while
 * a file is created and its name registered, and a name is removed from the set before it is
 * freed. */
#define _XOPEN_SOURCE 700

#include "gateway_temporary.h"

#include "bake_memory.h"
#include "gateway.h"
#include "jobserver.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_SIZE 256

/* The files that the signal handler unlinks. Blocks are added when needed and never freed. */
typedef struct name_block {
    _Atomic(char *) names[BLOCK_SIZE];
    _Atomic(struct name_block *) next;
} name_block;

static name_block first_block;
static_assert(ATOMIC_POINTER_LOCK_FREE == 2, "a signal handler must not wait for a lock");

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

static name_block *next_block(name_block *block)
{
    name_block *next = atomic_load(&block->next);
    if (next)
        return next;
    name_block *added = bake_alloc_array(1, sizeof *added);
    if (!added) {
        errno = ENOMEM;
        return NULL;
    }
    if (atomic_compare_exchange_strong(&block->next, &next, added))
        return added;
    bake_free(added);
    return next;
}

bool bake_temporary_register(char *name)
{
    for (name_block *block = &first_block; block; block = next_block(block))
        for (size_t i = 0; i < BLOCK_SIZE; i++) {
            char *none = NULL;
            if (!atomic_load(&block->names[i]) &&
                atomic_compare_exchange_strong(&block->names[i], &none, name))
                return true;
        }
    return false;
}

void bake_temporary_unregister(char *name)
{
    bool found = false;
    for (name_block *block = &first_block; name && block && !found;
         block = atomic_load(&block->next))
        for (size_t i = 0; i < BLOCK_SIZE && !found; i++) {
            char *expected = name;
            found = atomic_load(&block->names[i]) == name &&
                    atomic_compare_exchange_strong(&block->names[i], &expected, NULL);
        }
    bake_free(name);
}

/* Only calls unlink, signal, raise and bake_jobserver_return_all, which are async-signal-safe. */
static void clean_up(int number)
{
    bake_jobserver_return_all();
    for (name_block *block = &first_block; block; block = atomic_load(&block->next))
        for (size_t i = 0; i < BLOCK_SIZE; i++) {
            const char *name = atomic_load(&block->names[i]);
            if (name)
                unlink(name);
        }
    signal(number, SIG_DFL);
    raise(number);
}

void bake_gateway_clean_up_on_signals(void)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        memset(&action, 0, sizeof action);
        action.sa_handler = clean_up;
        sigaction(numbers[i], &action, NULL);
    }
#ifdef SIGXFSZ
    /* Exceeding the file size limit is then an ordinary failed write. */
    signal(SIGXFSZ, SIG_IGN);
#endif
}

void bake_signals_block(sigset_t *ret_before)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&held, numbers[i]);
    pthread_sigmask(SIG_BLOCK, &held, ret_before);
}

void bake_signals_restore(const sigset_t *before)
{
    int error = errno;
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = error;
}

/* Generates a token that differs between processes and calls. It is not part of any output, so it
 * may depend on the time. The generator is a multiplicative hash followed by Knuth's 64-bit LCG
 * (MMIX). */
static void fill_token(char *token)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    static atomic_uint calls;
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mixed = (uint64_t)now.tv_nsec + (uint64_t)now.tv_sec * 1000000007u;
    mixed = (mixed ^ (uint64_t)getpid() << 32 ^ atomic_fetch_add(&calls, 1)) *
            UINT64_C(0x9e3779b97f4a7c15);
    mixed ^= (uint64_t)(uintptr_t)token >> 4;
    for (int i = 0; i < TOKEN_LENGTH; i++) {
        token[i] = letters[(mixed >> 32) % 36];
        mixed = mixed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    }
}

char *bake_temporary_name(const char *folder, const char *prefix)
{
    size_t length = strlen(folder), prefix_length = strlen(prefix);
    char *name = bake_alloc(length + prefix_length + TOKEN_LENGTH + sizeof TEMPORARY_SUFFIX);
    if (!name) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(name, folder, length);
    memcpy(name + length, prefix, prefix_length);
    fill_token(name + length + prefix_length);
    memcpy(name + length + prefix_length + TOKEN_LENGTH, TEMPORARY_SUFFIX, sizeof TEMPORARY_SUFFIX);
    return name;
}

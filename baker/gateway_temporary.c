/* Temporary files beside their targets, and the signals that remove them. */
#define _XOPEN_SOURCE 700

#include "gateway_store.h"

#include "bake_memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TEMPORARY_SUFFIX ".tmpXXXXXX"
#define TEMPORARY_TRIES 1000
#define BLOCK_SIZE 256

/* What a signal handler is to unlink. It may run at any time but while a file is being made, so
 * names are set when the file is there and cleared before they are freed. Blocks are added as they
 * are needed and stay. */
typedef struct name_block {
    _Atomic(char *) names[BLOCK_SIZE];
    _Atomic(struct name_block *) next;
} name_block;

static name_block first_block;
static_assert(ATOMIC_POINTER_LOCK_FREE == 2, "a signal handler must not wait for a lock");

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

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

/* False with errno ENOMEM. */
static bool remember(char *name)
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

void bake_temporary_forget(char *name)
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

/* Only unlink, signal and raise are called, which a handler may. */
static void clean_up(int number)
{
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
    /* A file that may not grow further is a failed write like any other. */
    signal(SIGXFSZ, SIG_IGN);
#endif
}

/* Replaces the Xs at the end of `name` by what differs from process to process and try to try. The
 * name is never part of a result, so it may depend on the time. */
static void fill_suffix(char *name, unsigned attempt)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t mixed = (uint64_t)now.tv_nsec + (uint64_t)now.tv_sec * 1000000007u;
    mixed = (mixed ^ (uint64_t)getpid() << 32 ^ attempt) * UINT64_C(0x9e3779b97f4a7c15);
    char *end = name + strlen(name);
    for (char *x = end - 6; x < end; x++) {
        *x = letters[(mixed >> 32) % 36];
        mixed = mixed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    }
}

/* A signal that came between the making of a file and its entry would leave it behind, so these
 * wait. */
static int make_remembered(char *name)
{
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&held, numbers[i]);
    sigprocmask(SIG_BLOCK, &held, &before);
    int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
    if (file >= 0 && !remember(name)) {
        unlink(name);
        close(file);
        file = -1;
        errno = ENOMEM;
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return file;
}

int bake_temporary_make(const char *target, size_t length, char **ret_name)
{
    char *name = bake_alloc(length + sizeof TEMPORARY_SUFFIX);
    if (!name) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(name, target, length);
    memcpy(name + length, TEMPORARY_SUFFIX, sizeof TEMPORARY_SUFFIX);
    for (unsigned attempt = 0; attempt < TEMPORARY_TRIES; attempt++) {
        fill_suffix(name, attempt);
        int file = make_remembered(name);
        if (file >= 0) {
            *ret_name = name;
            return file;
        }
        if (errno != EEXIST && errno != EINTR)
            break;
    }
    int error = errno;
    bake_free(name);
    errno = error;
    return -1;
}

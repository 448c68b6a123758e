/* Each token that this process has is in `tokens`, so that a signal handler can return it. Between
 * the system call and the change of `tokens`, a thread counts in `busy`; the handler waits for such
 * threads. */
#define _XOPEN_SOURCE 700

#include "jobserver.h"

#include "bake_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    bake_jobserver_kind kind;
    int input, output;
    bool owns_output;
} server = {BAKE_JOBSERVER_NONE, -1, -1, false};

/* Each is 0, or a byte plus 1. */
static atomic_int tokens[BAKE_THREADS_MAX];
static atomic_int busy;
static atomic_bool is_ending;

/* ---- connecting ---- */

/* Copies the word at `*at` without its backslashes, shortened to `room`, and advances `*at`.
 * Returns false at the end. */
static bool next_word(const char **at, char *word, size_t room)
{
    size_t length = 0;
    while (**at == ' ' || **at == '\t')
        ++*at;
    if (!**at)
        return false;
    for (; **at && **at != ' ' && **at != '\t'; ++*at) {
        if (**at == '\\' && (*at)[1])
            ++*at;
        if (length + 1 < room)
            word[length++] = **at;
    }
    word[length] = '\0';
    return true;
}

/* Finds the last jobserver in the flags; variables follow after `--`. Returns false if there is
 * none. */
static bool find_server(const char *flags, char *ret_server, size_t room)
{
    static const char *const names[] = {"--jobserver-auth=", "--jobserver-fds="};
    char word[4096];
    bool is_found = false;
    while (flags && next_word(&flags, word, sizeof word) && strcmp(word, "--") != 0)
        for (size_t i = 0; i < 2; i++) {
            size_t length = strlen(names[i]);
            if (strncmp(word, names[i], length) != 0)
                continue;
            snprintf(ret_server, room, "%s", word + length);
            is_found = true;
        }
    return is_found;
}

static bool is_pipe(int file, struct stat *ret_status)
{
    return fstat(file, ret_status) == 0 && S_ISFIFO(ret_status->st_mode);
}

static bool open_fifo(const char *path)
{
    struct stat status;
    server.input = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (server.input < 0 || !is_pipe(server.input, &status))
        return false;
    /* Does not block, because there is a reader now. */
    server.output = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    server.owns_output = server.output >= 0;
    return server.owns_output;
}

/* Other descriptors may have the numbers that make closed, so both must be the same pipe. */
static bool open_pipe(int input, int output)
{
    char path[40];
    struct stat read_end, write_end, again;
    if (input < 0 || output < 0 || !is_pipe(input, &read_end) || !is_pipe(output, &write_end) ||
        read_end.st_ino != write_end.st_ino || read_end.st_dev != write_end.st_dev ||
        (fcntl(input, F_GETFL) & O_ACCMODE) == O_WRONLY ||
        (fcntl(output, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return false;
    /* On Linux this makes a new open file; elsewhere it would change the mode for all processes. */
    snprintf(path, sizeof path, "/proc/self/fd/%d", input);
    server.input = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    server.output = output;
    return server.input >= 0 && is_pipe(server.input, &again) && again.st_ino == read_end.st_ino;
}

void bake_jobserver_open(const char *flags)
{
    char where[4096], end;
    int input, output;
    bake_jobserver_close();
    if (!find_server(flags, where, sizeof where))
        return;
    bool is_open =
        strncmp(where, "fifo:", 5) == 0
            ? open_fifo(where + 5)
            : sscanf(where, "%9d,%9d%c", &input, &output, &end) == 2 && open_pipe(input, output);
    if (!is_open)
        bake_jobserver_close();
    server.kind = is_open ? BAKE_JOBSERVER_OPEN : BAKE_JOBSERVER_UNAVAILABLE;
}

void bake_jobserver_close(void)
{
    if (server.input >= 0)
        close(server.input);
    if (server.owns_output)
        close(server.output);
    server.kind = BAKE_JOBSERVER_NONE;
    server.input = server.output = -1;
    server.owns_output = false;
    atomic_store(&is_ending, false);
}

bake_jobserver_kind bake_jobserver_state(void)
{
    return server.kind;
}

/* ---- tokens ---- */

/* Returns false if all places are taken. */
static bool keep_token(unsigned char byte)
{
    for (size_t i = 0; i < BAKE_THREADS_MAX; i++) {
        int none = 0;
        if (atomic_compare_exchange_strong(&tokens[i], &none, byte + 1))
            return true;
    }
    return false;
}

/* Writes the token at this place back, if there is one. */
static bool return_token(size_t place)
{
    int token = atomic_exchange(&tokens[place], 0);
    if (!token)
        return false;
    unsigned char byte = (unsigned char)(token - 1);
    while (write(server.output, &byte, 1) < 0 && errno == EINTR)
        continue;
    return true;
}

/* Takes a token if there is one. Returns 1 for a token, 0 for none, -1 if there will be none. */
static int try_take(void)
{
    unsigned char byte;
    ssize_t got = -1;
    int result = -1;
    atomic_fetch_add(&busy, 1);
    if (!atomic_load(&is_ending)) {
        got = read(server.input, &byte, 1);
        bool is_later = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
        result = got == 1 ? 1 : is_later ? 0 : -1;
    }
    if (got == 1 && !keep_token(byte)) {
        while (write(server.output, &byte, 1) < 0 && errno == EINTR)
            continue;
        result = -1;
    }
    atomic_fetch_sub(&busy, 1);
    return result;
}

bool bake_jobserver_take(int stop)
{
    for (;;) {
        struct pollfd files[2] = {{stop, POLLIN, 0}, {server.input, POLLIN, 0}};
        if (poll(files, 2, -1) < 0 && errno != EINTR)
            return false;
        if (files[0].revents)
            return false;
        int result = files[1].revents ? try_take() : 0;
        if (result)
            return result > 0;
    }
}

void bake_jobserver_return(void)
{
    atomic_fetch_add(&busy, 1);
    for (size_t i = 0; i < BAKE_THREADS_MAX; i++)
        if (return_token(i))
            break;
    atomic_fetch_sub(&busy, 1);
}

void bake_jobserver_return_all(void)
{
    enum { WAITS_MAX = 1000 };
    int error = errno;
    if (server.kind == BAKE_JOBSERVER_OPEN) {
        atomic_store(&is_ending, true);
        /* The other threads only finish one system call that does not block. */
        for (int i = 0; atomic_load(&busy) && i < WAITS_MAX; i++)
            poll(NULL, 0, 1);
        for (size_t i = 0; i < BAKE_THREADS_MAX; i++)
            return_token(i);
    }
    errno = error;
}

/* Waits without end for what a child writes, while another child ends: the signal of that end
 * interrupts the wait, and the kernel goes on with it by a call of its own, restart_syscall.
 * fault_trace.c must not take this call for one that the program makes.
 *
 * Exit 0: done. 1: a call failed, and standard error has its reason. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In milliseconds. Where both pass before the wait begins, nothing interrupts it, which is right
 * too. */
enum { ENDS_AFTER = 20, WRITES_AFTER = 60 };

/* A child that sleeps, writes `size` bytes, and ends. */
static pid_t start(const int *ends, long milliseconds, size_t size)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    struct timespec left = {0, milliseconds * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    _exit(write(ends[1], "x", size) != (ssize_t)size);
}

static int fail(const char *call)
{
    perror(call);
    return 1;
}

int main(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        return fail("pipe");
    if (start(ends, ENDS_AFTER, 0) < 0 || start(ends, WRITES_AFTER, 1) < 0)
        return fail("fork");
    close(ends[1]);
    struct pollfd file = {ends[0], POLLIN, 0};
    if (poll(&file, 1, -1) != 1)
        return fail("poll");
    errno = 0;
    if (read(ends[0], &byte, 1) != 1)
        return fail("read");
    close(ends[0]);
    while (wait(NULL) > 0)
        continue;
    return 0;
}

/* Waits without a timeout for output of a child while another child exits. SIGCHLD interrupts the
 * wait, which the kernel resumes with restart_syscall. fault_trace.c must not treat this call as
 * one made by the program.
 *
 * Exit 0: success; 1: a call failed, see standard error. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In milliseconds. If both times pass before the wait begins, nothing interrupts it, which is also
 * fine. */
enum { ENDS_AFTER = 20, WRITES_AFTER = 60 };

/* Starts a child that sleeps, writes `size` bytes and exits. */
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

#define _XOPEN_SOURCE 700

#include "program_watch.h"

#include <string.h>
#include <sys/wait.h>

/* A terminal sends these to the group that is in its front, and programs are in groups of their
 * own. */
static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING = sizeof ending / sizeof *ending };

void bake_watch_begin(program_watch *watch, unsigned limit)
{
    watch->limit = limit;
    clock_gettime(CLOCK_MONOTONIC, &watch->start);
    sigemptyset(&watch->held);
    for (int i = 0; i < ENDING; i++) {
        struct sigaction action;
        /* What is ignored does not end us; a handler cleans up before it does. */
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&watch->held, ending[i]);
    }
    sigprocmask(SIG_BLOCK, &watch->held, &watch->before);
}

void bake_watch_end(const program_watch *watch)
{
    sigprocmask(SIG_SETMASK, &watch->before, NULL);
}

unsigned long long bake_watch_time(const program_watch *watch)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long seconds = (long long)now.tv_sec - (long long)watch->start.tv_sec;
    long long nanoseconds = (long long)now.tv_nsec - (long long)watch->start.tv_nsec;
    return (unsigned long long)(seconds * 1000 + nanoseconds / 1000000);
}

bool bake_watch_is_late(const program_watch *watch)
{
    return watch->limit > 0 && bake_watch_time(watch) >= watch->limit;
}

int bake_watch_signal(const program_watch *watch)
{
    sigset_t waiting;
    if (sigpending(&waiting) != 0)
        return 0;
    for (int i = 0; i < ENDING; i++)
        if (sigismember(&watch->held, ending[i]) == 1 &&
            sigismember(&watch->before, ending[i]) == 0 && sigismember(&waiting, ending[i]) == 1)
            return ending[i];
    return 0;
}

bool bake_watch_has_ended(pid_t process)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    return waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == process;
}

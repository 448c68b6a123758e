#define _DEFAULT_SOURCE

#include "bench_process.h"

#include "bench_span.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static double nanoseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

bool bench_process_run(const char *const *args, const char *input, const char *output,
                       process_cost *ret_cost)
{
    posix_spawn_file_actions_t actions;
    struct rusage usage;
    pid_t child;
    int state = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool good =
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input ? input : "/dev/null",
                                         O_RDONLY, 0) == 0 &&
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output ? output : "/dev/null",
                                         O_WRONLY | O_CREAT | O_TRUNC, 0644) == 0;
    double start = bench_now();
    good = good && posix_spawn(&child, args[0], &actions, NULL, (char *const *)(uintptr_t)args,
                               environ) == 0;
    good = good && wait4(child, &state, 0, &usage) == child;
    double end = bench_now();
    posix_spawn_file_actions_destroy(&actions);
    if (!good || !WIFEXITED(state) || WEXITSTATUS(state) != 0) {
        if (!good)
            fprintf(stderr, "%s: could not be started\n", args[0]);
        else if (WIFEXITED(state))
            fprintf(stderr, "%s: exited with code %d\n", args[0], WEXITSTATUS(state));
        else
            fprintf(stderr, "%s: was ended by signal %d\n", args[0], WTERMSIG(state));
        return false;
    }
    ret_cost->wall = end - start;
    ret_cost->cpu = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    ret_cost->peak = (double)usage.ru_maxrss * 1024;
    return true;
}

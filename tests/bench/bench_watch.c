#define _POSIX_C_SOURCE 200809L

#include "bench_project.h"

#include "bench_inputs.h"
#include "bench_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SCHEMA BENCH_PROJECT "/s.yaml"
#define INPUT BENCH_PROJECT "/watched.in"
#define STAGED BENCH_PROJECT "/watched.new"
#define OUTPUT BENCH_PROJECT "/watched.kiln"
#define PLAIN BENCH_PROJECT "/plain.kiln"

enum { ASSETS = 5, PATIENCE_SECONDS = 60 };

extern char **environ;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Writes a file with new prices, and renames it to the input as editors do. */
static bool save(unsigned price)
{
    FILE *file = fopen(STAGED, "w");
    if (!file)
        return false;
    fputs("Item:\n", file);
    for (unsigned i = 0; i < ASSETS; i++)
        fprintf(file, "  item_%u: {price: %u, name: \"item number %u\", weight: 1.5}\n", i,
                (price + i) % 60000, i);
    return fclose(file) == 0 && rename(STAGED, INPUT) == 0;
}

/* The number of the output's file, which each bake replaces; 0 if there is none. */
static ino_t output_file(struct timespec *ret_time)
{
    struct stat status;
    if (stat(OUTPUT, &status) != 0)
        return 0;
    *ret_time = status.st_mtim;
    return status.st_ino;
}

/* Waits until the output is another file than before. */
static bool wait_for_output(ino_t *number, struct timespec *time)
{
    double end = now() + PATIENCE_SECONDS * 1e9;
    struct timespec current = {0};
    for (;;) {
        ino_t file = output_file(&current);
        if (file && (file != *number || current.tv_sec != time->tv_sec ||
                     current.tv_nsec != time->tv_nsec)) {
            *number = file;
            *time = current;
            return true;
        }
        if (now() > end)
            return false;
    }
}

static const char *measure(const bench_tools *tools, double *our_times, double *baseline_times)
{
    const char *const plain[] = {tools->bake, "-q", "-s", SCHEMA, "-o", PLAIN, INPUT, NULL};
    const struct timespec pause = {.tv_nsec = 20000000};
    struct timespec time = {0};
    ino_t number = 0;
    if (!wait_for_output(&number, &time))
        return "FAILED: watch writes no output";
    for (int i = 0; i < tools->sizes.starts; i++) {
        process_cost cost;
        /* The watch must be waiting again. */
        nanosleep(&pause, NULL);
        double begin = now();
        if (!save((unsigned)i + 1) || !wait_for_output(&number, &time))
            return "FAILED: watch does not bake";
        our_times[i] = (now() - begin) / 1e6;
        if (!bench_process_run(plain, NULL, NULL, &cost))
            return "FAILED: a program failed";
        baseline_times[i] = cost.wall / 1e6;
    }
    return NULL;
}

const char *bench_sample_watch(const bench_tools *tools, const char *const *args,
                               bench_pair *ret_pair)
{
    double our_times[BENCH_STARTS_MAX], baseline_times[BENCH_STARTS_MAX];
    const char *const watch[] = {tools->bake, "watch", "-q",   "--debounce", "0", "-s",
                                 SCHEMA,      "-o",    OUTPUT, INPUT,        NULL};
    pid_t process;
    (void)args;
    unlink(OUTPUT);
    if (!save(0) ||
        posix_spawn(&process, tools->bake, NULL, NULL, (char **)(uintptr_t)watch, environ) != 0)
        return "FAILED: watch does not start";
    const char *problem = measure(tools, our_times, baseline_times);
    kill(process, SIGTERM);
    waitpid(process, NULL, 0);
    ret_pair->ours = bench_median(our_times, tools->sizes.starts);
    ret_pair->baseline = bench_median(baseline_times, tools->sizes.starts);
    return problem;
}

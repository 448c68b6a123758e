/* Reads both pipes of a program until it exits. The exit need not cause end of file on the pipes,
 * because children of the program may keep them open. So the loop also polls the state of the
 * process.
 *
 * The program is reaped last, after all signals to its process group. Until then its state is
 * examined without reaping it (WNOWAIT), so the kernel cannot reuse the id of the group for
 * unrelated processes. */
#define _XOPEN_SOURCE 700

#include "program.h"

#include "bake_memory.h"
#include "monotonic_clock.h"
#include "program_start.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the time limit, and termination signals. Signals that would terminate kiln-bake stay blocked
 * while the program runs, so that the program is terminated before kiln-bake ---- */

typedef struct program_watch {
    sigset_t before; /* the previous signal mask */
    sigset_t usual;  /* the signal mask of the program */
    sigset_t held;   /* the signals to pass on, blocked while the program runs */
    unsigned limit;  /* in milliseconds; 0: none */
    uint64_t start;  /* by bake_monotonic_now */
} program_watch;

/* Signals that kiln-bake passes on: a terminal sends them only to its foreground process group, and
 * each program has its own group. */
static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { PASSED_ON_COUNT = sizeof passed_on / sizeof *passed_on };

static void watch_begin(program_watch *watch, const bake_program *program)
{
    watch->limit = program->time_max;
    watch->start = bake_monotonic_now();
    sigemptyset(&watch->held);
    for (int i = 0; i < PASSED_ON_COUNT; i++) {
        struct sigaction action;
        /* An ignored signal need not be passed on. */
        if (sigaction(passed_on[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&watch->held, passed_on[i]);
    }
    pthread_sigmask(SIG_BLOCK, &watch->held, &watch->before);
    watch->usual = program->mask ? *program->mask : watch->before;
}

static void watch_end(const program_watch *watch)
{
    pthread_sigmask(SIG_SETMASK, &watch->before, NULL);
}

static unsigned long long watch_time(const program_watch *watch)
{
    return (bake_monotonic_now() - watch->start) / 1000000;
}

static bool watch_is_late(const program_watch *watch)
{
    return watch->limit > 0 && watch_time(watch) >= watch->limit;
}

static int watch_signal(const program_watch *watch)
{
    sigset_t waiting;
    if (sigpending(&waiting) != 0)
        return 0;
    for (int i = 0; i < PASSED_ON_COUNT; i++)
        if (sigismember(&watch->held, passed_on[i]) == 1 &&
            sigismember(&watch->usual, passed_on[i]) == 0 &&
            sigismember(&waiting, passed_on[i]) == 1)
            return passed_on[i];
    return 0;
}

static bool has_exited(pid_t process)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    return waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == process;
}

/* ---- running ---- */

/* WAIT_MS: how long to wait for output before checking whether the program still runs. LOOK_EVERY:
 * how many iterations of the loop may pass between these checks, for a program that never stops
 * writing. GRACE_MS: how long a program may take to exit after a signal. FIRST_WAIT_NS: the first
 * wait after both pipes are closed; each further wait is twice as long, up to WAIT_MS. */
enum {
    WAIT_MS = 50,
    LOOK_EVERY = 256,
    GRACE_MS = 500,
    FIRST_WAIT_NS = 50000,
    CHUNK = 65536,
    ERRORS_MAX = 4096
};

typedef struct running {
    const bake_program *program;
    bake_program_end *end;
    program_watch watch;
    program_process process;
    size_t capacity;
    bool is_over;      /* the program has exited or was abandoned */
    bool is_abandoned; /* it cannot be killed, so it is not reaped */
    bool no_memory;
    int status; /* from waitpid, once it is reaped */
    char errors[ERRORS_MAX];
    size_t errors_size;
    bool is_errors_cut;
} running;

static void stop(running *r)
{
    kill(-r->process.number, SIGKILL);
    bake_program_close(&r->process.out);
    bake_program_close(&r->process.err);
}

/* Returns whether there may be more to read now. */
static bool read_output(running *r)
{
    bake_program_end *end = r->end;
    char *grown = bake_grow(end->output, &r->capacity, end->size + CHUNK + 1, 1);
    if (!grown) {
        r->no_memory = true;
        stop(r);
        return false;
    }
    end->output = grown;
    ssize_t got = read(r->process.out, end->output + end->size, CHUNK);
    if (got < 0 && errno != EINTR && errno != EAGAIN) {
        end->kind = BAKE_PROGRAM_NOT_STARTED;
        end->code = errno;
        stop(r);
        return false;
    }
    if (got < 0)
        return errno == EINTR;
    if (got == 0)
        bake_program_close(&r->process.out);
    end->size += (size_t)got;
    if (end->size <= r->program->output_max)
        return got > 0;
    end->kind = BAKE_PROGRAM_TOO_LARGE;
    stop(r);
    return false;
}

static bool read_errors(running *r)
{
    char chunk[ERRORS_MAX];
    ssize_t got = read(r->process.err, chunk, sizeof chunk);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return errno == EINTR;
    if (got <= 0)
        bake_program_close(&r->process.err);
    size_t size = got > 0 ? (size_t)got : 0, room = sizeof r->errors - size;
    size_t kept = room < r->errors_size ? room : r->errors_size;
    r->is_errors_cut = r->is_errors_cut || kept < r->errors_size;
    memmove(r->errors, r->errors + r->errors_size - kept, kept);
    memcpy(r->errors + kept, chunk, size);
    r->errors_size = kept + size;
    return size > 0;
}

/* Reads the available bytes from both pipes alternately, so that neither starves the other. */
static void read_both(running *r)
{
    bool more = true;
    for (int i = 0; more && i < 64; i++) {
        more = r->process.out >= 0 && read_output(r);
        more = (r->process.err >= 0 && read_errors(r)) || more;
    }
}

/* Ends the existence of a program that has exited. */
static void reap(running *r)
{
    pid_t got;
    do
        got = waitpid(r->process.number, &r->status, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        r->end->kind = BAKE_PROGRAM_NOT_STARTED;
        r->end->code = errno;
    }
}

/* Waits up to WAIT_MS for output or, if both pipes are closed, for `*wait` nanoseconds, and then
 * increases `*wait`. Returns whether no output arrived. */
static bool wait_for_more(running *r, long *wait)
{
    struct pollfd files[2] = {{r->process.out, POLLIN, 0}, {r->process.err, POLLIN, 0}};
    if (r->process.out >= 0 || r->process.err >= 0)
        return poll(files, 2, WAIT_MS) == 0;
    struct timespec time = {0, *wait};
    nanosleep(&time, NULL);
    *wait = *wait < WAIT_MS * 500000L ? *wait * 2 : WAIT_MS * 1000000L;
    return true;
}

/* Sends a signal to the group and waits up to `patience` ms for the program to exit. Keeps reading,
 * because the program may block on a full pipe. Returns whether the program exited. */
static bool exits_after(running *r, int number, unsigned patience)
{
    unsigned long long start = watch_time(&r->watch);
    long wait = FIRST_WAIT_NS;
    kill(-r->process.number, number);
    while (!has_exited(r->process.number) && watch_time(&r->watch) - start < patience) {
        wait_for_more(r, &wait);
        read_both(r);
    }
    return has_exited(r->process.number);
}

/* Sends a signal to the program and its children, gives them time to clean up, and kills them. */
static void terminate_group(running *r, int number)
{
    exits_after(r, number, r->program->grace ? r->program->grace : GRACE_MS);
    /* A program that runs as another user cannot be killed, so it is abandoned. */
    r->is_abandoned = !exits_after(r, SIGKILL, GRACE_MS);
    r->is_over = true;
    if (r->end->kind == BAKE_PROGRAM_EXITED)
        r->end->kind = BAKE_PROGRAM_TIMED_OUT;
}

static void read_all(running *r)
{
    long wait = FIRST_WAIT_NS;
    for (unsigned turn = 1; !r->is_over; turn++) {
        bool nothing = wait_for_more(r, &wait);
        int number = watch_signal(&r->watch);
        /* The pipes are read after this check, because they may contain output from before the
         * exit. */
        if (nothing || turn % LOOK_EVERY == 0)
            r->is_over = has_exited(r->process.number);
        read_both(r);
        if (!r->is_over && (number || watch_is_late(&r->watch)))
            terminate_group(r, number ? number : SIGTERM);
    }
    /* Remaining children may write forever, so the number of further reads is limited. The limit is
     * high enough to empty full pipes. */
    for (int i = 0; i < 16; i++)
        read_both(r);
    bake_program_close(&r->process.out);
    bake_program_close(&r->process.err);
    if (!r->is_abandoned)
        reap(r);
}

static bool store_errors(const running *r, bake_program_end *ret)
{
    if (r->errors_size == 0)
        return true;
    ret->errors = bake_copy_text(r->errors, r->errors_size);
    ret->errors_size = r->errors_size;
    ret->is_errors_cut = r->is_errors_cut;
    return ret->errors != NULL;
}

static bool store_output(running *r, bake_program_end *ret)
{
    if (!ret->output)
        ret->output = bake_alloc(1);
    else if (r->capacity > ret->size + 1 + CHUNK / 16) {
        char *smaller = bake_realloc(ret->output, ret->size + 1);
        ret->output = smaller ? smaller : ret->output;
    }
    if (ret->output)
        ret->output[ret->size] = '\0';
    return ret->output != NULL;
}

bool bake_program_run(const bake_program *program, bake_program_end *ret)
{
    running r = {.program = program, .end = ret};
    memset(ret, 0, sizeof *ret);
    ret->output_max = program->output_max;
    watch_begin(&r.watch, program);
    int error = bake_program_start(program, &r.watch.usual, &r.process);
    if (!error)
        read_all(&r);
    watch_end(&r.watch);
    if (error) {
        bake_program_close(&r.process.out);
        bake_program_close(&r.process.err);
        ret->kind = BAKE_PROGRAM_NOT_STARTED;
        ret->code = error;
        return error != ENOMEM;
    }
    if (ret->kind == BAKE_PROGRAM_EXITED) {
        bool killed = WIFSIGNALED(r.status);
        ret->kind = killed ? BAKE_PROGRAM_KILLED : BAKE_PROGRAM_EXITED;
        ret->code = killed ? WTERMSIG(r.status) : WEXITSTATUS(r.status);
    }
    bool good = ret->kind == BAKE_PROGRAM_EXITED && ret->code == 0;
    if (!good || r.no_memory) {
        bake_free(ret->output);
        ret->output = NULL;
        ret->size = 0;
    }
    bool kept = !r.no_memory && (good ? store_output(&r, ret) : store_errors(&r, ret));
    if (!kept)
        bake_program_end_fini(ret);
    return kept;
}

void bake_program_end_fini(bake_program_end *end)
{
    bake_free(end->output);
    bake_free(end->errors);
    memset(end, 0, sizeof *end);
}

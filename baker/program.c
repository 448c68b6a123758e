/* For what is beside POSIX: where that is not there, other ways are taken. */
#define _GNU_SOURCE

#include "program.h"

#include "bake_memory.h"
#include "program_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 29)
#define HAVE_SPAWN_CHDIR 1
#endif
#if __GLIBC_PREREQ(2, 34)
#define HAVE_SPAWN_CLOSE_FROM 1
#endif
#endif

extern char **environ;

/* How long to wait for output before a look at whether the program is still there: what it left
 * behind may keep the pipes open. One that is asked to end has some time for it. */
enum {
    WAIT_MS = 50,
    LOOK_EVERY = 256,
    GRACE_MS = 500,
    FIRST_WAIT_NS = 50000,
    CHUNK = 65536,
    SAID_MAX = 4096
};

typedef struct running {
    const bake_program *program;
    bake_program_end *end;
    program_watch watch;
    pid_t process; /* and the number of its group */
    int out, err;  /* our ends of the pipes; -1: closed */
    size_t capacity;
    bool is_over, no_memory;
    int status; /* once it is over */
    char said[SAID_MAX];
    size_t said_size;
    bool is_said_cut;
} running;

static void close_pipe(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

/* An end of a pipe that is none of the three standard files. */
static int lift(int file)
{
    int lifted = fcntl(file, F_DUPFD_CLOEXEC, 3);
    int error = errno;
    close(file);
    errno = error;
    return lifted;
}

/* False with errno set. Our end does not block. */
static bool make_pipe(int *ret_ours, int *ret_theirs)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    *ret_ours = lift(ends[0]);
    int error = errno;
    *ret_theirs = lift(ends[1]);
    if (*ret_ours < 0)
        errno = error;
    return *ret_ours >= 0 && *ret_theirs >= 0 && fcntl(*ret_ours, F_SETFL, O_NONBLOCK) == 0;
}

#ifndef HAVE_SPAWN_CLOSE_FROM
/* The files that we were given ourselves; those that the baker opens are closed in programs. */
static void close_others_there(void)
{
    for (int file = 3; file < 1024; file++) {
        int flags = fcntl(file, F_GETFD);
        if (flags >= 0 && !(flags & FD_CLOEXEC))
            fcntl(file, F_SETFD, flags | FD_CLOEXEC);
    }
}
#endif

/* An errno. */
static int set_files(posix_spawn_file_actions_t *actions, const bake_program *program, int out,
                     int err)
{
    int error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, out, 1);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, err, 2);
#ifdef HAVE_SPAWN_CLOSE_FROM
    if (!error)
        error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
    close_others_there();
#endif
#ifdef HAVE_SPAWN_CHDIR
    if (!error && program->folder && *program->folder)
        error = posix_spawn_file_actions_addchdir_np(actions, program->folder);
#else
    (void)program;
#endif
    return error;
}

/* Whoever started us may have had ends of programs ignored, and then nobody learns how they ended.
 */
static void learn_of_ends(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) != 0 ||
        (!(action.sa_flags & SA_NOCLDWAIT) && action.sa_handler != SIG_IGN))
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, NULL);
}

/* Signals that the baker ignores or holds back are not there. What the program starts is in its
 * group, and ends with it. */
static int set_signals(const running *r, posix_spawnattr_t *attributes)
{
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    int error = posix_spawnattr_setsigdefault(attributes, &usual);
    if (!error)
        error = posix_spawnattr_setsigmask(attributes, &r->watch.before);
    if (!error)
        error = posix_spawnattr_setpgroup(attributes, 0);
    return error ? error
                 : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF |
                                                            POSIX_SPAWN_SETSIGMASK |
                                                            POSIX_SPAWN_SETPGROUP);
}

static int spawn_here(running *r, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes)
{
    /* POSIX has the arguments be changeable and does not change them. */
    char *const *arguments = (char *const *)(uintptr_t)r->program->command;
    return posix_spawnp(&r->process, arguments[0], actions, attributes, arguments, environ);
}

static int spawn(running *r, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes)
{
#ifdef HAVE_SPAWN_CHDIR
    return spawn_here(r, actions, attributes);
#else
    if (!r->program->folder || !*r->program->folder)
        return spawn_here(r, actions, attributes);
    int here = open(".", O_RDONLY | O_CLOEXEC);
    int error = here < 0 || chdir(r->program->folder) != 0 ? errno : 0;
    if (!error) {
        error = spawn_here(r, actions, attributes);
        if (fchdir(here) != 0 && !error)
            error = errno;
    }
    close_pipe(&here);
    return error;
#endif
}

/* An errno. */
static int start(running *r)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int out = -1, err = -1;
    learn_of_ends();
    int error = make_pipe(&r->out, &out) && make_pipe(&r->err, &err) ? 0 : errno;
    if (!error && !(error = posix_spawn_file_actions_init(&actions))) {
        if (!(error = posix_spawnattr_init(&attributes))) {
            error = set_files(&actions, r->program, out, err);
            if (!error)
                error = set_signals(r, &attributes);
            if (!error)
                error = spawn(r, &actions, &attributes);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    close_pipe(&out);
    close_pipe(&err);
    return error;
}

static void stop(running *r)
{
    kill(-r->process, SIGKILL);
    close_pipe(&r->out);
    close_pipe(&r->err);
}

/* Whether there may be more to read now. */
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
    ssize_t got = read(r->out, end->output + end->size, CHUNK);
    if (got < 0 && errno != EINTR && errno != EAGAIN) {
        end->kind = BAKE_PROGRAM_NOT_STARTED;
        end->code = errno;
        stop(r);
        return false;
    }
    if (got < 0)
        return errno == EINTR;
    if (got == 0)
        close_pipe(&r->out);
    end->size += (size_t)got;
    if (end->size <= r->program->output_max)
        return got > 0;
    end->kind = BAKE_PROGRAM_TOO_LARGE;
    stop(r);
    return false;
}

static bool read_said(running *r)
{
    char chunk[SAID_MAX];
    ssize_t got = read(r->err, chunk, sizeof chunk);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return errno == EINTR;
    if (got <= 0)
        close_pipe(&r->err);
    size_t size = got > 0 ? (size_t)got : 0, room = sizeof r->said - size;
    size_t kept = room < r->said_size ? room : r->said_size;
    r->is_said_cut = r->is_said_cut || kept < r->said_size;
    memmove(r->said, r->said + r->said_size - kept, kept);
    memcpy(r->said + kept, chunk, size);
    r->said_size = kept + size;
    return size > 0;
}

/* What is in the pipes now. One that never is empty does not keep the other from being read. */
static void read_both(running *r)
{
    bool more = true;
    for (int i = 0; more && i < 64; i++) {
        more = r->out >= 0 && read_output(r);
        more = (r->err >= 0 && read_said(r)) || more;
    }
}

static void look_whether_over(running *r, int options)
{
    pid_t got;
    do
        got = waitpid(r->process, &r->status, options);
    while (got < 0 && errno == EINTR);
    r->is_over = got != 0;
    if (got < 0) {
        r->end->kind = BAKE_PROGRAM_NOT_STARTED;
        r->end->code = errno;
    }
}

/* Waits for output, or, where there will be none, for the end: at first not long. Whether nothing
 * came. */
static bool wait_for_more(running *r, long *wait)
{
    struct pollfd files[2] = {{r->out, POLLIN, 0}, {r->err, POLLIN, 0}};
    if (r->out >= 0 || r->err >= 0)
        return poll(files, 2, WAIT_MS) == 0;
    struct timespec time = {0, *wait};
    nanosleep(&time, NULL);
    *wait = *wait < WAIT_MS * 500000L ? *wait * 2 : WAIT_MS * 1000000L;
    return true;
}

/* Sends the group a signal, and waits for the program to end. */
static bool ends_by(running *r, int number, unsigned patience)
{
    unsigned long long start = bake_watch_time(&r->watch);
    long wait = FIRST_WAIT_NS;
    kill(-r->process, number);
    while (!bake_watch_has_ended(r->process) && bake_watch_time(&r->watch) - start < patience) {
        wait_for_more(r, &wait);
        read_both(r);
    }
    return bake_watch_has_ended(r->process);
}

/* Ends the program and what it started, which may clean up first. */
static void end_group(running *r, int number)
{
    ends_by(r, number, GRACE_MS);
    /* The group's number is nobody else's as long as the program was not waited for. */
    if (ends_by(r, SIGKILL, GRACE_MS))
        look_whether_over(r, 0);
    /* Nobody waits for what cannot be ended, as what runs for another user. */
    r->is_over = true;
    if (r->end->kind == BAKE_PROGRAM_EXITED)
        r->end->kind = BAKE_PROGRAM_TIMED_OUT;
}

static void read_all(running *r)
{
    long wait = FIRST_WAIT_NS;
    for (unsigned turn = 1; !r->is_over; turn++) {
        bool nothing = wait_for_more(r, &wait);
        int number = bake_watch_signal(&r->watch);
        /* What it wrote before its end is in the pipes, and is read after. */
        if (nothing || turn % LOOK_EVERY == 0)
            look_whether_over(r, WNOHANG);
        read_both(r);
        if (!r->is_over && (number || bake_watch_is_late(&r->watch)))
            end_group(r, number ? number : SIGTERM);
    }
    /* What it left behind may write for ever: no more is taken than a pipe holds. */
    for (int i = 0; i < 16; i++)
        read_both(r);
    close_pipe(&r->out);
    close_pipe(&r->err);
}

static bool keep_said(const running *r, bake_program_end *ret)
{
    if (r->said_size == 0)
        return true;
    ret->said = bake_copy_text(r->said, r->said_size);
    ret->said_size = r->said_size;
    ret->is_said_cut = r->is_said_cut;
    return ret->said != NULL;
}

static bool keep_output(running *r, bake_program_end *ret)
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
    running r = {.program = program, .end = ret, .out = -1, .err = -1};
    memset(ret, 0, sizeof *ret);
    bake_watch_begin(&r.watch, program->time_max);
    int error = start(&r);
    if (!error)
        read_all(&r);
    bake_watch_end(&r.watch);
    if (error) {
        close_pipe(&r.out);
        close_pipe(&r.err);
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
    bool kept = !r.no_memory && (good ? keep_output(&r, ret) : keep_said(&r, ret));
    if (!kept)
        bake_program_end_fini(ret);
    return kept;
}

void bake_program_end_fini(bake_program_end *end)
{
    bake_free(end->output);
    bake_free(end->said);
    memset(end, 0, sizeof *end);
}

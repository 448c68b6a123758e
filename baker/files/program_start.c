/* Programs are started by posix_spawn. fork would copy the page tables of all inputs, and between
 * fork and exec only async-signal-safe functions may be called. */
/* For glibc extensions, for which there are fallbacks. */
#define _GNU_SOURCE

#include "program_start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tests define BAKE_PORTABLE_SPAWN to test the fallbacks. */
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ) && !defined(BAKE_PORTABLE_SPAWN)
#if __GLIBC_PREREQ(2, 29)
#define HAVE_SPAWN_CHDIR 1
#endif
#if __GLIBC_PREREQ(2, 34)
#define HAVE_SPAWN_CLOSE_FROM 1
#endif
#endif

extern char **environ;

void bake_program_close(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

/* Moves an end of a pipe above the descriptors of the standard streams. */
static int lift(int file)
{
    int lifted = fcntl(file, F_DUPFD_CLOEXEC, 3);
    int error = errno;
    close(file);
    errno = error;
    return lifted;
}

/* Makes a pipe whose read end does not block; returns false with errno set. */
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
/* Sets close-on-exec on inherited files; those that the baker opens already have it. */
static void close_inherited(void)
{
    for (int file = 3; file < 1024; file++) {
        int flags = fcntl(file, F_GETFD);
        if (flags >= 0 && !(flags & FD_CLOEXEC))
            fcntl(file, F_SETFD, flags | FD_CLOEXEC);
    }
}
#endif

/* Sets up the standard streams and the folder; returns an errno. */
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
    close_inherited();
#endif
#ifdef HAVE_SPAWN_CHDIR
    if (!error && program->folder && *program->folder)
        error = posix_spawn_file_actions_addchdir_np(actions, program->folder);
#else
    (void)program;
#endif
    return error;
}

/* Restores SIGCHLD if the parent process ignored it. Otherwise the kernel would reap children at
 * once, and their exit codes would be lost. */
static void restore_sigchld(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) != 0 ||
        (!(action.sa_flags & SA_NOCLDWAIT) && action.sa_handler != SIG_IGN))
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, NULL);
}

/* The program starts with the signal mask `blocked`, and with the default actions of the signals
 * that the baker ignores. It gets its own process group, so that its children can be terminated
 * with it. */
static int set_signals(const sigset_t *blocked, posix_spawnattr_t *attributes)
{
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    int error = posix_spawnattr_setsigdefault(attributes, &usual);
    if (!error)
        error = posix_spawnattr_setsigmask(attributes, blocked);
    if (!error)
        error = posix_spawnattr_setpgroup(attributes, 0);
    return error ? error
                 : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF |
                                                            POSIX_SPAWN_SETSIGMASK |
                                                            POSIX_SPAWN_SETPGROUP);
}

static int spawn_here(const bake_program *program, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes, pid_t *ret)
{
    /* posix_spawnp takes non-const arguments for historical reasons, but does not modify them. */
    char *const *arguments = (char *const *)(uintptr_t)program->command;
    return posix_spawnp(ret, arguments[0], actions, attributes, arguments,
                        program->environment ? program->environment : environ);
}

#ifndef HAVE_SPAWN_CHDIR
/* Kills a program that was started although the caller must report a failure. */
static void kill_started(pid_t process)
{
    kill(-process, SIGKILL);
    kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR)
        continue;
}
#endif

static int spawn(const bake_program *program, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, pid_t *ret)
{
#ifdef HAVE_SPAWN_CHDIR
    return spawn_here(program, actions, attributes, ret);
#else
    if (!program->folder || !*program->folder)
        return spawn_here(program, actions, attributes, ret);
    int here = open(".", O_RDONLY | O_CLOEXEC);
    /* The first fchdir changes nothing. It shows in advance that the process can return to
     * its folder. */
    int error = here < 0 || fchdir(here) != 0 || chdir(program->folder) != 0 ? errno : 0;
    if (!error) {
        error = spawn_here(program, actions, attributes, ret);
        int moved = fchdir(here) == 0 ? 0 : errno;
        if (moved && !error)
            kill_started(*ret);
        error = error ? error : moved;
    }
    bake_program_close(&here);
    return error;
#endif
}

/* Spawns with the attributes set up above; returns an errno. */
static int spawn_with(const bake_program *program, const sigset_t *blocked, int out, int err,
                      pid_t *ret)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = set_files(&actions, program, out, err);
        if (!error)
            error = set_signals(blocked, &attributes);
        if (!error)
            error = spawn(program, &actions, &attributes, ret);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int bake_program_start(const bake_program *program, const sigset_t *blocked, program_process *ret)
{
    int out = -1, err = -1;
    *ret = (program_process){.out = -1, .err = -1};
    restore_sigchld();
    int error = make_pipe(&ret->out, &out) && make_pipe(&ret->err, &err) ? 0 : errno;
    while (!error) {
        error = spawn_with(program, blocked, out, err, &ret->number);
        if (error != EINTR)
            break;
        error = 0;
    }
    bake_program_close(&out);
    bake_program_close(&err);
    return error;
}

/* Only for x86-64, because it writes registers. */
#define _GNU_SOURCE

#include "fault_trace.h"

#include "heap_shim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The kernel's values, which the C library's header names differently. */
#include <linux/ptrace.h>

enum {
    TASKS_MAX = 64,
    NUMBERS_MAX = 512,
    OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
              PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL
};

typedef struct task {
    pid_t id;
    bool lives;
    bool fails;              /* the task is inside the call that fails */
    bool counts;             /* the dynamic linker is done: calls of the program itself count */
    unsigned long long kept; /* the original value of the argument that was changed for the call */
    unsigned short made[NUMBERS_MAX];
} task;

typedef struct follower {
    const fault_trace_def *def;
    fault_trace trace;
    task tasks[TASKS_MAX];
    unsigned task_count;
    unsigned long long loader, loader_end;
    size_t call_capacity;
    bool has_started; /* executes the program, no longer the code of this test */
} follower;

static volatile sig_atomic_t is_late;

static void be_late(int number)
{
    (void)number;
    is_late = 1;
}

static task *task_of(follower *f, pid_t id)
{
    for (unsigned i = 0; i < f->task_count; i++)
        if (f->tasks[i].id == id)
            return &f->tasks[i];
    if (f->task_count == TASKS_MAX)
        fail_msg("more than %d tasks", TASKS_MAX);
    task *added = &f->tasks[f->task_count++];
    memset(added, 0, sizeof *added);
    added->id = id;
    added->lives = true;
    added->counts = f->task_count > 1;
    return added;
}

/* The address of the dynamic linker: the last file mapped before the program's first instruction.
 */
static void find_loader(follower *f, pid_t id)
{
    char path[64], line[512], name[256], last[256] = "";
    unsigned long long start, end;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)id);
    FILE *maps = fopen(path, "re");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %255s", &start, &end, name) == 3 &&
            name[0] == '/') {
            if (strcmp(name, last) != 0)
                f->loader = start;
            strcpy(last, name);
            f->loader_end = end;
        }
    fclose(maps);
}

static void read_text(pid_t id, unsigned long long at, char *text, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        struct iovec ours = {text + i, 1}, theirs = {(void *)(uintptr_t)(at + i), 1};
        if (process_vm_readv(id, &ours, 1, &theirs, 1, 0) != 1)
            text[i] = '\0';
        if (!text[i])
            return;
    }
    text[size - 1] = '\0';
}

static void read_descriptor(fault_trace *trace, pid_t id, unsigned long long descriptor)
{
    char path[64], line[128];
    unsigned flags = 0;
    trace->descriptor = (int)descriptor;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)id, (int)descriptor);
    ssize_t length = readlink(path, trace->file, sizeof trace->file - 1);
    trace->file[length < 0 ? 0 : length] = '\0';
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)id, (int)descriptor);
    FILE *info = fopen(path, "re");
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "flags: %o", &flags) == 1)
            trace->was_writing = (flags & O_ACCMODE) != O_RDONLY;
    if (info)
        fclose(info);
}

/* Records the subject of the call that fails. */
static void look_at_call(fault_trace *trace, pid_t id, const struct ptrace_syscall_info *info)
{
    unsigned number = (unsigned)info->entry.nr;
    fault_about about = fault_call_about(number);
    if (number == SYS_linkat || number == SYS_renameat || number == SYS_renameat2)
        read_text(id, info->entry.args[3], trace->file, sizeof trace->file);
    else if (number == SYS_link || number == SYS_rename)
        read_text(id, info->entry.args[1], trace->file, sizeof trace->file);
    else if (about == FAULT_ABOUT_PATH)
        read_text(id, info->entry.args[0], trace->file, sizeof trace->file);
    else if (about == FAULT_ABOUT_PATH_AT)
        read_text(id, info->entry.args[1], trace->file, sizeof trace->file);
    if (about == FAULT_ABOUT_FILE || (about == FAULT_ABOUT_PATH_AT && !trace->file[0]))
        read_descriptor(trace, id, info->entry.args[0]);
    if (number == SYS_mmap && !(info->entry.args[3] & 0x20))
        read_descriptor(trace, id, info->entry.args[4]);
}

static void note_call(follower *f, const fault_call *call)
{
    fault_trace *trace = &f->trace;
    if (trace->call_count == f->call_capacity) {
        f->call_capacity = f->call_capacity ? f->call_capacity * 2 : 256;
        trace->calls = realloc(trace->calls, f->call_capacity * sizeof *trace->calls);
        assert_non_null(trace->calls);
    }
    trace->calls[trace->call_count++] = *call;
}

static void set_register(pid_t id, size_t offset, unsigned long long value)
{
    ptrace(PTRACE_POKEUSER, id, offset, value);
}

#define REGISTER(name) offsetof(struct user_regs_struct, name)

/* Called before the call is made. */
static void fail_call(follower *f, task *t, const struct ptrace_syscall_info *info)
{
    const fault_way *what = &f->def->way;
    t->fails = true;
    f->trace.is_hit = true;
    look_at_call(&f->trace, t->id, info);
    if (!what->error) {
        t->kept = info->entry.args[2];
        if (t->kept > 1)
            set_register(t->id, REGISTER(rdx), t->kept / 2);
    } else if (info->entry.nr == SYS_brk) {
        /* The call fails without any effect. */
        t->kept = info->entry.args[0];
        set_register(t->id, REGISTER(rdi), 0);
    } else if (info->entry.nr != SYS_close) {
        /* A close releases the descriptor even if it fails. */
        set_register(t->id, REGISTER(orig_rax), (unsigned long long)-1);
    }
}

static void end_call(const follower *f, task *t)
{
    const fault_way *what = &f->def->way;
    t->fails = false;
    if (!what->error)
        set_register(t->id, REGISTER(rdx), t->kept);
    else if (what->call.number == SYS_brk)
        set_register(t->id, REGISTER(rdi), t->kept);
    else
        set_register(t->id, REGISTER(rax), (unsigned long long)-(long long)what->error);
}

/* Finds what is still open when the program exits. Its threads have ended or end with it. */
static void look_at_end(fault_trace *trace, pid_t id)
{
    char path[64], line[512], name[256];
    const struct dirent *entry;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)id);
    DIR *files = opendir(path);
    while (files && (entry = readdir(files)) != NULL)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) > 2) {
            char link[330];
            snprintf(link, sizeof link, "/proc/%d/fd/%s", (int)id, entry->d_name);
            ssize_t length = readlink(link, trace->left, sizeof trace->left - 1);
            trace->left[length < 0 ? 0 : length] = '\0';
        }
    if (files)
        closedir(files);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)id);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps)) {
        size_t length = strcspn(line, "\n");
        line[length] = '\0';
        if (sscanf(line, "%*s %*s %*s %*s %*s %255s", name) == 1 && length > 5 &&
            (strcmp(line + length - 5, ".kiln") == 0 || strcmp(line + length - 4, ".map") == 0))
            strcpy(trace->left, name);
    }
    if (maps)
        fclose(maps);
}

static bool counts(const follower *f, task *t, const struct ptrace_syscall_info *info)
{
    unsigned long long at = info->instruction_pointer;
    if (!t->counts && f->has_started && (at < f->loader || at >= f->loader_end))
        t->counts = true;
    /* The kernel issues restart_syscall to resume a wait that a signal or a stop interrupted. The
     * program does not call it, and how often it occurs depends on the load of the machine. */
    return t->counts && info->entry.nr < NUMBERS_MAX && info->entry.nr != SYS_exit &&
           info->entry.nr != SYS_exit_group && info->entry.nr != SYS_rt_sigreturn &&
           info->entry.nr != SYS_restart_syscall;
}

static void enter_call(follower *f, task *t, const struct ptrace_syscall_info *info)
{
    unsigned number = (unsigned)info->entry.nr;
    const fault_way *what = &f->def->way;
    if (number == SYS_prctl && info->entry.args[0] == HEAP_SHIM_TELLS) {
        f->trace.counts_heap = true;
        f->trace.heap_blocks = (long)info->entry.args[1];
        t->counts = false;
        f->has_started = false;
        return;
    }
    if (number == SYS_exit_group && f->task_count && t == &f->tasks[0])
        look_at_end(&f->trace, t->id);
    if (!counts(f, t, info))
        return;
    fault_call call = {.task = (unsigned)(t - f->tasks), .number = number};
    call.ordinal = t->made[number]++;
    memcpy(call.arguments, info->entry.args, sizeof call.arguments);
    if (f->def->records)
        note_call(f, &call);
    if (what->is_given && what->call.task == call.task && what->call.number == number &&
        what->call.ordinal == call.ordinal)
        fail_call(f, t, info);
}

/* The signal with which to continue a stopped task. */
static int answer(follower *f, task *t, int status, bool *ret_detach)
{
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
        struct ptrace_syscall_info info;
        memset(&info, 0, sizeof info);
        if (ptrace(PTRACE_GET_SYSCALL_INFO, t->id, sizeof info, &info) <= 0)
            return 0;
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
            enter_call(f, t, &info);
        else if (info.op == PTRACE_SYSCALL_INFO_EXIT && t->fails)
            end_call(f, t);
        return 0;
    }
    if (status >> 16 == PTRACE_EVENT_EXEC) {
        if (t == &f->tasks[0]) {
            find_loader(f, t->id);
            f->has_started = true;
        } else {
            *ret_detach = true;
        }
        return 0;
    }
    /* Events, and the stop with which each new task begins, are not signals to deliver. */
    return status >> 16 || signal == SIGSTOP || signal == SIGTRAP ? 0 : signal;
}

static void be_child(const fault_trace_def *def)
{
    int in = -1, out = -1, err = -1;
    if (chdir(def->folder) == 0) {
        in = open(def->input, O_RDONLY | O_CLOEXEC);
        out = open(def->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        err = open(def->said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(126);
    syscall(SYS_close_range, 3U, ~0U, 0U);
    /* With the same memory layout, each run makes the same calls. */
    personality(ADDR_NO_RANDOMIZE);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    execve(def->words[0], def->words, def->environment);
    _exit(127);
}

/* Runs until every task has ended or is no longer followed. */
static void follow(follower *f, pid_t program)
{
    int status;
    for (unsigned living = 1; living > 0;) {
        pid_t id = waitpid(-1, &status, __WALL);
        if (id < 0 && errno == EINTR && is_late) {
            f->trace.is_hung = true;
            for (unsigned i = 0; i < f->task_count; i++)
                if (f->tasks[i].lives)
                    kill(f->tasks[i].id, SIGKILL);
            is_late = 0;
            continue;
        }
        if (id < 0 && errno == EINTR)
            continue;
        if (id < 0)
            break;
        unsigned known = f->task_count;
        task *t = task_of(f, id);
        living += f->task_count - known;
        bool detaches = false;
        if (WIFSTOPPED(status)) {
            int signal = answer(f, t, status, &detaches);
            ptrace(detaches ? PTRACE_DETACH : PTRACE_SYSCALL, id, 0, signal);
        } else if (id == program) {
            f->trace.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
            f->trace.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        if (detaches || !WIFSTOPPED(status)) {
            t->lives = false;
            living--;
            /* The process id may be reused. */
            t->id = 0;
        }
    }
}

static void set_timer(int seconds)
{
    struct itimerval timer = {{seconds ? 1 : 0, 0}, {seconds, 0}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = be_late;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

fault_trace fault_trace_start(const fault_trace_def *def)
{
    static follower f;
    memset(&f, 0, sizeof f);
    f.def = def;
    f.trace.descriptor = -1;
    int status;
    pid_t child = fork();
    if (child < 0)
        fail_msg("cannot start %s: %s", def->words[0], strerror(errno));
    if (child == 0)
        be_child(def);
    if (waitpid(child, &status, 0) != child)
        fail_msg("cannot wait for %s: %s", def->words[0], strerror(errno));
    if (!WIFSTOPPED(status))
        fail_msg("cannot trace %s: status %d", def->words[0], status);
    task_of(&f, child);
    if (ptrace(PTRACE_SETOPTIONS, child, 0, OPTIONS) != 0)
        fail_msg("cannot trace %s: %s", def->words[0], strerror(errno));
    is_late = 0;
    set_timer(FAULT_SECONDS_MAX);
    ptrace(PTRACE_SYSCALL, child, 0, 0);
    follow(&f, child);
    set_timer(0);
    return f.trace;
}

void fault_trace_fini(fault_trace *trace)
{
    free(trace->calls);
    memset(trace, 0, sizeof *trace);
}

bool fault_trace_is_possible(void)
{
    int status = 0;
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
            _exit(1);
        raise(SIGSTOP);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        return false;
    struct ptrace_syscall_info info;
    bool possible = ptrace(PTRACE_SETOPTIONS, child, 0, OPTIONS) == 0 &&
                    ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) > 0;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return possible;
}

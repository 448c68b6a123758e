/* The names of system calls. */
#define _GNU_SOURCE

#include "fault_trace.h"

#include <sys/syscall.h>

typedef struct known_call {
    unsigned number;
    fault_about about;
    const char *name;
} known_call;

#define CALL(name, about)                                                                          \
    {                                                                                              \
        SYS_##name, FAULT_ABOUT_##about, #name                                                     \
    }

static const known_call known[] = {
    CALL(access, PATH),
    CALL(arch_prctl, NOTHING),
    CALL(brk, NOTHING),
    CALL(chdir, PATH),
    CALL(clock_nanosleep, NOTHING),
    CALL(clone, NOTHING),
    CALL(clone3, NOTHING),
    CALL(close, FILE),
    CALL(close_range, NOTHING),
    CALL(dup, FILE),
    CALL(dup2, FILE),
    CALL(dup3, FILE),
    CALL(execve, PATH),
    CALL(faccessat2, PATH_AT),
    CALL(fallocate, FILE),
    CALL(fchmod, FILE),
    CALL(fchown, FILE),
    CALL(fcntl, FILE),
    CALL(fdatasync, FILE),
    CALL(fgetxattr, FILE),
    CALL(flistxattr, FILE),
    CALL(flock, FILE),
    CALL(fsetxattr, FILE),
    CALL(getxattr, PATH),
    CALL(lgetxattr, PATH),
    CALL(llistxattr, PATH),
    CALL(lsetxattr, PATH),
    CALL(lremovexattr, PATH),
    CALL(fremovexattr, FILE),
    CALL(listxattr, PATH),
    CALL(setxattr, PATH),
    CALL(getrlimit, NOTHING),
    CALL(setrlimit, NOTHING),
    CALL(fchownat, PATH_AT),
    CALL(symlinkat, NOTHING),
    CALL(fstat, FILE),
    CALL(fstatfs, FILE),
    CALL(fsync, FILE),
    CALL(ftruncate, FILE),
    CALL(futex, NOTHING),
    CALL(getcwd, NOTHING),
    CALL(getdents64, FILE),
    CALL(getegid, NOTHING),
    CALL(geteuid, NOTHING),
    CALL(getgid, NOTHING),
    CALL(getpid, NOTHING),
    CALL(getppid, NOTHING),
    CALL(getrandom, NOTHING),
    CALL(gettid, NOTHING),
    CALL(getuid, NOTHING),
    CALL(ioctl, FILE),
    CALL(kill, NOTHING),
    CALL(link, PATH),
    CALL(linkat, PATH_AT),
    CALL(lseek, FILE),
    CALL(lstat, PATH),
    CALL(madvise, NOTHING),
    CALL(mkdir, PATH),
    CALL(mkdirat, PATH_AT),
    CALL(mmap, NOTHING),
    CALL(mprotect, NOTHING),
    CALL(mremap, NOTHING),
    CALL(munmap, NOTHING),
    CALL(newfstatat, PATH_AT),
    CALL(open, PATH),
    CALL(openat, PATH_AT),
    CALL(pipe, NOTHING),
    CALL(pipe2, NOTHING),
    CALL(poll, NOTHING),
    CALL(ppoll, NOTHING),
    CALL(pread64, FILE),
    CALL(prlimit64, NOTHING),
    CALL(pwrite64, FILE),
    CALL(read, FILE),
    CALL(readlink, PATH),
    CALL(readlinkat, PATH_AT),
    CALL(rename, PATH),
    CALL(renameat, PATH_AT),
    CALL(renameat2, PATH_AT),
    CALL(rseq, NOTHING),
    CALL(rt_sigaction, NOTHING),
    CALL(rt_sigpending, NOTHING),
    CALL(rt_sigprocmask, NOTHING),
    CALL(sched_getaffinity, NOTHING),
    CALL(sched_yield, NOTHING),
    CALL(set_robust_list, NOTHING),
    CALL(set_tid_address, NOTHING),
    CALL(setpgid, NOTHING),
    CALL(sigaltstack, NOTHING),
    CALL(stat, PATH),
    CALL(statfs, PATH),
    CALL(statx, PATH_AT),
    CALL(sysinfo, NOTHING),
    CALL(tgkill, NOTHING),
    CALL(umask, NOTHING),
    CALL(uname, NOTHING),
    CALL(unlink, PATH),
    CALL(unlinkat, PATH_AT),
    CALL(vfork, NOTHING),
    CALL(wait4, NOTHING),
    CALL(waitid, NOTHING),
    CALL(write, FILE),
    CALL(writev, FILE),
};

static const known_call *find(unsigned number)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number)
            return &known[i];
    return NULL;
}

const char *fault_call_name(unsigned number)
{
    const known_call *call = find(number);
    return call ? call->name : NULL;
}

fault_about fault_call_about(unsigned number)
{
    const known_call *call = find(number);
    return call ? call->about : FAULT_ABOUT_NOTHING;
}

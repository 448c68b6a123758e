#define _GNU_SOURCE

#include "fault_judge.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

void fault_result_fini(fault_result *result)
{
    fault_trace_fini(&result->trace);
    bytes_fini(&result->printed);
    bytes_fini(&result->said);
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX; i++)
        bytes_fini(&result->outputs[i]);
}

/* Whether the error means that no file has the given name. */
static bool is_absence(const fault_way *way, const fault_trace *trace)
{
    return trace->descriptor < 0 && trace->file[0] &&
           (way->error == ENOENT || way->error == ENOTDIR || way->error == ELOOP ||
            way->error == ENAMETOOLONG);
}

/* Whether the program may continue as if the file did not exist. */
static bool is_taken_for_absence(const fault_run *run, const fault_way *way,
                                 const fault_trace *trace)
{
    return is_absence(way, trace) ||
           (run->is_guessing &&
            (way->error == EACCES || way->error == EFBIG || way->error == ENOTDIR));
}

/* Commands of fcntl that can wait for a lock. */
static bool waits_for_lock(unsigned long long command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
           command == F_OFD_SETLKW;
}

static bool is_wait(unsigned long long futex)
{
    futex &= FUTEX_CMD_MASK;
    return futex == FUTEX_WAIT || futex == FUTEX_WAIT_BITSET;
}

bool fault_is_left_out(const fault_call *call, int error)
{
    switch (call->number) {
    case SYS_getdents64:
        /* The C library reads a removed folder as an empty one. */
        return error == ENOENT;
    case SYS_futex:
        /* The C library aborts the program if a wait fails with any error except EAGAIN and EINTR.
         * Waking a thread never fails. */
        return (error != EAGAIN && error != EINTR) || !is_wait(call->arguments[1]);
    case SYS_fcntl:
        return error == EINTR && !waits_for_lock(call->arguments[1]);
    case SYS_newfstatat:
        /* With this flag, the call acts on an open file, not on a path. */
        return (call->arguments[3] & AT_EMPTY_PATH) != 0 &&
               (error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG);
    case SYS_brk:
        /* A query of the end of the heap cannot fail. */
        return call->arguments[0] == 0;
    default:
        return false;
    }
}

static bool says(const fault_result *result, const char *text)
{
    return result->said.data && memmem(result->said.data, result->said.size, text, strlen(text));
}

/* Whether the program must repeat the call (EINTR) or continue it (`short`). */
static bool is_harmless(const fault_way *way)
{
    return way->error == EINTR || way->error == 0;
}

/* Whether the written data is lost for good. */
static bool loses_data(const fault_way *way, const fault_trace *trace)
{
    if (is_harmless(way) || way->error == EAGAIN || !trace->was_writing ||
        strncmp(trace->file, "pipe:", 5) == 0)
        return false;
    switch (way->call.number) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_close:
    case SYS_fsync:
    case SYS_fdatasync:
        return trace->descriptor != 2;
    default:
        return false;
    }
}

/* Whether the failed call concerns the spool, which is only a copy. Outputs are written with
 * `write`, and have their names when they are closed. */
static bool is_of_spool(const fault_run *run, const fault_way *way, const fault_trace *trace)
{
    return run->has_spool && (way->call.number == SYS_pwrite64 ||
                              (way->call.number == SYS_close && strstr(trace->file, " (deleted)")));
}

static bool is_memory(unsigned number)
{
    return number == SYS_mmap || number == SYS_brk || number == SYS_mremap ||
           number == SYS_mprotect || number == SYS_madvise || number == SYS_munmap;
}

static bool names_output(const fault_run *run, const fault_result *result)
{
    bool does = false;
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX && run->outputs[i].path; i++)
        does = does || says(result, run->outputs[i].path);
    return does;
}

/* Whether a message names the subject of the call. */
static bool names_file(const fault_run *run, const fault_result *result, const fault_way *way)
{
    const fault_trace *trace = &result->trace;
    char name[256];
    if (trace->descriptor >= 0 && trace->descriptor <= 2)
        return says(result, "standard") || says(result, "stdin") || says(result, "output");
    const char *slash = strrchr(trace->file, '/');
    strcpy(name, slash ? slash + 1 : trace->file);
    if (strncmp(trace->file, "pipe:", 5) == 0 || strstr(trace->file, "/dev/null") ||
        !trace->file[0])
        return true;
    /* A temporary file is reported by the name of its output. */
    if (!name[0] || name[0] == '#' || strstr(trace->file, "(deleted)") || strstr(name, ".tmp") ||
        strcmp(name, "out") == 0)
        return names_output(run, result);
    return is_memory(way->call.number) || says(result, name);
}

/* Whether the message is an input error: an importer that cannot be started, or an embedded file
 * that cannot be read. */
static bool blames_value(const fault_result *result)
{
    return (says(result, "the importer") && says(result, "[import]")) ||
           (says(result, "cannot read") && says(result, "[file]"));
}

static bool is_code_promised(const fault_run *run, const fault_way *way, const fault_result *result)
{
    int code = result->trace.code;
    if (run->kind == FAULT_OF_LIBRARY)
        return code == 1 || code == 2;
    if (run->kind == FAULT_OF_BAKER && code == 1)
        return is_absence(way, &result->trace) || blames_value(result);
    return code == 2;
}

/* Streams of the C library do not continue after an interruption. The samples and the
 * baker's help write through them. */
static bool is_streamed(const fault_run *run, const fault_result *result)
{
    return run->kind == FAULT_OF_LIBRARY ||
           (run->kind == FAULT_OF_BAKER && !run->outputs[0].path && result->trace.descriptor == 1 &&
            says(result, "cannot write standard output"));
}

static const char *judge_failure(const fault_run *run, const fault_way *way,
                                 const fault_result *result)
{
    int number = result->trace.descriptor;
    bool is_mute = number == 2 || (run->kind == FAULT_OF_INSPECTOR && way->error == EPIPE);
    if (is_harmless(way) && !is_streamed(run, result))
        return "does not continue";
    if (!is_code_promised(run, way, result))
        return "unexpected exit code";
    if (!is_mute && result->said.size == 0)
        return "prints no message";
    if (says(result, "memory") && (way->error == ENOMEM || is_memory(way->call.number)))
        return NULL;
    if (run->kind != FAULT_OF_LIBRARY && !is_mute && !says(result, strerror(way->error)) &&
        !is_absence(way, &result->trace))
        return "does not name the reason";
    bool is_other = result->trace.code == 1 && is_absence(way, &result->trace);
    if (run->kind != FAULT_OF_LIBRARY && !is_mute && !is_other && !names_file(run, result, way))
        return "does not name the file";
    return NULL;
}

/* Whether the error means that an attribute is not supported here, or no longer exists. */
static bool refuses_attributes(const fault_way *way)
{
    switch (way->error) {
    case EPERM:
    case EACCES:
    case EINVAL:
    case EOPNOTSUPP:
    case ENOSYS:
    case ENODATA:
    case ERANGE:
    case ENOENT:
        return true;
    default:
        return false;
    }
}

static const char *judge_success(const fault_run *run, const fault_way *way,
                                 const fault_result *result, const fault_result *plain)
{
    const fault_trace *trace = &result->trace;
    /* Samples do not check whether printing fails. */
    if (run->kind == FAULT_OF_LIBRARY && trace->descriptor >= 0 && trace->descriptor <= 2)
        return NULL;
    if (loses_data(way, trace) && !is_of_spool(run, way, trace))
        return "success despite a failed write";
    if (is_taken_for_absence(run, way, trace))
        return result->is_broken ? "success, but an output is broken" : NULL;
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX && run->outputs[i].path; i++)
        if (!bytes_equal(result->outputs[i], plain->outputs[i]))
            return "success, but an output is missing or different";
    if (strcmp(result->attributes, plain->attributes) != 0 && !refuses_attributes(way))
        return "success, but an output has lost its mode or an attribute";
    if (!run->varies && !bytes_equal(result->printed, plain->printed))
        return "success, but its output differs";
    if (trace->descriptor != 2 && !bytes_equal(result->said, plain->said))
        return "success, but its messages differ";
    return NULL;
}

/* Whether an output may differ from that of the undisturbed run: it reports the failure, or was
 * made as if a file did not exist. */
static bool may_differ(const fault_run *run, const fault_way *way, const fault_result *result)
{
    return !result->is_broken &&
           (run->is_telling || is_taken_for_absence(run, way, &result->trace));
}

const char *fault_judge(const fault_run *run, const fault_way *way, const fault_result *result,
                        const fault_result *plain, const bytes *before)
{
    const fault_trace *trace = &result->trace;
    if (trace->is_hung)
        return "hangs";
    if (trace->signal)
        return "killed by a signal";
    const char *wrong = trace->code == run->code ? judge_success(run, way, result, plain)
                                                 : judge_failure(run, way, result);
    if (wrong)
        return wrong;
    for (size_t i = 0; i < FAULT_OUTPUTS_MAX && run->outputs[i].path; i++)
        if (!bytes_equal(result->outputs[i], plain->outputs[i]) &&
            !bytes_equal(result->outputs[i], before[i]) && !may_differ(run, way, result))
            return "an output is incomplete";
    bool unlinks = way->call.number == SYS_unlink || way->call.number == SYS_unlinkat;
    if (result->stray[0] && !unlinks)
        return "leaves a file that is not an output";
    if (run->kind == FAULT_OF_LIBRARY && !run->is_tidy && trace->code != run->code)
        return NULL;
    bool unmaps = way->call.number == SYS_munmap;
    if (trace->left[0] && !unmaps)
        return "leaves a descriptor open or a file mapped";
    bool is_stream = run->kind == FAULT_OF_LIBRARY && trace->descriptor == 1;
    if (!is_stream && trace->counts_heap && trace->heap_blocks > plain->trace.heap_blocks)
        return "leaks memory";
    return NULL;
}

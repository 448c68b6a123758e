/* Runs a program, follows its system calls as its debugger, and makes one of them fail.
 *
 * A call is known by the task that makes it (0 is the program itself, threads and forked children
 * follow in the order of their start), its number, and how many calls of that number the task has
 * made before. Calls of the dynamic linker before the program starts do not count. A child is
 * followed until it executes another program.
 *
 * Functions end the test where the machine itself fails. */
#ifndef FAULT_TRACE_H
#define FAULT_TRACE_H

#include <stdbool.h>
#include <stddef.h>

/* How long a program may run before it counts as hung. Where much else runs, one that is followed
 * may take seconds. */
enum { FAULT_SECONDS_MAX = 60 };

typedef struct fault_call {
    unsigned task;
    unsigned number;
    unsigned ordinal;
    unsigned long long arguments[6];
} fault_call;

typedef struct fault_way {
    fault_call call;
    int error;     /* the errno; 0: the call moves half of its bytes */
    bool is_given; /* false: nothing fails */
} fault_way;

typedef struct fault_trace_def {
    char *const *words; /* program and arguments, then NULL */
    char *const *environment;
    const char *folder; /* to run in */
    const char *input;  /* of the standard streams, from `folder` */
    const char *output;
    const char *said;
    fault_way way;
    bool records; /* fill `calls` */
} fault_trace_def;

/* How the program ended. */
typedef struct fault_trace {
    int signal; /* that ended it; 0: none */
    int code;   /* of its exit; -1: a signal */
    bool is_hung;
    bool is_hit;       /* the call that was to fail was made */
    bool was_writing;  /* that call wrote, or closed what was open for writing */
    int descriptor;    /* that the call was given; -1: none */
    char file[256];    /* what the call was about: a path, or what the descriptor was; or "" */
    char left[256];    /* a descriptor or mapped file still open at the exit; or "" */
    bool counts_heap;  /* heap_shim was loaded and the program came to its end */
    long heap_blocks;  /* that were not freed */
    fault_call *calls; /* for free() */
    size_t call_count;
} fault_trace;

/* False where the system does not let programs be followed. */
bool fault_trace_is_possible(void);
fault_trace fault_trace_start(const fault_trace_def *def);
void fault_trace_fini(fault_trace *trace);

/* What a call is known as; NULL for one that fault_calls.c does not list. */
const char *fault_call_name(unsigned number);

typedef enum fault_about {
    FAULT_ABOUT_NOTHING,
    FAULT_ABOUT_FILE,   /* the first argument is a descriptor */
    FAULT_ABOUT_PATH,   /* the first argument is a path */
    FAULT_ABOUT_PATH_AT /* the second is, or empty, and then the first is a descriptor */
} fault_about;

fault_about fault_call_about(unsigned number);

#endif

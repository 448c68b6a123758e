/* Runs a program under ptrace, follows its system calls, and makes one of them fail.
 *
 * A call is identified by the task that makes it, its number, and how many calls with that number
 * the task made before. Task 0 is the program itself; threads and forked children are numbered in
 * the order of their start. Calls of the dynamic linker before the program starts are not counted.
 * A child is followed until it executes another program.
 *
 * Functions exit the test if the machine itself fails. */
#ifndef FAULT_TRACE_H
#define FAULT_TRACE_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds before a program counts as hung. A traced program can take seconds on a busy machine. */
enum { FAULT_SECONDS_MAX = 60 };

typedef struct fault_call {
    unsigned task;
    unsigned number;
    unsigned ordinal;
    unsigned long long arguments[6];
} fault_call;

typedef struct fault_way {
    fault_call call;
    int error;     /* errno of the failure; 0 means that the call transfers half of its bytes */
    bool is_given; /* false: no call fails */
} fault_way;

typedef struct fault_trace_def {
    char *const *words; /* program and arguments, terminated by NULL */
    char *const *environment;
    const char *folder; /* working folder */
    const char *input;  /* standard streams, relative to `folder` */
    const char *output;
    const char *said;
    fault_way way;
    bool records; /* fill `calls` */
} fault_trace_def;

/* How the program ended. */
typedef struct fault_trace {
    int signal; /* that killed it; 0 for none */
    int code;   /* exit code; -1 if a signal killed it */
    bool is_hung;
    bool is_hit;       /* the selected call was made */
    bool was_writing;  /* that call wrote, or closed a descriptor opened for writing */
    int descriptor;    /* argument of that call; -1 for none */
    char file[256];    /* subject of the call: a path, or the file of the descriptor; or "" */
    char left[256];    /* a descriptor or mapped file still open at exit, or "" */
    bool counts_heap;  /* heap_shim was loaded and the program reached its exit */
    long heap_blocks;  /* blocks that were not freed */
    fault_call *calls; /* the caller frees this */
    size_t call_count;
} fault_trace;

/* Returns false if the system does not allow tracing. */
bool fault_trace_is_possible(void);
fault_trace fault_trace_start(const fault_trace_def *def);
void fault_trace_fini(fault_trace *trace);

/* Returns the name of a call; NULL if fault_calls.c does not list it. */
const char *fault_call_name(unsigned number);

typedef enum fault_about {
    FAULT_ABOUT_NOTHING,
    FAULT_ABOUT_FILE,   /* the first argument is a descriptor */
    FAULT_ABOUT_PATH,   /* the first argument is a path */
    FAULT_ABOUT_PATH_AT /* the second is a path; if it is empty, the first is a descriptor */
} fault_about;

fault_about fault_call_about(unsigned number);

#endif

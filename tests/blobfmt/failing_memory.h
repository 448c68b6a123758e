/* Makes each allocation of an attempt fail in turn. */
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

#include <kiln/allocator.h>
#include <kiln/status.h>

/* An attempt: calls that start with nothing and free everything with this allocator. */
typedef kiln_status memory_attempt(const kiln_allocator *allocator, kiln_error *reterr);

/* Lets each allocation of the attempt fail in turn, first alone, then together with all later ones.
 * The test fails unless each failure is reported by status and error, and all memory is freed.
 * Returns the number of failures, at least one. */
size_t check_each_failure(memory_attempt *try);
/* Like check_each_failure, but with single failures only, and also for attempts that allocate
 * nothing. For attempts that are repeated with many lengths. */
size_t check_each_lone_failure(memory_attempt *try);

#endif

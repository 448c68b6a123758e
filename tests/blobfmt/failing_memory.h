/* Makes each allocation of an attempt fail in turn. */
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

#include <kiln/allocator.h>
#include <kiln/status.h>

/* An attempt: calls that start with nothing and free everything with this allocator. */
typedef kiln_status memory_attempt(const kiln_allocator *allocator, kiln_error *reterr);

/* Fails each allocation of the attempt, alone and together with all later ones. Fails the test
 * unless status and error report it each time and all memory is freed. Returns the number of
 * failures, at least one. */
size_t check_each_failure(memory_attempt *try);
/* The same with single failures only. There may be none. For attempts that are repeated with many
 * lengths. */
size_t check_each_lone_failure(memory_attempt *try);

#endif

/* Memory runs out at each allocation in turn. */
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

#include <kiln/allocator.h>
#include <kiln/status.h>

/* Calls from nothing to nothing again, with this allocator. */
typedef kiln_status memory_attempt(const kiln_allocator *allocator, kiln_error *reterr);

/* Each allocation of the attempt fails, alone and with all later ones: fails the test unless status
 * and error say so each time, and nothing is left behind. Gives the number of failures, at least
 * one. */
size_t check_each_failure(memory_attempt *try);
/* The same with each alone, which may be none: for attempts of many lengths. */
size_t check_each_lone_failure(memory_attempt *try);

#endif

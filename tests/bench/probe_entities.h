/* The figures of the entity store, each compared with a plain program that uses flat arrays. The
 * argument is the number of entities. By default both sides advise the system to use 4 KiB pages;
 * `_huge` variants advise 2 MiB pages. */
#ifndef PROBE_ENTITIES_H
#define PROBE_ENTITIES_H

#include "bench_span.h"

/* Create from columns; `listed` also returns the handles. Baseline: one memcpy per column. */
const char *probe_create_warm(const char *count, bench_pair *ret_pair);
const char *probe_create_warm_huge(const char *count, bench_pair *ret_pair);
const char *probe_create_fresh(const char *count, bench_pair *ret_pair);
const char *probe_create_fresh_huge(const char *count, bench_pair *ret_pair);
const char *probe_create_listed(const char *count, bench_pair *ret_pair);
/* Create one at a time. Baseline: appending rows. */
const char *probe_create_single(const char *count, bench_pair *ret_pair);
const char *probe_create_appended(const char *count, bench_pair *ret_pair);
/* The speed-up by a second thread. Baseline: the speed-up of memcpy. */
const char *probe_create_threads(const char *count, bench_pair *ret_pair);
const char *probe_create_threads_fresh(const char *count, bench_pair *ret_pair);

/* Ids only: in fresh pages, in touched pages, after all were freed. Baseline: a list of free ids.
 */
const char *probe_ids_fresh(const char *count, bench_pair *ret_pair);
const char *probe_ids_first(const char *count, bench_pair *ret_pair);
const char *probe_ids_again(const char *count, bench_pair *ret_pair);

/* Read a component by handle in random order, one or many per call. Baseline: a gather with a
 * version check. */
const char *probe_by_handle(const char *count, bench_pair *ret_pair);
const char *probe_by_handle_huge(const char *count, bench_pair *ret_pair);
const char *probe_by_handle_unprepared(const char *count, bench_pair *ret_pair);
const char *probe_by_handles(const char *count, bench_pair *ret_pair);
/* Read two columns. Baseline: a loop over arrays. */
const char *probe_iterate(const char *count, bench_pair *ret_pair);
const char *probe_iterate_huge(const char *count, bench_pair *ret_pair);

/* Add or remove a component, for each entity and for all at once. Baseline: moving rows one at a
 * time. */
const char *probe_add(const char *count, bench_pair *ret_pair);
const char *probe_remove(const char *count, bench_pair *ret_pair);
const char *probe_add_all(const char *count, bench_pair *ret_pair);
const char *probe_remove_all(const char *count, bench_pair *ret_pair);

/* Record changes in a command buffer, play them, or both. Baselines: the array that a program would
 * keep, and the equivalent direct calls. */
const char *probe_commands_record(const char *count, bench_pair *ret_pair);
const char *probe_commands_add(const char *count, bench_pair *ret_pair);
const char *probe_commands_spawn(const char *count, bench_pair *ret_pair);

/* Destroy until every handle is dead. Baseline: freeing ids. */
const char *probe_destroy_random(const char *count, bench_pair *ret_pair);
const char *probe_destroy_query(const char *count, bench_pair *ret_pair);
const char *probe_destroy_world(const char *count, bench_pair *ret_pair);
/* Create from columns after the destruction. Baseline: one memcpy per column. */
const char *probe_after_random(const char *count, bench_pair *ret_pair);
const char *probe_after_query(const char *count, bench_pair *ret_pair);
const char *probe_after_world(const char *count, bench_pair *ret_pair);

/* Objects of a pool compared with rows of the dense store: created, created again after destruction
 * in random order, and read in random order. */
const char *probe_pool_dense_create(const char *count, bench_pair *ret_pair);
const char *probe_pool_dense_again(const char *count, bench_pair *ret_pair);
const char *probe_pool_dense_read(const char *count, bench_pair *ret_pair);

#endif

/* The figures of the entity store, each beside what a plain program does with flat arrays. All take
 * the number of entities. Where nothing is said, pages have no advice but that for 4 KiB on both
 * sides; `_huge` has that for 2 MiB on both. */
#ifndef PROBE_ENTITIES_H
#define PROBE_ENTITIES_H

#include "bench_span.h"

/* Created from columns; `listed` with a list of handles. One memcpy a column. */
const char *probe_create_warm(const char *count, bench_pair *ret_pair);
const char *probe_create_warm_huge(const char *count, bench_pair *ret_pair);
const char *probe_create_fresh(const char *count, bench_pair *ret_pair);
const char *probe_create_fresh_huge(const char *count, bench_pair *ret_pair);
const char *probe_create_listed(const char *count, bench_pair *ret_pair);
/* One after another; rows appended. */
const char *probe_create_single(const char *count, bench_pair *ret_pair);
const char *probe_create_appended(const char *count, bench_pair *ret_pair);
/* The speed-up by a second thread; memcpy's. */
const char *probe_create_threads(const char *count, bench_pair *ret_pair);
const char *probe_create_threads_fresh(const char *count, bench_pair *ret_pair);

/* Bare ids: in fresh pages, in pages touched before, after all were freed; a list of free ids. */
const char *probe_ids_fresh(const char *count, bench_pair *ret_pair);
const char *probe_ids_first(const char *count, bench_pair *ret_pair);
const char *probe_ids_again(const char *count, bench_pair *ret_pair);

/* A component by handle, in random order, one by one and many a call; a gather with a check of
 * versions. */
const char *probe_by_handle(const char *count, bench_pair *ret_pair);
const char *probe_by_handle_huge(const char *count, bench_pair *ret_pair);
const char *probe_by_handle_unprepared(const char *count, bench_pair *ret_pair);
const char *probe_by_handles(const char *count, bench_pair *ret_pair);
/* Two columns; a loop over arrays. */
const char *probe_iterate(const char *count, bench_pair *ret_pair);
const char *probe_iterate_huge(const char *count, bench_pair *ret_pair);

/* A component for each entity, and for all at once; rows moved one by one. */
const char *probe_add(const char *count, bench_pair *ret_pair);
const char *probe_remove(const char *count, bench_pair *ret_pair);
const char *probe_add_all(const char *count, bench_pair *ret_pair);
const char *probe_remove_all(const char *count, bench_pair *ret_pair);

/* Changes recorded in a command buffer, played, or both; the array that a program would keep, the
 * calls that they stand for. */
const char *probe_commands_record(const char *count, bench_pair *ret_pair);
const char *probe_commands_add(const char *count, bench_pair *ret_pair);
const char *probe_commands_spawn(const char *count, bench_pair *ret_pair);

/* Destroyed, until every handle reads as dead; ids freed. */
const char *probe_destroy_random(const char *count, bench_pair *ret_pair);
const char *probe_destroy_query(const char *count, bench_pair *ret_pair);
const char *probe_destroy_world(const char *count, bench_pair *ret_pair);
/* Created from columns after that; one memcpy a column. */
const char *probe_after_random(const char *count, bench_pair *ret_pair);
const char *probe_after_query(const char *count, bench_pair *ret_pair);
const char *probe_after_world(const char *count, bench_pair *ret_pair);

/* Objects of a pool beside rows of the dense store: made, made again after all were destroyed in
 * random order, read in random order. */
const char *probe_pool_dense_create(const char *count, bench_pair *ret_pair);
const char *probe_pool_dense_again(const char *count, bench_pair *ret_pair);
const char *probe_pool_dense_read(const char *count, bench_pair *ret_pair);

#endif

/* The figures of the table of assets. Where nothing else is said the argument is the number of
 * assets. */
#ifndef PROBE_ASSETS_H
#define PROBE_ASSETS_H

#include "bench_span.h"

/* A field of every asset in random order, through words of one form, or through the ids in a blob;
 * through plain pointers. */
const char *probe_ref_pointer(const char *count, bench_pair *ret_pair);
const char *probe_ref_indirect(const char *count, bench_pair *ret_pair);
const char *probe_ref_handle(const char *count, bench_pair *ret_pair);
const char *probe_ref_id(const char *count, bench_pair *ret_pair);

/* A file mounted, unmounted, mounted beside one with the same assets; its index read once. The
 * argument is its path. */
const char *probe_mount(const char *path, bench_pair *ret_pair);
const char *probe_unmount(const char *path, bench_pair *ret_pair);
const char *probe_mount_patch(const char *path, bench_pair *ret_pair);
/* Names found in 1,000 mounted files; in one with as many assets. */
const char *probe_find_mounted(const char *count, bench_pair *ret_pair);

/* Two threads read while a third mounts and unmounts; while none does. */
const char *probe_read_beside(const char *count, bench_pair *ret_pair);

#endif

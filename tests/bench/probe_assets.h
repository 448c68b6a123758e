/* The figures of the asset table. Unless stated otherwise, the argument is the number of assets. */
#ifndef PROBE_ASSETS_H
#define PROBE_ASSETS_H

#include "bench_span.h"

/* Reads a field of every asset in random order, through words of one form or through the ids in a
 * blob. Baseline: plain pointers. */
const char *probe_ref_pointer(const char *count, bench_pair *ret_pair);
const char *probe_ref_indirect(const char *count, bench_pair *ret_pair);
const char *probe_ref_handle(const char *count, bench_pair *ret_pair);
const char *probe_ref_id(const char *count, bench_pair *ret_pair);

/* Mounts a file, unmounts it, and mounts it next to a file with the same assets. Baseline: reading
 * the file's index once. The argument is the file's path. */
const char *probe_mount(const char *path, bench_pair *ret_pair);
const char *probe_unmount(const char *path, bench_pair *ret_pair);
const char *probe_mount_patch(const char *path, bench_pair *ret_pair);
/* Replaces a file of loaded items, 100 of which changed. Baseline: reading both indexes. */
const char *probe_replace(const char *count, bench_pair *ret_pair);
/* Looks up names in 1,000 mounted files. Baseline: one file with as many assets. */
const char *probe_find_mounted(const char *count, bench_pair *ret_pair);

/* Two threads read while a third one mounts and unmounts. Baseline: no third thread. */
const char *probe_read_beside(const char *count, bench_pair *ret_pair);

#endif

/* Reads the level for the probes. */
#ifndef PROBE_LEVEL_H
#define PROBE_LEVEL_H

#include "baselines.h"
#include "probe.h"

#include <kiln/file.h>

#include "bench_types.h"

/* Opens the file at `path`, whose only asset is a level, as a program does. Returns NULL on
 * failure. The file stays open until the process ends. */
const bench_Level *probe_level_map(const char *path);

/* Builds the plain C form of the level in fresh memory. */
void probe_level_copy(const bench_Level *level, baseline_level *ret_plain);

#endif

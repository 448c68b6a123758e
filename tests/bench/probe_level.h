/* The level as the probes read it. */
#ifndef PROBE_LEVEL_H
#define PROBE_LEVEL_H

#include "baselines.h"
#include "probe.h"

#include <kiln/file.h>

#include "bench_types.h"

/* Opens a file whose only asset is a level: from its path, as a program does. NULL where that
 * fails; the file stays open until the process ends. */
const bench_Level *probe_level_map(const char *path);

/* The level as plain C has it, in memory that was not used before. */
void probe_level_copy(const bench_Level *level, baseline_level *ret_plain);

#endif

/* The figure that runs kiln-bake from inside a probe. */
#ifndef PROBE_RELOAD_H
#define PROBE_RELOAD_H

#include "bench_span.h"

/* Both sides in nanoseconds of wall-clock time; the notes of the YAML file are assets. Returns
 * NULL, or the reason for a failure. */
const char *probe_reload(const char *bake_path, const char *schema, const char *notes_yaml,
                         bench_pair *ret_pair);

#endif

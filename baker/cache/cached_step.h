/* Steps in a cache: finds the result of a step that ran before, here or on another machine, and
 * stores results.
 *
 *     ac/KEY1      a list of shapes (record_shape.h); KEY1 is the hash of the program and the
 * options cas/SHAPE    a shape ac/KEY2      a result: hashes of outputs, and messages; KEY2 is the
 * hash of KEY1, the shape and the answers to it cas/OUTPUT   an output
 *
 * So a step is found if the program has the same content (record_version.h), the options are equal,
 * and a shape that was stored gives the same answers now. Paths in the project's folder are
 * relative to it. If the messages or outputs contain paths, the folder must also have the same
 * spelling.
 *
 * Objects come from anybody who can write to the cache. Outputs are only written to the paths that
 * the step would write, and kiln files pass the verifier first (checked_content.h). */
#ifndef BAKE_CACHED_STEP_H
#define BAKE_CACHED_STEP_H

#include "bake_cache.h"
#include "cached_result.h"
#include "gateway.h"

typedef struct bake_cached_def {
    bake_cache *cache;
    const bake_record_def *record;           /* version and options of the run */
    const char *prefix;                      /* see record_shape.h */
    const char *outputs[CACHED_OUTPUTS_MAX]; /* the paths that the step writes; NULL: none */
    bool is_kiln_file;                       /* the first output is a kiln file */
    bool has_paths;                          /* the outputs contain the paths of inputs */
    bool durable, if_changed;
} bake_cached_def;

/* Looks for the step, from the nearest tier to the farthest, and writes its outputs. Stores what
 * was found in nearer tiers. Returns the record of the step, and the label of the tier in
 * `*ret_label`. Returns NULL if the step must run: there is no result, or anything failed. The
 * outputs are then usually unchanged. Outputs are written while they are transferred, so they need
 * little memory, except for the values of kiln files. `gateway` keeps details, has no open output,
 * and cannot be used any more after a failure. */
bake_record *bake_cached_find(const bake_cached_def *def, bake_gateway *gateway,
                              const char **ret_label);

/* Stores the result of a step that has run, unless an output has changed since. */
void bake_cached_keep(const bake_cached_def *def, const bake_record *record);

#endif

/* A run that bakes a part of a bundle (part_names.h), and the run that writes the names file.
 *
 * The inputs of the options are those of the part. The run also reads the inputs that they need,
 * but bakes none of their assets and prints none of their messages: another part does that. The
 * names of all other assets come from the names file. References to them become imports of the
 * part, which `kiln-bake link` resolves.
 *
 * Most functions accept a run that has no part. */
#ifndef BAKE_RUN_PART_H
#define BAKE_RUN_PART_H

#include "bake_inputs.h"
#include "bake_run.h"
#include "part_names.h"
#include "part_notes.h"

/* The outputs of names in a run with a part. */
enum { BAKE_PART_OWN, BAKE_PART_OTHER };

typedef struct bake_part {
    bake_part_names *names;
    const char **paths; /* of the inputs to read, relative to the base */
    size_t path_count;
    uint32_t *numbers; /* by input of the run: its number in `names` */
    bool *is_own;      /* by input of the bundle */
    bake_inputs_rest rest;
    uint32_t *inputs_by_source; /* by source: number of the input in the run; UINT32_MAX: none */
    size_t source_count;
    const bake_part_frames *frames; /* for the notes of the part */
    size_t frame_count;
} bake_part;

/* Reads the names file at `path`. Returns NULL after setting `run->failure`. */
bake_part_names *bake_run_read_names(bake_run *run, const char *path);

/* Reads the names file of the options, and finds the inputs to read. Sets `run->part`, which
 * bake_part_fini releases. */
bake_result bake_part_begin(bake_run *run);
void bake_part_fini(bake_run *run);
/* Call it when all inputs are read: finds the inputs of the part among them. Drops the warnings so
 * far, because the run that wrote the names file has printed them. */
bake_result bake_part_match(bake_run *run, const bake_inputs *inputs);

/* Whether the run bakes the assets of this input; true without a part. */
bool bake_part_owns(const bake_run *run, uint32_t input);
/* Whether the redirects of the bundle are written with this part; true without a part. */
bool bake_part_has_redirects(const bake_run *run);
/* Adds the names of the other inputs. Call it after bake_run_names. */
bake_result bake_part_add_names(bake_run *run, bake_names *names);
/* Removes the assets of inputs that the part only needs. */
void bake_part_select(const bake_run *run, bake_inputs *inputs);
/* Reports that an asset was not baked because of an inherited mistake, which only the part with the
 * ancestor reports. Returns BAKE_BAD_INPUT. */
bake_result bake_part_report_inherited(bake_run *run);
/* Drops messages about inputs of other parts, unless they are the only reason why the run
 * failed. */
void bake_part_drop_messages(bake_run *run);

/* Writes the names file of the whole bundle to the output of the options, and commits it. */
bake_result bake_run_write_names(bake_run *run, const bake_inputs *inputs, const bake_names *names);

#endif

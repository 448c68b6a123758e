/* The redirects of a run: earlier ids of renamed and deleted assets, which each output lists for
 * readers of files that were baked before (<kiln/redirects.h>). */
#ifndef BAKE_RUN_REDIRECTS_H
#define BAKE_RUN_REDIRECTS_H

#include "asset_names.h"
#include "bake_inputs.h"
#include "bake_run.h"

#include <kiln/file_writer.h>

/* Appends the built-in type of redirects to those of the schema, if the run has redirects. Call it
 * before creating any object that uses the types. */
bake_result bake_run_redirects_types(bake_run *run, const bake_inputs *inputs);

/* Adds the list to a file, unless it is empty. `output` is the number of the file. With --each, it
 * is also the number of an input, and the file lists only the renames from that input. Reports an
 * error if an asset has the name of the list, or if an asset of the file has an earlier id. */
bake_result bake_run_redirects_write(bake_run *run, const bake_inputs *inputs,
                                     const bake_names *names, uint32_t output,
                                     kiln_file_writer *writer);

#endif

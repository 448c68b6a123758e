/* Runs importers, and explains failures. */
#ifndef BAKE_IMPORTER_H
#define BAKE_IMPORTER_H

#include "gateway.h"
#include "schema.h"

enum { BAKE_IMPORTER_REASON_SIZE = 400 };

/* Runs an importer for the file `source`, which begins at the current folder; `base` (may be NULL)
 * is the working folder. See bake_gateway_run. */
const bake_program_end *bake_importer_run(bake_gateway *gateway, const bake_importer *importer,
                                          const char *base, const char *source);
/* Formats into `out` why an importer produced no output, and returns `out`. */
const char *bake_importer_reason(const bake_importer *importer, const bake_program_end *end,
                                 char out[BAKE_IMPORTER_REASON_SIZE]);
/* Adds hints to the last report: the last lines that the program wrote to standard error. */
void bake_importer_hint(bake_diagnostics *diagnostics, const bake_program_end *end);

#endif

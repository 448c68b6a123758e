/* Messages about failed importers. */
#ifndef BAKE_IMPORTER_H
#define BAKE_IMPORTER_H

#include "program.h"
#include "schema.h"

enum { BAKE_IMPORTER_REASON_SIZE = 400 };

/* Formats into `out` why an importer produced no output, and returns `out`. */
const char *bake_importer_reason(const bake_importer *importer, const bake_program_end *end,
                                 char out[BAKE_IMPORTER_REASON_SIZE]);
/* Adds hints to the last report: the last lines that the program wrote to standard error. */
void bake_importer_hint(bake_diagnostics *diagnostics, const bake_program_end *end);

#endif

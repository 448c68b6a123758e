/* Findings of a check in words. */
#ifndef INSP_FINDING_TEXT_H
#define INSP_FINDING_TEXT_H

#include "insp_finding.h"
#include "insp_run.h"

/* `H8 at offset 0x40 (member 3, Item/sword): the hash does not match the bytes [path]` */
void insp_put_finding(insp_out *out, const insp_file *file, const insp_finding *finding);

/* The `on_finding` of an insp_check whose `ctx` is the run: a message for each finding, for
 * commands that print the data nevertheless. */
void insp_complain_finding(void *ctx, const insp_file *file, const insp_finding *finding);

#endif

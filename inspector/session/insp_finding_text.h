/* Formats the findings of a check. */
#ifndef INSP_FINDING_TEXT_H
#define INSP_FINDING_TEXT_H

#include "insp_finding.h"
#include "insp_run.h"

/* The text of the rule that a file breaks. Every error of an empty file is that it is empty. */
const char *insp_status_text(const insp_file *file, kiln_status status);

/* Writes `H8 at offset 0x40 (member 3, Item/sword): the hash does not match the bytes [path]`. */
void insp_put_finding(insp_out *out, const insp_file *file, const insp_finding *finding);

/* Writes the finding as a JSON object on one line: `rule`, `text`, `offset`, `part`, `member`,
 * `asset` and `path`, of which the last three are null if the finding has none. */
void insp_put_finding_json(insp_out *out, const insp_file *file, const insp_finding *finding);

/* A callback for `on_finding` of an insp_check whose `ctx` is the run. Writes a message for each
 * finding, for commands that then print as much of the data as possible. */
void insp_complain_finding(void *ctx, const insp_file *file, const insp_finding *finding);

#endif

/* Writes messages to standard error: `kiln-inspect: PATH: message`, escaped. */
#ifndef INSP_MESSAGE_H
#define INSP_MESSAGE_H

#include "insp_exit.h"
#include "insp_file.h"
#include "insp_run.h"

/* Writes the beginning of a message; the caller writes the rest. `path` may be NULL. */
void insp_complain_begin(insp_run *run, const char *path);
/* Writes a whole message. */
void insp_complain(insp_run *run, const char *path, const char *format, ...) INSP_PRINTF(3, 4);

/* Prepares a name from a file for `%.*s` in insp_complain: truncates long names and replaces empty
 * ones. */
insp_text insp_message_name(insp_text name);

/* Reports why insp_read failed. Returns INSP_TROUBLE. */
int insp_cannot_read(insp_run *run, const char *path, int error);
/* Reports that memory ran out. Returns INSP_TROUBLE. */
int insp_no_memory(insp_run *run);
/* Reports that the output was truncated and how much is missing. Returns INSP_BAD. */
int insp_complain_cut(insp_run *run);

#endif

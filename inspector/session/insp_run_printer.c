/* Sets up a printer for a command, and reports afterwards how many broken values it found.
 *
 * The byte limit of the output stops the printing of values that share parts. A step limit, derived
 * from the byte limit, stops the printing of values that take steps but print nothing, such as
 * fields that the format omits. Nearly every step prints at least a byte, so ordinary files do not
 * reach the step limit. */
#include "insp_run_printer.h"

#include "insp_format.h"
#include "insp_message.h"

#include <inttypes.h>

enum { STEPS_PER_BYTE = 4, STEPS_MIN = 1000 };

void insp_run_printer(insp_run *run, const insp_file *file, insp_printer *ret_printer)
{
    const insp_format *format = run->options.format ? insp_format_find(run->options.format) : NULL;
    insp_printer_init(ret_printer, &run->out, file, format ? format : &insp_format_tree);
    ret_printer->all = run->options.all;
    ret_printer->left = run->out.limit < UINT64_MAX / STEPS_PER_BYTE
                            ? STEPS_MIN + run->out.limit * STEPS_PER_BYTE
                            : UINT64_MAX;
}

int insp_after_printing(insp_run *run, const insp_file *file, const insp_printer *p)
{
    if (p->broken)
        insp_complain(run, file->path, "%" PRIu32 " broken value%s; see kiln-inspect verify",
                      p->broken, p->broken == 1 ? "" : "s");
    return p->broken ? INSP_BAD : INSP_OK;
}

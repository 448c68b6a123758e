/* Creates printers with the options of the run. */
#ifndef INSP_RUN_PRINTER_H
#define INSP_RUN_PRINTER_H

#include "insp_exit.h"
#include "insp_printer.h"
#include "insp_run.h"

void insp_run_printer(insp_run *run, const insp_file *file, insp_printer *ret_printer);
/* Reports how many broken values printing found, if any. Returns INSP_OK or INSP_BAD. */
int insp_after_printing(insp_run *run, const insp_file *file, const insp_printer *p);

#endif

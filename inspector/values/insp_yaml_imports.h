/* What a file refers to and does not contain, so that its dump bakes without the other files. */
#ifndef INSP_YAML_IMPORTS_H
#define INSP_YAML_IMPORTS_H

#include "insp_printer.h"

/* The assets that a file refers to and does not hold, by name; none where it has a kind that is
 * called as their list is in YAML. False when memory ran out. */
typedef struct insp_imports {
    const insp_name **names;
    uint32_t count;
} insp_imports;

bool insp_imports_list(const insp_file *file, insp_imports *ret);
void insp_imports_fini(insp_imports *imports);
/* Writes them as what is accepted, behind all assets of the file. */
void insp_yaml_imports(insp_printer *p, const insp_imports *imports);

#endif

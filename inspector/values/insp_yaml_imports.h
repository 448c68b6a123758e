/* Assets that a file refers to and does not contain. With these in the dump it bakes without other
 * files. */
#ifndef INSP_YAML_IMPORTS_H
#define INSP_YAML_IMPORTS_H

#include "insp_printer.h"

/* Their names; none if the file has a kind with the name of their list in YAML. False if memory ran
 * out. */
typedef struct insp_imports {
    const insp_name **names;
    uint32_t count;
} insp_imports;

bool insp_imports_list(const insp_file *file, insp_imports *ret);
void insp_imports_fini(insp_imports *imports);
/* Writes them under `accepted`, after all assets of the file. */
void insp_yaml_imports(insp_printer *p, const insp_imports *imports);

#endif

/* The assets that a file refers to but does not contain. If the dump lists their names, it can be
 * baked without other files. */
#ifndef INSP_YAML_IMPORTS_H
#define INSP_YAML_IMPORTS_H

#include "insp_printer.h"

/* The names of the imports; none if the file has a kind `accepted`. insp_imports_list returns false
 * if memory runs out. */
typedef struct insp_imports {
    const insp_name **names;
    uint32_t count;
} insp_imports;

bool insp_imports_list(const insp_file *file, insp_imports *ret);
void insp_imports_fini(insp_imports *imports);
/* Writes the imports under `accepted`, after all assets of the file. */
void insp_yaml_imports(insp_printer *p, const insp_imports *imports);

#endif

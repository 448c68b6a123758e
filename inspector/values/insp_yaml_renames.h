/* The redirects of a file as a document that kiln-bake reads: earlier ids and the current ones. */
#ifndef INSP_YAML_RENAMES_H
#define INSP_YAML_RENAMES_H

#include "insp_printer.h"

/* Whether the list of redirects can be written under `renames`: the file has a valid list, and no
 * kind of this name. */
bool insp_yaml_has_renames(const insp_file *file);
/* Writes the list after all assets of the file. Returns false if memory runs out. */
bool insp_yaml_renames(insp_printer *p);

#endif

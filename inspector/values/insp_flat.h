/* Values without parts as JSON scalars, as the flat format writes them. */
#ifndef INSP_FLAT_H
#define INSP_FLAT_H

#include "insp_printer.h"

void insp_put_flat_scalar(insp_printer *p, const kiln_value *value);
/* Writes the path of an entity as a string. `p->path.failed` is set if memory runs out. */
void insp_put_flat_entity(insp_printer *p, const insp_entity *entity);

#endif

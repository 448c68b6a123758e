/* Which names of entities a scene in YAML can have. */
#ifndef INSP_ENTITY_NAME_H
#define INSP_ENTITY_NAME_H

#include "insp_file.h"

/* Whether an entity can have the name as its `name`. */
bool insp_entity_name_is_plain(insp_text name);
/* Whether it can have it as its `way`, which is one with slashes. */
bool insp_entity_name_is_path(insp_text name);

#endif

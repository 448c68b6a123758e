/* Checks whether a scene in YAML can contain the name of an entity. */
#ifndef INSP_ENTITY_NAME_H
#define INSP_ENTITY_NAME_H

#include "insp_file.h"

/* Whether `name` can be the `name` of an entity. */
bool insp_entity_name_is_plain(insp_text name);
/* Whether `name` can be the `path` of an entity, which is a path with slashes. */
bool insp_entity_name_is_path(insp_text name);

#endif

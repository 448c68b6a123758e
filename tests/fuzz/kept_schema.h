/* A schema that is read once and used by many runs of the baker: the harnesses whose input is not
 * the schema are linked so that the baker's functions for schemas end up here. */
#ifndef KEPT_SCHEMA_H
#define KEPT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

/* The schema that is kept, under the path by which runs name it. The text must stay. */
void kept_schema_set(const char *path, const char *text, size_t size);
/* Whether runs get the schema that is kept, as at first, or each reads it. */
void kept_schema_use(bool is_used);
/* Whether the schema that was read last has no mistakes. */
bool kept_schema_is_good(void);

#endif

/* A schema that is read once and shared by many runs of the baker. In harnesses whose input is not
 * the schema, the linker replaces the baker's schema functions with these. */
#ifndef KEPT_SCHEMA_H
#define KEPT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

/* Sets the cached schema and the path by which runs refer to it. The text must stay valid. */
void kept_schema_set(const char *path, const char *text, size_t size);
/* Selects whether runs get the cached schema (the default) or each reads it. */
void kept_schema_use(bool is_used);
/* Whether the schema that was read last is valid. */
bool kept_schema_is_good(void);

#endif

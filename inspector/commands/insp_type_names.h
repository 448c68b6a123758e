/* Patterns of type names in arguments. */
#ifndef INSP_TYPE_NAMES_H
#define INSP_TYPE_NAMES_H

#include "insp_file.h"
#include "insp_run.h"

/* Whether the pattern matches a qualified name, or the last parts of that name. */
bool insp_type_name_matches(const char *pattern, insp_text name);
/* The same for a type, which must be named. */
bool insp_type_matches(const char *pattern, const kiln_type *type);

/* Reports that no type of the file matches, with a suggestion: a qualified name, or its last part
 * if the pattern has no dot. Returns INSP_BAD. */
int insp_no_such_type(insp_run *run, const insp_file *file, const char *pattern);
/* The same for commands that take only structs: reports a type of another kind that matches. */
int insp_no_such_struct(insp_run *run, const insp_file *file, const char *pattern);

#endif

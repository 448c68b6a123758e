/* Identifies the program that makes a record. */
#ifndef BAKE_RECORD_VERSION_H
#define BAKE_RECORD_VERSION_H

#include "bake_store.h"

/* Returns the version of Kiln and of its file format, followed by a hash of the sizes and times of
 * the program and its libraries, as far as the system lists them. So a program that was built again
 * has a different version. The text belongs to the store; NULL if memory runs out. */
const char *bake_record_version(bake_store *store);

#endif

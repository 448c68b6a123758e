/* Identifies the program that makes a record. */
#ifndef BAKE_RECORD_VERSION_H
#define BAKE_RECORD_VERSION_H

#include "bake_store.h"

#include <kiln/index.h>

/* Returns the version of Kiln and of its file format, followed by a hash of the sizes and times of
 * the program and its libraries, as far as the system lists them. So a program that was built again
 * has a different version. Any thread. The text belongs to the store; NULL if memory runs out. */
const char *bake_record_version(bake_store *store);

/* Like bake_record_version, but with the hash of the contents of these files, so that the text is
 * the same on all machines with the same program and libraries. Libraries that are loaded after the
 * first call of either function do not change the result of later calls. NULL if memory runs out or
 * a file cannot be read. Any thread. */
const char *bake_record_identity(bake_store *store);

/* Hashes the paths, places, sizes and times of these files: as long as they are equal, so is the
 * identity. Returns false if the system does not list the files, if a file may have changed within
 * the resolution of its times, or if memory runs out. Any thread. */
bool bake_record_states(kiln_hash128 *ret_hash);

#endif

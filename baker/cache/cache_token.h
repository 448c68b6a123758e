/* Reads the token of an HTTP cache. Private to the storey.
 *
 * The token is KILN_CACHE_TOKEN or the content of the file that KILN_CACHE_TOKEN_FILE names,
 * without spaces and line breaks at its end. It is sent to the server of the URL only, and no
 * message or file contains it. */
#ifndef CACHE_TOKEN_H
#define CACHE_TOKEN_H

#include "bake_result.h"

enum { CACHE_TOKEN_MAX = 8192 };

/* Writes the token to `*ret_token` in new memory; NULL if there is none. A failure does not contain
 * any part of it. */
bake_result bake_cache_token_read(char **ret_token, bake_failure *failure);

#endif

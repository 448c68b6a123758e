/* The token of an HTTP cache, and which server may see it. Private to the storey.
 *
 * The token is KILN_CACHE_TOKEN or the content of the file that KILN_CACHE_TOKEN_FILE names,
 * without spaces and line breaks at its end. No message or file contains it. It is sent only
 *
 *     to the host that KILN_CACHE_TOKEN_HOST names (`host` or `host:port`), if that is set;
 *     without that variable, not to a URL from a project file, which somebody else may have
 * written; with https, or to this machine, or if KILN_CACHE_TOKEN_HTTP is set.
 */
#ifndef CACHE_TOKEN_H
#define CACHE_TOKEN_H

#include "bake_result.h"

#include <stdbool.h>

enum { CACHE_TOKEN_MAX = 8192 };

/* Writes the token for a URL to `*ret_token` in new memory; NULL if there is none, or if it must
 * not be sent there. In the latter case `*ret_why` is the reason, as the end of "the token is not
 * sent"; otherwise NULL. A failure does not contain any part of the token. */
bake_result bake_cache_token_read(const char *url, bool is_project_url, char **ret_token,
                                  const char **ret_why, bake_failure *failure);
/* Whether the host of the URL is this machine. */
bool bake_cache_is_loopback(const char *url);

#endif

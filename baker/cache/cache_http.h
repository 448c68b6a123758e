/* A tier in an HTTP store, as ccache and Bazel use it: GET, HEAD and PUT of URL/ac/KEY and
 * URL/cas/KEY. Private to the storey.
 *
 * The requests use libcurl, which is loaded when the first request is made, so that a run without a
 * request does not pay for it. Redirects are not followed, because they would send the token to
 * another server. Programs that were built without libcurl have no such tier. */
#ifndef CACHE_HTTP_H
#define CACHE_HTTP_H

#include "bake_result.h"
#include "cache_tier.h"

/* Creates a tier. Reads the token (cache_token.h), and the name of a file of certificates from
 * KILN_CACHE_CA_FILE. Returns NULL with a failure; no failure contains the URL or the token. */
cache_tier *bake_cache_http_create(const char *url, bool is_project_url, bake_failure *failure);

#endif

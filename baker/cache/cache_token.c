#include "cache_token.h"

#include "bake_memory.h"
#include "gateway.h"

#include <stdlib.h>
#include <string.h>

/* A token is part of a line of the request, so it must not contain line breaks. */
static bake_result check(const char *token, size_t length, const char *from, bake_failure *failure)
{
    bool ok = length > 0 && length <= CACHE_TOKEN_MAX;
    for (size_t i = 0; ok && i < length; i++)
        ok = token[i] > ' ' && token[i] < 0x7f;
    return ok ? BAKE_OK
              : bake_fail(failure, BAKE_FAILED,
                          "the token in %s must have 1 to %d printable characters without spaces",
                          from, CACHE_TOKEN_MAX);
}

static bake_result copy(const char *token, size_t length, const char *from, char **ret_token,
                        bake_failure *failure)
{
    while (length > 0 && strchr(" \t\r\n", token[length - 1]))
        length--;
    if (check(token, length, from, failure))
        return failure->result;
    *ret_token = bake_copy_text(token, length);
    return *ret_token ? BAKE_OK : bake_fail_memory(failure);
}

static bake_result read_file(const char *path, char **ret_token, bake_failure *failure)
{
    size_t size;
    bake_gateway *gateway = bake_gateway_create(NULL);
    if (!gateway)
        return bake_fail_memory(failure);
    const char *text = NULL;
    if (bake_gateway_is_regular(gateway, path))
        text = bake_gateway_read(gateway, path, &size);
    bake_result result =
        text ? copy(text, size, "the file of KILN_CACHE_TOKEN_FILE", ret_token, failure)
             : bake_fail_read(failure, gateway, path);
    bake_gateway_destroy(gateway);
    return result;
}

bake_result bake_cache_token_read(char **ret_token, bake_failure *failure)
{
    const char *token = getenv("KILN_CACHE_TOKEN"), *path = getenv("KILN_CACHE_TOKEN_FILE");
    *ret_token = NULL;
    if (token && *token)
        return copy(token, strlen(token), "KILN_CACHE_TOKEN", ret_token, failure);
    return path && *path ? read_file(path, ret_token, failure) : BAKE_OK;
}

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

/* ---- hosts ---- */

typedef struct url_host {
    const char *name, *port; /* the port is empty if there is none */
    size_t name_length, port_length;
} url_host;

static size_t scheme_length(const char *url)
{
    const char *end = strstr(url, "://");
    return end ? (size_t)(end - url) + 3 : 0;
}

/* `text` begins with the host, such as `example:80/path` or `[::1]`. */
static url_host read_host(const char *text)
{
    const char *slash = text + strcspn(text, "/");
    const char *name_end = *text == '[' ? strchr(text, ']') : text + strcspn(text, ":/");
    name_end = !name_end || name_end > slash ? slash : name_end + (*text == '[');
    const char *port = name_end < slash ? name_end + 1 : slash;
    return (url_host){text, port, (size_t)(name_end - text), (size_t)(slash - port)};
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_equal(const char *a, size_t length, const char *b, size_t b_length)
{
    bool same = length == b_length;
    for (size_t i = 0; same && i < length; i++)
        same = lower(a[i]) == lower(b[i]);
    return same;
}

static bool is_https(const char *url)
{
    return is_equal(url, scheme_length(url), "https://", 8);
}

/* Whether the host is 127.N.N.N. A name such as 127.example is not. */
static bool is_loopback_number(const url_host *host)
{
    size_t parts = 1, digits = 0;
    for (size_t i = 0; i < host->name_length; i++) {
        char c = host->name[i];
        if (c == '.' ? digits == 0 : c < '0' || c > '9' || digits == 3)
            return false;
        parts += c == '.';
        digits = c == '.' ? 0 : digits + 1;
    }
    return parts == 4 && digits > 0 && memcmp(host->name, "127.", 4) == 0;
}

bool bake_cache_is_loopback(const char *url)
{
    url_host host = read_host(url + scheme_length(url));
    return is_equal(host.name, host.name_length, "localhost", 9) ||
           is_equal(host.name, host.name_length, "[::1]", 5) || is_loopback_number(&host);
}

/* Whether KILN_CACHE_TOKEN_HOST, `named`, is the host of the URL, and its port if it has one. */
static bool is_host_of(const char *url, const char *named)
{
    url_host host = read_host(url + scheme_length(url)), wanted = read_host(named);
    if (host.port_length == 0) {
        host.port = is_https(url) ? "443" : "80";
        host.port_length = strlen(host.port);
    }
    return is_equal(host.name, host.name_length, wanted.name, wanted.name_length) &&
           (wanted.port_length == 0 ||
            is_equal(host.port, host.port_length, wanted.port, wanted.port_length));
}

/* ---- reading ---- */

/* The value of a variable; NULL if it is not set or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* Returns why the token must not be sent; NULL if it may. */
static const char *why_withheld(const char *url, bool is_project_url)
{
    const char *named = variable("KILN_CACHE_TOKEN_HOST");
    const char *http = variable("KILN_CACHE_TOKEN_HTTP");
    if (named && !is_host_of(url, named))
        return "to this host; see KILN_CACHE_TOKEN_HOST";
    if (!named && is_project_url)
        return "to a URL of a project file; see KILN_CACHE_TOKEN_HOST";
    if (!is_https(url) && !bake_cache_is_loopback(url) && !(http && strcmp(http, "0") != 0))
        return "without https; see KILN_CACHE_TOKEN_HTTP";
    return NULL;
}

bake_result bake_cache_token_read(const char *url, bool is_project_url, char **ret_token,
                                  const char **ret_why, bake_failure *failure)
{
    const char *token = variable("KILN_CACHE_TOKEN"), *path = variable("KILN_CACHE_TOKEN_FILE");
    *ret_token = NULL;
    *ret_why = token || path ? why_withheld(url, is_project_url) : NULL;
    if (*ret_why)
        return BAKE_OK;
    if (token)
        return copy(token, strlen(token), "KILN_CACHE_TOKEN", ret_token, failure);
    return path ? read_file(path, ret_token, failure) : BAKE_OK;
}

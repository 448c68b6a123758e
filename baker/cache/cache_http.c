/* libcurl is loaded with dlopen: with its dependencies it would double the time that a program
 * needs to start, also in runs that use no URL. */
#define _POSIX_C_SOURCE 200809L

#include "cache_http.h"

#include "bake_memory.h"
#include "cache_token.h"

#include <stdio.h>
#include <string.h>

#ifdef BAKE_WITHOUT_CURL

cache_tier *bake_cache_http_create(const char *url, bool is_project_url, bake_failure *failure)
{
    (void)url;
    (void)is_project_url;
    bake_fail(failure, BAKE_FAILED,
              "this kiln-bake was built without libcurl, so it cannot use the URL of a cache");
    return NULL;
}

#else

#include <curl/curl.h>
#include <dlfcn.h>
#include <kiln/version.h>
#include <signal.h>
#include <stdlib.h>

enum { URL_MAX = 400, IGNORED_MAX = 1 << 16, TEXT_SIZE = 64 };

typedef struct curl_functions {
    CURLcode (*global_init)(long flags);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *handle);
    void (*easy_reset)(CURL *handle);
    CURLcode (*easy_setopt)(CURL *handle, CURLoption option, ...);
    CURLcode (*easy_perform)(CURL *handle);
    CURLcode (*easy_getinfo)(CURL *handle, CURLINFO info, ...);
    const char *(*easy_strerror)(CURLcode code);
    struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
    void (*slist_free_all)(struct curl_slist *list);
} curl_functions;

typedef struct http_tier {
    cache_tier tier;
    CURL *handle; /* NULL until the first request; it keeps the connection open */
    struct curl_slist *headers;
    char *token;           /* NULL: none */
    const char *why_token; /* why the token is not sent; NULL: it is, or there is none */
    char url[];            /* without a slash at its end */
} http_tier;

/* One request, for the callbacks of libcurl. */
typedef struct http_request {
    http_tier *http;
    cache_bytes *into; /* of GET */
    cache_answer answer;
    size_t ignored;                  /* bytes of other answers than 200 */
    const bake_cache_source *source; /* of PUT */
    size_t at;
} http_request;

/* ---- libcurl ---- */

static curl_functions curl;

/* Loads libcurl once. The library stays loaded until the process ends. Returns false if it cannot
 * be loaded. */
static bool load_curl(void)
{
    static const struct {
        const char *name;
        size_t at;
    } functions[] = {
        {"curl_global_init", offsetof(curl_functions, global_init)},
        {"curl_easy_init", offsetof(curl_functions, easy_init)},
        {"curl_easy_cleanup", offsetof(curl_functions, easy_cleanup)},
        {"curl_easy_reset", offsetof(curl_functions, easy_reset)},
        {"curl_easy_setopt", offsetof(curl_functions, easy_setopt)},
        {"curl_easy_perform", offsetof(curl_functions, easy_perform)},
        {"curl_easy_getinfo", offsetof(curl_functions, easy_getinfo)},
        {"curl_easy_strerror", offsetof(curl_functions, easy_strerror)},
        {"curl_slist_append", offsetof(curl_functions, slist_append)},
        {"curl_slist_free_all", offsetof(curl_functions, slist_free_all)},
    };
    static bool is_loaded;
    if (is_loaded)
        return true;
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = library ? dlsym(library, functions[i].name) : NULL;
        if (!function)
            return false;
        /* POSIX promises that such a pointer is that of a function. */
        memcpy((char *)&curl + functions[i].at, &function, sizeof function);
    }
    is_loaded = curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    return is_loaded;
}

static bool add_header(http_tier *http, const char *text)
{
    struct curl_slist *headers = curl.slist_append(http->headers, text);
    if (headers)
        http->headers = headers;
    return headers != NULL;
}

static bool make_headers(http_tier *http)
{
    /* Waiting for `100 Continue` would add a round trip. */
    if (!add_header(http, "Expect:"))
        return false;
    if (!http->token)
        return true;
    static const char begin[] = "Authorization: Bearer ";
    size_t size = sizeof begin + strlen(http->token);
    char *text = bake_alloc(size);
    if (!text)
        return false;
    snprintf(text, size, "%s%s", begin, http->token);
    bool done = add_header(http, text);
    bake_free(text);
    return done;
}

static cache_answer connect_curl(http_tier *http)
{
    if (http->handle)
        return CACHE_DONE;
    if (!load_curl())
        return bake_cache_break(&http->tier, "libcurl.so.4 cannot be loaded");
    http->handle = curl.easy_init();
    return http->handle && make_headers(http) ? CACHE_DONE : CACHE_STOPPED;
}

/* ---- callbacks ---- */

static long status_of(const http_tier *http)
{
    long status = 0;
    curl.easy_getinfo(http->handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static size_t receive(char *data, size_t one, size_t size, void *ctx)
{
    http_request *request = ctx;
    (void)one;
    if (!request->into || status_of(request->http) != 200) {
        /* A short text is read, so that the connection stays usable. */
        request->ignored += size;
        return request->ignored <= IGNORED_MAX ? size : 0;
    }
    curl_off_t length = -1;
    if (request->into->size == 0)
        curl.easy_getinfo(request->http->handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (length > 0)
        request->answer = bake_cache_bytes_reserve(request->into, (uint64_t)length);
    if (!request->answer)
        request->answer = bake_cache_bytes_add(request->into, data, size);
    return request->answer ? 0 : size;
}

static size_t send_part(char *buffer, size_t one, size_t room, void *ctx)
{
    http_request *request = ctx;
    size_t part = request->source->size - request->at;
    (void)one;
    part = part < room ? part : room;
    if (part && !bake_cache_source_read(request->source, request->at, buffer, part)) {
        request->answer = CACHE_STOPPED;
        return CURL_READFUNC_ABORT;
    }
    request->at += part;
    return part;
}

/* Libcurl sends the data again if the server closed a connection that it kept open. */
static int seek(void *ctx, curl_off_t offset, int origin)
{
    http_request *request = ctx;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > request->source->size)
        return CURL_SEEKFUNC_FAIL;
    request->at = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* ---- requests ---- */

static void set_common(http_request *request, const char *url)
{
    http_tier *http = request->http;
    CURL *handle = http->handle;
    const char *certificates = getenv("KILN_CACHE_CA_FILE");
    char agent[TEXT_SIZE];
    snprintf(agent, sizeof agent, "kiln-bake/%s", kiln_version());
    curl.easy_reset(handle);
    curl.easy_setopt(handle, CURLOPT_URL, url);
    curl.easy_setopt(handle, CURLOPT_USERAGENT, agent);
    curl.easy_setopt(handle, CURLOPT_HTTPHEADER, http->headers);
    curl.easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl.easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    /* Looking up a name must not delay the end of the program. */
    curl.easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#endif
    curl.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
    curl.easy_setopt(handle, CURLOPT_WRITEDATA, request);
    curl.easy_setopt(handle, CURLOPT_BUFFERSIZE, 262144L);
    /* A proxy must not see the token. */
    if (http->token && bake_cache_is_loopback(http->url))
        curl.easy_setopt(handle, CURLOPT_NOPROXY, "*");
    if (certificates && *certificates)
        curl.easy_setopt(handle, CURLOPT_CAINFO, certificates);
}

/* A server that closes the connection must not end this process with SIGPIPE. */
static CURLcode perform(CURL *handle)
{
    struct sigaction ignore = {0}, before;
    ignore.sa_handler = SIG_IGN;
    bool ignoring = sigaction(SIGPIPE, &ignore, &before) == 0;
    CURLcode code = curl.easy_perform(handle);
    if (ignoring)
        sigaction(SIGPIPE, &before, NULL);
    return code;
}

/* Converts the end of a request. */
static cache_answer answer_of(http_request *request, const char *method, CURLcode code)
{
    cache_tier *tier = &request->http->tier;
    long status = status_of(request->http);
    if (request->answer)
        return request->answer;
    if (code == CURLE_OPERATION_TIMEDOUT)
        return bake_cache_break_late(tier);
    bool reads = request->source == NULL;
    if (status == 401 || status == 403) {
        const char *why = request->http->why_token;
        bake_cache_break(tier, "the server refused %s with status %ld; %s%s", method, status,
                         why ? "the token is not sent " : "see KILN_CACHE_TOKEN", why ? why : "");
        return reads ? CACHE_BROKEN : CACHE_REFUSED;
    }
    /* This can be CURLE_OUT_OF_MEMORY, because libcurl limits the length of a header with it. */
    if (code != CURLE_OK && code != CURLE_WRITE_ERROR)
        return bake_cache_break(tier, "%s", curl.easy_strerror(code));
    if (code == CURLE_OK && (status == 200 || (!reads && (status == 201 || status == 204))))
        return CACHE_DONE;
    if (reads && (status == 404 || status == 410))
        return CACHE_ABSENT;
    bake_cache_break(tier, "the server answered %s with status %ld", method, status);
    /* A store may be full, or not accept an object of this size. */
    return !reads && status >= 400 ? CACHE_REFUSED : CACHE_BROKEN;
}

/* Makes the request. `method` is GET, HEAD or PUT. */
static cache_answer make_request(http_request *request, const char *method, bake_cache_key key)
{
    http_tier *http = request->http;
    char name[BAKE_CACHE_NAME_SIZE], url[URL_MAX + BAKE_CACHE_NAME_SIZE + 1];
    bake_cache_name(name, key, false);
    snprintf(url, sizeof url, "%s/%s", http->url, name);
    cache_answer answer = connect_curl(http);
    uint64_t left = bake_cache_time_left(&http->tier);
    if (answer)
        return answer;
    if (left == 0)
        return bake_cache_break_late(&http->tier);
    set_common(request, url);
    curl.easy_setopt(http->handle, CURLOPT_TIMEOUT_MS, (long)left);
    if (*method == 'H') {
        curl.easy_setopt(http->handle, CURLOPT_NOBODY, 1L);
    } else if (*method == 'P') {
        curl.easy_setopt(http->handle, CURLOPT_UPLOAD, 1L);
        curl.easy_setopt(http->handle, CURLOPT_READFUNCTION, send_part);
        curl.easy_setopt(http->handle, CURLOPT_READDATA, request);
        curl.easy_setopt(http->handle, CURLOPT_SEEKFUNCTION, seek);
        curl.easy_setopt(http->handle, CURLOPT_SEEKDATA, request);
        curl.easy_setopt(http->handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->source->size);
    }
    return answer_of(request, method, perform(http->handle));
}

static http_tier *http_of(cache_tier *tier)
{
    return (http_tier *)(void *)tier;
}

static cache_answer get(cache_tier *tier, bake_cache_key key, cache_bytes *bytes)
{
    http_request request = {.http = http_of(tier), .into = bytes};
    return make_request(&request, "GET", key);
}

static cache_answer has(cache_tier *tier, bake_cache_key key)
{
    http_request request = {.http = http_of(tier)};
    return make_request(&request, "HEAD", key);
}

static cache_answer put(cache_tier *tier, bake_cache_key key, const bake_cache_source *source)
{
    http_request request = {.http = http_of(tier), .source = source};
    return make_request(&request, "PUT", key);
}

static void destroy(cache_tier *tier)
{
    http_tier *http = http_of(tier);
    if (http->handle)
        curl.easy_cleanup(http->handle);
    if (http->headers)
        curl.slist_free_all(http->headers);
    bake_free(http->token);
    bake_free(http);
}

/* ---- creation ---- */

/* Whether the text begins with `prefix`, which is in lower case. */
static bool begins_with(const char *text, const char *prefix)
{
    for (; *prefix; text++, prefix++)
        if ((*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) != *prefix)
            return false;
    return true;
}

/* Messages show the URL, and keys are added at its end. */
static bake_result check_url(const char *url, bake_failure *failure)
{
    bool ok =
        strlen(url) <= URL_MAX && (begins_with(url, "http://") || begins_with(url, "https://"));
    for (const char *c = url; ok && *c; c++)
        ok = *c > ' ' && *c < 0x7f && !strchr("?#\\\"", *c);
    if (!ok)
        return bake_fail(failure, BAKE_FAILED,
                         "the URL of a cache must begin with http:// or https:// and have at most "
                         "%d characters, without spaces, ? and #",
                         URL_MAX);
    if (strchr(url, '@'))
        return bake_fail(failure, BAKE_FAILED,
                         "the URL of a cache must not contain a user or password; use "
                         "KILN_CACHE_TOKEN");
    return BAKE_OK;
}

cache_tier *bake_cache_http_create(const char *url, bool is_project_url, bake_failure *failure)
{
    static const cache_tier_kind kind = {get, has, put, destroy};
    char *token;
    const char *why;
    if (check_url(url, failure) ||
        bake_cache_token_read(url, is_project_url, &token, &why, failure))
        return NULL;
    size_t length = strlen(url);
    while (length > 0 && url[length - 1] == '/')
        length--;
    http_tier *http = bake_alloc_array(1, sizeof *http + length + 1);
    if (!http) {
        bake_free(token);
        bake_fail_memory(failure);
        return NULL;
    }
    memcpy(http->url, url, length);
    http->tier.kind = &kind;
    http->tier.label = http->url;
    http->token = token;
    http->why_token = why;
    return &http->tier;
}

#endif

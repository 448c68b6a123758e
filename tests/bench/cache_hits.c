/* Measures hits in an HTTP cache: cache_hits NGINX FOLDER COUNT SIZE
 *
 * Starts NGINX on a free port of the loopback interface with its files in FOLDER, stores COUNT
 * contents of SIZE bytes, and reads all of them several times in turn: with a cache, and with a
 * bare loop over libcurl that collects the bytes of the same URLs. Each side uses one connection,
 * which it opens. Prints the medians of both in nanoseconds. */
#define _XOPEN_SOURCE 700

#include "bake_cache.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { ROUNDS = 15, TRIES = 500, COUNT_MAX = 10000, URL_SIZE = 128 };

typedef struct hits {
    char url[64];
    size_t count, size;
    bake_cache_key keys[COUNT_MAX];
} hits;

/* Bytes that libcurl delivers. */
typedef struct bytes {
    char *data;
    size_t size, capacity;
} bytes;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static struct sockaddr_in loopback(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static unsigned free_port(void)
{
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    int probe = socket(AF_INET, SOCK_STREAM, 0);
    bool done = probe >= 0 && bind(probe, (struct sockaddr *)&address, sizeof address) == 0 &&
                getsockname(probe, (struct sockaddr *)&address, &size) == 0;
    if (probe >= 0)
        close(probe);
    return done ? ntohs(address.sin_port) : 0;
}

static bool write_configuration(const char *folder, unsigned port)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/nginx.conf", folder);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file,
            "daemon off; master_process off; pid pid; error_log error.log; events {}\n"
            "http { access_log off; client_body_temp_path body; proxy_temp_path proxy;\n"
            "  fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;\n"
            "  keepalive_requests 100000; tcp_nodelay on; sendfile on;\n"
            "  server { listen 127.0.0.1:%u; client_max_body_size 1g;\n"
            "    location / { root store; dav_methods PUT; create_full_put_path on; } } }\n",
            port);
    return fclose(file) == 0;
}

/* Waits until the server accepts connections. */
static bool wait_for(unsigned port)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    struct sockaddr_in address = loopback(port);
    bool done = false;
    for (int i = 0; i < TRIES && !done; i++) {
        int probe = socket(AF_INET, SOCK_STREAM, 0);
        done = connect(probe, (struct sockaddr *)&address, sizeof address) == 0;
        close(probe);
        if (!done)
            nanosleep(&pause, NULL);
    }
    return done;
}

/* Returns the process of the server; -1 on failure. */
static pid_t start(const char *nginx, const char *folder, hits *h)
{
    char full[PATH_MAX], prefix[PATH_MAX + 2], store[PATH_MAX + 8];
    unsigned port = free_port();
    pid_t server;
    mkdir(folder, 0777);
    if (!realpath(folder, full) || !port || !write_configuration(folder, port))
        return -1;
    snprintf(prefix, sizeof prefix, "%s/", full);
    snprintf(store, sizeof store, "%s/store", full);
    mkdir(store, 0777);
    snprintf(h->url, sizeof h->url, "http://127.0.0.1:%u", port);
    char *const args[] = {
        (char[]){"nginx"}, (char[]){"-p"},        prefix, (char[]){"-c"}, (char[]){"nginx.conf"},
        (char[]){"-e"},    (char[]){"error.log"}, NULL};
    if (posix_spawn(&server, nginx, NULL, NULL, args, environ) != 0)
        return -1;
    if (wait_for(port))
        return server;
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
    return -1;
}

static bake_cache *open_cache(const hits *h)
{
    bake_failure failure = {BAKE_OK, ""};
    return bake_cache_create(&(bake_cache_settings){.url = h->url, .wait = BAKE_CACHE_WAIT_MAX},
                             &failure);
}

static bool store_contents(hits *h)
{
    unsigned char *data = malloc(h->size);
    bake_cache *cache = open_cache(h);
    for (size_t i = 0; data && cache && i < h->count; i++) {
        for (size_t k = 0; k < h->size; k++)
            data[k] = (unsigned char)((i + 1) * (k + 7) >> 3);
        memcpy(data, &i, sizeof i);
        h->keys[i] = (bake_cache_key){BAKE_CACHE_CONTENT, kiln_content_hash(data, h->size)};
        bake_cache_put(cache, 0, h->keys[i], data, h->size);
    }
    bool done = data && cache && !bake_cache_next_warning(cache);
    bake_cache_destroy(cache);
    free(data);
    return done;
}

static bool read_with_cache(const hits *h)
{
    bake_cache *cache = open_cache(h);
    bool done = cache != NULL;
    for (size_t i = 0; done && i < h->count; i++) {
        cache_bytes found = {0};
        done = bake_cache_get(cache, 0, h->keys[i], h->size, &found) && found.size == h->size;
        bake_cache_bytes_fini(&found);
    }
    bake_cache_destroy(cache);
    return done;
}

static size_t collect(char *data, size_t one, size_t size, void *ctx)
{
    bytes *into = ctx;
    (void)one;
    if (size > into->capacity - into->size)
        return 0;
    memcpy(into->data + into->size, data, size);
    into->size += size;
    return size;
}

static bool read_with_curl(const hits *h)
{
    CURL *handle = curl_easy_init();
    bool done = handle != NULL;
    for (size_t i = 0; done && i < h->count; i++) {
        char url[URL_SIZE], name[BAKE_CACHE_NAME_SIZE];
        bytes into = {malloc(h->size), 0, h->size};
        bake_cache_name(name, h->keys[i], false);
        snprintf(url, sizeof url, "%s/%s", h->url, name);
        curl_easy_setopt(handle, CURLOPT_URL, url);
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, collect);
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, &into);
        done = into.data && curl_easy_perform(handle) == CURLE_OK && into.size == h->size;
        free(into.data);
    }
    curl_easy_cleanup(handle);
    return done;
}

static int compare(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static bool measure(const hits *h)
{
    double ours[ROUNDS], baseline[ROUNDS];
    if (!read_with_cache(h) || !read_with_curl(h))
        return false;
    for (int i = 0; i < ROUNDS; i++) {
        double begin = now();
        if (!read_with_curl(h))
            return false;
        double middle = now();
        if (!read_with_cache(h))
            return false;
        baseline[i] = middle - begin;
        ours[i] = now() - middle;
    }
    qsort(ours, ROUNDS, sizeof *ours, compare);
    qsort(baseline, ROUNDS, sizeof *baseline, compare);
    printf("%.0f %.0f\n", ours[ROUNDS / 2], baseline[ROUNDS / 2]);
    return true;
}

int main(int argc, char **argv)
{
    static hits h;
    if (argc != 5)
        return 2;
    h.count = strtoul(argv[3], NULL, 10);
    h.size = strtoul(argv[4], NULL, 10);
    if (h.count == 0 || h.count > COUNT_MAX || h.size < sizeof(size_t))
        return 2;
    pid_t server = start(argv[1], argv[2], &h);
    if (server < 0)
        return 1;
    bool done =
        curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK && store_contents(&h) && measure(&h);
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
    curl_global_cleanup();
    return done ? 0 : 1;
}

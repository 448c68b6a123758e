/* Reads and checks the level in the peers' forms. */
#define _POSIX_C_SOURCE 200809L

#include "capnp_peer.h"
#include "flatbuffers_peer.h"
#include "probe_level.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef uint64_t peer_work(const void *data, size_t size);

typedef struct peer {
    const char *suffix; /* extension of its file */
    peer_work *verify, *sum, *walk;
} peer;

static const peer peers[] = {
#ifdef BENCH_HAVE_FLATBUFFERS
    {".bin", flatbuffers_peer_verify, flatbuffers_peer_sum, flatbuffers_peer_walk},
    {".shared", flatbuffers_peer_verify, flatbuffers_peer_sum, flatbuffers_peer_walk},
#endif
#ifdef BENCH_HAVE_CAPNP
    {".capnp", capnp_peer_verify, capnp_peer_sum, capnp_peer_walk},
#endif
    {NULL, NULL, NULL, NULL},
};

typedef struct peer_case {
    const peer *by;
    peer_work *work;
    const void *data;
    size_t size;
    baseline_level plain;
} peer_case;

static bool map_file(const char *path, peer_case *c)
{
    struct stat info;
    int file = open(path, O_RDONLY);
    if (file < 0)
        return false;
    void *data = MAP_FAILED;
    if (fstat(file, &info) == 0 && info.st_size > 0)
        data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (data == MAP_FAILED)
        return false;
    c->data = data;
    c->size = (size_t)info.st_size;
    return true;
}

static const char *open_peer(const char *path, peer_case *c)
{
    const char *suffix = strrchr(path, '.');
    for (c->by = peers; c->by->suffix && suffix && strcmp(c->by->suffix, suffix) != 0; c->by++) {
    }
    if (!c->by->suffix || !suffix)
        return "SKIPPED (built without the peer's library)";
    if (!map_file(path, c))
        return "SKIPPED (the peer's file is missing)";
    return c->by->verify(c->data, c->size) ? NULL : "FAILED: the peer's level is not valid";
}

static uint64_t run_peer(void *ctx)
{
    const peer_case *c = ctx;
    return c->work(c->data, c->size);
}

static uint64_t hash_bytes(void *ctx)
{
    const peer_case *c = ctx;
    return baseline_hash(c->data, c->size);
}

static uint64_t sum_plain(void *ctx)
{
    const peer_case *c = ctx;
    return baseline_sum_hp(&c->plain);
}

static uint64_t walk_plain(void *ctx)
{
    const peer_case *c = ctx;
    return baseline_walk_strings(&c->plain);
}

/* The plain structs are built from our file next to the peer's. */
static const char *read_peer(const char *path, peer_case *c, uint64_t (*plain)(void *),
                             bench_pair *ret_pair)
{
    char ours[4096];
    snprintf(ours, sizeof ours, "%.*s.kiln", (int)(strrchr(path, '.') - path), path);
    const bench_Level *level = probe_level_map(ours);
    if (!level)
        return "FAILED: the level cannot be opened";
    probe_level_copy(level, &c->plain);
    if (run_peer(c) != plain(c))
        return "FAILED: the two sides read different values";
    bench_side peer_side = {NULL, run_peer}, plain_side = {NULL, plain};
    *ret_pair = bench_span_measure_each(peer_side, plain_side, c, c->plain.count);
    return NULL;
}

const char *probe_peer_verify(const char *path, bench_pair *ret_pair)
{
    peer_case c = {0};
    const char *why = open_peer(path, &c);
    if (why)
        return why;
    c.work = c.by->verify;
    bench_side peer_side = {NULL, run_peer}, hash_side = {NULL, hash_bytes};
    *ret_pair = bench_span_measure(peer_side, hash_side, &c);
    return NULL;
}

const char *probe_peer_sum(const char *path, bench_pair *ret_pair)
{
    peer_case c = {0};
    const char *why = open_peer(path, &c);
    if (why)
        return why;
    c.work = c.by->sum;
    return read_peer(path, &c, sum_plain, ret_pair);
}

const char *probe_peer_walk(const char *path, bench_pair *ret_pair)
{
    peer_case c = {0};
    const char *why = open_peer(path, &c);
    if (why)
        return why;
    c.work = c.by->walk;
    return read_peer(path, &c, walk_plain, ret_pair);
}

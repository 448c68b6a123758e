/* The Cap'n Proto C++ library's side of a figure. Each gives 0 where the bytes are no level. */
#ifndef CAPNP_PEER_H
#define CAPNP_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library checks what is read when it is read, so this reads everything. */
uint64_t capnp_peer_verify(const void *data, size_t size);
uint64_t capnp_peer_sum(const void *data, size_t size);
uint64_t capnp_peer_walk(const void *data, size_t size);

/* Writes the level at `data` once more, all in one segment: the form that is read fastest. */
uint64_t capnp_peer_flatten(const void *data, size_t size, const char *output);

#ifdef __cplusplus
}
#endif

#endif

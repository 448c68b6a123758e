/* The Cap'n Proto C++ library's side of a figure. Functions return 0 if the bytes are not a level.
 */
#ifndef CAPNP_PEER_H
#define CAPNP_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library validates data when it is read, so this function reads everything. */
uint64_t capnp_peer_verify(const void *data, size_t size);
uint64_t capnp_peer_sum(const void *data, size_t size);
uint64_t capnp_peer_walk(const void *data, size_t size);

/* Rewrites the level at `data` as a single segment, the form that is fastest to read. */
uint64_t capnp_peer_flatten(const void *data, size_t size, const char *output);

#ifdef __cplusplus
}
#endif

#endif

/* The FlatBuffers C++ library's side of a figure. */
#ifndef FLATBUFFERS_PEER_H
#define FLATBUFFERS_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if the library's verifier accepts the level, else 0. */
uint64_t flatbuffers_peer_verify(const void *data, size_t size);

uint64_t flatbuffers_peer_sum(const void *data, size_t size);
uint64_t flatbuffers_peer_walk(const void *data, size_t size);

/* Rewrites the level at `data`, storing equal strings once. Returns 0 if the file cannot be
 * written. */
uint64_t flatbuffers_peer_share(const void *data, size_t size, const char *output);

#ifdef __cplusplus
}
#endif

#endif

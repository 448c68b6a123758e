/* One process of the benchmark: `bench_probe FIGURE ARGUMENT` prints ours and baseline in
 * nanoseconds. `yaml FILE` times nothing: its processor time is what its parent wants. `share IN
 * OUT` writes a level of the FlatBuffers kind again with shared strings. */
#include "baselines.h"
#include "flatbuffers_peer.h"
#include "probe.h"

#include <stdio.h>
#include <string.h>

typedef struct probe {
    const char *name;
    const char *(*run)(const char *argument, bench_pair *ret_pair);
} probe;

static const probe probes[] = {
    {"hash", probe_hash},
    {"verify", probe_verify},
    {"verify-less", probe_verify_less},
    {"verify-more", probe_verify_more},
    {"sum", probe_sum},
    {"walk", probe_walk},
    {"find", probe_find},
    {"open", probe_open},
    {"open-hash", probe_open_hash},
    {"open-none", probe_open_none},
    {"open-whole", probe_open_whole},
    {"canonicalize", probe_canonicalize},
};

static int share(const char *input, const char *output)
{
#ifdef BENCH_HAVE_FLATBUFFERS
    probe_bytes bytes;
    return probe_read(input, &bytes) && flatbuffers_peer_verify(bytes.data, bytes.size) &&
                   flatbuffers_peer_share(bytes.data, bytes.size, output)
               ? 0
               : 1;
#else
    (void)input;
    (void)output;
    return 0;
#endif
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "share") == 0)
        return share(argv[2], argv[3]);
    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "yaml") == 0)
        return baseline_yaml_events(argv[2]) ? 0 : 1;
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (strcmp(argv[1], probes[i].name) != 0)
            continue;
        bench_pair pair = {0, 0};
        const char *why = probes[i].run(argv[2], &pair);
        if (why)
            printf("%s\n", why);
        else
            printf("%.1f %.1f\n", pair.ours, pair.baseline);
        return 0;
    }
    return 2;
}

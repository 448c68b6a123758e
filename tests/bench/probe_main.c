/* One process of the benchmark. `bench_probe FIGURE ARGUMENT` prints our time and that of the
 * baseline, in nanoseconds unless the figure has a different unit. `reload BAKE SCHEMA NOTES` does
 * the same for a figure that runs kiln-bake. `yaml FILE...` is a baseline itself: its parent
 * measures the CPU time. `share IN OUT` rewrites a FlatBuffers level with shared strings, and
 * `flatten IN OUT` a Cap'n Proto level in one segment. Both exit with 2 if the library is
 * missing. */
#include "baselines.h"
#include "capnp_peer.h"
#include "flatbuffers_peer.h"
#include "probe.h"
#include "probe_assets.h"
#include "probe_collect.h"
#include "probe_entities.h"
#include "probe_reload.h"
#include "probe_scenes.h"

#include <pthread.h>
#include <stdatomic.h>
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
    {"verify-hash", probe_verify_hash},
    {"peer-verify", probe_peer_verify},
    {"peer-sum", probe_peer_sum},
    {"peer-walk", probe_peer_walk},
    {"sum", probe_sum},
    {"walk", probe_walk},
    {"find", probe_find},
    {"open", probe_open},
    {"open-hash", probe_open_hash},
    {"open-none", probe_open_none},
    {"open-whole", probe_open_whole},
    {"canonicalize", probe_canonicalize},
    {"pack-3", probe_pack_3},
    {"pack-19", probe_pack_19},
    {"unpack", probe_unpack},
    {"unpack-none", probe_unpack_none},
    {"unpack-hash", probe_unpack_hash},
    {"convert", probe_convert},
    {"convert-hash", probe_convert_hash},
    {"scene-load", probe_scene_load},
    {"scene-load-words", probe_scene_load_words},
    {"scene-load-copied", probe_scene_load_copied},
    {"scene-load-second", probe_scene_load_second},
    {"scene-verify", probe_scene_verify},
    {"scene-unload", probe_scene_unload},
    {"scene-unpack", probe_scene_unpack},
    {"create-warm", probe_create_warm},
    {"create-warm-huge", probe_create_warm_huge},
    {"create-fresh", probe_create_fresh},
    {"create-fresh-huge", probe_create_fresh_huge},
    {"create-listed", probe_create_listed},
    {"create-single", probe_create_single},
    {"create-appended", probe_create_appended},
    {"create-threads", probe_create_threads},
    {"create-threads-fresh", probe_create_threads_fresh},
    {"ids-fresh", probe_ids_fresh},
    {"ids-first", probe_ids_first},
    {"ids-again", probe_ids_again},
    {"by-handle", probe_by_handle},
    {"by-handle-huge", probe_by_handle_huge},
    {"by-handle-unprepared", probe_by_handle_unprepared},
    {"by-handles", probe_by_handles},
    {"iterate", probe_iterate},
    {"iterate-huge", probe_iterate_huge},
    {"add", probe_add},
    {"remove", probe_remove},
    {"add-all", probe_add_all},
    {"remove-all", probe_remove_all},
    {"commands-record", probe_commands_record},
    {"commands-add", probe_commands_add},
    {"commands-spawn", probe_commands_spawn},
    {"destroy-random", probe_destroy_random},
    {"destroy-query", probe_destroy_query},
    {"destroy-world", probe_destroy_world},
    {"after-random", probe_after_random},
    {"after-query", probe_after_query},
    {"after-world", probe_after_world},
    {"ref-pointer", probe_ref_pointer},
    {"ref-indirect", probe_ref_indirect},
    {"ref-handle", probe_ref_handle},
    {"ref-id", probe_ref_id},
    {"mount", probe_mount},
    {"unmount", probe_unmount},
    {"mount-patch", probe_mount_patch},
    {"replace", probe_replace},
    {"find-mounted", probe_find_mounted},
    {"read-beside", probe_read_beside},
    {"mark-trees", probe_mark_trees},
    {"mark-random", probe_mark_random},
    {"mark-clusters", probe_mark_clusters},
    {"mark-slice", probe_mark_slice},
    {"mark-threads", probe_mark_threads},
    {"mark-read", probe_mark_read},
    {"pool-create", probe_pool_create},
    {"pool-again", probe_pool_again},
    {"pool-batch", probe_pool_batch},
    {"pool-read", probe_pool_read},
    {"pool-destroy", probe_pool_destroy},
    {"pool-trim", probe_pool_trim},
    {"pool-dense-create", probe_pool_dense_create},
    {"pool-dense-again", probe_pool_dense_again},
    {"pool-dense-read", probe_pool_dense_read},
};

#if defined(BENCH_HAVE_FLATBUFFERS) || defined(BENCH_HAVE_CAPNP)
/* Rewrites a level of FlatBuffers or Cap'n Proto in a different form of the same format. */
typedef uint64_t rewriter(const void *data, size_t size, const char *output);

static int rewrite(const char *input, const char *output, rewriter *write)
{
    probe_bytes bytes;
    return probe_read(input, &bytes) && write(bytes.data, bytes.size, output) ? 0 : 1;
}
#endif

static int yaml_events(char *const *paths, int count)
{
    for (int i = 0; i < count; i++)
        if (!baseline_yaml_events(paths[i]))
            return 1;
    return 0;
}

/* Files of which two threads take the next one in turn. */
typedef struct shared_files {
    char *const *paths;
    int count;
    atomic_int next;
    atomic_bool failed;
} shared_files;

static void *take_files(void *ctx)
{
    shared_files *files = ctx;
    for (int i; (i = atomic_fetch_add(&files->next, 1)) < files->count;)
        if (!baseline_yaml_events(files->paths[i]))
            atomic_store(&files->failed, true);
    return NULL;
}

static int yaml_threads(char *const *paths, int count)
{
    shared_files files = {.paths = paths, .count = count};
    pthread_t thread;
    if (pthread_create(&thread, NULL, take_files, &files) != 0)
        return 1;
    take_files(&files);
    pthread_join(thread, NULL);
    return atomic_load(&files.failed);
}

static int print(const char *why, const bench_pair *pair)
{
    if (why)
        printf("%s\n", why);
    else
        printf("%.6g %.6g\n", pair->ours, pair->baseline);
    return 0;
}

int main(int argc, char **argv)
{
#ifdef BENCH_HAVE_FLATBUFFERS
    if (argc == 4 && strcmp(argv[1], "share") == 0)
        return rewrite(argv[2], argv[3], flatbuffers_peer_share);
#endif
#ifdef BENCH_HAVE_CAPNP
    if (argc == 4 && strcmp(argv[1], "flatten") == 0)
        return rewrite(argv[2], argv[3], capnp_peer_flatten);
#endif
    if (argc > 2 && strcmp(argv[1], "yaml") == 0)
        return yaml_events(argv + 2, argc - 2);
    if (argc > 2 && strcmp(argv[1], "yaml-threads") == 0)
        return yaml_threads(argv + 2, argc - 2);
    if (argc == 5 && strcmp(argv[1], "reload") == 0) {
        bench_pair pair = {0, 0};
        return print(probe_reload(argv[2], argv[3], argv[4], &pair), &pair);
    }
    if (argc != 3)
        return 2;
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (strcmp(argv[1], probes[i].name) != 0)
            continue;
        bench_pair pair = {0, 0};
        return print(probes[i].run(argv[2], &pair), &pair);
    }
    return 2;
}

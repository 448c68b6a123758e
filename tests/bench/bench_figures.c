#include "bench_figures.h"

#include "bench_figure.h"
#include "bench_inputs.h"
#include "bench_jobs.h"

#include <string.h>

static const bench_figure figures[] = {
    {.name = "bake CPU / bare libyaml events",
     .sample = bench_sample_bake_yaml,
     .target = 1.15,
     .unit = "ms",
     .span = "user and system time of one whole process on each side: kiln-bake from YAML to the "
             "finished file; a loop that reads the whole file, requests each event from libyaml "
             "and deletes it"},
    {.name = "bake CPU / flatc CPU for as many spawns",
     .sample = bench_sample_bake_flatc,
     .target = 0.9,
     .needs_flatc = true,
     .unit = "us per spawn",
     .span = "user and system time of one whole process on each side: kiln-bake from YAML; flatc "
             "from the equivalent JSON"},
    {.name = "bake CPU / capnp convert CPU for as many spawns",
     .sample = bench_sample_bake_capnp,
     .needs_capnp = true,
     .unit = "us per spawn",
     .span = "the same; capnp convert json:binary from the equivalent JSON"},
    {.name = "peak memory of bake / (input + 8 x blob)",
     .sample = bench_sample_peak,
     .target = 1.0,
     .unit = "MB",
     .span = "largest resident size of the kiln-bake process; the sizes of the two files"},
    {.name = "peak memory of baking a payload of 1 GiB / 64 MiB",
     .sample = bench_sample_payload,
     .target = 1.0,
     .unit = "MB",
     .span = "largest resident size of the kiln-bake process, for an asset that refers to a sparse "
             "file; 64 MiB, whatever the size of the file"},
    {.name = "peak memory of baking 200 MB in 4000 files / 64 MiB and 8 files",
     .sample = bench_sample_many_peak,
     .target = 1.0,
     .unit = "MB",
     .span = "largest resident size of kiln-bake -j 2, for 50000 assets; 64 MiB, and eight times "
             "the size of the largest file"},
    {.name = "bytes of the level / FlatBuffers with shared strings",
     .sample = bench_sample_size,
     .args = {BENCH_SHARED_BIN},
     .target = 1.0,
     .strictly = true,
     .needs_flatc = true,
     .unit = "MB",
     .span = "the whole file with index and type table; a file with the same level, made by its "
             "library with CreateSharedString"},
    {.name = "bytes of the level / FlatBuffers",
     .sample = bench_sample_size,
     .args = {BENCH_LEVEL_BIN},
     .target = 0.65,
     .needs_flatc = true,
     .unit = "MB",
     .span = "the whole file with index and type table; flatc's file"},
    {.name = "bytes of the level / Cap'n Proto",
     .sample = bench_sample_size,
     .args = {BENCH_CAPNP},
     .needs_capnp = true,
     .unit = "MB",
     .span = "the whole file with index and type table; the message in one segment"},
    {.name = "bytes of the level / Cap'n Proto packed",
     .sample = bench_sample_size,
     .args = {BENCH_CAPNP_PACKED},
     .needs_capnp = true,
     .unit = "MB",
     .span = "the same; the packed message, which cannot be read in place"},
    {.name = "verification level hash / one XXH3 call at 64 KiB",
     .sample = bench_sample_probe,
     .args = {"hash", "65536"},
     .target = 1.05,
     .unit = "ns per member",
     .span = "first kiln_file_root of each of 64 members under KILN_VERIFY_HASH in memory, "
             "without opening the file; one XXH3-64 call on each member's bytes, compiled for the "
             "compiler's default machine (Kiln uses wider registers if available)"},
    {.name = "verification level hash / one XXH3 call at 1 KiB",
     .sample = bench_sample_probe,
     .args = {"hash", "1024"},
     .target = 1.25,
     .unit = "ns per member",
     .span = "first kiln_file_root of each of 4096 members under KILN_VERIFY_HASH in memory, "
             "without opening the file; one XXH3-64 call on each member's bytes, compiled for the "
             "compiler's default machine (Kiln uses wider registers if available)"},
    {.name = "verification level deep / FlatBuffers verifier",
     .sample = bench_sample_probe_long,
     .args = {"verify", BENCH_LEVEL_KILN},
     .target = 0.8,
     .unit = "ms",
     .span = "kiln_verify of the level in warm memory as the runtime calls it at the verification "
             "level deep: every rule except the canonical form; VerifyLevelBuffer of the peer's "
             "level"},
    {.name = "bounds only / FlatBuffers verifier",
     .sample = bench_sample_probe_long,
     .args = {"verify-less", BENCH_LEVEL_KILN},
     .target = 0.5,
     .unit = "ms",
     .span = "kiln_verify with bounds_only, which checks the same as the peer: bounds, alignment, "
             "string terminators, counts, number ranges, but no hash, UTF-8, sharing or padding"},
    {.name = "verification level deep and canonical form / FlatBuffers verifier",
     .sample = bench_sample_probe_long,
     .args = {"verify-more", BENCH_LEVEL_KILN},
     .unit = "ms",
     .span = "kiln_verify as at the verification level deep, and the canonical form"},
    {.name = "verification level deep / one XXH3 call",
     .sample = bench_sample_probe_long,
     .args = {"verify-hash", BENCH_LEVEL_KILN},
     .unit = "ms",
     .span = "kiln_verify as at the verification level deep; one XXH3-64 call on the same bytes"},
    {.name = "verify with FlatBuffers / one XXH3 call",
     .sample = bench_sample_probe_long,
     .args = {"peer-verify", BENCH_LEVEL_BIN},
     .needs_flatc = true,
     .is_peer = true,
     .unit = "ms",
     .span = "the library's verifier; one XXH3-64 call on the same bytes"},
    {.name = "verify with FlatBuffers with shared strings / one XXH3 call",
     .sample = bench_sample_probe_long,
     .args = {"peer-verify", BENCH_SHARED_BIN},
     .needs_flatc = true,
     .is_peer = true,
     .unit = "ms",
     .span = "the library's verifier; one XXH3-64 call on the same bytes"},
    {.name = "verify with Cap'n Proto / one XXH3 call",
     .sample = bench_sample_probe_long,
     .args = {"peer-verify", BENCH_CAPNP},
     .needs_capnp = true,
     .is_peer = true,
     .unit = "ms",
     .span = "a new reader that reads everything once, because the library checks data as it is "
             "read; one XXH3-64 call on the same bytes"},
    {.name = "sum a field / plain C structs",
     .sample = bench_sample_probe,
     .args = {"sum", BENCH_LEVEL_KILN},
     .target = 0.8,
     .unit = "ns per spawn",
     .span = "hp of every spawn of a mapped and verified level; the same over structs with "
             "strings from malloc"},
    {.name = "read all strings / plain C structs",
     .sample = bench_sample_probe,
     .args = {"walk", BENCH_LEVEL_KILN},
     .target = 0.75,
     .unit = "ns per spawn",
     .span = "the first byte of each name, kind, tag and item; the same over structs with strings "
             "from malloc"},
    {.name = "sum a field with FlatBuffers / plain C structs",
     .sample = bench_sample_probe,
     .args = {"peer-sum", BENCH_LEVEL_BIN},
     .needs_flatc = true,
     .is_peer = true,
     .unit = "ns per spawn",
     .span = "the same through the library's readers, without its verifier"},
    {.name = "sum a field with FlatBuffers with shared strings / plain C structs",
     .sample = bench_sample_probe,
     .args = {"peer-sum", BENCH_SHARED_BIN},
     .needs_flatc = true,
     .is_peer = true,
     .unit = "ns per spawn",
     .span = "the same through the library's readers, without its verifier"},
    {.name = "sum a field with Cap'n Proto / plain C structs",
     .sample = bench_sample_probe,
     .args = {"peer-sum", BENCH_CAPNP},
     .needs_capnp = true,
     .is_peer = true,
     .unit = "ns per spawn",
     .span = "the same through the library's readers, which check each access"},
    {.name = "read all strings with FlatBuffers / plain C structs",
     .sample = bench_sample_probe,
     .args = {"peer-walk", BENCH_LEVEL_BIN},
     .needs_flatc = true,
     .is_peer = true,
     .unit = "ns per spawn",
     .span = "the same through the library's readers, without its verifier"},
    {.name = "read all strings with FlatBuffers with shared strings / plain C structs",
     .sample = bench_sample_probe,
     .args = {"peer-walk", BENCH_SHARED_BIN},
     .needs_flatc = true,
     .is_peer = true,
     .unit = "ns per spawn",
     .span = "the same through the library's readers, without its verifier"},
    {.name = "read all strings with Cap'n Proto / plain C structs",
     .sample = bench_sample_probe,
     .args = {"peer-walk", BENCH_CAPNP},
     .needs_capnp = true,
     .is_peer = true,
     .unit = "ns per spawn",
     .span = "the same through the library's readers, which check each access"},
    {.name = "find by name / (XXH3 + one cold read)",
     .sample = bench_sample_probe,
     .args = {"find", BENCH_NOTES_KILN},
     .target = 2.0,
     .unit = "ns per name",
     .span = "kiln_file_find of each of 100000 names in random order; XXH3-64 of the name and one "
             "read of a table as large as the index, at the position given by the hash"},
    {.name = "open a file of 100000 assets / reading its index once",
     .sample = bench_sample_probe_long,
     .args = {"open", BENCH_NOTES_KILN},
     .target = 2.0,
     .unit = "ms",
     .span = "kiln_file_open of a path at the default verification level, deep (frame and hash of "
             "the index; its entries are checked when they are used), and close; open, map the "
             "index, sum its words, unmap, close"},
    {.name = "open a file of 100000 assets at the verification level hash / reading its index once",
     .sample = bench_sample_probe_long,
     .args = {"open-hash", BENCH_NOTES_KILN},
     .target = 2.0,
     .unit = "ms",
     .span = "the same at the verification level hash, which makes the same checks of the index"},
    {.name = "open a file of 100000 assets at the verification level none / reading its index once",
     .sample = bench_sample_probe_long,
     .args = {"open-none", BENCH_NOTES_KILN},
     .unit = "ms",
     .span = "the same at the verification level none: frame of the index, no hash"},
    {.name = "open a file of 100000 assets and check all of its index / reading its index once",
     .sample = bench_sample_probe_long,
     .args = {"open-whole", BENCH_NOTES_KILN},
     .unit = "ms",
     .span = "the same at the default verification level, and kiln_file_index: every rule of the "
             "index"},
    {.name = "2000 blobs of 1-4 KB stored with a dictionary / without, level 3",
     .sample = bench_sample_probe,
     .args = {"pack-3", BENCH_PACKED_KILN},
     .target = 0.7,
     .unit = "MB",
     .span = "stored bytes of all members but the type table, including the dictionary with its "
             "header; the same without one"},
    {.name = "2000 blobs of 1-4 KB stored with a dictionary / without, level 19",
     .sample = bench_sample_probe,
     .args = {"pack-19", BENCH_PACKED_KILN},
     .target = 0.65,
     .unit = "MB",
     .span = "the same at level 19"},
    {.name = "decompress such a blob / libzstd's own call",
     .sample = bench_sample_probe,
     .args = {"unpack", BENCH_PACKED_KILN},
     .target = 1.1,
     .unit = "ns per blob",
     .span = "kiln_decompress of each, level 19 with a dictionary; ZSTD_decompress_usingDDict; "
             "both with a cached context and digested dictionary, into the same warm memory"},
    {.name = "first use of such an asset at the verification level hash / libzstd's own call",
     .sample = bench_sample_probe,
     .args = {"unpack-hash", BENCH_PACKED_KILN},
     .target = 1.1,
     .unit = "ns per blob",
     .span = "kiln_file_root of each asset for the first time under KILN_VERIFY_HASH (hash of the "
             "stored bytes, decompression, header, hash of the blob), in a file with one asset "
             "already used; malloc and ZSTD_decompress_usingDDict of each; both cache all blobs"},
    {.name = "first use of such an asset at the verification level none / libzstd's own call",
     .sample = bench_sample_probe,
     .args = {"unpack-none", BENCH_PACKED_KILN},
     .target = 1.1,
     .unit = "ns per blob",
     .span = "the same under KILN_VERIFY_NONE: no hashes"},
    {.name = "bake a small file / an empty process",
     .sample = bench_sample_start,
     .target = 2.0,
     .unit = "ms",
     .span = "from starting a process to its end, median of 41 pairs a sample: kiln-bake of a "
             "YAML file of four spawns (1.1 KB); a process with the same libraries that does "
             "nothing"},
    {.name = "2000 small assets in one process / flatc in one process",
     .sample = bench_sample_small,
     .target = 0.8,
     .needs_flatc = true,
     .unit = "ms",
     .span = "from starting a process to its end: kiln-bake of 2000 YAML files into one file; "
             "flatc of the equivalent JSON files into 2000 files"},
    {.name = "2000 small assets in one process / flatc once per file",
     .sample = bench_sample_small_each,
     .target = 0.07,
     .needs_flatc = true,
     .unit = "ms",
     .span = "the same; flatc started for each file, measured for every tenth file and multiplied "
             "by ten"},
    {.name = "bake 4000 files on 2 threads: speed-up / libyaml's speed-up",
     .sample = bench_sample_jobs_mixed,
     .target = 0.9,
     .at_least = true,
     .unit = "times",
     .span = "wall-clock time, the shortest of 15 processes, without an old output: kiln-bake -j 1 "
             "of 2000 files of 0.8 KB "
             "and 2000 of 1 to 6 KB, divided by kiln-bake -j 2; a loop that reads each file, "
             "requests each event from libyaml and deletes it, divided by two threads that take "
             "files in turn"},
    {.name = "dump as JSON in bytes per second / flatc binary to JSON",
     .sample = bench_sample_dump,
     .args = {BENCH_LEVEL_KILN},
     .target = 6.0,
     .at_least = true,
     .needs_flatc = true,
     .unit = "MB/s",
     .span = "bytes written, without white space, per second of user and system time of a whole "
             "process: kiln-inspect dump -f json; flatc --json --strict-json"},
    {.name = "dump of 450000 small assets as JSON / flatc binary to JSON",
     .sample = bench_sample_dump,
     .args = {BENCH_DUMP_NOTES},
     .target = 4.0,
     .at_least = true,
     .needs_flatc = true,
     .unit = "MB/s",
     .span = "the same for a file of notes with 80 letters each; flatc with the level"},
    {.name = "canonicalize an object / one hash and one warm lookup",
     .sample = bench_sample_probe,
     .args = {"canonicalize", BENCH_LEVEL_KILN},
     .target = 3.0,
     .unit = "ns per object",
     .span = "kiln_canonicalize of the level without sharing, to a finished blob; XXH3-64 of each "
             "object's bytes and one lookup in a table that contains them all"},
    {.name = "convert a widened and extended layout / memcpy of the result",
     .sample = bench_sample_probe_long,
     .args = {"convert", BENCH_LEVEL_KILN},
     .target = 3.0,
     .unit = "ms",
     .span = "kiln_conversion_run of the level into new memory, which is freed again, without the "
             "hash: hp of each spawn and count of each loot entry from u32 to u64, a new field "
             "with a default; memory from the same allocator, one memcpy of that blob, and the "
             "free"},
    {.name = "convert a widened and extended layout, with its hash / memcpy of the result",
     .sample = bench_sample_probe_long,
     .args = {"convert-hash", BENCH_LEVEL_KILN},
     .unit = "ms",
     .span = "the same with the result's hash"},
    {.name = "pool: create an object / malloc and a generation",
     .sample = bench_sample_probe,
     .args = {"pool-create", "10000"},
     .unit = "ns per object",
     .span = "10000 objects of 36 bytes by single calls in a new pool, each written once; malloc "
             "for each, and an entry with its pointer and generation in a table"},
    {.name = "pool: create an object again / malloc and a generation",
     .sample = bench_sample_probe,
     .args = {"pool-again", "10000"},
     .unit = "ns per object",
     .span = "the same after 10000 objects were destroyed in random order"},
    {.name = "pool: create objects again in one call / malloc and a generation",
     .sample = bench_sample_probe,
     .args = {"pool-batch", "10000"},
     .unit = "ns per object",
     .span = "the same; kiln_pool_objects_create of all, then each written once"},
    {.name = "pool: read an object in random order / malloc and a generation",
     .sample = bench_sample_probe,
     .args = {"pool-read", "10000"},
     .unit = "ns per object",
     .span = "kiln_pool_get and a field of each of 10000 objects; the entry's generation compared, "
             "its pointer followed, the same field"},
    {.name = "pool: read one of 1000000 objects in random order / malloc and a generation",
     .sample = bench_sample_probe,
     .args = {"pool-read", "1000000"},
     .unit = "ns per object",
     .span = "the same with 1000000 objects"},
    {.name = "pool: destroy an object in random order / free and a generation",
     .sample = bench_sample_probe,
     .args = {"pool-destroy", "10000"},
     .unit = "ns per object",
     .span = "kiln_pool_object_destroy of each of 10000 objects; the entry's generation compared, "
             "free, the entry put on a list"},
    {.name = "pool: memory after 1000000 objects were destroyed, with a trim / without",
     .sample = bench_sample_probe,
     .args = {"pool-trim", "1000000"},
     .unit = "MB",
     .span = "resident memory of a pool after kiln_pool_trim, after 1000000 objects of 36 bytes "
             "were created and destroyed; the same before kiln_pool_trim"},
    {.name = "pool: create an object / a row of the dense store",
     .sample = bench_sample_probe,
     .args = {"pool-dense-create", "10000"},
     .unit = "ns per object",
     .span = "10000 objects of 36 bytes by single calls in a new pool, each written once; the "
             "same number of rows by kiln_entity_create in a new world"},
    {.name = "pool: create an object again / a row of the dense store",
     .sample = bench_sample_probe,
     .args = {"pool-dense-again", "10000"},
     .unit = "ns per object",
     .span = "the same after all were destroyed in random order"},
    {.name = "pool: read an object in random order / a component of the dense store",
     .sample = bench_sample_probe,
     .args = {"pool-dense-read", "10000"},
     .unit = "ns per object",
     .span = "kiln_pool_get of each of 10000 objects; kiln_entity_read of as many entities"},
};

static const char *verdict(const bench_figure *f, double ratio)
{
    if (f->target == 0)
        return f->is_peer ? "PEER" : "NO TARGET";
    bool met = f->at_least   ? ratio >= f->target
               : f->strictly ? ratio < f->target
                             : ratio <= f->target;
    return met ? "MET" : "MISSED";
}

/* Names and spans must not contain quotation marks. */
static void print_row(FILE *out, const char *comma, const bench_figure *f, const bench_pair *pair,
                      double ratio)
{
    const char *sign = f->at_least ? ">=" : f->strictly ? "<" : "<=";
    char target[32] = "";
    if (f->target > 0)
        snprintf(target, sizeof target, "%s %.3g", sign, f->target);
    fprintf(out, "\"%s\"%s%.4g%s%.4g%s%.3f%s%s%s%s%s%s%s\"%s\"\n", f->name, comma, pair->ours,
            comma, pair->baseline, comma, ratio, comma, target, comma, verdict(f, ratio), comma,
            f->unit, comma, f->span);
}

static const char *take(const bench_tools *tools, const bench_figure *f, bench_pair *ret_pair,
                        double *ret_ratio)
{
    double ours[BENCH_PROCESSES_MAX], baseline[BENCH_PROCESSES_MAX], ratios[BENCH_PROCESSES_MAX];
    int processes = tools->sizes.processes;
    if (f->needs_flatc && !tools->flatc)
        return "SKIPPED (no flatc)";
    if (f->needs_capnp && !tools->capnp)
        return "SKIPPED (no capnp)";
    for (int i = 0; i < processes; i++) {
        bench_pair pair;
        const char *why = f->sample(tools, f->args, &pair);
        if (why)
            return why;
        ours[i] = pair.ours;
        baseline[i] = pair.baseline;
        ratios[i] = pair.ours / pair.baseline;
    }
    ret_pair->ours = bench_median(ours, processes);
    ret_pair->baseline = bench_median(baseline, processes);
    *ret_ratio = bench_median(ratios, processes);
    return NULL;
}

/* Prints the figure's row to each of `outs`. Returns false if the measurement failed. */
static bool print_figure(const bench_tools *tools, const bench_figure *f, FILE *const outs[2])
{
    bench_pair pair = {0, 0};
    double ratio = 0;
    const char *why = take(tools, f, &pair, &ratio);
    for (int k = 0; k < 2 && outs[k]; k++) {
        const char *comma = k ? "," : ", ";
        if (why)
            fprintf(outs[k], "\"%s\"%s%s%s%s%s%s%s%s%s\"%s\"\n", f->name, comma, comma, comma,
                    comma, comma, why, comma, f->unit, comma, f->span);
        else
            print_row(outs[k], comma, f, &pair, ratio);
        fflush(outs[k]);
    }
    return !why || strncmp(why, "SKIPPED", 7) == 0;
}

bool bench_figures_print(const bench_tools *tools, FILE *csv)
{
    const struct {
        const bench_figure *list;
        size_t count;
    } parts[] = {
        {figures, sizeof figures / sizeof *figures},
        {bench_asset_figures, bench_asset_figure_count},
        {bench_entity_figures, bench_entity_figure_count},
        {bench_scene_figures, bench_scene_figure_count},
        {bench_project_figures, bench_project_figure_count},
        {bench_inspect_figures, bench_inspect_figure_count},
        {bench_real_figures, bench_real_figure_count},
    };
    FILE *const outs[] = {stdout, csv};
    bool good = true;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (size_t i = 0; i < parts[p].count; i++)
            if (!tools->only || strstr(parts[p].list[i].name, tools->only))
                good = print_figure(tools, &parts[p].list[i], outs) && good;
    return good;
}

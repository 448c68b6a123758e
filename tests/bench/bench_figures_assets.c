/* The figures of the asset table. */
#include "bench_figure.h"
#include "bench_inputs.h"

static const char ns[] = "ns per asset";

const bench_figure bench_asset_figures[] = {
    {.name = "asset through the pointer form / plain pointer",
     .sample = bench_sample_entities,
     .args = {"ref-pointer"},
     .target = 1.1,
     .unit = ns,
     .span =
         "for each loaded asset of one mapped file, 190 bytes each, in random order: kiln_ref_get "
         "of a word, with a local copy of the table's slots, and reading a field of its root; "
         "reading the field through an array of plain pointers in the same order"},
    {.name = "asset through the indirect form / plain pointer",
     .sample = bench_sample_entities,
     .args = {"ref-indirect"},
     .target = 1.6,
     .unit = ns,
     .span = "the same"},
    {.name = "asset through the handle form / plain pointer",
     .sample = bench_sample_entities,
     .args = {"ref-handle"},
     .target = 2.2,
     .unit = ns,
     .span = "the same; weak handles, which are read like strong ones, and a check for a root, "
             "which a handle does not guarantee"},
    {.name = "asset by its id in a blob / plain pointer",
     .sample = bench_sample_entities,
     .args = {"ref-id"},
     .target = 2.5,
     .unit = ns,
     .span = "kiln_assets_get of each id of a list in a loaded asset, and the same field; the "
             "array of plain pointers as above"},
    {.name = "mount a file of 100000 assets / reading its index once",
     .sample = bench_sample_probe_long,
     .args = {"mount", BENCH_NOTES_KILN},
     .target = 2.0,
     .unit = "ms",
     .span = "kiln_assets_mount of a path at the default verification level in a table without "
             "files; open, map the index, sum its words, unmap, close"},
    {.name = "unmount a file of 100000 assets / reading its index once",
     .sample = bench_sample_probe_long,
     .args = {"unmount", BENCH_NOTES_KILN},
     .unit = "ms",
     .span = "kiln_assets_unmount of the file, with nothing loaded, including the close of the "
             "file; the same"},
    {.name = "mount a file of 100000 assets as a patch / reading its index once",
     .sample = bench_sample_probe_long,
     .args = {"mount-patch", BENCH_NOTES_KILN},
     .unit = "ms",
     .span = "kiln_assets_mount of a second file with the same assets, none of them loaded, each "
             "entered by its id; the same"},
    {.name = "replace a file of 100000 assets, 100 changed / reading both indexes once",
     .sample = bench_sample_entities,
     .args = {"replace", "100000"},
     .target = 3.0,
     .unit = "ns",
     .span =
         "kiln_assets_replace of a mapped file of 190-byte assets, all loaded, by a path at the "
         "default verification level, average of 9 replacements with 9 versions, so that moving "
         "unchanged assets to a newer file is included; open both files, map their indexes, add up "
         "all 64-bit words in order, unmap, close"},
    {.name = "a changed line of YAML until a program reads it / baking that file",
     .sample = bench_sample_reload,
     .target = 3.0,
     .unit = "ms",
     .span = "wall-clock time, file of 100000 notes, one value in one line changed: a process of "
             "kiln-bake, a program that looks for a new file once per millisecond, "
             "kiln_assets_replace with all assets loaded, and the new value through a handle; the "
             "process of kiln-bake"},
    {.name = "find by name in 1000 mounted files / in one",
     .sample = bench_sample_entities,
     .args = {"find-mounted"},
     .target = 1.5,
     .unit = "ns per name",
     .span = "kiln_assets_find of each of 100000 names in random order, with the same number of "
             "assets on both sides, here in 1000 files; the same in a table with one file"},
    {.name = "read during mounting and unmounting / undisturbed",
     .sample = bench_sample_entities,
     .args = {"read-beside", "100000"},
     .target = 1.2,
     .unit = ns,
     .span = "two threads that read a field of 100000 assets in random order, alternately through "
             "handles and ids, quiescent after every 1000, while a third continuously mounts and "
             "unmounts a patch that replaces 1000 of them; the same two threads alone. Both sides "
             "are the readers' own CPU time, which excludes the time of the third thread on the "
             "same CPU"},
    {.name = "mark 1000000 assets in trees / breadth-first in flat arrays",
     .sample = bench_sample_entities,
     .args = {"mark-trees", "1000000"},
     .target = 2.0,
     .unit = ns,
     .span = "a whole cycle of kiln_collector_run that finds nothing to remove: 20000 trees of "
             "50, 5 % of the assets refer to one of 2000 shared ones, and each root has a strong "
             "handle; a traversal of the same edges from the same roots, with numbers in an "
             "array, a byte for each node and a queue"},
    {.name = "mark 1000000 assets in a random graph / breadth-first in flat arrays",
     .sample = bench_sample_entities,
     .args = {"mark-random", "1000000"},
     .target = 2.0,
     .unit = ns,
     .span = "the same; three references of each asset to random others, 10000 roots"},
    {.name = "mark 1000000 assets without clusters / with clusters",
     .sample = bench_sample_entities,
     .args = {"mark-clusters", "1000000"},
     .target = 20.0,
     .at_least = true,
     .unit = ns,
     .span = "a whole cycle over the trees as above; the same after a cluster was formed for each "
             "root, of the assets that it reaches and that are in no other cluster"},
    {.name = "99.9th percentile of a cycle's steps / their budget of 500 us",
     .sample = bench_sample_entities,
     .args = {"mark-slice", "1000000"},
     .target = 1.2,
     .unit = "ns",
     .span = "99.9th percentile of the thread's CPU time of kiln_collector_step in 60 cycles over "
             "the trees, next to a spinning thread; the budget"},
    {.name = "mark on 2 threads: speed-up / traversals' speed-up",
     .sample = bench_sample_entities,
     .args = {"mark-threads", "1000000"},
     .target = 0.9,
     .at_least = true,
     .unit = "times",
     .span =
         "time of a cycle over the trees, alone and with a thread in kiln_collector_help; time of "
         "two traversals as above of separate copies, each alone and both at the same time, each "
         "in a thread of its "
         "own. Before each time is taken, the same work runs untimed, so the caches hold what "
         "that work left. Median of the speed-ups of 15 rounds"},
    {.name = "read through a handle during a collection / undisturbed",
     .sample = bench_sample_entities,
     .args = {"mark-read", "1000000"},
     .target = 1.1,
     .unit = ns,
     .span = "kiln_ref_get of a weak handle to each asset in random order, and reading a field, "
             "while another thread collects continuously; the same alone. The reader's own CPU "
             "time"},
};

const size_t bench_asset_figure_count = sizeof bench_asset_figures / sizeof *bench_asset_figures;

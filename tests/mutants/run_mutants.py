#!/usr/bin/env python3
"""Removes each check of a part of Kiln in turn. Some test must fail for each.

    run_mutants.py SET... [--every N] [--from K] [--jobs N] [--list] [--all]

SET is one of verifier, types, canonical, index, scene; the default is all. check_sites.py finds the checks in the source. All
changes are built into one copy of the tree, and KILN_MUTANT selects the active one by number, so the tree is compiled only
once. First each unit test runs without a change and records which changes it reaches. Then for each change, the tests that
reach it run until one fails. Quick tests that failed for other changes in the same file go first. Changes for which no test
fails are printed as SURVIVED. They must be exactly the changes listed with a reason in kept.txt. A reason that begins with OPEN
means that a test is missing. The other changes are equivalent.

--every N with --from K tries only every N-th change from the K-th on, and runs only quick tests for the changes in kept.txt.
--all also prints the changes that a test caught.
"""
import argparse
import collections
import fnmatch
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_sites  # noqa: E402
from limited_run import run_test  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).parent / "kept.txt"
# A change in kept.txt would run all tests, because none is expected to fail. A partial run uses only tests below this CPU time.
QUICK = 0.1
# Every source of the two rooms that read bytes belongs to a set, or to MAKES because it reads no external bytes.
SETS = {
    "verifier": ["blobfmt/verify*.[ch]", "blobfmt/sweep*.[ch]", "blobfmt/promise_table.[ch]", "blobfmt/bounds.[ch]", "blobfmt/value_program.[ch]", "blobfmt/map_key.[ch]",
                 "blobfmt/object_table.[ch]", "blobfmt/object_form.h", "blobfmt/byte_mask.h", "blobfmt/utf8.[ch]",
                 "blobfmt/blob_header.c"],
    "types": ["blobfmt/type_*.[ch]", "blobfmt/types.c", "blobfmt/table_size.[ch]"],
    "canonical": ["blobfmt/canonical*.[ch]"],
    "index": ["blobfmt/index*.[ch]", "blobfmt/asset_id.c", "blobfmt/lower_bound.h", "blobfmt/cluster_plan.c", "runtime/file_verify.c", "blobfmt/redirects.c", "blobfmt/payload*.c", "runtime/file_payload.[ch]", "runtime/file_plan.c", "runtime/file_redirects.[ch]", "runtime/file_check.[ch]", "runtime/file_header.[ch]",
              "runtime/file_member.[ch]", "runtime/file_table.[ch]", "runtime/file_unpack.[ch]", "blobfmt/compression.c"],
    "scene": ["blobfmt/scene_view.c", "blobfmt/scene_check*.[ch]", "runtime/scene_agree.c", "runtime/scene_source.c", "runtime/scene_words.c"],
}
# Files that mostly create data: only checks are removed there, not steps.
CHECKS_ONLY = ["type_*", "types", "table_size", "asset_id", "canonical", "canonical_header", "cluster_plan", "redirects", "payload*", "index*", "file_*", "scene_*"]
# Fast paths that fall back to the general code. A change that makes them accept less only affects speed, so only changes that
# make them accept more are tried.
QUICK_WAYS = ["sweep*", "value_program", "bounds", "promise_table", "canonical_check", "byte_mask"]
MAKES = ["allocator", "arena", "builder", "builder_copy", "builder_finish", "builtin_types", "cluster_types", "dictionary_train", "file_finish", "finished_asset", "file_order", "file_packing", "file_payloads",
         "file_writer", "hash", "hash_table", "hash_wide", "number_sort", "layout_hash", "object_graph", "object_intern", "object_layout", "object_plan",
         "object_sort", "object_trail", "path", "path_follow", "series", "status", "value", "file", "file_source"]
# Sources that read verified bytes.
MAKES += ["convert", "convert_compile", "convert_default", "convert_fail", "convert_kinds",
          "convert_match", "convert_rows", "convert_run", "convert_scan", "convert_steps", "convert_text", "convert_trail", "convert_value"]
# Stores of entities and objects, which no bytes of a file reach.
MAKES += ["asset_add", "asset_blob", "asset_changes", "asset_clash", "asset_events", "asset_older", "asset_replacing", "asset_versions", "asset_entry", "asset_conversions", "asset_holders", "asset_holds", "asset_lock", "asset_takers", "asset_types", "version", "asset_keep", "asset_layers", "asset_load", "asset_make", "asset_marks", "asset_nulls", "asset_redirects", "asset_refs",
          "asset_owners", "asset_payload", "asset_plan", "cluster_form", "cluster_planned", "cluster_table", "cluster_validity", "clusters",
          "collect_cycle", "collect_field", "collect_mark", "collect_roots", "collect_stores", "collect_why", "collector",
          "asset_mount", "asset_slots", "asset_stage", "asset_mounting", "asset_validity", "asset_words", "assets", "key_table",
          "grow", "list", "quiescence", "ref"]
MAKES += ["appender", "archetype", "archetype_change", "archetype_chunks", "archetype_cut", "batch", "chunk_layout",
          "chunk_store", "column_tables", "command_order", "command_plan", "command_stream", "commands", "commands_play", "component", "entity",
          "entity_change", "entity_many", "entity_names", "id_blocks", "id_counts", "id_hidden", "id_runs",
          "id_store", "iterator", "page_source", "pool", "pool_trim", "query", "query_change", "reader", "removal", "row_values", "rows", "world"]
MAKES += ["scene_apply", "scene_claim", "scene_component", "scene_ids", "scene_instance", "scene_load", "scene_match",
          "scene_publish", "scene_save", "scene_save_component", "scene_save_data", "scene_save_names", "scene_save_pick",
          "scene_save_words", "scene_types", "type_join", "scene_writer", "scene_writer_chunks", "scene_writer_finish", "scene_writer_names", "scene_writer_order",
          "scene_writer_seal"]

HEADER = r"""
#ifndef KILN_MUTANT_H
#define KILN_MUTANT_H
/* The active change and the changes reached. Weak, so that each program has one copy. */
#include <stdio.h>
#include <stdlib.h>
__attribute__((weak, visibility("hidden"))) int kiln_mutant_number = -2;
__attribute__((weak, visibility("hidden"))) unsigned char kiln_mutant_reached[KILN_MUTANT_COUNT];
__attribute__((weak, visibility("hidden"))) void kiln_mutant_write(void)
{
    FILE *file = fopen(getenv("KILN_MUTANT_REACHED"), "wb");
    if (file) {
        fwrite(kiln_mutant_reached, 1, sizeof kiln_mutant_reached, file);
        fclose(file);
    }
}
__attribute__((weak, visibility("hidden"))) void kiln_mutant_start(void)
{
    const char *number = getenv("KILN_MUTANT");
    kiln_mutant_number = number ? atoi(number) : -1;
    if (getenv("KILN_MUTANT_REACHED"))
        atexit(kiln_mutant_write);
}
static inline int kiln_mutant_is(int number)
{
    if (kiln_mutant_number == -2)
        kiln_mutant_start();
    kiln_mutant_reached[number] = 1;
    return kiln_mutant_number == number;
}
#define KILN_MUTANT(number) kiln_mutant_is(number)
static inline int kiln_mutant_status(int number, int status)
{
    return kiln_mutant_is(number) ? 0 : status;
}
#define KILN_MUTANT_OK(number, status) ((kiln_status)kiln_mutant_status(number, (int)(status)))
#endif
"""


class Mutant:
    def __init__(self, file, change, nth):
        self.file, self.change = file, change
        # Unlike a line number, this key survives edits.
        self.key = " | ".join([file, change.function, change.value, change.text] + ([f"#{nth}"] if nth > 1 else []))
        self.tests = []

    def __str__(self):
        what = {"nothing": "is removed", "ok": "returns KILN_OK"}.get(self.change.value, f"is {self.change.value}")
        return f"{self.file}:{self.change.line} {self.change.function}: `{self.change.text}` {what}"


def sources_of(names):
    files = []
    for name in names:
        for pattern in SETS[name]:
            room, name = pattern.split("/")
            found = sorted((ROOT / room).glob(f"*/{name}"), key=lambda path: path.name)
            files += [path for path in found if path not in files and path.stem not in MAKES]
    return files


def unlisted():
    """Sources that are neither in a set nor in MAKES."""
    known = set(sources_of(SETS))
    rooms = [path for room in ("blobfmt", "runtime") for path in (ROOT / room).glob("*/*.c")]
    return sorted(str(path.relative_to(ROOT)) for path in rooms if path not in known and path.stem not in MAKES)


def copy_tree(to):
    for name in (".ci", "meson.build", "meson_options.txt", "blobfmt", "runtime", "samples", "tests"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name)
        elif source.exists():
            shutil.copy(source, to / name)


def build(tree, files):
    """Builds the changed copy of the tree. Returns all mutants, and the unit tests as (name, command, environment)."""
    mutants = []
    for path in files:
        place = path.relative_to(ROOT)
        # File names are unique in the tree, so kept.txt does not change when a file moves to another folder.
        name = f"{place.parts[0]}/{path.name}"
        source = path.read_text()
        is_any = lambda patterns: any(fnmatch.fnmatch(path.stem, pattern) for pattern in patterns)  # noqa: E731
        changes = [change for change in check_sites.find_changes(source)
                   if (change.lets_pass or not is_any(QUICK_WAYS)) and
                   (change.value != "nothing" or not is_any(CHECKS_ONLY))]
        seen = {}
        first = len(mutants)
        for change in changes:
            which = (change.function, change.value, change.text)
            seen[which] = seen.get(which, 0) + 1
            mutants.append(Mutant(name, change, seen[which]))
        header = tree / "kiln_mutant.h"
        (tree / place).write_text(f'#include "{header}"\n#line 1\n' + check_sites.instrument(source, changes, first))
    (tree / "kiln_mutant.h").write_text(f"#define KILN_MUTANT_COUNT {len(mutants) + 1}\n" + HEADER)
    # A removed step may leave variables uninitialized. A fixed pattern makes runs reproducible.
    quiet = ["-w", "-ftrivial-auto-var-init=pattern"]
    run = lambda *command: subprocess.run(command, cwd=tree, check=True, stdout=subprocess.PIPE,  # noqa: E731
                                          stderr=subprocess.STDOUT, text=True).stdout
    run("meson", "setup", "build", "-Doptimization=1", "-Ddebug=false", "-Db_ndebug=true",
        "-Dc_args=" + " ".join(quiet))
    tests = [test for test in json.loads(run("meson", "introspect", "build", "--tests"))
             if {"unit", "fuzz"} & {suite.split(":")[-1] for suite in test["suite"]}]
    programs = sorted({os.path.relpath(test["cmd"][0], tree / "build") for test in tests})
    run("ninja", "-C", "build", *programs)
    return mutants, tests


def note_reach(mutants, tests, tree, jobs):
    def one(test):
        path = tree / f"reached-{test['name']}"
        failed, seconds = run_test(test, tree, "build", {"KILN_MUTANT_REACHED": str(path)}, 600)
        if failed:
            sys.exit(f"fails without any change: {failed}")
        return test, seconds, path.read_bytes() if path.exists() else bytes(len(mutants))
    with ThreadPoolExecutor(jobs) as pool:
        for test, seconds, reached in pool.map(one, tests):
            for number, mutant in enumerate(mutants):
                if reached[number]:
                    mutant.tests.append((seconds, test["name"], test))
    for mutant in mutants:
        mutant.tests.sort(key=lambda entry: entry[:2])


def catch(number, mutant, tree, catches, limit):
    """Returns the failure with this change, of tests that take no longer than the limit, or None. `catches` counts failures by
    file and test, and determines which test runs first."""
    tests = [entry for entry in mutant.tests if entry[0] <= limit]
    for seconds, name, test in sorted(tests, key=lambda entry: entry[0] / (catches[mutant.file, entry[1]] + 0.2)):
        failed, _ = run_test(test, tree, "build", {"KILN_MUTANT": str(number)}, 5 + 20 * seconds)
        if failed:
            catches[mutant.file, name] += 1
            return failed
    return None


def read_kept():
    """{key: reason}, from lines `key -- reason`. Lines that begin with # are comments."""
    kept = {}
    for line in KEPT.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        key, separator, reason = line.partition(" -- ")
        if not separator or not reason.strip() or key in kept:
            sys.exit(f"kept.txt: duplicate, or not `key -- reason`: {line}")
        kept[key] = reason
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true", help="only print what would be removed")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="", help="only changes whose line contains this")
    options = parser.parse_args()
    names = options.sets or list(SETS)
    if set(names) - set(SETS):
        parser.error("no such set")
    faults = [f"{name}: neither in a set of run_mutants.py nor in MAKES" for name in unlisted()]
    files = sources_of(names)
    kept = read_kept()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kiln-mutants-") as folder:
        tree = Path(folder)
        copy_tree(tree)
        try:
            mutants, tests = build(tree, files)
        except subprocess.CalledProcessError as error:
            sys.exit(f"{error.stdout[-2500:]}\nthe changed copy does not build")
        if options.list:
            print("\n".join(map(str, mutants)))
            return 0
        note_reach(mutants, tests, tree, options.jobs)
        print(f"{len(mutants)} changes in {len(files)} files, {len(tests)} tests, built and run once in "
              f"{time.monotonic() - start:.0f} s", flush=True)
        chosen = [(number, mutant) for number, mutant in enumerate(mutants)
                  if number % options.every == options.first % options.every and options.only in str(mutant)]
        survived, catches = set(), collections.Counter()

        def catch_one(pair):
            number, mutant = pair
            return catch(number, mutant, tree, catches, QUICK if options.every > 1 and mutant.key in kept else math.inf)
        with ThreadPoolExecutor(options.jobs) as pool:
            for (_, mutant), caught in zip(chosen, pool.map(catch_one, chosen)):
                if caught and options.all:
                    print(f"{mutant} -> {caught}", flush=True)
                if not caught:
                    survived.add(mutant.key)
                    if mutant.key not in kept:
                        print(f"SURVIVED {mutant}", "" if mutant.tests else "(no test reaches it)", flush=True)
                        faults.append(mutant.key)
    here = {mutant.key for mutant in mutants}
    tried = {mutant.key for _, mutant in chosen}
    files_here = {str(path.relative_to(ROOT)) for path in files}
    for key in kept:
        if key.split(" | ")[0] in files_here and key not in here:
            faults.append(f"kept.txt: no such check: {key}")
        elif key in tried and key not in survived:
            faults.append(f"kept.txt: a test now fails for this change: {key}")
    for fault in faults:
        print("fault:", fault)
    is_open = [key for key in survived if kept.get(key, "").startswith("OPEN")]
    print(f"{len(chosen)} removed, {len(chosen) - len(survived)} caught, {len(survived & set(kept))} kept with a reason, "
          f"{len(is_open)} of them because a test is missing, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Edits a project at random and bakes it after each edit: nothing is stale, and nothing is baked twice (TAP).

    edits.py KILN_BAKE [--seed N] [--steps N] [--shim CUT_SHIM] [--cache]

After each edit (edit_model.py), the outputs and messages equal those of a bake without records in another folder, and a second bake
does nothing. The steps that ran are exactly those that read something that has changed. The number of baked assets, which `-v` prints, is
that of a model: the assets whose fields have changed, and all that inherit from them.

Some bakes are disturbed first: killed at a random moment, two at once, with files that change meanwhile, on a full disk, in folders
that cannot be written. With the library CUT_SHIM, they are killed, and the disk becomes full, at a random system call, and the clock
differs from that of the files. With --cache, the project uses a local cache and a shared folder, whose objects are damaged now and then.
"""

import argparse
import collections
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import edit_model as edits  # noqa: E402

NOBODY = 65534


class Editor:
    def __init__(self, arguments):
        self.bake_path = str(pathlib.Path(arguments.kiln_bake).resolve())
        self.shim = str(pathlib.Path(arguments.shim).resolve()) if arguments.shim else None
        self.cache = ["--cache", "../near", "--cache-shared", "../shared", "--cache-size", "20000000",
                      "--cache-wait", "50000"] if arguments.cache else []
        self.rng = random.Random(arguments.seed)
        self.model = edits.Model(self.rng)
        self.baked = {}        # what each step read when it was last baked
        self.states = {}       # of each bundle at that time
        self.outputs = {}      # the outputs of each step at that time
        self.stored = {}       # what the caches contain, by step and the files that it reads; the oldest first
        self.imported = {}     # for each imported file, what the run of its importer depended on; None: unknown
        self.memos = set()     # the bundles with a memo of that bake
        self.is_forgotten = self.was_silent = False
        self.unsure = set()    # steps whose record may be lost, or may be newer than their last bake that was checked
        self.clean_results = collections.OrderedDict()
        self.totals = collections.Counter()

    # ---- bakes ----

    def environment(self, **more):
        """All bakes load the shim, because the libraries of the program are an input."""
        return dict(os.environ, **({"LD_PRELOAD": self.shim} if self.shim else {}), **more)

    def run(self, folder, words, **options):
        return subprocess.run([self.bake_path, "build", *words], cwd=folder, capture_output=True, check=False,
                              **{"env": self.environment(), **options})

    def start(self, *words, **more):
        return subprocess.Popen([self.bake_path, *words, *self.cache], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env=self.environment(**more))

    def bake(self, folder, *words, clock=0):
        """The exit code, the messages, the steps that ran, those that were not needed, those from the cache, and the baked assets."""
        done = self.run(folder, words, env=self.environment(KILN_CUT_CLOCK=str(clock)))
        text = done.stderr.decode("utf-8", "surrogateescape").replace("new\nline", "new line")
        steps = {paths[0]: step for step, paths in edits.STEPS.items()}
        found = {"ran": set(), "kept": set(), "cached": set(), "partial": set(), "work": {}}
        said = []
        for line in text.splitlines():
            summary = re.match(r"(out/\S+): (up to date$|from the cache |([\d,]+) (?:assets?|bytes)|baked (\d+) of (\d+) assets, parsed )", line)
            if summary and summary[2].startswith("baked"):
                found["work"][steps[summary[1]]] = int(summary[4])
                found["partial"] |= {steps[summary[1]]} if int(summary[4]) < int(summary[5]) else set()
            elif summary:
                kind = "kept" if summary[2] == "up to date" else "cached" if summary[2].startswith("from") else "ran"
                found[kind].add(steps[summary[1]])
            elif not line.startswith(("out/", "Item/", "Note/")) and not line.startswith("kiln-bake: warning: the cache "):
                said.append(line)
        return done.returncode, said, found

    def clean(self):
        """The code, messages and outputs of a bake in a new folder."""
        key = repr(sorted(self.model.contents().items())) + repr(self.model.links)
        if key not in self.clean_results:
            for path in [*pathlib.Path("../clean/out").rglob("*"), *pathlib.Path("../clean/.kiln").rglob("*")]:
                if path.is_file():
                    path.unlink()
            self.model.write("../clean", renames=False)
            code, said, _ = self.bake("../clean", "-v", "-j1")
            self.clean_results[key] = code, said, read_outputs("../clean")
            if len(self.clean_results) > 100:
                self.clean_results.popitem(last=False)
        return self.clean_results[key]

    # ---- checks ----

    def check(self):
        words = ["-v", *self.cache, *self.rng.choice([[], ["-j1"], ["-j3"], ["--compare-contents"]])]
        clock = self.rng.choice([0, 0, 10, -3600, 3600])
        pathlib.Path("../imports").unlink(missing_ok=True)
        code, said, found = self.bake(".", *words, clock=clock)
        self.check_imports(found, clock)
        clean_code, clean_said, expected = self.clean()
        assert (code, said) == (clean_code, clean_said), ("messages", code, said, clean_code, clean_said)
        now = read_outputs(".")
        # A step that fails leaves its earlier outputs.
        for name, data in expected.items():
            assert data is None or now[name] == data, f"{name} is stale"
        self.check_steps(found, now)
        self.extern = now["out/one.kiln"]
        self.check_assets(found, said)
        again, said_again, found_again = self.bake(".", "-v", clock=self.rng.choice([0, clock]))
        assert (again, said_again) == (code, said), ("the second bake", said_again, said)
        assert not found_again["ran"] and not found_again["cached"], ("baked twice", found_again)
        self.finish(found, now, code, said)
        return code

    def needs(self, step, now):
        """What the step reads."""
        return (self.model.keys()[step], now["out/one.kiln"] if step in ("two", "three") else None)

    def check_steps(self, found, now):
        for step, paths in edits.STEPS.items():
            is_same = self.baked.get(step) == self.needs(step, now) and self.outputs.get(step) == [self.before[path] for path in paths]
            if step in found["kept"]:
                assert is_same or step in self.unsure, f"{step} is not up to date"
            if step in found["ran"]:
                assert not is_same or step in self.unsure, f"{step} was baked without need"
                # With a memo, baking some assets comes before looking into the caches.
                assert not self.is_forgotten or not self.is_stored(step, now) or step in self.unsure, f"{step} is in the cache"
            if step in found["cached"]:
                assert not is_same or step in self.unsure, f"{step} was taken from the cache without need"

    def check_imports(self, found, clock):
        """An importer is started if its file, its program or a variable differs from the last run. The shim reads a variable."""
        log = pathlib.Path("../imports")
        started = sorted(log.read_text(encoding="utf-8").splitlines()) if log.exists() else []
        if "four" in self.unsure:
            self.imported = None
        contents = self.model.contents()
        now = {path: (contents[path], contents["tools/csv"], clock) for path in self.model.imports}
        if "four" in found["partial"] - self.unsure:
            # Assets of unchanged files come from the earlier output, whatever the variable is.
            known = self.imported
            needed = started if known is None else [path for path in sorted(now) if path not in known or known[path][:2] != now[path][:2]]
            assert started == needed, ("imported assets", started, needed)
            self.imported = None
        elif "four" in found["ran"]:
            needed = [path for path in sorted(now) if now[path] != self.imported.get(path)] if self.imported is not None else started
            assert started == needed, ("importers", started, needed)
            self.imported = now
        elif "four" in found["kept"] | found["cached"]:
            # An importer of a bake that was killed may still run.
            assert not started or "four" in self.unsure, ("importers of a step that did not run", started)
        else:
            self.imported = None
        self.totals["started"] += len(started)

    def check_assets(self, found, said):
        for bundle in edits.BUNDLES:
            work, now = found["work"].get(bundle), self.model.state(bundle)
            if bundle not in found["ran"] or bundle not in self.states or bundle in self.unsure:
                continue
            needed = edits.needed_assets(self.states[bundle], now)
            assert work is None or work >= needed, (bundle, "too few assets", work, needed)
            if self.is_partial(bundle, now) and not said:
                assert work == needed, (bundle, "assets", work, needed)
                self.totals["exact"] += 1

    def is_partial(self, bundle, now):
        """Whether only some assets need be baked, because nothing but sources and types has changed (PROJECT.md). The bundle two has a source map."""
        was = self.states[bundle]
        return (bundle != "two" and bundle in self.memos and self.was_silent and self.outputs_were_whole(bundle) and
                all(was[key] == now[key] for key in ("include", "options")) and
                (bundle == "one" or self.baked[bundle][1] == self.extern))

    def outputs_were_whole(self, step):
        return self.outputs.get(step) == [self.before[path] for path in edits.STEPS[step]]

    def finish(self, found, now, code, said):
        for step, paths in edits.STEPS.items():
            if step in found["ran"] | found["kept"] | found["cached"]:
                self.baked[step] = self.needs(step, now)
                self.outputs[step] = [now[path] for path in paths]
                if step in edits.BUNDLES:
                    self.states[step] = self.model.state(step)
            if step in found["ran"] and self.cache:
                self.store(step, now)
        self.memos = (self.memos - found["cached"] - self.unsure) | found["ran"]
        self.is_forgotten, self.was_silent = False, code == 0 and not said
        self.totals.update({"ran": len(found["ran"]), "cached": len(found["cached"]), "assets": sum(found["work"].values()),
                            "of": len(edits.STEPS), "of assets": len(self.model.assets())})
        self.totals["failed"] += code != 0
        self.unsure -= found["ran"] | found["kept"] | found["cached"]

    # ---- the caches ----

    def shape(self, step):
        return tuple(sorted(path for path in [*self.model.files, *self.model.imports] if edits.bundle_of(path) == step)), "inc1/more.yaml" in self.model.includes

    def store(self, step, now):
        """A cache remembers the last 16 lists of files that the step has read; here those of all options count together."""
        shapes = self.stored.setdefault(step, collections.OrderedDict())
        shapes.setdefault(self.shape(step), set()).add(repr(self.needs(step, now)))
        shapes.move_to_end(self.shape(step))
        if len(shapes) > 10:
            shapes.popitem(last=False)

    def is_stored(self, step, now):
        return repr(self.needs(step, now)) in self.stored.get(step, {}).get(self.shape(step), ())

    # ---- disturbances ----

    def kill_a_bake(self):
        how = self.rng.choice(["kill", "killed", "half", "term"])
        with self.start("--force", KILN_CUT=f"{self.rng.randrange(1, 400)} {how}") as process:
            if not self.shim:
                time.sleep(self.rng.random() * 0.02)
                process.send_signal(signal.SIGKILL)

    def disturb_a_call(self):
        """A call fails, or is short or interrupted, once; or the disk is full from this call on."""
        how = self.rng.choice(["full", "full", "eio", "enospc", "eintr", "short"])
        with self.start("--force", KILN_CUT=f"{self.rng.randrange(1, 400)} {how}"):
            pass

    def limit_files(self):
        """As on a full disk, files do not grow any more."""
        limit = self.rng.choice([0, 64, 512, 4096])

        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        self.run(".", [*self.cache, "--force"], preexec_fn=prepare)

    def close_folders(self):
        """Nothing can be written to some folders."""
        folders = [folder for folder in self.rng.sample(["out", ".kiln", ".kiln/steps", ".kiln/memos", "."], 2) if os.path.isdir(folder)]
        for folder in folders:
            os.chmod(folder, 0o555)
        try:
            self.run(".", ["--force"], **({"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}))
        except PermissionError:
            print("# skipped: read-only folders, because the program is in a folder that another user cannot enter")
        for folder in folders:
            os.chmod(folder, 0o755)

    def bake_twice_at_once(self):
        both = [self.start() for _ in range(2)]
        for process in both:
            process.wait()

    def change_during_a_bake(self):
        """Files change several times, and at the end are those of the model. How often depends on the speed of the bake, so this has
        dice of its own."""
        dice = random.Random(self.rng.random())
        with self.start() as process:
            path = pathlib.Path(self.model.some_file())
            data = path.read_bytes()
            while process.poll() is None:
                path.write_bytes(dice.choice([b"", b"Item: {", data[:dice.randrange(len(data))], b"{}\n", data]))
                if dice.random() < 0.3:
                    path.unlink()
                time.sleep(dice.random() * 0.004)
        path.unlink(missing_ok=True)

    def forget(self):
        """Another folder has only the caches."""
        if self.cache:
            shutil.rmtree("out", ignore_errors=True)
            shutil.rmtree(".kiln", ignore_errors=True)
            self.baked, self.states, self.memos, self.imported, self.is_forgotten = {}, {}, set(), {}, True

    def damage_a_cache(self):
        files = sorted(path for name in ("../near", "../shared") for path in pathlib.Path(name).rglob("*") if path.is_file())
        if files:
            path, other = self.rng.choice(files), self.rng.choice(files)
            self.stored = {}
            if self.rng.random() < 0.5:
                edits.damage(self.rng, path)
            elif self.rng.random() < 0.5:
                path.unlink()
            else:
                path.write_bytes(other.read_bytes())
            self.forget()

    def edit(self, must_repair):
        if must_repair and self.rng.random() < 0.6:
            edits.repair_everything(self.model)
            return "repair_everything"
        if self.rng.random() < 0.15:
            choice = self.rng.choice([self.kill_a_bake, self.disturb_a_call, self.limit_files, self.close_folders, self.bake_twice_at_once,
                                      self.change_during_a_bake, self.forget, self.damage_a_cache])
            self.unsure = self.unsure if choice == self.forget else set(edits.STEPS)
            if self.rng.random() < 0.5:
                self.rng.choice(edits.USUAL)(self.model)
                self.model.write()
            choice()
            return choice.__name__
        choice = self.rng.choice(edits.USUAL if self.rng.random() < 0.6 else edits.OTHERS)
        self.unsure = set(edits.STEPS) if choice == edits.damage_a_state else self.unsure
        choice(self.model)
        if self.rng.random() < 0.1:
            self.forget()
        return choice.__name__

    def step(self, must_repair):
        edit = self.edit(must_repair)
        self.model.write()
        self.before = read_outputs(".")
        try:
            return self.check() != 0
        except AssertionError as error:
            raise AssertionError(f"{edit}: {error}") from error


def read_outputs(folder):
    return {name: path.read_bytes() if (path := pathlib.Path(folder, name)).exists() else None for name in edits.OUTPUTS}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kiln_bake")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--shim")
    parser.add_argument("--cache", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep the folder of a failed step")
    arguments = parser.parse_args()
    print("1..1", flush=True)
    editor = Editor(arguments)
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    for name in ("project", "shared", "clean"):
        os.mkdir(os.path.join(folder, name))
    os.chdir(os.path.join(folder, "project"))
    failed = step = 0
    try:
        for step in range(arguments.steps):
            failed = editor.step(failed)
        totals = editor.totals
        failed = False
        print(f"ok 1 - {arguments.steps} edits with seed {arguments.seed}: {totals['ran']} of {totals['of']} steps ran, {totals['cached']} were cached; "
              f"{totals['assets']} of {totals['of assets']} assets baked, {totals['started']} importers started; {totals['failed']} failed, {totals['exact']} exact")
    except (AssertionError, OSError) as error:
        text = f"{type(error).__name__}: {error}"[:3000].encode("utf-8", "backslashreplace").decode().replace("\n", "\n# ")
        failed = True
        print(f"not ok 1 - step {step} with seed {arguments.seed}\n# {text}")
    os.chdir("/")
    if not (failed and arguments.keep):
        shutil.rmtree(folder)
    else:
        print(f"# {folder}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

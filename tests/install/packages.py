#!/usr/bin/env python3
"""Tests the archive of the sources and the Debian packages: packages.py MESON BUILD_FOLDER SOURCE_ROOT [--build]

--build also builds the packages from the sources, checks them with lintian, and uses them. Without it, only their lists of files
are compared with what is installed. Prints TAP.
"""
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

count = failed = 0


def report(good, name, details=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        for line in str(details).splitlines()[-40:]:
            print("#", line[:300])
    return good


def skip(name, reason):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {reason}")


def run(command, folder, **more):
    made = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "NINJA", "DESTDIR", "DEB_"))}
    done = subprocess.run(command, cwd=folder, env=made | more, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=3000)
    return done.returncode, done.stdout


def try_lists(meson, build, root, work):
    """Each installed file belongs to exactly one package, and each line of a list names a file."""
    code, text = run([meson, "install", "-C", build, "--no-rebuild", "--destdir", work / "root"], work)
    if not report(code == 0, "meson install", text):
        return
    prefix = next(work.glob("root/**/bin/kiln-bake")).parent.parent
    # In a Debian package, all libraries are in the folder of the processor.
    folder = next(prefix.rglob("libkiln.a")).parent
    names = []
    for path in sorted(prefix.rglob("*")):
        if not path.is_dir():
            inside = path.relative_to(folder) if path.is_relative_to(folder) else None
            names.append(f"usr/lib/processor/{inside}" if inside else f"usr/{path.relative_to(prefix)}")
    lines = [(path.name, line) for path in sorted((root / ".packaging/debian").glob("*.install"))
             for line in path.read_text(encoding="utf-8").split()]
    owners = {name: [owner for owner, line in lines if fnmatch.fnmatch(name, line) or name.startswith(line.replace("*", "processor") + "/")]
              for name in names}
    wrong = [f"{name}: {owner}" for name, owner in owners.items() if len(owner) != 1]
    report(not wrong, "each installed file belongs to one Debian package", "\n".join(wrong))
    unused = [line for owner, line in lines if not any(owner in found for found in owners.values())]
    report(not unused, "each Debian package has files", "\n".join(unused))


def try_version(root):
    changelog = (root / ".packaging/debian/changelog").read_text(encoding="utf-8")
    version = re.search(r"version: '([^']*)'", (root / "meson.build").read_text(encoding="utf-8"))[1]
    report(changelog.startswith(f"kiln ({version}) "), "the changelog of the Debian packages begins with the version of Kiln")
    soversion = re.search(r"^soversion = '(\d+)'", (root / "runtime/meson.build").read_text(encoding="utf-8"), re.M)[1]
    report((root / f".packaging/debian/libkiln{soversion}.install").exists(), "the package of the library has the number of its soname")


def try_archive(meson, build, root, work):
    name = "the archive of meson dist"
    if run(["git", "rev-parse", "--git-dir"], root)[0]:
        skip(name, "the sources are not a Git repository")
        return
    code, text = run([meson, "dist", "-C", build, "--no-tests", "--formats", "gztar", "--allow-dirty"], work)
    found = sorted(pathlib.Path(build).glob("meson-dist/kiln-*.tar.gz"))
    if not report(code == 0 and found, f"{name} is made", text):
        return
    with tarfile.open(found[-1]) as archive:
        archive.extractall(work / "archive")
    top = next((work / "archive").iterdir())
    made = {str(path.relative_to(top)) for path in top.rglob("*") if not path.is_dir() or path.is_symlink()}
    tracked = set(run(["git", "ls-tree", "-r", "--name-only", "-z", "HEAD"], root)[1].split("\0")) - {""}
    report(made == tracked, f"{name} has every file", "\n".join(sorted(made ^ tracked)))
    code, text = run([meson, "setup", work / "out", top, "-Dtests=disabled", "-Dsamples=disabled", "-Dbench=disabled"], work, CXX="false")
    report(code == 0, f"{name} configures without tests", text)


def try_debian(root, work):
    for tool in ["dpkg-buildpackage", "dh", "lintian"]:
        if not shutil.which(tool):
            skip("Debian packages", f"{tool} is not installed")
            return
    sources = work / "kiln"
    top = str(root)
    shutil.copytree(root, sources, symlinks=True, ignore=lambda folder, names: [
        name for name in names if folder == top and (name.startswith("build") or name == ".git")])
    shutil.copytree(sources / ".packaging/debian", sources / "debian")
    code, text = run(["dpkg-buildpackage", "--build=full", "--no-sign", "-d"], sources, LC_ALL="C.UTF-8")
    if not report(code == 0, "the Debian packages are built", text):
        return
    changes = next(work.glob("*.changes"))
    code, text = run(["lintian", "--allow-root", "--fail-on", "error,warning", changes], work)
    report(code == 0, "lintian finds neither errors nor warnings", text)
    for package in work.glob("*.deb"):
        run(["dpkg-deb", "-x", package, work / "system"], work)
    found = list(work.glob("system/usr/lib/*/libkiln.so.0"))
    report(found, "the packages contain the library")
    schema, data = (root / "samples/first" / name for name in ["spell.schema.yaml", "spells.yaml"])
    code, text = run([work / "system/usr/bin/kiln-bake", "-q", "-s", schema, "-o", work / "spells.kiln", data], work)
    if code == 0:
        code, text = run([work / "system/usr/bin/kiln-inspect", "get", work / "spells.kiln", "Spell/thaw.mana"], work)
    report((code, text) == (0, "40\n"), "the programs of the packages bake and inspect", text)


def main():
    meson, build, root = [word for word in sys.argv[1:] if word != "--build"]
    root, build = pathlib.Path(root).resolve(), pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work).resolve()
        try_version(root)
        try_lists(meson, build, root, work)
        try_archive(meson, build, root, work)
        if "--build" in sys.argv:
            try_debian(root, work)
    print(f"1..{count}")
    if "--build" in sys.argv and not failed:
        print(f"{count} checks of the archive and the packages passed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

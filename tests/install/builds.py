#!/usr/bin/env python3
"""Builds projects outside the tree against an installed Kiln, changes one input after another, and checks that exactly what
depends on it is made again: builds.py MESON BUILD_FOLDER SOURCE_ROOT C_COMPILER [--whole]

The files for CMake, Meson, make and ninja are those of baker/BUILD.md. --whole also builds Kiln as a subproject. Prints TAP.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SCHEMA = """kiln: 1
namespace: game
include: [types.yaml]
types:
  Item: {struct: {price: u8, icon: Icon?}, asset: true}
"""
INCLUDED = "kiln: 1\nnamespace: game\ntypes:\n  Icon: {struct: {pixels: bytes}}\n"
PROGRAM = """#include "game.h"
#include <kiln/file.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    kiln_error error;
    const game_Item *pot = NULL;
    def.path = argc > 1 ? argv[1] : "game.kiln";
    if (kiln_file_open(&def, &file, &error) == KILN_OK)
        pot = game_Item_find(file, "Item/pot", &error);
    printf("%d\\n", pot ? pot->price : -1);
    kiln_file_close(file);
    return !pot;
}
"""
count = failed = 0


def has(name, *tools):
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        skip(name, f"{missing[0]} is not installed")
    return not missing


def report(good, name, details=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        for line in str(details).splitlines()[:40]:
            print("#", line[:300])


def skip(name, reason):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {reason}")


def run(command, folder, env):
    done = subprocess.run(command, cwd=folder, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=1800)
    return done.returncode, done.stdout


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def make_sources(folder, guide_files):
    write(folder / "game.schema.yaml", SCHEMA)
    write(folder / "types.yaml", INCLUDED)
    write(folder / "data/items.yaml", "Item:\n  pot: {price: 12, icon: {pixels: !file ../pot.raw}}\n")
    write(folder / "pot.raw", "pixels")
    write(folder / "game.c", PROGRAM)
    for name, text in guide_files.items():
        write(folder / name, text)


# What is changed, and which of the blob, the header and the program are made again.
CHANGES = [
    ("an input", "data/items.yaml", "Item:\n  pot: {price: 13, icon: {pixels: !file ../pot.raw}}\n", "blob"),
    ("an included schema", "types.yaml", INCLUDED + "  Other: {struct: {price: u8}}\n", "blob header program"),
    ("a file that a value names", "pot.raw", "others", "blob"),
    ("a new file in a folder", "data/more.yaml", "Item:\n  vase: {price: 40}\n", "blob"),
    ("a removed file in a folder", "data/more.yaml", None, "blob"),
    ("the program", "game.c", PROGRAM + "\n", "program"),
    ("a file that nothing names", "notes.txt", "notes\n", ""),
]


def times(outputs):
    return {name: path.stat().st_mtime_ns if path.exists() else 0 for name, path in outputs.items()}


def try_build(name, sources, build, outputs, env):
    """`build` is the command. `outputs` are the paths of the blob, the header and the program."""
    code, text = run(build, sources, env)
    made = all(times(outputs).values())
    report(code == 0 and made, f"{name}: builds", text)
    if code or not made:
        return
    code, text = run([outputs["program"], outputs["blob"]], sources, env)
    report((code, text) == (0, "12\n"), f"{name}: the program reads the file", text)
    for change, path, content, expected in [("nothing", None, None, "")] + CHANGES:
        before = times(outputs)
        time.sleep(0.02)
        if path and content is None:
            (sources / path).unlink()
        elif path:
            write(sources / path, content)
        code, text = run(build, sources, env)
        after = times(outputs)
        changed = {output for output in outputs if before[output] != after[output]}
        report(code == 0 and changed == set(expected.split()), f"{name}: after a change of {change}, makes: {expected or 'nothing'}",
               f"made: {' '.join(sorted(changed))}\n{text}")
    before = times(outputs)
    write(sources / "data/items.yaml", "Item:\n  pot: {price: 300}\n")
    code, text = run(build, sources, env)
    report(code != 0 and "300 exceeds 255" in text and times(outputs)["blob"] == before["blob"], f"{name}: a mistake fails the build", text)
    write(sources / "data/items.yaml", "Item:\n  pot: {price: 14}\n")
    code, text = run(build, sources, env)
    code, text = run([outputs["program"], outputs["blob"]], sources, env) if code == 0 else (code, text)
    report((code, text) == (0, "14\n"), f"{name}: a corrected mistake builds", text)


def try_cmake(generator, work, guide_files, env):
    name = f"CMake with {generator}"
    sources, build = work / f"cmake {generator}", work / f"cmake {generator} build"
    make_sources(sources, guide_files)
    code, text = run(["cmake", "-S", sources, "-B", build, "-G", generator], work, env)
    report(code == 0, f"{name}: configures", text)
    outputs = {"blob": build / "game.kiln", "header": build / "game.h", "program": build / "game"}
    if code == 0:
        try_build(name, sources, ["cmake", "--build", build], outputs, env)
        write(sources / "game.schema.yaml", SCHEMA.replace("include: [types.yaml]\n", "") + INCLUDED.split("types:\n")[1])
        (sources / "types.yaml").unlink()
        code, text = run(["cmake", "--build", build], sources, env)
        before = times(outputs)
        code, text = run(["cmake", "--build", build], sources, env) if code == 0 else (code, text)
        report(code == 0 and before == times(outputs), f"{name}: after the removal of an included schema, makes everything once", text)


def try_meson(meson, work, guide_files, env):
    sources, build = work / "meson", work / "meson build"
    make_sources(sources, guide_files)
    code, text = run([meson, "setup", build, sources], work, env)
    report(code == 0, "Meson: configures", text)
    if code == 0:
        outputs = {"blob": build / "game.kiln", "header": build / "game.h", "program": build / "game"}
        try_build("Meson", sources, ["ninja", "-C", build], outputs, env)


def try_plain(tool, work, guide_files, env):
    sources = work / tool
    make_sources(sources, guide_files)
    try_build(tool, sources, [tool], {"blob": sources / "game.kiln", "header": sources / "game.h", "program": sources / "game"}, env)


def try_subproject(meson, work, root, guide_files, env, whole):
    """Kiln as a subproject needs no C++ compiler, no cmocka and no Python in the build. `whole` also builds it, which takes a minute."""
    sources, build = work / "parent", work / "parent build"
    make_sources(sources, guide_files)
    (sources / "subprojects").mkdir()
    (sources / "subprojects/kiln").symlink_to(root)
    env = dict(env, CXX="false")
    code, text = run([meson, "setup", build, sources, "--force-fallback-for=kiln", "-Doptimization=0", "-Ddebug=false"], work, env)
    report(code == 0, "Meson: configures with Kiln as a subproject, without a C++ compiler", text)
    if code:
        return
    code, text = run(["ninja", "-C", build, "-t", "query", "game.kiln"], work, env)
    report("subprojects/kiln/baker/kiln-bake" in text, "Meson: kiln-bake of the subproject bakes", text)
    code, text = run(["ninja", "-C", build, "-t", "targets", "all"], work, env)
    found = re.findall(r"^subprojects/kiln/(?:tests|samples)/.*", text, re.M)
    report(code == 0 and not found, "Meson: a subproject has neither tests nor samples", "\n".join(found))
    graph = (build / "build.ninja").read_text(encoding="utf-8")
    found = [line for line in graph.splitlines() if "cmocka" in line or re.search(r"COMMAND = .*python3? ", line) and "meson" not in line]
    report(not found, "Meson: a subproject needs neither cmocka nor Python", "\n".join(found))
    if whole:
        outputs = {"blob": build / "game.kiln", "header": build / "game.h", "program": build / "game"}
        try_build("Meson with a subproject", sources, ["ninja", "-C", build], outputs, env)


def try_meson_cross(meson, work, env):
    """In a cross build without an emulator, a subproject has no tests and samples, and kiln-bake is the one in PATH."""
    cross, build = work / "cross.ini", work / "cross build"
    write(cross, "[binaries]\n" + "".join(f"{name} = '{tool}'\n" for name, tool in
                                         [("c", env["CC"]), ("ar", "ar"), ("strip", "strip"), ("pkgconfig", "pkg-config")]) +
          "[properties]\nneeds_exe_wrapper = true\n"
          "[host_machine]\nsystem = 'linux'\ncpu_family = 'x86_64'\ncpu = 'x86_64'\nendian = 'little'\n")
    code, text = run([meson, "setup", build, work / "parent", "--force-fallback-for=kiln", "--cross-file", cross], work, dict(env, CXX="false"))
    report(code == 0, "Meson: configures a cross build without an emulator", text)
    native = shutil.which("kiln-bake", path=env["PATH"])
    report(native in run(["ninja", "-C", build, "-t", "commands", "game.kiln"], work, env)[1], "Meson: a cross build bakes with kiln-bake in PATH", native)


# Without a language, CMake does not know the name of the folder of libraries, so the folder of the package is named.
def cmake_fails(name, text, expected, work, env, options=()):
    sources = pathlib.Path(tempfile.mkdtemp(dir=work))
    write(sources / "CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(game NONE)\n" + text)
    code, said = run(["cmake", "-S", sources, "-B", sources / "build", f"-Dkiln_DIR={env['KILN_PACKAGE']}", *options], work, env)
    good = code != 0 and expected in " ".join(said.split()) if expected else code == 0
    report(good, name, said)


def try_cmake_mistakes(work, env):
    package = "find_package(kiln 0.1 CONFIG REQUIRED COMPONENTS bake)\n"
    cmake_fails("CMake: the package is found without a language", package, "", work, env)
    cmake_fails("CMake: another minor version is not found", "find_package(kiln 0.2 CONFIG REQUIRED)\n", "0.1.0", work, env)
    cmake_fails("CMake: an earlier minor version is not found", "find_package(kiln 0.0 CONFIG REQUIRED)\n", "0.1.0", work, env)
    cmake_fails("CMake: an unknown component is not found", "find_package(kiln CONFIG REQUIRED COMPONENTS bread)\n",
                "the component bread is unknown", work, env)
    for arguments, expected in [
            ("t", "SCHEMA is missing"),
            ("t SCHEMA s.yaml", "name an OUTPUT, a HEADER or both"),
            ("t SCHEMA s.yaml OUTPUT o.kiln", "INPUTS and OUTPUT belong together"),
            ("t SCHEMA s.yaml HEADER o.h INPUTS data", "INPUTS and OUTPUT belong together"),
            ("t nosuch SCHEMA s.yaml OUTPUT o.kiln INPUTS data", "unknown or incomplete arguments: nosuch"),
            ("t SCHEMA s.yaml INPUTS data OUTPUT", "unknown or incomplete arguments: OUTPUT")]:
        cmake_fails(f"CMake: kiln_bake({arguments}) is refused", package + f"kiln_bake({arguments})\n", expected, work, env)


def try_cross(work, env, program):
    """In a cross build, kiln-bake is not that of the package, which is for the other machine."""
    native = work / "native"
    native.mkdir()
    shutil.copy(program, native)
    toolchain = work / "toolchain.cmake"
    write(toolchain, "set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR other)\n")
    check = "find_package(kiln CONFIG REQUIRED)\nif(NOT KILN_BAKE STREQUAL \"%s\")\n  message(FATAL_ERROR \"found ${KILN_BAKE}\")\nendif()\n"
    options = [f"-DCMAKE_TOOLCHAIN_FILE={toolchain}"]
    path = dict(env, PATH=f"{native}:{os.environ['PATH']}")
    cmake_fails("CMake: a cross build bakes with kiln-bake in PATH", check % (native / "kiln-bake"), "", work, path, options)
    cmake_fails("CMake: another build bakes with kiln-bake of the package", check % program, "", work, path)
    cmake_fails("CMake: -DKILN_BAKE selects the program", check % "/usr/bin/env", "", work, path, options + ["-DKILN_BAKE=/usr/bin/env"])


def main():
    whole = "--whole" in sys.argv
    meson, build, root, compiler = [word for word in sys.argv[1:] if word != "--whole"]
    build = os.path.abspath(build)
    guide = (pathlib.Path(root) / "baker/BUILD.md").read_text(encoding="utf-8")
    files = {name.removeprefix("package/"): text
             for name, text in re.findall(r"^```\w+ (package/\S+)\n(.*?)^```$", guide, re.M | re.S)}
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("MAKE", "MFLAGS", "KILN_", "NINJA", "CMAKE", "DESTDIR", "PKG_CONFIG", "LD_LIBRARY", "C_INCLUDE", "CPATH"))}
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work).resolve()
        code, text = run([meson, "install", "-C", build, "--no-rebuild", "--destdir", work / "root"], work, env)
        report(code == 0, "meson install", text)
        configs = list((work / "root").rglob("kiln-config.cmake"))
        report(len(configs) == 1, "the package for CMake is installed")
        if not configs:
            return finish()
        # The folder was not installed to the prefix for which it was configured, so it can be moved.
        library = configs[0].parent.parent.parent
        program = next((work / "root").rglob("bin/kiln-bake"))
        env |= {"LC_ALL": "C.UTF-8", "CC": compiler, "LD_LIBRARY_PATH": str(library)}
        if has("CMake", "cmake"):
            cmake_env = dict(env, CMAKE_PREFIX_PATH=str(program.parent.parent), KILN_PACKAGE=str(configs[0].parent))
            for generator, tool in [("Ninja", "ninja"), ("Unix Makefiles", "make")]:
                if has(f"CMake with {generator}", tool):
                    try_cmake(generator, work, files, cmake_env)
            try_cmake_mistakes(work, cmake_env)
            try_cross(work, cmake_env, program)
        env |= {"PATH": f"{program.parent}:{env['PATH']}", "PKG_CONFIG_PATH": str(library / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(work / "root")}
        for tool in ["make", "ninja"]:
            if has(tool, tool, "pkg-config"):
                try_plain(tool, work, files, env)
        if has("Meson", "ninja", "pkg-config"):
            try_meson(meson, work, files, env)
            del env["PKG_CONFIG_SYSROOT_DIR"]
            try_subproject(meson, work, pathlib.Path(root).resolve(), files, env, whole)
            if whole:
                try_meson_cross(meson, work, env)
    return finish()


def finish():
    print(f"1..{count}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

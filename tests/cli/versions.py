"""All version numbers in the tree agree: versions.py SOURCE_ROOT BUILD_ROOT KILN_VERSION [KILN_BAKE [KILN_INSPECT]]

There are two versions: of Kiln, defined in meson.build, and of the file format, defined in FORMAT.md. Prints TAP.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE, BUILD, KILN = sys.argv[1:4]
BAKE, INSPECT = (sys.argv[4:6] + ["", ""])[:2]
SCHEMA = "kiln: 1\ntypes:\n  Thing: {struct: {n: u32}, asset: true}\n"
count = failed = 0


def report(name, got, wanted):
    global count, failed
    count += 1
    failed += got != wanted
    print(f"{'ok' if got == wanted else 'not ok'} {count} - {name}")
    if got != wanted:
        print(f"# {got!r} instead of {wanted!r}")


def text(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def found(pattern, where):
    """Returns each distinct match of the pattern, in order. Several groups are joined with dots."""
    several = [".".join(match.groups()) for match in re.finditer(pattern, where, re.M | re.S)]
    return list(dict.fromkeys(several))


def output(*command, code=0):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, (command, done)
    return done.stdout


def check_documents(law):
    form = found(r"\A.*?This is version \*\*([\d.]+)\*\*", law)[0]
    major, minor = form.split(".")
    header = text(SOURCE, "blobfmt", "include", "kiln", "version.h")
    report("version.h: Kiln", found(
        r"KILN_VERSION_MAJOR (\d+)$.*KILN_VERSION_MINOR (\d+)$.*KILN_VERSION_PATCH (\d+)$", header), [KILN])
    report("version.h: format", found(r"KILN_FORMAT_MAJOR (\d+)$.*KILN_FORMAT_MINOR (\d+)$", header), [form])
    report("FORMAT.md: version that a writer stores", found(r"here ([\d.]+), in every header that it creates\. ", law), [form])
    report("FORMAT.md: header, major", found(r"^\| 4 \| 1 \| major \| (\d+) \|", law), [major])
    report("FORMAT.md: header, minor", found(r"^\| 5 \| 1 \| minor \| (\d+) \|", law), [minor])
    report("FORMAT.md: example", found(r"  format version ([\d.]+)$", law), [form])
    report("FORMAT.md: example's bytes", found(r"^\w{8}  (\w\w) (\w\w) +format version", law),
           [f"{int(major):02x}.{int(minor):02x}"])
    report("FORMAT.md: newest entry of the history", found(r"^## 19\. Version history\n\n\*\*([\d.]+)\*\*", law), [form])
    report("CHANGELOG.md: newest", found(r"\A.*?^## ([\d.]+)", text(SOURCE, "CHANGELOG.md")), [KILN])
    status = found(r"^Version ([\d.]+), .*?; file format ([\d.]+)\.\s", text(SOURCE, "README.md"))
    report("README.md: status", status, [f"{KILN}.{form}"])
    return form


def check_pages():
    for room, name in (("baker", "kiln-bake.1"), ("inspector", "kiln-inspect.1")):
        if os.path.exists(os.path.join(SOURCE, room)):
            report(name, found(r'\A\.TH \S+ 1 "" "Kiln ([\d.]+)" ', text(SOURCE, room, name)), [KILN])


def check_library(form):
    config = os.path.join(BUILD, "meson-private", "kiln.pc")
    # A build folder keeps kiln.pc after the runtime was removed from the tree.
    if not os.path.exists(config) or not os.path.exists(os.path.join(SOURCE, "runtime")):
        return
    report("kiln.pc", found(r"^Version: (\S+)$", text(config)), [KILN])
    report("kiln.pc: format", found(r"^format_version=(\S+)$", text(config)), [form])
    names = os.listdir(os.path.join(BUILD, "runtime"))
    report("library file", [n for n in names if re.fullmatch(r"libkiln\.so\.\d+\..*\d", n)], [f"libkiln.so.{KILN}"])


def check_programs(form):
    for program in filter(None, (BAKE, INSPECT)):
        name = os.path.basename(program)
        report(f"{name} --version", output(program, "--version"), f"{name} {KILN}, file format {form}\n")


def check_bytes(form, folder):
    """Checks every header of a baked file, `kiln-inspect info` and SARIF."""
    if not BAKE:
        return
    for name, said in (("v.schema.yaml", SCHEMA), ("v.yaml", "Thing: {a: {n: 1}, b: {n: 2}}\n"), ("wrong.yaml", "Thing: 1\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(said)
    bake = [BAKE, "-q", "-C", folder, "-s", os.path.join(folder, "v.schema.yaml"), "-o", os.path.join(folder, "v.kiln")]
    output(*bake, "v.yaml")
    with open(os.path.join(folder, "v.kiln"), "rb") as file:
        data = file.read()
    headers = {f"{data[at + 4]}.{data[at + 5]}" for at in range(0, len(data), 16) if data[at:at + 4] == b"KILN"}
    report("headers of a baked file", headers, {form})
    log = os.path.join(folder, "log")
    output(*bake, "--diagnostics=sarif", f"--diagnostics-file={log}", "wrong.yaml", code=1)
    report("SARIF", json.loads(text(log))["runs"][0]["tool"]["driver"]["version"], KILN)
    if INSPECT:
        info = output(INSPECT, "info", os.path.join(folder, "v.kiln"))
        report("kiln-inspect info", found(r"^format +([\d.]+), ", info), [form])


newest = check_documents(text(SOURCE, "blobfmt", "FORMAT.md"))
check_pages()
check_library(newest)
check_programs(newest)
with tempfile.TemporaryDirectory() as temporary:
    check_bytes(newest, temporary)
print(f"1..{count}")
sys.exit(failed > 0)

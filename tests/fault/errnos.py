#!/usr/bin/env python3
"""Writes errnos.txt: the errors that the manual page of each system call lists.

Usage: errnos.py MAN2 [CALL...] > errnos.txt. MAN2 is the folder of section 2 of the Linux manual pages
(Debian: manpages-dev). The default is the calls listed in the errnos.txt next to this script.
"""
import gzip
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Calls documented on another page.
PAGES = {"newfstatat": "stat", "exit": "_exit", "rt_sigaction": "sigaction", "rt_sigprocmask": "sigprocmask",
         "rt_sigpending": "sigpending", "openat": "open", "renameat": "rename", "renameat2": "rename", "unlinkat": "unlink",
         "linkat": "link", "prlimit64": "getrlimit", "pread64": "pread", "clone3": "clone", "faccessat2": "access",
         "getdents64": "getdents", "pipe2": "pipe", "mkdirat": "mkdir", "dup3": "dup", "fchmodat": "chmod", "fstat": "stat",
         "lstat": "stat", "fdatasync": "fsync", "ftruncate": "truncate", "lseek": "lseek", "fchmod": "chmod",
         "readlinkat": "readlink", "wait4": "wait", "fchown": "chown", "fchownat": "chown", "symlinkat": "symlink", "setrlimit": "getrlimit", "clock_nanosleep": "clock_nanosleep"}
# Errors that pages mention only in the text, and EIO, which calls that read folders can also
# return.
MORE = {"read": ["short"], "write": ["short"], "brk": ["ENOMEM"], "newfstatat": ["EIO"], "getdents64": ["EIO"],
        "openat": ["EIO"], "munmap": ["EINVAL", "ENOMEM"],
        "pread64": ["EAGAIN", "EBADF", "EFAULT", "EINTR", "EINVAL", "EIO", "EISDIR", "EOVERFLOW", "ESPIPE", "short"],
        "pwrite64": ["EBADF", "EDQUOT", "EFAULT", "EFBIG", "EINTR", "EINVAL", "EIO", "ENOSPC", "EOVERFLOW", "ESPIPE", "short"]}
for attributes in ("fgetxattr", "flistxattr", "fsetxattr", "fremovexattr"):
    MORE[attributes] = ["EACCES", "EBADF", "EFAULT", "ENOMEM"]
for attributes in ("getxattr", "listxattr", "setxattr", "lgetxattr", "llistxattr", "lsetxattr", "lremovexattr"):
    MORE[attributes] = ["EACCES", "EFAULT", "ELOOP", "ENAMETOOLONG", "ENOENT", "ENOMEM", "ENOTDIR"]
# Two names of the same error.
SAME = {"EWOULDBLOCK": "EAGAIN", "ENOTSUP": "EOPNOTSUPP"}
# Not visible to a program, or for other calls on the same page.
NEVER = {"clone": ["ERESTARTNOINTR"], "clone3": ["ERESTARTNOINTR"],
         "munmap": ["EACCES", "EAGAIN", "EBADF", "EEXIST", "ENFILE", "ENODEV", "EOVERFLOW", "EPERM", "ETXTBSY"]}


def page(folder, name):
    path = os.path.join(folder, name + ".2.gz")
    if not os.path.exists(path):
        return ""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        text = file.read()
    link = re.match(r"\.so man2/(\S+)\.2", text)
    return page(folder, link[1]) if link else text


def errors(folder, call):
    text = page(folder, PAGES.get(call, call))
    section = re.search(r"^\.SH ERRORS\n(.*?)(?=^\.SH )", text, re.S | re.M)
    found = []
    for line in (section[1].split("\n") if section else []):
        if line.startswith(".B"):
            for name in re.findall(r"\bE[A-Z0-9]{2,}\b", line):
                name = SAME.get(name, name)
                if name not in found and name not in NEVER.get(call, []):
                    found.append(name)
    return sorted(found) + [name for name in MORE.get(call, []) if name not in found]


def main():
    calls = sys.argv[2:]
    if not calls:
        with open(os.path.join(HERE, "errnos.txt"), encoding="utf-8") as file:
            calls = [line.split(":")[0] for line in file if ":" in line and not line.startswith("#")]
    print("# The errors that the manual page of each system call lists (Linux manual pages 6.03), written by errnos.py.")
    print("# `short` transfers half of the bytes.")
    for call in sorted(set(calls)):
        print(f"{call}: {' '.join(errors(sys.argv[1], call))}".rstrip())


if __name__ == "__main__":
    main()

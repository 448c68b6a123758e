"""Runs one test of a changed program. The limit is CPU time, so that a busy machine does not change
the result."""
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading


def limits(seconds, memory):
    def apply():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        os.setsid()
    return apply


def activity(session):
    """The processor time of all processes in a session, in clock ticks, and whether one of their threads can run."""
    ticks, runs = 0, False
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            if os.getsid(int(entry)) != session:
                continue
            for task in os.listdir(f"/proc/{entry}/task"):
                with open(f"/proc/{entry}/task/{task}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
                runs |= fields[0] in "RD"
                ticks += int(fields[11]) + int(fields[12])
        except OSError:
            continue  # it has ended
    return ticks, runs


def end_session(session):
    try:
        os.killpg(session, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end_if_stuck(process, has_ended, on_end):
    """Calls `on_end` if all threads of the test wait for each other: none ran or could run for ten seconds. No test sleeps that
    long. A test that waits for the processor is not stuck."""
    quiet, before = 0, None
    while not has_ended.wait(1):
        now = activity(process.pid)
        quiet = 0 if now[1] or now != before else quiet + 1
        before = now
        if quiet == 10:
            on_end()
            return


def run_test(test, tree, folder, environment, seconds):
    """Returns (what failed or None, CPU seconds used). `test` comes from `meson introspect --tests` of the build `folder` in
    `tree`. Its item `memory`, if any, limits the address space. `seconds` limits the CPU time."""
    # Each run has its own folder, because runs at the same time would share files.
    with tempfile.TemporaryDirectory(dir=tree) as own, tempfile.TemporaryFile(dir=tree) as log:
        process = subprocess.Popen(test["cmd"], cwd=own if test["workdir"] else tree / folder, stdin=subprocess.DEVNULL,
                                   env={**os.environ, **test["env"], **environment, "TMPDIR": own}, stdout=log,
                                   stderr=subprocess.STDOUT, preexec_fn=limits(seconds, test.get("memory")))
        was_ended, has_ended = [], threading.Event()

        def end():
            was_ended.append(True)
            end_session(process.pid)
        # The limit of CPU time does not end a test that waits forever.
        watcher = threading.Thread(target=end_if_stuck, args=(process, has_ended, end))
        watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        has_ended.set()
        watcher.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        end_session(process.pid)
        log.seek(0)
        output = log.read().decode(errors="replace")
    used = usage.ru_utime + usage.ru_stime
    if was_ended or process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"{test['name']}: does not end", used
    if process.returncode in (0, 77) and "\nnot ok" not in "\n" + output:
        return None, used
    failed = re.search(r"^\[  FAILED  \] (?!\d+ test)(\w+)|^not ok \d+ - (.*)", output, re.M)
    if failed:
        return f"{test['name']}: {next(filter(None, failed.groups()))}", used
    running = re.findall(r"^\[ RUN      \] (\w+)", output, re.M)
    return f"{test['name']}: exit status {process.returncode}{' in ' + running[-1] if running else ''}", used

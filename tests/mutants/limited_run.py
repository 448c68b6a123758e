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


def run_test(test, tree, folder, environment, seconds):
    """Returns (what failed or None, CPU seconds used). `test` comes from `meson introspect --tests` of the build `folder` in
    `tree`, with `memory` as a limit of its address space. `seconds` limits the CPU time."""
    # Each run has its own folder, because runs at the same time would share files.
    with tempfile.TemporaryDirectory(dir=tree) as own, tempfile.TemporaryFile(dir=tree) as log:
        process = subprocess.Popen(test["cmd"], cwd=own if test["workdir"] else tree / folder, stdin=subprocess.DEVNULL,
                                   env={**os.environ, **test["env"], **environment, "TMPDIR": own}, stdout=log,
                                   stderr=subprocess.STDOUT, preexec_fn=limits(seconds, test.get("memory")))
        ended = []

        def end():
            ended.append(True)
            os.killpg(process.pid, signal.SIGKILL)
        # A test that waits forever uses no CPU time.
        timer = threading.Timer(20 * seconds + 60, end)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        log.seek(0)
        output = log.read().decode(errors="replace")
    used = usage.ru_utime + usage.ru_stime
    if ended or process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"{test['name']}: does not end", used
    if process.returncode in (0, 77) and "\nnot ok" not in "\n" + output:
        return None, used
    failed = re.search(r"^\[  FAILED  \] (?!\d+ test)(\w+)|^not ok \d+ - (.*)", output, re.M)
    if failed:
        return f"{test['name']}: {next(filter(None, failed.groups()))}", used
    running = re.findall(r"^\[ RUN      \] (\w+)", output, re.M)
    return f"{test['name']}: exit status {process.returncode}{' in ' + running[-1] if running else ''}", used

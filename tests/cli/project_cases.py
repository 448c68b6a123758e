"""Runs test cases, each in an empty folder `project`, and prints their results as TAP."""
import os
import subprocess
import tempfile


def run_cases(cases):
    """Returns whether a case failed."""
    failed = 0
    for number, case in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "project"))
            os.chdir(os.path.join(folder, "project"))
            try:
                case()
                print(f"ok {number} - {case.__name__}")
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"not ok {number} - {case.__name__}\n# line {error.__traceback__.tb_next.tb_lineno}: {str(error)[:1500]}")
            os.chdir("/")
    print(f"1..{len(cases)}")
    return failed > 0

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os
import sys
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image import program


def run(script: str, *, seconds: float = 20, **more: t.Any) -> program.Ran:
    settings: dict[str, t.Any] = {"environment": {"A": "b"}, "folder": "/", "seconds": seconds, **more}
    return program.run([sys.executable, "-c", script], **settings)


def test_the_last_lines_are_kept() -> None:
    lines: list[str] = []
    ran = run("for i in range(30): print(i)\nprint('no newline', end='')", on_line=lines.append)
    assert (ran.status, ran.lines) == (0, [*map(str, range(11, 30)), "no newline"])
    assert [each for each in lines if each] == [*map(str, range(30)), "no newline"]
    assert ran.tail.split("\n")[:2] == ["Last lines of the output:", "11"]


def test_both_outputs_the_status_and_the_environment() -> None:
    script = "import os, sys; sys.stderr.write(f'{sorted(os.environ)} {os.getcwd()}\\n'); sys.exit(3)"
    ran = run(script, environment={"A": "b", "LC_CTYPE": "C"})
    assert (ran.status, ran.lines) == (3, ["['A', 'LC_CTYPE'] /"])


def test_secrets_and_control_characters_are_not_shown() -> None:
    ran = run("import sys; print('\\x1b[31m' + sys.stdin.read() + '!\\r')", stdin="token", hidden=["token", ""])
    assert ran.lines == ["?[31m***!"]


def test_a_program_that_does_not_read_its_input() -> None:
    assert run("pass", stdin="token").status == 0
    assert run("pass").tail == "The program printed nothing."


@pytest.mark.slow
@pytest.mark.parametrize("script", ["import time; time.sleep(60)", "import os, time; os.close(1); os.close(2); time.sleep(60)"])
def test_a_program_that_takes_too_long_is_stopped_with_its_children(tmp_path: Path, script: str) -> None:
    file = tmp_path / "pid"
    parent = f"import os, pathlib; pathlib.Path({str(file)!r}).write_text(str(os.getpid())); {script}"
    with pytest.raises(program.Timeout):
        run(parent, seconds=1)
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)


@pytest.mark.slow
def test_a_child_that_keeps_the_output_open_does_not_delay_the_end() -> None:
    ran = run("import subprocess; subprocess.Popen(['sleep', '30']); print('done')")
    assert (ran.status, ran.lines) == (0, ["done"])


def test_a_program_that_does_not_exist() -> None:
    with pytest.raises(OSError, match="No such file"):
        program.run(["/nonexistent"], environment={}, folder="/", seconds=1)

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slow tests take turns: a commit skips some of them, with their whole class or file, and another commit runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import turns
from campaign.choice import TURNS, seed_of

TESTS = Path(__file__).resolve().parents[2]
OURS = """\
import pytest
import turns
def pytest_addoption(parser): turns.add_option(parser)
def pytest_configure(config): config.addinivalue_line("markers", "slow: takes turns")
def pytest_collection_modifyitems(config, items): turns.leave_out_others(config, items)
"""
SOME = """\
import pytest
def test_quick(): pass
@pytest.mark.slow
@pytest.mark.parametrize("number", range(6))
def test_slow(number): pass
@pytest.mark.slow
class TestTogether:
    def test_first(self): pass
    @pytest.mark.slow
    def test_then(self): pass
"""
WHOLE = "import pytest\npytestmark = pytest.mark.slow\ndef test_first(): pass\nclass TestAll:\n    def test_then(self): pass\n"


def collected(folder: Path, *arguments: str) -> set[str]:
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", "--rootdir", ".", *arguments]
    done = subprocess.run(argv, cwd=folder, env={"PYTHONPATH": str(TESTS)}, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_slow_tests_skipped_by_a_commit_run_in_another(tmp_path: Path) -> None:
    for name, text in {"conftest.py": OURS, "test_some.py": SOME, "test_whole.py": WHOLE}.items():
        (tmp_path / name).write_text(text)
    everything = collected(tmp_path)
    commits = {seed_of(commit) % TURNS: commit for commit in (f"{number:040x}" for number in range(400))}
    turns = [collected(tmp_path, f"--slow-of={commit}") for commit in commits.values()]
    assert len(everything) == 11 and set.union(*turns) == everything
    assert set.intersection(*turns) == {"test_some.py::test_quick"}
    for together in ("test_some.py::TestTogether", "test_whole.py"):
        whole = {each for each in everything if each.startswith(together)}
        assert {frozenset(whole & taken) for taken in turns} == {frozenset(), frozenset(whole)}


def test_a_slow_file_runs_in_only_one_turn(tmp_path: Path) -> None:
    commits = {seed_of(commit) % TURNS: commit for commit in (f"{number:040x}" for number in range(400))}.values()
    for name, text, taken in (("test_whole.py", WHOLE, 1), ("test_some.py", SOME, TURNS)):
        (tmp_path / name).write_text(text)
        assert sum(turns.takes(commit, tmp_path / name) for commit in commits) == taken

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file with the metrics of all runs."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.metrics import file

RUNS = 12


def report(cluster: str = "ml", **more: t.Any) -> dict[str, t.Any]:
    clusters = {cluster: {"status": "changed", "findings": [], "certificates": None}}
    common = {"ended": "2026-11-22T08:00:00Z", "playbook": "reconcile", "check_mode": False, "interrupted": False}
    return {**common, "inventory_failures": [], "clusters": clusters, **more}


def add(path: Path, number: int) -> None:
    file.add(str(path), report(f"cluster-{number}"))


def test_all_users_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.prom"
    file.add(str(path), report())
    assert path.stat().st_mode & 0o777 == 0o644
    assert 'last_run_status{cluster="ml",playbook="reconcile"} 1\n' in path.read_text()
    assert sorted(os.listdir(tmp_path)) == [".runs.prom.lock", "runs.prom"], "the collector reads *.prom only"


def test_check_mode_writes_nothing(tmp_path: Path) -> None:
    file.add(str(tmp_path / "runs.prom"), report(check_mode=True))
    assert os.listdir(tmp_path) == []


def test_runs_that_end_at_the_same_time_keep_the_clusters_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "runs.prom"
    processes = [multiprocessing.get_context("fork").Process(target=add, args=(path, number)) for number in range(RUNS)]
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    assert [each.exitcode for each in processes] == [0] * RUNS
    written = path.read_text()
    assert [number for number in range(RUNS) if f'last_run_status{{cluster="cluster-{number}",' not in written] == []


def test_a_run_gives_up_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "LOCK_SECONDS", 0)
    with open(tmp_path / ".runs.prom.lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(Failure, match="is locked by another run"):
            file.add(str(tmp_path / "runs.prom"), report())
    assert not (tmp_path / "runs.prom").exists()


def test_a_file_that_is_not_from_this_callback_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.prom"
    monkeypatch.setattr(file, "LARGEST", 10)
    path.write_text("x" * 11)
    with pytest.raises(Failure, match="has more than 10 bytes"):
        file.add(str(path), report())
    assert path.read_text() == "x" * 11


def test_a_pipe_does_not_stop_the_run(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "runs.prom")
    with pytest.raises(Failure, match="is not a regular file"):
        file.add(str(tmp_path / "runs.prom"), report())


@pytest.mark.parametrize("where", ["link.prom", "missing/runs.prom"])
def test_a_link_is_not_followed_and_no_folder_is_created(tmp_path: Path, where: str) -> None:
    (tmp_path / "link.prom").symlink_to("other.prom")
    with pytest.raises(OSError):
        file.add(str(tmp_path / where), report())
    assert not (tmp_path / "other.prom").exists() and not (tmp_path / "missing").exists()


def test_bytes_that_are_not_text_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "runs.prom"
    file.add(str(path), report())
    path.write_bytes(path.read_bytes().replace(b'cluster="ml"', b'cluster="m\xff"'))
    file.add(str(path), report("other"))
    assert 'cluster="other"' in path.read_text() and 'cluster="m' not in path.read_text()

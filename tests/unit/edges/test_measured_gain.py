# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""placement with topology_job_measure_gain over a cluster with Slurm: on which nodes it measures, and what the report makes of it."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible.release import __version__
from simulated import measured

OLDEST = __version__.startswith("2.19.")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(OLDEST, reason="modules and views are tried on both; whole playbooks cost most")]
GAIN = ("-e", "topology_job_measure_gain=true")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[measured.World]:
    with measured.world(tmp_path_factory.mktemp("gain")) as here:
        yield here


def place(world: measured.World, *arguments: str) -> tuple[int, str, t.Any]:
    """Exit status, what was shown, and the gain in placement.json."""
    path: Path = world.home / ".mlfleet/hyperpod/placement.json"
    path.unlink(missing_ok=True)
    run = world.playbook("mlfleet.hyperpod.placement", "--limit", "cluster_ml", *arguments)
    gain = world.proof()["clusters"]["ml"]["gain"] if path.exists() else None
    return run.rc, " ".join(run.output.split()), gain


def test_near_and_spread_nodes_one_after_the_other(world: measured.World) -> None:
    one, two, _three, far = world.tell()
    rc, told, gain = place(world, *GAIN)
    assert rc == 0 and world.tests() == [[one, two], [one, far]], told
    assert (gain["near"]["bandwidth"], gain["spread"]["bandwidth"], gain["ratio"]) == (measured.NEAR, measured.FAR, 1.16)
    assert [gain[side]["network_nodes"] for side in ("near", "spread")] == [
        [["nn-1", "nn-21", "nn-31"]],
        [["nn-1", "nn-21", "nn-31"], ["nn-1", "nn-22", "nn-32"]],
    ]
    assert "ml: near: 2 nodes below nn-31, 466.0 GB/s over EFA with 4 GiB; spread: 2 nodes below nn-31 and nn-32, 402.1 GB/s over EFA" in told
    assert "near is 1.16 times as fast (all_reduce of 4 GiB, ml.p5.48xlarge)" in told and "ml unchanged" in told, told


def test_nodes_with_jobs_are_never_tested(world: measured.World) -> None:
    _one, two, three, far = world.tell(busy=(0,))
    rc, told, gain = place(world, *GAIN)
    assert rc == 0 and world.tests() == [[two, three], [two, far]] and gain["ratio"] == 1.16, told
    world.tell(busy=(0, 1))
    rc, told, gain = place(world, *GAIN)
    assert rc == 0 and world.tests() == [] and gain["near"] is None, told
    assert "The nearest and the farthest 2 idle nodes of type ml.p5.48xlarge are below equally many network nodes: 2." in told


def test_check_mode_starts_nothing(world: measured.World) -> None:
    world.tell()
    rc, told, gain = place(world, *GAIN, "--check")
    assert rc == 0 and world.tests() == [] and gain["ratio"] is None, told
    assert "Check mode starts no test: it would run on 2 nodes below nn-31, then on 2 nodes below nn-31 and nn-32." in gain["not_measured"]


def test_where_nobody_asks_nothing_is_measured(world: measured.World) -> None:
    world.tell()
    rc, told, gain = place(world)
    assert rc == 0 and gain is None and world.tests() == [] and "0 jobs by topology" in told, told


def test_a_test_that_fails_says_nothing_of_nodes(world: measured.World) -> None:
    one, two, *_others = world.tell(tests={"failed": True, "msg": "srun: not found"})
    rc, told, gain = place(world, *GAIN)
    assert rc == 2 and world.tests() == [[one, two]] and "ml degraded" in told, told
    assert "topology_job_measure_gain was not carried out for ml" in told, told
    assert told.count("TASK [mlfleet.hyperpod.topology_job : Record the bandwidth of the nodes]") == 2 and told.count("...ignoring") == 1, told
    assert "The test on near nodes returned no bandwidth: no-answer: " in gain["not_measured"] and gain["spread"] is None


def test_a_controller_that_fails_is_told_and_the_report_is_written(world: measured.World) -> None:
    world.tell(slurm=False)
    rc, told, gain = place(world, *GAIN)
    assert rc == 2 and "Slurm is silent." in told and "ml failed" in told, told
    assert "The topology of the nodes is unknown" in gain["not_measured"] and world.tests() == []


def test_what_is_wrong_is_refused_before_anything_is_asked(world: measured.World) -> None:
    world.tell()
    rc, told, gain = place(world, *GAIN, "-e", "topology_job_gain_nodes=1", "-e", "topology_job_nccl_program=nccl")
    assert rc == 2 and "topology_job_gain_nodes: 1 is not allowed. Allowed: 2 to 1024." in told, told
    assert "topology_job_nccl_program: nccl is not allowed. Allowed: an absolute path, or ''." in told, told
    assert gain is None and not (world.controller / "questions").exists() and "Get the cluster and validate the AWS account" not in told

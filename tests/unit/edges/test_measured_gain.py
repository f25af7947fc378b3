# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook placement with topology_job_measure_gain for a Slurm cluster: the nodes that it measures, and the report."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible.release import __version__
from simulated import measured

OLDEST = __version__.startswith("2.19.")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(OLDEST, reason="only modules and views are tested on both versions; whole playbooks take long")]
GAIN = ("-e", "topology_job_measure_gain=true")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[measured.World]:
    with measured.world(tmp_path_factory.mktemp("gain")) as here:
        yield here


def place(world: measured.World, *arguments: str) -> tuple[int, str, t.Any]:
    """Exit status, output on one line, and the gain in placement.json."""
    path: Path = world.home / ".mlfleet/hyperpod/placement.json"
    path.unlink(missing_ok=True)
    run = world.playbook("mlfleet.hyperpod.placement", "--limit", "cluster_ml", *arguments)
    gain = world.proof()["clusters"]["ml"]["gain"] if path.exists() else None
    return run.rc, " ".join(run.output.split()), gain


def test_near_and_spread_nodes_are_measured_one_after_the_other(world: measured.World) -> None:
    one, two, _three, far = world.set_results()
    rc, printed, gain = place(world, *GAIN)
    assert rc == 0 and world.tests() == [[one, two], [one, far]], printed
    assert (gain["near"]["bandwidth"], gain["spread"]["bandwidth"], gain["ratio"]) == (measured.NEAR, measured.FAR, 1.16)
    assert [gain[side]["network_nodes"] for side in ("near", "spread")] == [
        [["nn-1", "nn-21", "nn-31"]],
        [["nn-1", "nn-21", "nn-31"], ["nn-1", "nn-22", "nn-32"]],
    ]
    line = "ml: nearby nodes: 2 nodes below nn-31, 466.0 GB/s over EFA with 4 GiB; "
    assert f"{line}spread nodes: 2 nodes below nn-31 and nn-32, 402.1 GB/s over EFA" in printed
    assert "the nearby nodes are 1.16 times as fast (all_reduce of 4 GiB, ml.p5.48xlarge)" in printed and "ml unchanged" in printed, printed


def test_nodes_with_jobs_are_never_tested(world: measured.World) -> None:
    _one, two, three, far = world.set_results(busy=(0,))
    rc, printed, gain = place(world, *GAIN)
    assert rc == 0 and world.tests() == [[two, three], [two, far]] and gain["ratio"] == 1.16, printed
    world.set_results(busy=(0, 1))
    rc, printed, gain = place(world, *GAIN)
    assert rc == 0 and world.tests() == [] and gain["near"] is None, printed
    assert "The nearest and the farthest 2 idle nodes of type ml.p5.48xlarge are below the same number of network nodes: 2." in printed


def test_check_mode_starts_no_test(world: measured.World) -> None:
    world.set_results()
    rc, printed, gain = place(world, *GAIN, "--check")
    assert rc == 0 and world.tests() == [] and gain["ratio"] is None, printed
    assert "Check mode starts no tests. They would run on 2 nodes below nn-31, then on 2 nodes below nn-31 and nn-32." in gain["not_measured"]


def test_nothing_is_measured_without_the_option(world: measured.World) -> None:
    world.set_results()
    rc, printed, gain = place(world)
    assert rc == 0 and gain is None and world.tests() == [] and "0 jobs with a topology request or submitted by this collection" in printed, printed


def test_a_failed_test_is_no_finding_about_nodes(world: measured.World) -> None:
    one, two, *_others = world.set_results(tests={"failed": True, "msg": "srun: not found"})
    rc, printed, gain = place(world, *GAIN)
    assert rc == 2 and world.tests() == [[one, two]] and "ml degraded" in printed, printed
    assert "topology_job_measure_gain was not carried out for ml" in printed, printed
    assert printed.count("TASK [mlfleet.hyperpod.topology_job : Record the bandwidth between the nodes]") == 2 and printed.count("...ignoring") == 1, printed
    assert "The test on nearby nodes returned no bandwidth: no-answer: " in gain["not_measured"] and gain["spread"] is None


def test_a_failing_controller_is_reported_and_the_file_is_written(world: measured.World) -> None:
    world.set_results(slurm=False)
    rc, printed, gain = place(world, *GAIN)
    assert rc == 2 and "Slurm is silent." in printed and "ml failed" in printed, printed
    assert "The topology of the nodes is unknown" in gain["not_measured"] and world.tests() == []


def test_wrong_options_are_refused_before_any_call(world: measured.World) -> None:
    world.set_results()
    rc, printed, gain = place(world, *GAIN, "-e", "topology_job_gain_nodes=1", "-e", "topology_job_nccl_program=nccl")
    assert rc == 2 and "topology_job_gain_nodes: 1 is not allowed. Allowed: 2 to 1024." in printed, printed
    assert "topology_job_nccl_program: nccl is not allowed. Allowed: an absolute path, or ''." in printed, printed
    assert gain is None and not (world.controller / "requests").exists() and "Get the cluster and validate the AWS account" not in printed

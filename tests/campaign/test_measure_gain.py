"""The gain of near nodes, measured by jobs of the lab's Slurm: three nodes below one network node and a far one, jobs, a slow node, no EFA."""

from __future__ import annotations

import base64
import json
import typing as t

import pytest
from harness import STATE_DIR, Run, World
from lab.accelerators.story import Story, healthy
from steps import step
from work import controller, jobs, shell, submit, until_no_job
from worlds import ready_world

pytestmark = pytest.mark.slow
TYPE = "ml.p5.48xlarge"
GAIN = ("-e", "topology_job_measure_gain=true")
CONFIG = "/opt/ml/config/resource_config.json"
PROOF = STATE_DIR / "placement.json"
NEAR, FAR = ["nn-1", "nn-21", "nn-31"], ["nn-1", "nn-22", "nn-42"]
FAST, LESS, SLOW = 466.0, 402.1, 201.0
"""GB/s of healthy nodes, of the far node and of the slow one; a test is as fast as its slowest node."""


@pytest.fixture(scope="module")
def fleet() -> t.Iterator[World]:
    world = ready_world(login=1, compute=4)
    _write(world)
    yield world
    shell(world, controller(world), f"rm -f {CONFIG}")
    for entry in _nodes(world):
        world.decelerate(entry["name"])


def _nodes(world: World) -> list[dict[str, t.Any]]:
    return world.hosts("worker-group-1")


def _write(world: World) -> None:
    """Write HyperPod's file on the controller; the first three nodes are near each other."""
    places = zip(_nodes(world), (NEAR, NEAR, NEAR, FAR), strict=True)
    instances = [
        {"InstanceId": entry["instance_id"], "InstanceLabel": {f"network-node-layer-{number}": name for number, name in enumerate(place, 1)}}
        for entry, place in places
    ]
    text = json.dumps({"InstanceGroups": [{"Name": "worker-group-1", "Instances": instances}]})
    content = base64.b64encode(text.encode()).decode()
    done = shell(world, controller(world), f"install -d -m 0755 /opt/ml/config && echo {content} | base64 -d > {CONFIG} && chmod 0600 {CONFIG}")
    assert done.returncode == 0, done


def far(**more: t.Any) -> Story:
    return healthy(TYPE, all_reduce=(475.0, LESS), **more)


def assign(world: World, *stories: Story) -> list[str]:
    """Assign a story to each node; returns the nodes' names in the report."""
    for entry, story in zip(_nodes(world), stories, strict=True):
        world.accelerate(entry["name"], story)
    return [f"ip-{entry['ip'].replace('.', '-')}" for entry in _nodes(world)]


def measured(world: World, *arguments: str) -> tuple[Run, dict[str, t.Any]]:
    PROOF.unlink(missing_ok=True)
    run = world.playbook("placement", *GAIN, *arguments)
    assert PROOF.exists(), run.log
    cluster = json.loads(PROOF.read_text())["clusters"]["ml"]
    assert cluster["jobs"] == [] and run.changed == 0, run.log
    return run, cluster["gain"]


def started(world: World) -> int:
    """How many tests Slurm has run so far."""
    names = shell(world, controller(world), "sacct --noheader --allocations --starttime=2020-01-01 --format=JobName%40").stdout
    return names.count("mlfleet-nccl-test-")


def figures(gain: dict[str, t.Any]) -> dict[str, tuple[list[str], float | None, str, str]]:
    shown = ("nodes", "bandwidth", "carried_by", "verdict")
    return {side: tuple(gain[side][name] for name in shown) for side in ("near", "spread")}


def findings(run: Run) -> list[tuple[str, str]]:
    return [(each["kind"], each["code"]) for each in run.cluster()["findings"] if each["code"].startswith(("topology-gain", "nccl-"))]


def printed(run: Run) -> str:
    return " ".join(run.output.split())


def test_the_report_compares_near_and_spread_nodes(fleet: World) -> None:
    one, two, three, four = assign(fleet, healthy(TYPE), healthy(TYPE), healthy(TYPE), far())
    before = started(fleet)
    with step("check mode starts no job and names the nodes of the tests"):
        foreseen, gain = measured(fleet, "--check")
        assert foreseen.rc == 0 and started(fleet) == before and (gain["near"], gain["ratio"]) == (None, None), foreseen.log
        assert "2 nodes below nn-31, then on 2 nodes below nn-31 and nn-42" in gain["not_measured"], gain

    with step("both figures are reported with the bytes"):
        run, gain = measured(fleet)
        assert run.rc == 0 and run.status == "unchanged", run.log
        assert figures(gain) == {"near": ([one, two], FAST, "EFA", "passed"), "spread": ([one, four], LESS, "EFA", "passed")}, gain
        assert (gain["ratio"], gain["not_measured"], gain["instance_type"]) == (1.16, "", TYPE)
        assert [gain[side]["bytes"] for side in ("near", "spread")] == [2**32, 2**32]
        assert (gain["near"]["network_nodes"], gain["spread"]["network_nodes"]) == ([NEAR], [NEAR, FAR])
        line = "ml: nearby nodes: 2 nodes below nn-31, 466.0 GB/s over EFA with 4 GiB; "
        line += "spread nodes: 2 nodes below nn-31 and nn-42, 402.1 GB/s over EFA with 4 GiB"
        assert line in printed(run) and "the nearby nodes are 1.16 times as fast (all_reduce of 4 GiB, ml.p5.48xlarge)" in printed(run), run.log
        assert findings(run) == [("note", "topology-gain")], run.cluster()
        fleet.eventually(lambda: _tests(fleet, before + 2))
        until_no_job(fleet)

    with step("a test on three nodes uses one more network node"):
        run, gain = measured(fleet, "-e", "topology_job_gain_nodes=3")
        assert figures(gain) == {"near": ([one, two, three], FAST, "EFA", "passed"), "spread": ([one, two, four], LESS, "EFA", "passed")}, gain
        until_no_job(fleet)

    with step("without the option no test runs"):
        quiet = fleet.playbook("placement")
        assert quiet.rc == 0 and quiet.status == "unchanged" and findings(quiet) == [], quiet.log
        fleet.eventually(lambda: _tests(fleet, before + 4))


def test_busy_nodes_are_not_tested(fleet: World) -> None:
    _one, two, three, four = assign(fleet, healthy(TYPE), healthy(TYPE), healthy(TYPE), far())
    first, second = (entry["name"] for entry in _nodes(fleet)[:2])
    try:
        with step("other nodes are measured"):
            submit(fleet, first, 600)
            working = jobs(fleet)
            run, gain = measured(fleet)
            assert run.rc == 0 and gain["ratio"] == 1.16, run.log
            assert figures(gain) == {"near": ([two, three], FAST, "EFA", "passed"), "spread": ([two, four], LESS, "EFA", "passed")}, gain
            fleet.eventually(lambda: _has(fleet, working))
        with step("the report gives the reason if too few nodes are idle"):
            submit(fleet, second, 600)
            before = started(fleet)
            run, gain = measured(fleet)
            assert run.rc == 0 and started(fleet) == before and findings(run) == [("note", "topology-gain-not-measured")], run.log
            assert "The nearest and the farthest 2 idle nodes" in gain["not_measured"], gain
            run, gain = measured(fleet, "-e", "topology_job_gain_nodes=3")
            assert "needs 3 idle nodes" in gain["not_measured"] and findings(run) == [("pending", "topology-gain-not-measured")], run.log
    finally:
        shell(fleet, controller(fleet), "scancel -u alice")
        until_no_job(fleet)


def test_a_near_figure_below_the_spread_one_is_reported_unchanged(fleet: World) -> None:
    one, two, _three, four = assign(fleet, healthy(TYPE), healthy(TYPE, all_reduce=(475.0, SLOW)), healthy(TYPE), far())
    run, gain = measured(fleet)
    assert run.rc == 0 and gain["ratio"] == 0.5, run.log
    assert figures(gain) == {"near": ([one, two], SLOW, "EFA", "slow"), "spread": ([one, four], LESS, "EFA", "passed")}, gain
    assert "201.0 GB/s over EFA with 4 GiB (slow)" in printed(run) and "the nearby nodes are 0.50 times as fast" in printed(run), run.log
    assert findings(run) == [("note", "topology-gain")], "no node may be blamed"
    until_no_job(fleet)


def test_figures_over_sockets_and_over_efa_are_not_compared(fleet: World) -> None:
    assign(fleet, healthy(TYPE), healthy(TYPE), healthy(TYPE), far(ofi=False))
    run, gain = measured(fleet)
    assert run.rc == 0 and gain["ratio"] is None and [each[2:] for each in figures(gain).values()] == [("EFA", "passed"), ("sockets", "failed")], gain
    assert gain["spread"]["bandwidth"] == LESS and "EFA and sockets carried the data" in printed(run), run.log
    until_no_job(fleet)


def test_a_failed_test_is_no_finding_about_nodes(fleet: World) -> None:
    assign(fleet, *(healthy(TYPE, all_reduce=None) for _node in range(4)))
    run, gain = measured(fleet)
    assert run.rc == 2 and gain["spread"] is None and gain["near"]["verdict"] == "not_run", run.log
    assert findings(run) == [("pending", "topology-gain-not-measured")] and run.status == "degraded", run.cluster()
    assert "The test on nearby nodes returned no bandwidth: " in gain["not_measured"], gain
    until_no_job(fleet)


def test_a_wrong_option_is_refused_before_any_api_call(fleet: World) -> None:
    fleet.reset_calls()
    refused = fleet.playbook("placement", *GAIN, "-e", "topology_job_gain_nodes=1")
    assert refused.rc == 2 and "topology_job_gain_nodes: 1 is not allowed. Allowed: 2 to 1024." in printed(refused), refused.log
    assert [each for each in fleet.calls() if each["operation"] == "DescribeInstanceTypes"] == []


def _tests(world: World, count: int) -> None:
    """The accounting lags slightly."""
    assert started(world) == count


def _has(world: World, expected: list[str]) -> None:
    assert jobs(world) == expected

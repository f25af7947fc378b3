"""Repairs of a fleet: a fault of many nodes stops all repairs, the budget holds across runs, and a killed run is continued."""

from __future__ import annotations

import typing as t

import pytest
from harness import World
from lab.accelerators.story import Story, healthy, off_the_bus
from mishaps import Started, held, release, run_until
from repairs import forget_repairs
from steps import step
from work import controller, shell, slurm_state
from worlds import ready_world

pytestmark = pytest.mark.slow
TYPE = "ml.p5.48xlarge"
APPROVED = ("-e", "remediation_approve=all")


@pytest.fixture(scope="module")
def fleet() -> World:
    return ready_world(login=1, compute=4)


def workers(world: World) -> dict[str, str]:
    """Instance IDs by Slurm's node names."""
    return {each["name"]: each["instance_id"] for each in world.hosts("worker-group-1")}


def rebootable(index: int = 3) -> Story:
    return off_the_bus(healthy(TYPE), index)


def failed_rows() -> Story:
    story = healthy(TYPE)
    story.gpus[3].elements["remapped_rows/remapped_row_failure"] = "Yes"
    return story


def acts(world: World) -> list[tuple[str, int]]:
    made = [each for each in world.calls(mutating=True) if each["operation"].startswith("Batch")]
    return [(each["operation"], len(each["arguments"]["NodeIds"])) for each in made]


def codes(run: t.Any, kind: str) -> list[str]:
    return [each["code"] for each in run.report["clusters"]["ml"]["findings"] if each["kind"] == kind]


def test_a_fleet_is_repaired_within_its_budget(fleet: World) -> None:
    first, second, third, fourth = workers(fleet)
    fleet.reset_calls()
    with step("the same fault on three of four nodes stops all repairs"):
        for name in (first, second, third):
            fleet.accelerate(name, rebootable(), after_reboot=healthy(TYPE))
        fleet.accelerate(fourth, healthy(TYPE))
        stopped = fleet.playbook("remediate", *APPROVED)
        assert stopped.rc == 2 and "remediation-stopped" in codes(stopped, "failure"), stopped.log
        assert "3 of 4 nodes have gpu-xid" in " ".join(stopped.log.split()) and acts(fleet) == []

    with step("a run repairs one node of a group at a time"):
        fleet.accelerate(second, healthy(TYPE))
        one = fleet.playbook("remediate", *APPROVED)
        assert one.rc == 0 and codes(one, "pending") == ["remediation-waits"], one.log
        assert acts(fleet) == [("BatchRebootClusterNodes", 1)]
        assert [slurm_state(fleet, name) for name in workers(fleet)] == ["idle"] * 4

    with step("the daily budget counts earlier runs"):
        spent = fleet.playbook("remediate", *APPROVED, "-e", "remediation_per_day=1")
        assert spent.rc == 0 and "have reached the limit remediation_per_day=1" in " ".join(spent.log.split()), spent.log
        assert len(acts(fleet)) == 1
        rest = fleet.playbook("remediate", *APPROVED)
        assert rest.rc == 0 and len(acts(fleet)) == 2 and codes(rest, "pending") == [], rest.log


def test_the_next_run_continues_a_killed_repair(fleet: World) -> None:
    name, iid = next(iter(workers(fleet).items()))
    for each in workers(fleet):
        fleet.accelerate(each, healthy(TYPE))
    fleet.accelerate(name, failed_rows())
    fleet.reset_calls()
    with step("the run is killed during the request for a replacement"):
        fleet.fault(kind="hold", operation="BatchReplaceClusterNodes")
        run = Started(fleet, "remediate", *APPROVED)
        assert run_until(run, lambda: bool(held(fleet))), run.end().log
        run.kill()
        release(fleet)
        fleet.eventually(lambda: _replaced(fleet, name, iid))

    with step("reconcile configures the new machine, and the next run puts it back into service"):
        healed = fleet.playbook("reconcile")
        assert healed.rc == 0, healed.log
        fleet.accelerate(name, healthy(TYPE))
        back = fleet.playbook("remediate")
        assert back.rc == 0 and slurm_state(fleet, name) == "idle", back.log
        assert acts(fleet) == [("BatchReplaceClusterNodes", 1)]

    with step("the killed repair and the reboot before it count, so the node is escalated"):
        fleet.accelerate(name, failed_rows())
        left = fleet.playbook("remediate", *APPROVED)
        assert left.rc == 2 and codes(left, "failure") == ["remediation-escalated"] and len(acts(fleet)) == 1, left.log


def test_a_repair_by_hyperpod_is_respected(fleet: World) -> None:
    forget_repairs(fleet)
    first, second, *others = workers(fleet)
    fleet.accelerate(first, rebootable(), after_reboot=healthy(TYPE))
    fleet.accelerate(second, failed_rows())
    for name in others:
        fleet.accelerate(name, healthy(TYPE))
    fleet.reset_calls()
    of_check = "mlfleet.hyperpod: accelerators: unfit-reboot: gpu-xid"
    drained = shell(fleet, controller(fleet), f"scontrol update nodename={first} state=drain reason='{of_check}'")
    assert drained.returncode == 0, drained.stdout
    with step("a replacement of the second node is requested through Slurm while the first one is rebooted"):
        fleet.fault(kind="hold", operation="BatchRebootClusterNodes")
        run = Started(fleet, "remediate", *APPROVED, "-e", "remediation_group_percent=100")
        assert run_until(run, lambda: bool(held(fleet))), run.end().log
        requested = shell(fleet, controller(fleet), f"scontrol update nodename={second} state=fail reason=Action:Replace")
        assert requested.returncode == 0, requested.stdout
        release(fleet)
        done = run.end()

    with step("the second node is left to HyperPod with its reason, and the first one is back in service"):
        assert done.rc == 0 and codes(done, "pending") == ["remediation-waits"], done.log
        assert "HyperPod acts on Slurm's reason Action:Replace" in " ".join(done.log.split()), done.log
        assert acts(fleet) == [("BatchRebootClusterNodes", 1)] and slurm_state(fleet, first) == "idle"
        assert "Action:Replace" in shell(fleet, controller(fleet), f"sinfo --noheader --Node --nodes={second} --format=%E").stdout
    shell(fleet, controller(fleet), f"scontrol update nodename={second} state=resume")


def _replaced(world: World, name: str, before: str) -> None:
    assert workers(world).get(name, before) != before

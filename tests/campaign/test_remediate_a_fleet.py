"""Repairs over a fleet: what many nodes have stops all, the budget holds over runs, and a run that is killed is taken up by the next."""

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
AGREED = ("-e", "remediation_approve=all")


@pytest.fixture(scope="module")
def fleet() -> World:
    return ready_world(login=1, compute=4)


def workers(world: World) -> dict[str, str]:
    """Instance IDs by the names of Slurm."""
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
    with step("the same on three of four nodes is no fault of all of them"):
        for name in (first, second, third):
            fleet.accelerate(name, rebootable(), after_reboot=healthy(TYPE))
        fleet.accelerate(fourth, healthy(TYPE))
        stopped = fleet.playbook("remediate", *AGREED)
        assert stopped.rc == 2 and "remediation-stopped" in codes(stopped, "failure"), stopped.log
        assert "3 of 4 nodes have gpu-xid" in " ".join(stopped.log.split()) and acts(fleet) == []

    with step("one node of a group at a time, whatever a run may do"):
        fleet.accelerate(second, healthy(TYPE))
        one = fleet.playbook("remediate", *AGREED)
        assert one.rc == 0 and codes(one, "pending") == ["remediation-waits"], one.log
        assert acts(fleet) == [("BatchRebootClusterNodes", 1)]
        assert [slurm_state(fleet, name) for name in workers(fleet)] == ["idle"] * 4

    with step("the budget of a day counts what was done before"):
        spent = fleet.playbook("remediate", *AGREED, "-e", "remediation_per_day=1")
        assert spent.rc == 0 and "remediation_per_day is 1" in " ".join(spent.log.split()), spent.log
        assert len(acts(fleet)) == 1
        rest = fleet.playbook("remediate", *AGREED)
        assert rest.rc == 0 and len(acts(fleet)) == 2 and codes(rest, "pending") == [], rest.log


def test_a_killed_repair_is_taken_up(fleet: World) -> None:
    name, iid = next(iter(workers(fleet).items()))
    for each in workers(fleet):
        fleet.accelerate(each, healthy(TYPE))
    fleet.accelerate(name, failed_rows())
    fleet.reset_calls()
    with step("killed once AWS was asked for another machine"):
        fleet.fault(kind="hold", operation="BatchReplaceClusterNodes")
        run = Started(fleet, "remediate", *AGREED)
        assert run_until(run, lambda: bool(held(fleet))), run.end().log
        run.kill()
        release(fleet)
        fleet.eventually(lambda: _replaced(fleet, name, iid))

    with step("the timer's reconcile makes the machine a node, and the next run puts it back to work"):
        healed = fleet.playbook("reconcile")
        assert healed.rc == 0, healed.log
        fleet.accelerate(name, healthy(TYPE))
        back = fleet.playbook("remediate")
        assert back.rc == 0 and slurm_state(fleet, name) == "idle", back.log
        assert acts(fleet) == [("BatchReplaceClusterNodes", 1)]

    with step("the killed repair counts, beside the reboot before: a person decides"):
        fleet.accelerate(name, failed_rows())
        left = fleet.playbook("remediate", *AGREED)
        assert left.rc == 2 and codes(left, "failure") == ["remediation-escalated"] and len(acts(fleet)) == 1, left.log


def test_what_the_service_begins_meanwhile_is_not_fought(fleet: World) -> None:
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
    with step("while one is rebooted, which Slurm's own check has drained, somebody asks HyperPod for the one that is to be replaced after it"):
        fleet.fault(kind="hold", operation="BatchRebootClusterNodes")
        run = Started(fleet, "remediate", *AGREED, "-e", "remediation_group_percent=100")
        assert run_until(run, lambda: bool(held(fleet))), run.end().log
        asked = shell(fleet, controller(fleet), f"scontrol update nodename={second} state=fail reason=Action:Replace")
        assert asked.returncode == 0, asked.stdout
        release(fleet)
        done = run.end()

    with step("its reason stays, and it is left to HyperPod; the other one is back at work"):
        assert done.rc == 0 and codes(done, "pending") == ["remediation-waits"], done.log
        assert "Slurm's reason is Action:Replace, on which HyperPod acts" in " ".join(done.log.split()), done.log
        assert acts(fleet) == [("BatchRebootClusterNodes", 1)] and slurm_state(fleet, first) == "idle"
        assert "Action:Replace" in shell(fleet, controller(fleet), f"sinfo --noheader --Node --nodes={second} --format=%E").stdout
    shell(fleet, controller(fleet), f"scontrol update nodename={second} state=resume")


def _replaced(world: World, name: str, before: str) -> None:
    assert workers(world).get(name, before) != before

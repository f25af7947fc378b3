"""The playbook repairs unfit nodes: plan, approval, wait for jobs, repair by AWS, and a check before the nodes take jobs."""

from __future__ import annotations

import json
import re
import typing as t

import pytest
from harness import STATE_DIR, World
from lab.accelerators.story import healthy
from mishaps import Started, run_until
from repairs import TYPE, broken, codes, doomed, forget_repairs
from steps import step
from work import controller, jobs, shell, slurm_state, submit, until_no_job


@pytest.fixture
def worker(ready: World) -> t.Iterator[str]:
    """The name of the one node with accelerators; the machine behind it changes."""
    (entry,) = ready.hosts("worker-group-1")
    yield entry["name"]
    ready.decelerate(entry["name"])
    shell(ready, controller(ready), f"scontrol update nodename={entry['name']} state=resume")


def instance(world: World) -> str:
    return str(world.hosts("worker-group-1")[0]["instance_id"])


def remediate(world: World, *arguments: str) -> t.Any:
    return world.playbook("remediate", *arguments)


def plan_number(log: str) -> str:
    return re.findall(r"-e\s+remediation_approve=(ml:[0-9a-f]{8})", log)[0]


def calls(world: World) -> list[str]:
    return [each["operation"] for each in world.calls(mutating=True) if each["operation"].startswith("Batch")]


@pytest.mark.slow
def test_a_node_is_rebooted_after_approval(ready: World, worker: str) -> None:
    before = instance(ready)
    with step("a healthy fleet needs no repair"):
        ready.accelerate(worker, healthy(TYPE))
        ready.reset_calls()
        well = remediate(ready, "-e", "remediation_approve=all")
        assert (well.rc, well.changed) == (0, 0) and "No node of ml needs a repair." in well.log, well.log
        assert calls(ready) == []

    with step("without approval there is only a plan"):
        ready.accelerate(worker, broken(), after_reboot=healthy(TYPE))
        submit(ready, worker, 600)
        shown = remediate(ready)
        assert (shown.rc, shown.status) == (0, "degraded") and codes(shown, "pending") == ["remediation-unapproved"], shown.log
        plan = plan_number(" ".join(shown.log.split()))
        assert slurm_state(ready, worker) == "mixed" and calls(ready) == []
        other = remediate(ready, "-e", "remediation_approve=ml:00000000")
        assert (other.rc, codes(other, "pending")) == (2, ["remediation-unapproved"]), other.log
        assert "ml:00000000 was approved" in " ".join(other.log.split()), other.log

    with step("check mode shows what would be done"):
        planned = remediate(ready, "-e", f"remediation_approve={plan}", "--check", "--diff")
        assert planned.rc == 0 and "rebooted" in planned.output and calls(ready) == [], planned.log
        assert slurm_state(ready, worker) == "mixed"

    with step("the run waits for a job and never cancels it"):
        waits = remediate(ready, "-e", f"remediation_approve={plan}", "-e", "remediation_jobs_timeout=3")
        assert waits.rc == 2 and "remediation-waits" in codes(waits, "pending"), waits.log
        assert slurm_state(ready, worker) == "draining" and jobs(ready) and calls(ready) == []
        assert shell(ready, controller(ready), "scancel -u alice").returncode == 0
        until_no_job(ready)

    with step("the node is rebooted, checked again, and back in service"):
        done = remediate(ready, "-e", f"remediation_approve={plan}")
        assert done.rc == 0 and "remediation-repaired" in codes(done, "note"), done.log
        assert calls(ready) == ["BatchRebootClusterNodes"] and instance(ready) == before
        assert slurm_state(ready, worker) == "idle"
        report = json.loads((STATE_DIR / "accelerators.json").read_text())
        assert report["clusters"]["ml"]["nodes"][before]["verdict"] == "fit"

    with step("a second run changes nothing"):
        again = remediate(ready, "-e", "remediation_approve=all")
        assert (again.rc, again.changed) == (0, 0) and calls(ready) == ["BatchRebootClusterNodes"], again.log

    with step("a GPU that needs a reboot for its memory interrupts no job"):
        waiting = healthy(TYPE)
        waiting.gpus[3].elements["remapped_rows/remapped_row_pending"] = "Yes"
        ready.accelerate(worker, waiting, after_reboot=healthy(TYPE))
        submit(ready, worker, 600)
        busy = remediate(ready, "-e", "remediation_approve=all")
        assert busy.rc == 0 and codes(busy, "pending") == ["remediation-waits"], busy.log
        assert "The node will be rebooted after these jobs have ended" in " ".join(busy.log.split()), busy.log
        assert slurm_state(ready, worker) == "mixed" and len(calls(ready)) == 1
        assert shell(ready, controller(ready), "scancel -u alice").returncode == 0
        until_no_job(ready)

    with step("the node is rebooted when it is idle"):
        idle = remediate(ready, "-e", "remediation_approve=all")
        assert idle.rc == 0 and "remediation-repaired" in codes(idle, "note"), idle.log
        assert calls(ready) == ["BatchRebootClusterNodes"] * 2 and slurm_state(ready, worker) == "idle"


@pytest.mark.slow
def test_a_replaced_node_takes_no_job_until_it_is_fit(ready: World, worker: str) -> None:
    forget_repairs(ready)
    before = instance(ready)
    ready.accelerate(worker, doomed())
    ready.reset_calls()
    with step("the run does not interfere with a repair by HyperPod"):
        assert shell(ready, controller(ready), f"scontrol update nodename={worker} state=drain reason=Action:Replace").returncode == 0
        held = remediate(ready, "-e", "remediation_approve=all")
        assert held.rc == 0 and codes(held, "pending") == ["remediation-waits"], held.log
        assert "HyperPod acts on Slurm's reason Action:Replace" in " ".join(held.log.split()) and calls(ready) == []
        assert shell(ready, controller(ready), f"scontrol update nodename={worker} state=resume").returncode == 0

    with step("the replacement has no GPUs, so it stays drained"):
        done = remediate(ready, "-e", "remediation_approve=all")
        now = instance(ready)
        assert done.rc == 2 and codes(done, "failure") == ["remediation-unfit"], done.log
        assert calls(ready) == ["BatchReplaceClusterNodes"] and now != before
        assert f"{before} was replaced by {now}, but is still unfit" in " ".join(done.log.split()), done.log
        assert slurm_state(ready, worker) == "drained"

    with step("after two failed repairs the node is escalated to a person"):
        again = remediate(ready, "-e", "remediation_approve=all")
        assert again.rc == 2 and codes(again, "failure") == ["remediation-unfit"], again.log
        left = remediate(ready, "-e", "remediation_approve=all")
        assert left.rc == 2 and codes(left, "failure") == ["remediation-escalated"], left.log
        assert calls(ready) == ["BatchReplaceClusterNodes", "BatchRebootClusterNodes"] and slurm_state(ready, worker) == "drained"

    with step("the next run returns a node that a person repaired to service"):
        ready.accelerate(worker, healthy(TYPE))
        back = remediate(ready)
        assert back.rc == 0 and slurm_state(ready, worker) == "idle", back.log


@pytest.mark.slow
def test_invalid_input_is_refused_before_any_check(ready: World) -> None:
    ready.reset_calls()
    options = {"approve": "yes", "route": "slurm", "at_once": "0", "group_percent": "101", "jobs_timeout": "-1"}
    for wrong in (f"remediation_{name}={value}" for name, value in options.items()):
        refused = remediate(ready, "-e", wrong)
        log = " ".join(refused.log.split())
        assert refused.rc == 2 and f"{wrong.partition('=')[0]}: " in log and " is not allowed. Allowed: " in log, refused.log
    assert "DescribeInstanceTypes" not in [call["operation"] for call in ready.calls()]


CHECK = ("-e", "remediation_deep_checks=InstanceStress", "-e", "remediation_deep_check_nodes=worker-group-1")
ALL = ("-e", "remediation_approve=all")


def checked(world: World) -> list[list[str]]:
    """Instance IDs of each deep health check."""
    made = [each["arguments"] for each in world.calls(mutating=True) if each["operation"] == "StartClusterHealthCheck"]
    return [group["InstanceIds"] for each in made for group in each["DeepHealthCheckConfigurations"]]


@pytest.mark.slow
def test_a_fit_node_gets_a_deep_check_after_approval(ready: World, worker: str) -> None:
    forget_repairs(ready)
    ready.accelerate(worker, healthy(TYPE))
    ready.reset_calls()
    before = instance(ready)
    with step("invalid groups for deep checks are refused before any check"):
        refused = remediate(ready, *CHECK[:3], "remediation_deep_check_nodes=login-group")
        assert refused.rc == 2 and "'login-group' is not allowed" in " ".join(refused.log.split()), refused.log
        alone = remediate(ready, *CHECK[:2])
        assert alone.rc == 2 and "remediation_deep_check_nodes: missing" in " ".join(alone.log.split()), alone.log

    with step("without approval there is only a plan"):
        shown = remediate(ready, *CHECK)
        assert shown.rc == 0 and codes(shown, "pending") == ["remediation-unapproved"], shown.log
        plan = plan_number(" ".join(shown.log.split()))
        planned = remediate(ready, *CHECK, "-e", f"remediation_approve={plan}", "--check", "--diff")
        assert planned.rc == 0 and "InstanceStress" in planned.output, planned.log
        assert checked(ready) == [] and slurm_state(ready, worker) == "idle"

    with step("the node passes the deep check and our check, and is back in service"):
        done = remediate(ready, *CHECK, "-e", f"remediation_approve={plan}")
        assert done.rc == 0 and "remediation-repaired" in codes(done, "note"), done.log
        assert checked(ready) == [[before]] and calls(ready) == [] and instance(ready) == before
        assert slurm_state(ready, worker) == "idle"

    with step("an approval covers one deep check"):
        again = remediate(ready, *CHECK, "-e", f"remediation_approve={plan}")
        assert codes(again, "pending") == ["remediation-unapproved"] and checked(ready) == [[before]], again.log

    with step("HyperPod replaces a node that fails; the replacement has no GPUs and stays drained"):
        ready.fault(kind="partial", operation="StartClusterHealthCheck", nodes=[before], times=1)
        failed = remediate(ready, *CHECK, *ALL)
        now = instance(ready)
        assert failed.rc == 2 and codes(failed, "failure") == ["remediation-unfit"] and now != before, failed.log
        assert f"{before} was checked and replaced by {now}, but is still unfit" in " ".join(failed.log.split()), failed.log
        assert slurm_state(ready, worker) == "drained" and calls(ready) == []


PLAN = "arn:aws:sagemaker:us-west-2:111111111111:training-plan/research"


def set_training_plan(world: World, **fields: str) -> None:
    """Set the training plan of the worker's group, or remove it."""
    sagemaker = world.aws("sagemaker")
    groups = sagemaker.describe_cluster(ClusterName="ml")["InstanceGroups"]
    (group,) = [each for each in groups if each["InstanceGroupName"] == "worker-group-1"]
    known = set(sagemaker.meta.service_model.shape_for("ClusterInstanceGroupSpecification").members) - {"TrainingPlanArn"}
    spec = {name: value for name, value in group.items() if name in known}
    sagemaker.update_cluster(ClusterName="ml", InstanceGroups=[{**spec, "InstanceCount": group["TargetCount"], **fields}])
    world.eventually(lambda: _in_service(world))


def _in_service(world: World) -> None:
    assert world.aws("sagemaker").describe_cluster(ClusterName="ml")["ClusterStatus"] == "InService"


@pytest.mark.slow
def test_a_replacement_waits_for_capacity(ready: World, worker: str) -> None:
    forget_repairs(ready)
    ready.accelerate(worker, doomed())
    set_training_plan(ready, TrainingPlanArn=PLAN)
    ready.reset_calls()
    try:
        with step("without capacity in the training plan, nothing is planned or drained"):
            ready.settings(training_plans={"research": [0, 0]})
            held = remediate(ready, *ALL)
            assert held.rc == 0 and codes(held, "pending") == ["remediation-waits"], held.log
            assert "Training plan research has 0 available and 0 spare instances" in " ".join(held.log.split()), held.log
            assert calls(ready) == [] and slurm_state(ready, worker) == "idle"

        with step("unknown capacity is reported and blocks nothing"):
            ready.settings(training_plans={})
            shown = remediate(ready)
            assert codes(shown, "pending") == ["remediation-unapproved"], shown.log
            assert "Capacity for a replacement in training plan research is unknown" in " ".join(shown.log.split()), shown.log

        with step("with a spare instance the node is replaced"):
            ready.settings(training_plans={"research": [0, 1]})
            done = remediate(ready, *ALL)
            assert calls(ready) == ["BatchReplaceClusterNodes"], done.log
    finally:
        ready.settings(training_plans={})
        set_training_plan(ready)


BY_SLURM = ("-e", "remediation_route=orchestrator", "-e", "remediation_wait_timeout=600")


def reason(world: World, node: str) -> str:
    shown = world.on_node(controller(world), "sinfo", "--noheader", "--Node", f"--nodes={node}", "--format=%E").stdout
    return shown.split("\n")[0].strip()


def act_as_hyperpod(world: World, node: str) -> None:
    """Do what the reason of the node requests, and return it to Slurm."""
    action = {"Action:Reboot": "reboot", "Action:Replace": "replace"}[reason(world, node)]
    before = instance(world)
    getattr(world.aws("sagemaker"), f"batch_{action}_cluster_nodes")(ClusterName="ml", NodeIds=[before])
    world.eventually(lambda: _acted(world, before, another=action == "replace"), seconds=120)
    world.eventually(lambda: _resumed(world, node), seconds=120)


def _acted(world: World, before: str, *, another: bool) -> None:
    listed = world.aws("sagemaker").list_cluster_nodes(ClusterName="ml", InstanceGroupNameContains="worker-group-1")
    (node,) = listed["ClusterNodeSummaries"]
    assert node["InstanceStatus"]["Status"] == "Running" and (node["InstanceId"] != before) == another, node


def _resumed(world: World, node: str) -> None:
    assert shell(world, controller(world), f"scontrol update nodename={node} state=resume").returncode == 0
    assert reason(world, node) == "none"


@pytest.mark.slow
def test_a_repair_can_be_requested_in_slurm(ready: World, worker: str) -> None:
    forget_repairs(ready)
    before = instance(ready)
    ready.accelerate(worker, broken(), after_reboot=healthy(TYPE))
    ready.reset_calls()
    with step("the reason of another person is kept"):
        assert shell(ready, controller(ready), f"scontrol update nodename={worker} state=drain reason=cooling").returncode == 0
        held = remediate(ready, *ALL, *BY_SLURM)
        assert held.rc == 0 and codes(held, "pending") == ["remediation-waits"] and reason(ready, worker) == "cooling", held.log
        assert shell(ready, controller(ready), f"scontrol update nodename={worker} state=resume").returncode == 0

    with step("check mode shows the request to Slurm"):
        planned = remediate(ready, *ALL, *BY_SLURM, "--check", "--diff")
        assert planned.rc == 0 and "Action:Reboot" in planned.output and reason(ready, worker) == "none", planned.log

    with step("the run waits for the reboot, and checks the node before it takes jobs"):
        run = Started(ready, "remediate", *ALL, *BY_SLURM)
        assert run_until(run, lambda: reason(ready, worker) == "Action:Reboot"), run.end().log
        assert calls(ready) == []
        act_as_hyperpod(ready, worker)
        done = run.end()
        assert done.rc == 0 and "remediation-repaired" in codes(done, "note") and "for ip-" in done.output, done.log
        assert calls(ready) == ["BatchRebootClusterNodes"] and instance(ready) == before and slurm_state(ready, worker) == "idle"

    with step("the run waits for a replacement, which has no GPUs and stays drained"):
        ready.accelerate(worker, doomed())
        run = Started(ready, "remediate", *ALL, *BY_SLURM)
        assert run_until(run, lambda: reason(ready, worker) == "Action:Replace"), run.end().log
        act_as_hyperpod(ready, worker)
        done = run.end()
        assert done.rc == 2 and codes(done, "failure") == ["remediation-unfit"], done.log
        assert calls(ready) == ["BatchRebootClusterNodes", "BatchReplaceClusterNodes"] and instance(ready) != before
        assert slurm_state(ready, worker) == "drained" and reason(ready, worker).startswith("mlfleet.hyperpod: repair: ")

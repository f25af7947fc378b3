# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which CronJobs are created, changed and deleted."""

from __future__ import annotations

import copy
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.model import Desired, Node, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.plan import left_out, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

from ..jobs.looked_at import NAMESPACE, iid
from .recurring import NEW, desired

NODES = {f"hyperpod-{iid(number)}": Node(f"uid-{number}") for number in (1, 2)}
BARE = State(NEW, nodes=NODES)


def changes_of(wanted: Desired, state: State) -> list[tuple[str, str]]:
    changes = plan(wanted, state).changes
    return [(each.action, each.resource.replace(f" {NAMESPACE}/accelerator-health-", " ").replace(iid(1), "one").replace(iid(2), "two")) for each in changes]


def after(wanted: Desired, state: State = BARE) -> State:
    found: State = plan(wanted, state).after(state)
    return found


def program(state: State) -> str:
    (name,) = state.config_maps
    return name.rpartition("-")[2]


def test_the_program_is_created_first_then_a_cron_job_for_each_node() -> None:
    wanted = desired(1, 2)
    made = after(wanted)
    expected = [("create", f"ConfigMap {program(made)}"), ("create", "CronJob one"), ("create", "CronJob two")]
    assert changes_of(wanted, BARE) == expected and plan(wanted, made).steps == ()
    without = State(NEW, namespace=False, nodes=NODES)
    assert changes_of(wanted, without)[0] == ("create", f"Namespace {NAMESPACE}") and after(wanted, without).namespace


def test_fields_that_the_api_server_adds_are_no_difference() -> None:
    made = after(desired(1))
    (name,) = made.cron_jobs
    live = copy.deepcopy(made.cron_jobs[name])
    live["spec"]["suspend"] = False
    live["spec"]["jobTemplate"]["spec"]["template"]["spec"]["schedulerName"] = "default-scheduler"
    live["metadata"] |= {"uid": "x", "creationTimestamp": "y"}
    assert plan(desired(1), State(NEW, nodes=NODES, cron_jobs={name: live}, config_maps=made.config_maps)).steps == ()


def test_a_node_with_another_uid_updates_the_owner() -> None:
    made = after(desired(1))
    other = State(NEW, nodes={f"hyperpod-{iid(1)}": Node("uid-9")}, cron_jobs=made.cron_jobs, config_maps=made.config_maps)
    (change,) = plan(desired(1), other).changes
    assert (change.action, change.field) == ("update", "metadata.ownerReferences")


def test_a_new_program_is_created_before_its_cron_jobs_and_the_old_one_deleted_after_them() -> None:
    made, other = after(desired(1)), desired(1, settings={"profile": None, "dcgm": False, "timeout": 30})
    new = program(after(other))
    steps = changes_of(other, made)
    assert steps[0] == ("create", f"ConfigMap {new}") and steps[-1] == ("delete", f"ConfigMap {program(made)}")
    assert set(steps[1:-1]) == {("update", "CronJob one")} and plan(other, after(other, made)).steps == ()


def test_a_schedule_is_changed_in_place() -> None:
    (change,) = plan(desired(1, schedule="5 4 * * *"), after(desired(1))).changes
    assert (change.field, change.before, change.after) == ("spec.schedule", "1 * * * *", "5 4 * * *")


def test_the_cron_job_of_a_node_no_longer_listed_is_deleted() -> None:
    assert changes_of(desired(1), after(desired(1, 2))) == [("delete", "CronJob two")]


def test_absent_deletes_everything_except_the_namespace() -> None:
    made = after(desired(1, 2))
    wanted = desired(present=False)
    assert changes_of(wanted, made) == [("delete", "CronJob one"), ("delete", "CronJob two"), ("delete", f"ConfigMap {program(made)}")]
    assert plan(wanted, after(wanted, made)).steps == () and after(wanted, made).namespace


def test_unknown_nodes_and_nodes_of_karpenter_get_no_cron_job() -> None:
    state = State(NEW, nodes={f"hyperpod-{iid(1)}": Node("a", of_karpenter=True)})
    why = left_out(desired(1, 2), state)
    assert why[iid(1)].startswith(f"Karpenter manages node hyperpod-{iid(1)},")
    assert why[iid(2)] == f"Node hyperpod-{iid(2)} does not exist in Kubernetes."
    planned = plan(desired(1, 2), state)
    assert planned.steps == (), "a program without CronJobs is not created"
    assert planned.notes == tuple(f"{iid(number)} gets no CronJob: {why[iid(number)]}" for number in (1, 2))
    gone = State(NEW, nodes={}, cron_jobs=after(desired(1)).cron_jobs)
    assert changes_of(desired(1), gone) == [("delete", "CronJob one")]


def test_objects_of_others_are_left_alone() -> None:
    state = State(NEW, nodes=NODES, of_others=("backup", f"accelerator-health-{iid(1)}"))
    with pytest.raises(Refused, match="mlfleet.hyperpod does not manage it"):
        plan(desired(1), state)
    assert len(plan(desired(2), state).steps) == 2 and plan(desired(present=False), state).steps == ()


def steps(wanted: Desired) -> list[t.Mapping[str, t.Any]]:
    return [each.arguments for each in plan(wanted, BARE).steps]


def test_paths_have_the_api_version_and_the_namespace() -> None:
    paths = [each["path"] for each in steps(desired(1))]
    assert paths[0].startswith(f"/api/v1/namespaces/{NAMESPACE}/configmaps/accelerator-health-")
    assert paths[1] == f"/apis/{NEW}/namespaces/{NAMESPACE}/cronjobs/accelerator-health-{iid(1)}"


def test_each_step_names_the_path_of_its_object() -> None:
    planned = plan(desired(1, 2), BARE)
    made = planned.after(BARE)
    ((name, definition),) = made.config_maps.items()
    path = f"/api/v1/namespaces/{NAMESPACE}/configmaps/{name}"
    assert planned.steps[0].arguments == {"path": path, "definition": definition}
    gone = next(each for each in made.cron_jobs if iid(2) in each)
    paths = [dict(step.arguments) for step in plan(desired(1), made).steps]
    assert paths == [{"path": f"/apis/{NEW}/namespaces/{NAMESPACE}/cronjobs/{gone}"}]

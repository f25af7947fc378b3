# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node that fails or loses its connection is excluded, and the play continues for other nodes and the cluster.

Ansible excludes an unreachable host without the rescue section, and ends the playbook after a play without remaining hosts. A task
that is delegated to an unreachable node makes the host of the cluster unreachable.
"""

from __future__ import annotations

import importlib
import typing as t
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.node_action import ISOLATES, NodeAction

ROOT = Path(__file__).resolve().parents[3]
OURS = "mlfleet.hyperpod."
ROUTED = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["plugin_routing"]["modules"]
NODE_GROUPS = ("hyperpod_nodes", "node_type_", "hyperpod_draining", "hyperpod_slurm", "hyperpod_repaired")
"""Parts of a play's ``hosts`` that name nodes."""
BLOCKS = ("block", "rescue", "always")
INCLUDES = ("include_role", "import_role", "include_tasks", "import_tasks")
WITHOUT_CONNECTION = {f"ansible.builtin.{name}" for name in ("add_host", "group_by", "meta", "set_fact", *INCLUDES)} | {
    f"{OURS}{name}" for name in ("finding", "report_file")
}
ON_NODES = ("module_utils._node.", "module_utils._accelerators.node.")
"""Packages that only modules on nodes import."""
NEVER_ISOLATED = {
    "accelerator_info": "is in no play of the collection",
    "host_certificate": "runs on the controller",
    "hugging_face_model_info": "runs on the controller",
    "nccl_jobs": "runs on the controller",
    "training_job": "runs on the controller",
}
"""Modules that use code of nodes but need no isolation, with the reason."""
FAILS_BY_ITSELF = f"{OURS}host_key_adoption"
Task = dict[str, t.Any]


@dataclass(frozen=True)
class Play:
    playbook: str
    fields: Task

    def __str__(self) -> str:
        return f"{self.playbook}: {self.fields['name']}"

    @property
    def isolates(self) -> bool:
        return bool(self.fields.get("vars", {}).get(ISOLATES, False))


def plays() -> t.Iterator[Play]:
    for path in sorted((ROOT / "playbooks").rglob("*.yml")):
        for fields in yaml.safe_load(path.read_text()):
            if any(name in str(fields.get("hosts", "")) for name in NODE_GROUPS):
                yield Play(path.name, fields)


def action_of(task: Task) -> str:
    return next((key for key in task if key.startswith(("ansible.builtin.", OURS))), "")


def connecting(tasks: t.Iterable[Task], folder: Path, *, ignores: bool, seen: set[tuple[Path, bool]]) -> t.Iterator[tuple[Task, bool]]:
    """Tasks that need the node's connection, also in included files, and whether they tolerate its loss.

    :param folder: folder ``tasks`` of the tasks' role.
    """
    for task in tasks:
        forgiven = bool(task.get("ignore_unreachable", ignores))
        for part in BLOCKS:
            yield from connecting(task.get(part, ()), folder, ignores=forgiven, seen=seen)
        action = action_of(task)
        for inner, path in included(task, action, folder):
            if (path, forgiven) not in seen:
                seen.add((path, forgiven))
                yield from connecting(yaml.safe_load(path.read_text()), inner, ignores=forgiven, seen=seen)
        if action and action not in WITHOUT_CONNECTION and "delegate_to" not in task:
            yield task, forgiven


def included(task: Task, action: str, folder: Path) -> list[tuple[Path, Path]]:
    """Files that a task includes, each with the folder ``tasks`` of its role."""
    name = action.rpartition(".")[2]
    if name in ("include_role", "import_role"):
        inner = ROOT / "roles" / task[action]["name"].removeprefix(OURS) / "tasks"
        return [(inner, inner / f"{task[action].get('tasks_from', 'main').removesuffix('.yml')}.yml")]
    if name not in INCLUDES:
        return []
    file = task[action] if isinstance(task[action], str) else task[action]["file"]
    return [(folder, folder / each) for each in (task["loop"] if "{{" in file else [file])]


def can_fail_alone(action: str) -> bool:
    if not action.startswith(OURS):
        return False
    plugin = ROUTED.get(action.removeprefix(OURS), {}).get("action_plugin", action)
    try:
        found = importlib.import_module(f"ansible_collections.mlfleet.hyperpod.plugins.action.{plugin.removeprefix(OURS)}")
    except ModuleNotFoundError:
        return False
    return issubclass(found.ActionModule, NodeAction)


@pytest.mark.parametrize("play", list(plays()), ids=str)
def test_a_failed_node_is_excluded_from_the_play(play: Play) -> None:
    found = list(connecting(play.fields["tasks"], ROOT, ignores=bool(play.fields.get("ignore_unreachable", False)), seen=set()))
    assert play.isolates or not found, "the play does not isolate its nodes"
    losing = [f"{action_of(task)}: {task['name']}" for task, forgiven in found if not forgiven and not can_fail_alone(action_of(task))]
    assert losing == []


@pytest.mark.parametrize("play", list(plays()), ids=str)
def test_a_node_without_a_reply_is_given_up(play: Play) -> None:
    """The play has a timeout, and a task that waits has a longer one, because a task without a reply would block all other nodes."""
    found = [task for task, _forgiven in connecting(play.fields["tasks"], ROOT, ignores=False, seen=set())]
    assert "timeout" in play.fields or not found, "the play has no timeout"
    waiting = [task["name"] for task in found if {"wait_timeout", "timeout"} & set(options(task)) and "timeout" not in task]
    assert waiting == []


def options(task: Task) -> Task:
    arguments = task[action_of(task)]
    return arguments if isinstance(arguments, dict) else {}


def delegated() -> t.Iterator[t.Any]:
    """Tasks that the host of a cluster delegates to a node."""
    for path in sorted((ROOT / "roles").glob("*/tasks/**/*.yml")):
        for task in flat(yaml.safe_load(path.read_text()) or []):
            if not str(task.get("delegate_to", "localhost")).endswith(("localhost", "cluster_host }}", "cluster.host }}")):
                yield pytest.param(task, id=f"{path.relative_to(ROOT / 'roles')}: {task['name']}")


def flat(tasks: t.Iterable[Task]) -> t.Iterator[Task]:
    for task in tasks:
        yield task
        for part in BLOCKS:
            yield from flat(task.get(part, ()))


@pytest.mark.parametrize("task", list(delegated()))
def test_a_failed_delegation_to_a_node_does_not_end_the_play_of_its_cluster(task: Task) -> None:
    fails = can_fail_alone(action_of(task)) and task.get("vars", {}).get(ISOLATES, False)
    assert task.get("ignore_unreachable", False) or fails or action_of(task) == FAILS_BY_ITSELF


def modules_of_nodes() -> list[str]:
    paths = sorted((ROOT / "plugins/modules").glob("*.py"))
    return [path.stem for path in paths if any(wing in path.read_text() for wing in ON_NODES) and path.stem not in NEVER_ISOLATED]


@pytest.mark.parametrize("module", modules_of_nodes())
def test_modules_of_nodes_have_an_isolating_action_plugin(module: str) -> None:
    """Ansible's default action plugin would make the node unreachable."""
    assert can_fail_alone(OURS + module)


def tolerant() -> t.Iterator[t.Any]:
    """Tasks that run as root on a node and may fail."""
    for path in sorted((ROOT / "roles").glob("*/tasks/**/*.yml")):
        for task in flat(yaml.safe_load(path.read_text()) or []):
            if task.get("failed_when") is False and task.get("become", False):
                yield pytest.param(task, id=f"{path.relative_to(ROOT / 'roles')}: {task['name']}")


@pytest.mark.parametrize("task", list(tolerant()))
def test_a_task_that_may_fail_also_ignores_errors_of_ansible(task: Task) -> None:
    """``failed_when`` is not evaluated when ansible-core raises an error, as it does for "Missing sudo password"."""
    assert task.get("ignore_errors") is True

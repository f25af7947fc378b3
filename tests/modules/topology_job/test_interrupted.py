# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""topology_job, interrupted after each of its changes: the next run completes the task without repeating a change."""

from __future__ import annotations

import os
import signal
import typing as t
from pathlib import Path

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._topology.job.api_server import World
from unit.module_utils._topology.job.jobs import LAYER, QUEUE, SPACE, job

JOBS = f"/apis/batch/v1/namespaces/{SPACE}/jobs"
JOB = f"{JOBS}/mnist"
CREATE, REPLACE, ABSENT = (
    ({"wait": "none"}, [("POST", JOBS)]),
    ({"wait": "none", "manifest": job(4), "replace": True}, [("DELETE", JOB), ("POST", JOBS)]),
    ({"wait": "running", "state": "absent"}, [("DELETE", JOB)]),
)
Object = dict[str, t.Any]


class Slow(World):
    """A deleted job stays for some reads, as with pods that end slowly. ``interrupts``: after which change, and how."""

    def __init__(self) -> None:
        super().__init__()
        self.interrupts: tuple[int, t.Callable[[], bool]] = (0, lambda: False)
        self.reads_left = 0

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, Object]:
        path = target.partition("?")[0]
        found = self.objects.get(path)
        if method == "DELETE" and found is not None:
            answer = self._delete(path, found, body or {})
        else:
            if method == "GET" and found is not None and "deletionTimestamp" in found["metadata"]:
                self.reads_left -= 1
                if self.reads_left < 0:
                    del self.objects[path]
            answer = super().answer(method, target, body)
            if method == "POST" and answer[0] == 201:
                answer[1]["metadata"]["uid"] = f"uid-{len(self.changes)}"
        after, how = self.interrupts
        if method != "GET" and len(self.changes) == after:
            self.interrupts = (0, how)
            return (500, {"message": "the reply is lost"}) if how() else answer
        return answer

    def _delete(self, path: str, found: Object, body: Object) -> tuple[int, Object]:
        self.changes.append(("DELETE", path))
        if body["preconditions"]["uid"] != found["metadata"]["uid"]:
            return 409, {"message": "another uid"}
        found["metadata"]["deletionTimestamp"] = "2026-11-23T08:00:00Z"
        self.reads_left = 3
        return 200, {}


def lose() -> bool:
    return True


def kill() -> bool:
    """Kill the module, which is the only child of the server that runs modules."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text("utf-8").rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    servers = [each for each, parent in parents.items() if parent == os.getpid() and _runs_modules(each)]
    (module,) = [each for each, parent in parents.items() if parent in servers]
    os.kill(module, signal.SIGKILL)
    return False


def _runs_modules(process: int) -> bool:
    return b"module_server.py" in Path(f"/proc/{process}/cmdline").read_bytes()


@pytest.fixture
def world() -> Slow:
    return Slow()


@pytest.fixture
def options(world: Slow, tmp_path: Path) -> t.Iterator[Object]:
    with Server(world) as kubernetes:
        access = {"kubeconfig": kubeconfig(kubernetes, tmp_path), "namespace": SPACE, "queue": QUEUE}
        yield {**access, "manifest": job(2), "required_topology": f"{LAYER}3", "poll_interval": 1, "wait_timeout": 30}


def jobs_of(world: Slow) -> list[Object]:
    """The jobs without generated names."""
    found = [each for place, each in world.objects.items() if place.startswith(JOBS)]
    return [{**each, "metadata": {**each["metadata"], "uid": ""}} for each in found]


@pytest.mark.slow
@pytest.mark.parametrize("how", [kill, lose])
@pytest.mark.parametrize(
    ("given", "changes", "after"),
    [(*CREATE, 1), (*REPLACE, 1), (*REPLACE, 2), (*ABSENT, 1)],
    ids=["created", "between deletion and creation", "replaced", "deleted"],
)
def test_the_next_run_completes_the_task(simulator, world, options, given, changes, after, how) -> None:
    def begin() -> None:
        """Restore the initial state, with the job that the task replaces or deletes."""
        world.objects.pop(JOB, None)
        if (given, changes) != CREATE:
            simulator.run("topology_job", **options, wait="none")
        world.changes.clear()

    task = {**options, **given}
    begin()
    undisturbed = simulator.run("topology_job", **task)
    end = jobs_of(world)
    assert undisturbed["changed"] and world.changes == changes, undisturbed
    begin()
    world.interrupts = (after, how)
    if how is kill:
        with pytest.raises(AssertionError):
            simulator.run("topology_job", **task)
    else:
        simulator.run("topology_job", **task)
    assert world.interrupts[0] == 0 and len(world.changes) >= after, "it was interrupted"
    second = simulator.run("topology_job", **task)
    assert not second.get("failed"), second
    assert world.changes == changes, "no change is repeated"
    assert jobs_of(world) == end and second["job"] == undisturbed["job"]
    assert not simulator.run("topology_job", **task)["changed"] and world.changes == changes


@pytest.mark.slow
def test_check_mode_predicts_the_rest_of_a_replacement(simulator, world, options) -> None:
    simulator.run("topology_job", **options, wait="none")
    world.objects[JOB]["metadata"]["deletionTimestamp"] = "2026-11-23T08:00:00Z"
    world.reads_left = 9
    task = {**options, **REPLACE[0]}
    foreseen = simulator.run("topology_job", check=True, **task)
    assert [each["action"] for each in foreseen["changes"]] == ["create"] and world.reads_left > 0, foreseen
    done = simulator.run("topology_job", **task)
    assert done["changes"] == foreseen["changes"] and world.changes[1:] == [("POST", JOBS)], done
    world.objects[JOB]["metadata"]["deletionTimestamp"] = "2026-11-23T08:00:00Z"
    world.reads_left = 99
    stuck = simulator.run("topology_job", **{**task, "wait_timeout": 2})
    assert "is still being deleted after 2 s. Check why the job's Pods do not end, then run again." in stuck["msg"], stuck
    refused = simulator.run("topology_job", **{**task, "replace": False})
    assert "is being deleted. Run again after the deletion" in refused["msg"] and len(world.changes) == 2, refused

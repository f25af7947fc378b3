# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An API server in memory with a job whose processes wait until its first Pod is deleted: a test defines what happens then."""

from __future__ import annotations

import typing as t

from ..logged import ATTEMPT, Job
from .trained import CLAIM, NAMESPACE, PODS, RUNNING, Object, Trained, ended

GIVEN: dict[str, t.Any] = {"claim": "fsx", "checkpoint": "c", "namespace": NAMESPACE, "steps": 20, "replace_pod": True}
FAILED: Object = {"terminated": {"exitCode": 1, "reason": "Error"}}
Turn = t.Callable[["Held"], None]


def nothing(_world: t.Any) -> None:
    pass


def before() -> Job:
    """Up to the deletion, before step 16."""
    job = Job()
    job.begin()
    job.train(1, 15)
    job.save(15)
    for rank in job.ranks():
        job.add("held", rank, step=16)
    return job


def again(first: int = 15) -> Job:
    """After it."""
    job = Job()
    job.now = 200.0
    job.begin(first, ATTEMPT + 1)
    job.train(first + 1, 20, ATTEMPT + 1)
    job.save(20, ATTEMPT + 1)
    job.end(20, ATTEMPT + 1)
    return job


def texts(job: Job) -> list[str]:
    return ["\n".join(lines) + "\n" for lines in job.pods]


def restarted(times: int = 1, *, over: bool = False) -> Object:
    """Status of a Pod whose container was restarted."""
    state = ended()["containerStatuses"][0]["state"] if over else {"running": {}}
    container = {"restartCount": times, "state": state, "lastState": FAILED}
    return {"phase": "Succeeded" if over else "Running", "containerStatuses": [container]}


class Held(Trained):
    """``turns``: before each listing of Pods once the first one was deleted."""

    def __init__(self, *turns: Turn, second: Job | None = None) -> None:
        super().__init__(RUNNING, RUNNING)
        self.there[CLAIM] = {"spec": {"accessModes": ["ReadWriteMany"]}}
        self.first, self.second = texts(before()), texts(second or again())
        self.logs = list(self.first)
        self.after = turns
        self.deleted: list[tuple[int, Object]] = []
        """Number and delete options of each Pod that was deleted by a request."""

    def _change(self, method: str, path: str, body: Object, *, dry: bool) -> tuple[int, Object]:
        if method != "DELETE" or not path.startswith(f"{PODS}/"):
            return super()._change(method, path, body, dry=dry)
        number = int(path[-1])
        uid = f"uid-{self._job['metadata']['name']}-worker-{number}-{self.lives[number]}"
        if body.get("preconditions", {}).get("uid") not in (None, uid):
            return 409, {"message": "the UID in the precondition does not match"}
        if self.statuses[number] is None:
            return 404, {}
        self.deleted.append((number, body))
        self.statuses[number] = None
        self.turns = list(self.after)
        return 200, {}


def recreated(status: Object = RUNNING) -> Turn:
    """The first Pod, by another one of its name."""

    def happens(world: Held) -> None:
        world.lives[0] += 1
        world.statuses[0], world.logs[0] = status, world.second[0]

    return happens


def rejoined(times: int = 1) -> Turn:
    """The container of the second Pod was restarted, since it lost the rendezvous."""

    def happens(world: Held) -> None:
        world.statuses[1], world.previous[1], world.logs[1] = restarted(times), world.first[1], world.second[1]

    return happens


def over(world: Held) -> None:
    world.statuses = [ended(), restarted(over=True)]


RECOVERS = (rejoined(), recreated(), nothing, over)

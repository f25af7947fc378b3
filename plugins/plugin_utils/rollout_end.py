# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a step of a rollout: records the result of each cluster of the wave, and releases the lock of the rollout.

The report callback calls this, because after a play in which all hosts failed, no further play runs.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, replace

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import COLLECTION_VERSION, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.server_time import ServerTime
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now, moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout import model, options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.decide import WITHOUT_TIME, decide
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.lock import StepLock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.outcomes import Result, outcomes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.claim import own_name
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.aws_here import Caller
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import ClusterVerdict

ACTION = "mlfleet.hyperpod.rollout_step"
MORE, ENDED_BADLY = 10, 2
"""Exit statuses: the rollout needs more calls; it stopped or was aborted, or its result could not be recorded."""
PLACE = ("region", "profile")
"""Options of the module that select the home of the rollout."""


@dataclass(frozen=True)
class Ended:
    text: str
    state: str
    wave: int = 0
    """The wave of the call, if it was for one wave. Then the call is complete only once this wave has ended."""

    def status(self, *, in_awx: bool) -> int:
        """The exit status. AWX counts each status except 0 as a failure, so there a step that ended as planned has 0."""
        if self.state in (model.STOPPED, model.ABORTED, ""):
            return ENDED_BADLY
        return 0 if self.state in (model.FINISHED, model.PASSED) or (in_awx and not self.wave) else MORE


class RolloutRun:
    """Collects what a run does for a rollout. Without a step of a rollout in the run, it does nothing."""

    def __init__(self) -> None:
        self._step: t.Mapping[str, t.Any] = {}
        self._options: t.Mapping[str, t.Any] = {}
        self.ended: set[str] = set()
        """The clusters for which the last play of the playbook ran."""

    def take(self, result: t.Mapping[str, t.Any]) -> None:
        """Take the result of ``rollout_step``."""
        self._step, self._options = result.get("rollout") or {}, result.get("inputs") or {}

    def end(self, clusters: t.Mapping[str, ClusterVerdict], *, check_mode: bool) -> Ended | None:
        """Record the results. None if the run took no step of a rollout."""
        if not self._step:
            return None
        name, state, run = self._step["name"], self._step["state"], self._step["run"]
        if check_mode or not run:
            return self._checked(Ended(f"Rollout {name}: {self._step['text']}", state, self._options["wave"]), clusters)
        try:
            return self._checked(self._recorded(name, outcomes(run, self._results(clusters))), clusters)
        except Exception as error:  # whatever failed, the results are not recorded, and the report of the run must still be made
            again = f"The next call runs the playbook again for {', '.join(run)}."
            return Ended(f"Rollout {name}: The results of this step could not be recorded: {error} {again}", "")

    def _checked(self, ended: Ended, clusters: t.Mapping[str, ClusterVerdict]) -> Ended:
        """A call also fails if a cluster may not wait for its wave as it must, or if another call prevented the action."""
        others = sorted(key for key, each in clusters.items() if each.status == "failed" and key not in self._step["run"])
        action = self._options.get("action", model.CONTINUE)
        if others:
            return Ended(f"{ended.text} Failed, and possibly not waiting for their wave: {', '.join(others)}. Call again.", "")
        if ended.state == model.LOCKED and action != model.CONTINUE:
            return Ended(f"{ended.text} The action {action} was not carried out. Call again.", "")
        return ended

    def _results(self, clusters: t.Mapping[str, ClusterVerdict]) -> dict[str, Result]:
        return {key: Result(each.status, locked=bool(each.skipped), ended=key in self.ended) for key, each in clusters.items()}

    def _recorded(self, name: str, results: t.Mapping[str, str]) -> Ended:
        caller = Caller({each: self._options[each] for each in PLACE if self._options.get(each)}, {"argument_spec": {}})
        ssm = connect(caller, "ssm")
        time, parameters, lock = ServerTime(ssm), Parameters(ssm), StepLock(ssm, name, caller.region)
        holder = lock.acquire(minutes=self._options.get("wave_minutes"))  # a long wave may have outlasted the lock
        if holder:
            raise Failure(f"Another call has taken the lock of the rollout: {holder.owner}.")
        try:
            before = Observer(parameters, name)()
            now, index = time.first or iso_now(), self._step["wave"] - 1
            if before is None or index >= len(before.waves):
                raise Failure("The rollout was deleted or planned again during the wave.")
            still_open = {key: outcome for key, outcome in results.items() if key in before.waves[index].open}
            after = before.with_wave(index, before.waves[index].with_outcomes(still_open, now))
            apply = Applier(parameters, model.lock_subject(name, caller.region))
            for step in plan(before, after, name=name).steps:
                apply(step)
            remark = apply.seen(name)
        finally:
            lock.release()
        ended = self._following(name, after, now, results)
        return replace(ended, text=" ".join(filter(None, [ended.text, remark, "" if time.first else WITHOUT_TIME])))

    def _following(self, name: str, after: model.Record, now: str, results: t.Mapping[str, str]) -> Ended:
        """The next step, once the results are recorded."""
        wave = ", ".join(f"{key} {outcome}" for key, outcome in results.items())
        text = f"Rollout {name}: wave {self._step['wave']}: {wave}."
        inputs = options.call({**self._options, "action": model.CONTINUE, "wave": 0}, owner=own_name(), version=COLLECTION_VERSION)
        try:
            following = decide(after, inputs, moment_of(now))
        except Refused as error:
            return Ended(f"{text} {error}", model.STOPPED)
        goes_on = following.state == model.RUNNING
        then = f"Call again to go on with wave {following.wave}." if goes_on else following.text
        return Ended(f"{text} {then}", self._state_of_wave(after, following.state), self._options["wave"])

    def _state_of_wave(self, after: model.Record, state: str) -> str:
        """The state of the call: a call for one wave is complete once this wave has ended."""
        wave = self._options["wave"]
        goes_on = state in (model.RUNNING, model.WAITING)
        return model.PASSED if wave and goes_on and after.waves[wave - 1].ended else state

#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: rollout_step
version_added: 0.1.0
short_description: Take the next step of a rollout over SageMaker HyperPod clusters
description:
  - A rollout runs a playbook on one wave of clusters at a time. Before each wave there is a gate. It is open if the
    earlier waves have ended within the failure budget, the soak time is over, the wave is approved, no freeze is near, and the
    inventory has the clusters of the wave.
  - This module decides about the next step, records it, and returns the clusters for which the playbook runs now. It does not run
    the playbook. The callback C(mlfleet.hyperpod.report) records the results of these clusters at the end of the run.
  - The record is in Parameter Store of one account and Region, the home of the rollout, so any machine can take the next step. A
    call that was interrupted is repeated by the next call for the clusters without a result.
  - While a wave runs, the run holds the lock of the rollout. A call that waits at a gate changes nothing.
  - The first call plans the waves. The playbook, its variables, the version of the collection and the settings of all clusters are
    part of the plan. If one of them differs in a later call, the rollout stops until the change is accepted.
options:
  name:
    description:
      - Name of the rollout, 1 to 40 lowercase letters, digits and C(-).
    type: str
    required: true
  verb:
    description:
      - Name of the playbook, without the collection.
    type: str
    required: true
  variables:
    description:
      - Hash of the extra variables of the playbook.
    type: str
    default: ""
  fleet:
    description:
      - Hash of the settings of each cluster that the playbook supports, by cluster key.
    type: dict
    required: true
  not_read:
    description:
      - The accounts and Regions that the inventory could not read. Their clusters count as missing, not as removed.
    type: list
    elements: str
    default: []
  unread:
    description:
      - The reasons why the records of clusters could not be read, by cluster key. Such clusters may not wait for their wave, so no
        wave starts while one of them still needs the playbook.
    type: dict
    default: {}
  missing_nodes:
    description:
      - The nodes that the extra variables of the playbook name, and the inventory does not have. A rollout does not begin with such
        nodes. In a later call, they count as replaced or removed.
    type: list
    elements: str
    default: []
  waves:
    description:
      - The waves of a new rollout. Each cluster is in one wave.
    type: list
    elements: dict
    required: true
    suboptions:
      clusters:
        description:
          - Keys of the clusters.
        type: list
        elements: str
        default: []
      size:
        description:
          - Number of clusters, if O(waves[].clusters) is empty. The last wave repeats until it has all clusters.
          - With V(0) and without O(waves[].clusters), the wave has all clusters that are left.
        type: int
        default: 0
      soak_minutes:
        description:
          - Minutes between the end of this wave and the start of the next one.
        type: int
        default: 0
      approval:
        description:
          - Whether the wave starts only after an approval.
        type: bool
        default: false
  action:
    description:
      - What the call does.
    type: str
    default: continue
    choices:
      continue: Take the next step if its gate is open.
      approve: Approve the next wave. Requires O(confirm).
      retry: Run the playbook again for clusters that failed, instead of stopping.
      accept: Continue with changed settings, variables or version. Requires O(confirm).
      restart: Plan the waves again, and begin with the first one.
      abort: End the rollout. No cluster waits for it any more.
  confirm:
    description:
      - Hash of the plan that is approved or accepted, as an earlier call returned it.
    type: str
    default: ""
  failures:
    description:
      - Number of clusters that may fail before the rollout stops.
    type: int
    default: 0
  accept_degraded:
    description:
      - Whether a cluster with pending findings counts as successful.
    type: bool
    default: false
  wave_minutes:
    description:
      - Maximum duration of a wave in minutes. A wave starts only if it would end before the next freeze. A locked cluster is tried
        again for this time, then it counts as failed.
      - With V(0), the duration is not known. Then no wave starts less than 24 hours before a freeze, and locked clusters are tried
        for an hour.
    type: int
    default: 0
  freezes:
    description:
      - Times in which no wave runs.
    type: list
    elements: dict
    default: []
    suboptions:
      day:
        description:
          - A date such as V(2026-12-24), or an English name of a weekday for a weekly freeze.
        type: str
        required: true
      time:
        description:
          - Local time of the beginning, as V(17:00).
        type: str
        required: true
      hours:
        description:
          - Duration in hours.
        type: int
        required: true
      timezone:
        description:
          - Name of a time zone, such as V(Europe/Berlin).
        type: str
        default: UTC
  hold_hours:
    description:
      - Hours after which clusters no longer wait for their wave, counted from the first call.
    type: int
    default: 72
  add_new:
    description:
      - Whether clusters that are new in the inventory join the last wave, if it has not started.
    type: bool
    default: false
  wave:
    description:
      - The only wave that this call may start, counted from 1. A call for a wave that has ended changes nothing. With V(0), the
        call is for the next wave.
      - O(action=approve) then needs no O(confirm), as long as the plan is the one that the rollout began with.
    type: int
    default: 0
  wait_minutes:
    description:
      - Maximum time in minutes that the call waits at a gate that opens at a known time, or while another call holds the lock.
        In check mode, the call does not wait.
    type: int
    default: 0
  _progress_file:
    description:
      - Internal, set by the action plugin. Path of the file for progress lines while the module waits.
    type: path
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: none
    details: Each call may take another step.
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - Times are compared with the time of AWS, not with the clock of the control node.
  - 'IAM actions in the account of the rollout, all on C(parameter/mlfleet/hyperpod/rollouts/*): C(ssm:GetParameter),
    C(ssm:GetParametersByPath), C(ssm:PutParameter), C(ssm:AddTagsToResource), C(ssm:DeleteParameters).'
seealso:
  - module: mlfleet.hyperpod.cluster_record
"""

EXAMPLES = r"""
- name: Take the next step of a rollout
  mlfleet.hyperpod.rollout_step:
    region: us-west-2
    name: host-keys-2026-11
    verb: rotate_host_keys
    fleet:
      canary: 0f3c1d2e4b5a
      ml-1: 9a8b7c6d5e4f
    waves:
      - clusters: [canary]
        soak_minutes: 60
      - approval: true
  register: next_step
"""

RETURN = r"""
rollout:
  description: The step. In check mode, the predicted step.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the rollout.
      type: str
    state:
      description:
        - C(running) if the playbook runs for clusters now, C(waiting) before a closed gate, C(locked) if another call holds the
          lock, C(passed) if the wave O(wave) has ended, C(stopped) until an operator acts, C(aborted), or C(done).
      type: str
    text:
      description: The state in words, with the next step.
      type: str
    remarks:
      description: Sentences about clusters and nodes that left or joined the inventory, and about holds that have ended.
      type: list
      elements: str
    wave:
      description: Number of the current wave, from 1. 0 after the last one.
      type: int
    waves:
      description: Number of waves.
      type: int
    run:
      description: Keys of the clusters for which the playbook runs now.
      type: list
      elements: str
    hold:
      description: Keys of the clusters that wait for their wave.
      type: list
      elements: str
    hold_until:
      description: When clusters stop waiting.
      type: str
    again:
      description: Time of the next useful call; empty if it does not depend on the time.
      type: str
    plan:
      description: Hash of the plan, for O(confirm).
      type: str
    clusters:
      description: Wave and outcome of each cluster, by key.
      type: dict
  sample:
    name: host-keys-2026-11
    state: running
    text: "Wave 1 of 2: rotate_host_keys runs for canary."
    remarks: []
    wave: 1
    waves: 2
    run: [canary]
    hold: [ml-1]
    hold_until: "2026-12-03T12:00:00Z"
    again: ""
    plan: 0123456789ab
    clusters:
      canary: {wave: 1, outcome: pending}
      ml-1: {wave: 2, outcome: pending}
inputs:
  description: The options of this call, for the callback that records the results.
  returned: success
  type: dict
changes:
  description: The changes to the record. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
  sample:
    - action: create
      resource: rollout host-keys-2026-11
      field: plan
      before: null
      after: 0123456789ab
"""

import dataclasses
import datetime
import time
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import COLLECTION_VERSION, aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.server_time import ServerTime
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress, Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.decide import (
    WITHOUT_TIME,
    decide,
    remarks,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.lock import StepLock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import (
    ACTIONS,
    CONTINUE,
    LOCKED,
    RESTART,
    WAITING,
    lock_subject,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.claim import own_name

WAVE = {
    "clusters": {"type": "list", "elements": "str", "default": []},
    "size": {"type": "int", "default": 0},
    "soak_minutes": {"type": "int", "default": 0},
    "approval": {"type": "bool", "default": False},
}
FREEZE = {
    "day": {"type": "str", "required": True},
    "time": {"type": "str", "required": True},
    "hours": {"type": "int", "required": True},
    "timezone": {"type": "str", "default": "UTC"},
}
SPEC: dict[str, dict[str, t.Any]] = {
    "name": {"type": "str", "required": True},
    "verb": {"type": "str", "required": True},
    "variables": {"type": "str", "default": ""},
    "fleet": {"type": "dict", "required": True},
    "not_read": {"type": "list", "elements": "str", "default": []},
    "unread": {"type": "dict", "default": {}},
    "missing_nodes": {"type": "list", "elements": "str", "default": []},
    "waves": {"type": "list", "elements": "dict", "required": True, "options": WAVE},
    "action": {"type": "str", "default": CONTINUE, "choices": list(ACTIONS)},
    "confirm": {"type": "str", "default": ""},
    "failures": {"type": "int", "default": 0},
    "accept_degraded": {"type": "bool", "default": False},
    "wave_minutes": {"type": "int", "default": 0},
    "freezes": {"type": "list", "elements": "dict", "default": [], "options": FREEZE},
    "hold_hours": {"type": "int", "default": 72},
    "add_new": {"type": "bool", "default": False},
    "wave": {"type": "int", "default": 0},
    "wait_minutes": {"type": "int", "default": 0},
    "_progress_file": {"type": "path"},
}
POLL = 60.0
"""Seconds between two looks at a gate. The first intervals are shorter."""


class Step:
    """One step of a rollout: decided from the record, and decided again under the lock before anything is written."""

    def __init__(self, module: t.Any) -> None:
        self.call = options.call(module.params, owner=own_name(), version=COLLECTION_VERSION)
        self._check_mode = module.check_mode
        self._minutes = options.wait_minutes(module.params)
        self._progress = Progress(module.params["_progress_file"])
        self._began = time.monotonic()
        self._changes: list[dict[str, t.Any]] = []
        self._planned = False
        self._unconfirmed = ""
        self._ssm = connect(module, "ssm")
        self._time = ServerTime(self._ssm)
        self._parameters = Parameters(self._ssm)
        self._observe = Observer(self._parameters, self.call.name)
        self._lock = StepLock(self._ssm, self.call.name, module.region)
        self._apply = Applier(self._parameters, lock_subject(self.call.name, module.region))

    def __call__(self) -> dict[str, t.Any]:
        """The step, after the wait for its gate."""
        found = self._once()
        if self._check_mode or not self._minutes or self._planned or not _opens(found):
            return found  # after a new plan, the clusters must first get their holds
        last = [found]

        def once() -> dict[str, t.Any]:
            if last[0]["rollout"]["state"] != LOCKED:
                self.call = dataclasses.replace(self.call, action=CONTINUE)  # the action was carried out
            last[0] = self._once()
            return last[0]

        waits = Waits(timeout=self._minutes * 60, interval=POLL, progress=self._progress)
        try:
            waits.until(once, done=lambda each: not _opens(each), subject=f"rollout {self.call.name}", state=_shown)
        except WaitTimeout:
            last[0]["rollout"]["text"] += f" This call has waited for {self._minutes} minutes."
        return last[0]

    def _once(self) -> dict[str, t.Any]:
        before = self._observe()
        decision = decide(before, self.call, self._now())
        steps = plan(before, decision.record, name=self.call.name)
        if self._check_mode or not (steps or decision.run):
            return self._result(decision, steps)
        holder = self._lock.acquire(minutes=self.call.wave_minutes)
        if holder:
            return self._result(decision, None, locked=f"Another call holds the lock: {holder.owner}, until {holder.expires}.")
        keeps = False
        try:
            before = self._observe()
            decision = decide(before, self.call, self._now())
            steps = plan(before, decision.record, name=self.call.name)
            self._planned = before is None or self.call.action == RESTART
            for step in steps.steps:
                self._apply(step)
                self._changes += [change.to_result() for change in step.changes]
                APPLIED[:] = self._changes
            self._unconfirmed = self._apply.seen(self.call.name)
            keeps = bool(decision.run)
        finally:
            if not keeps:
                self._lock.release()
        return self._result(decision, steps)

    def _now(self) -> datetime.datetime:
        seen = self._time.first
        first = moment_of(seen) if seen else datetime.datetime.now(datetime.timezone.utc)
        return first + datetime.timedelta(seconds=time.monotonic() - self._began)

    def _result(self, decision: t.Any, steps: t.Any, *, locked: str = "") -> dict[str, t.Any]:
        notes = [*remarks(decision.record, self.call, self._now()), *filter(None, [self._unconfirmed])]
        if not self._time.first:
            notes.append(WITHOUT_TIME)
        found = result(self.call, decision, notes)
        if locked:
            found |= {"state": LOCKED, "text": locked, "run": []}
        changes = [change.to_result() for change in steps.changes] if steps and self._check_mode else self._changes
        return {"changed": bool(changes), "changes": changes, "diff": steps.diff() if steps else {}, "rollout": found}


def _opens(found: dict[str, t.Any]) -> bool:
    """Whether a later look can find the gate open without a person."""
    step = found["rollout"]
    return step["state"] == LOCKED or (step["state"] == WAITING and bool(step["again"]))


def _shown(found: dict[str, t.Any]) -> str:
    return f"{found['rollout']['state']} ({found['rollout']['text']})"


def work(module: t.Any) -> dict[str, t.Any]:
    inputs = {name: module.params[name] for name in (*SPEC, "region", "profile") if name != "_progress_file"}
    step = Step(module)
    return {**step(), "inputs": {**inputs, "action": step.call.action}}


def main() -> None:
    answer_aws(aws_module(argument_spec=SPEC), work)


if __name__ == "__main__":
    main()

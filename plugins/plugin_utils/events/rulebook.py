# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rulebook for ansible-rulebook that receives the events of all accounts and Regions. No I/O.

What ansible-rulebook does, and why the rulebook looks like this: docs/use/events.md.
"""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass

import yaml

from .places import Place

AWX, PLAYBOOK = "awx", "playbook"
WINDOW = 5
"""Seconds of the throttle. Events of one cluster that arrive within them cause one run."""
CATCH_UP = 3600
"""Seconds between two runs over all clusters. The first begins when ansible-rulebook starts."""
LONG_POLL, BATCH = 20, 10
"""The longest wait of SQS in seconds, and the most messages of one answer."""
MATCHED = "([event] if event is defined else events.values())"
"""If the windows of several clusters end together, ansible-rulebook runs one action with ``events``; otherwise with ``event``."""
GIVEN = {
    "hyperpod_only": f"{{{{ {MATCHED} | map(attribute='cluster') | join(',') | tojson }}}}",
    "full_look_event_time": f"{{{{ {MATCHED} | map(attribute='time') | max | tojson }}}}",
}
"""The variables of a run after events. ansible-rulebook evaluates the results as literals, so they are quoted. Times in UTC have
the order of their texts."""
AGAIN = {"retries": 3, "delay": 15}
"""A run fails if another run acquires the lock first. The next one has a new inventory, and costs one read if the event is
handled."""
HEADER = """\
---
# Written by the playbook mlfleet.hyperpod.events, which replaces this file. Run the playbook again after you have added a cluster.
"""


@dataclass(frozen=True)
class Queue:
    """The queue of an account and Region."""

    name: str
    clusters: t.Mapping[str, str]
    """The keys of the clusters that ``reconcile`` supports, by ARN."""


@dataclass(frozen=True)
class Run:
    """What the rulebook runs."""

    kind: str
    """``AWX`` or ``PLAYBOOK``."""
    organization: str = ""
    template: str = ""
    """The job template after events."""
    catch_up_template: str = ""
    playbook: str = ""

    def after_events(self) -> dict[str, t.Any]:
        if self.kind == AWX:
            return self._job(self.template, {"job_args": {"extra_vars": dict(GIVEN)}, **AGAIN})
        return self._play({"extra_vars": dict(GIVEN), **AGAIN})

    def catch_up(self) -> dict[str, t.Any]:
        return self._job(self.catch_up_template, {}) if self.kind == AWX else self._play({})

    def _job(self, name: str, more: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        return {"run_job_template": {"name": name, "organization": self.organization, "include_events": False, **more}}

    def _play(self, more: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Without ``copy_files: false``, the whole folder of the playbook would be copied for each run."""
        return {"run_playbook": {"name": self.playbook, "copy_files": False, **more}}


def rulebook(queues: t.Mapping[Place, Queue], run: Run) -> str:
    """The text of the file."""
    rules = [
        {
            "name": "Reconcile the cluster of an event",
            "condition": "event.cluster is defined",
            "throttle": {"once_after": f"{WINDOW} seconds", "group_by_attributes": ["event.cluster"]},
            "action": run.after_events(),
        },
        {"name": "Reconcile all clusters", "condition": "event.catch_up == true", "action": run.catch_up()},
    ]
    ruleset = {
        "name": "Events of HyperPod clusters",
        "hosts": "all",
        "execution_strategy": "parallel",
        "sources": [*(_source(place, queues[place]) for place in sorted(queues)), _timer()],
        "rules": rules,
    }
    untagged = json.loads(json.dumps([ruleset]))  # PyYAML refuses the text types of Ansible
    return HEADER + yaml.safe_dump(untagged, sort_keys=False, width=120)


def _source(place: Place, queue: Queue) -> dict[str, t.Any]:
    clusters = {str(arn): str(key) for arn, key in sorted(queue.clusters.items())}
    check = {"account": place.account, "region": place.region, "clusters": clusters, "window": WINDOW}
    return {
        "name": f"Queue in {place}",
        "amazon.aws.aws_sqs_queue": {
            "region": place.region,
            "name": queue.name,
            "queue_owner_aws_account_id": place.account,
            "delay_seconds": LONG_POLL,
            "max_number_of_messages": BATCH,
        },
        "filters": [{"mlfleet.hyperpod.cluster_event": check}],
    }


def _timer() -> dict[str, t.Any]:
    payload = [{"catch_up": True}]
    return {"name": "Catch-up", "eda.builtin.generic": {"payload": payload, "loop_count": -1, "loop_delay": CATCH_UP}}

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rulebook of the playbook ``events``, with AWX's stand-in: whatever happens to an event, each cluster has its run."""

from __future__ import annotations

import json
import random
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events.rulebook import WINDOW
from eda.listening import ACCOUNTS, AFTER, ALL, CLUSTERS, KEYS, PLAYBOOK, Fleet, event, until
from lab.awx.client import SCM_URL
from lab.awx.server import running
from lab.eda.runtime import Runtime
from simulated import Simulated

ONE, TWO, *_OTHERS = ARNS = [arn for account in ACCOUNTS for arn in CLUSTERS[account]]


@pytest.fixture
def fleet(aws: Simulated, eda: Runtime, tmp_path: Path) -> t.Iterator[Fleet]:
    project = tmp_path / "project"
    project.mkdir()
    (project / "reconcile.yml").write_text(PLAYBOOK)
    with running(tmp_path / "awx", {SCM_URL: project}) as awx:
        yield Fleet(aws, awx, eda, tmp_path / "eda")


def emit(fleet: Fleet, arn: str, **changed: t.Any) -> None:
    fleet.aws.control("events", event(arn, **changed))


def test_only_documented_messages_about_known_clusters_start_a_job(fleet: Fleet, tmp_path: Path) -> None:
    account = ACCOUNTS[0]
    mark = tmp_path / "evaluated"
    hostile = "{{ lookup('pipe', 'touch " + str(mark) + "') }}"
    unknown, foreign = ONE.replace("cluster/0", "cluster/9"), CLUSTERS[ACCOUNTS[1]]
    wrong: list[t.Any] = ["not JSON", hostile, "[" * 900, json.dumps("x" * 250_000), "null", "7"]
    wrong += [json.dumps(event(each)) for each in (unknown, next(iter(foreign)))]
    wrong += [json.dumps({**event(TWO), "detail": {"ClusterArn": hostile}})]
    wrong += [json.dumps({**event(TWO), "source": "mine", "detail-type": hostile}), json.dumps({**event(TWO), "time": hostile})]
    with fleet.listening() as supervised:
        for body in wrong:
            fleet.send(account, body)
        until(lambda: fleet.waiting(account) == 0, lambda: supervised.output)
        fleet.send(account, json.dumps({**event(ONE), "version": hostile}))
        (job,) = until(lambda: fleet.jobs(AFTER), lambda: supervised.output)
        assert job["hyperpod_only"] == CLUSTERS[account][ONE] and set(job) == {"hyperpod_only", "full_look_event_time", "full_look_lock_wait"} & set(job)
        assert len(supervised.started) == 1 and hostile not in supervised.output and not mark.exists()
        assert "was refused: the source is not aws.sagemaker" in supervised.output


@pytest.mark.slow
def test_a_burst_of_events_gives_each_cluster_its_run(fleet: Fleet) -> None:
    """Thirty events of twenty clusters in two accounts, each delivered twice."""
    fleet.aws.control("settings", {"event_copies": 2})
    chosen = [*ARNS, *random.Random(7).sample(ARNS, 10)]
    with fleet.listening() as supervised:
        for arn in chosen:
            emit(fleet, arn)
        until(lambda: fleet.checked() == KEYS, lambda: (sorted(KEYS - fleet.checked()), supervised.output))
        assert len(fleet.jobs(AFTER)) < 2 * len(chosen), "copies that arrive together cause one job"


@pytest.mark.slow
def test_events_that_a_killed_rulebook_has_taken_are_made_up_for_by_its_start(fleet: Fleet) -> None:
    """The window is longer than the test, so that it can't end before the rulebook is killed."""
    window = f"once_after: {WINDOW} seconds"
    assert fleet.text.count(window) == 1
    fleet.text = fleet.text.replace(window, "once_after: 1 hour")
    with fleet.listening() as supervised:
        for arn in ARNS[:6]:
            emit(fleet, arn)
        until(lambda: fleet.waiting(ACCOUNTS[0]) == 0, lambda: supervised.output)
        supervised.kill()
        supervised.wait_ready(2)
        until(lambda: len(fleet.jobs(ALL)) == 2, lambda: supervised.output)
        assert "hyperpod_only" not in fleet.jobs(ALL)[1], "it runs over all clusters"
        assert fleet.jobs(AFTER) == []


@pytest.mark.slow
def test_a_job_starts_although_awx_is_unavailable_for_a_minute(fleet: Fleet) -> None:
    with fleet.listening() as supervised:
        fleet.awx.faults.add([{"kind": "unavailable", "method": "POST", "path": "job_templates/", "times": 4}])
        emit(fleet, ONE)
        until(lambda: fleet.checked() == {CLUSTERS[ACCOUNTS[0]][ONE]}, lambda: supervised.output)
        refused = [each for each in fleet.awx.calls if each.fault == "unavailable"]
        assert len(refused) == 4 and len(fleet.jobs(AFTER)) == 1 and len(supervised.started) == 1


@pytest.mark.slow
def test_expired_credentials_end_the_rulebook_and_its_next_start_makes_up_for_it(fleet: Fleet) -> None:
    with fleet.listening() as supervised:
        fleet.aws.fault(operation="ReceiveMessage", kind="error", code="ExpiredToken", times=1)
        supervised.wait_ready(2)
        until(lambda: len(fleet.jobs(ALL)) == 2, lambda: supervised.output)
        emit(fleet, ONE)
        until(lambda: fleet.checked() == {CLUSTERS[ACCOUNTS[0]][ONE]}, lambda: supervised.output)


@pytest.mark.slow
def test_a_message_that_ends_the_rulebook_each_time_is_set_aside(fleet: Fleet) -> None:
    account = ACCOUNTS[0]
    sqs = fleet.client("sqs", account)
    url = sqs.get_queue_url(QueueName="mlfleet-hyperpod-events")["QueueUrl"]
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "1"})
    with fleet.listening() as supervised:
        fleet.send(account, "[" * 100_000)
        dead = sqs.get_queue_url(QueueName="mlfleet-hyperpod-events-dead")["QueueUrl"]
        until(lambda: sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["All"])["Attributes"]["ApproximateNumberOfMessages"] == "1")
        assert len(supervised.started) == 4, "it was received three times"
        emit(fleet, ONE)
        until(lambda: fleet.checked() == {CLUSTERS[account][ONE]}, lambda: supervised.output)

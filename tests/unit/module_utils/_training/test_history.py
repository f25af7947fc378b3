# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One job over all its Pods: restarts, the final history of steps, and the network."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.events import Deadline, Ended, Error
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.history import carried_by, history

from .logged import ATTEMPT, EFA, SOCKETS, Job, trained

AGAIN = ATTEMPT + 5000
FAILURE = {"type": "RuntimeError", "message": "closed", "phase": "train", "step": 15}
P2P = ("train:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM",)
SHM = ("train:1:2 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct",)


def killed(*, loaded: int = 10, last: int = 15, checkpoint: int = 10) -> Job:
    """A job that a killed worker stopped, and that restarted."""
    job = Job()
    job.begin()
    job.train(1, checkpoint)
    job.save(checkpoint)
    job.train(checkpoint + 1, last)
    job.add("error", 0, **FAILURE)
    job.begin(loaded, AGAIN)
    job.train(loaded + 1, 20, AGAIN, loss=lambda step: 1.0)
    job.save(20, AGAIN)
    job.end(20, AGAIN)
    return job


def test_a_job_without_a_restart_has_one_attempt() -> None:
    seen = history(trained().logs(), ranks=2)
    assert [each.step for each in seen.steps] == list(range(1, 21)) and seen.repeated == ()
    assert (seen.first_step, seen.first_validation, seen.restarts, seen.failures) == (0, None, 0, ())
    assert sorted(seen.ready) == sorted(seen.ends) == [0, 1] and seen.pods == {0: "train-0", 1: "train-1"}


def test_a_restart_replaces_the_steps_after_its_checkpoint() -> None:
    seen = history(killed().logs(), ranks=2)
    assert [(each.step, each.attempt) for each in seen.steps] == [(n, ATTEMPT if n <= 10 else AGAIN) for n in range(1, 21)]
    assert (seen.repeated, seen.restarts, seen.first_step, seen.failures) == ((), 1, 0, ())
    assert [each.step for each in seen.saved] == [10, 20]


def test_a_restart_after_a_gap_leaves_the_gap() -> None:
    seen = history(killed(loaded=18).logs(), ranks=2)
    assert {*range(1, 21)} - {each.step for each in seen.steps} == {16, 17, 18}


@pytest.mark.parametrize(("loaded", "older"), [(10, ()), (9, ((9, 10),)), (0, ((0, 10),))])
def test_a_restart_from_an_older_checkpoint_is_recognised(loaded: int, older: tuple[tuple[int, int], ...]) -> None:
    assert history(killed(loaded=loaded).logs(), ranks=2).older == older


def test_a_restart_without_a_checkpoint_is_recognised() -> None:
    job = Job()
    job.begin(20)
    job.begin(0, AGAIN)
    assert history(job.logs(), ranks=2).older == ((0, 20),)
    assert history(trained(first=20, steps=40).logs(), ranks=2).older == ()


@pytest.mark.parametrize("event", ["killed", "held"])
def test_planned_interruptions_are_recognised(event: str) -> None:
    job = trained()
    assert history(job.logs(), ranks=2).interrupted is False
    job.add(event, 1, step=15)
    assert history(job.logs(), ranks=2).interrupted is True


def test_the_first_attempt_is_the_oldest_of_all_pods() -> None:
    """The log of a replaced Pod starts later."""
    job = killed(loaded=10)
    job.pods[0] = [each for each in job.pods[0] if f'"attempt": {ATTEMPT},' not in each]
    seen = history(job.logs(), ranks=2)
    assert (seen.first_step, seen.first_validation, [each.step for each in seen.steps]) == (0, None, list(range(11, 21)))


@pytest.mark.parametrize(("step", "repeated"), [(20, (20,)), (1, (1,)), (21, ())])
def test_a_step_reported_twice_in_one_attempt_is_repeated(step: int, repeated: tuple[int, ...]) -> None:
    job = trained()
    job.train(step, step)
    assert history(job.logs(), ranks=2).repeated == repeated


@pytest.mark.parametrize(("step", "repeated"), [(10, (10,)), (11, ())])
def test_a_step_that_the_checkpoint_contains_is_repeated(step: int, repeated: tuple[int, ...]) -> None:
    job = Job()
    job.begin(10)
    job.train(step, 20)
    assert history(job.logs(), ranks=2).repeated == repeated


def test_steps_of_an_attempt_without_a_ready_rank_do_not_count() -> None:
    job = trained()
    job.train(21, 22, attempt=AGAIN)
    assert [each.step for each in history(job.logs(), ranks=2).steps][-1] == 20


def failures(*events: tuple[str, int, dict[str, t.Any]], ends: bool = False) -> list[type]:
    job = Job()
    job.begin()
    for event, rank, fields in events:
        job.add(event, rank, **fields)
    if ends:
        job.end()
    return [type(each) for each in history(job.logs(), ranks=2).failures]


ENDED, LATE = {"signal": 15, "phase": "train", "step": 3}, {"seconds": 60.0, "phase": "join", "step": 0}


@pytest.mark.parametrize(
    ("events", "ends", "expected"),
    [
        ([("error", 0, FAILURE)], False, [Error]),
        ([("error", 0, FAILURE)], True, []),
        ([("ended", 1, ENDED), ("error", 0, FAILURE)], False, [Ended, Error]),
        ([("error", 0, FAILURE), ("deadline", 1, {**LATE, "attempt": 0})], False, [Error, Deadline]),
        ([("deadline", 1, {**LATE, "attempt": 0, "time": 1.0})], False, []),
        ([("error", 0, {**FAILURE, "attempt": ATTEMPT - 1})], False, []),
    ],
)
def test_failures_of_the_last_attempt_are_returned(events: list[tuple[str, int, dict[str, t.Any]]], ends: bool, expected: list[type]) -> None:
    assert failures(*events, ends=ends) == expected


def test_a_job_that_never_joined_has_its_failures() -> None:
    job = Job()
    job.add("start", 0)
    job.add("deadline", 0, attempt=0, **LATE)
    job.begin()
    seen = history(job.without('"ready"').logs(), ranks=2)
    assert (seen.first_step, seen.ready, seen.failures) == (None, {}, ())
    job.add("deadline", 1, attempt=0, **LATE)
    assert [each.rank for each in history(job.logs(), ranks=2).failures] == [1]


def test_ends_of_an_earlier_attempt_do_not_count() -> None:
    job = trained()
    job.begin(20, AGAIN)
    seen = history(job.logs(), ranks=2)
    assert (seen.ends, sorted(seen.ready), {each.attempt for each in seen.ready.values()}) == ({}, [0, 1], {AGAIN})
    job.pods[1] = [each for each in job.pods[1] if f'"ready", "rank": 1, "attempt": {AGAIN}' not in each]
    assert sorted(history(job.logs(), ranks=2).ready) == [0]


def test_checkpoints_are_sorted_by_step() -> None:
    job = Job()
    job.begin()
    job.save(20)
    job.begin(0, AGAIN)
    job.save(10, AGAIN)
    assert [each.step for each in history(job.logs(), ranks=2).saved] == [10, 20]


def test_attempt_0_does_not_count() -> None:
    job = Job()
    job.begin(attempt=0)
    assert (history(job.logs(), ranks=2).first_step, history(job.logs(), ranks=2).ready) == (None, {})


def test_two_pods_with_the_same_rank_are_recognised() -> None:
    job = trained()
    job.pods[1] = list(job.pods[0])
    seen = history(job.logs(), ranks=2)
    assert seen.shared == (0,) and history(trained().logs(), ranks=2).shared == ()


def test_without_logs_the_history_is_empty() -> None:
    seen = history([], ranks=2)
    assert (seen.starts, seen.steps, seen.first_step, seen.restarts) == ({}, (), None, 0)


@pytest.mark.parametrize(
    ("first", "second", "carrier"),
    [
        (EFA, EFA, "EFA"),
        (EFA, (), ""),
        (EFA, EFA[:2], ""),
        (EFA, EFA[1:], ""),
        (EFA, (*EFA[:1], EFA[2].replace("AWS Libfabric", "IB")), ""),
        (EFA, SOCKETS, "sockets"),
        (EFA, (*EFA, SOCKETS[1]), "sockets"),
        (SOCKETS, SOCKETS, "sockets"),
        ((), (), ""),
        ((*EFA, *(each.replace("train:", "other:") for each in EFA)), (), ""),
    ],
)
def test_the_transport_between_two_nodes_is_read(first: tuple[str, ...], second: tuple[str, ...], carrier: str) -> None:
    job = Job(network=())
    job.pods = [list(first), list(second)]
    assert carried_by(job.logs(), nodes=2) == carrier


def test_an_unread_log_proves_sockets_elsewhere_and_no_efa() -> None:
    assert carried_by(Job(network=EFA).logs(unread=[1]), nodes=2) == ""
    assert carried_by(Job(network=SOCKETS).logs(unread=[1]), nodes=2) == "sockets"
    assert carried_by([], nodes=2) == ""


@pytest.mark.parametrize(("network", "carrier"), [(P2P, "P2P"), (SHM, "shared memory"), ((), "")])
def test_the_transport_within_one_node_is_read(network: tuple[str, ...], carrier: str) -> None:
    assert carried_by(Job(nodes=1, processes=2, network=network).logs(), nodes=1) == carrier

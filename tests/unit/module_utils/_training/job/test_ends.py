# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems that Kubernetes reports of Pods: each with a near miss, and causes before effects."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.ends import causes, ends, images
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import PodLog, Ran
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import UNPROVEN, Problem
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.rendezvous import CHECK

from .described import desired

ONE, OTHER = (f"repo/pytorch@sha256:{digit * 64}" for digit in "12")
MIRRORED = ONE.replace("repo", "mirror")


def pod(number: int = 0, **given: t.Any) -> PodLog:
    return PodLog(**{"name": f"w-{number}", "node": "ab"[number], "text": "", "status": 0, **given})


def ran(*changes: dict[str, t.Any], late: bool = False) -> Ran:
    return Ran(tuple(pod(number, **each) for number, each in enumerate(changes)), late)


def shown(problems: t.Iterable[Problem]) -> list[tuple[str, str]]:
    found = list(problems)
    for each in found:
        assert each.text.endswith(".") and each.text.count(". ") <= 1 and each.text.isprintable(), each.text
        assert each.code not in UNPROVEN
    return [(each.code, each.text) for each in found]


def of_ends(outcome: Ran, *, explained: bool = False, started: bool = True) -> list[tuple[str, str]]:
    return shown(ends(desired(), outcome, explained=explained, started=started))


OOM = {"status": 137, "trouble": "OOMKilled", "reasons": ("OOMKilled",)}
EVICTED = {"status": 137, "trouble": "Evicted: The node was low on resource: memory. Threshold: 1\x1b.", "reasons": ("Evicted", "Error")}
GONE = {"status": None, "gone": True, "unread": "x"}


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({}, []),
        ({"status": 1, "trouble": "Error", "reasons": ("Error",)}, []),
        (OOM, [("out-of-memory", "Pod w-1 on b ran out of main memory, and Kubernetes killed its container (OOMKilled). "
                "Use nodes with more memory, or a smaller model with --size in arguments.")]),
        ({"reasons": ("OOMKilled",), "restarts": 1}, [("out-of-memory", "Pod w-1 on b ran out of main memory")]),
        (EVICTED, [("pod-evicted", "Pod w-1 on b was evicted: Evicted: The node was low on resource: memory; Threshold: 1?. Free the resource")]),
        ({"before": "w-1"}, [("pod-recreated", "Pod w-1 was deleted after its start, so its log is lost; Pod w-1 on b replaced it.")]),
        ({"restarts": 1, "planned_restarts": 1}, []),
        (GONE, [("pod-gone", "Pods were deleted during the training: w-1 on b. Check who deleted or evicted them, and the health")]),
    ],
)  # fmt: skip
def test_causes_are_recognised(second: dict[str, t.Any], expected: list[tuple[str, str]]) -> None:
    found = shown(causes(ran({}, second)))
    assert [code for code, _text in found] == [code for code, _text in expected]
    assert all(text in other for (_code, text), (_same, other) in zip(expected, found)), found


@pytest.mark.parametrize(("first", "cause", "effect"), [({}, ["pod-gone"], []), ({"status": 1}, [], ["pod-failed", "pod-gone"])])
def test_pods_that_are_gone_are_an_effect_if_another_one_failed(first: dict[str, t.Any], cause: list[str], effect: list[str]) -> None:
    outcome = ran(first, GONE)
    assert ([code for code, _text in shown(causes(outcome))], [code for code, _text in of_ends(outcome)]) == (cause, effect)


@pytest.mark.parametrize(
    ("second", "explained", "expected"),
    [
        ({}, False, []),
        ({"status": 3}, False, ["Pod w-1 on b failed: exit status 3. Read the Pod's log and the events of its node."]),
        ({"status": 3}, True, []),
        ({"status": 1, "trouble": "Error"}, True, []),
        ({"status": 1, "trouble": "Error"}, False, ["Pod w-1 on b failed: exit status 1. Read the Pod's log"]),
        ({"status": 1, "trouble": "DeadlineExceeded: x. y"}, True, ["Pod w-1 on b failed: DeadlineExceeded: x; y. Read the Pod's log"]),
        ({"status": 137, "trouble": "Error"}, False, ["Pod w-1 on b failed: a process was killed (exit status 137). Check the node's kernel log"]),
        ({"status": 137, "trouble": "NodeShutdown"}, False, ["Pod w-1 on b failed: NodeShutdown. Read"]),
        (OOM, False, []),
        (EVICTED, False, []),
    ],
)
def test_failed_pods_are_reported(second: dict[str, t.Any], explained: bool, expected: list[str]) -> None:
    found = of_ends(ran({}, second), explained=explained)
    assert [code for code, _text in found] == ["pod-failed"] * len(expected) and all(text in found[0][1] for text in expected), found


@pytest.mark.parametrize(
    ("second", "started", "code", "text"),
    [
        ({}, True, "deadline", "Not all Pods had finished after 600 s: w-0 on a. Check the ranks that are behind, or raise timeout."),
        ({"status": None}, True, "deadline", "after 600 s: w-0 on a, w-1 on b."),
        (GONE, True, "deadline", "after 600 s: w-0 on a."),
        ({"status": None}, False, "rendezvous-failed",
         f"No process started within 630 s: w-0 on a, w-1 on b. Read the logs, and check that {CHECK}."),
        ({"status": None, "unread": "403"}, False, "deadline", "after 600 s"),
    ],
)  # fmt: skip
def test_jobs_that_took_too_long_are_reported(second: dict[str, t.Any], started: bool, code: str, text: str) -> None:
    ((found, other),) = of_ends(ran({"status": None}, second, late=True), started=started)
    assert found == code and text in other


def test_a_second_container_that_keeps_pods_running_is_reported() -> None:
    ((code, text),) = of_ends(ran({}, {}, late=True))
    assert code == "deadline" and "after 600 s: w-0 on a, w-1 on b." in text


@pytest.mark.parametrize(
    ("first", "second", "expected", "differ"),
    [
        ("", "", (), False),
        (ONE, "", (ONE,), False),
        (ONE, ONE, (ONE,), False),
        (ONE, MIRRORED, (ONE,), False),
        (ONE, OTHER, (ONE, OTHER), True),
        (OTHER, ONE, (OTHER, ONE), True),
    ],
)
def test_different_images_of_the_pods_are_reported(first: str, second: str, expected: tuple[str, ...], differ: bool) -> None:
    outcome = ran({"image": first}, {"image": second})
    assert images(outcome) == expected
    found = of_ends(outcome)
    assert [code for code, _text in found] == (["images-differ"] if differ else [])
    assert not differ or f"sha256:{first[-12:]} on a, sha256:{second[-12:]} on b. Name the image by its digest." in found[0][1]


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (ran({}), "no Pod ran on b."),
        (ran({}, {"node": "a"}), "no Pod ran on b."),
        (Ran((pod(), pod(1), pod(1, name="w-2"))), "there were 3 Pods."),
    ],
)
def test_every_node_runs_one_pod(outcome: Ran, text: str) -> None:
    ((code, found),) = of_ends(outcome)
    assert code == "rank-on-another-node" and text in found


def test_a_pod_that_is_gone_ran_on_its_node() -> None:
    assert of_ends(ran({}, GONE)) == []


@pytest.mark.parametrize(("restarts", "planned", "found"), [(2, 0, True), (2, 1, True), (1, 0, True), (1, 1, False), (0, 1, False)])
def test_restarted_containers_are_reported(restarts: int, planned: int, found: bool) -> None:
    text = f"The container of Pod w-1 on b was restarted (restarts: {restarts}). Read the first error in the Pod's log, and its events."
    assert of_ends(ran({}, {"restarts": restarts, "planned_restarts": planned})) == ([("restarted", text)] if found else [])


@pytest.mark.parametrize(("why", "expected"), [("", ["pod-gone"]), ("Pod w-1 was deleted", ["pod-not-recreated"])])
def test_a_pod_that_was_deleted_as_planned_is_not_gone(why: str, expected: list[str]) -> None:
    outcome = Ran((pod(), pod(1, **GONE)), unreplaced=why)
    assert [code for code, _text in shown(causes(outcome))] == expected

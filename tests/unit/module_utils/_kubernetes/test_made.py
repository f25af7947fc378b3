# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run makes for itself is gone after it, also what the API server has made without saying so."""

from __future__ import annotations

import contextlib
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.made import Made

from .._karpenter.proof.api_server import Server

JOBS = "/apis/batch/v1/namespaces/a/jobs"


class Jobs:
    """``refused``: statuses by method, one after the other; 0 for a request that is taken."""

    def __init__(self, **refused: list[int]) -> None:
        self.refused = refused
        self.there: list[str] = []

    def answer(self, method: str, path: str, body: dict[str, t.Any] | None) -> tuple[int, t.Any]:
        if method == "GET":  # the namespace
            return 404, {}
        statuses = self.refused.get(method) or [0]
        status = statuses.pop(0)
        if method == "POST" and status != 404:
            self.there.append(f"{path}/{(body or {})['metadata']['name']}")
        if status:
            return status, {"message": "no"}
        if method == "DELETE":
            self.there.remove(path)
        return 201, body or {}


def made(kubernetes: t.Any) -> Made:
    return Made(kubernetes, "a", Clock(sleep=lambda _seconds: None))


def named(name: str) -> dict[str, t.Any]:
    return {"metadata": {"name": name}}


def test_the_last_ones_go_first_where_they_are_asked_for() -> None:
    world = Jobs()
    with Server(world) as kubernetes:
        here = made(kubernetes)
        for name in "abc":
            here.create(JOBS, named(name))
        here.remove(1)
        assert world.there == here.paths == [f"{JOBS}/a"]
        here.remove()
    assert (world.there, here.paths, here.left) == ([], [], [])


def test_what_was_made_though_nobody_said_so_goes() -> None:
    world = Jobs(POST=[504], DELETE=[500, 429])
    with Server(world) as kubernetes:
        here = made(kubernetes)
        with pytest.raises(KubernetesError, match="504"):
            here.create(JOBS, named("a"))
        here.remove()
    assert (world.there, here.left) == ([], [])


def test_the_namespace_is_made_and_stays() -> None:
    world = Jobs(POST=[404])
    with Server(world) as kubernetes:
        here = made(kubernetes)
        here.create(JOBS, named("a"))
        assert [each["resource"] for each in APPLIED] == ["Namespace a"]
        here.remove()
    assert world.there == ["/api/v1/namespaces/a"]


def test_the_namespace_has_the_level_that_is_given() -> None:
    made_ones: list[dict[str, t.Any]] = []

    class Keeps(Jobs):
        def answer(self, method: str, path: str, body: dict[str, t.Any] | None) -> tuple[int, t.Any]:
            if method == "POST":
                made_ones.append(body or {})
            return super().answer(method, path, body)

    with Server(Keeps(POST=[404])) as kubernetes:
        Made(kubernetes, "a", Clock(sleep=lambda _seconds: None), "baseline").create(JOBS, named("a"))
    assert [each["metadata"]["labels"].get("pod-security.kubernetes.io/enforce") for each in made_ones[1:2]] == ["baseline"]


@pytest.mark.parametrize(("statuses", "there"), [([0], [f"{JOBS}/a"]), ([404], [])])
def test_a_namespace_of_others_is_used_as_it_is_and_never_made(statuses: list[int], there: list[str]) -> None:
    world = Jobs(POST=[*statuses])
    with Server(world) as kubernetes:
        here = Made(kubernetes, "a", Clock(sleep=lambda _seconds: None), None)
        with pytest.raises(KubernetesError, match="404") if 404 in statuses else contextlib.nullcontext():
            here.create(JOBS, named("a"))
    assert (world.there, APPLIED) == (there, [])


class OfOthers(Jobs):
    """The namespace is there once ``answers`` of it are over, and carries no label of ours."""

    def __init__(self, *answers: int, **refused: list[int]) -> None:
        super().__init__(**refused)
        self.answers = list(answers)

    def answer(self, method: str, path: str, body: dict[str, t.Any] | None) -> tuple[int, t.Any]:
        if method == "GET":
            return (self.answers.pop(0), {}) if self.answers else (200, {"metadata": {"name": "a", "labels": {"owner": "them"}}})
        if path == "/api/v1/namespaces":
            return 409, {"message": "there already"}
        return super().answer(method, path, body)


@pytest.mark.parametrize(("answers", "created"), [((), []), ((404,), [404])])
def test_nothing_is_made_in_a_namespace_of_others(answers: tuple[int, ...], created: list[int]) -> None:
    """Nor in one that others make between the look and the attempt."""
    world = OfOthers(*answers, POST=created)
    with Server(world) as kubernetes:
        here = made(kubernetes)
        with pytest.raises(Refused, match="namespace: 'a' is not allowed"):
            here.create(JOBS, named("a"))
    assert world.there == []


def test_the_namespace_is_looked_at_once() -> None:
    looked: list[str] = []

    class Counts(Jobs):
        def answer(self, method: str, path: str, body: dict[str, t.Any] | None) -> tuple[int, t.Any]:
            if method == "GET":
                looked.append(path)
                return 404, {}
            return super().answer(method, path, body)

    with Server(Counts()) as kubernetes:
        here = made(kubernetes)
        for name in "abc":
            here.create(JOBS, named(name))
    assert looked == ["/api/v1/namespaces/a"]


def test_what_stays_is_told() -> None:
    with Server(Jobs(DELETE=[403] * 9)) as kubernetes:
        here = made(kubernetes)
        here.create(JOBS, named("a"))
        here.remove()
    (left,) = here.left
    assert left.startswith("a (DELETE ") and "403" in left

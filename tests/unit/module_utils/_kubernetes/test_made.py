# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a run are removed at its end, including those whose creation was not confirmed."""

from __future__ import annotations

import contextlib
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.made import Made, would_create

from .._karpenter.proof.api_server import Server

JOB, POD = ("Job", "ns", "a-*", ""), ("Pod", "ns", "a-*-*", "n1")
"""What check mode lists."""
JOBS = "/apis/batch/v1/namespaces/a/jobs"


class Jobs:
    """``refused``: statuses by method in order; 0 for a request that is served."""

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


def test_the_newest_objects_are_removed_first_on_request() -> None:
    world = Jobs()
    with Server(world) as kubernetes:
        here = made(kubernetes)
        for name in "abc":
            here.create(JOBS, named(name))
        here.remove(1)
        assert world.there == here.paths == [f"{JOBS}/a"]
        here.remove()
    assert (world.there, here.paths, here.left) == ([], [], [])


def test_an_object_whose_creation_was_not_confirmed_is_removed() -> None:
    world = Jobs(POST=[504], DELETE=[500, 429])
    with Server(world) as kubernetes:
        here = made(kubernetes)
        with pytest.raises(KubernetesError, match="504"):
            here.create(JOBS, named("a"))
        here.remove()
    assert (world.there, here.left) == ([], [])


def test_an_object_that_the_caller_removes_is_kept() -> None:
    world = Jobs(POST=[404])
    with Server(world) as kubernetes:
        here = made(kubernetes)
        here.create_unregistered(JOBS, named("a"))
        here.remove()
    assert world.there == ["/api/v1/namespaces/a", f"{JOBS}/a"]


def test_the_namespace_is_created_and_kept() -> None:
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
def test_a_foreign_namespace_is_used_unchanged_and_never_created(statuses: list[int], there: list[str]) -> None:
    world = Jobs(POST=[*statuses])
    with Server(world) as kubernetes:
        here = Made(kubernetes, "a", Clock(sleep=lambda _seconds: None), None)
        with pytest.raises(KubernetesError, match="404") if 404 in statuses else contextlib.nullcontext():
            here.create(JOBS, named("a"))
    assert (world.there, APPLIED) == (there, [])


class OfOthers(Jobs):
    """The namespace appears after ``answers``, and has no label of ours."""

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
def test_nothing_is_created_in_a_foreign_namespace(answers: tuple[int, ...], created: list[int]) -> None:
    """Not even in a namespace that others create between the check and the creation."""
    world = OfOthers(*answers, POST=created)
    with Server(world) as kubernetes:
        here = made(kubernetes)
        with pytest.raises(Refused, match="namespace: 'a' is not allowed"):
            here.create(JOBS, named("a"))
    assert world.there == []


def test_the_namespace_is_read_once() -> None:
    paths: list[str] = []

    class Counts(Jobs):
        def answer(self, method: str, path: str, body: dict[str, t.Any] | None) -> tuple[int, t.Any]:
            if method == "GET":
                paths.append(path)
                return 404, {}
            return super().answer(method, path, body)

    with Server(Counts()) as kubernetes:
        here = made(kubernetes)
        for name in "abc":
            here.create(JOBS, named(name))
    assert paths == ["/api/v1/namespaces/a"]


def test_objects_that_cannot_be_removed_are_reported() -> None:
    with Server(Jobs(DELETE=[403] * 9)) as kubernetes:
        here = made(kubernetes)
        here.create(JOBS, named("a"))
        here.remove()
    (left,) = here.left
    assert left.startswith("a could not be removed (DELETE ") and "403" in left
    assert left.endswith("). A later run removes it when no active run can need it.")


def test_check_mode_lists_objects_and_their_pods() -> None:
    made = would_create("ns", [("Job", "a-*")], [("a-*", "n1")], new_namespace=False)
    assert [tuple(each.values()) for each in made] == [JOB, POD]


def test_a_new_namespace_is_the_first_object() -> None:
    made = would_create("ns", [("Job", "a-*")], [("a-*", "n1")], new_namespace=True)
    assert [tuple(each.values()) for each in made] == [("Namespace", "", "ns", ""), JOB, POD]

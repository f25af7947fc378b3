# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The other way of AWS's article: jobs by the real ``hyp``, whose placement is proven like that of ours, and what it sends beside ours."""

from __future__ import annotations

import typing as t

import pytest
from eks_world import EKS, until
from kueue_place import LAYER, QUEUE, SPACE, TYPE, Place, article, hyperpod_job
from lab.kueue import hyp
from lab.kueue.script import Admits

pytestmark = pytest.mark.slow  # what it needs is installed for the campaign alone
NAMES = ("annotations", "labels")


@pytest.fixture(scope="module")
def place() -> t.Iterator[Place]:
    hyp.installed()  # fails where it is not: without it nothing here compares anything
    with article() as there:
        yield there


def create(place: Place, name: str, *more: str) -> None:
    about: dict[str, t.Any] = {"namespace": SPACE, "queue": QUEUE, "instance_type": TYPE, "kubeconfig": place.world.kubeconfig()}
    done = hyp.create(name, "--priority", "high-priority", *more, **about)
    assert done.returncode == 0, done.stdout + done.stderr


def proven(place: Place, name: str) -> dict[str, t.Any]:
    told = place.world.module("topology_job_info", {"eks_cluster": EKS, "namespace": SPACE})
    (found,) = [each for each in told["jobs"] if each["name"] == name]
    return dict(found)


def at_work(place: Place, name: str) -> bool:
    return len([pod for pod in place.world.seen("pods", "-n", SPACE)["items"] if pod["metadata"]["name"].startswith(name)]) == 2


@pytest.mark.parametrize(
    ("wish", "nodes", "verdict"),
    [("required", (0, 1), "kept"), ("preferred", (2, 3), "kept"), ("preferred", (0, 2), "spilled"), ("required", (0, 2), "left")],
)
def test_its_placement_is_proven(place: Place, wish: str, nodes: tuple[int, int], verdict: str) -> None:
    name = f"{wish}-{verdict}"
    place.kueue.script[name] = [Admits({"pod": place.at(*nodes)})]
    create(place, name, f"--{wish}-topology", f"{LAYER}3")
    until(lambda: at_work(place, name))
    assert proven(place, name)["placement"]["verdict"] == verdict


def test_it_sends_what_ours_sends(place: Place) -> None:
    create(place, "theirs", "--preferred-topology", f"{LAYER}2")
    sent = place.submit(hyperpod_job("ours"), preferred_topology=f"{LAYER}2", priority_class="high-priority", wait="none")
    assert sent["changed"], sent.get("msg", sent)
    theirs, ours = (place.world.seen("hyperpodpytorchjob", name, "-n", SPACE) for name in ("theirs", "ours"))
    for names in NAMES:
        told, made = (each["metadata"].get(names) or {} for each in (theirs, ours))
        assert {name: value for name, value in made.items() if not name.startswith("mlfleet.hyperpod/")} == told
        inside, own = (each["spec"]["replicaSpecs"][0]["template"]["metadata"].get(names) or {} for each in (theirs, ours))
        assert own == inside

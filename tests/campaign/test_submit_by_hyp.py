# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs submitted with the real ``hyp``, as in AWS's article: their placement is verified, and they have the labels of our jobs."""

from __future__ import annotations

import typing as t

import pytest
from eks_world import EKS, until
from kueue_place import LAYER, QUEUE, SPACE, TYPE, Place, article, hyperpod_job
from lab.kueue import hyp
from lab.kueue.script import Admits

pytestmark = pytest.mark.slow  # its packages are installed for the campaign only
NAMES = ("annotations", "labels")


@pytest.fixture(scope="module")
def place() -> t.Iterator[Place]:
    hyp.installed()  # fails if it is not installed
    with article() as found:
        yield found


def create(place: Place, name: str, *more: str) -> None:
    about: dict[str, t.Any] = {"namespace": SPACE, "queue": QUEUE, "instance_type": TYPE, "kubeconfig": place.world.kubeconfig()}
    done = hyp.create(name, "--priority", "high-priority", *more, **about)
    assert done.returncode == 0, done.stdout + done.stderr


def proven(place: Place, name: str) -> dict[str, t.Any]:
    result = place.world.module("topology_job_info", {"eks_cluster": EKS, "namespace": SPACE})
    (found,) = [each for each in result["jobs"] if each["name"] == name]
    return dict(found)


def at_work(place: Place, name: str) -> bool:
    return len([pod for pod in place.world.seen("pods", "-n", SPACE)["items"] if pod["metadata"]["name"].startswith(name)]) == 2


@pytest.mark.parametrize(
    ("topology", "nodes", "verdict"),
    [("required", (0, 1), "kept"), ("preferred", (2, 3), "kept"), ("preferred", (0, 2), "spilled"), ("required", (0, 2), "left")],
)
def test_the_placement_of_its_job_is_verified(place: Place, topology: str, nodes: tuple[int, int], verdict: str) -> None:
    name = f"{topology}-{verdict}"
    place.kueue.script[name] = [Admits({"pod": place.at(*nodes)})]
    create(place, name, f"--{topology}-topology", f"{LAYER}3")
    until(lambda: at_work(place, name))
    assert proven(place, name)["placement"]["verdict"] == verdict


def test_its_job_has_the_names_of_our_job(place: Place) -> None:
    create(place, "by-hyp", "--preferred-topology", f"{LAYER}2")
    sent = place.submit(hyperpod_job("by-module"), preferred_topology=f"{LAYER}2", priority_class="high-priority", wait="none")
    assert sent["changed"], sent.get("msg", sent)
    by_hyp, by_module = (place.world.seen("hyperpodpytorchjob", name, "-n", SPACE) for name in ("by-hyp", "by-module"))
    for names in NAMES:
        expected, found = (each["metadata"].get(names) or {} for each in (by_hyp, by_module))
        assert {name: value for name, value in found.items() if not name.startswith("mlfleet.hyperpod/")} == expected
        expected, found = (each["spec"]["replicaSpecs"][0]["template"]["metadata"].get(names) or {} for each in (by_hyp, by_module))
        assert found == expected

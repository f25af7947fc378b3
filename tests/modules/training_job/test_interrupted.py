# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs whose connection breaks at each creating or removing request, and the run after them."""

from __future__ import annotations

import pytest
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._training.job.trained import NAMESPACE, Trained
from unit.module_utils._training.logged import trained

GIVEN = {"nodes": ["a", "b"], "gpus": 1, "image": "pytorch:2", "program": "print(1)", "steps": 20, "poll_interval": 1, "kind": "Job"}
REQUESTS = ("the program", "a dry run", "the Service", "the Job", *("a removal",) * 3)

pytestmark = pytest.mark.slow


@pytest.fixture
def world():
    world = Trained()
    world.logs = ["\n".join(lines) + "\n" for lines in trained().without('"saved"').pods]
    return world


def run(simulator, tmp_path, world):
    with Server(world) as kubernetes:
        return simulator.run("training_job", **GIVEN, kubeconfig=kubeconfig(kubernetes, tmp_path))


def test_number_of_changes_of_a_complete_run(simulator, tmp_path, world):
    assert run(simulator, tmp_path, world)["training_job"]["verdict"] == "passed"
    assert world.changes == len(REQUESTS), [each for each in world.requests if each[0] != "GET"]


@pytest.mark.parametrize("after", [False, True], ids=["lost request", "lost answer"])
@pytest.mark.parametrize("cut", range(1, len(REQUESTS) + 1), ids=lambda cut: f"{cut}, {REQUESTS[cut - 1]}")
def test_nothing_is_left(simulator, tmp_path, world, cut, after):
    world.cut, world.cut_after = cut, after
    first = run(simulator, tmp_path, world)
    assert world.changes > cut and world.left == [], first
    assert bool(first.get("failed")) is (cut <= 4), first
    second = run(simulator, tmp_path, world)
    assert (second["training_job"]["verdict"], second["changed"], second["changes"]) == ("passed", False, []), second
    assert list(world.there) == [f"/api/v1/namespaces/{NAMESPACE}"]

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""namespace_pod_security: bad input without an API server, and the usual sequence of runs on one in memory."""

from __future__ import annotations

import pytest
from simulated.shape import changes_once
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._kubernetes.namespaces import Namespaces

GIVEN = {"namespaces": ["a", "b"], "level": "baseline"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"namespaces": ["A"]}, "namespaces: 'A' is not allowed"),
        ({"level": "high"}, "value of level must be one of: privileged, baseline, restricted"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("namespace_pod_security", **{**GIVEN, **given})
    assert refused["failed"] and message in refused["msg"], refused


class World:
    """A simulator as ``shape`` expects it."""

    def __init__(self, simulator, kubernetes, config):
        self.simulator, self.kubernetes, self.config = simulator, kubernetes, config

    def run(self, module, /, **options):
        self.kubernetes.changes.clear()
        return self.simulator.run(module, kubeconfig=self.config, **options)

    def changes(self):
        return [f"{method} {path}" for method, path in self.kubernetes.changes]

    def problems(self):
        return []


@pytest.fixture
def world(simulator, tmp_path):
    kubernetes = Namespaces({"a": ["train-0: privileged"]}, a=None, b="privileged", c="restricted")
    with Server(kubernetes) as client:
        yield World(simulator, kubernetes, kubeconfig(client, tmp_path))


def test_a_level_is_set_once(world):
    done = changes_once(world, "namespace_pod_security", **GIVEN, passing=["namespaces.warnings"])
    assert [(each["resource"], each["before"], each["after"]) for each in done["changes"]] == [
        ("Namespace a", None, "baseline"),
        ("Namespace b", "privileged", "baseline"),
    ]
    assert done["namespaces"][0] == {"name": "a", "exists": True, "level": "baseline", "stricter": False, "warnings": ["train-0: privileged"]}
    assert [world.kubernetes.level(name) for name in "ab"] == ["baseline", "baseline"]


def test_a_stricter_level_is_kept(world):
    done = world.run("namespace_pod_security", namespaces=["c"], level="baseline")
    assert not done["changed"] and world.changes() == []
    assert done["namespaces"] == [{"name": "c", "exists": True, "level": "restricted", "stricter": True, "warnings": []}]


def test_a_namespace_that_does_not_exist(world):
    foreseen = world.run("namespace_pod_security", check=True, namespaces=["d"], level="baseline")
    assert not foreseen["changed"] and foreseen["namespaces"][0]["exists"] is False
    refused = world.run("namespace_pod_security", namespaces=["a", "d"], level="baseline")
    assert refused["msg"] == "Namespace d does not exist. Create it, then run again." and world.changes() == []

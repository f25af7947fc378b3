# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of HyperPod's health monitoring agent."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_agent import version

AGENT = "602401143452.dkr.ecr.us-west-2.amazonaws.com/hyperpod-health-monitoring-agent:1.0.742.0_1.0.241.0"


class Server:
    """An API server with one DaemonSet."""

    def __init__(self, *images: str | None) -> None:
        self.images = images
        self.paths: list[str] = []

    def find(self, path: str) -> t.Any:
        self.paths.append(path)
        containers = [{"image": image} if image else {"name": "a"} for image in self.images]
        return {"spec": {"template": {"spec": {"containers": containers}}}} if containers else None


@pytest.mark.parametrize(
    ("images", "expected"),
    [
        ((AGENT,), "1.0.742.0_1.0.241.0"),
        (("sidecar:2", AGENT), "1.0.742.0_1.0.241.0"),
        (("first:1", "second:2"), "1"),
        ((None, AGENT), "1.0.742.0_1.0.241.0"),
        (("first:1\x1b",), "1?"),
        ((), None),
    ],
)
def test_the_version_is_the_image_tag_of_the_agent(images: tuple[str | None, ...], expected: str | None) -> None:
    server = Server(*images)
    assert version(server) == expected
    assert server.paths == ["/apis/apps/v1/namespaces/aws-hyperpod/daemonsets/health-monitoring-agent"]

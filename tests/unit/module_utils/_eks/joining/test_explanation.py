# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The explanation of a group, with the client that the module has already."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining import explanation
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import Nodegroup

from .test_observe import SETTINGS, Aws


def test_causes_are_read_for_each_call(monkeypatch: t.Any) -> None:
    made: list[str] = []

    def connect(_module: t.Any, service: str) -> t.Any:
        made.append(service)
        return Aws()

    monkeypatch.setattr(explanation, "connect", connect)
    explain = explanation.Explanation(None, t.cast(t.Any, Aws()), "ml")
    group = Nodegroup("arn", "DEGRADED", SETTINGS)
    said = explain(group, ["i-1"])
    assert said.startswith("the cause is not known") is ("cause: " not in said)
    assert "not known: " in said and "whether inline, mine of role nodes contain the rights of AmazonEC2ContainerRegistryPullOnly" in said
    assert explain(group, ["i-1"]) == said and sorted(made) == ["ec2", "iam"]

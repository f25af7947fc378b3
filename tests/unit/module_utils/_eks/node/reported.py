# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes as an API server returns them."""

from __future__ import annotations

import typing as t

Object = dict[str, t.Any]
TYPE, GROUP, ZONE = "p5.48xlarge", "gpus", "us-west-2a"


def iid(number: int) -> str:
    return f"i-{number:017x}"


def provider_id(instance_id: str, zone: str = ZONE) -> str:
    return f"aws:///{zone}/{instance_id}"


def node(name: str, provider: str | None, *, gpus: int = 8, labels: Object | None = None, ready: str = "True", **spec: t.Any) -> Object:
    marks = {"node.kubernetes.io/instance-type": TYPE, "eks.amazonaws.com/nodegroup": GROUP} if labels is None else labels
    status = {"conditions": [{"type": "Ready", "status": ready}], "allocatable": {"nvidia.com/gpu": str(gpus)}}
    return {"metadata": {"name": name, "labels": marks}, "spec": {"providerID": provider, **spec}, "status": status}


class Nodes:
    """An API server with nodes only. ``status``: that of its replies."""

    def __init__(self, *nodes: Object) -> None:
        self.nodes = list(nodes)
        self.status = 200

    def answer(self, _method: str, target: str, _body: Object | None) -> tuple[int, Object]:
        found = target.partition("?")[0] == "/api/v1/nodes"
        return (self.status, {"items": self.nodes}) if found else (404, {})

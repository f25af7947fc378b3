# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes and clusters for reports."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.answers import health_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.document import Cluster, Document, Node, document

CREATED = "2026-11-25T03:00:00Z"


def problem(code: str = "gpu-xid", verdict: str = "unfit-reboot", cause: str = "hardware", **more: t.Any) -> dict[str, t.Any]:
    details = {"part": "GPU 3 (0000:83:00.0)", "key": "1650522003803 Xid 79", "text": "It fell off the bus.", "evidence": "NVRM: Xid"}
    return {"code": code, "verdict": verdict, "cause": cause, **details, "folded": ["gpu-lost"], **more}


def health_answer(*problems: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    """The answer of the module."""
    return {
        "verdict": "fit",
        "problems": list(problems),
        "waived": [],
        "gpus": [{"part": f"GPU {number}", "key": f"s{number}", "verdict": "fit"} for number in range(8)],
        "versions": {"driver": "570.172.08"},
        "looked_at": ["GPUs"],
        "not_looked_at": [],
        "expected": {"gpus": 8, "efa_devices": 32, "neuron_devices": 0, "source": "EC2"},
        **more,
    }


def node(number: int, *problems: dict[str, t.Any], health: t.Any = None, **more: t.Any) -> Node:
    given = {"has_accelerators": True, "hyperpod": "Running", **more}
    return Node(
        instance_id=f"i-{number:017x}",
        host=f"ml-{number}",
        instance_group="gpus",
        instance_type="ml.p5.48xlarge",
        node_type="compute",
        private_ip=f"10.0.0.{number}",
        health=health_of(health or health_answer(*problems)) if given["has_accelerators"] and "not_read" not in given else None,
        **given,
    )


def cluster(*nodes: Node, key: str = "ml", **more: t.Any) -> Cluster:
    return Cluster(key, f"arn:{key}", "111111111111", "us-west-2", nodes, **more)


def of(*nodes: Node, created: str = CREATED, **more: t.Any) -> Document:
    return document([cluster(*nodes)], created=created, **more)

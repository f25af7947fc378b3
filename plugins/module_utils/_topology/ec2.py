# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The topology of instances in the caller's account, from EC2. EC2 omits HyperPod's instances, which an account of AWS owns."""

from __future__ import annotations

import re
import typing as t

from .._aws.client import Api
from .._core.text import printable
from .._kubernetes.nodes.model import PREFIX

Object = dict[str, t.Any]
OPERATION = "DescribeInstanceTopology"
MOST_IDS = 100
"""The maximum number of instances per call."""
INSTANCE = re.compile(r"^aws://(?:[^/]*/)*(i-[0-9a-f]{8,17})$")


def instance_of(node: Object) -> str:
    """The EC2 instance ID of a Kubernetes node; empty for a HyperPod node, or if the ID is unknown."""
    found = INSTANCE.match(str((node.get("spec") or {}).get("providerID") or ""))
    return found[1] if found and not node["metadata"]["name"].startswith(PREFIX) else ""


def layers(ec2: Api, instance_ids: t.Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The network nodes above each instance, from the top down. EC2 has this data only for some instance types.

    :raises Failure: if EC2 refuses the request.
    """
    ids = sorted(set(instance_ids))
    found: dict[str, tuple[str, ...]] = {}
    for begin in range(0, len(ids), MOST_IDS):
        part = ids[begin : begin + MOST_IDS]
        instances = ec2.call(OPERATION, about=f"{len(part)} instances", InstanceIds=part).get("Instances") or ()
        found.update({each["InstanceId"]: tuple(map(printable, each.get("NetworkNodes") or ())) for each in instances})
    return found

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verbs about nodes, from inside the lab."""

from __future__ import annotations

import time
from typing import Any

from lab.aws.control.client import Control
from lab.hosts.registry import registered
from lab.names import LabError, Paths


def find_host(paths: Paths, node: str) -> dict:
    """A running machine by instance id or name."""
    found = [entry for entry in registered(paths) if node in (entry["instance_id"], entry["name"])]
    if len(found) == 1:
        return found[0]
    names = ", ".join(entry["name"] for entry in registered(paths)) or "none"
    raise LabError(f"node {node!r}: {'several clusters have it, use the id' if found else f'known are {names}'}")


def status(paths: Paths) -> int:
    from lab.cli import world  # importing boto3 takes a quarter of a second: only for verbs that need it

    addresses = {entry["instance_id"]: entry for entry in registered(paths)}
    rows = [("CLUSTER", "NODE", "ADDRESS", "GROUP", "STATE", "INSTANCE", "SINCE")]
    sagemaker = world.client("sagemaker")
    for cluster in sagemaker.list_clusters()["ClusterSummaries"]:
        for node in world.nodes(cluster["ClusterName"]):
            host = addresses.pop(node["InstanceId"], {})
            rows.append(
                (
                    f"{cluster['ClusterName']} ({cluster['ClusterStatus']})",
                    host.get("name", "-"),
                    host.get("ip", "-"),
                    node["InstanceGroupName"],
                    node["InstanceStatus"]["Status"],
                    node["InstanceId"],
                    f"{node['LaunchTime']:%H:%M:%S}",
                )
            )
    rows += [("-", host["name"], host["ip"], host["group"], "Running", instance_id, "-") for instance_id, host in addresses.items()]
    _table(sorted(rows[1:]), rows[0])
    _targets(world.client("elbv2"))
    return 0


def _targets(elbv2: Any) -> None:
    rows = []
    for group in elbv2.describe_target_groups()["TargetGroups"]:
        health = elbv2.describe_target_health(TargetGroupArn=group["TargetGroupArn"])["TargetHealthDescriptions"]
        for target in health:
            state = target["TargetHealth"]
            address = f"{target['Target']['Id']}:{target['Target']['Port']}"
            rows.append((group["TargetGroupName"], address, state["State"], state.get("Reason", "")))
    if rows:
        print()
        _table(rows, ("TARGET GROUP", "TARGET", "HEALTH", "REASON"))


def _table(rows: list[tuple[str, ...]], head: tuple[str, ...]) -> None:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def replace_node(paths: Paths, node: str) -> int:
    begin, control = time.monotonic(), Control(paths.api_url)
    before = find_host(paths, node)["instance_id"]
    after = control.replace(before)
    (cluster,) = (row["cluster"] for row in control.nodes() if row["instance_id"] == after)
    control.wait_running(cluster)
    print(f"{before} is replaced by {after} ({find_host(paths, after)['name']}): {time.monotonic() - begin:.1f} s")
    return 0


def update_software(paths: Paths, cluster: str) -> int:
    begin = time.monotonic()
    Control(paths.api_url).update_software(cluster)
    print(f"cluster {cluster} has new disks: {time.monotonic() - begin:.1f} s")
    return 0

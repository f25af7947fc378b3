# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verbs that act from inside the lab: through the AWS API where AWS has the verb, else through the lab's own doors."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import Any

from lab.hosts import fsx
from lab.hosts.machines import registered
from lab.names import LabError, Paths

SETTLE_SECONDS = 120


def find_host(paths: Paths, node: str) -> dict:
    """A running machine by instance id or name."""
    found = [entry for entry in registered(paths) if node in (entry["instance_id"], entry["name"])]
    if len(found) == 1:
        return found[0]
    names = ", ".join(entry["name"] for entry in registered(paths)) or "none"
    raise LabError(f"node {node!r}: {'several clusters have it, use the id' if found else f'known are {names}'}")


def call(paths: Paths, method: str, route: str, body: Any = None) -> Any:
    """The simulator's control interface (lab/aws/control/routes.py)."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{paths.api_url}{route}", data=data, method=method)
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise LabError(f"{method} {route}: {error.read().decode(errors='replace')}") from None


def status(paths: Paths) -> int:
    from lab.cli import world  # boto3 takes a quarter of a second: only for the verbs that need it

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
    from lab.cli import world

    host = find_host(paths, node)
    name = _cluster_name(host["cluster_id"])
    begin = time.monotonic()
    answer = world.client("sagemaker").batch_replace_cluster_nodes(ClusterName=name, NodeIds=[host["instance_id"]])
    for failed in answer.get("Failed", []):
        raise LabError(f"{failed['ErrorCode']}: {failed['Message']}")
    before = host["instance_id"]
    after = _wait(paths, lambda: _replacement(paths, name, before))
    print(f"{before} is replaced by {after['instance_id']} ({after['name']}): {time.monotonic() - begin:.1f} s")
    return 0


def _replacement(paths: Paths, cluster: str, before: str) -> dict | None:
    """The youngest machine once the old one is gone and all nodes run."""
    from lab.cli import world

    listed = world.nodes(cluster)
    states = {node["InstanceStatus"]["Status"] for node in listed}
    if states != {"Running"} or before in {node["InstanceId"] for node in listed}:
        return None
    youngest = max(listed, key=lambda node: node["LaunchTime"])["InstanceId"]
    return next((entry for entry in registered(paths) if entry["instance_id"] == youngest), None)


def update_software(cluster: str) -> int:
    from lab.cli import world

    begin = time.monotonic()
    world.client("sagemaker").update_cluster_software(ClusterName=cluster)
    time.sleep(0.5)
    world.wait_in_service(cluster)
    print(f"cluster {cluster} has new disks: {time.monotonic() - begin:.1f} s")
    return 0


def _cluster_name(cluster_id: str) -> str:
    from lab.cli import world

    for cluster in world.client("sagemaker").list_clusters()["ClusterSummaries"]:
        if cluster["ClusterArn"].endswith(f"/{cluster_id}"):
            return cluster["ClusterName"]
    raise LabError(f"no cluster {cluster_id} in the account of profile `lab`")


def _wait(paths: Paths, condition: Any) -> Any:
    deadline = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(0.2)
    raise LabError(f"nothing settled within {SETTLE_SECONDS} s; log: {paths.log}")


def fault(paths: Paths, what: str, argument: str) -> int:
    if what == "fsx":
        actions = {"hang": fsx.hang, "resume": fsx.resume}
        if argument not in actions:
            raise LabError("fault fsx: hang or resume")
        print(f"{argument}: {', '.join(actions[argument](paths)) or 'no file system yet'}")
        return 0
    verbs = {"list": ("GET", None), "clear": ("DELETE", None)}
    method, body = verbs.get(argument) or ("POST", _rule(argument))
    print(json.dumps(call(paths, method, "/lab/faults", body), indent=2))
    return 0


def _rule(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise LabError(f"fault api: list, clear or JSON: {error}") from None

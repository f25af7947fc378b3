# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Background work after the reply: hosts are started, removed and wiped; statuses follow their results.

Each function runs in a separate thread under the cluster's ``work`` lock.
"""

from __future__ import annotations

import dataclasses
import math
import threading
import traceback
import typing as t

from .. import cloud
from ..delays import pause as _pause, wait
from . import addresses, events, notices
from .cluster import Cluster, Group, Node, now

CHECKING = "DeepHealthCheckInProgress"


def start(work: t.Callable[..., None], cluster: Cluster, *arguments: t.Any) -> None:
    """Run ``work(cluster, …)`` in the background, after the current work of the cluster."""
    notices.state(cluster)

    def run() -> None:
        with cluster.work:
            try:
                work(cluster, *arguments)
            except Exception as error:
                traceback.print_exc()
                cluster.failure = f"{type(error).__name__}: {error}"
            notices.state(cluster)

    threading.Thread(target=run, daemon=True, name=f"{cluster.name}-{work.__name__}").start()


def pause(cluster: Cluster) -> None:
    """Wait for the duration of a state without real work."""
    notices.state(cluster)
    _pause()


@dataclasses.dataclass(frozen=True)
class Before:
    """The state of a cluster before an update, for a rollback."""

    groups: dict[str, Group]
    request: dict[str, t.Any]


def create(cluster: Cluster, failure: str) -> None:
    """Creating, then InService; without continuous provisioning only once all nodes run."""
    pause(cluster)
    if failure:
        take_down(cluster, list(cluster.nodes.values()))
        for group in cluster.groups.values():
            group.status = "Failed"
            events.failed(cluster, failure, group=group.name)
        cluster.failure, cluster.status = "Cluster creation failed", "Failed"
        return
    if cluster.continuous:
        cluster.status = "InService"
    bring_up(cluster, list(cluster.nodes.values()))
    _groups_follow(cluster)
    if not cluster.continuous:
        failed = any(node.status == "Failure" for node in cluster.nodes.values())
        cluster.status = "Failed" if failed else "InService"
    _scaler_follows(cluster)


def update(
    cluster: Cluster, leaving: list[Node], deleted: list[str], before: Before, failure: str, operation: dict[str, t.Any]
) -> None:
    """Start the nodes that an update added, and remove those it dropped."""
    pause(cluster)
    if failure:
        operation["Status"] = "Superseded"
        _roll_back(cluster, before, failure)
        return
    if cluster.continuous:
        cluster.status = "InService"
    operation["Status"] = "Done"
    take_down(cluster, leaving)
    for name in deleted:
        cluster.groups.pop(name, None)
    bring_up(cluster, [node for node in cluster.nodes.values() if node.status == "Pending"])
    _groups_follow(cluster)
    cluster.status = "InService"
    _scaler_follows(cluster)


def _scaler_follows(cluster: Cluster) -> None:
    """Complete the transition of the autoscaler some time after that of the cluster."""
    if cluster.scaler_status == "Creating":
        pause(cluster)
        failure = cloud.current().settings["autoscaler_failure"]
        cluster.scaler_status, cluster.scaler_failure = ("Failed" if failure else "InService"), failure
    elif cluster.scaler_status == "Deleting":
        pause(cluster)
        cluster.scaler_status = cluster.scaler_failure = ""


def _roll_back(cluster: Cluster, before: Before, failure: str) -> None:
    cluster.status = "RollingBack"
    events.failed(cluster, failure)
    pause(cluster)
    take_down(cluster, [node for node in cluster.nodes.values() if node.status == "Pending"])
    for node in cluster.nodes.values():
        node.leaving = False
    cluster.groups, cluster.request = before.groups, before.request
    _groups_follow(cluster)
    cluster.status = "InService"


def delete(cluster: Cluster, forget: t.Callable[[], None]) -> None:
    """Remove all nodes and then the cluster."""
    pause(cluster)
    take_down(cluster, list(cluster.nodes.values()))
    cluster.gone = True
    if cluster.linger[1] <= 0:
        forget()


def grow(cluster: Cluster, new: list[Node], lose: t.Callable[[Cluster, Node], None]) -> None:
    """BatchAddClusterNodes, after the targets were raised. Nodes without capacity are dropped, which only an event reports."""
    pause(cluster)
    refused = _without_capacity(cluster, new)
    with cloud.current().lock:
        for node in refused:
            lose(cluster, node)
            message = f"We currently do not have sufficient capacity to launch new {node.instance_type} instances. Please try again."
            events.not_launched(cluster, node, f"InsufficientInstanceCapacity: {message}")
    coming = [node for node in new if node not in refused]
    late = cloud.current().settings["launch_seconds"]
    bring_up(cluster, [node for node in coming if not late.get(node.group)])
    _groups_follow(cluster)
    for node in coming:
        if late.get(node.group):
            threading.Thread(target=_launch_late, args=(cluster, node), daemon=True).start()


def _launch_late(cluster: Cluster, node: Node) -> None:
    wait(lambda: cloud.current().settings["launch_seconds"].get(node.group, 0))
    start(_launch_listed, cluster, node)


def _launch_listed(cluster: Cluster, node: Node) -> None:
    if node.instance_id in cluster.nodes:
        bring_up(cluster, [node])


def _without_capacity(cluster: Cluster, new: list[Node]) -> list[Node]:
    """Nodes without capacity by the settings, which are counted down."""
    settings, refused = cloud.current().settings, []
    with cloud.current().lock:
        for place, node in enumerate(new):
            left, most = settings["insufficient_capacity"].get(node.group, 0), settings["capacity"].get(node.group)
            waiting = [*refused, *new[place:]]
            there = [each for each in cluster.of_group(node.group) if each not in waiting]
            if left or (most is not None and len(there) >= most):
                refused.append(node)
            if left and left is not True:
                settings["insufficient_capacity"] = {**settings["insufficient_capacity"], node.group: left - 1}
    return refused


def replace(cluster: Cluster, old: list[Node]) -> None:
    """Replace each old node by one with a new ID, by default at the same address.

    A failed attempt is in Failure for a while before the next; between two attempts the node is not listed. Source: AWS's
    field notes, hyperpod-mental-model.md, "Failed instance status is not necessarily terminal".
    """
    pause(cluster)
    _each(old, lambda node: _destroy(cluster, node))
    for attempt in range(cloud.current().settings["failed_replacements"], -1, -1):
        old = _listed_again(cluster, old)
        pause(cluster)
        if attempt:
            mark(old, "Failure")
            pause(cluster)
    bring_up(cluster, old)
    for node in old:
        if node.status == "Running":
            events.of_node(cluster, node, "Instance {id} Creation completed successfully as part of instance replacement {where}")
    _groups_follow(cluster)


def _listed_again(cluster: Cluster, old: list[Node]) -> list[Node]:
    """New nodes in place of the old ones, which are unlisted in between."""
    for node in old:
        cluster.drop(node)
    pause(cluster)
    fresh = []
    with cloud.current().lock:
        for node in old:
            new = Node(node.group, node.turn, node.instance_type, _address_after(cluster, node))
            new.linger = ("Pending", node.linger[1])
            cluster.nodes[new.instance_id] = new
            fresh.append(new)
    for new in fresh:
        events.of_node(cluster, new, "Instance {id} is starting as part of instance replacement {where}")
    return fresh


def check(cluster: Cluster, nodes: list[Node], bad: t.Container[str], operation: dict[str, t.Any]) -> None:
    """Deep health checks, which start some time after the call; ``bad`` nodes are replaced."""
    wait(lambda: cloud.current().settings["health_check_delay_seconds"])
    mark(nodes, CHECKING)
    pause(cluster)
    mark([node for node in nodes if node.instance_id not in bad], "Running")
    failed = [node for node in nodes if node.instance_id in bad]
    mark(failed, "ShuttingDown")
    operation["Status"] = "Done"
    for node in failed:
        notices.health(cluster, node, notices.UNHEALTHY, "Replace", "A deep health check failed on this node.")
    if failed:
        replace(cluster, failed)


def reboot(cluster: Cluster, nodes: list[Node]) -> None:
    """Reboot nodes, which keep their disk and address."""
    for node in nodes:
        events.of_node(cluster, node, "Reboot of EC2 Instance {id} is currently in progress {where}")
    pause(cluster)
    _each(nodes, lambda node: _reboot(cluster, node))


def remove(cluster: Cluster, nodes: list[Node]) -> None:
    """BatchDeleteClusterNodes, after the targets were lowered."""
    pause(cluster)
    take_down(cluster, nodes)
    _groups_follow(cluster)


def update_software(cluster: Cluster, versions: dict[str, str], image_id: str, batch: dict[str, t.Any] | None) -> None:
    """Wipe the nodes of the groups, batch by batch; they keep their IDs and addresses."""
    rolls_back = cloud.current().settings["software_update"] == "rolls_back"
    for name, version in versions.items():
        group = cluster.groups[name]
        skipped = cloud.current().settings["protected_nodes"] if cluster.eks_arn else []
        nodes = [node for node in cluster.of_group(name) if node.instance_id not in skipped]
        size = _batch_size(batch, len(nodes))
        for first in range(0, len(nodes), size):
            part = nodes[first : first + size]
            mark(part, "SystemUpdating")
            pause(cluster)
            _attempts_that_fail(cluster, part)
            if rolls_back:
                _each(part, lambda node: _wipe(cluster, node, dated=False))
                mark(part, "Failure")
                group.software_update = "RollbackInProgress"
                events.failed(cluster, f"The software of {name} did not come up", group=name)
                pause(cluster)
            _each(part, lambda node: _wipe(cluster, node, dated=not rolls_back))
        if not rolls_back:
            group.release, group.spec = version, {**group.spec, **({"ImageId": image_id} if image_id.startswith("ami-") else {})}
            for node in nodes:
                node.release, node.image = version, group.own_image
        group.status, group.software_update = "InService", "Failed" if rolls_back else "Succeeded"
    if cloud.current().settings["update_time"] == "of_cluster" and not rolls_back:
        for node in cluster.nodes.values():
            node.updated = now()
    cluster.status = "InService"


def _attempts_that_fail(cluster: Cluster, nodes: list[Node]) -> None:
    """Wipe failed nodes again; the group stays InProgress, and nothing reports the failures."""
    for _attempt in range(cloud.current().settings["software_update_retries"]):
        _each(nodes, lambda node: _wipe(cluster, node, dated=False))
        mark(nodes, "Failure")
        pause(cluster)
        mark(nodes, "SystemUpdating")
        pause(cluster)


def bring_up(cluster: Cluster, nodes: list[Node]) -> None:
    """Start the hosts of pending nodes, controllers first because the others need them."""
    controllers = [node for node in nodes if cluster.node_type(node.group) == "controller"]
    _each(controllers, lambda node: _launch(cluster, node))
    _each([node for node in nodes if node not in controllers], lambda node: _launch(cluster, node))


def take_down(cluster: Cluster, nodes: list[Node]) -> None:
    """Stop the hosts, release their addresses and remove the nodes."""
    mark(nodes, "ShuttingDown")
    notices.state(cluster)
    _each(nodes, lambda node: _destroy(cluster, node))
    with cloud.current().lock:
        for node in nodes:
            cluster.drop(node)
            if node.address:
                addresses.give_back(cluster.account, cluster.region, node.address)


def has_host(cluster: Cluster, node: Node) -> bool:
    """Whether the node has a real host: not in a cluster of records, and only inside a VPC."""
    return cluster.hosts_wanted and node.address is not None


def _launch(cluster: Cluster, node: Node) -> None:
    node.release, node.image = cluster.groups[node.group].release, cluster.groups[node.group].own_image

    events.of_node(cluster, node, "EC2 Instance {id} successfully provisioned {where}")

    def boot() -> None:
        here = cloud.current()
        address = t.cast(addresses.Address, node.address)
        here.network.ensure_vpc(address.vpc, address.vpc_cidr, reachable=address.reachable)
        here.hosts.create(host_spec(cluster, node))
        node.booted = True

    _guard(cluster, node, boot)


def _wipe(cluster: Cluster, node: Node, *, dated: bool) -> None:
    """:param dated: whether the API returns the time of it."""

    def stamp() -> None:
        node.updated = now() if dated else node.updated

    _guard(cluster, node, lambda: cloud.current().hosts.wipe(node.instance_id), on_success=stamp)


def _reboot(cluster: Cluster, node: Node) -> None:
    _guard(cluster, node, lambda: cloud.current().hosts.reboot(node.instance_id))


def _destroy(cluster: Cluster, node: Node) -> None:
    events.of_node(cluster, node, "Termination of EC2 Instance {id} is currently in progress {where}")
    if node.booted:
        cloud.current().hosts.destroy(node.instance_id)


def _guard(cluster: Cluster, node: Node, work: t.Callable[[], None], on_success: t.Callable[[], None] = lambda: None) -> None:
    """Run the host's work; the status is Running on success, else Failure with the message."""
    try:
        if has_host(cluster, node):
            work()
        on_success()
        node.status, node.message = "Running", ""
    except Exception as error:
        traceback.print_exc()
        node.status, node.message = "Failure", f"{type(error).__name__}: {error}"[:500]
    notices.state(cluster)


def _each(nodes: list[Node], work: t.Callable[[Node], None]) -> None:
    futures = [cloud.current().background(work, node) for node in nodes]
    for future in futures:
        future.result()


def mark(nodes: list[Node], status: str) -> None:
    for node in nodes:
        node.status = status


def _groups_follow(cluster: Cluster) -> None:
    for group in cluster.groups.values():
        nodes = cluster.of_group(group.name)
        bad = [node for node in nodes if node.status == "Failure"]
        group.status = ("Failed" if len(bad) == len(nodes) else "Degraded") if bad else "InService"


def _address_after(cluster: Cluster, node: Node) -> addresses.Address | None:
    config = cluster.vpc_config(node.group)
    if cloud.current().settings["replace_ip"] == "same" or not config or not node.address:
        return node.address
    about = f"{cluster.id} {node.group}"
    fresh = addresses.take(cluster.account, cluster.region, config, turn=node.turn, about=about)
    addresses.give_back(cluster.account, cluster.region, node.address)
    return fresh


def _batch_size(batch: dict[str, t.Any] | None, nodes: int) -> int:
    if not batch:
        return max(nodes, 1)
    if batch["Type"] == "INSTANCE_COUNT":
        return max(batch["Value"], 1)
    return max(math.floor(nodes * batch["Value"] / 100), 1)


def host_spec(cluster: Cluster, node: Node) -> t.Any:
    """Data of a node for the lab's hosts."""
    from lab.hosts.spec import HostSpec

    address = t.cast(addresses.Address, node.address)
    controllers = [other for name in cluster.groups for other in cluster.of_group(name)]
    controller = next((n for n in controllers if cluster.node_type(n.group) == "controller" and n.address), None)
    return HostSpec(
        instance_id=node.instance_id,
        name=node.hostname,
        ip=address.ip,
        prefix_length=address.prefix_length,
        vpc_id=address.vpc,
        cluster_id=cluster.id,
        group=node.group,
        node_type=cluster.node_type(node.group),
        instance_type=node.instance_type,
        fsx=file_system(cluster.groups[node.group]),
        controller_ip=controller.address.ip if controller and controller.address else None,
    )


def file_system(group: Group) -> str | None:
    """The name of the group's FSx file system: the first label of its DNS name."""
    for storage in group.spec.get("InstanceStorageConfigs", []):
        for kind in ("FsxLustreConfig", "FsxOpenZfsConfig"):
            if kind in storage:
                return storage[kind]["DnsName"].split(".")[0]
    return None

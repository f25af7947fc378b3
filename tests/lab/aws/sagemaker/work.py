# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes on after the answer: hosts come up, go, are wiped; statuses follow what happened to them.

Each function runs in a thread of its own under the cluster's ``work`` lock.
"""

from __future__ import annotations

import dataclasses
import math
import threading
import time
import traceback
import typing as t

from .. import cloud
from . import addresses, events
from .cluster import Cluster, Group, Node, now

CHECKING = "DeepHealthCheckInProgress"


def start(work: t.Callable[..., None], cluster: Cluster, *arguments: t.Any) -> None:
    """Run ``work(cluster, …)`` in the background, after what the cluster is busy with."""

    def run() -> None:
        with cluster.work:
            try:
                work(cluster, *arguments)
            except Exception as error:
                traceback.print_exc()
                cluster.failure = f"{type(error).__name__}: {error}"

    threading.Thread(target=run, daemon=True, name=f"{cluster.name}-{work.__name__}").start()


@dataclasses.dataclass(frozen=True)
class Before:
    """What a cluster was before an update that may be rolled back."""

    groups: dict[str, Group]
    request: dict[str, t.Any]


def create(cluster: Cluster, failure: str) -> None:
    """Creating, then InService; without continuous provisioning only once all nodes run."""
    pause()
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
    """Bring up the nodes that an update added, take down those it dropped."""
    pause()
    operation["Status"] = "Superseded" if failure else "Done"
    if failure:
        _roll_back(cluster, before, failure)
        return
    if cluster.continuous:
        cluster.status = "InService"
    take_down(cluster, leaving)
    for name in deleted:
        cluster.groups.pop(name, None)
    bring_up(cluster, [node for node in cluster.nodes.values() if node.status == "Pending"])
    _groups_follow(cluster)
    cluster.status = "InService"
    _scaler_follows(cluster)


def _scaler_follows(cluster: Cluster) -> None:
    """Some time after the cluster the autoscaler is there, has failed, or is gone."""
    if cluster.scaler_status == "Creating":
        pause()
        why = cloud.current().settings["autoscaler_failure"]
        cluster.scaler_status, cluster.scaler_failure = ("Failed" if why else "InService"), why
    elif cluster.scaler_status == "Deleting":
        pause()
        cluster.scaler_status = cluster.scaler_failure = ""


def _roll_back(cluster: Cluster, before: Before, failure: str) -> None:
    cluster.status = "RollingBack"
    events.failed(cluster, failure)
    pause()
    take_down(cluster, [node for node in cluster.nodes.values() if node.status == "Pending"])
    for node in cluster.nodes.values():
        node.leaving = False
    cluster.groups, cluster.request = before.groups, before.request
    _groups_follow(cluster)
    cluster.status = "InService"


def delete(cluster: Cluster, forget: t.Callable[[], None]) -> None:
    """Take down everything; the cluster is unknown afterwards."""
    pause()
    take_down(cluster, list(cluster.nodes.values()))
    cluster.gone = True
    if cluster.linger[1] <= 0:
        forget()


def grow(cluster: Cluster, new: list[Node], lose: t.Callable[[Cluster, Node], None]) -> None:
    """BatchAddClusterNodes: the targets are higher already. What finds no capacity is lost, which only an event tells."""
    pause()
    refused = _without_capacity(cluster, new)
    with cloud.current().lock:
        for node in refused:
            lose(cluster, node)
            why = f"We currently do not have sufficient capacity to launch new {node.instance_type} instances. Please try again."
            events.not_launched(cluster, node, f"InsufficientInstanceCapacity: {why}")
    coming = [node for node in new if node not in refused]
    late = cloud.current().settings["launch_seconds"]
    bring_up(cluster, [node for node in coming if not late.get(node.group)])
    _groups_follow(cluster)
    for node in coming:
        if late.get(node.group):
            timer = threading.Timer(late[node.group], start, (_come_late, cluster, node))
            timer.daemon = True
            timer.start()


def _come_late(cluster: Cluster, node: Node) -> None:
    if node.instance_id in cluster.nodes:
        bring_up(cluster, [node])


def _without_capacity(cluster: Cluster, new: list[Node]) -> list[Node]:
    """As the settings have it, which count down here."""
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
    """Each old node goes; a new id comes up in its place, by default on the same address.

    An attempt may fail, is in Failure for a while, and the next one begins; between two attempts a node is in no list. Source: AWS's
    field notes, hyperpod-mental-model.md, "Failed instance status is not necessarily terminal".
    """
    pause()
    _each(old, lambda node: _destroy(cluster, node))
    for attempt in range(cloud.current().settings["failed_replacements"], -1, -1):
        old = _listed_anew(cluster, old)
        pause()
        if attempt:
            mark(old, "Failure")
            pause()
    bring_up(cluster, old)
    _groups_follow(cluster)


def _listed_anew(cluster: Cluster, old: list[Node]) -> list[Node]:
    """Nodes in place of others, which were in no list in between."""
    for node in old:
        cluster.drop(node)
    pause()
    fresh = []
    with cloud.current().lock:
        for node in old:
            new = Node(node.group, node.turn, node.instance_type, _address_after(cluster, node))
            new.linger = ("Pending", node.linger[1])
            cluster.nodes[new.instance_id] = new
            fresh.append(new)
    return fresh


def check(cluster: Cluster, nodes: list[Node], bad: t.Container[str], operation: dict[str, t.Any]) -> None:
    """Deep health checks, which begin some time after the call; nodes that are ``bad`` are replaced."""
    time.sleep(cloud.current().settings["health_check_delay_seconds"])
    mark(nodes, CHECKING)
    pause()
    mark([node for node in nodes if node.instance_id not in bad], "Running")
    failed = [node for node in nodes if node.instance_id in bad]
    mark(failed, "ShuttingDown")
    operation["Status"] = "Done"
    if failed:
        replace(cluster, failed)


def reboot(cluster: Cluster, nodes: list[Node]) -> None:
    """The same disk, the same address; only the processes go."""
    pause()
    _each(nodes, lambda node: _reboot(cluster, node))


def remove(cluster: Cluster, nodes: list[Node]) -> None:
    """BatchDeleteClusterNodes: the nodes go and the targets are lower already."""
    pause()
    take_down(cluster, nodes)
    _groups_follow(cluster)


def update_software(cluster: Cluster, versions: dict[str, str], image_id: str, batch: dict[str, t.Any] | None) -> None:
    """Wipe the nodes of the groups, batch by batch; ids and addresses stay."""
    rolls_back = cloud.current().settings["software_update"] == "rolls_back"
    for name, version in versions.items():
        group = cluster.groups[name]
        skipped = cloud.current().settings["protected_nodes"] if cluster.eks_arn else []
        nodes = [node for node in cluster.of_group(name) if node.instance_id not in skipped]
        size = _batch_size(batch, len(nodes))
        for first in range(0, len(nodes), size):
            part = nodes[first : first + size]
            mark(part, "SystemUpdating")
            pause()
            _attempts_that_fail(cluster, part)
            if rolls_back:
                _each(part, lambda node: _wipe(cluster, node, told=False))
                mark(part, "Failure")
                group.software_update = "RollbackInProgress"
                events.failed(cluster, f"The software of {name} did not come up", group=name)
                pause()
            _each(part, lambda node: _wipe(cluster, node, told=not rolls_back))
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
    """Nodes that do not come up are wiped again; the group is InProgress all the while, and nothing is told of it."""
    for _attempt in range(cloud.current().settings["software_update_retries"]):
        _each(nodes, lambda node: _wipe(cluster, node, told=False))
        mark(nodes, "Failure")
        pause()
        mark(nodes, "SystemUpdating")
        pause()


def bring_up(cluster: Cluster, nodes: list[Node]) -> None:
    """Start the hosts of pending nodes, controllers first since the others look for them."""
    controllers = [node for node in nodes if cluster.node_type(node.group) == "controller"]
    _each(controllers, lambda node: _launch(cluster, node))
    _each([node for node in nodes if node not in controllers], lambda node: _launch(cluster, node))


def take_down(cluster: Cluster, nodes: list[Node]) -> None:
    """Stop the hosts, give back their addresses, forget the nodes."""
    mark(nodes, "ShuttingDown")
    _each(nodes, lambda node: _destroy(cluster, node))
    with cloud.current().lock:
        for node in nodes:
            cluster.drop(node)
            if node.address:
                addresses.give_back(cluster.account, cluster.region, node.address)


def pause() -> None:
    """As long as a state lasts that has no real work behind it; a shorter setting also ends one that lasts already."""
    begin = time.monotonic()
    while (left := begin + cloud.current().settings["transition_seconds"] - time.monotonic()) > 0:
        time.sleep(min(left, 0.2))


def has_host(cluster: Cluster, node: Node) -> bool:
    """Whether the node is a real host: not in a cluster of records, and only inside a VPC."""
    return cluster.hosts_wanted and node.address is not None


def _launch(cluster: Cluster, node: Node) -> None:
    node.release, node.image = cluster.groups[node.group].release, cluster.groups[node.group].own_image

    def boot() -> None:
        here = cloud.current()
        address = t.cast(addresses.Address, node.address)
        here.network.ensure_vpc(address.vpc, address.vpc_cidr, reachable=address.reachable)
        here.hosts.create(host_spec(cluster, node))
        node.booted = True

    _guard(cluster, node, boot)


def _wipe(cluster: Cluster, node: Node, *, told: bool) -> None:
    """``told``: the API tells the time of it."""

    def stamp() -> None:
        node.updated = now() if told else node.updated

    _guard(cluster, node, lambda: cloud.current().hosts.wipe(node.instance_id), then=stamp)


def _reboot(cluster: Cluster, node: Node) -> None:
    _guard(cluster, node, lambda: cloud.current().hosts.reboot(node.instance_id))


def _destroy(cluster: Cluster, node: Node) -> None:
    if node.booted:
        cloud.current().hosts.destroy(node.instance_id)


def _guard(cluster: Cluster, node: Node, work: t.Callable[[], None], then: t.Callable[[], None] = lambda: None) -> None:
    """Running when the host's work succeeds, Failure with its message when not."""
    try:
        if has_host(cluster, node):
            work()
        then()
        node.status, node.message = "Running", ""
    except Exception as error:
        traceback.print_exc()
        node.status, node.message = "Failure", f"{type(error).__name__}: {error}"[:500]


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
    """What the lab's hosts need to know of a node."""
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

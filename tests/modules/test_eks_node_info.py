# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_node_info against the simulated EC2 and an API server in memory."""

from __future__ import annotations

import typing as t
from pathlib import Path

from simulated.shape import reads
from unit.module_utils._eks.node.reported import Nodes, node, provider_id
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig

CLUSTER = "training"
OWNED = {f"kubernetes.io/cluster/{CLUSTER}": "owned"}


def instance(simulator: t.Any, network: dict[str, t.Any], tags: dict[str, str], *kinds: str) -> str:
    """ID of a new instance with a network interface of each type."""
    interfaces = [
        {"DeviceIndex": index, "SubnetId": network["subnets"][0], "InterfaceType": kind} for index, kind in enumerate(kinds or ["interface"])
    ]
    given = [{"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]
    request = {"ImageId": "ami-12c6146b", "MinCount": 1, "MaxCount": 1, "InstanceType": "p5.48xlarge"}
    made = simulator.client("ec2").run_instances(**request, NetworkInterfaces=interfaces, TagSpecifications=given)
    return str(made["Instances"][0]["InstanceId"])


def read(simulator: t.Any, nodes: Nodes, folder: Path, **given: t.Any) -> t.Any:
    with Server(nodes) as kubernetes:
        options = {"eks_cluster": CLUSTER, "kubeconfig": kubeconfig(kubernetes, folder), **given}
        return reads(simulator, "eks_node_info", **options)["eks_nodes"]


def test_nodes_with_their_instances(simulator: t.Any, network: dict[str, t.Any], tmp_path: Path) -> None:
    grouped = instance(simulator, network, {**OWNED, "eks:nodegroup-name": "gpus"}, "efa", "efa-only")
    foreign = instance(simulator, network, {"kubernetes.io/cluster/other": "owned"})
    ended = instance(simulator, network, OWNED)
    simulator.client("ec2").terminate_instances(InstanceIds=[ended])
    nodes = Nodes(
        *(node(name, provider_id(each)) for name, each in (("d", foreign), ("c", ended), ("a", grouped))),
        node("b", "aws:///us-west-2a/0123/fargate-ip-10-0-0-1", gpus=0),
    )
    found = read(simulator, nodes, tmp_path)
    assert [(each["name"], each["instance_id"], each["node_group"], each["efa_interfaces"], each["gpus"]) for each in found] == [
        ("a", grouped, "gpus", 2, 8),
        ("b", None, None, None, 0),
        ("c", None, None, None, 8),
        ("d", None, None, None, 8),
    ]
    assert (found[0]["zone"], found[0]["instance_type"], found[0]["differences"]) == ("us-west-2a", "p5.48xlarge", [])
    assert [each["unknown"].partition(" ")[2] for each in found] == [
        "",
        "provider ID aws:///us-west-2a/0123/fargate-ip-10-0-0-1 does not identify an EC2 instance.",
        f"{ended} is terminated.",
        f"tag of instance {foreign} names EKS cluster training.",
    ]


def test_many_nodes_are_read_with_few_calls(simulator: t.Any, network: dict[str, t.Any], tmp_path: Path) -> None:
    own = instance(simulator, network, OWNED)
    others = [node(f"n{number}", provider_id(f"i-{number:017x}")) for number in range(250)]
    found = read(simulator, Nodes(node("own", provider_id(own)), *others), tmp_path)
    assert len(found) == 251 and [each["name"] for each in found if not each["unknown"]] == ["own"]


def test_refusals_and_failures(simulator: t.Any, tmp_path: Path, faults: t.Callable[..., None]) -> None:
    refused = simulator.run("eks_node_info", eks_cluster="a b")
    assert refused["failed"] and "eks_cluster: 'a b' is not allowed" in refused["msg"], refused
    nodes = Nodes(node("a", provider_id(f"i-{1:017x}")))
    with Server(nodes) as kubernetes:
        options = {"eks_cluster": CLUSTER, "kubeconfig": kubeconfig(kubernetes, tmp_path)}
        faults(kind="error", operation="DescribeInstances", code="UnauthorizedOperation")
        denied = simulator.run("eks_node_info", **options)
        assert denied["failed"] and "DescribeInstances for the nodes' instances failed; allow the action" in denied["msg"], denied
        nodes.status = 403
        unread = simulator.run("eks_node_info", **options)
        assert unread["failed"] and "GET /api/v1/nodes" in unread["msg"], unread

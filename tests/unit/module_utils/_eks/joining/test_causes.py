# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The causes for each observation: what is wrong, what is unknown, and nothing for nodes that have everything."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.causes import findings
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.model import (
    Cluster,
    Endpoint,
    Observation,
    Role,
    Route,
    Rule,
    SecurityGroup,
    Subnet,
    Template,
    Unread,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.verdict import Cause, Unknown

NODES, PLANE = "subnet-a", "subnet-b"
ANY = Rule(networks=("0.0.0.0/0",))
GROUP = SecurityGroup("sg-cluster", ingress=(Rule(groups=("sg-cluster",)),), egress=(ANY,))
CLUSTER = Cluster("ml", "API", "https://x", "CA", private=True, security_groups=("sg-cluster",), subnets=(PLANE,), vpc_id="vpc-1")
ROLE = Role("nodes", policies=("AmazonEC2ContainerRegistryPullOnly", "AmazonEKSWorkerNodePolicy"))
NAT = Route("rtb-1", "nat-1")
FINE = Observation(
    cluster=CLUSTER,
    role=ROLE,
    template=Template(),
    entry="EC2_LINUX",
    cni_role=True,
    security_groups={"sg-cluster": GROUP},
    subnets={NODES: Subnet(NODES, "10.0.1.0/24"), PLANE: Subnet(PLANE, "10.0.2.0/24")},
    routes={NODES: NAT},
    node_subnets=(NODES,),
)
DENIED = Unread("it", "AccessDenied")
EVERY_ENDPOINT = (Endpoint("s3", ("rtb-1",)), *(Endpoint(each) for each in ("ec2", "ecr.api", "ecr.dkr")))
OWN = Template("t", security_groups=("sg-own",))


def own(ingress: tuple[Rule, ...] = (), egress: tuple[Rule, ...] = (ANY,), plane: tuple[Rule, ...] = ()) -> dict[str, t.Any]:
    """Nodes with another group, and a control plane whose group has these further rules."""
    cluster = dataclasses.replace(GROUP, ingress=(*GROUP.ingress, *plane))
    return {"template": OWN, "security_groups": {"sg-own": SecurityGroup("sg-own", ingress, egress), "sg-cluster": cluster}}


def port(number: int, **peers: tuple[str, ...]) -> Rule:
    return Rule((number, number), **peers)


def data(text: str, image: str = "") -> dict[str, t.Any]:
    return {"template": Template("t", image=image, user_data=text)}


def config(cluster: str) -> str:
    text = f"apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {{cluster: {cluster}}}"
    return f'Content-Type: multipart/mixed; boundary="B"\n\n--B\nContent-Type: application/node.eks.aws\n\n{text}\n--B--\n'


def network(**fields: t.Any) -> dict[str, t.Any]:
    return {"cluster": dataclasses.replace(CLUSTER, **fields)}


NODES_443 = port(443, groups=("sg-own",))
CONTROL_10250 = port(10250, groups=("sg-cluster",))
COMPLETE = "{name: ml, apiServerEndpoint: 'https://x', certificateAuthority: CA, cidr: 172.20.0.0/16}"
CASES: list[tuple[str, dict[str, t.Any], list[str], list[str]]] = [
    ("everything", {}, [], []),
    ("no role", {"role": Role("nodes", exists=False)}, ["role nodes does not exist"], []),
    (
        "no policy",
        {"role": Role("nodes")},
        ["nodes lacks AmazonEKSWorkerNodePolicy (it has no", "lacks AmazonEC2ContainerRegistryPullOnly"],
        [],
    ),
    ("read only registry", {"role": Role("nodes", policies=("AmazonEC2ContainerRegistryReadOnly", "AmazonEKSWorkerNodePolicy"))}, [], []),
    ("administrator", {"role": Role("nodes", policies=("AdministratorAccess",)), "cni_role": False}, [], []),
    ("own policies", {"role": Role("nodes", others=("mine",))}, [], ["whether mine of role nodes", "AmazonEC2ContainerRegistryPullOnly"]),
    ("no role of the CNI", {"cni_role": False}, ["lacks AmazonEKS_CNI_Policy"], []),
    ("unread role of the CNI", {"cni_role": DENIED}, [], ["could not read it (AccessDenied)"]),
    ("no entry", {"entry": None}, ["has no access entry in EKS cluster ml, whose authentication mode is API"], []),
    ("no entry with aws-auth", {"entry": None, **network(mode="API_AND_CONFIG_MAP")}, [], ["whether ConfigMap aws-auth maps"]),
    ("an entry of people", {"entry": "STANDARD"}, ["has type STANDARD"], []),
    (
        "a group without rules",
        own(),
        ["the nodes cannot reach the API server (no ingress rule of sg-cluster allows TCP 443 from sg-own", "TCP 10250 from sg-cluster"],
        [],
    ),
    ("rules by group", own(ingress=(CONTROL_10250,), plane=(NODES_443,)), [], []),
    ("a rule by network", own(ingress=(CONTROL_10250,), plane=(port(443, networks=("10.0.0.0/16",)),)), [], []),
    ("a rule for another network", own(ingress=(CONTROL_10250,), plane=(port(443, networks=("10.1.0.0/16",)),)), ["cannot reach the API"], []),
    ("another port", own(ingress=(port(10255, groups=("sg-cluster",)),), plane=(NODES_443,)), ["control plane cannot reach the kubelets"], []),
    ("no way out", own(ingress=(CONTROL_10250,), egress=(), plane=(NODES_443,)), ["no egress rule of sg-own allows TCP 443 to sg-cluster"], []),
    ("prefix lists", own(ingress=(CONTROL_10250,), plane=(port(443, prefix_lists=("pl-1",)),)), [], ["whether the ingress rules of sg-cluster"]),
    (
        "unread subnets",
        {**own(ingress=(CONTROL_10250,), plane=(port(443, networks=("10.0.0.0/16",)),)), "subnets": DENIED},
        [],
        ["TCP 443 from sg-own"],
    ),
    ("unread rules", {"security_groups": DENIED}, [], ["could not read it"]),
    ("no route", {"routes": {NODES: Route("rtb-1")}}, ["no default route (route table rtb-1) and no VPC endpoint for ec2, ecr.api"], []),
    ("endpoints instead", {"routes": {NODES: Route("rtb-1")}, "endpoints": EVERY_ENDPOINT}, [], []),
    ("endpoint of another table", {"routes": {NODES: Route("rtb-2")}, "endpoints": EVERY_ENDPOINT}, ["no VPC endpoint for s3:"], []),
    ("unread endpoints", {"routes": {NODES: Route("rtb-1")}, "endpoints": DENIED}, [], ["may replace it: could not read it"]),
    ("blackhole", {"routes": {NODES: Route("rtb-1", "nat-9", usable=False)}}, ["leads to nat-9, which does not exist"], []),
    ("internet gateway", {"routes": {NODES: Route("rtb-1", "igw-1")}}, ["but the nodes get no public address"], []),
    (
        "public subnet",
        {"routes": {NODES: Route("rtb-1", "igw-1")}, "subnets": {NODES: Subnet(NODES, "10.0.1.0/24", True)}},
        [],
        [],
    ),
    ("template with address", {"routes": {NODES: Route("rtb-1", "igw-1")}, "template": Template("t", public_address=True)}, [], []),
    ("transit gateway", {"routes": {NODES: Route("rtb-1", "tgw-1")}}, [], ["leads to tgw-1, behind which nothing was checked"]),
    ("unread routes", {"routes": DENIED}, [], ["could not read it"]),
    ("public endpoint", network(private=False, public_cidrs=("0.0.0.0/0",)), [], []),
    ("limited endpoint", network(private=False, public_cidrs=("203.0.113.0/24",)), [], ["public addresses are in 203.0.113.0/24"]),
    (
        "no way to a public endpoint",
        {**network(private=False, public_cidrs=("0.0.0.0/0",)), **own(ingress=(CONTROL_10250,), egress=(port(443, groups=("sg-cluster",)),))},
        ["cannot reach the public API server (no egress rule of sg-own allows TCP 443 to any network)"],
        [],
    ),
    ("an image without user data", {"template": Template("t", image="ami-1")}, ["has image ami-1 but no user data"], []),
    ("complete user data", data(config(COMPLETE), "ami-1"), [], []),
    ("no values", data(config("{}"), "ami-1"), ["lacks spec.cluster.name, spec.cluster.apiServerEndpoint"], []),
    ("EKS adds the values", data(config("{}")), [], []),
    ("another endpoint", data(config("{apiServerEndpoint: 'https://y'}")), ["spec.cluster.apiServerEndpoint https://y, which is not"], []),
    ("another authority", data(config("{certificateAuthority: other}")), ["has spec.cluster.certificateAuthority, which is not"], []),
    ("invalid YAML", data(config("{name: [")), ["a NodeConfig in the user data of launch template t is invalid: it is not YAML"], []),
    ("another kind", data(config("{}").replace("NodeConfig", "Node")), ["it must have apiVersion node.eks.aws/v1alpha1"], []),
    ("a program", data("#!/bin/sh\n"), ["is not a MIME message with several parts, which EKS requires"], []),
    ("a program for an image", data("#!/bin/sh\n", "ami-1"), [], ["which is not a MIME message"]),
    ("the program of AL2", data("#!/bin/sh\n/etc/eks/bootstrap.sh ml\n", "ami-1"), [], ["which is a program"]),
    ("AL2 for another cluster", data("#!/bin/sh\n/etc/eks/bootstrap.sh other\n", "ami-1"), ["without the name of the cluster, ml"], []),
    ("Bottlerocket", {**data("[settings]"), "ami_type": "BOTTLEROCKET_x86_64"}, [], ["which was not parsed"]),
    ("an unread cluster", {"cluster": DENIED}, [], ["could not read it"]),
    ("an unread template", {"template": DENIED}, [], ["could not read it"]),
    ("an unread role and entry", {"role": DENIED, "entry": Unread("entry", "Throttling")}, [], ["could not read it", "could not read entry"]),
]


@pytest.mark.parametrize(("changed", "causes", "unknown"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_causes(changed: dict[str, t.Any], causes: list[str], unknown: list[str]) -> None:
    found = findings(dataclasses.replace(FINE, **changed))
    for kind, expected in ((Cause, causes), (Unknown, unknown)):
        texts = [str(each) for each in found if isinstance(each, kind)]
        assert len(texts) == len(expected) and all(part in text for part, text in zip(expected, texts, strict=True)), texts

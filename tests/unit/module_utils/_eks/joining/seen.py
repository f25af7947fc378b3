# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Observations of nodes, and the comparison of findings."""

from __future__ import annotations

import dataclasses
import typing as t

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
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.verdict import Cause, Finding, Unknown

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

Case = tuple[str, dict[str, t.Any], list[str], list[str]]


def assert_found(found: t.Iterable[Finding], causes: list[str], unknown: list[str]) -> None:
    """Each expected text is a part of one finding, in this order."""
    found = tuple(found)
    for kind, expected in ((Cause, causes), (Unknown, unknown)):
        texts = [str(each) for each in found if isinstance(each, kind)]
        assert len(texts) == len(expected) and all(part in text for part, text in zip(expected, texts, strict=True)), texts


def seen(changed: dict[str, t.Any]) -> Observation:
    return dataclasses.replace(FINE, **changed)

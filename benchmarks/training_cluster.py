# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training cluster from its plan to its removal; and an EKS cluster with a node group, compared with community.aws.

AWS is simulated, and creates everything within seconds. Nodes are objects in a real API server.
"""

from __future__ import annotations

import collections
import json
import sys
import typing as t
from pathlib import Path

import measure

HERE = Path(__file__).resolve().parent
ROLE = "mlfleet.hyperpod.training_cluster"
WAYS = {"mlfleet.hyperpod": HERE / "playbooks" / "eks.yml", "community.aws": HERE / "playbooks" / "eks_community.yml"}
STAGES = ("created", "unchanged", "removed")
TURNS = 3


class Run(t.NamedTuple):
    took: measure.Took
    calls: collections.Counter[str]
    mutating: int

    def __str__(self) -> str:
        services = ", ".join(f"{service} {count}" for service, count in self.calls.most_common())
        return f"{measure.seconds(self.took)}, {self.calls.total()} AWS calls ({services}), {self.mutating or 'none'} mutating"


def rows() -> measure.Rows:
    sys.path.insert(0, str(HERE.parent / "tests" / "integration"))
    from training_definition import ACCEPTED, NAME, QUOTAS, REMOVED, Definition
    from training_world import TrainingWorld

    with TrainingWorld(NAME) as world:
        world.world.settings(service_quotas=QUOTAS, price_list=True)
        arguments = Definition(world).arguments
        for what, more in {"its plan": (), "the build": ACCEPTED, "the same again": ACCEPTED, "the removal": REMOVED}.items():
            run = played(world, ROLE, *arguments, *more)
            if what in ("its plan", "the same again") and run.mutating:
                sys.exit(f"{what} must make no mutating call: {run}")
            yield f"training_cluster, {what}", str(run)
    with TrainingWorld(NAME) as world:  # a new cluster has an empty API server
        played(world, ROLE, *Definition(world).arguments, *ACCEPTED)
        # community.aws makes the caller an administrator, which the documented policies do not allow. The role of the nodes lacks
        # the permissions of the VPC CNI.
        world.world.settings(policies=[], eks_nodes_need_all=False)
        yield from compared(world, without_cluster(world, NAME))


def compared(world: t.Any, given: t.Mapping[str, t.Any]) -> measure.Rows:
    """Rows of the run with the median duration, for each stage and way; the ways alternate."""
    runs: dict[tuple[str, str], list[Run]] = collections.defaultdict(list)
    for _turn in range(TURNS):
        for way, playbook in WAYS.items():
            for stage in STAGES:
                variables = {"eks": given, "state": "absent" if stage == "removed" else "present"}
                runs[stage, way].append(played(world, str(playbook), "-e", json.dumps(variables)))
    for stage in STAGES:
        ours, theirs = (sorted(runs[stage, way], key=lambda run: run.took)[TURNS // 2] for way in WAYS)
        yield f"EKS cluster and node group {stage}, mlfleet.hyperpod", str(ours)
        yield f"EKS cluster and node group {stage}, community.aws", str(theirs)
        processor = f"{ours.took.processor / theirs.took.processor:.2f} of the processor"
        calls = f"{ours.calls.total() / theirs.calls.total():.2f} of the calls"
        yield f"ratio, {stage}", f"{ours.took / theirs.took:.2f} of the seconds, {processor}, {calls}"


def without_cluster(world: t.Any, name: str) -> dict[str, t.Any]:
    """Remove the EKS cluster that the role built; its network and its IAM roles, which stay, are returned."""
    from training_account import Account

    eks = world.aws("eks")
    cluster = eks.describe_cluster(name=name)["cluster"]
    group = eks.describe_nodegroup(clusterName=name, nodegroupName="gpu")["nodegroup"]
    Account(world.aws, world.world.eventually).clusters()
    network = cluster["resourcesVpcConfig"]
    default = [{"Name": "vpc-id", "Values": [network["vpcId"]]}, {"Name": "group-name", "Values": ["default"]}]
    return {
        "name": name,
        "cluster_role": cluster["roleArn"],
        "node_role": group["nodeRole"],
        "subnets": network["subnetIds"],
        "security_group": world.aws("ec2").describe_security_groups(Filters=default)["SecurityGroups"][0]["GroupId"],
    }


def played(world: t.Any, playbook: str, *arguments: str) -> Run:
    world.world.reset_calls()
    took, _output = measure.run(["ansible-playbook", playbook, *arguments])
    calls = world.world.calls()
    return Run(took, collections.Counter(call["service"] for call in calls), sum(call["mutating"] for call in calls))

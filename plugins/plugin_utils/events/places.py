# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The accounts and Regions of clusters, and the names and policies of their rules and queues. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn

HostVars = t.Mapping[str, t.Mapping[str, t.Any]]
PATTERN = {
    "source": ["aws.sagemaker"],
    "detail-type": [
        "SageMaker HyperPod Cluster Event",
        "SageMaker HyperPod Cluster Node Health Event",
        "SageMaker HyperPod Cluster State Change",
    ],
}
"""All events of HyperPod. AWS does not document which of them announces the replacement of a node."""
LISTENER_ACTIONS = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:ReceiveMessage"]


@dataclass(frozen=True, order=True)
class Place:
    """An account and a Region."""

    account: str
    region: str
    partition: str = "aws"

    @classmethod
    def of(cls, variables: t.Mapping[str, t.Any]) -> Place:
        """The place of a cluster, from the ARN that the inventory has read."""
        arn = ClusterArn.parse(str(variables["hyperpod_cluster_arn"]))
        return cls(arn.account, arn.region, arn.partition)

    def __str__(self) -> str:
        return f"account {self.account}, Region {self.region}"

    def queue_arn(self, name: str) -> str:
        return f"arn:{self.partition}:sqs:{self.region}:{self.account}:{name}"

    def rule_arn(self, name: str) -> str:
        return f"arn:{self.partition}:events:{self.region}:{self.account}:rule/{name}"


def hosts_by_place(hosts: t.Iterable[str], hostvars: HostVars) -> dict[Place, list[str]]:
    """The inventory hosts of clusters, by their account and Region, in the order of ``hosts``."""
    found: dict[Place, list[str]] = {}
    for host in hosts:
        found.setdefault(Place.of(hostvars[host]), []).append(host)
    return found


def first_host(variables: t.Mapping[str, t.Any]) -> str:
    """The host of the play that represents the account and Region of the current host's cluster. It stays the same if it fails."""
    place = Place.of(variables)
    hosts, hostvars = variables["ansible_play_hosts_all"], variables["hostvars"]
    return next(str(host) for host in hosts if Place.of(hostvars[host]) == place)


def dead_name(name: str) -> str:
    return f"{name}-dead"


def queue_policy(place: Place, name: str, listeners: t.Sequence[str]) -> dict[str, t.Any]:
    """Only the rule may send. The listeners may be principals of another account."""
    arn = place.queue_arn(name)
    receiving = {
        "Sid": "Listeners",
        "Effect": "Allow",
        "Principal": {"AWS": sorted(listeners)},
        "Action": LISTENER_ACTIONS,
        "Resource": arn,
    }
    return _policy([_sending(place, name, arn), *([receiving] if listeners else [])])


def dead_policy(place: Place, name: str) -> dict[str, t.Any]:
    return _policy([_sending(place, name, place.queue_arn(dead_name(name)))])


def _policy(statements: list[dict[str, t.Any]]) -> dict[str, t.Any]:
    return {"Version": "2012-10-17", "Statement": statements}


def _sending(place: Place, name: str, arn: str) -> dict[str, t.Any]:
    return {
        "Sid": "Rule",
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": arn,
        "Condition": {"ArnEquals": {"aws:SourceArn": place.rule_arn(name)}},
    }

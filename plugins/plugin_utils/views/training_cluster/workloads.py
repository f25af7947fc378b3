# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people run in the cluster, as ``kubernetes_workload_info`` returns it."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables

FOUND = "__training_cluster_workloads"
"""The variable with the result of ``kubernetes_workload_info``."""
Pod = t.Mapping[str, t.Any]
Job = t.Mapping[str, str]


@dataclass(frozen=True)
class Workloads:
    pods: tuple[Pod, ...]
    jobs: tuple[Job, ...]
    """Jobs that this collection created."""
    unfinished_jobs: tuple[Job, ...]
    load_balancers: tuple[str, ...]
    volumes: tuple[t.Mapping[str, t.Any], ...]
    unread: tuple[str, ...]
    unread_jobs: tuple[str, ...]

    def pods_on(self, groups: t.Sequence[str], *, everywhere: bool) -> list[str]:
        """Pods of people on the nodes of the groups, or also on others and on none."""
        return [described(each) for each in self.pods if everywhere or each["node_group"] in groups]

    @property
    def our_jobs(self) -> list[dict[str, t.Any]]:
        """Jobs that this collection created, as options of ``kubernetes_objects``."""
        return [
            {
                "apiVersion": each["api_version"],
                "kind": each["kind"],
                "metadata": {"namespace": each["namespace"], "name": each["name"]},
            }
            for each in self.jobs
        ]

    def unfinished(self, kind: str = "") -> list[str]:
        """Jobs of people that have not ended.

        :param kind: empty for all kinds.
        """
        found = [each for each in self.unfinished_jobs if kind in ("", each["kind"])]
        return [printable(f"{each['kind']} {each['namespace']}/{each['name']}") for each in found]

    @property
    def left(self) -> list[str]:
        """Resources in AWS that Kubernetes created, and that nothing removes after the cluster."""
        balancers = [f"the load balancer of Service {printable(each)}" for each in self.load_balancers]
        created = [each for each in self.volumes if each["dynamic"] and each["handle"]]
        return balancers + [printable(f"{each['handle']} (claim {each['claim']}, {each['driver']})") for each in created]

    def using(self, pods: t.Iterable[Pod], file_systems: t.Collection[str]) -> list[str]:
        """The Pods that use one of the file systems."""
        claims = {each["claim"] for each in self.volumes if each["handle"] in file_systems}
        return [described(each) for each in pods if claims & set(each["claims"])]


def workloads(variables: Variables) -> Workloads | None:
    """None if the cluster was not read."""
    found = plain(variables.get(FOUND) or {}).get("kubernetes_workloads")
    return Workloads(**{name: tuple(values) for name, values in found.items()}) if found else None


def described(pod: Pod) -> str:
    details = ", ".join(text for text in (pod["owner"], f"node group {pod['node_group']}" if pod["node_group"] else "") if text)
    return printable(f"Pod {pod['namespace']}/{pod['name']}" + (f" ({details})" if details else ""))

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one simulated cloud of this process: what the backends of all services share."""

from __future__ import annotations

import dataclasses
import subprocess
import threading
import typing as t
from concurrent.futures import ThreadPoolExecutor

if t.TYPE_CHECKING:
    from .calls import CallLog
    from .faults import Faults
    from .sagemaker.governance import Policy

DEFAULT_ACCOUNT = "111111111111"

SETTINGS: dict[str, t.Any] = {
    "replace_ip": "same",  # or "new": what a replaced node gets
    "pending_ip": "shown",  # or "hidden": whether DescribeClusterNode tells the address of a Pending node
    "transition_seconds": 0.2,  # how long a state without real work behind it lasts
    "software_update": "succeeds",  # or "rolls_back": each node is wiped, fails, is wiped again; no time is told
    "software_update_retries": 0,  # attempts of a software update that fail before the one that counts; AWS makes about four in all
    "image_release_version": "1.0.0",  # AWS's newest image
    "protected_nodes": [],  # ids of those with EKS that a software update leaves out, since a budget protects their pods
    "update_time": "of_node",  # or "of_cluster": a software update changes the time of every node of the cluster
    "max_nodes": 1000,  # of one account, over all clusters
    "sessions_per_second": 3,  # StartSession, per account
    "parameter_write_seconds": 0.02,  # how long a PutParameter lasts; another one meanwhile is refused
    "parameter_lag_seconds": 0.2,  # the first read within that time does not know of it
    "parameter_rest_seconds": 0.3,  # how long a deleted name can't be created; 30 on AWS
    "security_group_rule_lag_seconds": 0.2,  # the first look within that time does not show a new rule
    "security_group_lag_seconds": 0,  # how long a new group is not found by filters, and gets no rules
    "cluster_lag_seconds": 0,  # how long DescribeCluster tells what was there before a change was asked for
    "count_lag_seconds": 0.3,  # how long CurrentCount has a node that is listed no more
    "failed_replacements": 0,  # attempts that fail before the one that brings a replaced node back
    "health_check_delay_seconds": 0,  # how long after the call deep health checks begin; the operation is in progress all the while
    "autoscaler_failure": "",  # why an autoscaler that is switched on fails
    "eks_needs_scripts": False,  # whether a new group of a cluster with EKS is refused without LifeCycleConfig
    "insufficient_capacity": {},  # by group: how many of the next nodes that are added find no capacity, or true for all
    "capacity": {},  # by group: how many nodes there can be; those that are added beyond it find no capacity
    "launch_seconds": {},  # by group: how long nodes that are added take to come, beyond the rest
    "training_plans": {},  # by name: available and spare instances
    "policy_lag_seconds": 0,  # how long task governance tells what was there before a change was asked for
    "deleted_policy_seconds": 3600,  # how long it tells of what was deleted
    "kubernetes": {},  # endpoint and certificate_authority of the API server of every cluster of EKS
    "eks_addon_settings": {},  # schemas of settings by the names of add-ons, beside those of the catalogue
    "eks_without_nodes": [],  # names of clusters of EKS; add-ons that run in pods of their own are DEGRADED there
    "eks_addon_conflicts": [],  # names of add-ons whose fields somebody else has set
    "policies": [],  # documents that every call is held against; none are held against none
    "page_size": 1000,  # at most, of a HyperPod or Client VPN listing; AWS may give fewer items than asked for
}


class NoNetwork:
    """A network of nothing, for tests of the API alone."""

    def ensure_vpc(self, vpc_id: str, cidr: str, *, reachable: bool = True) -> str:
        return f"none-{vpc_id}"

    def attach(self, *arguments: t.Any, **named: t.Any) -> None:
        """Nothing to attach to."""

    def detach(self, *arguments: t.Any, **named: t.Any) -> None:
        """Nothing to detach from."""


class NoHosts:
    """Hosts that exist only as records; keeps the order of calls so that tests can look at it."""

    def __init__(self) -> None:
        self.specs: dict[str, t.Any] = {}
        self.off: set[str] = set()
        self.history: list[tuple[str, str]] = []

    def create(self, spec: t.Any) -> None:
        self.specs[spec.instance_id] = spec
        self.history.append(("create", spec.instance_id))

    def destroy(self, instance_id: str) -> None:
        self.specs.pop(instance_id, None)
        self.history.append(("destroy", instance_id))

    def wipe(self, instance_id: str) -> None:
        self.history.append(("wipe", instance_id))

    def reboot(self, instance_id: str) -> None:
        self.history.append(("reboot", instance_id))

    def power_off(self, instance_id: str) -> None:
        self.off.add(instance_id)

    def power_on(self, instance_id: str) -> None:
        self.off.discard(instance_id)

    def runs(self, instance_id: str) -> bool:
        return instance_id in self.specs.keys() - self.off

    def init_pid(self, instance_id: str) -> int:
        raise LookupError(f"{instance_id} is a record only")

    def run(self, instance_id: str, argv: t.Sequence[str], **_: t.Any) -> subprocess.CompletedProcess[str]:
        raise LookupError(f"{instance_id} is a record only")

    def list(self) -> list[str]:
        return list(self.specs)


@dataclasses.dataclass
class Cloud:
    """Paths of the lab's state, its network and hosts, the injected faults and the log of calls."""

    paths: t.Any
    network: t.Any
    hosts: t.Any
    faults: Faults = None  # type: ignore[assignment]
    calls: CallLog = None  # type: ignore[assignment]
    settings: dict[str, t.Any] = dataclasses.field(default_factory=lambda: dict(SETTINGS))
    quota_followers: list[t.Callable[[Policy], None]] = dataclasses.field(default_factory=list)
    """Told of a compute quota of task governance when what was begun with it has ended."""

    def __post_init__(self) -> None:
        from .calls import CallLog
        from .faults import Faults

        self.faults = self.faults or Faults()
        self.calls = self.calls or CallLog()
        self.lock = threading.RLock()
        self.workers = ThreadPoolExecutor(max_workers=8, thread_name_prefix="cloud")

    def background(self, work: t.Callable[..., None], *arguments: t.Any) -> t.Any:
        """Run ``work`` beside the request; returns its future."""
        return self.workers.submit(work, *arguments)

    def change_settings(self, changes: dict[str, t.Any]) -> dict[str, t.Any]:
        """Change known settings; returns all of them.

        :raises ValueError: for a name that is no setting.
        """
        unknown = sorted(set(changes) - set(SETTINGS))
        if unknown:
            raise ValueError(f"unknown setting {unknown[0]}; known: {', '.join(SETTINGS)}")
        self.settings.update(changes)
        return dict(self.settings)


_current: Cloud | None = None


def install(cloud: Cloud) -> None:
    """Make ``cloud`` the one that :func:`current` returns."""
    global _current  # noqa: PLW0603 - there is one
    _current = cloud


def current() -> Cloud:
    """The cloud of this process.

    :raises RuntimeError: before :func:`install`.
    """
    if _current is None:
        raise RuntimeError("no cloud installed")
    return _current

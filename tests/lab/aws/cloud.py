# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated cloud of this process: state that the backends of all services share."""

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
    "replace_ip": "same",  # or "new": the address of a replacement node
    "pending_ip": "shown",  # or "hidden": whether DescribeClusterNode returns the address of a Pending node
    "transition_seconds": 0.2,  # duration of a state without real work
    "transition_steps": 0,  # how many of the next or current such states end at once
    "software_update": "succeeds",  # or "rolls_back": each node is wiped, fails and is wiped again; no time is returned
    "software_update_retries": 0,  # failed attempts of a software update before the last one; AWS makes about four in total
    "image_release_version": "1.0.0",  # AWS's newest image
    "protected_nodes": [],  # IDs of EKS nodes that a software update skips, because a budget protects their pods
    "update_time": "of_node",  # or "of_cluster": a software update changes the time of all nodes of the cluster
    "max_nodes": 1000,  # of an account, over all clusters
    "sessions_per_second": 3,  # StartSession, per account
    "session_rate_seconds": 1,  # the period of this limit
    "parameter_write_seconds": 0.02,  # duration of a PutParameter; concurrent ones are refused
    "date_shift_seconds": 0,  # how far the header Date is ahead of the machine's clock; null: the header is empty
    "parameter_lag_seconds": 0.2,  # the first read within this time returns the old value
    "parameter_lags": {},  # by name of the parameter: how many seconds all reads after a write return the old value
    "parameter_rest_seconds": 0.3,  # how long a deleted name cannot be created again; 30 on AWS
    "security_group_rule_lag_seconds": 0.2,  # the first description within this time lacks a new rule
    "security_group_lag_seconds": 0,  # how long filters do not find a new group, which also accepts no rules
    "cluster_lag_seconds": 0,  # how long DescribeCluster returns the state before a change
    "count_lag_seconds": 0.3,  # how long CurrentCount includes a node that is no longer listed
    "node_health_events": True,  # whether EventBridge gets the health of nodes; awslabs' notes say that Slurm's clusters send none
    "failed_replacements": 0,  # failed attempts before the one that replaces a node
    "health_check_delay_seconds": 0,  # delay of deep health checks after the call; the operation is already in progress
    "autoscaler_failure": "",  # failure message of an autoscaler that is enabled
    "eks_needs_scripts": False,  # whether a new group of a cluster with EKS is refused without LifeCycleConfig
    "insufficient_capacity": {},  # by group: how many of the next added nodes find no capacity, or true for all
    "capacity": {},  # by group: the maximum number of nodes; further ones find no capacity
    "launch_seconds": {},  # by group: additional delay of added nodes
    "training_plans": {},  # by name: available and spare instances
    "policy_lag_seconds": 0,  # how long task governance returns the state before a change
    "deleted_policy_seconds": 3600,  # how long it lists deleted policies
    "kubernetes": {},  # endpoint and certificate_authority of the API server of all EKS clusters
    "eks_addon_settings": {},  # schemas of settings by name of the add-on, in addition to the catalogue
    "eks_without_nodes": [],  # names of EKS clusters without nodes until a node group has some, where add-ons other than DaemonSets are DEGRADED
    "eks_creates_at_once": True,  # whether a new EKS cluster is ACTIVE at once; otherwise after a while
    "eks_cluster_lag_seconds": 0,  # how long DescribeCluster of EKS returns the state before a change
    "eks_insights": {},  # upgrade insights by name of the EKS cluster: name, status, kubernetesVersion, reason
    "eks_addon_issues": {},  # by add-on: health issues as "CODE: message"; an active one is DEGRADED
    "eks_addon_conflicts": [],  # names of add-ons with fields of another manager
    "eks_nodegroup_issues": {},  # by node group: health issues as "CODE: message"; a new group fails, an active one is DEGRADED
    "eks_join_seconds": 0,  # how long a new node group waits until its nodes are in Kubernetes; 0: it does not wait
    "nat_gateway_removal_seconds": 0,  # how long a NAT gateway is deleting; meanwhile its address and its subnet cannot be removed
    "eks_nodes_need_all": False,  # whether nodes join only with policies, an access entry, rules, routes and user data as on AWS
    "eks_nodegroup_lag_seconds": 0,  # how long DescribeNodegroup returns the state before a call
    "file_system_lag_seconds": 0,  # how long FSx for Lustre returns the state before a change
    "ecr_lag_seconds": 0,  # how long ECR returns the images before a push or a move of a tag
    "ecr_scans": {},  # by repository: status, description and counts of the scan of each image
    "price_list": False,  # whether the Price List API has products; otherwise it lists none, in any Region
    "prices": {},  # its prices by instance type or usage type without the Region's prefix, such as NatGateway-Hours; null: not listed
    "policies": [],  # policy documents that calls are checked against; no checks if empty
    "page_size": 1000,  # maximum of a HyperPod or Client VPN listing; AWS may return fewer items than requested
}


class NoNetwork:
    """A network without effect, for tests of the API only."""

    def ensure_vpc(self, vpc_id: str, cidr: str, *, reachable: bool = True) -> str:
        return f"none-{vpc_id}"

    def attach(self, *arguments: t.Any, **named: t.Any) -> None:
        """Do nothing."""

    def detach(self, *arguments: t.Any, **named: t.Any) -> None:
        """Do nothing."""


class NoHosts:
    """Hosts that exist only as records; the order of calls is kept for tests."""

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
    events: list[dict[str, t.Any]] = dataclasses.field(default_factory=list)
    """The events of EventBridge in order, whether or not a rule matches them."""
    quota_followers: list[t.Callable[[Policy], None]] = dataclasses.field(default_factory=list)
    """Called with a compute quota of task governance when an operation on it has ended."""

    def __post_init__(self) -> None:
        from .calls import CallLog
        from .faults import Faults

        self.faults = self.faults or Faults()
        self.calls = self.calls or CallLog()
        self.lock = threading.RLock()
        self.changed = threading.Condition()
        """Notified of changed settings."""
        self.workers = ThreadPoolExecutor(max_workers=8, thread_name_prefix="cloud")

    def background(self, work: t.Callable[..., None], *arguments: t.Any) -> t.Any:
        """Run ``work`` in the background of the request; return its future."""
        return self.workers.submit(work, *arguments)

    def change_settings(self, changes: dict[str, t.Any]) -> dict[str, t.Any]:
        """Change known settings; returns all of them.

        :raises ValueError: for an unknown setting.
        """
        unknown = sorted(set(changes) - set(SETTINGS))
        if unknown:
            raise ValueError(f"unknown setting {unknown[0]}; known: {', '.join(SETTINGS)}")
        with self.changed:
            self.settings.update(changes)
            self.changed.notify_all()
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

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A name of a new EKS cluster for each test, in a simulated AWS that creates clusters as slowly as AWS, in less time."""

from __future__ import annotations

import itertools
import threading
import typing as t

import pytest
from modules.fixtures.governed import eventually
from modules.fixtures.small_cluster import QUICK

NAMES = (f"train-{number}" for number in itertools.count())
ROLE = "arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-cluster"
BEFORE = {
    "eks_creates_at_once": True,
    "eks_cluster_lag_seconds": 0,
    "eks_insights": {},
    "transition_seconds": 0.05,
    "page_size": 1000,
}


class NewCluster:
    """The simulated API with a cluster's name and options; ``path`` is the start of the paths of its requests."""

    def __init__(self, simulator: t.Any, network: dict[str, t.Any]) -> None:
        self.simulator, self.network, self.name, self.eks = simulator, network, next(NAMES), simulator.client("eks")
        self.path = f"/clusters/{self.name}"
        self.named = {"eks_cluster": self.name, **QUICK}
        private = {"endpoint_public_access": False, "endpoint_private_access": True}
        self.options = {**self.named, "role_arn": ROLE, "subnet_ids": network["subnets"], **private}

    def __getattr__(self, name: str) -> t.Any:
        return getattr(self.simulator, name)

    def make(self, *, access: t.Mapping[str, t.Any] | None = None, vpc: t.Mapping[str, t.Any] | None = None, **more: t.Any) -> t.Any:
        """Create the cluster with boto3: with public access for all, as is EKS's default."""
        self.control("settings", {"eks_creates_at_once": True})
        network = {"subnetIds": self.network["subnets"], **(vpc or {})}
        mode = {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False, **(access or {})}
        given = {"version": "1.34", "roleArn": ROLE, "resourcesVpcConfig": network, "accessConfig": mode, **more}
        return self.eks.create_cluster(name=self.name, **given)["cluster"]

    def concurrently(self, begin: t.Callable[[], t.Any], **options: t.Any) -> dict[str, t.Any]:
        """The result of a run during an operation of another caller, which only EKS's refusal of the run's call reveals at first."""
        self.control("settings", {"transition_seconds": 600, "eks_cluster_lag_seconds": 600})
        begin()
        refused = self.ensure(**options, wait=False)
        assert refused["failed"] and "wait until the running operation has ended" in refused["msg"], refused
        return self.lagging_until(f"GET {self.path}/updates", **options)

    def lagging_until(self, operation: str, **options: t.Any) -> dict[str, t.Any]:
        """The result of a run; all delays end when it calls the operation."""
        self.control("reset-calls", {})
        results: list[dict[str, t.Any]] = []
        running = threading.Thread(target=lambda: results.append(self.ensure(**options)))
        running.start()
        eventually(lambda: operation in self.calls())
        self.control("settings", BEFORE)
        running.join()
        return results[0]

    def ensure(self, **options: t.Any) -> dict[str, t.Any]:
        """The result of a run for the existing cluster."""
        return self.run("eks_cluster", **{**self.named, **options})


@pytest.fixture
def new(simulator: t.Any, network: dict[str, t.Any]) -> t.Iterator[NewCluster]:
    simulator.control("settings", {**BEFORE, "eks_creates_at_once": False})
    yield NewCluster(simulator, network)
    simulator.clear_faults()
    simulator.control("settings", BEFORE)

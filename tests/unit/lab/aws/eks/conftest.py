# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EKS by boto3 against the simulator: a separate cluster for each test."""

from __future__ import annotations

import itertools
import time
import typing as t

import pytest

NAMES = (f"pods-{number}" for number in itertools.count())


class Place:
    """An EKS cluster; its name is added to every call."""

    def __init__(self, account: t.Any, *, version: str = "1.34", mode: str = "API") -> None:
        self.name, self.account = next(NAMES), account
        self.eks = account.client("eks")
        self.network = account.network()
        network = {"subnetIds": self.network["Subnets"][:1]}
        self.arn = self.eks.create_cluster(
            name=self.name,
            roleArn="arn:aws:iam::111111111111:role/eks",
            version=version,
            resourcesVpcConfig=network,
            accessConfig={"authenticationMode": mode},
        )["cluster"]["arn"]

    def __getattr__(self, operation: str) -> t.Any:
        return lambda **arguments: getattr(self.eks, operation)(clusterName=self.name, **arguments)

    def cluster(self) -> dict[str, t.Any]:
        found: dict[str, t.Any] = self.eks.describe_cluster(name=self.name)["cluster"]
        return found

    def ended(self, update: str) -> dict[str, t.Any]:
        """Wait until the update of the cluster has ended, and return it."""
        for _attempt in range(200):
            found: dict[str, t.Any] = self.eks.describe_update(name=self.name, updateId=update)["update"]
            if found["status"] != "InProgress":
                return found
            time.sleep(0.02)
        raise AssertionError(found)

    def settled(self, addon: str) -> dict[str, t.Any]:
        """Wait until the add-on is not in transition, and return it."""
        for _attempt in range(200):
            found = self.eks.describe_addon(clusterName=self.name, addonName=addon)["addon"]
            if not found["status"].endswith("ING"):
                return found
            time.sleep(0.02)
        raise AssertionError(found)


@pytest.fixture
def make_place(account: t.Any) -> t.Callable[..., Place]:
    return lambda **given: Place(account, **given)


@pytest.fixture
def place(account: t.Any) -> Place:
    return Place(account)


@pytest.fixture
def config_map_place(account: t.Any) -> Place:
    """A cluster without access entries."""
    return Place(account, mode="CONFIG_MAP")

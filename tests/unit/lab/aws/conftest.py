# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulator without hosts for each test module."""

from __future__ import annotations

import contextlib
import pathlib
import sys
import typing as t

import boto3
import pytest
import simulated
from botocore.config import Config

TESTS = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(TESTS), str(pathlib.Path(__file__).parent)]

from lab.aws.control.client import Control  # noqa: E402

AT_ONCE = {"parameter_lag_seconds": 0, "parameter_rest_seconds": 0, "security_group_rule_lag_seconds": 0, "launch_template_lag_seconds": 0}
"""No delays, because tests of one operation read at once; test_late_answers covers the delays."""


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[str]:
    """Start a simulator and yield its endpoint URL."""
    with simulated.simulator(tmp_path_factory.mktemp("lab")) as url:
        Control(url).settings(policies=[], **AT_ONCE)
        yield url


class Account:
    """One account's clients at a simulator, its control interface, and a VPC with two subnets."""

    def __init__(self, url: str, number: str = "111111111111") -> None:
        self.url = url
        self.number = number
        self.control = Control(url)
        self.sagemaker = self.client("sagemaker")
        self.ec2 = self.client("ec2")

    def client(self, service: str, *, attempts: int = 1, **config: t.Any) -> t.Any:
        return boto3.client(
            service,
            region_name="us-west-2",
            endpoint_url=self.url,
            aws_access_key_id=f"AKIA{self.number}",
            aws_secret_access_key="x",
            config=Config(retries={"mode": "standard", "total_max_attempts": attempts}, **config),
        )

    @contextlib.contextmanager
    def held(self, *settings: str) -> t.Iterator[None]:
        """Hold transitions during the block, so that a slow machine does not miss a state; ``settings`` name other durations than theirs."""
        names = settings or ("transition_seconds",)
        before = self.control.settings()
        self.control.settings(**dict.fromkeys(names, 3600))
        yield
        self.control.settings(**{name: before[name] for name in names})

    def step(self) -> None:
        """End the current or the next held transition."""
        self.control.settings(transition_steps=1)

    def network(self) -> dict[str, t.Any]:
        """A VpcConfig over two new subnets."""
        vpc = self.ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        subnets = [
            self.ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.1.{number}.0/24", AvailabilityZone=f"us-west-2{zone}")
            for number, zone in ((1, "a"), (2, "b"))
        ]
        group = self.ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        return {"SecurityGroupIds": [group], "Subnets": [subnet["Subnet"]["SubnetId"] for subnet in subnets]}

    @staticmethod
    def group(name: str, count: int, node_type: str | None = None, **more: t.Any) -> dict[str, t.Any]:
        """An instance group specification."""
        slurm = {"SlurmConfig": {"NodeType": node_type}} if node_type else {}
        role = "arn:aws:iam::111111111111:role/hyperpod-nodes"
        fixed = {"InstanceType": "ml.m5.xlarge", "ExecutionRole": role}
        return {"InstanceGroupName": name, "InstanceCount": count, **fixed, **slurm, **more}

    def cluster(self, name: str = "ml", *groups: dict[str, t.Any], **more: t.Any) -> str:
        """Create a cluster, wait until its nodes run, and return its ARN."""
        controller, login = self.group("controller-machine", 1, "Controller"), self.group("login-group", 3, "Login")
        request = {
            "InstanceGroups": list(groups) or [controller, login],
            "VpcConfig": self.network(),
            "NodeProvisioningMode": "Continuous",
            **more,
        }
        arn = self.sagemaker.create_cluster(ClusterName=name, **request)["ClusterArn"]
        self.control.wait_running(name, 60)
        return arn


@pytest.fixture(scope="module")
def account(simulator: str) -> Account:
    """An account at this module's simulator."""
    here = Account(simulator)
    here.control.settings(transition_seconds=0.05)
    return here


@pytest.fixture(autouse=True)
def _settings_of_one_test(request: pytest.FixtureRequest) -> t.Iterator[None]:
    """Remove faults and reset settings after the test."""
    if "account" not in request.fixturenames:
        yield
        return
    control = request.getfixturevalue("account").control
    before = control.settings()
    yield
    control.clear_faults()
    control.settings(**before)

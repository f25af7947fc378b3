# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account for tests of load balancers."""

from __future__ import annotations

import json
import time
import typing as t
import urllib.request

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError


class World:
    """A simulator with a VPC, two subnets and a security group."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.elb = self.client("elbv2")
        self.ec2 = self.client("ec2")
        self.vpc = self.ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        self.a = self.subnet("10.1.1.0/24", "us-west-2a")
        self.b = self.subnet("10.1.2.0/24", "us-west-2b")
        self.c = self.subnet("10.1.3.0/24", "us-west-2c")
        self.sg = self.group("balancer")
        self.names = iter(f"hp-{number}" for number in range(1000))
        self.post("/lab/settings", {"health_check_scale": 0.01, "drain_scale": 0.005, "transition_seconds": 0.05, "elb_unseen_seconds": 0})

    def client(self, service: str) -> t.Any:
        return boto3.client(
            service,
            region_name="us-west-2",
            endpoint_url=self.url,
            aws_access_key_id="AKIA111111111111",
            aws_secret_access_key="x",
            config=Config(retries={"total_max_attempts": 1}),
        )

    def post(self, path: str, body: t.Any) -> t.Any:
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def subnet(self, cidr: str, zone: str) -> str:
        return self.ec2.create_subnet(VpcId=self.vpc, CidrBlock=cidr, AvailabilityZone=zone)["Subnet"]["SubnetId"]

    def group(self, name: str) -> str:
        return self.ec2.create_security_group(GroupName=name, Description=name, VpcId=self.vpc)["GroupId"]

    def balancer(self, **options: t.Any) -> dict[str, t.Any]:
        options = {
            "Name": next(self.names),
            "Type": "network",
            "Scheme": "internal",
            "Subnets": [self.a, self.b],
            "SecurityGroups": [self.sg],
            **options,
        }
        made = self.elb.create_load_balancer(**{key: value for key, value in options.items() if value is not None})
        return made["LoadBalancers"][0]

    def target_group(self, **options: t.Any) -> str:
        wanted = {
            "Name": next(self.names),
            "Protocol": "TCP",
            "Port": 22,
            "VpcId": self.vpc,
            "TargetType": "ip",
            "HealthCheckPort": "2022",
            "HealthCheckIntervalSeconds": 10,
            "HealthyThresholdCount": 2,
            "UnhealthyThresholdCount": 2,
            **options,
        }
        return self.elb.create_target_group(**wanted)["TargetGroups"][0]["TargetGroupArn"]

    def listener(self, balancer: str, group: str, port: int = 22) -> dict[str, t.Any]:
        actions = [{"Type": "forward", "TargetGroupArn": group}]
        made = self.elb.create_listener(LoadBalancerArn=balancer, Protocol="TCP", Port=port, DefaultActions=actions)
        return made["Listeners"][0]

    def health(self, group: str) -> dict[str, tuple[str, str | None]]:
        found = self.elb.describe_target_health(TargetGroupArn=group)["TargetHealthDescriptions"]
        return {one["Target"]["Id"]: (one["TargetHealth"]["State"], one["TargetHealth"].get("Reason")) for one in found}

    def await_health(self, group: str, expected: dict[str, tuple[str, str | None]]) -> None:
        deadline = time.monotonic() + 60
        while self.health(group) != expected and time.monotonic() < deadline:
            time.sleep(0.02)
        assert self.health(group) == expected


def refused(code: str, call: t.Callable[..., t.Any], **arguments: t.Any) -> None:
    with pytest.raises(ClientError) as error:
        call(**arguments)
    assert error.value.response["Error"]["Code"] == code


def attributes(found: dict[str, t.Any]) -> dict[str, str]:
    return {one["Key"]: one["Value"] for one in found["Attributes"]}

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Applying a plan after a lost reply, or before AWS has finished. The replies come from botocore's Stubber."""

from __future__ import annotations

import boto3
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.api import Balancing
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitTimeout
from botocore.config import Config
from botocore.stub import Stubber

LB = "arn:aws:elasticloadbalancing:us-west-2:111111111111:loadbalancer/net/hp/1"
TG = "arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp/1"
LISTENER = "arn:aws:elasticloadbalancing:us-west-2:111111111111:listener/net/hp/1/2"
OURS = [{"Key": "mlfleet.hyperpod/cluster", "Value": "ml"}]
FOREIGN = [{"Key": "mlfleet.hyperpod/cluster", "Value": "other"}]
FORWARD = [{"Type": "forward", "TargetGroupArn": TG}]


def client(service: str):
    keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
    return boto3.client(service, region_name="us-west-2", config=Config(retries={"max_attempts": 0}), **keys)


class Time:
    """Advances only when sleep is called."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.clock = Clock(now=lambda: self.seconds, sleep=self.sleep, jitter=lambda: 0.0)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def elb(time):
    made = client("elbv2")
    with Stubber(made) as stubber:
        yield Applier(Balancing(made), about="load balancer hp", timeout=0, clock=time.clock), stubber
        stubber.assert_no_pending_responses()


def create_load_balancer() -> Step:
    return Step("CreateLoadBalancer", {"Name": "hp", "Type": "network", "Tags": OURS}, ())


def tags_of(arn: str, tags: list) -> dict:
    return {"TagDescriptions": [{"ResourceArn": arn, "Tags": tags}]}


@pytest.mark.parametrize("ours", [True, False])
def test_an_existing_load_balancer_is_used_if_it_is_ours(elb, ours):
    apply, stubber = elb
    stubber.add_client_error("create_load_balancer", "DuplicateLoadBalancerName")
    found = {"LoadBalancers": [{"LoadBalancerArn": LB, "LoadBalancerName": "hp"}]}
    stubber.add_response("describe_load_balancers", found, {"Names": ["hp"]})
    stubber.add_response("describe_tags", tags_of(LB, OURS if ours else FOREIGN), {"ResourceArns": [LB]})
    if not ours:
        with pytest.raises(AwsError, match="CreateLoadBalancer"):
            apply(create_load_balancer())
        return
    stubber.add_response("describe_load_balancers", found, {"LoadBalancerArns": [LB]})
    apply(create_load_balancer())
    stubber.add_response("modify_load_balancer_attributes", {}, {"LoadBalancerArn": LB, "Attributes": []})
    apply(Step("ModifyLoadBalancerAttributes", {"LoadBalancerArn": KNOWN_AFTER_APPLY, "Attributes": []}, ()))


def test_an_existing_target_group_is_used(elb):
    apply, stubber = elb
    stubber.add_client_error("create_target_group", "DuplicateTargetGroupName")
    stubber.add_response("describe_target_groups", {"TargetGroups": [{"TargetGroupArn": TG}]}, {"Names": ["hp"]})
    stubber.add_response("describe_tags", tags_of(TG, OURS), {"ResourceArns": [TG]})
    stubber.add_response("describe_target_groups", {"TargetGroups": [{"TargetGroupArn": TG}]}, {"TargetGroupArns": [TG]})
    apply(Step("CreateTargetGroup", {"Name": "hp", "Tags": OURS}, ()))
    assert apply.created == {"TargetGroupArn": TG}


def test_an_existing_listener_is_found_by_its_port(elb):
    apply, stubber = elb
    listener = {"ListenerArn": LISTENER, "Port": 22, "Protocol": "TCP", "DefaultActions": FORWARD}
    stubber.add_client_error("create_listener", "DuplicateListener")
    stubber.add_response("describe_listeners", {"Listeners": [listener]}, {"LoadBalancerArn": LB})
    apply(Step("CreateListener", {"LoadBalancerArn": LB, "Port": 22, "DefaultActions": FORWARD}, ()))
    assert apply.created == {"ListenerArn": LISTENER}


def test_a_new_load_balancer_is_used_once_aws_returns_it(elb, time):
    apply, stubber = elb
    made = {"TargetGroups": [{"TargetGroupArn": TG}]}
    stubber.add_response("create_target_group", made)
    stubber.add_client_error("describe_target_groups", "TargetGroupNotFound", expected_params={"TargetGroupArns": [TG]})
    stubber.add_response("describe_target_groups", made, {"TargetGroupArns": [TG]})
    apply(Step("CreateTargetGroup", {"Name": "hp"}, ()))
    assert 0 < time.seconds <= 2
    change = {"TargetGroupArn": TG, "Attributes": [{"Key": "stickiness.enabled", "Value": "false"}]}
    stubber.add_client_error("modify_target_group_attributes", "TargetGroupNotFound", expected_params=change)
    stubber.add_response("modify_target_group_attributes", {}, change)
    apply(Step("ModifyTargetGroupAttributes", {**change, "TargetGroupArn": KNOWN_AFTER_APPLY}, ()))


def test_a_new_load_balancer_that_never_appears_is_an_error(elb, time):
    apply, stubber = elb
    stubber.add_response("create_load_balancer", {"LoadBalancers": [{"LoadBalancerArn": LB}]})
    for _attempt in range(32):
        stubber.add_client_error("describe_load_balancers", "LoadBalancerNotFound")
    with pytest.raises(WaitTimeout, match="load balancer hp is still not found, although AWS reports that it exists, after 30 s"):
        apply(create_load_balancer())


def test_a_resource_that_this_plan_did_not_create_is_not_waited_for(elb, time):
    apply, stubber = elb
    stubber.add_client_error("modify_target_group_attributes", "TargetGroupNotFound")
    with pytest.raises(AwsError, match="ModifyTargetGroupAttributes"):
        apply(Step("ModifyTargetGroupAttributes", {"TargetGroupArn": TG, "Attributes": []}, ()))
    assert time.seconds == 0


@pytest.mark.parametrize("code", ["AccessDenied", "TooManyLoadBalancers"])
def test_other_errors_of_a_creation_are_reported(elb, code):
    apply, stubber = elb
    stubber.add_client_error("create_load_balancer", code)
    with pytest.raises(AwsError) as caught:
        apply(create_load_balancer())
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("operation", "method", "parameter", "code"),
    [
        ("DeleteListener", "delete_listener", "ListenerArn", "ListenerNotFound"),
        ("DeleteTargetGroup", "delete_target_group", "TargetGroupArn", "TargetGroupNotFound"),
    ],
)
def test_deleting_an_absent_resource_succeeds(elb, operation, method, parameter, code):
    apply, stubber = elb
    stubber.add_client_error(method, code)
    apply(Step(operation, {parameter: "arn"}, ()))


def test_the_wait_for_a_target_group_in_use_ends_at_the_limit(elb):
    apply, stubber = elb
    stubber.add_client_error("delete_target_group", "ResourceInUse")
    with pytest.raises(WaitTimeout, match="in use by a load balancer"):
        apply(Step("DeleteTargetGroup", {"TargetGroupArn": TG}, ()))


def test_a_deleted_load_balancer_is_waited_for(elb):
    apply, stubber = elb
    stubber.add_response("delete_load_balancer", {}, {"LoadBalancerArn": LB})
    stubber.add_client_error("describe_load_balancers", "LoadBalancerNotFound")
    apply(Step("DeleteLoadBalancer", {"LoadBalancerArn": LB}, ()))

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of EKS clusters."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.options import check_creation, desired

ROLE, ARN = "arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-cluster", "arn:aws:eks:us-west-2:111111111111:cluster/ml"
KEY = "arn:aws:kms:us-west-2:111111111111:key/mrk-0123456789abcdef"
SUBNETS, GROUP = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"], "sg-0123456789abcdef0"
PARAMS: dict[str, t.Any] = {
    **dict.fromkeys(
        (
            *("version", "role_arn", "subnet_ids", "security_group_ids", "endpoint_public_access", "endpoint_private_access"),
            *("public_access_cidrs", "authentication_mode", "bootstrap_creator_admin", "bootstrap_self_managed_addons"),
            *("service_ipv4_cidr", "logging", "encryption_key_arn", "support_type", "deletion_protection", "tags"),
        )
    ),
    "eks_cluster": "ml",
    "state": "present",
    "accept_insights": [],
    "purge_tags": True,
    "wait": True,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given}, "us-west-2")


def test_omitted_options_are_left_alone() -> None:
    assert wanted() == Desired("ml")


def test_all_options_are_read() -> None:
    settings = {
        "role_arn": ROLE,
        "endpoint_public_access": True,
        "endpoint_private_access": False,
        "authentication_mode": "CONFIG_MAP",
        "bootstrap_creator_admin": True,
        "bootstrap_self_managed_addons": True,
        "service_ipv4_cidr": "10.100.0.0/16",
        "encryption_key_arn": KEY,
        "support_type": "EXTENDED",
        "deletion_protection": False,
    }
    lists = {"subnet_ids": SUBNETS, "security_group_ids": [GROUP], "public_access_cidrs": ["203.0.113.0/24"], "logging": ["audit", "api"]}
    more = {"version": "1.35", "accept_insights": ["a"], "tags": {"a": 1}, "purge_tags": False, "wait": False}
    found = wanted(eks_cluster=ARN, state="absent", **settings, **lists, **more)
    assert found == Desired(
        name="ml",
        arn=ARN,
        present=False,
        version="1.35",
        settings={**settings, **{option: tuple(sorted(value)) for option, value in lists.items()}},
        accept_insights=("a",),
        tags={"a": "1"},
        purge_tags=False,
        wait=False,
    )


def test_empty_lists_are_applied() -> None:
    found = wanted(security_group_ids=[], logging=[], public_access_cidrs=[], endpoint_public_access=False)
    empty = {"security_group_ids": (), "logging": (), "public_access_cidrs": (), "endpoint_public_access": False}
    assert found.settings == empty


@pytest.mark.parametrize(
    ("given", "option", "message"),
    [
        ({"eks_cluster": "-a"}, "eks_cluster", "the name or the ARN of an EKS cluster"),
        ({"eks_cluster": ARN.replace("us-west-2", "eu-west-1")}, "eks_cluster", "an EKS cluster in us-west-2"),
        *(({"version": version}, "version", 'such as "1.35" in quotes') for version in ("1.3", "2.35", "v1.35", "1.35.1", "")),
        ({"role_arn": "a"}, "role_arn", "the ARN of an IAM role"),
        ({"subnet_ids": []}, "subnet_ids", "2 or more subnets"),
        ({"subnet_ids": SUBNETS[:1]}, "subnet_ids", "2 or more subnets"),
        ({"subnet_ids": [SUBNETS[0], SUBNETS[0]]}, "subnet_ids", "given more than once"),
        ({"subnet_ids": [GROUP, SUBNETS[0]]}, "subnet_ids", "an ID such as subnet-"),
        ({"security_group_ids": SUBNETS}, "security_group_ids", "an ID such as sg-"),
        ({"security_group_ids": [f"{GROUP[:-1]}{each}" for each in range(6)]}, "security_group_ids", "0 to 5"),
        ({"public_access_cidrs": ["a"]}, "public_access_cidrs", "a network such as"),
        ({"public_access_cidrs": ["10.0.0.0/8", "10.0.0.0/8"]}, "public_access_cidrs", "given more than once"),
        ({"public_access_cidrs": ["::/0"]}, "public_access_cidrs", "it opens the API server to the whole internet"),
        ({"public_access_cidrs": ["0.0.0.0/0"], "endpoint_public_access": True}, "public_access_cidrs", "whole internet"),
        ({"public_access_cidrs": []}, "public_access_cidrs", "without ranges, EKS opens the API server"),
        ({"public_access_cidrs": ["10.0.0.0/8"], "endpoint_public_access": False}, "public_access_cidrs", "Allowed: no value"),
        ({"endpoint_private_access": False, "endpoint_public_access": False}, "endpoint_private_access", "could not be reached"),
        ({"logging": ["api", "api"]}, "logging", "given more than once"),
        ({"encryption_key_arn": ""}, "encryption_key_arn", "the ARN of a KMS key"),
        ({"encryption_key_arn": KEY.replace(":key/", ":alias/")}, "encryption_key_arn", "the ARN of a KMS key"),
        ({"encryption_key_arn": KEY.replace("us-west-2", "eu-west-1")}, "encryption_key_arn", "a KMS key in us-west-2"),
        *(
            ({"service_ipv4_cidr": cidr}, "service_ipv4_cidr", "a network")
            for cidr in ("10.0.0.0/11", "10.0.0.0/25", "192.0.2.0/24", "fd00::/16", "172.16.0.1/16", "a")
        ),
        ({"tags": {"aws:a": "b"}}, "tags", "do not begin with aws:"),
    ],
)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option


@pytest.mark.parametrize("cidr", ["10.0.0.0/12", "10.0.0.0/24", "172.16.0.0/12", "192.168.4.0/22"])
def test_networks_of_services_are_accepted(cidr: str) -> None:
    assert wanted(service_ipv4_cidr=cidr).settings == {"service_ipv4_cidr": cidr}


NEW = {"role_arn": ROLE, "subnet_ids": SUBNETS, "endpoint_public_access": False, "endpoint_private_access": True}


@pytest.mark.parametrize(
    ("given", "option", "message"),
    [
        ({**NEW, "eks_cluster": ARN}, "eks_cluster", "a new cluster has no ARN yet. Allowed: the name of the new cluster"),
        ({**NEW, "role_arn": None}, "role_arn", "missing; EKS cluster ml does not exist"),
        ({**NEW, "subnet_ids": None}, "subnet_ids", "missing; EKS cluster ml does not exist"),
        ({**NEW, "endpoint_public_access": None}, "public_access_cidrs", "missing; EKS cluster ml would be open to the whole internet"),
        ({**NEW, "endpoint_public_access": True}, "public_access_cidrs", "missing; EKS cluster ml would be open to the whole internet"),
        ({**NEW, "endpoint_private_access": None}, "endpoint_private_access", "False is not allowed: endpoint_public_access is false"),
        ({**NEW, "authentication_mode": "CONFIG_MAP"}, "bootstrap_creator_admin", "has no other first administrator. Allowed: true"),
    ],
)
def test_options_of_a_new_cluster_are_checked(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        check_creation(wanted(**given))
    assert refused.value.option == option


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"endpoint_public_access": None, "endpoint_private_access": None, "public_access_cidrs": ["203.0.113.0/24"]},
        {"authentication_mode": "CONFIG_MAP", "bootstrap_creator_admin": True},
    ],
)
def test_a_new_cluster_is_accepted(more: dict[str, t.Any]) -> None:
    check_creation(wanted(**{**NEW, **more}))

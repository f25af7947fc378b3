# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quotas by boto3 against the simulator: those of each service, the values of an account, and requests."""

from __future__ import annotations

import typing as t

from refusals import code

P = "L-417A185B"
"""A new account has no vCPUs for P instances: https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html"""


def listed(api: t.Any, operation: str, service: str) -> dict[str, float]:
    pages = api.get_paginator(operation).paginate(ServiceCode=service)
    return {each["QuotaCode"]: each["Value"] for page in pages for each in page["Quotas"]}


def test_each_service_has_its_quotas(account: t.Any) -> None:
    api = account.client("service-quotas")
    defaults = {service: listed(api, "list_aws_default_service_quotas", service) for service in ("ec2", "vpc", "eks", "sagemaker")}
    assert (defaults["ec2"][P], defaults["ec2"]["L-1216C47A"], len(defaults["ec2"])) == (0.0, 5.0, 20)
    assert (defaults["vpc"]["L-F678F1CE"], defaults["eks"]) == (5.0, {"L-1194D53C": 100.0}) and P not in defaults["sagemaker"]
    assert code(api.list_service_quotas, ServiceCode="nosuch") == "NoSuchResourceException"


def test_the_account_lists_its_own_values(account: t.Any) -> None:
    api = account.client("service-quotas")
    account.control.settings(service_quotas={"Running On-Demand P instances": 0, "Clusters": 7})
    assert (listed(api, "list_service_quotas", "ec2"), listed(api, "list_service_quotas", "vpc")) == ({P: 0.0}, {})
    assert listed(api, "list_service_quotas", "eks") == {"L-1194D53C": 7.0}


def test_requests_belong_to_a_service(account: t.Any) -> None:
    api = account.client("service-quotas")
    made = api.request_service_quota_increase(ServiceCode="ec2", QuotaCode=P, DesiredValue=192)["RequestedQuota"]
    history = api.list_requested_service_quota_change_history_by_quota
    assert (made["ServiceCode"], made["Status"]) == ("ec2", "PENDING")
    assert [each["DesiredValue"] for each in history(ServiceCode="ec2", QuotaCode=P)["RequestedQuotas"]] == [192.0]
    assert history(ServiceCode="vpc", QuotaCode=P)["RequestedQuotas"] == []
    again = api.request_service_quota_increase
    assert code(again, ServiceCode="ec2", QuotaCode=P, DesiredValue=200) == "ResourceAlreadyExistsException"
    assert code(again, ServiceCode="vpc", QuotaCode=P, DesiredValue=200) == "NoSuchResourceException"

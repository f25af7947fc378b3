# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""service_quota against the simulated API."""

from __future__ import annotations

import pytest
from simulated.shape import changes_once

NAME = "ml.p5.48xlarge for cluster usage"


@pytest.fixture
def quotas(simulator):
    """Quotas of an account without requests."""
    yield simulator
    simulator.control("settings", {"service_quotas": {}})


def test_an_increase_is_requested_once(quotas):
    done = changes_once(quotas, "service_quota", passing=["warnings"], name=NAME, value=16)
    assert done["quota"] == {
        "service_code": "sagemaker", "quota_code": "L-8762A75F", "name": NAME, "value": 0.0, "adjustable": True, "pending": 16.0
    }
    lower = quotas.run("service_quota", name=NAME, value=8)
    assert not lower["changed"] and "16 is already requested" in str(lower["warnings"])
    higher = quotas.run("service_quota", name=NAME, value=32)
    assert "Allowed: at most 16" in higher["msg"] and not higher["mutating"]


def test_a_granted_value_is_not_requested(quotas):
    quotas.control("settings", {"service_quotas": {"ml.m5.large for cluster usage": 12}})
    assert not quotas.run("service_quota", name="ml.m5.large for cluster usage", value=12)["changed"]


def test_a_lost_reply_causes_one_request(quotas, faults):
    faults(kind="cut_after", operation="RequestServiceQuotaIncrease", times=1)
    done = quotas.run("service_quota", name="ml.m5.large for cluster usage", value=6)
    assert not done.get("failed") and done["changed"] and done["quota"]["pending"] == 6.0, done


def test_bad_input_is_refused_before_any_call(quotas):
    volume = "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance"
    for wrong, named in (
        ({"name": "ml.p5.48xlarge"}, "name: 'ml.p5.48xlarge' is not allowed"),
        ({"name": volume, "value": 2048}, f"quota {volume} is not adjustable"),
        ({"value": 0}, "value: 0.0 is not allowed"),
        ({"service_code": "sage maker"}, "service_code: 'sage maker'"),
        ({"service_code": "sagemakers"}, "ListServiceQuotas for service sagemakers failed"),
    ):
        refused = quotas.run("service_quota", **{"name": NAME, "value": 1, **wrong})
        assert refused["failed"] and named in refused["msg"] and not refused["mutating"], refused

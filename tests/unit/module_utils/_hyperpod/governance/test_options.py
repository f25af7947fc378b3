# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that are refused before a call, and what the installed botocore must support."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA, SCHEDULER, Kind
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.options import (
    desired,
    require_known,
    specification,
)

GPU = "ml.p4d.24xlarge"
PARTS = {"type": "mig-1g.5gb", "count": 7}
GIVEN = {
    "cluster_arn": "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456",
    "name": "research",
    "state": "present",
    "tags": None,
    "purge_tags": True,
    "recreate": False,
    "wait": True,
}


def of(kind: Kind, **given: t.Any) -> t.Any:
    team = {"team_name": "research"} if kind is QUOTA else {}
    return desired(kind, {**dict.fromkeys(specification(kind)), **GIVEN, **team, **given})


def resources(*entries: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"compute_quota_resources": [{"instance_type": GPU, **entry} for entry in entries]}


def test_omitted_options_are_left_alone() -> None:
    found = of(QUOTA, fair_share_weight=0, resource_sharing_config={"borrow_limit": 0})
    assert found.settings == {"team_name": "research", "fair_share_weight": 0, "resource_sharing_config": {"borrow_limit": 0}}
    assert (found.resource, of(SCHEDULER).resource) == ("compute quota research of team research", "scheduler configuration research")
    assert of(SCHEDULER).settings == {} and of(SCHEDULER, tags={"a": 1}).tags == {"a": "1"}


def test_an_instance_type_is_listed_once_per_profile() -> None:
    other = {**PARTS, "type": "mig-2g.10gb"}
    entries = ({"count": 1}, {"accelerator_partition": PARTS}, {"accelerator_partition": other})
    assert len(of(QUOTA, **resources(*entries)).settings["compute_quota_resources"]) == 3
    for twice in (({"count": 1}, {"vcpu": 2.0}), ({"accelerator_partition": PARTS}, {"accelerator_partition": PARTS})):
        with pytest.raises(Refused, match="it is given more than once"):
            of(QUOTA, **resources(*twice))


@pytest.mark.parametrize(
    ("kind", "given", "sentence"),
    [
        (QUOTA, {"name": "a_b"}, "name: 'a_b' is not allowed. Allowed: 1 to 63 letters, digits and hyphens"),
        (QUOTA, {"team_name": "a-"}, "team_name: 'a-' is not allowed. Allowed: 1 to 51 small letters"),
        (QUOTA, resources({"vcpu": 10_000_001.0}), r"compute_quota_resources\[0\]\.vcpu: 10000001\.0 .*Allowed: 0 to 10000000\."),
        (QUOTA, resources({"count": 1}, {"memory_in_gib": -0.5}), r"compute_quota_resources\[1\]\.memory_in_gib: -0\.5 "),
        (QUOTA, resources({}), r"compute_quota_resources\[0\]: 'ml\.p4d\.24xlarge' .*with at least one of count, accelerators"),
        (QUOTA, {"resource_sharing_config": {"strategy": "DontLend", "borrow_limit": 0}}, "borrow_limit: 0 .*strategy is 'DontLend'"),
        (
            QUOTA,
            {"resource_sharing_config": {"strategy": "Lend", "absolute_borrow_limits": [{"instance_type": GPU, "count": 1}]}},
            "absolute_borrow_limits: .*no value without strategy LendAndBorrow",
        ),
        (QUOTA, {"resource_sharing_config": {"absolute_borrow_limits": [{"instance_type": GPU}]}}, r"absolute_borrow_limits\[0\]: "),
        (QUOTA, {"resource_sharing_config": {"absolute_borrow_limits": [{"count": 1}]}}, r"instance_type: missing"),
        (QUOTA, {"compute_quota_resources": [{"count": 1}]}, r"compute_quota_resources\[0\]\.instance_type: missing"),
        (QUOTA, resources({"accelerator_partition": {"count": 1}}), r"accelerator_partition\.type: missing"),
        (SCHEDULER, {"priority_classes": [{"name": "a"}]}, r"priority_classes\[0\]\.weight: missing; priority_classes requires it"),
        (SCHEDULER, {"priority_classes": [{"name": "a", "weight": 1}, {"name": "a", "weight": 2}]}, "priority_classes: 'a' .*more than once"),
        (SCHEDULER, {"priority_classes": [{"name": "a" * 55, "weight": 1}]}, r"priority_classes\[0\]\.name: .*Allowed: 1 to 54 small letters"),
        (SCHEDULER, {"description": "a\nb"}, "none of them a control character"),
        (SCHEDULER, {"priority_classes": [{"name": "a", "weight": -1}]}, r"priority_classes\[0\]\.weight: -1 .*Allowed: 0 to 100\."),
        (SCHEDULER, {"wait": False, "recreate": True}, "wait: False is not allowed: recreate: true must wait for the deletion"),
    ],
)
def test_invalid_options_are_refused(kind: Kind, given: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        of(kind, **given)


@pytest.mark.parametrize(
    ("dropped", "given", "sentence"),
    [
        ("AcceleratorPartition", resources({"accelerator_partition": PARTS}), r"CreateComputeQuota\.ComputeQuotaConfig\.ComputeQuotaResources"),
        ("AcceleratorPartition", resources({"count": 1}), None),
        (None, {}, "does not support CreateComputeQuota. Install botocore"),
    ],
)
def test_the_refusal_of_an_old_botocore_names_what_is_missing(
    stubbed: t.Any, monkeypatch: pytest.MonkeyPatch, dropped: str | None, given: dict[str, t.Any], sentence: str | None
) -> None:
    client, _stubber = stubbed("sagemaker")
    model = client.meta.service_model
    if dropped:
        monkeypatch.delitem(model._service_description["shapes"]["ComputeQuotaResourceConfig"]["members"], dropped)
    else:
        monkeypatch.setitem(model.__dict__, "operation_names", [])
    api, wanted = HyperPod(client), of(QUOTA, **given)
    if sentence is None:
        require_known(api, wanted)
        return
    with pytest.raises(Refused, match=sentence):
        require_known(api, wanted)

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_cluster upgrades clusters in the simulated EKS."""

from __future__ import annotations

import pytest
from lab.aws import permissions
from simulated.shape import changes_once, reads

REMOVED = "Deprecated APIs removed in Kubernetes v1.35"
ERROR = {"name": REMOVED, "status": "ERROR", "kubernetesVersion": "1.35", "reason": "batch/v1beta1 is in use"}


@pytest.mark.slow
def test_a_cluster_is_upgraded_by_one_minor_version(new):
    new.make(version="1.34")
    done = changes_once(new, "eks_cluster", **new.named, version="1.35")
    assert (done["eks_cluster"]["version"], done["eks_cluster"]["support"]["status"]) == ("1.35", "standard")
    assert done["mutating"] == [f"POST {new.path}/updates"]
    reads(new, "eks_cluster", **new.named)


@pytest.mark.parametrize(
    ("have", "version", "message"),
    [
        ("1.33", "1.35", "has 1.33, and EKS upgrades by one minor version at a time. Allowed: 1.33, 1.34."),
        ("1.34", "1.33", "has 1.34, and this module does not downgrade a cluster. Allowed: 1.34, 1.35."),
        ("1.36", "1.37", "has 1.36, and EKS does not offer this version. Allowed: 1.36."),
        ("1.29", "1.30", "has 1.29, and EKS does not offer this version. Allowed: 1.29."),
    ],
)
def test_other_versions_are_refused_before_any_change(new, have, version, message):
    new.make(version=have)
    for check in (True, False):
        refused = new.run("eks_cluster", check=check, **new.named, version=version, logging=["api"])
        assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused


@pytest.mark.slow
def test_errors_of_insights_stop_an_upgrade_until_they_are_accepted(new):
    new.make(version="1.34")
    new.control("settings", {"eks_insights": {new.name: [ERROR, {"name": "Kubelet version skew", "status": "ERROR"}]}})
    for options in ({}, {"accept_insights": ["Kubelet version skew"]}):
        refused = new.ensure(version="1.35", **options)
        message = f"version: EKS cluster {new.name} is not ready for 1.35: {REMOVED} (batch/v1beta1 is in use)"
        assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused
        assert ("Kubelet version skew" in refused["msg"]) is not options
    done = changes_once(new, "eks_cluster", **new.named, version="1.35", accept_insights=[REMOVED, "Kubelet version skew"])
    assert done["eks_cluster"]["version"] == "1.35" and REMOVED in str(done["warnings"])


@pytest.mark.slow
def test_other_insights_are_reported(new):
    new.make(version="1.34", vpc={"endpointPublicAccess": False, "endpointPrivateAccess": True})
    new.control("settings", {"eks_insights": {new.name: []}})
    foreseen = new.run("eks_cluster", check=True, **new.named, version="1.35")
    assert f"EKS has no upgrade insights about EKS cluster {new.name}" in str(foreseen["warnings"])
    later = {**ERROR, "kubernetesVersion": "1.36"}
    new.control("settings", {"eks_insights": {new.name: [{**ERROR, "status": "UNKNOWN"}, {**ERROR, "category": "MISCONFIGURATION"}, later]}})
    done = new.ensure(version="1.35")
    assert not done.get("failed") and done["eks_cluster"]["version"] == "1.35", done
    assert f"{REMOVED} is UNKNOWN: batch/v1beta1 is in use" in str(done["warnings"]) and len(done["warnings"]) == 1


def test_insights_that_cannot_be_read_stop_an_upgrade(new, policies):
    new.make(version="1.34")
    policies(permissions.without("training-cluster-build", "eks:ListInsights"))
    refused = new.ensure(version="1.35")
    assert refused["failed"] and not refused["mutating"], refused
    assert f"ListInsights for upgrade insights of EKS cluster {new.name} failed; allow the action for the calling role" in refused["msg"]


@pytest.mark.slow
def test_a_failed_upgrade_is_explained(new, faults):
    new.make(version="1.34")
    faults(kind="fail_later", operation=f"POST {new.path}/updates", code="InsufficientFreeAddresses: none left", times=1)
    failed = new.ensure(version="1.35")
    assert failed["failed"] and "is Failed (VersionUpdate): InsufficientFreeAddresses: none left; free addresses in the subnets" in failed["msg"], failed
    assert changes_once(new, "eks_cluster", **new.named, version="1.35")


@pytest.mark.slow
def test_an_upgrade_ends_extended_support(new):
    new.make(version="1.33")
    found = reads(new, "eks_cluster", **new.named)
    assert found["eks_cluster"]["support"]["status"] == "extended"
    assert "runs Kubernetes 1.33, which is in extended support until 2027-07-29T00:00:00.000Z and costs more" in str(found["warnings"])
    done = changes_once(new, "eks_cluster", **new.named, version="1.34", support_type="STANDARD", logging=["api"])
    assert [change["field"] for change in done["changes"]] == ["version", "support_type", "logging"], done
    assert "extended support" not in str(done["warnings"])


def test_a_version_out_of_support_is_reported(new):
    new.make(version="1.31")
    found = reads(new, "eks_cluster", **new.named)
    assert found["eks_cluster"]["support"]["status"] == "unsupported"
    assert "runs Kubernetes 1.31, which EKS no longer supports" in str(found["warnings"])

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_autoscaling against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.small_cluster import QUICK
from simulated.shape import changes_once, one_shape, reads

ROLE = "arn:aws:iam::111111111111:role/hyperpod-karpenter"
OTHER = "arn:aws:iam::111111111111:role/hyperpod-karpenter-other"
eks = pytest.mark.parametrize("small_cluster", ["Eks"], indirect=True)


def options(cluster, **more):
    return {"cluster_arn": cluster.arn, "cluster_role": ROLE, **QUICK, **more}


def sent(cluster):
    calls = cluster.control("calls")
    return [call["arguments"] for call in calls if call["operation"] == "UpdateCluster"]


@eks
def test_enabled_and_disabled_once_each(small_cluster):
    made, removed = one_shape(
        small_cluster, "cluster_autoscaling", present=options(small_cluster), absent=options(small_cluster, state="absent")
    )
    assert made["autoscaling"] == {"mode": "Enable", "status": "InService", "failure_message": "", "cluster_role": ROLE}
    assert (removed["autoscaling"]["mode"], removed["autoscaling"]["status"]) == ("Disable", "")


@eks
def test_no_instance_group_is_ever_sent(small_cluster):
    assert small_cluster.run("cluster_autoscaling", **options(small_cluster))["changed"]
    (arguments,) = sent(small_cluster)
    assert arguments == {
        "ClusterName": small_cluster.arn,
        "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"},
        "ClusterRole": ROLE,
    }


@eks
def test_the_role_changes_only_on_request(small_cluster):
    assert small_cluster.run("cluster_autoscaling", **options(small_cluster))["changed"]
    for check in (True, False):
        refused = small_cluster.run("cluster_autoscaling", check=check, **options(small_cluster, cluster_role=OTHER))
        assert refused["failed"] and f"cluster_role: '{OTHER}' is not allowed: AWS cannot change the role while" in refused["msg"], refused
        assert not refused["mutating"], refused
    foreseen = small_cluster.run("cluster_autoscaling", check=True, **options(small_cluster, cluster_role=OTHER, replace_role=True))
    assert foreseen["changed"] and foreseen["autoscaling"]["cluster_role"] == OTHER and not foreseen["mutating"], foreseen
    done = changes_once(small_cluster, "cluster_autoscaling", **options(small_cluster, cluster_role=OTHER, replace_role=True))
    assert done["autoscaling"]["cluster_role"] == OTHER and len(done["changes"]) == 3


@eks
def test_a_failure_gives_the_reason_and_is_retried(small_cluster):
    small_cluster.control("settings", {"autoscaler_failure": "The role cannot be assumed"})
    failed = small_cluster.run("cluster_autoscaling", **options(small_cluster))
    small_cluster.control("settings", {"autoscaler_failure": ""})
    assert failed["failed"] and "The role cannot be assumed" in failed["msg"], failed
    done = changes_once(small_cluster, "cluster_autoscaling", **options(small_cluster))
    assert done["autoscaling"]["status"] == "InService"


@eks
def test_a_lost_reply_causes_no_second_change(small_cluster):
    small_cluster.simulator.fault(kind="cut_after", operation="UpdateCluster", times=1)
    done = small_cluster.run("cluster_autoscaling", **options(small_cluster))
    assert not done.get("failed") and done["changed"], done
    assert reads(small_cluster, "cluster_autoscaling", **options(small_cluster))["autoscaling"]["status"] == "InService"


@eks
def test_a_running_operation_is_waited_for(small_cluster):
    small_cluster.control("settings", {"transition_seconds": 1})
    assert small_cluster.run("cluster_autoscaling", **options(small_cluster, wait=False))["changed"]
    later = reads(small_cluster, "cluster_autoscaling", **options(small_cluster))
    small_cluster.control("settings", {"transition_seconds": 0.2})
    assert later["autoscaling"]["status"] == "InService"


def test_bad_input_is_refused_before_any_change(small_cluster):
    for wrong, named in (
        ({}, "Cluster small uses Slurm, but managed Karpenter requires EKS."),
        ({"cluster_role": None}, "cluster_role: missing; state=present requires an IAM role for the autoscaler."),
        ({"cluster_role": "karpenter"}, "cluster_role: 'karpenter' is not allowed. Allowed: the ARN of an IAM role"),
        ({"cluster_arn": "small"}, "cluster_arn: 'small'"),
        ({"wait_timeout": 0}, "wait_timeout: 0"),
    ):
        given = {name: value for name, value in options(small_cluster, **wrong).items() if value is not None}
        refused = small_cluster.run("cluster_autoscaling", **given)
        assert refused["failed"] and named in refused["msg"] and not refused["mutating"], refused
    assert not small_cluster.run("cluster_autoscaling", **options(small_cluster, state="absent"))["changed"]

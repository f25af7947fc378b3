# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_pod_identity_association against the simulated API."""

from __future__ import annotations

import json

import pytest
from lab.aws import permissions
from simulated.shape import changes_once, one_shape, reads

ROLE, OTHER = "arn:aws:iam::111111111111:role/hyperpod-pods-research", "arn:aws:iam::222222222222:role/data"
POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
MODULE = "eks_pod_identity_association"


@pytest.fixture
def wanted(eks_cluster):
    return {"eks_cluster": eks_cluster.name, "namespace": "research", "service_account": "train"}


def test_made_and_removed(eks_cluster, wanted):
    present = {**wanted, "role_arn": ROLE, "target_role_arn": OTHER, "tags": {"team": "research"}}
    made, removed = one_shape(eks_cluster, MODULE, present=present, absent={**wanted, "state": "absent"})
    association = made["eks_pod_identity_association"]
    assert (association["role_arn"], association["target_role_arn"], association["tags"]) == (ROLE, OTHER, {"team": "research"})
    assert association["external_id"] and removed["eks_pod_identity_association"] == {"exists": False, **wanted}


@pytest.mark.slow
def test_only_changed_fields_are_sent(eks_cluster, wanted):
    eks_cluster.run(MODULE, **wanted, role_arn=ROLE)
    reads(eks_cluster, MODULE, **wanted)
    done = changes_once(eks_cluster, MODULE, **wanted, role_arn=f"{ROLE}2", disable_session_tags=False)
    assert [each["field"] for each in done["changes"]] == ["role_arn"]
    done = changes_once(eks_cluster, MODULE, **wanted, role_arn=f"{ROLE}2", target_role_arn=OTHER, disable_session_tags=True)
    assert [each["field"] for each in done["changes"]] == ["target_role_arn", "disable_session_tags"]
    calls = [call["arguments"] for call in eks_cluster.control("calls") if call["mutating"]]
    assert calls == [] and done["eks_pod_identity_association"]["role_arn"] == f"{ROLE}2"


@pytest.mark.slow
def test_policies_are_compared_by_value(eks_cluster, wanted):
    wanted["role_arn"] = ROLE
    refused = eks_cluster.run(MODULE, **wanted, policy=POLICY)
    assert "disable_session_tags: False is not allowed" in refused["msg"] and not refused["mutating"], refused
    made = changes_once(eks_cluster, MODULE, **wanted, disable_session_tags=True, policy=POLICY)
    assert made["eks_pod_identity_association"]["policy"] == POLICY
    reads(eks_cluster, MODULE, **wanted, policy=json.dumps(POLICY, indent=4))
    listed = reads(eks_cluster, f"{MODULE}_info", eks_cluster=eks_cluster.name)["eks_pod_identity_associations"]
    assert [each["policy"] for each in listed] == [POLICY]
    cleared = changes_once(eks_cluster, MODULE, **wanted, disable_session_tags=False, policy="")
    assert cleared["eks_pod_identity_association"]["policy"] == {}
    assert [each["field"] for each in cleared["changes"]] == ["disable_session_tags", "policy"]


def test_tags(eks_cluster, wanted):
    eks_cluster.run(MODULE, **wanted, role_arn=ROLE, tags={"a": "b"})
    done = changes_once(eks_cluster, MODULE, **wanted, tags={"c": "d"})
    assert done["eks_pod_identity_association"]["tags"] == {"c": "d"}


def test_an_association_of_an_add_on_is_refused(eks_cluster, wanted):
    inline = [{"serviceAccount": "aws-node", "roleArn": ROLE}]
    eks_cluster.eks.create_addon(clusterName=eks_cluster.name, addonName="vpc-cni", podIdentityAssociations=inline)
    wanted.update(namespace="kube-system", service_account="aws-node")
    reads(eks_cluster, MODULE, **wanted, role_arn=ROLE)
    for options in ({"role_arn": f"{ROLE}2"}, {"state": "absent"}):
        refused = eks_cluster.run(MODULE, **wanted, **options)
        assert refused["failed"] and "belongs to add-on vpc-cni" in refused["msg"] and not refused["mutating"], refused


def test_lost_replies_cause_no_duplicates(eks_cluster, wanted, faults):
    path = f"{eks_cluster.path}/pod-identity-associations"
    faults(kind="cut_after", operation=f"POST {path}", times=1)
    made = eks_cluster.run(MODULE, **wanted, role_arn=ROLE)
    assert made["changed"] and not made.get("failed"), made
    address = f"{path}/{made['eks_pod_identity_association']['association_id']}"
    for method in ("POST", "DELETE"):
        faults(kind="cut_after", operation=f"{method} {address}", times=1)
    for options in ({"role_arn": f"{ROLE}2"}, {"state": "absent"}):
        done = eks_cluster.run(MODULE, **wanted, **options)
        assert not done.get("failed") and done["changed"], done
        assert not eks_cluster.run(MODULE, **wanted, **options)["changed"]
    assert [rule["fired"] for rule in eks_cluster.control("faults")] == [1, 1, 1]


def test_a_denied_pass_role_is_reported(eks_cluster, wanted, policies):
    refused = eks_cluster.run(MODULE, **wanted, role_arn="arn:aws:iam::111111111111:role/administrator")
    assert refused["failed"] and "iam:PassRole on resource" in refused["msg"], refused
    policies(permissions.without("eks", "eks:DescribePodIdentityAssociation"))
    assert eks_cluster.run(MODULE, **wanted, role_arn=ROLE)["failed"]


def test_bad_input_is_refused_before_any_change(eks_cluster, wanted):
    refused = eks_cluster.run(MODULE, check=True, **wanted)
    assert "role_arn: missing" in refused["msg"]
    failed = eks_cluster.run(MODULE, check=True, **{**wanted, "eks_cluster": "none"}, role_arn=ROLE)
    assert failed["failed"] and "failed; check the name and the Region" in failed["msg"]
    assert not eks_cluster.run(MODULE, **{**wanted, "eks_cluster": "none", "state": "absent"})["changed"]
    for wrong, named in (
        ({"namespace": "A"}, "namespace: 'A'"),
        ({"service_account": "A"}, "service_account: 'A'"),
        ({"role_arn": "a"}, "role_arn: 'a'"),
        ({"target_role_arn": ""}, "target_role_arn: ''"),
        ({"policy": "[]"}, "policy: '[]'"),
        ({"policy": "Allow"}, "policy: 'Allow'"),
    ):
        refused = eks_cluster.run(MODULE, **{**wanted, "role_arn": ROLE, **wrong})
        assert refused["failed"] and named in refused["msg"] and eks_cluster.calls() == [], refused

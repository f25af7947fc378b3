# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_addon against the simulated API."""

from __future__ import annotations

import threading

import pytest
from modules.fixtures.small_cluster import QUICK
from simulated.shape import changes_once, one_shape, reads

GOVERNANCE, OPERATOR, CNI = "amazon-sagemaker-hyperpod-taskgovernance", "amazon-sagemaker-hyperpod-training-operator", "vpc-cni"
DEFAULT, LATEST = "v1.6.0-eksbuild.1", "v1.6.1-eksbuild.1"
ROLE = "arn:aws:iam::111111111111:role/hyperpod-pods-cni"
NODE = [{"service_account": "aws-node", "role_arn": ROLE}]


@pytest.fixture
def wanted(eks_cluster):
    return {"eks_cluster": eks_cluster.name, "name": GOVERNANCE, **QUICK}


def test_installed_and_removed(eks_cluster, wanted):
    present = {**wanted, "configuration": {"replicas": 2}, "tags": {"team": "research"}}
    made, removed = one_shape(eks_cluster, "eks_addon", present=present, absent={**wanted, "state": "absent"})
    addon = made["eks_addon"]
    fields = {name: addon[name] for name in ("version", "status", "configuration", "namespace", "tags", "latest_version", "default_version")}
    assert fields == {
        "version": DEFAULT,
        "status": "ACTIVE",
        "configuration": {"replicas": 2},
        "namespace": "kueue-system",
        "tags": {"team": "research"},
        "latest_version": LATEST,
        "default_version": DEFAULT,
    }
    assert removed["eks_addon"] == {"exists": False, "name": GOVERNANCE, "eks_cluster": eks_cluster.name}


@pytest.mark.slow
def test_the_version_changes_only_on_request(eks_cluster, wanted):
    eks_cluster.run("eks_addon", **wanted, configuration={"replicas": 2})
    reads(eks_cluster, "eks_addon", **wanted, version="latest")
    done = changes_once(eks_cluster, "eks_addon", **wanted, version="latest", upgrade=True)
    assert (done["eks_addon"]["version"], done["eks_addon"]["configuration"]) == (LATEST, {"replicas": 2})
    reads(eks_cluster, "eks_addon", **wanted, upgrade=True)
    done = changes_once(eks_cluster, "eks_addon", **wanted, version="v1.5.0-eksbuild.1")
    assert done["changes"][0]["before"] == LATEST


def test_settings_are_compared_by_their_values(eks_cluster, wanted):
    yaml = "# two\nreplicas: 2\nlogLevel: info\n"
    eks_cluster.eks.create_addon(clusterName=eks_cluster.name, addonName=GOVERNANCE, configurationValues=yaml)
    reads(eks_cluster, "eks_addon", **wanted, configuration={"logLevel": "info", "replicas": 2})
    reads(eks_cluster, "eks_addon", **wanted, configuration=yaml)
    reads(eks_cluster, "eks_addon", **wanted)
    done = changes_once(eks_cluster, "eks_addon", **wanted, configuration='{"replicas": 3}')
    assert done["eks_addon"]["configuration"] == {"replicas": 3}
    assert changes_once(eks_cluster, "eks_addon", **wanted, configuration={})["eks_addon"]["configuration"] == {}


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ({"replica": 2}, "configuration.replica: 2 is not allowed: the setting is unknown; "),
        ({"replicas": "two"}, "configuration.replicas: 'two' is not allowed: "),
        ({"logLevel": "loud"}, "Allowed: debug, info, error."),
        ({"tolerations": [{"key": "a"}, {}]}, "configuration.tolerations[1]: {} is not allowed: key is missing; "),
    ],
)
def test_settings_outside_the_schema_are_named(eks_cluster, wanted, configuration, message):
    for check in (True, False):
        refused = eks_cluster.run("eks_addon", check=check, **wanted, configuration=configuration)
        assert refused["failed"] and message in refused["msg"] and not refused["mutating"], refused
    assert f"the settings do not match the schema of {GOVERNANCE} {DEFAULT}" in refused["msg"]


@pytest.mark.slow
def test_pod_identity_associations_are_ensured_as_a_set(eks_cluster, wanted):
    wanted["name"] = CNI
    done = changes_once(eks_cluster, "eks_addon", **wanted, pod_identity_associations=NODE)
    assert done["eks_addon"]["pod_identity_associations"] == NODE
    reads(eks_cluster, "eks_addon", **wanted)
    other = [{**NODE[0], "role_arn": f"{ROLE}2"}]
    assert changes_once(eks_cluster, "eks_addon", **wanted, pod_identity_associations=other)["changes"][0]["before"] == NODE
    changed = eks_cluster.run("eks_addon", **wanted, configuration={"env": {"A": "b"}})
    assert changed["eks_addon"]["pod_identity_associations"] == other
    assert changes_once(eks_cluster, "eks_addon", **wanted, pod_identity_associations=[])["eks_addon"]["pod_identity_associations"] == []


def test_a_version_without_associations_is_refused_with_a_next_step(eks_cluster, wanted):
    refused = eks_cluster.run("eks_addon", **{**wanted, "name": OPERATOR}, pod_identity_associations=NODE)
    assert refused["failed"] and not refused["mutating"]
    assert "pod_identity_associations: ['aws-node'] is not allowed: amazon-sagemaker-hyperpod-training-operator v1.3.0" in refused["msg"]
    assert "eks_pod_identity_association" in refused["msg"]


@pytest.mark.slow
def test_a_role_is_kept_changed_and_removed(eks_cluster, wanted):
    wanted["name"] = CNI
    assert changes_once(eks_cluster, "eks_addon", **wanted, service_account_role_arn=ROLE)["eks_addon"]["service_account_role_arn"] == ROLE
    changed = eks_cluster.run("eks_addon", **wanted, configuration={"env": {"A": "b"}})
    assert changed["eks_addon"]["service_account_role_arn"] == ROLE
    assert changes_once(eks_cluster, "eks_addon", **wanted, service_account_role_arn="")["eks_addon"]["service_account_role_arn"] == ""


def test_a_cluster_without_nodes(eks_cluster, wanted):
    eks_cluster.control("settings", {"eks_without_nodes": [eks_cluster.name]})
    late = eks_cluster.run("eks_addon", **{**wanted, "wait_timeout": 1})
    assert late["failed"] and "is still DEGRADED (InsufficientNumberOfReplicas" in late["msg"] and "set wait_for=installed" in late["msg"]
    second = reads(eks_cluster, "eks_addon", **wanted)
    assert "is DEGRADED (InsufficientNumberOfReplicas" in str(second["warnings"])
    done = eks_cluster.run("eks_addon", **wanted, configuration={"replicas": 2}, wait_for="installed")
    assert done["changed"] and done["eks_addon"]["status"] == "DEGRADED", done
    eks_cluster.control("settings", {"eks_without_nodes": []})
    assert reads(eks_cluster, "eks_addon", **wanted)["eks_addon"]["status"] == "ACTIVE"


@pytest.mark.slow
def test_fields_of_other_managers_are_reported_and_overwritten_on_request(eks_cluster, wanted):
    eks_cluster.control("settings", {"eks_addon_conflicts": [GOVERNANCE]})
    failed = eks_cluster.run("eks_addon", **wanted)
    assert failed["failed"] and "is CREATE_FAILED (ConfigurationConflict: Conflicts found" in failed["msg"], failed
    assert "set resolve_conflicts=OVERWRITE to replace the fields that others have set" in failed["msg"]
    failed = eks_cluster.run("eks_addon", **wanted, configuration={"replicas": 2})
    assert failed["failed"] and "ConfigurationConflict: Conflicts found when trying to apply" in failed["msg"], failed
    done = eks_cluster.run("eks_addon", **wanted, resolve_conflicts="OVERWRITE")
    assert [(each["field"], each["before"]) for each in done["changes"]] == [("status", "UPDATE_FAILED")], done
    assert (done["eks_addon"]["status"], done["eks_addon"]["issues"]) == ("ACTIVE", [])


@pytest.mark.slow
def test_a_failed_removal_is_reported(eks_cluster, wanted, faults):
    eks_cluster.run("eks_addon", **wanted)
    faults(kind="fail_later", operation=f"DELETE {eks_cluster.path}/addons/{GOVERNANCE}", code="ClusterUnreachable: no way", times=1)
    failed = eks_cluster.run("eks_addon", **wanted, state="absent")
    assert failed["failed"] and "is DELETE_FAILED (ClusterUnreachable: no way): correct the problem" in failed["msg"], failed
    assert eks_cluster.run("eks_addon", **wanted, state="absent", preserve=True)["changed"]


@pytest.mark.slow
def test_a_concurrent_update_is_waited_for(eks_cluster, wanted):
    eks_cluster.run("eks_addon", **wanted)
    eks_cluster.control("settings", {"transition_seconds": 3600})
    eks_cluster.eks.update_addon(clusterName=eks_cluster.name, addonName=GOVERNANCE, addonVersion=LATEST)
    refused = eks_cluster.run("eks_addon", **{**wanted, "wait": False}, configuration={"replicas": 2})
    assert refused["failed"] and "wait until the running operation has ended" in refused["msg"], refused
    threading.Timer(1, eks_cluster.control, ("settings", {"transition_seconds": 0.05})).start()
    done = eks_cluster.run("eks_addon", **wanted, configuration={"replicas": 2})
    assert done["eks_addon"]["version"] == LATEST and [each["field"] for each in done["changes"]] == ["configuration"], done
    assert len(done["mutating"]) == 1, "the call came before the other update had ended"


@pytest.mark.slow
def test_lost_replies_cause_no_duplicates(eks_cluster, wanted, faults):
    addons = f"{eks_cluster.path}/addons"
    for operation in (f"POST {addons}", f"POST {addons}/{GOVERNANCE}/update", f"DELETE {addons}/{GOVERNANCE}"):
        faults(kind="cut_after", operation=operation, times=1)
    for options in ({}, {"configuration": {"replicas": 2}}, {"state": "absent"}):
        done = eks_cluster.run("eks_addon", **wanted, **options)
        assert not done.get("failed") and done["changed"], done
        assert not eks_cluster.run("eks_addon", **wanted, **options)["changed"]
    assert [rule["fired"] for rule in eks_cluster.control("faults")] == [1, 1, 1]


@pytest.mark.slow
def test_tags_change_without_an_update(eks_cluster, wanted):
    eks_cluster.run("eks_addon", **wanted, tags={"a": "b", "c": "d"})
    done = changes_once(eks_cluster, "eks_addon", **wanted, tags={"a": "e", "f": "g"})
    assert done["eks_addon"]["tags"] == {"a": "e", "f": "g"} and all("/tags/" in each for each in done["mutating"])
    assert changes_once(eks_cluster, "eks_addon", **wanted, tags={"h": "i"}, purge_tags=False)["eks_addon"]["tags"]["a"] == "e"


def test_names_and_versions_that_eks_does_not_offer(eks_cluster, wanted):
    for wrong, message in (
        ({"name": "none"}, "name: 'none' is not allowed: EKS offers no version of this add-on for Kubernetes 1.34"),
        ({"version": "v9.9.9-eksbuild.1"}, f"Allowed: default, latest, {LATEST}, {DEFAULT}, v1.5.0-eksbuild.1."),
        ({"eks_cluster": "none"}, "DescribeCluster for EKS cluster none failed; check the name and the Region"),
    ):
        refused = eks_cluster.run("eks_addon", check=True, **{**wanted, **wrong})
        assert refused["failed"] and message in refused["msg"], refused
    assert not eks_cluster.run("eks_addon", **{**wanted, "eks_cluster": "none", "state": "absent"})["changed"]


def test_bad_input_is_refused_before_any_call(eks_cluster, wanted):
    for wrong, named in (
        ({"eks_cluster": "a b"}, "eks_cluster: 'a b'"),
        ({"name": "a b"}, "name: 'a b'"),
        ({"version": "newest"}, "version: 'newest'"),
        ({"configuration": "a"}, "configuration: 'a'"),
        ({"configuration": "a: [b"}, "configuration: 'a: [b' is not allowed: it is not YAML (line 1)"),
        ({"namespace": "A"}, "namespace: 'A'"),
        ({"service_account_role_arn": "role"}, "service_account_role_arn: 'role'"),
        ({"pod_identity_associations": [{"service_account": "a", "role_arn": "role"}]}, "pod_identity_associations.role_arn: 'role'"),
        ({"pod_identity_associations": [*NODE, *NODE]}, "pod_identity_associations.service_account: 'aws-node'"),
        ({"wait_timeout": 0}, "wait_timeout: 0"),
    ):
        refused = eks_cluster.run("eks_addon", **{**wanted, **wrong})
        assert refused["failed"] and named in refused["msg"] and eks_cluster.calls() == [], refused

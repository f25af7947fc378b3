# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file system, its objects, and the kubeconfig."""

from __future__ import annotations

import typing as t

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import storage

from .given import ARN, resource, variables

DECLARED = {"file_system": {"storage_capacity": 1200, "deployment_type": "SCRATCH_2"}, "namespace": "research", "claim": "checkpoints"}
MADE = {"id": "fs-1", "dns_name": "fs-1.fsx", "mount_name": "abc", "storage_capacity": 1200, "lifecycle": "AVAILABLE"}
CLUSTER_MADE = {"eks_cluster": {"vpc": {"cluster_security_group": "sg-1"}, "endpoint": "https://x", "certificate_authority": "QQ=="}}


def of(**more: t.Any) -> storage.Storage:
    return storage.storage(variables(**{**DECLARED, "__training_cluster_made_cluster": CLUSTER_MADE, **more}))


def test_the_file_system_accepts_lustre_from_the_nodes_and_itself_only() -> None:
    group = of().security_group
    assert group["name"] == "ml.lustre" and group["tags"]["mlfleet.hyperpod/cluster"] == ARN
    ports = [(each["from_port"], each["to_port"], each.get("group_name"), each.get("group_id")) for each in group["rules"]]
    assert ports == [(988, 988, "ml.lustre", None), (988, 988, None, "sg-1"), (1018, 1023, "ml.lustre", None), (1018, 1023, None, "sg-1")]


def test_undeclared_settings_of_the_file_system_are_not_set() -> None:
    given = {name: value for name, value in of().options.items() if value is not None}
    assert given == {"name": "ml", "subnet_id": "", "storage_capacity": 1200, "deployment_type": "SCRATCH_2"}
    assert {"compression", "metadata_iops"} <= of().options.keys()


def test_objects_need_a_file_system_that_can_be_mounted() -> None:
    assert of().objects == []
    assert of(__training_cluster_made_file_system={"fsx_lustre_file_system": {**MADE, "mount_name": None}}).objects == []
    made = {"__training_cluster_made_file_system": {"fsx_lustre_file_system": MADE}}
    (namespace,) = of(**made).namespace
    volume, claim = of(**made).objects
    assert (namespace["kind"], namespace["metadata"]["name"]) == ("Namespace", "research")
    assert volume["spec"]["csi"]["volumeHandle"] == "fs-1" and volume["spec"]["claimRef"]["name"] == "checkpoints"
    assert (claim["metadata"]["namespace"], claim["spec"]["volumeName"]) == ("research", volume["metadata"]["name"])
    assert claim["spec"]["resources"]["requests"]["storage"] == "1200Gi"
    grown = {"__training_cluster_made_file_system": {"fsx_lustre_file_system": {**MADE, "storage_capacity": 9600}}}
    assert of(**grown).objects[1] == claim and of(**grown).objects[0]["spec"]["capacity"] == {"storage": "9600Gi"}
    assert of(**made, claim="").objects == [] == of(**made, claim="").namespace


@pytest.mark.parametrize(
    ("there", "check", "needed"),
    [
        ((), False, True),
        ((), True, False),
        (("file_system",), True, False),
        (("security_group",), True, False),
        (("file_system", "security_group"), True, True),
    ],
)
def test_check_mode_compares_only_a_file_system_that_exists(there: tuple[str, ...], check: bool, needed: bool) -> None:
    called = {"file_system": "ml", "security_group": "ml.lustre"}
    resources = [resource(kind, called[kind]) for kind in there]
    given = {**DECLARED, "__training_cluster_made_cluster": CLUSTER_MADE}
    assert storage.storage(variables(*resources, check=check, **given)).needed is needed
    leaving = [{**each, "status": "DELETING"} for each in resources]
    assert storage.storage(variables(*leaving, check=check, **given)).needed is (not check)


def test_without_a_file_system_nothing_is_needed() -> None:
    assert not storage.storage(variables()).needed


def test_the_kubeconfig_has_no_credentials() -> None:
    found = storage.kubeconfig(variables(kubeconfig="/k", __training_cluster_made_cluster=CLUSTER_MADE))
    config = yaml.safe_load(found.text)
    assert found.path == "/k" and config["current-context"] == "ml"
    assert config["clusters"][0] == {"name": ARN, "cluster": {"server": "https://x", "certificate-authority-data": "QQ=="}}
    arguments = config["users"][0]["user"]["exec"]["args"]
    assert arguments == ["eks", "get-token", "--cluster-name", "ml", "--region", "us-west-2", "--profile", "research"]

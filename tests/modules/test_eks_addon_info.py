# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_addon_info against the simulated API."""

from __future__ import annotations

import pytest
from simulated.shape import reads

pytestmark = pytest.mark.slow

GOVERNANCE, CNI = "amazon-sagemaker-hyperpod-taskgovernance", "vpc-cni"


def test_all_add_ons_over_all_pages(eks_cluster):
    for name in (GOVERNANCE, CNI):
        eks_cluster.eks.create_addon(clusterName=eks_cluster.name, addonName=name, configurationValues='{}')
    eks_cluster.control("settings", {"page_size": 1})
    found = reads(eks_cluster, "eks_addon_info", eks_cluster=eks_cluster.name)
    assert [each["name"] for each in found["eks_addons"]] == [GOVERNANCE, CNI]
    assert (found["eks_addon_versions"], found["eks_addon_configuration"]) == ([], None)


def test_an_add_on_that_is_not_installed_with_its_versions_and_settings(eks_cluster):
    found = reads(eks_cluster, "eks_addon_info", eks_cluster=eks_cluster.name, name=CNI, version="latest")
    assert found["eks_addons"] == []
    newest = found["eks_addon_versions"][0]
    assert newest == {
        "version": "v1.19.2-eksbuild.1",
        "default": True,
        "requires_configuration": False,
        "requires_iam_permissions": True,
    }
    configuration = found["eks_addon_configuration"]
    assert configuration["version"] == newest["version"] and "env" in str(configuration["schema"])
    assert configuration["pod_identities"][0]["service_account"] == "aws-node"


def test_add_ons_for_a_cluster_that_does_not_exist_yet(eks_cluster):
    name = "amazon-sagemaker-hyperpod-taskgovernance"
    found = reads(eks_cluster, "eks_addon_info", eks_cluster="none", name=name, version="default", kubernetes_version="1.36")
    assert (found["eks_addons"], found["eks_addon_configuration"]["version"]) == ([], "v1.6.1-eksbuild.1")
    unknown = eks_cluster.run("eks_addon_info", eks_cluster="none", name="nonsense", version="default", kubernetes_version="1.36")
    assert unknown["failed"] and "EKS offers no version of this add-on for Kubernetes 1.36" in unknown["msg"], unknown


def test_bad_input_is_refused(eks_cluster):
    for wrong, message in (
        ({"name": "a b"}, "name: 'a b'"),
        ({"version": "latest"}, "missing parameter(s) required by 'version': name"),
        ({"kubernetes_version": "1.36"}, "missing parameter(s) required by 'kubernetes_version': name"),
        ({"name": CNI, "version": "v0.1.0-eksbuild.1"}, "version: 'v0.1.0-eksbuild.1' is not allowed"),
        ({"eks_cluster": "none"}, "ListAddons for add-ons of EKS cluster none failed; check the name and the Region"),
    ):
        refused = eks_cluster.run("eks_addon_info", **{"eks_cluster": eks_cluster.name, **wrong})
        assert refused["failed"] and message in refused["msg"], refused

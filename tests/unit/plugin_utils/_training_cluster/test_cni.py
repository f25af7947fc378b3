# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of the VPC CNI that are refused, and clusters with nodes of HyperPod."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import Catalogue, Version
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.cni import evidence, refusal
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import Addon
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import Observed

OLD, BAD, WORSE, GOOD = "v1.21.1-eksbuild.3", "v1.22.1-eksbuild.1", "v1.22.3-eksbuild.2", "v1.22.4-eksbuild.1"
REASON = "where VPC CNI 1.22.1 to 1.22.3 can give a Pod the address of its node (aws/amazon-vpc-cni-k8s #3753)"
DEFAULT, LATEST = Addon("vpc-cni"), Addon("vpc-cni", "latest")


def offered(default: str, *names: str) -> Catalogue:
    return Catalogue("1.35", tuple(Version(name, default=name == default) for name in (names or (GOOD, WORSE, BAD, OLD))))


def refused(given: Addon | None, installed: str = "", catalogue: Catalogue = offered(WORSE), **more: bool) -> str | None:
    options = {"declared": given is not None, "upgrade": False, **more}
    return refusal(given, installed, catalogue, why="evidence", **options)


@pytest.mark.parametrize("version", [BAD, "v1.22.2-eksbuild.1", WORSE])
def test_a_named_version_is_refused_with_the_report_and_a_version_that_works(version: str) -> None:
    text = refused(Addon("vpc-cni", version), catalogue=offered(GOOD, GOOD, "v1.22.2-eksbuild.1", WORSE, BAD))
    assert text == (
        f"training_cluster_addons: 'vpc-cni {version}' is not allowed: evidence, {REASON}. Allowed: vpc-cni with version {GOOD}."
    )


@pytest.mark.parametrize(
    ("given", "installed", "catalogue", "upgrade"),
    [
        (Addon("vpc-cni", GOOD), WORSE, offered(WORSE), False),
        (Addon("vpc-cni", OLD), "", offered(WORSE), False),
        (DEFAULT, "", offered(GOOD), False),
        (LATEST, "", offered(WORSE), False),
        (DEFAULT, OLD, offered(WORSE), False),
        (DEFAULT, BAD, offered(GOOD), True),
        (None, GOOD, offered(WORSE), False),
        (None, "", offered(WORSE), False),
        (Addon("vpc-cni", "v9.9.9"), "", offered(WORSE), False),
    ],
)
def test_versions_that_work(given: Addon | None, installed: str, catalogue: Catalogue, upgrade: bool) -> None:
    assert refused(given, installed, catalogue, upgrade=upgrade) is None


@pytest.mark.parametrize(
    ("given", "installed", "catalogue", "upgrade", "version"),
    [
        (DEFAULT, "", offered(WORSE), False, WORSE),
        (LATEST, "", offered(OLD, BAD, OLD), False, BAD),
        (DEFAULT, BAD, offered(GOOD), False, BAD),
        (DEFAULT, OLD, offered(WORSE), True, WORSE),
    ],
)
def test_a_version_that_nobody_named_is_refused(
    given: Addon, installed: str, catalogue: Catalogue, upgrade: bool, version: str
) -> None:
    better = OLD if "v1.22.4-eksbuild.1" not in [each.name for each in catalogue.versions] else GOOD
    text = refused(given, installed, catalogue, upgrade=upgrade)
    start = f"training_cluster_addons: 'vpc-cni {given.version}' is not allowed: the version would be {version}; evidence, {REASON}"
    assert text == f"{start}. Allowed: vpc-cni with version {better}."
    text = refused(given, installed, catalogue, upgrade=upgrade, declared=False)
    start = f"training_cluster_addons: missing; add vpc-cni with version {better}, because the version would be {version}"
    assert text == f"{start}; evidence, {REASON}."


def test_the_current_version_of_an_add_on_that_is_not_managed_is_refused() -> None:
    text = refused(None, WORSE)
    assert text and text.startswith(f"training_cluster_addons: missing; add vpc-cni with version {GOOD}, because the version would be")
    assert refused(Addon("vpc-cni", "v1.22.2-eksbuild.9"), catalogue=offered(OLD, OLD)), "EKS may not offer it"
    assert "add vpc-cni with version a version other than 1.22.1 to 1.22.3," in str(refused(None, WORSE, offered(WORSE, WORSE)))


def resource(kind: str, name: str, **details: t.Any) -> dict[str, t.Any]:
    return {"kind": kind, "name": name, "id": f"id of {name}", "ours": False, "status": "", "details": details}


@pytest.mark.parametrize(
    ("resources", "addons", "orchestrates", "expected"),
    [
        ([resource("eks_access_entry", "people", type="STANDARD"), resource("eks_addon", "vpc-cni")], [DEFAULT], False, ""),
        ([], [], True, "the host's definition of a HyperPod cluster names this EKS cluster"),
        ([resource("eks_access_entry", "nodes", type="HYPERPOD_LINUX")], [], False, "access entry id of nodes is for nodes of HyperPod"),
        ([resource("eks_access_entry", "nodes", type="EC2_LINUX")], [], False, ""),
        ([], [Addon("amazon-sagemaker-hyperpod-taskgovernance")], False, "add-on amazon-sagemaker-hyperpod-taskgovernance is for"),
        ([resource("eks_addon", "amazon-sagemaker-hyperpod-a")], [DEFAULT], False, "add-on amazon-sagemaker-hyperpod-a is for nodes of HyperPod"),
    ],
)
def test_evidence_of_nodes_of_hyperpod(resources: list[t.Any], addons: list[Addon], orchestrates: bool, expected: str) -> None:
    found = evidence(Observed(resources), addons, orchestrates=orchestrates)
    assert found.startswith(expected) and bool(found) is bool(expected)

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions, insights and upgrades by boto3 against the simulator."""

from __future__ import annotations

import typing as t

import pytest
from refusals import code


def listed(place: t.Any, **params: t.Any) -> list[str]:
    pages = place.eks.get_paginator("describe_cluster_versions").paginate(**params)
    return [each["clusterVersion"] for page in pages for each in page["clusterVersions"]]


@pytest.mark.parametrize(
    ("params", "versions"),
    [
        ({}, ["1.32", "1.33", "1.34", "1.35", "1.36"]),
        ({"includeAll": True}, ["1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36"]),
        ({"defaultOnly": True}, ["1.35"]),
        ({"clusterVersions": ["1.30", "1.34"]}, ["1.30", "1.34"]),
        ({"versionStatus": "EXTENDED_SUPPORT"}, ["1.32", "1.33"]),
        ({"versionStatus": "UNSUPPORTED"}, ["1.29", "1.30", "1.31"]),
    ],
)
def test_versions_are_listed(place: t.Any, account: t.Any, params: dict[str, t.Any], versions: list[str]) -> None:
    account.control.settings(page_size=2)
    assert listed(place, **params) == versions


def test_a_version_has_its_end_of_support(place: t.Any) -> None:
    (found,) = place.eks.describe_cluster_versions(clusterVersions=["1.33"])["clusterVersions"]
    assert (found["versionStatus"], found["status"]) == ("EXTENDED_SUPPORT", "extended-support")
    assert (str(found["endOfStandardSupportDate"].date()), str(found["endOfExtendedSupportDate"].date())) == ("2026-07-29", "2027-07-29")


def upgrade(place: t.Any, version: str, **more: t.Any) -> str:
    return code(place.eks.update_cluster_version, name=place.name, version=version, **more)


def test_an_upgrade_is_one_minor_version(place: t.Any) -> None:
    for wrong in ("1.33", "1.34", "1.36"):
        assert upgrade(place, wrong) == "InvalidParameterException"
    for version in ("1.35", "1.36"):
        update = place.eks.update_cluster_version(name=place.name, version=version)["update"]
        assert (update["type"], place.ended(update["id"])["status"], place.cluster()["version"]) == ("VersionUpdate", "Successful", version)
    assert upgrade(place, "1.37") == "InvalidParameterException"


def test_errors_of_insights_stop_an_upgrade_unless_it_is_forced(place: t.Any, account: t.Any) -> None:
    """User Guide, cluster-insights: EKS refuses an upgrade with an error, unless the request has the flag force."""
    (passed,) = place.eks.list_insights(clusterName=place.name)["insights"]
    assert (passed["insightStatus"]["status"], passed["kubernetesVersion"]) == ("PASSING", "1.35")
    given = [
        {"name": "a", "status": "ERROR"},
        {"name": "b", "status": "WARNING"},
        {"name": "c", "status": "ERROR", "category": "MISCONFIGURATION"},
        {"name": "d", "status": "ERROR", "kubernetesVersion": "1.36"},
    ]
    account.control.settings(eks_insights={place.name: given})

    def names(**wanted: t.Any) -> list[str]:
        return [each["name"] for each in place.eks.list_insights(clusterName=place.name, filter=wanted)["insights"]]

    assert names() == ["a", "b", "c", "d"] and names(categories=["UPGRADE_READINESS"], statuses=["ERROR"]) == ["a", "d"]
    assert names(kubernetesVersions=["1.36"]) == ["d"]
    assert upgrade(place, "1.35") == "InvalidStateException" and upgrade(place, "1.35", force=True) == ""


@pytest.mark.parametrize("insight", [{"category": "MISCONFIGURATION"}, {"kubernetesVersion": "1.36"}, {"status": "WARNING"}])
def test_other_insights_do_not_stop_an_upgrade(place: t.Any, account: t.Any, insight: dict[str, str]) -> None:
    account.control.settings(eks_insights={place.name: [{"name": "a", "status": "ERROR", **insight}]})
    assert upgrade(place, "1.35") == ""


def test_the_support_type_is_fixed_after_standard_support(make_place: t.Any) -> None:
    place = make_place(version="1.33")
    refused = code(place.eks.update_cluster_config, name=place.name, upgradePolicy={"supportType": "STANDARD"})
    assert refused == "InvalidParameterException"

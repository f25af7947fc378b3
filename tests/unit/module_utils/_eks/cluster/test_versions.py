# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of Kubernetes, the step of an upgrade, and insights before it."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster import versions
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.versions import Insight, Version

END = datetime.datetime(2027, 3, 27, tzinfo=datetime.timezone.utc)
TABLE = (
    Version("1.37", "PREVIEW"),
    Version("1.36", "STANDARD_SUPPORT"),
    Version("1.35", "STANDARD_SUPPORT", default=True),
    Version("1.34", "EXTENDED_SUPPORT"),
    Version("1.33", "UNSUPPORTED"),
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"versionStatus": "STANDARD_SUPPORT"}, "standard"),
        ({"versionStatus": "EXTENDED_SUPPORT"}, "extended"),
        ({"versionStatus": "UNSUPPORTED"}, "unsupported"),
        ({"versionStatus": "PREVIEW"}, "unknown"),
        ({"status": "extended-support"}, "extended"),
        ({"status": "unsupported", "versionStatus": "STANDARD_SUPPORT"}, "standard"),
        ({}, "unknown"),
    ],
)
def test_the_support_comes_from_the_reply(answer: dict[str, t.Any], expected: str) -> None:
    found = Version.from_api({"clusterVersion": "1.35", **answer})
    assert (found.name, found.support, found.is_offered) == ("1.35", expected, expected in ("standard", "extended"))


def test_times_are_returned_or_null() -> None:
    answer = {"clusterVersion": "1.35", "versionStatus": "STANDARD_SUPPORT", "endOfStandardSupportDate": END, "defaultVersion": True}
    found = Version.from_api(answer)
    assert found.default and found.to_result() == {
        "status": "standard",
        "end_of_standard_support": "2027-03-27T00:00:00.000Z",
        "end_of_extended_support": None,
    }
    unknown = {"status": "unknown", "end_of_standard_support": None, "end_of_extended_support": None}
    assert versions.find(TABLE, "1.20") == Version.from_api({"clusterVersion": "1.20"}) and versions.find(TABLE, "1.20").to_result() == unknown


@pytest.mark.parametrize(("text", "numbers"), [("1.35", (1, 35)), ("1.9", (1, 9)), ("", ()), ("1", ()), ("1.x", ()), ("1.35.2", ())])
def test_numbers_of_a_version(text: str, numbers: tuple[int, ...]) -> None:
    assert versions.numbers(text) == numbers


def test_the_default_is_an_offered_version() -> None:
    assert versions.default_of(TABLE) == TABLE[2]
    assert versions.default_of([Version("1.33", "UNSUPPORTED", default=True)]) is None


@pytest.mark.parametrize(
    ("have", "wanted", "message"),
    [
        ("1.34", "1.34", None),
        ("1.34", "1.35", None),
        ("1.33", "1.34", None),
        ("1.20", "1.20", None),
        ("1.34", "1.36", "has 1.34, and EKS upgrades by one minor version at a time. Allowed: 1.34, 1.35."),
        ("1.35", "1.34", "has 1.35, and this module does not downgrade a cluster. Allowed: 1.35, 1.36."),
        ("1.36", "1.37", "has 1.36, and EKS does not offer this version. Allowed: 1.36."),
        ("1.32", "1.33", "has 1.32, and EKS does not offer this version. Allowed: 1.32."),
        ("strange", "1.35", "has strange, and EKS upgrades by one minor version at a time. Allowed: strange."),
    ],
)
def test_an_upgrade_is_one_offered_step(have: str, wanted: str, message: str | None) -> None:
    if message is None:
        versions.check_upgrade("it", have, wanted, TABLE)
        return
    with pytest.raises(Refused) as refused:
        versions.check_upgrade("it", have, wanted, TABLE)
    assert str(refused.value) == f"version: {wanted!r} is not allowed: it {message}" and refused.value.option == "version"


@pytest.mark.parametrize("wanted", ["1.33", "1.37", "1.20"])
def test_a_new_cluster_needs_an_offered_version(wanted: str) -> None:
    with pytest.raises(Refused, match="EKS does not offer this version. Allowed: 1.34, 1.35, 1.36"):
        versions.check_new(wanted, TABLE)
    with pytest.raises(Refused, match="Allowed: a version that EKS offers"):
        versions.check_new(wanted, ())
    versions.check_new("1.34", TABLE)


API, SKEW = Insight("API", "ERROR", "1.35", "in use"), Insight("skew", "ERROR", "")
LATER, WARNING = Insight("later", "ERROR", "1.36"), Insight("warns", "WARNING", "1.34", "soon")


def test_an_insight_is_read() -> None:
    answer = {"name": "a\x1b", "kubernetesVersion": "1.35", "insightStatus": {"status": "ERROR", "reason": "b\x1b"}}
    assert Insight.from_api(answer) == Insight("a?", "ERROR", "1.35", "b?")
    assert Insight.from_api({}) == Insight("unnamed", "UNKNOWN")
    assert (str(API), str(SKEW)) == ("API (in use)", "skew")


@pytest.mark.parametrize(
    ("insights", "accepted", "left"),
    [
        ((), (), ""),
        ((LATER, WARNING), (), ""),
        ((API, SKEW, LATER), (), "API (in use); skew"),
        ((API, SKEW), ("API",), "skew"),
        ((API, SKEW), ("skew", "API", "unknown"), ""),
    ],
)
def test_errors_stop_an_upgrade_unless_they_are_accepted(insights: tuple[Insight, ...], accepted: tuple[str, ...], left: str) -> None:
    if not left:
        versions.check_insights("it", "1.35", insights, accepted)
        return
    with pytest.raises(Refused) as refused:
        versions.check_insights("it", "1.35", insights, accepted)
    assert str(refused.value).startswith(f"version: it is not ready for 1.35: {left}. Correct this")


@pytest.mark.parametrize(
    ("insights", "notes"),
    [
        ((), ["EKS has no upgrade insights about it, so nothing has checked whether it is ready for 1.35."]),
        ((LATER,), ["EKS has no upgrade insights about it, so nothing has checked whether it is ready for 1.35."]),
        ((Insight("fine", "PASSING", "1.35", "ok"),), []),
        ((SKEW, WARNING), ["Upgrade insight of it: skew is ERROR", "Upgrade insight of it: warns is WARNING: soon"]),
        ((Insight("new", "STRANGE\x1b"),), ["Upgrade insight of it: new is STRANGE?"]),
    ],
)
def test_insights_that_have_not_passed_are_reported(insights: tuple[Insight, ...], notes: list[str]) -> None:
    assert list(versions.insight_notes("it", "1.35", insights)) == notes

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wanted version of an add-on, and what its status means."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import (
    Addon,
    Catalogue,
    Desired,
    Identity,
    Issue,
    Version,
)

OFFERED = Catalogue("1.34", (Version("v1.10.0-eksbuild.1"), Version("v1.9.0-eksbuild.2", default=True), Version("v1.8.0-eksbuild.1")))
OLD, DEFAULT, LATEST = "v1.8.0-eksbuild.1", "v1.9.0-eksbuild.2", "v1.10.0-eksbuild.1"


@pytest.mark.parametrize(
    ("version", "upgrade", "have", "target"),
    [
        ("default", False, None, DEFAULT),
        ("latest", False, None, LATEST),
        (OLD, False, None, OLD),
        ("v2", False, None, None),
        ("default", False, OLD, OLD),
        ("latest", False, OLD, OLD),
        ("default", True, OLD, DEFAULT),
        ("latest", True, OLD, LATEST),
        ("default", True, LATEST, LATEST),
        ("latest", True, "v1.11.0-eksbuild.1", "v1.11.0-eksbuild.1"),
        (OLD, False, LATEST, OLD),
        ("latest", True, "v1.10.0.eksbuild.1", "v1.10.0.eksbuild.1"),
        ("v0.1", False, "v0.1", "v0.1"),
    ],
)
def test_the_wanted_version_is_resolved(version, upgrade, have, target):
    desired = Desired("pods", "a", version=version, upgrade=upgrade)
    assert OFFERED.target(desired, Addon("arn", have, "ACTIVE") if have else None) == target


def test_without_a_marked_default_the_newest_version_is_the_default():
    assert Catalogue("1.34", (Version("v2"), Version("v1"))).default == "v2"
    assert (Catalogue("1.34").default, Catalogue("1.34").latest) == (None, None)


@pytest.mark.parametrize(
    ("status", "codes", "lacks"),
    [
        ("DEGRADED", ["InsufficientNumberOfReplicas"], True),
        ("DEGRADED", [], True),
        ("DEGRADED", ["InsufficientNumberOfReplicas", "AccessDenied"], False),
        ("ACTIVE", [], False),
        ("CREATE_FAILED", ["InsufficientNumberOfReplicas"], False),
    ],
)
def test_an_add_on_that_lacks_only_nodes_is_recognised(status, codes, lacks):
    addon = Addon("arn", "v1", status, tuple(Issue(code, "why") for code in codes))
    assert addon.lacks_nodes is lacks
    assert addon.described == (f"{status} ({'; '.join(f'{code}: why' for code in codes)})" if codes else status)


def test_settings_that_cannot_be_parsed_stay_text():
    assert Addon("arn", "v1", "ACTIVE", text="a: [b").configuration == "a: [b"


def test_an_old_botocore_is_sufficient_for_its_parameters():
    assert Desired("pods", "a").newer_parameters == []
    assert Desired("pods", "a", identities=(), namespace="n").newer_parameters == ["podIdentityAssociations", "namespaceConfig"]


def test_every_field_of_an_answer_is_read() -> None:
    identities = [Identity("b", "role"), Identity("a", "role")]
    answer = {
        "addonArn": "arn",
        "addonVersion": "v1",
        "status": "DEGRADED",
        "health": {"issues": [{"code": "A", "message": "b\x1b", "resourceIds": ["c\x1b"]}, {}]},
        "configurationValues": '{"a": 1}',
        "serviceAccountRoleArn": "role",
        "namespaceConfig": {"namespace": "system"},
        "tags": {"a": "b"},
    }
    issues = (Issue("A", "b?", ("c?",)), Issue("Unknown", ""))
    expected = Addon("arn", "v1", "DEGRADED", issues, '{"a": 1}', "role", (identities[1], identities[0]), "system", {"a": "b"})
    assert Addon.from_api(answer, identities) == expected and expected.configuration == {"a": 1}
    least = {"addonArn": "arn", "addonVersion": "v1", "status": "ACTIVE"}
    assert Addon.from_api(least, ()) == Addon("arn", "v1", "ACTIVE")


def test_missing_fields_are_empty() -> None:
    assert Version("v1") == Version("v1", default=False, identities=False, needs_configuration=False)
    assert (Catalogue("1.34").versions, Catalogue("1.34").namespace) == ((), "")
    addon = Addon("arn", "v1", "ACTIVE")
    assert (addon.issues, addon.text, addon.role, addon.identities, addon.namespace, addon.tags) == ((), "", "", (), "", {})
    assert str(Issue("A", "")) == "A"


def test_options_have_the_documented_defaults() -> None:
    desired = Desired("pods", "a")
    assert (desired.present, desired.version, desired.upgrade, desired.configuration, desired.role) == (True, "default", False, None, None)
    assert (desired.identities, desired.namespace, desired.resolve_conflicts, desired.preserve) == (None, None, "NONE", False)
    assert (desired.tags, desired.purge_tags, desired.wait_for) == (None, True, "active")
    assert desired.about == "add-on a of EKS cluster pods"


def test_a_version_is_returned() -> None:
    found = Version("v1", identities=True).to_result()
    assert found == {"version": "v1", "default": False, "requires_configuration": False, "requires_iam_permissions": True}
    assert Version("v1.6.1-eksbuild.2").number == (1, 6, 1, 2)


def test_an_issue_names_the_first_resources() -> None:
    assert str(Issue("A", "b", ("1", "2"))) == "A: b (resources 1, 2)"
    assert str(Issue("A", "", tuple("1234567"))) == "A (resources 1, 2, 3, 4, 5 and 2 more)"

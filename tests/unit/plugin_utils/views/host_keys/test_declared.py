# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals before the first change, and options for the shared host keys."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.host_keys import NUMBERS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.host_keys import declared

CERTIFIED = {"host_keys_identity": "certificates"}
VAULTED = {"host_keys_vaulted": {"ed25519": {"private": "P", "public": "ssh-ed25519 A"}}}


def of(variables: dict[str, t.Any], **given: t.Any) -> declared.Declared:
    hostvars = {"ml": {**variables["hostvars"]["ml"], **given}}
    return declared.declared({**variables, **given, "hostvars": hostvars})


def texts(found: list[dict[str, str]]) -> list[str]:
    assert all((each["code"], each["kind"]) == ("option-refused", "failure") for each in found)
    return [each["text"] for each in found]


@pytest.mark.parametrize(
    "given",
    [
        {},
        CERTIFIED,
        VAULTED,
        {"host_keys_rotation": "start"},
        {"host_keys_rotation": "emergency", "host_keys_rotation_confirm": "yes"},
        {"host_keys_certificate_days": 1, "host_keys_certificate_renew_days": 30},
    ],
)
def test_valid_variables_are_accepted(variables: dict[str, t.Any], given: dict[str, t.Any]) -> None:
    assert of(variables, **given) == declared.Declared([], [], [])


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_have_ranges(variables: dict[str, t.Any], name: str) -> None:
    first, last = NUMBERS[name]
    assert [len(texts(of(variables, **{name: each}).out_of_range)) for each in (first - 1, first, last, last + 1)] == [1, 0, 0, 1]


def test_a_number_is_reported_under_the_name_that_was_set(variables: dict[str, t.Any]) -> None:
    hostvars = {"ml": {"rotation_min_days": -1}}
    found = declared.declared({**variables, "host_keys_rotation_minimum_days": -1, "hostvars": hostvars})
    assert texts(found.out_of_range) == ["rotation_min_days: -1 is not allowed. Allowed: 0 to 3650."]


def test_options_of_shared_keys_are_refused_with_certificates(variables: dict[str, t.Any]) -> None:
    found = of(variables, **CERTIFIED, **VAULTED, host_keys_rotation="start").not_for_certificates
    assert [each["subject"] for each in found] == ["host_keys_vaulted", "host_keys_rotation"]
    assert all("with host_keys_identity: certificates" in each for each in texts(found))
    assert of(variables, **CERTIFIED, host_keys_rotation="start").not_for_certificates == found[1:]


@pytest.mark.parametrize(("renew", "refused"), [("29", 0), ("30", 1), (31, 1)])
def test_certificates_must_be_renewed_before_they_expire(variables: dict[str, t.Any], renew: object, refused: int) -> None:
    found = of(variables, **CERTIFIED, host_keys_certificate_days=30, host_keys_certificate_renew_days=renew)
    assert [each["subject"] for each in found.refusals] == ["host_keys_certificate_renew_days"] * refused


def test_keys_from_a_vault_are_not_rotated(variables: dict[str, t.Any]) -> None:
    (text,) = texts(of(variables, **VAULTED, host_keys_rotation="emergency").refusals)
    assert text.startswith("host_keys_rotation: 'emergency' is not allowed: host_keys_vaulted is set.")
    assert "P" not in text.split()


@pytest.mark.parametrize("confirm", [False, "no", "maybe"])
def test_an_emergency_must_be_confirmed(variables: dict[str, t.Any], confirm: t.Any) -> None:
    (text,) = texts(of(variables, host_keys_rotation="emergency", host_keys_rotation_confirm=confirm).refusals)
    assert "Allowed: emergency with rotation_confirm=true." in text and "of ml will" in text and text.endswith("Declared users: alice, bob.")


def test_options_of_shared_host_keys_are_built(variables: dict[str, t.Any]) -> None:
    assert declared.shared(variables) == declared.Shared("of ml", None, None)
    assert declared.shared({**variables, "host_keys_rotation": "start"}).rotation == "start"
    assert declared.shared({**variables, **VAULTED}) == declared.Shared(None, ["ssh-ed25519 A"], None)

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Client VPN profiles of users."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.client_vpn_access import profiles

from .conftest import pki, texts


def test_requested_users_are_queried(variables: dict[str, t.Any]) -> None:
    assert profiles.queried({**variables, "client_vpn_profile_people": "zoe, alice"}) == ["alice", "zoe"]


@pytest.mark.parametrize(
    ("requested", "valid", "refusals", "users"),
    [
        ([], ["alice", "bob"], [], ["alice", "bob"]),
        ("bob", ["alice", "bob"], [], ["bob"]),
        ("zoe", ["alice", "bob"], ["vpn_people: zoe is not allowed. Allowed: users with a certificate: alice, bob."], ["zoe"]),
        (
            ["zoe"],
            [],
            ["vpn_people: zoe is not allowed. Allowed: users with a certificate: none yet. Run the playbook client_vpn first."],
            ["zoe"],
        ),
    ],
)
def test_profiles_are_for_users_with_a_certificate(
    variables: dict[str, t.Any], requested: t.Any, valid: list[str], refusals: list[str], users: list[str]
) -> None:
    people = [{"name": name, "state": "valid"} for name in valid]
    state = {**pki(people=people), "client_vpn_profile_people": requested}
    found = profiles.profiles({**variables, **state})
    assert (texts(found.refusals), found.users) == (refusals, users)


def test_a_certificate_due_for_renewal_is_valid(variables: dict[str, t.Any]) -> None:
    states = {"dave": "due", "bob": "valid", "carol": "revoked"}
    people = [{"name": name, "state": state} for name, state in states.items()]
    assert profiles.profiles({**variables, **pki(people=people)}).users == ["bob", "dave"]

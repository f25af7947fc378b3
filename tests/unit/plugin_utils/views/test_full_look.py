# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of a full look, and when they are recorded."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import full_look

DRAINED = {"i-1": {"reason": "disk", "owner": "ops", "since": "2026-11-22T08:00:00Z"}}
QUIET = {"records": {"drained": DRAINED}, "quiet": True, "full_look": "then", "login_nodes_in_service": 1, "seen": {"a": 1}, "other_settings": False}


@pytest.fixture
def variables() -> dict[str, t.Any]:
    return {
        "ansible_run_tags": ["all"],
        "ansible_skip_tags": [],
        "groups": {"cluster_ml": ["ml", "n1", "n2"], "node_type_login": ["n1", "n2", "of-another"]},
        "hyperpod_cluster_group": "cluster_ml",
        "inventory_hostname": "ml",
        "hyperpod_look": QUIET,
        "hyperpod_run": {},
    }


def test_a_quiet_look_is_reported_with_drained_nodes(variables: dict[str, t.Any]) -> None:
    found = full_look.found(variables)
    assert found.read
    assert found.report == {"full_look": "then", "login_nodes_in_service": 1, "login_nodes": 2}
    assert len(found.drained) == 1
    assert "i-1" in str(found.drained)


@pytest.mark.parametrize(("look", "read"), [({"skipped": True}, False), ({**QUIET, "quiet": False}, True), ({"records": None, "quiet": True}, False)])
def test_other_looks_are_not_reported(variables: dict[str, t.Any], look: dict[str, t.Any], read: bool) -> None:
    found = full_look.found({**variables, "hyperpod_look": look})
    assert found.read is read
    assert set(found.report.values()) == {None}
    assert found.drained == []


@pytest.mark.parametrize(
    ("hold", "other_settings", "held"),
    [({}, True, False), ({"until": "2099-01-01T00:00:00Z"}, True, True), ({"until": "2099-01-01T00:00:00Z"}, False, False),
     ({"until": "2020-01-01T00:00:00Z"}, True, False)],
)  # fmt: skip
def test_a_cluster_with_other_settings_waits_for_its_rollout(variables: dict[str, t.Any], hold: dict[str, str], other_settings: bool, held: bool) -> None:
    records = {"drained": {}, "rollout": {"hold": hold} if hold else {}}
    look = {**QUIET, "quiet": False, "records": records, "other_settings": other_settings}
    assert full_look.found({**variables, "hyperpod_look": look}).held is held


def test_without_login_nodes_none_are_counted(variables: dict[str, t.Any]) -> None:
    assert full_look.found({**variables, "groups": {"cluster_ml": ["ml"]}}).report["login_nodes"] == 0


@pytest.mark.parametrize(
    ("changed", "due"),
    [
        ({}, True),
        ({"ansible_run_tags": ["sweep"]}, True),
        ({"ansible_run_tags": ["people"]}, False),
        ({"ansible_skip_tags": ["vpn"]}, False),
        ({"hyperpod_look": {"skipped": True}}, False),
        ({"hyperpod_look": None}, False),
        ({"hyperpod_look": {"seen": None}}, False),
        ({"hyperpod_run": {"held": True}}, False),
        ({"client_vpn_client_cidr": ""}, True),
        ({"client_vpn_client_cidr": "10.0.0.0/22"}, False),
        ({"client_vpn_client_cidr": "10.0.0.0/22", "__client_vpn_made": {}}, True),
    ],
)
def test_a_complete_result_is_recorded(variables: dict[str, t.Any], changed: dict[str, t.Any], due: bool) -> None:
    assert full_look.result({**variables, **changed}).due is due


def test_a_result_contains_the_created_resources(variables: dict[str, t.Any]) -> None:
    nothing = full_look.result(variables)
    assert (nothing.target_group, nothing.client_vpn_endpoint_id, nothing.ends) == ("", "", [])
    made = {
        "__login_targets_registered": {"target_group_arn": "arn:tg"},
        "__client_vpn_made": {"client_vpn_endpoint": {"client_vpn_endpoint_id": "cvpn-1"}},
        "hyperpod_run": {"login_ends": [{"what": "a"}], "vpn_ends": [{"what": "b"}]},
    }
    result = full_look.result({**variables, **made})
    assert (result.target_group, result.client_vpn_endpoint_id, result.ends) == ("arn:tg", "cvpn-1", [{"what": "a"}, {"what": "b"}])


def test_a_handled_event_is_reported(variables: dict[str, t.Any]) -> None:
    of_run = {"full_look_event_time": "2026-11-22T08:00:00Z\x1b", "hyperpod_event": {"handled": True, "full_look": "2026-11-22T08:01:00Z"}}
    found = full_look.event({**variables, **of_run})
    assert found.handled
    assert "2026-11-22T08:01:00Z" in str(found.notes) and "\x1b" not in str(found.notes)


@pytest.mark.parametrize("result", [None, {"handled": False, "full_look": None}, {"failed": True}])
def test_an_event_that_is_not_handled_needs_the_look(variables: dict[str, t.Any], result: t.Any) -> None:
    assert full_look.event({**variables, "hyperpod_event": result}) == full_look.Event(False, False, [])

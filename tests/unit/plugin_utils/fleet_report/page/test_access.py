# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users with access. An unknown number is never a zero."""

from __future__ import annotations

import copy
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page.access import access

from .conftest import text_of


def shown(made: dict[str, t.Any], key: str = "", **changes: t.Any) -> str:
    """The text of the section, after changes of a cluster."""
    found = copy.deepcopy(made)
    for name, value in changes.items():
        found["clusters"][key][name] |= value
    return text_of(access(found).markup)


def test_a_row_for_each_cluster(made: dict[str, t.Any]) -> None:
    text = shown(made)
    ends = "W vpn-ca 2026-12-03 host 2027-12-03"
    assert f"bad ! 0 of 2 30 min ago 2 1 last login 3 days ago ! 1 1 3 days ago {ends}" in text, text
    assert "none ? no report has this number not known not known not known not known not known not known ? no real run" in text


def test_users_without_logins_and_without_offboarded_users(made: dict[str, t.Any]) -> None:
    none = {"last_login": "", "last_login_not_declared": "", "offboarded": 0}
    users = made["clusters"]["fine"]["users"]
    assert "2 1 0 1 none known" in shown(made, "fine", users={"found": {**users["found"], **none}})


def test_nodes_that_were_not_read_are_named(made: dict[str, t.Any]) -> None:
    users = made["clusters"]["fine"]["users"]
    assert "before this report) · 3 nodes not read" in shown(made, "fine", users={"found": {**users["found"], "nodes_not_read": 3}})


def test_users_of_the_vpn(made: dict[str, t.Any]) -> None:
    text = shown(made).partition("Client VPN")[2]
    assert "bad 3 1 ! mallory ! eve W alice 2026-12-05 4 h ago" in text, text


def test_many_names_are_counted_and_an_unknown_end_is_soon(made: dict[str, t.Any]) -> None:
    ends = [{"name": "a", "end": ""}, {"name": "b", "end": "2026-11-01T00:00:00Z"}, {"name": "c", "end": "2027-11-01T00:00:00Z"}]
    found = {**made["clusters"]["bad"]["vpn"]["found"], "not_declared": [*"abcdefg"], "offboarded": [], "ends": ends}
    assert "! a, b, c, d, e and 2 more none a not known ! b 2026-11-01" in shown(made, "bad", vpn={"found": found})


def test_a_cluster_without_a_vpn_has_no_row_and_a_failed_report_has_one(made: dict[str, t.Any]) -> None:
    failed = {"found": None, "why": "the run of vpn_report stored no JSON file about the cluster"}
    assert "? the run of vpn_report stored no JSON file" in shown(made, "bad", vpn=failed)
    verbs = copy.deepcopy(made["clusters"]["bad"]["verbs"])
    verbs["vpn_report"]["real"]["status"] = "skipped"
    skipped = {**made["clusters"]["bad"], "vpn": failed, "verbs": verbs}
    assert "Client VPN" not in shown({**made, "clusters": {"bad": skipped}})


def test_an_unknown_cluster_has_no_good_mark(made: dict[str, t.Any]) -> None:
    found = access({**made, "clusters": {key: made["clusters"][key] for key in ("broken", "none")}})
    assert 'data-v="unknown"' in found.markup and 'data-v="good"' not in found.markup


@pytest.mark.parametrize(("name", "key"), [("users", "fine"), ("vpn", "bad")])
def test_old_and_doubtful_numbers_are_marked(made: dict[str, t.Any], name: str, key: str) -> None:
    assert "O old ? a later report is not JSON" in shown(made, key, **{name: {"old": True, "why": "is not JSON"}})

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of users with access, which the documents of ``access_report`` and ``vpn_report`` themselves have."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.facts import of_file
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import Unreadable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports import access, vpn

AT = "2026-11-29T08:00:00Z"


def facts(verb: str, document: str) -> t.Any:
    return of_file(verb)("v1/runs/20261129T080000Z-1/x.json", json.loads(document))


def user(name: str, status: str = "declared", login: str = "", **more: t.Any) -> dict[str, t.Any]:
    about = {"name": name, "uids": [1], "status": status, "source": "", "keys": [], "nodes": ["i-1"], "closed_on": [], "password_on": []}
    return {**about, "last_login": {"time": login, "node": "i-1", "with": "ssh"} if login else None, **more}


def users(*people: dict[str, t.Any]) -> t.Any:
    clusters = {"ml": {"people": people, "nodes_read": ["i-1"], "nodes_not_read": ["i-2"], "logins_known_since": {}, "unread": []}, "other": ""}
    return facts("access_report", access.to_json(clusters, created=AT))


def test_users() -> None:
    found = users(
        user("a", login="2026-11-28T08:00:00+00:00"),
        user("b", "not declared", "2026-11-27T08:00:00Z", password_on=["i-1"]),
        user("c", nodes=[]),
        user("d", "offboarded", "soon"),
        user("e", "offboarded", closed_on=["i-1"]),
    )
    assert found["ml"] == {
        "arn": None, "failure": "", "users": 4, "not_declared": 1, "offboarded": 1, "with_password": 1, "nodes_not_read": 1,
        "last_login": "2026-11-28T08:00:00Z", "last_login_not_declared": "2026-11-27T08:00:00Z",
    }
    assert found["other"]["failure"] == "The users of the cluster could not be read."


def test_users_without_a_login() -> None:
    found = users(user("a"), user("b", "not declared"))["ml"]
    assert (found["last_login"], found["last_login_not_declared"], found["offboarded"]) == ("", "", 0)


def person(name: str, end: str = "2027-01-01T00:00:00Z", state: str = "valid", serial: str = "") -> dict[str, str]:
    return {"name": name, "serial": serial or name, "not_after": end, "state": state}


def vpn_users(*people: dict[str, str], declared: t.Sequence[str] = ("a",), **more: t.Any) -> t.Any:
    """The facts of two clusters in different VPCs. The second VPC has no user."""
    given = {"people": declared, "offboarded": ["gone"], "log": {}, "connected": ["a"], **more}
    revoked = {"entries": [{"name": "r", "serial": "9", "date": AT}]}
    parts = [vpn.of_vpc("vpc-1", pki={"people": people, "crl": revoked}, **given), vpn.of_vpc("vpc-2", pki={}, **given)]
    clusters = {key: {"arn": f"arn:{key}", "vpc": f"vpc-{number}"} for number, key in enumerate(("ml", "other"), start=1)}
    return facts("vpn_report", vpn.to_json(parts, created=AT, clusters=clusters))


def test_users_of_the_vpn() -> None:
    log = {"a": {"last_connected": "2026-11-28T08:00:00Z"}, "x": {"last_connected": "2026-11-20T08:00:00Z"}}
    found = vpn_users(person("x"), person("gone", state="deleted"), person("a"), log=log)
    assert found["ml"] == {
        "arn": "arn:ml", "failure": "", "users": 3, "connected": 1, "offboarded": ["gone"], "not_declared": ["x"],
        "ends": [{"name": "a", "end": "2027-01-01T00:00:00Z"}], "last_connection": "2026-11-28T08:00:00Z",
    }
    none = {"users": 0, "connected": 0, "offboarded": [], "not_declared": [], "ends": [], "last_connection": ""}
    assert found["other"] == {"arn": "arn:other", "failure": "", **none}


def test_the_access_of_a_user_ends_with_the_last_certificate() -> None:
    old, new = "2026-12-01T00:00:00Z", "2027-06-01T00:00:00Z"
    found = vpn_users(person("a", new, serial="1"), person("a", old, "issued", "2"), person("b", "soon"), declared=["a", "b"])["ml"]
    assert found["ends"] == [{"name": "b", "end": ""}, {"name": "a", "end": new}] and found["users"] == 2


def test_an_expired_certificate_is_no_access_but_the_end_of_a_declared_user() -> None:
    found = vpn_users(person("x", AT), person("y", ""), person("a", AT, "due"))["ml"]
    assert (found["users"], found["not_declared"], found["ends"]) == (2, ["y"], [{"name": "a", "end": AT}])


def test_only_the_first_ends_are_kept() -> None:
    names = [f"p{number}" for number in range(12)]
    found = vpn_users(*(person(name, f"2027-01-{20 - number:02d}T00:00:00Z") for number, name in enumerate(names)), declared=names)["ml"]
    assert [each["name"] for each in found["ends"]] == names[:1:-1]


def test_a_certificate_with_an_unknown_state_counts_as_access() -> None:
    assert vpn_users(person("x", state="splendid"))["ml"]["not_declared"] == ["x"]


def test_names_are_printable_and_a_wrong_type_makes_the_file_unusable() -> None:
    assert vpn_users(person("x\x1b[31m"))["ml"]["not_declared"] == ["x?[31m"]
    document = json.dumps({"schema": 1, "created": AT, "clusters": {"ml": {"arn": "a", "vpc": "v"}}, "certificates": [{"state": 1}]})
    assert isinstance(facts("vpn_report", document), Unreadable)

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's identity from the record and the declaration. Data from nodes only adds to it."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declared_people
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.faults import FEWEST

from .. import Variables, view
from .declared import FIRST_UID, NOBODY, number

SEEN = "__offboarding_account_seen"
"""The name of the fact with the account on a node: ``uid`` and ``home``, or nothing."""


@view
def known_uids(variables: Variables) -> list[int]:
    """UIDs of the user that the cluster's record, the variables and the declaration have. The UID in the record comes first."""
    record = _record(variables)
    found = [record.get("uid"), *(record.get("other_uids") or ()), variables["offboarding_uid"]]
    found += [each.get("uid") for each in _declared(variables)]
    return [uid for uid in dict.fromkeys(map(number, found)) if uid]


@dataclass(frozen=True)
class User:
    name: str
    uid: int
    """The user's UID; 0 if none is known."""
    uids: list[int]
    other_uids: list[int]
    home: str
    """The home directory. A directory that nodes report counts only if all of them report the same one. A later task changes the
    directory only if it belongs to the user's UID.
    """


@view
def user(variables: Variables) -> User:
    name = variables["offboarding_name"]
    accounts = [account for _node, account in _accounts(variables)]
    uids = list(dict.fromkeys([*(known_uids(variables) or _elsewhere(variables)), *(each["uid"] for each in accounts)]))
    own = f"/fsx/{name}"
    seen = list(dict.fromkeys(each["home"] for each in accounts))
    homes = [_record(variables).get("home"), *(each.get("home", own) for each in _declared(variables))]
    homes += [*(seen if len(seen) == 1 else ()), own]
    return User(name=name, uid=uids[0] if uids else 0, uids=uids, other_uids=uids[1:], home=next(filter(None, homes)))


@view
def other_reason(variables: Variables) -> str:
    """Why the node's account with this name belongs to a different user, so it stays. Empty if it is the user's account."""
    uids = {node: uid for node, uid in _others(variables).items() if node == variables["hyperpod_instance_id"]}
    shown = ", ".join(map(str, _expected(variables)))
    return next((f"its account has UID {uid}, and that of the user is {shown}" for uid in uids.values()), "")


@dataclass(frozen=True)
class Person:
    """Data about the user for hooks and for the evidence."""

    here: dict[str, t.Any]
    everywhere: dict[str, t.Any]
    """The same data, with UIDs that only other clusters know."""


@view
def person(variables: Variables) -> Person:
    found = user(variables)
    here = {
        "name": found.name,
        "uid": found.uid,
        "uids": found.uids,
        "home": found.home,
        "reason": variables["offboarding_reason"],
        "job": variables["offboarding_job"],
    }
    return Person(here, {**here, "uids": list(dict.fromkeys([*_elsewhere(variables), *found.uids]))})


@dataclass(frozen=True)
class Record:
    """The record to write. If there are refusals, it is not written."""

    refusals: Findings
    value: dict[str, t.Any]


@view
def record(variables: Variables) -> Record:
    found, reason = user(variables), variables["offboarding_reason"]
    kept = {name: value for name, value in plain(_record(variables)).items() if name not in ("owner", "since", "other_uids")}
    value = {
        "uid": found.uid,
        "home": found.home,
        "job": variables["offboarding_job"],
        **({"reason": reason} if reason else {}),
        **({"other_uids": found.other_uids} if found.other_uids else {}),
        **kept,
    }
    unknown = [] if found.uids else finding("offboard-name-unknown", name=found.name)
    return Record(_of_system(variables) or _of_strangers(variables) or unknown, value)


def _of_system(variables: Variables) -> Findings:
    seen = dict.fromkeys(account["uid"] for _node, account in _accounts(variables))
    system = [uid for uid in seen if uid < FIRST_UID] + [uid for uid in seen if uid == NOBODY[0]]
    name, cluster = variables["offboarding_name"], variables["hyperpod_cluster_key"]
    return finding("offboard-system-account", name=name, uids=system, cluster=cluster) if system else []


def _of_strangers(variables: Variables) -> Findings:
    """The refusal of UIDs that only nodes report. It stops the run before anything is changed."""
    expected = _expected(variables)
    strangers = [(node, account["uid"]) for node, account in _accounts(variables) if account["uid"] not in expected]
    if not strangers:
        return []
    nodes, uids = sorted(node for node, _uid in strangers), list(dict.fromkeys(uid for _node, uid in strangers))
    return finding("offboard-other-uid", name=variables["offboarding_name"], nodes=nodes, known=expected, uids=uids)


def _expected(variables: Variables) -> list[int]:
    """UIDs from records, variables and declarations, without UIDs that only nodes report."""
    return list(dict.fromkeys([*known_uids(variables), *_elsewhere(variables)]))


def _accounts(variables: Variables) -> list[tuple[str, t.Mapping[str, t.Any]]]:
    """The accounts that nodes report, without the account of a single node whose UID is unknown (``_others``)."""
    others = _others(variables)
    return [(node, account) for node, account in _reported(variables) if node not in others]


def _others(variables: Variables) -> dict[str, int]:
    """The unknown UID that a single node reports, keyed by the node's instance ID. This is treated as a fault of that node, which
    does not stop the offboarding on other nodes.
    """
    expected = _expected(variables)
    found = {node: int(account["uid"]) for node, account in _reported(variables) if account["uid"] not in expected}
    return found if expected and len(found) < FEWEST else {}


def _reported(variables: Variables) -> list[tuple[str, t.Mapping[str, t.Any]]]:
    """Pairs of an instance ID and the account that the node reports. A node may report anything, so other data is ignored."""
    seen = [(str(host.get("hyperpod_instance_id", "")), host.get(SEEN)) for host in _hosts(variables)]
    return [(node, found) for node, found in seen if isinstance(found, t.Mapping) and _is_account(found)]


def _is_account(found: t.Mapping[str, t.Any]) -> bool:
    uid, home = found.get("uid"), found.get("home")
    return isinstance(uid, int) and not isinstance(uid, bool) and isinstance(home, str)


def _record(variables: Variables) -> t.Mapping[str, t.Any]:
    cluster = variables["hostvars"][fleet.cluster_host(variables["group_names"], variables["groups"])]
    recorded = (cluster.get("hyperpod_run") or {}).get("records") or {}
    earlier = recorded.get("offboarded", {}).get(variables["offboarding_name"])
    found: t.Mapping[str, t.Any] = cluster.get("__offboarding_recorded", earlier) or {}
    return found


def _declared(variables: Variables) -> list[t.Mapping[str, t.Any]]:
    users = declared_people.declared(variables["offboarding_users"], variables["offboarding_users_files"])
    return [each for each in users if each["name"] == variables["offboarding_name"]]


def _hosts(variables: Variables) -> list[Variables]:
    """The variables of the cluster's inventory host and of the hosts of its nodes."""
    return [variables["hostvars"][host] for host in variables["groups"][variables["hyperpod_cluster_group"]]]


def _elsewhere(variables: Variables) -> list[int]:
    """Known UIDs of all clusters of the run."""
    hostvars = variables["hostvars"]
    uids = (hostvars[host].get("__offboarding_uids_here") or () for host in variables["groups"]["hyperpod_clusters"])
    return list(dict.fromkeys(uid for each in uids for uid in each))

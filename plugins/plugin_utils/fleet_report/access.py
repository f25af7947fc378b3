# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of users who can log in to a cluster, and of users who can connect to its VPN, in the report files of a run."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.access import OFFBOARDED, UNDECLARED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.vpn import NO_CERTIFICATE, REVOKED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import entries, line, rows

from .reports import utc_time

Raw = t.Mapping[str, t.Any]
Facts = dict[str, t.Any]
MOST = 100_000
"""Maximum number of entries of a list."""
MOST_ENDS = 10
"""Maximum number of user certificates, those that expire first."""


def users(raw: Raw) -> dict[str, Facts]:
    """The users of each cluster, from the JSON of ``access_report``. Its ``nodes_not_read`` may have more users."""
    found: dict[str, Facts] = {
        str(key): {
            "arn": None,
            "failure": "",
            "nodes_not_read": len(each["nodes_not_read"]),
            **dict.fromkeys(("users", "not_declared", "offboarded", "with_password"), 0),
            **dict.fromkeys(("last_login", "last_login_not_declared"), ""),
        }
        for key, each in raw["clusters"].items()
    }
    for each in (one for person in rows(raw["people"], MOST) for one in person["clusters"]):
        _add_user(found[each["cluster"]], each)
    for key in entries(raw["clusters_not_read"], MOST):
        found[str(key)] = {"arn": None, "failure": "The users of the cluster could not be read."}
    return found


def _add_user(cluster: Facts, user: Raw) -> None:
    undeclared = bool(user["nodes"]) and user["status"] == UNDECLARED
    login = utc_time((user["last_login"] or {}).get("time"))
    cluster["users"] += bool(user["nodes"])
    cluster["not_declared"] += undeclared
    cluster["offboarded"] += user["status"] == OFFBOARDED and bool({*user["nodes"]} - {*user["closed_on"]})
    cluster["with_password"] += bool(user["password_on"])
    cluster["last_login"] = max(cluster["last_login"], login)
    if undeclared:
        cluster["last_login_not_declared"] = max(cluster["last_login_not_declared"], login)


def vpn(raw: Raw) -> dict[str, Facts]:
    """The users of each cluster's VPN, from the JSON of ``vpn_report``. Clusters in one VPC have the same users."""
    of_vpcs = collections.defaultdict(list)
    for each in rows(raw["certificates"], MOST):
        if each["state"] != NO_CERTIFICATE and not each["state"].startswith(REVOKED):
            of_vpcs[line(each["vpc"])].append(each)
    created = utc_time(raw["created"])
    return {
        str(key): {"arn": line(each["arn"]), "failure": "", **_of_vpc(of_vpcs[line(each["vpc"])], created)}
        for key, each in raw["clusters"].items()
    }


def _of_vpc(certificates: t.Sequence[Raw], created: str) -> Facts:
    """
    :param certificates: those that are not revoked. A certificate counts as access in any state, and if its end is not known.
    """
    ends: dict[str, str] = {}
    for each in certificates:
        name = line(each["person"])
        ends[name] = max(ends.get(name, ""), utc_time(each["expires"]))
    declared = {line(each["person"]): each["declared"] for each in certificates}
    first = sorted((end, name) for name, end in ends.items() if declared[name] == "yes")
    others = {name: declared[name] for name, end in sorted(ends.items()) if declared[name] != "yes" and not "" < end <= created}
    return {
        "users": len(first) + len(others),
        "connected": len({line(each["person"]) for each in certificates if each["connected"] == "yes"}),
        "offboarded": [name for name, state in others.items() if state == OFFBOARDED],
        "not_declared": [name for name, state in others.items() if state != OFFBOARDED],
        "ends": [{"name": name, "end": end} for end, name in first[:MOST_ENDS]],
        "last_connection": max((utc_time(each["last_connection"]) for each in certificates), default=""),
    }

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of each cluster in the report files of a run: health, topology, access, quotas, and the cost of Karpenter's nodes."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import UNKNOWN, VERDICTS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import DISABLED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import BROKEN, Unreadable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import entries, line, rows

from . import access
from .access import Facts, Raw

NONE = "no accelerators"
LARGEST = 10**18
"""Maximum of a number."""
MOST_TEAMS, MOST_RESOURCES = 1000, 100
PARTS = "accelerator_partition"
UNITS = {"count": "instances", PARTS: "", "accelerators": "accelerators", "vcpu": "vCPUs", "memory_in_gib": "GiB of memory"}
"""The units of quotas. A quota with several of them sets the first one."""


def of_file(verb: str) -> t.Callable[[str, t.Any], dict[str, Facts] | Unreadable]:
    """The function that reads a file of the verb: the facts of each cluster in it. No cluster for a file of another form."""
    makes, schema, needed = VERBS[verb]

    def read(key: str, raw: t.Any) -> dict[str, Facts] | Unreadable:
        if not isinstance(raw, t.Mapping) or not all(name in raw for name in needed):
            return {}
        if raw.get("schema") != schema:
            return Unreadable(key, "schema", f"has schema {line(raw.get('schema'))}, and this version reads {schema}")
        try:
            return makes(raw)
        except (AttributeError, KeyError, TypeError, ValueError):
            return Unreadable(key, BROKEN, "has an unknown form")

    return read


def _health(raw: Raw) -> dict[str, Facts]:
    return {str(key): {**_about(each), "verdicts": _verdicts(each["nodes"])} for key, each in raw["clusters"].items()}


def _verdicts(nodes: Raw) -> dict[str, int]:
    """Number of nodes for each verdict. A verdict that is not known counts as unknown."""
    found = collections.Counter(NONE if each["verdict"] == "" else each["verdict"] for each in nodes.values())
    known = {verdict: found.pop(verdict, 0) for verdict in (*reversed(VERDICTS), NONE)}
    return {**known, UNKNOWN: known[UNKNOWN] + sum(found.values())}


def _topology(raw: Raw) -> dict[str, Facts]:
    return {str(key): {**_about(each), **({} if each["failure"] else _places(each))} for key, each in raw["clusters"].items()}


def _places(cluster: Raw) -> Facts:
    return {
        "nodes": {line(state): _count(count) for state, count in cluster["counts"].items()},
        "without_data": len(cluster["untold"]),
        "jobs": len(cluster["jobs"]),
        "spread_jobs": sum(1 for each in cluster["jobs"] if each["last"] > 1),
        "free": [{name: _count(each[name]) for name in ("layer", "free", "largest")} for each in rows(cluster["blocks"], 10)],
    }


def _cost(raw: Raw) -> dict[str, Facts]:
    return {str(key): {**_about(each), **({} if each["failure"] else _price(each))} for key, each in raw["karpenter"].items()}


def _price(cluster: Raw) -> Facts:
    return {
        "nodes": _count(cluster["nodes"]),
        "per_hour": _number(cluster["per_hour"]),
        "currency": line(cluster["currency"]),
        "without_price": [line(each) for each in entries(cluster["without_price"], 100)],
        "waiting_pods": _count(cluster["waiting_pods"]),
    }


def _quotas(raw: Raw) -> dict[str, Facts]:
    return {
        str(key): {**_about(each), "teams": [_team(one) for one in rows(each["teams"], MOST_TEAMS)]}
        for key, each in raw["governance"].items()
    }


def _team(team: Raw) -> Facts:
    return {
        "team": line(team["team"]),
        "disabled": team["activation_state"] == DISABLED,
        "quota": [_guarantee(each) for each in rows(team["quota"], MOST_RESOURCES)],
        "use": _use(team["use"]),
    }


def _guarantee(resource: Raw) -> Facts:
    """The amount in the unit that the quota sets. AWS adds the amounts in other units."""
    about = {"instance_type": line(resource["instance_type"])}
    unit = next((each for each in UNITS if each in resource), None)
    if unit is None:
        return {**about, "unit": "", "amount": None}
    if unit == PARTS:
        return {**about, "unit": line(resource[unit]["type"]), "amount": _number(resource[unit]["count"])}
    return {**about, "unit": UNITS[unit], "amount": _number(resource[unit])}


def _use(use: Raw) -> Facts:
    if use["state"] != "read":
        return {"state": line(use["state"]), "why": line(use["why"])}
    counts = {name: _number(use[f"{name}_workloads"]) for name in ("pending", "admitted")}
    return {"state": "read", "why": "", **counts, "resources": [_amounts(each) for each in rows(use["resources"], MOST_RESOURCES)]}


def _amounts(resource: Raw) -> Facts:
    names = {name: line(resource[name]) for name in ("flavor", "resource")}
    return {**names, **{name: _number(resource[name]) for name in ("quota", "used", "borrowed")}}


def _number(value: t.Any) -> float | None:
    """The number; None if the value is not known.

    :raises ValueError: for any other value, and for a number that no cluster has.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= LARGEST:
        raise ValueError("not a number of a report")
    return value


def _count(value: t.Any) -> int:
    """:raises ValueError: for a value that is not a number."""
    found = _number(value)
    if found is None:
        raise ValueError("not a number of a report")
    return int(found)


def _about(cluster: Raw) -> Facts:
    return {"arn": line(cluster["arn"]), "failure": line(cluster["failure"])}


VERBS: t.Mapping[str, tuple[t.Callable[[Raw], dict[str, Facts]], int, tuple[str, ...]]] = {
    "verify": (_health, 1, ("clusters", "verdicts", "coverage")),
    "topology": (_topology, 1, ("clusters", "known")),
    "access_report": (access.users, 1, ("clusters", "people", "clusters_not_read")),
    "vpn_report": (access.vpn, 1, ("certificates", "clusters")),
    "karpenter_status": (_cost, 1, ("karpenter",)),
    "task_governance": (_quotas, 1, ("governance",)),
}
"""For each verb: the function that reads its file, the file's schema, and the fields that identify the file."""
SECTIONS = {
    "verify": "health",
    "topology": "topology",
    "access_report": "users",
    "vpn_report": "vpn",
    "karpenter_status": "karpenter",
    "task_governance": "quotas",
}
"""The names of the facts in the document."""

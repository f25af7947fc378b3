# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role records."""

from __future__ import annotations

import datetime
import re
import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.unlocking import unlock_plan

from . import Variables, view

NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""The allowed names of records."""


@dataclass(frozen=True)
class Evidence:
    """The evidence of an action, with the operator who did it."""

    path: str
    """The path of the file. It contains the time, so it must be computed once and recorded."""
    content: str
    files: Findings
    """The finding with the path of the file."""


@view
def evidence(variables: Variables) -> Evidence:
    now, cluster = datetime.datetime.now(datetime.timezone.utc), variables["hyperpod_cluster_key"]
    done = plain(variables["__records_evidence"])
    common = {
        "schema": 1,
        "at": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "by": variables["records_job"],
        "cluster": cluster,
        "arn": variables["hyperpod_cluster_arn"],
    }
    folder, time = variables["records_evidence_dir"], now.strftime("%Y%m%dT%H%M%SZ")
    says = "no-evidence" if variables["ansible_check_mode"] else "evidence-written"
    return Evidence(
        path=f"{folder}/{done['action']}-{cluster}-{time}.json",
        content=json_text({**common, **done}),
        files=finding(says, files=variables.get("__records_evidence_file", "")),
    )


@dataclass(frozen=True)
class Forget:
    """Nodes whose records will be removed, given as instance IDs or as hosts that end with an instance ID."""

    ids: list[str]
    names: list[str]
    """Possible names of the nodes' drain records."""


@view
def forget(variables: Variables) -> Forget:
    wanted = given_names(variables["records_forget_nodes"])
    ids = _unique(re.sub(f"^{re.escape(variables['hyperpod_cluster_key'])}-(?=i-)", "", each) for each in wanted)
    return Forget(ids, [each for each in _unique([*wanted, *ids]) if NAME.fullmatch(each)])


@view
def undrainable(variables: Variables) -> list[str]:
    """Drain records that would be removed, according to check mode.

    Records of existing nodes are omitted. Such nodes stay drained, and undrain puts them back into service.
    """
    hosts = (variables["hostvars"][host] for host in variables["groups"][variables["hyperpod_cluster_group"]])
    there = {each.get("hyperpod_instance_id") for each in hosts}
    results = variables["__records_drained"]["results"]
    return [each["item"] for each in results if each.get("changes") and each["item"] not in there]


@dataclass(frozen=True)
class Forgotten:
    """Records of this cluster to remove, from ``__records_forgettable`` and ``__records_undrainable``."""

    nodes: list[str]
    refusals: Findings
    unconfirmed: Findings
    evidence: dict[str, t.Any]
    done: dict[str, t.Any]
    """The finding about the removal."""


@view
def forgotten(variables: Variables) -> Forgotten:
    trusted, drained = list(variables["__records_forgettable"]), list(variables["__records_undrainable"])
    nodes, cluster = _unique([*trusted, *drained]), variables["hyperpod_cluster_key"]
    confirmed = cluster in given_names(variables["records_forget_confirm"])
    were = "would be" if variables["ansible_check_mode"] else "are"
    return Forgotten(
        nodes=nodes,
        refusals=_unknown(variables),
        unconfirmed=[] if confirmed else finding("forget-unconfirmed", nodes=nodes, cluster=cluster),
        evidence={
            "action": "forget_node",
            "reason": variables["records_forget_reason"],
            "trust_records": trusted,
            "drained_records": drained,
        },
        done={
            "says": "forgotten-with-drain" if drained else "forgotten",
            "values": {"nodes": nodes, "were": were, "drained": drained},
        },
    )


@view
def readmit_refusals(variables: Variables) -> Findings:
    """Refusals of the role's variables."""
    name = str(variables["records_readmit_name"])
    if not name:
        return finding("readmit-name-missing")
    if not NAME.fullmatch(name):
        return finding("readmit-name", name=name)
    given = str(variables["records_readmit_reason"]).strip()
    return [] if given else finding("readmit-without-reason", name=name)


@dataclass(frozen=True)
class Offboarded:
    """The record of an offboarded user that check mode would remove."""

    names: list[str]
    readmitted: list[dict[str, t.Any]]


@view
def offboarded(variables: Variables) -> Offboarded:
    read = plain(variables["__records_person"])
    return Offboarded(list(read["records"]["offboarded"]), [each["before"] for each in read["changes"]])


@dataclass(frozen=True)
class Readmitted:
    refusals: Findings
    evidence: dict[str, t.Any]
    done: dict[str, t.Any]
    """The finding about the readmission."""


@view
def readmitted(variables: Variables) -> Readmitted:
    name = variables["records_readmit_name"]
    record: dict[str, t.Any] = next(iter(plain(variables["__records_readmitted"])), {})
    uid = record.get("uid")
    values = {
        "name": name,
        "was": "would be" if variables["ansible_check_mode"] else "is",
        "cluster": variables["hyperpod_cluster_key"],
        "uid": f"UID {uid}" if uid else "the previous UID",
    }
    return Readmitted(
        refusals=_not_offboarded(variables),
        evidence={"action": "readmit", "name": name, "reason": variables["records_readmit_reason"], "record": record},
        done={"says": "readmitted", "values": values},
    )


@dataclass(frozen=True)
class Unlock:
    refusals: Findings
    held: bool
    end: bool
    """Whether the removal of the lock is confirmed."""
    done: dict[str, t.Any]
    """The finding about the removal."""


@view
def unlock(variables: Variables) -> Unlock:
    held, cluster = plain(variables["__records_held"]), variables["hyperpod_cluster_key"]
    plan = unlock_plan(
        cluster,
        held["holder"],
        held["holder_run"],
        confirm=variables["records_unlock_confirm"],
        running=boolean(variables["records_unlock_running"], strict=False),
        keys=[variables["hostvars"][host]["hyperpod_cluster_key"] for host in variables["ansible_play_hosts_all"]],
    )
    was = "would be" if variables["ansible_check_mode"] else "was"
    return Unlock(
        refusals=refused([plan["refusal"]] if plan["refusal"] else []),
        held=held["holder"] is not None,
        end=plan["end"],
        done={"says": "unlocked", "values": {"cluster": cluster, "was": was}},
    )


def _playing(variables: Variables, name: str) -> list[t.Any]:
    """The entries of the lists that all clusters of the run have in the variable ``name``."""
    hosts = (variables["hostvars"][host] for host in variables["ansible_play_hosts"])
    return [entry for each in hosts for entry in each.get(name) or ()]


def _unknown(variables: Variables) -> Findings:
    found = [*_playing(variables, "__records_forgettable"), *_playing(variables, "__records_undrainable")]
    wanted = given_names(variables["records_forget_nodes"])
    unknown = [each for each in wanted if not any(each == name or each.endswith(f"-{name}") for name in found)]
    if unknown:
        return finding("forget-nodes", unknown=unknown)
    return [] if forget(variables).names else finding("forget-nothing")


def _not_offboarded(variables: Variables) -> Findings:
    if _playing(variables, "__records_readmitted"):
        return []
    known = sorted(set(_playing(variables, "__records_offboarded")))
    return finding("readmit-unknown", name=variables["records_readmit_name"], known=known)


def _unique(names: t.Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))

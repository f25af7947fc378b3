# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role full_look."""

from __future__ import annotations

import time
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drained, holds
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.parts import asked_parts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import one_line

from . import Variables, view


@dataclass(frozen=True)
class Found:
    """The comparison of AWS with the last full look (a run of reconcile that checks everything). Empty if it was skipped."""

    read: bool
    held: bool
    """Whether the run will leave the cluster unchanged, because it waits for its wave of a rollout."""
    report: dict[str, t.Any]
    drained: Findings


@dataclass(frozen=True)
class Event:
    """The event of AWS that started the run."""

    given: bool
    handled: bool
    notes: Findings


@view
def event(variables: Variables) -> Event:
    found, time = variables.get("hyperpod_event") or {}, one_line(variables.get("full_look_event_time", ""))
    if not found.get("handled", False):
        return Event(bool(time), False, [])
    return Event(True, True, finding("event-handled", time=time, since=found["full_look"]))


@view
def found(variables: Variables) -> Found:
    look = variables.get("hyperpod_look") or {}
    read = isinstance(look.get("records"), t.Mapping)
    quiet = bool(read and look["quiet"])
    waits = read and holds.live(look["records"], now=time.time(), released=holds.released(variables))
    return Found(
        read=read,
        held=bool(waits and look["other_settings"]),
        report={
            "full_look": look["full_look"] if quiet else None,
            "login_nodes_in_service": look["login_nodes_in_service"] if quiet else None,
            # the cluster is unchanged, so the inventory has exactly its nodes
            "login_nodes": _login_nodes(variables) if quiet else None,
        },
        drained=drained.drained_notes(look["records"]["drained"]) if quiet else [],
    )


@dataclass(frozen=True)
class Result:
    """The values to record after a full look. ``due``: whether the run checked all parts, so the full look may be recorded."""

    due: bool
    target_group: str
    client_vpn_endpoint_id: str
    ends: list[dict[str, t.Any]]


@view
def result(variables: Variables) -> Result:
    vpn, run = variables.get("__client_vpn_made"), variables.get("hyperpod_run") or {}
    looked = isinstance((variables.get("hyperpod_look") or {}).get("seen"), t.Mapping) and not run.get("held", False)
    vpn_done = not variables.get("client_vpn_client_cidr", "") or vpn is not None
    return Result(
        due=looked and vpn_done and _all_parts(variables),
        target_group=(variables.get("__login_targets_registered") or {}).get("target_group_arn") or "",
        client_vpn_endpoint_id=((vpn or {}).get("client_vpn_endpoint") or {}).get("client_vpn_endpoint_id", ""),
        ends=[*run.get("login_ends", ()), *run.get("vpn_ends", ())],
    )


def _all_parts(variables: Variables) -> bool:
    return not variables["ansible_skip_tags"] and asked_parts(variables["ansible_run_tags"]) == asked_parts([])


def _login_nodes(variables: Variables) -> int:
    groups = variables["groups"]
    return len(set(groups.get("node_type_login", ())) & set(groups[variables["hyperpod_cluster_group"]]))

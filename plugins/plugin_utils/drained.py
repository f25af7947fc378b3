# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that an operator selects for draining, and messages about drained nodes. Plain data in and out."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import note
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

Record = t.Mapping[str, t.Any]


def chosen_nodes(wanted: t.Any, ids: t.Mapping[str, str]) -> dict[str, list[str]]:
    """The hosts of the named nodes, and the names that are unknown.

    :param wanted: instance IDs or hosts, as a list or a string with commas.
    :param ids: the host of each known node, keyed by instance ID.
    """
    hosts = [ids.get(name, name) for name in given_names(wanted)]
    known = set(ids.values())
    return {
        "hosts": sorted({host for host in hosts if host in known}),
        "unknown": sorted({host for host in hosts if host not in known}),
    }


def drained_notes(records: t.Mapping[str, Record]) -> list[dict[str, str]]:
    """Findings about the drained nodes, for the report of a run."""
    words = {name: f"is drained ({_by(record)}): {_reason(record)}" for name, record in sorted(records.items())}
    return [note("node-drained", f"{name} {brief}", node=name, brief=brief).to_result() for name, brief in words.items()]


def refusal_message(record: Record, instance_id: str) -> str:
    """The message to users whose login a drained node refuses; empty for a node that accepts logins."""
    if not record:
        return ""
    return "\n".join(
        [
            f"This login node ({instance_id}) takes no new logins: {_reason(record)}",
            f"It is drained ({_by(record)}). {elsewhere(record)}",
        ]
    )


def wall_message(record: Record, instance_id: str, *, until: str, ended: bool) -> str:
    """The notice to users on a node that is being drained. ``ended``: whether their sessions are terminated at ``until``."""
    asked = _asked(record, until, ended=ended)
    return f"Login node {instance_id} is taken out of service: {_reason(record)}\n{asked} {elsewhere(record)}"


def elsewhere(record: Record) -> str:
    if record.get("whole_group"):
        return "All login nodes get new software; log in again when they are back."
    name = record.get("login_name")
    return f"Log in {f'through {name}' if name else 'as usual'} to reach another node."


def _asked(record: Record, until: str, *, ended: bool) -> str:
    if ended:
        return f"Sessions on this node will be terminated at {until}."
    if record.get("whole_group"):
        return (
            f"Please log out by {until}. The update waits until then and is postponed if sessions remain. "
            "No session is terminated."
        )
    return "Please finish your work and log out when you can."


def _reason(record: Record) -> str:
    return str(record.get("reason") or "no reason was given").rstrip(".") + "."


def _by(record: Record) -> str:
    return f"by {record.get('owner') or 'an unknown owner'}, since {record.get('since') or 'an unknown time'}"

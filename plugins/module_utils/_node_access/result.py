# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Lines for known_hosts and findings, from the outcomes of a run."""

from __future__ import annotations

import dataclasses
import typing as t

from .._core.finding import Finding, note, pending
from .._hyperpod.model import Cluster, Node
from .apply import REFUSED, Outcome
from .known_hosts import lines_for
from .plan import PENDING, accepted_keys, valid_record
from .record import Recorded


def after(recorded: Recorded, outcomes: t.Iterable[Outcome]) -> Recorded:
    """The records, updated with those of the outcomes."""
    new = {each.node.instance_id: each.record for each in outcomes if each.record is not None}
    return dataclasses.replace(recorded, records={**recorded.records, **new})


def host_key_lines(cluster: Cluster, nodes: t.Sequence[Node], recorded: Recorded) -> dict[str, list[str]]:
    """Lines for known_hosts, keyed by instance ID, for the nodes whose record belongs to their current disk."""
    lines = {}
    for node in nodes:
        record = valid_record(node, recorded)
        if record is not None:
            lines[node.instance_id] = lines_for(node.host_key_alias(cluster), accepted_keys(node, record, recorded))
    return lines


def findings(outcomes: t.Sequence[Outcome]) -> list[Finding]:
    return [found for each in outcomes for found in _findings(each)]


def _findings(outcome: Outcome) -> t.Iterator[Finding]:
    if outcome.access == PENDING:
        yield _about(pending, "node-not-reached", outcome, outcome.reason)
    elif outcome.access == REFUSED:
        yield pending("host-key-changed", outcome.reason, node=outcome.node.instance_id)
    elif outcome.access == "would_gain":
        brief = f"would gain access ({outcome.reason}); changes are predicted only on nodes with access"
        yield _about(note, "node-would-gain-access", outcome, brief)
    elif outcome.fresh and outcome.record is not None:
        keys = outcome.record.host_keys
        shown = next((key for key in keys if key.type == "ed25519"), keys[0])
        brief = f"host keys recorded ({outcome.reason})"
        yield _about(note, "node-trusted", outcome, brief, f"{brief}, host key {shown.algorithm} {shown.fingerprint}")


def _about(kind: t.Callable[..., Finding], code: str, outcome: Outcome, brief: str, text: str = "") -> Finding:
    return kind(code, f"{_name(outcome)}: {text or brief}", node=outcome.node.instance_id, brief=brief)


def _name(outcome: Outcome) -> str:
    return f"node {outcome.node.instance_id} ({outcome.node.group})"

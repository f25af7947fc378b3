# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of roles, made from the messages in ``texts`` and the values of a view."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import ERROR, FAILURE, INFO, NOTE, WARNING, Finding

from .codes import CODES
from .texts import (
    accelerator_health,
    adoption,
    client_vpn,
    events,
    fleet_report,
    hyperpod_cluster,
    karpenter,
    login_balancer,
    login_nodes,
    maintenance,
    offboarding,
    records,
    remediation,
    run,
    task_governance,
    topology,
    training_cluster,
    verify_training,
)

SEVERITY = {FAILURE: ERROR, NOTE: INFO}
AREAS = (
    *(run, login_nodes, login_balancer, client_vpn, offboarding, records, adoption),
    *(hyperpod_cluster, maintenance, karpenter, remediation, accelerator_health, task_governance, topology, verify_training),
    *(training_cluster, events, fleet_report),
)
Findings = list[dict[str, str]]
"""Findings in the form that the action plugin ``finding`` takes."""
TEXTS = {name: text for area in AREAS for name, text in area.TEXTS.items()}


class NoText(Exception):
    """The message or the code of a finding is unknown, or the message lacks a value."""


def finding(message: str, /, **values: t.Any) -> Findings:
    """Build a list of one finding from ``message``, a name in ``TEXTS``."""
    return [in_words(message, values).to_result()]


def refused(problems: t.Sequence[str]) -> Findings:
    """Build an ``option-refused`` finding for each sentence about an option."""
    return [each.to_result() for each in of_texts("option-refused", None, problems)]


def in_words(name: str, values: t.Mapping[str, t.Any]) -> Finding:
    """Build one finding from the message ``name`` in ``TEXTS``.

    :raises NoText: for an unknown name or a missing value.
    """
    shown = {key: _shown(value) for key, value in values.items()}
    try:
        text = TEXTS[name]
        words = text.words.format(**shown)
    except KeyError as error:
        raise NoText(f"Finding {name!r} has no message, or its message needs the value {error}.") from None
    subject = shown.get(text.subject, text.subject)
    if not text.of_node:
        return _made(text.code, text.kind, words, subject=subject)
    return _made(text.code, text.kind, f"{shown['node']} {words}", subject=subject, node=shown["node"], brief=words)


def of_texts(code: str, kind: str | None, texts: t.Sequence[str]) -> list[Finding]:
    """Build a finding for each text. Without ``kind``, the findings have the code's first kind.

    :raises NoText: for an unknown code.
    """
    if code not in CODES:
        raise NoText(f"The code {code!r} of a finding is unknown.")
    return [_made(code, kind or "", each) for each in texts]


def _made(code: str, kind: str, words: str, *, subject: str = "", node: str = "", brief: str = "") -> Finding:
    chosen = kind or CODES[code].kinds[0]
    return Finding(chosen, code, words, SEVERITY.get(chosen, WARNING), subject, node=node, brief=brief)


def _shown(value: t.Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "none"
    return str(value)

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of findings that roles tell by the action ``finding``, by code, with the values that a task gives."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import ERROR, FAILURE, INFO, NOTE, WARNING, Finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.finding_codes import CODES

SEVERITY = {FAILURE: ERROR, NOTE: INFO}


@dataclass(frozen=True)
class Text:
    """Words with values in braces."""

    words: str
    subject: str = ""
    """The name of the value that is the subject."""
    next_step: str = ""


TEXTS: t.Mapping[str, Text] = {
    "user-in-directory": Text("Accounts come from a directory; disable {name} there", "name"),
    "evidence-written": Text("The evidence is in {files}"),
}


def found_by_role(
    code: str, *, kind: str | None, values: t.Mapping[str, t.Any], texts: t.Sequence[str] | None
) -> list[Finding]:
    """One finding in the words of its code, or one for each of ``texts``, which Python made.

    :raises KeyError: for a code or a value that there is not.
    """
    chosen = kind or CODES[code].kinds[0]
    if texts is not None:
        return [Finding(chosen, code, each, SEVERITY.get(chosen, WARNING)) for each in texts]
    text = TEXTS[code]
    shown = {name: _shown(value) for name, value in values.items()}
    words, step = text.words.format(**shown), text.next_step.format(**shown)
    return [Finding(chosen, code, words, SEVERITY.get(chosen, WARNING), shown.get(text.subject, ""), step)]


def _shown(value: t.Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "none"
    return str(value)

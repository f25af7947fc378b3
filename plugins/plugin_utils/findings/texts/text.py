# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of findings of roles."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text


@dataclass(frozen=True)
class Text:
    """A message with placeholders in braces, and the code of its finding."""

    code: str
    words: str
    subject: str = ""
    """The subject, or the placeholder that holds it."""
    kind: str = ""
    """Empty for the first kind of the code."""
    of_node: bool = False
    """The placeholder ``node`` holds an instance ID, which precedes the message."""


def refused(option: str, shown: str, allowed: str, why: str = "") -> Text:
    """A refused value of a variable. ``option``: the variable, or in braces the placeholder that holds its name."""
    return Text("option-refused", refusal_text(option, shown, allowed, why), option.strip("{}"))


def missing(option: str, allowed: str) -> Text:
    """A required variable that is not set. ``option``: as for ``refused``."""
    return Text("option-refused", f"{option} is missing. Allowed: {allowed}.", option.strip("{}"))


Texts = t.Mapping[str, Text]
ROLE_TRUST = Text(
    "role-trust",
    "The trust policy of the IAM role {role} allows more than {service} for account {account}. Runs do not change it; as an "
    "administrator, run aws iam update-assume-role-policy --role-name {role} --policy-document '{policy}'.",
    "role",
    kind="note",
)
"""For several roles."""

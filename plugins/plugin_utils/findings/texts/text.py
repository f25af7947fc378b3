# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of a finding of a role."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text


@dataclass(frozen=True)
class Text:
    """Words with values in braces, and the code under which they are told."""

    code: str
    words: str
    subject: str = ""
    """The name of the value that is the subject, or the subject itself."""
    kind: str = ""
    """Where the code has several kinds."""
    of_node: bool = False
    """The value ``node`` is the instance id of a node, and stands before the words."""


def refused(option: str, shown: str, allowed: str, why: str = "") -> Text:
    """Of the value of a variable. ``option``: its name, or the name in braces of the value that holds it."""
    return Text("option-refused", refusal_text(option, shown, allowed, why), option.strip("{}"))


def missing(option: str, allowed: str) -> Text:
    """Of a variable without which the run has nothing to do. ``option``: as of ``refused``."""
    return Text("option-refused", f"{option} is missing. Allowed: {allowed}.", option.strip("{}"))


Texts = t.Mapping[str, Text]
ROLE_TRUST = Text(
    "role-trust",
    "The trust policy of the IAM role {role} allows more than {service} for account {account}. Runs do not replace it; as an "
    "administrator: aws iam update-assume-role-policy --role-name {role} --policy-document '{policy}'.",
    "role",
    kind="note",
)
"""Of several roles."""

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
    """The subject of the finding, or the name of the placeholder for it."""
    kind: str = ""
    """The kind of the finding; empty to use the first kind of the code."""
    of_node: bool = False
    """Whether the message begins with the instance ID in the placeholder ``node``."""


def refused(option: str, shown: str, allowed: str, why: str = "") -> Text:
    """The refusal of a variable's value. ``option``: the variable's name, or a placeholder for the name, in braces."""
    return Text("option-refused", refusal_text(option, shown, allowed, why), option.strip("{}"))


def missing(option: str, allowed: str) -> Text:
    """The message about a required variable that is not set. ``option``: as for ``refused``."""
    return Text("option-refused", f"{option}: missing. Allowed: {allowed}.", option.strip("{}"))


Texts = t.Mapping[str, Text]
ROLE_TRUST = Text(
    "role-trust",
    "The trust policy of the IAM role {role} allows more than {service} for account {account}, and runs do not change it. Run "
    "aws iam update-assume-role-policy --role-name {role} --policy-document '{policy}' as an administrator.",
    "role",
    kind="note",
)
"""The message about the trust policy of an IAM role. The messages of several Ansible roles include it."""

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What a check found, and the text of all results together."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class Cause:
    """Something that keeps nodes from joining, with its evidence."""

    problem: str
    step: str

    def __str__(self) -> str:
        return f"{self.problem}: {self.step}"


@dataclass(frozen=True)
class Unknown:
    """Something that could not be checked, as a noun or a clause."""

    what: str

    def __str__(self) -> str:
        return self.what


Finding = t.Union[Cause, Unknown]
CHECKED = "policies and access entry of the node role, security groups, routes and user data"


def text(findings: t.Sequence[Finding], instances: t.Sequence[str]) -> str:
    """:param instances: IDs of instances that did not join."""
    causes = [str(each) for each in findings if isinstance(each, Cause)]
    unknown = [str(each) for each in findings if isinstance(each, Unknown)]
    parts = [f"cause: {each}" for each in causes]
    if not causes:
        parts.append(f"the cause is not known ({CHECKED} were checked)")
    if unknown:
        parts.append(f"not known: {', '.join(unknown)}")
    if not causes:
        instance = next((each for each in instances if each.startswith("i-")), "ID")
        parts.append(f"read the console log with aws ec2 get-console-output --latest --instance-id {instance}")
    return "; ".join(parts)

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a declaration in itself, told before any node or API is asked."""

from __future__ import annotations

import time
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import (
    controller,
    limits,
    parts,
    people,
    variables,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain


def account_problems(options: t.Mapping[str, t.Any], names: t.Mapping[str, str] | None = None) -> list[str]:
    """The refusals of ``mlfleet.hyperpod.accounts`` that need no node to be known."""
    return people.account_problems(options, names or {})


def people_notes(users: t.Sequence[t.Any], names: t.Mapping[str, str]) -> list[str]:
    """What is allowed and leaves somebody without a way to log in."""
    return people.notes(plain(users), names=names, now=int(time.time()))


class FilterModule:
    """Registers the filters."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {
            "account_problems": account_problems,
            "asked_parts": parts.asked_parts,
            "declaration_problems": variables.problems,
            "operations_key_problems": controller.operations_key_problems,
            "people_notes": people_notes,
            "program_problems": controller.program_problems,
            "range_problems": limits.range_problems,
            "set_by": variables.set_by,
        }

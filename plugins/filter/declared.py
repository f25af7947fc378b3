# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a declaration in itself, told before any node or API is asked."""

from __future__ import annotations

import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import accounts_declared
from ansible_collections.mlfleet.hyperpod.plugins.modules.accounts import SPEC


def account_problems(options: t.Mapping[str, t.Any]) -> list[str]:
    """The refusals of ``mlfleet.hyperpod.accounts`` that need no node to be known."""
    checked = ArgumentSpecValidator(SPEC).validate(_plain(options))
    if checked.error_messages:
        return list(checked.error_messages)
    return accounts_declared.read(checked.validated_parameters)[1]


def _plain(value: t.Any) -> t.Any:
    """Templates resolved, containers of plain types: the validator copies deeply, with all that a lazy template refers to."""
    if isinstance(value, t.Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


class FilterModule:
    """Registers the filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"account_problems": account_problems}

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that people set and nobody reads."""

from __future__ import annotations

import typing as t

from ansible.parsing.dataloader import DataLoader
from ansible.utils.vars import load_extra_vars
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import variables


def misspelt_variables(names: t.Sequence[str]) -> list[str]:
    return variables.misspelt(names, load_extra_vars(DataLoader()))


def unknown_variables(names: t.Sequence[str]) -> list[str]:
    return variables.unknown(names, load_extra_vars(DataLoader()))


class FilterModule:
    """Registers the filters."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"misspelt_variables": misspelt_variables, "unknown_variables": unknown_variables}

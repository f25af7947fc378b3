# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions that extra variables request for one run (orders), and the orders that were not carried out for a cluster.

A run that did not carry out an order must not exit with 0.
"""

from __future__ import annotations

import functools
import typing as t
from dataclasses import dataclass, field

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import known_variables
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

Extra = t.Mapping[str, t.Any]
"""Variables that were given with -e."""
Given = t.Callable[[t.Any, str], bool]
"""Whether the value of an extra variable requests an action for the cluster with this key."""


def _names(value: t.Any, _key: str) -> bool:
    return bool(given_names(value))


def _true(value: t.Any, _key: str) -> bool:
    return boolean(value, strict=False)


def _plan(value: t.Any, key: str) -> bool:
    """Whether the value approves a numbered plan of the cluster. The value ``all``, for scheduled runs, is no order."""
    return any(each.startswith(f"{key}:") for each in given_names(value))


def _stage(value: t.Any, _key: str) -> bool:
    """Whether the value names a condition that the run waits for."""
    return str(value) not in ("", "none")


@dataclass(frozen=True)
class Order:
    option: str
    codes: tuple[str, ...] = ()
    """Codes of pending findings that mean that the order was not carried out."""
    given: Given = _names
    needs: str = ""
    """The option without which the run only shows a plan; empty if the order needs no other option."""


_GIVEN = {"names": _names, "bool": _true, "plan": _plan, "stage": _stage}


@functools.cache
def orders() -> tuple[Order, ...]:
    """The orders of all playbooks."""
    return tuple(
        Order(name, tuple(asked.get("pending", ())), _GIVEN[asked.get("given", "names")], asked.get("needs", ""))
        for sections in known_variables.of_playbooks().values()
        for name, asked in sections.get("orders", {}).items()
    )


@dataclass(frozen=True)
class Outcome:
    """The parts of a cluster's verdict that show whether orders were carried out."""

    key: str
    locked: bool
    """Whether another run holds the lock of the cluster, so nothing was done."""
    pending: t.Sequence[tuple[str, str]]
    """Pairs of the code and the node of each pending finding."""
    nodes: t.Mapping[str, t.Collection[str]] = field(default_factory=dict)
    """Instance IDs of the nodes of orders, keyed by option. If such a node has a pending finding, its order was not carried out."""


def not_carried_out(extra: Extra, outcome: Outcome) -> list[str]:
    """The options of orders that were not carried out for a cluster."""
    return [each.option for each in orders() if _is_given(each, extra, outcome.key) and (outcome.locked or _waits(each, outcome))]


def _is_given(order: Order, extra: Extra, key: str) -> bool:
    return order.option in extra and order.given(extra[order.option], key) and (not order.needs or order.needs in extra)


def _waits(order: Order, outcome: Outcome) -> bool:
    return any(code in order.codes or node in outcome.nodes.get(order.option, ()) for code, node in outcome.pending)

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The headline of the report."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import (
    FIT,
    REBOOT,
    REPLACE,
    UNKNOWN,
    WATCH,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count

from .fleet import NO_ACCELERATORS, WORST_FIRST, Fleet


def headline(fleet: Fleet) -> str:
    return " ".join([_unfit(fleet), *_doubts(fleet)])


def worst(fleet: Fleet) -> str:
    """The verdict whose color the headline has. If a part of the fleet was not read, the verdict is unknown or worse."""
    found = {verdict for verdict, many in fleet.document["verdicts"].items() if many}
    if _not_read(fleet) or not _judged(fleet):
        found.add(UNKNOWN)
    return next((verdict for verdict in WORST_FIRST if verdict in found), NO_ACCELERATORS)


def _unfit(fleet: Fleet) -> str:
    verdicts, judged = fleet.document["verdicts"], _judged(fleet)
    replace, reboot, unknown, watch = (verdicts.get(name, 0) for name in (REPLACE, REBOOT, UNKNOWN, WATCH))
    steps = [f"{word} {many}" for word, many in (("replace", replace), ("reboot", reboot)) if many]
    if steps:
        return f"{replace + reboot} of {count(judged, 'node')} {_is(replace + reboot)} unfit: {', '.join(steps)}."
    if not judged:
        return "No node with accelerators was found."
    if unknown == judged:
        return "The health of all nodes is unknown."
    if unknown or _not_read(fleet):
        return "No node was found to be unfit."
    if watch:
        fit = verdicts.get(FIT, 0)
        return f"No node is unfit: {fit} of {count(judged, 'node')} {_is(fit)} fit."
    return f"All {judged} nodes are fit." if judged > 1 else "The only node is fit."


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _doubts(fleet: Fleet) -> list[str]:
    verdicts = fleet.document["verdicts"]
    unknown, watch, judged = verdicts.get(UNKNOWN, 0), verdicts.get(WATCH, 0), _judged(fleet)
    return [
        *([f"The health of {unknown} of {count(judged, 'node')} is unknown."] if 0 < unknown < judged else []),
        *([f"{count(watch, 'node')} to watch."] if watch else []),
        *_not_read(fleet),
    ]


def _not_read(fleet: Fleet) -> list[str]:
    clusters = len([key for key, cluster in fleet.clusters.items() if cluster["failure"]])
    inventory = ["Part of the inventory could not be read."] if fleet.document["inventory_failures"] else []
    return [*([f"{count(clusters, 'cluster')} could not be read."] if clusters else []), *inventory]


def _judged(fleet: Fleet) -> int:
    """The number of nodes that have a verdict."""
    return sum(fleet.document["verdicts"].values())

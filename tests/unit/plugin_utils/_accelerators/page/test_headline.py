# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The headline never presents a fleet better than it is."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.fleet import Fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.headline import headline, worst

VERDICTS = ("unfit-replace", "unfit-reboot", "unknown", "watch", "fit")


def _fleet(*many: int, failures: int = 0, inventory: t.Sequence[str] = ()) -> Fleet:
    clusters = {f"c{index}": {"failure": "denied", "nodes": {}} for index in range(failures)}
    return Fleet({"verdicts": dict(zip(VERDICTS, many)), "clusters": clusters, "inventory_failures": inventory})


@pytest.mark.parametrize(
    ("many", "line", "colour"),
    [
        ((0, 0, 0, 0, 64), "All 64 nodes are fit.", "fit"),
        ((0, 0, 0, 0, 1), "The only node is fit.", "fit"),
        ((0, 0, 0, 3, 61), "No node is unfit: 61 of 64 nodes are fit. 3 nodes to watch.", "watch"),
        ((0, 0, 5, 0, 59), "No node was found to be unfit. The health of 5 of 64 nodes is unknown.", "unknown"),
        ((0, 0, 64, 0, 0), "The health of all nodes is unknown.", "unknown"),
        ((2, 1, 0, 0, 61), "3 of 64 nodes are unfit: replace 2, reboot 1.", "unfit-replace"),
        ((0, 1, 2, 1, 60), "1 of 64 nodes is unfit: reboot 1. The health of 2 of 64 nodes is unknown. 1 node to watch.", "unfit-reboot"),
        ((0, 0, 0, 0, 0), "No node with accelerators was found.", "unknown"),
    ],
)
def test_the_headline_describes_the_verdicts(many: tuple[int, ...], line: str, colour: str) -> None:
    assert (headline(_fleet(*many)), worst(_fleet(*many))) == (line, colour)


def test_unread_nodes_are_no_good_news() -> None:
    fleet = _fleet(0, 0, 0, 0, 64, failures=2, inventory=["profile a"])
    assert headline(fleet) == "No node was found to be unfit. 2 clusters could not be read. Part of the inventory could not be read."
    assert worst(fleet) == "unknown"
    assert worst(_fleet(1, 0, 0, 0, 64, failures=1)) == "unfit-replace"

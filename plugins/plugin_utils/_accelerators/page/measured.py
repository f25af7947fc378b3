# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section with the results of the NCCL tests."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Html, element, joined, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import number, section

from .fleet import Fields, Fleet
from .words import node_links


def measured(fleet: Fleet) -> Html:
    found = [(key, each) for key, cluster in fleet.clusters.items() for each in cluster.get("nccl", ())]
    rows = element("ul", (_test(fleet, key, each) for key, each in found), class_="where")
    return section("nccl", joined("NCCL tests ", number(len(found), "nccl")), rows if found else element("p", "No test ran."))


def _test(fleet: Fleet, key: str, test: Fields) -> Html:
    verdict = str(test["verdict"]).replace("_", " ")
    links = node_links(fleet, [(key, str(iid)) for iid in test["nodes"]])
    return element("li", separated(" · ", [element("b", verdict), key, str(test["text"])]), links)

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections with software versions that differ among similar nodes, and with changes since the last report."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Html, element, joined, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, folded, moment, number, section

from .fleet import WORST_FIRST, Fields, Fleet, known
from .words import marked, node_link, node_links


def skew(fleet: Fleet) -> Html:
    found = fleet.document["skew"]
    rows = [_skew(fleet, each) for each in found]
    title = joined("Versions that differ ", number(len(found), "skew"))
    return section("skew", title, rows if rows else element("p", "None."))


def changes(fleet: Fleet) -> Html:
    changed = fleet.document["changes"]
    title = joined("Changes since the last report ", number(len(changed["nodes"]), "changes"))
    if not changed["since"]:
        return section("changes", title, element("p", "There is no earlier report to compare with."))
    since = element("p", "The last report was created ", moment(str(changed["since"])), ".")
    ordered = sorted(changed["nodes"], key=lambda each: WORST_FIRST.index(known(each["is"])))
    rows = element("ul", (_change(fleet, each, str(changed["since"])) for each in ordered), class_="where")
    return section("changes", title, since, rows if ordered else element("p", "No verdict has changed."))


def _skew(fleet: Fleet, each: Fields) -> Html:
    """The versions of one software, the most common first. The nodes with the other versions need attention, so their lists are
    expanded."""
    cluster = str(each["cluster"])
    versions = sorted(each["versions"].items(), key=lambda item: (-len(item[1]), item[0]))
    rows = [
        folded(
            joined(element("code", version or "none"), " — ", count(len(nodes), "node")),
            node_links(fleet, [(cluster, str(iid)) for iid in nodes]),
            open_=index > 0,
        )
        for index, (version, nodes) in enumerate(versions)
    ]
    of = [str(each[name]) for name in ("what", "cluster", "instance_type", "image")]
    return joined(element("h3", separated(" · ", of)), rows)


def _change(fleet: Fleet, each: Fields, since: str) -> Html:
    """A changed verdict, with the time of the earlier verdict if that verdict is not from the last report."""
    link = node_link(fleet, str(each["cluster"]), str(each["node"]))
    was, now = (marked(known(str(each[name]))) for name in ("was", "is"))
    own = NOTHING if each["since"] == since else joined(" since ", moment(str(each["since"])))
    return element("li", separated(" · ", [link, str(each["cluster"])]), ": ", was, " → ", now, own)

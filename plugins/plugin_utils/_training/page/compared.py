# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rates, compared with those of the previous run if that run is comparable."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Content, Html, element
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import moment

from ..compared import RATES, TOKENS, change
from .words import Document, chapter, table

TITLE = "Compared with the previous run"
NONE = "The comparison requires two runs with the same type and number of nodes, the same model size and the same data types."


def compared(key: str, found: Document | None) -> Html:
    if not found:
        return chapter(TITLE, element("p", NONE))
    since = element("p", "The previous run ended on ", moment(found["since"]), ".")
    rows = [_row(each, slower=found["slower"] and each["name"] == TOKENS) for each in found["rates"]]
    return chapter(TITLE, since, table(("Rate", "Before", "Now", "Change"), rows, label=f"Rates of {key}", class_="rates"))


def _row(row: Document, *, slower: bool) -> tuple[Content, ...]:
    words, unit = RATES[row["name"]]
    shown = f"{100 * change(row):+.0f} %"
    changed: Content = element("b", f"{shown}, slower") if slower else shown
    return f"{words}, {unit}", f"{row['before']:.6g}", f"{row['now']:.6g}", changed

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The styles of this page, in addition to the styles of all pages."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import FREE, UNHEALTHY, USED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.style import Marks, sheet

UNKNOWN = "unknown"
"""A mark that only the headline has."""
LIGHT_MARKS: Marks = {
    FREE: ("#e2efe6", "#1d5a33"),
    USED: ("#0b57a4", "#ffffff"),
    UNHEALTHY: ("#a4161a", "#ffffff"),
    UNKNOWN: ("#9aa3ad", "#1b1f24"),
}
DARK_MARKS: Marks = {
    FREE: ("#1f3527", "#9fd3b0"),
    USED: ("#8dbcf4", "#0b1d33"),
    UNHEALTHY: ("#ff6b6b", "#240000"),
    UNKNOWN: ("#6b757f", "#ffffff"),
}
_RULES = """
.map{display:flex;flex-wrap:wrap;gap:.5rem;margin:.75rem 0}
.layer{border:1px solid var(--line);border-radius:4px;padding:.3rem .5rem .5rem;background:var(--back);flex:1 1 14rem;min-width:0}
.layer .layer{margin-top:.4rem}
.map>.layer{background:var(--panel);flex-basis:100%}
h4{margin:0 0 .2rem;font-size:.9rem}
h4 small{color:var(--dim);font-weight:400}
.nodes{display:flex;flex-wrap:wrap;gap:.15rem .6rem}
.nodes details ul{padding:.1rem 0 .3rem 1rem;color:var(--dim);font-size:13px}
.jobs li{margin:.25rem 0}
.jobs button[aria-pressed=true]{background:var(--link);color:var(--back);border-color:var(--link)}
.chosen .nodes>li:not(.on){opacity:.35}
.nodes>li.on{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
pre{overflow-x:auto;background:var(--panel);border:1px solid var(--line);padding:.5rem}
@media (max-width:40rem){.layer{padding:.2rem .3rem .3rem}}
@media print{.m{print-color-adjust:exact;-webkit-print-color-adjust:exact}.chosen .nodes>li:not(.on){opacity:1}}
"""


def style() -> str:
    return sheet(_RULES, LIGHT_MARKS, DARK_MARKS)

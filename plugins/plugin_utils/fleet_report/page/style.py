# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The styles of this page, in addition to the styles of all pages."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.style import Marks, sheet

from ..standing import FINE, NOT_KNOWN, NOT_RUN, OLD, PERSON, WAITS

LIGHT_MARKS: Marks = {
    PERSON: ("#a4161a", "#ffffff"),
    NOT_KNOWN: ("#9aa3ad", "#1b1f24"),
    WAITS: ("#f2c230", "#1b1f24"),
    OLD: ("#d9c7a3", "#3a2c0b"),
    FINE: ("#e2efe6", "#1d5a33"),
    NOT_RUN: ("#f4f6f8", "#58606a"),
}
DARK_MARKS: Marks = {
    PERSON: ("#ff6b6b", "#240000"),
    NOT_KNOWN: ("#6b757f", "#ffffff"),
    WAITS: ("#e0b020", "#1b1f24"),
    OLD: ("#5a4d2e", "#f0e2c0"),
    FINE: ("#1f3527", "#9fd3b0"),
    NOT_RUN: ("#1d2125", "#a4adb7"),
}
_RULES = """
th,td{padding:.25rem .5rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:normal}
tbody th{font-weight:400;overflow-wrap:anywhere;min-width:7rem}
td{min-width:4rem;max-width:32rem;overflow-wrap:anywhere}
.figures{gap:.15rem 1.5rem}
.found>li{padding:.2rem 0 .2rem 1.1rem}
.cells{display:inline-flex;gap:2px}
.cells i{width:17px;height:17px;background:var(--b);color:var(--t);text-align:center;border-radius:2px;
font:700 11px/17px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.cells .k{height:11px;line-height:11px;font-size:9px;align-self:center}
#filter{display:flex;flex-wrap:wrap;gap:.5rem .9rem;align-items:center;margin:.5rem 0}
#list>details{border-bottom:1px solid var(--line);margin:0}
#list>details:target{background:var(--panel)}
#list>details>p,#list>details>.box{padding-left:1.1rem}
@media (max-width:40rem){
th,td{padding:.2rem .35rem;font-size:13px}
.figures{display:block}
.found>li,#list>details>p,#list>details>.box{padding-left:.5rem}
}
@media print{
.cells i{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""


def style() -> str:
    return sheet(_RULES, LIGHT_MARKS, DARK_MARKS)

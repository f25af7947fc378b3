# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The styles of this page, in addition to the styles of all pages."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import (
    FIT,
    REBOOT,
    REPLACE,
    UNKNOWN,
    WATCH,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.style import Marks, sheet

from .words import MISSING

LIGHT_MARKS: Marks = {
    REPLACE: ("#a4161a", "#ffffff"),
    REBOOT: ("#b8480a", "#ffffff"),
    UNKNOWN: ("#5b3fa0", "#ffffff"),
    WATCH: ("#f3cf62", "#2a2000"),
    FIT: ("#e2efe6", "#1d5a33"),
    MISSING: ("#1b1f24", "#ffffff"),
    "none": ("#e9ebee", "#58606a"),
}
DARK_MARKS: Marks = {
    REPLACE: ("#ff6b6b", "#240000"),
    REBOOT: ("#f29d52", "#221000"),
    UNKNOWN: ("#b9a5f2", "#150b33"),
    WATCH: ("#d9bd52", "#1f1800"),
    FIT: ("#1f3527", "#9fd3b0"),
    MISSING: ("#e3e6e9", "#14171a"),
    "none": ("#2a2f35", "#a4adb7"),
}
_RULES = """
.todo>li{background:var(--panel);border:1px solid var(--line);border-radius:3px;padding:.5rem .7rem;margin:.4rem 0}
.nodes-of li{padding:.1rem 0}
th,td{overflow-wrap:normal;padding:.2rem .7rem;text-align:right;
border-bottom:1px solid var(--line);vertical-align:bottom;font-variant-numeric:tabular-nums}
th{font-weight:600}
th:first-child{text-align:left;padding-left:0;max-width:22rem}
tbody th{font-weight:400;overflow-wrap:anywhere;min-width:5rem}
tfoot th,tfoot td{font-weight:700;border-bottom:0}
.matrix{display:grid;grid-template-columns:repeat(auto-fill,minmax(21.5rem,1fr));gap:2px 1.5rem}
.matrix a{display:flex;align-items:center;gap:.4rem;color:inherit}
.matrix a:hover{background:var(--panel)}
.matrix code{flex:none;width:11.5rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.cells{display:flex;flex-wrap:wrap;gap:2px}
.cells i{width:17px;height:17px;background:var(--b);color:var(--t);text-align:center;border-radius:2px;
font:700 12px/17px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.found>li{padding:.35rem 0 .35rem 1.1rem}
.where{padding-left:1.1rem}
.where>li{padding:.15rem 0}
.evidence q{font:13px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--dim)}
details details{padding-left:1.1rem}
details li,details p{max-width:75rem}
#filter{display:flex;flex-wrap:wrap;gap:.5rem .9rem;align-items:center;margin:.5rem 0}
#filter select{max-width:14rem}
#list>details{border-bottom:1px solid var(--line);margin:0}
#list>details:target{background:var(--panel)}
#list dl{display:grid;grid-template-columns:7.5rem 1fr;gap:.15rem .8rem;padding:.3rem 0 .8rem 1.1rem}
#list .gpus{display:flex;flex-wrap:wrap;gap:0 1.5rem}
dt{color:var(--dim)}
dd{margin:0;min-width:0}
@media (max-width:40rem){
.matrix{grid-template-columns:1fr}
.matrix code{width:10.5rem}
.cells i{width:15px;height:16px;line-height:16px;font-size:11px}
th,td{padding:.2rem .35rem;font-size:13px}
.figures{display:block}
.w{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden;white-space:nowrap}
#list dl{grid-template-columns:1fr;gap:0;padding-left:.5rem}
dd{padding-bottom:.35rem}
.where,.found>li,details details{padding-left:.6rem}
}
@media print{
.cells i{print-color-adjust:exact;-webkit-print-color-adjust:exact}
section:not(#nodes) details::details-content{content-visibility:visible;block-size:auto}
}
"""


def style() -> str:
    return sheet(_RULES, LIGHT_MARKS, DARK_MARKS)

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The styles of this page, in addition to the styles of all pages."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import FAILED, NOT_RUN, PASSED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.style import Marks, sheet

from ..checks import SKIPPED
from ..report import RECOVER, RESUME, SURVIVE, TRAIN

LIGHT_MARKS: Marks = {
    PASSED: ("#e2efe6", "#1d5a33"),
    FAILED: ("#a4161a", "#ffffff"),
    NOT_RUN: ("#5b3fa0", "#ffffff"),
    SKIPPED: ("#e9ebee", "#58606a"),
}
DARK_MARKS: Marks = {
    PASSED: ("#1f3527", "#9fd3b0"),
    FAILED: ("#ff6b6b", "#240000"),
    NOT_RUN: ("#b9a5f2", "#150b33"),
    SKIPPED: ("#2a2f35", "#a4adb7"),
}
LIGHT_LINES: Marks = {
    TRAIN: ("#0b57a4", "#ffffff"),
    RESUME: ("#a4460a", "#ffffff"),
    SURVIVE: ("#5b3fa0", "#ffffff"),
    RECOVER: ("#1d5a33", "#ffffff"),
}
DARK_LINES: Marks = {
    TRAIN: ("#8dbcf4", "#0b1d33"),
    RESUME: ("#f29d52", "#221000"),
    SURVIVE: ("#b9a5f2", "#150b33"),
    RECOVER: ("#9fd3b0", "#0b2214"),
}
_RULES = """
.todo>li{background:var(--panel);border:1px solid var(--line);border-radius:3px;padding:.5rem .7rem;margin:.4rem 0}
.verdicts li{padding:.1rem 0}
th,td{padding:.25rem .9rem .25rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
thead th{color:var(--dim)}
tbody th{font-weight:400;color:var(--dim)}
.checks tbody th,.jobs thead th{color:var(--text);font-weight:600}
th{overflow-wrap:normal}
.checks td:nth-child(2),.rates td{white-space:nowrap;overflow-wrap:normal}
.checks td:nth-child(3){max-width:60rem}
.curve{display:block;width:100%;max-width:46rem;height:auto;margin:.5rem 0}
.curve text{font-size:15px;fill:var(--text)}
.curve .grid{stroke:var(--line)}
.curve .axis,.curve .resume{stroke:var(--dim)}
.curve .loss{fill:none;stroke:var(--b);stroke-width:3;stroke-linejoin:round;stroke-linecap:round}
.curve .saved{fill:var(--back);stroke:var(--text);stroke-width:1.5}
.evidence q{font:13px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--dim)}
@media (max-width:40rem){
th,td{padding-right:.5rem;font-size:13px}
.jobs td{min-width:4.7rem}
.curve text{font-size:22px}
}
@media print{
.curve .loss{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.curve{max-width:32rem;break-inside:avoid}
details::details-content{content-visibility:visible;block-size:auto}
}
"""


def style() -> str:
    return sheet(_RULES, {**LIGHT_MARKS, **LIGHT_LINES}, {**DARK_MARKS, **DARK_LINES})

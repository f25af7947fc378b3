# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the page looks: in light and dark, on a phone and on paper. No font, picture or style comes from elsewhere."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.problem import (
    FIT,
    REBOOT,
    REPLACE,
    UNKNOWN,
    WATCH,
)

from .words import MISSING

Colours = t.Mapping[str, str]
LIGHT: Colours = {"back": "#ffffff", "text": "#1b1f24", "dim": "#58606a", "line": "#d3d8de", "panel": "#f4f6f8", "link": "#0b57a4"}
DARK: Colours = {"back": "#14171a", "text": "#e3e6e9", "dim": "#a4adb7", "line": "#3a4148", "panel": "#1d2125", "link": "#8dbcf4"}
Marks = t.Mapping[str, tuple[str, str]]
"""Of a verdict: the colour behind its letter, and that of the letter."""
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
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0 auto;max-width:90rem;padding:.75rem 1rem 3rem;background:var(--back);color:var(--text);
font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
code{font:13px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
a{color:var(--link);text-decoration:none}
a:hover,a:focus-visible{text-decoration:underline}
:focus-visible{outline:2px solid var(--link);outline-offset:1px}
h1{font-size:1.45rem;line-height:1.25;margin:.25rem 0 .35rem;padding-left:.6rem;border-left:.4rem solid var(--b)}
h2{font-size:1.1rem;margin:1.75rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--line)}
h3{font-size:.95rem;margin:1rem 0 .3rem}
p{margin:.3rem 0}
ul,ol,dl{margin:.25rem 0;padding:0}
li{list-style:none}
.dim,.legend{color:var(--dim)}
.legend{white-space:pre-wrap}
.skip{position:absolute;left:-99rem}
.skip:focus{position:static}
header p,nav{color:var(--dim)}
nav ul,.inline,.figures{display:flex;flex-wrap:wrap;gap:.15rem 1rem}
button,select,input{font:inherit;color:inherit;background:var(--back);
border:1px solid var(--dim);border-radius:3px;padding:.2rem .45rem}
#theme{float:right;margin-left:1rem}
[hidden]{display:none!important}
.m{display:inline-block;min-width:1.5em;padding:0 .25em;text-align:center;border-radius:2px;background:var(--b);color:var(--t);
font:700 13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.todo>li{background:var(--panel);border:1px solid var(--line);border-radius:3px;padding:.5rem .7rem;margin:.4rem 0}
.nodes-of li{padding:.1rem 0}
.figures b{font-size:1.1rem}
.box{overflow-x:auto;position:relative}
table{border-collapse:collapse}
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
details{margin:.15rem 0}
summary{cursor:pointer;padding:.15rem 0}
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
body{padding:.5rem .6rem 2rem}
h1{font-size:1.2rem}
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
body{max-width:none;padding:0;font-size:10pt}
nav,#theme,#filter,.skip{display:none!important}
.m,.cells i,h1{print-color-adjust:exact;-webkit-print-color-adjust:exact}
li,tr{break-inside:avoid}
h2,h3{break-after:avoid}
section:not(#nodes) details::details-content{content-visibility:visible;block-size:auto}
}
"""


def style() -> str:
    return "\n".join(
        [
            f":root{{color-scheme:light;{_variables(LIGHT)}}}",
            _marks("", LIGHT_MARKS),
            f"@media screen and (prefers-color-scheme:dark){{{_dark(':root:not([data-theme=light])')}}}",
            f"@media screen{{{_dark(':root[data-theme=dark]')}}}",
            _RULES.strip(),
        ]
    )


def _dark(root: str) -> str:
    return f"{root}{{color-scheme:dark;{_variables(DARK)}}}{_marks(f'{root} ', DARK_MARKS)}"


def _variables(colours: Colours) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


def _marks(root: str, marks: Marks) -> str:
    return "".join(f"{root}[data-v={name}]{{--b:{back};--t:{letter}}}" for name, (back, letter) in marks.items())

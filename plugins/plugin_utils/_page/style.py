# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The style of pages: light and dark, on phones and on paper. Loads no external font, picture or style."""

from __future__ import annotations

import typing as t

Colours = t.Mapping[str, str]
LIGHT: Colours = {"back": "#ffffff", "text": "#1b1f24", "dim": "#58606a", "line": "#d3d8de", "panel": "#f4f6f8", "link": "#0b57a4"}
DARK: Colours = {"back": "#14171a", "text": "#e3e6e9", "dim": "#a4adb7", "line": "#3a4148", "panel": "#1d2125", "link": "#8dbcf4"}
Marks = t.Mapping[str, tuple[str, str]]
"""The background color and the letter's color, keyed by mark."""
_BASE = """
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
details{margin:.15rem 0}
summary{cursor:pointer;padding:.15rem 0}
.figures b{font-size:1.1rem}
.box{overflow-x:auto;position:relative}
table{border-collapse:collapse}
@media (max-width:40rem){
body{padding:.5rem .6rem 2rem}
h1{font-size:1.2rem}
}
@media print{
body{max-width:none;padding:0;font-size:10pt}
nav,#theme,#filter,.skip{display:none!important}
.m,h1{print-color-adjust:exact;-webkit-print-color-adjust:exact}
li,tr{break-inside:avoid}
h2,h3{break-after:avoid}
}
"""


def sheet(rules: str, light: Marks, dark: Marks) -> str:
    """The rules of all pages, then a page's own rules. In elements with ``data-v``, ``--b`` and ``--t`` are a mark's colors."""
    return "\n".join(
        [
            f":root{{color-scheme:light;{_variables(LIGHT)}}}",
            _marks("", light),
            f"@media screen and (prefers-color-scheme:dark){{{_dark(':root:not([data-theme=light])', dark)}}}",
            f"@media screen{{{_dark(':root[data-theme=dark]', dark)}}}",
            _BASE.strip(),
            rules.strip(),
        ]
    )


def _dark(root: str, marks: Marks) -> str:
    return f"{root}{{color-scheme:dark;{_variables(DARK)}}}{_marks(f'{root} ', marks)}"


def _variables(colours: Colours) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


def _marks(root: str, marks: Marks) -> str:
    return "".join(f"{root}[data-v={name}]{{--b:{back};--t:{letter}}}" for name, (back, letter) in marks.items())

# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A page in one file. It fetches nothing, and runs only its own script."""

from __future__ import annotations

import base64
import hashlib

from .markup import Content, Html, element

THEME = """
"use strict";
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });

  const created = document.querySelector("#created time");
  const minutes = created && Math.floor((Date.now() - Date.parse(created.dateTime)) / 60000);
  if (minutes > 0) {
    const steps = [[2880, 1440, " days"], [120, 60, " h"], [0, 1, " min"]];
    const [, unit, word] = steps.find(([least]) => minutes >= least);
    const age = Math.floor(minutes / unit) + word;
    document.getElementById("age").textContent = " (" + age + " ago)";
  }
})();
"""
"""The script of ``theme_button()``. It also shows the age of the time in ``#created``, in the element ``#age``."""


def framed(title: str, sheet: str, script: str, *body: Content) -> str:
    """The whole page.

    :param script: the page's own script, which runs before the theme's script.
    """
    source = script + THEME
    whole = element("html", _head(title, sheet, source), element("body", *body, element("script", Html(source))), lang="en")
    return f"<!DOCTYPE html>\n{whole.markup}\n"


def theme_button() -> Html:
    return element("button", "Light / dark", type="button", id="theme", hidden=True)


def source_hash(source: str) -> str:
    """The hash of an inline script or style for a Content-Security-Policy."""
    digest = hashlib.sha256(source.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _head(title: str, sheet: str, source: str) -> Html:
    policy = [
        "default-src 'none'",
        f"style-src {source_hash(sheet)}",
        f"script-src {source_hash(source)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content="; ".join(policy)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Html(sheet)),
    )

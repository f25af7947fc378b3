# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's script. A click on a job marks the job's nodes. The script never evaluates text."""

from __future__ import annotations

SCRIPT = """
"use strict";
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-job]");
  if (!button) return;
  const cluster = button.closest("section");
  const now = button.getAttribute("aria-pressed") !== "true";
  for (const other of cluster.querySelectorAll("button[data-job]")) other.setAttribute("aria-pressed", "false");
  button.setAttribute("aria-pressed", String(now));
  const map = cluster.querySelector(".map");
  map.classList.toggle("chosen", now);
  let first = null;
  for (const node of map.querySelectorAll(".nodes>li")) {
    const on = now && (node.dataset.j || "").split(" ").includes(button.dataset.job);
    node.classList.toggle("on", on);
    if (on && !first) first = node;
  }
  if (first) first.scrollIntoView({block: "nearest"});
});
"""

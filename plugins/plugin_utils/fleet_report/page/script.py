# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's script. It hides and shows existing elements, and creates none from text."""

from __future__ import annotations

SCRIPT = """
"use strict";
(() => {
  const form = document.getElementById("filter");
  const clusters = Array.from(document.getElementById("list").children);
  const words = new Map();

  function matches(cluster, text) {
    const wanted = form.elements.standing.value;
    if (wanted && wanted !== "=" + cluster.dataset.standing) return false;
    if (!text) return true;
    if (!words.has(cluster)) words.set(cluster, cluster.textContent.toLowerCase());
    return text.split(/\\s+/).every((word) => words.get(cluster).includes(word));
  }

  function filter() {
    const text = form.elements.text.value.trim().toLowerCase();
    let shown = 0;
    for (const cluster of clusters) {
      cluster.hidden = !matches(cluster, text);
      if (!cluster.hidden) shown += 1;
    }
    form.elements.shown.value = shown + " of " + clusters.length + " shown";
  }

  function follow() {
    const found = /^#c\\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!found) return;
    if (found.hidden) form.reset();
    found.open = true;
    found.scrollIntoView();
  }

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => { for (const cluster of clusters) cluster.hidden = false; setTimeout(filter); });
  window.addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link && link.getAttribute("href") === location.hash) follow();
  });

  filter();
  follow();
})();
"""
